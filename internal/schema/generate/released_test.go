package main

import (
	"encoding/json"
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
	Enum                        []struct{ Value string }
}

// promises returns what programs use of a package: the types of properties, inputs apart from outputs, by token and
// name, the values of enumerations, and the names of the SDKs.
func promises(t *testing.T, text []byte) map[string]string {
	t.Helper()
	var schema struct {
		Name             string
		Config           struct{ Variables map[string]json.RawMessage }
		Resources, Types map[string]declared
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
		}
		if len(object.Enum) == 0 {
			kind := " input"
			if strings.HasSuffix(token, "Outputs") {
				kind = " output"
			}
			properties(token+kind, object.Properties, object.Required)
		}
	}
	for name, property := range schema.Config.Variables {
		found["config."+name] = typeOf(t, property)
	}
	for language, settings := range schema.Language {
		for _, name := range []string{"packageName", "importBasePath", "rootNamespace", "basePackage"} {
			if value, is := settings[name].(string); is {
				found[language+"."+name] = value
			}
		}
	}
	return found
}

// typeOf returns the type of a property in the schema's own words.
func typeOf(t *testing.T, property json.RawMessage) string {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(property, &fields))
	for _, about := range []string{"description", "secret", "deprecationMessage"} {
		delete(fields, about)
	}
	text, err := json.Marshal(fields)
	require.NoError(t, err)
	return strings.NewReplacer(`"`, "", "$ref:", "", "#/types/", "").Replace(string(text))
}

// broken returns what a schema takes from programs that use an earlier one, with the reason.
func broken(before, now map[string]string) map[string]string {
	found := map[string]string{}
	for name, was := range before {
		is, still := now[name]
		wasType, wasRequired := strings.CutSuffix(was, ", required")
		isType, isRequired := strings.CutSuffix(is, ", required")
		switch {
		case !still:
			found[name] = "is gone"
		case wasType != isType:
			found[name] = "is " + isType + ", and was " + wasType
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
		"a:B output.sure": "string", "a:C value.x": "a value",
	}
	now := map[string]string{
		"a:B input": "an object", "a:B input.kept": "string", "a:B input.number": "integer", "a:B input.new": "string",
		"a:B input.required": "string, required", "a:B input.free": "string", "a:B input.must": "string, required",
		"a:B output.maybe": "string", "a:B output.sure": "string, required", "a:D input.must": "string, required",
	}
	require.Equal(t, map[string]string{
		"a:B input.gone": "is gone", "a:B input.number": "is integer, and was string", "a:B input.required": "is required now",
		"a:B input.must": "is new and required", "a:B output.maybe": "may be left out now", "a:C value.x": "is gone",
	}, broken(before, now))
}
