package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// promisesFile has what programs use of the package, a line per property, value and name.
var promisesFile = filepath.Join("testdata", "promises.txt")

// declared is an object in a schema.
type declared struct {
	InputProperties, Properties map[string]json.RawMessage
	RequiredInputs, Required    []string
	Enum                        []struct{ Name, Value string }
}

// function is a function in a schema.
type function struct{ Inputs, Outputs declared }

// promises returns what programs use of a package: the types of properties, inputs apart from outputs, by token and
// name, the values of enumerations, and the names of the SDKs.
func promises(t *testing.T, text []byte) map[string]string {
	t.Helper()
	var schema struct {
		Name             string
		Config           struct{ Variables map[string]json.RawMessage }
		Resources, Types map[string]declared
		Functions        map[string]function
		Language         map[string]map[string]any
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	found := map[string]string{"package": schema.Name}
	properties := func(of string, members map[string]json.RawMessage, required []string) {
		found[of] = "an object"
		for name, property := range members {
			value := typeOf(t, property)
			if slices.Contains(required, name) {
				value += ", required"
			}
			found[of+"."+name] = value
		}
	}
	for token, resource := range schema.Resources {
		properties(token+" input", resource.InputProperties, resource.RequiredInputs)
		properties(token+" output", resource.Properties, resource.Required)
	}
	for token, object := range schema.Types {
		for _, value := range object.Enum {
			found[token+" value."+value.Value] = "a value"
			if value.Name != "" { // SDKs have it by its name
				found[token+" value."+value.Value] = "a value named " + value.Name
			}
		}
		if len(object.Enum) == 0 {
			kind := " input"
			if strings.HasSuffix(token, "Outputs") {
				kind = " output"
			}
			properties(token+kind, object.Properties, object.Required)
		}
	}
	for token, function := range schema.Functions {
		properties(token+" input", function.Inputs.Properties, function.Inputs.Required)
		properties(token+" output", function.Outputs.Properties, function.Outputs.Required)
	}
	for name, property := range schema.Config.Variables {
		found["config."+name] = typeOf(t, property)
	}
	for language, settings := range schema.Language {
		for name, value := range settings {
			if !slices.Contains(notInPrograms, name) {
				found[language+"."+name] = fmt.Sprint(value)
			}
		}
	}
	return found
}

// notInPrograms are the settings of languages that no program depends on: what an SDK needs, and how it is built.
var notInPrograms = []string{"dependencies", "requires", "buildFiles", "pyproject", "respectSchemaVersion"}

// typeOf returns the type of a property in the schema's own words.
func typeOf(t *testing.T, property json.RawMessage) string {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(property, &fields))
	secret := ""
	if string(fields["secret"]) == "true" {
		secret = asSecret
	}
	for _, about := range []string{"description", "secret", "deprecationMessage"} {
		delete(fields, about)
	}
	text, err := json.Marshal(fields)
	require.NoError(t, err)
	return strings.NewReplacer(`"`, "", "$ref:", "", "#/types/", "").Replace(string(text)) + secret
}

// asSecret ends the type of a property whose value the engine encrypts.
const asSecret = ", secret"

// broken returns what a schema takes from programs that use an earlier one, with the reason.
func broken(before, now map[string]string) map[string]string {
	found := map[string]string{}
	for name, was := range before {
		is, still := now[name]
		wasType, wasRequired := strings.CutSuffix(was, ", required")
		isType, isRequired := strings.CutSuffix(is, ", required")
		wasType, wasSecret := strings.CutSuffix(wasType, asSecret)
		isType, isSecret := strings.CutSuffix(isType, asSecret)
		switch {
		case !still:
			found[name] = "is gone"
		case wasType != isType:
			found[name] = "is " + isType + ", and was " + wasType
		case wasSecret && !isSecret:
			found[name] = "is no secret any more"
		case strings.Contains(name, " input.") && isRequired && !wasRequired:
			found[name] = "is required now"
		case strings.Contains(name, " output.") && wasRequired && !isRequired:
			found[name] = "may be left out now"
		}
	}
	for name, is := range now {
		object, _, input := strings.Cut(name, " input.")
		_, known := before[name]
		if _, existed := before[object+" input"]; input && existed && !known && strings.HasSuffix(is, ", required") {
			found[name] = "is new and required"
		}
	}
	return found
}

// An incompatible change of the schema since the last release is listed in CHANGELOG.md, as `iam:RoleSet input.vpcId`.
// Until a release has a tag, the file is the former schema: with -update it is written again, after that.
func TestAnIncompatibleChangeOfTheSchemaIsInTheChangelog(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	now := promises(t, componentplugin.Schema)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		lines = append(lines, name+": "+now[name])
	}
	before, release := map[string]string{}, ""
	tag, err := exec.Command("git", "-C", root, "describe", "--tags", "--abbrev=0", "--match", "v*").Output()
	if err == nil {
		release = strings.TrimSpace(string(tag))
		text, err := exec.Command("git", "-C", root, "show", release+":internal/schema/componentplugin/schema.json").Output()
		require.NoError(t, err)
		before = promises(t, text)
	} else if text, err := os.ReadFile(promisesFile); err == nil {
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			before[name] = value
		}
	}
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	require.NoError(t, err)
	_, unreleased, _ := strings.Cut(string(changelog), "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## "+release)
	if release == "" {
		unreleased = regexp.MustCompile(`(?s)\n## v.*`).ReplaceAllString(unreleased, "")
	}
	for name, why := range broken(before, now) {
		listed := strings.TrimPrefix(name, componentplugin.Package+":")
		require.Contains(t, unreleased, "`"+listed+"`", "%s %s: keep it, or list `%s` in the unreleased part of CHANGELOG.md",
			name, why, listed)
	}
	golden.Require(t, promisesFile, strings.Join(lines, "\n")+"\n")
}

func TestAChangeOfTheSchemaThatBreaksProgramsIsFound(t *testing.T) {
	t.Parallel()
	before := map[string]string{
		"a:B input": "an object", "a:B input.kept": "string", "a:B input.gone": "string", "a:B input.number": "string",
		"a:B input.required": "string", "a:B input.free": "string, required", "a:B output.maybe": "string, required",
		"a:B output.sure": "string", "a:C value.x": "a value", "a:C value.y": "a value named Y",
		"a:B output.key": "string, secret, required", "a:B output.open": "string", "csharp.namespaces": "map[b:B]",
	}
	now := map[string]string{
		"a:B input": "an object", "a:B input.kept": "string", "a:B input.number": "integer", "a:B input.new": "string",
		"a:B input.required": "string, required", "a:B input.free": "string", "a:B input.must": "string, required",
		"a:B output.maybe": "string", "a:B output.sure": "string, required", "a:D input.must": "string, required",
		"a:C value.y": "a value named Why", "a:B output.key": "string, required", "a:B output.open": "string, secret",
		"csharp.namespaces": "map[b:Bee]",
	}
	require.Equal(t, map[string]string{
		"a:B input.gone": "is gone", "a:B input.number": "is integer, and was string",
		"a:B input.required": "is required now",
		"a:B input.must":     "is new and required", "a:B output.maybe": "may be left out now", "a:C value.x": "is gone",
		"a:C value.y": "is a value named Why, and was a value named Y", "a:B output.key": "is no secret any more",
		"csharp.namespaces": "is map[b:Bee], and was map[b:B]",
	}, broken(before, now))
}

// Each schema is the package's own with one change, of a kind that breaks programs.
func TestEachKindOfChangeThatBreaksProgramsIsFound(t *testing.T) {
	t.Parallel()
	const schema = `{
		"name": "p",
		"resources": {"p:m:R": {
			"inputProperties": {"in": {"type": "string", "secret": true}, "free": {"type": "integer"}}, "requiredInputs": ["in"],
			"properties": {"out": {"type": "string"}, "key": {"type": "string", "secret": true}}, "required": ["out"]
		}},
		"types": {
			"p:m:T": {"type": "object", "properties": {"x": {"type": "array", "items": {"type": "string"}}}},
			"p:m:E": {"type": "string", "enum": [{"name": "One", "value": "1"}, {"name": "Two", "value": "2"}]}
		},
		"functions": {"p:m:get": {
			"inputs": {"properties": {"id": {"type": "string"}}}, "outputs": {"properties": {"arn": {"type": "string"}}}
		}},
		"language": {"go": {"importBasePath": "example.com/p", "rootPackageName": "p"}, "csharp": {"namespaces": {"m": "M"}}}
	}`
	before := promises(t, []byte(schema))
	require.Empty(t, broken(before, before))
	for _, change := range []struct{ from, to, found string }{
		{`"p:m:R"`, `"p:m:S"`, "p:m:R input"},
		{`"free": {"type": "integer"}`, `"freed": {"type": "integer"}`, "p:m:R input.free"},
		{`"free": {"type": "integer"}`, `"free": {"type": "number"}`, "p:m:R input.free"},
		{`"requiredInputs": ["in"]`, `"requiredInputs": ["in", "free"]`, "p:m:R input.free"},
		{`"required": ["out"]`, `"required": []`, "p:m:R output.out"},
		{`"key": {"type": "string", "secret": true}`, `"key": {"type": "string"}`, "p:m:R output.key"},
		{`"in": {"type": "string", "secret": true}`, `"in": {"type": "string"}`, "p:m:R input.in"},
		{`"in": {"type": "string"`, `"in": {"plain": true, "type": "string"`, "p:m:R input.in"},
		{`"items": {"type": "string"}`, `"items": {"type": "integer"}`, "p:m:T input.x"},
		{`{"name": "One", "value": "1"}, `, ``, "p:m:E value.1"},
		{`"name": "Two"`, `"name": "Too"`, "p:m:E value.2"},
		{`"p:m:get"`, `"p:m:read"`, "p:m:get input"},
		{`"arn": {"type": "string"}`, `"name": {"type": "string"}`, "p:m:get output.arn"},
		{`"example.com/p"`, `"example.com/q"`, "go.importBasePath"},
		{`"rootPackageName": "p"`, `"rootPackageName": "q"`, "go.rootPackageName"},
		{`"m": "M"`, `"m": "N"`, "csharp.namespaces"},
	} {
		require.Equal(t, 1, strings.Count(schema, change.from), change.from)
		now := promises(t, []byte(strings.Replace(schema, change.from, change.to, 1)))
		require.Contains(t, broken(before, now), change.found, "%s becomes %s", change.from, change.to)
	}
}
