package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
)

// schemaOfPackage is what the test reads of the package's schema.
type schemaOfPackage struct {
	Resources map[string]struct {
		InputProperties map[string]property
		RequiredInputs  []string
		Properties      map[string]property
	}
	Types map[string]struct {
		Properties map[string]property
		Required   []string
		Enum       []struct{ Value any }
	}
}

// property is a property in the schema.
type property struct {
	Type                 string
	Ref                  string `json:"$ref"`
	Items                *property
	AdditionalProperties *property
}

// propertyReference matches a reference to a resource or one of its outputs.
var propertyReference = regexp.MustCompile(`^\$\{(\w+)(?:\.(\w+))?[^}]*\}$`)

func TestTheExamplesHaveTheInputsOfTheSchema(t *testing.T) {
	t.Parallel()
	var schema schemaOfPackage
	require.NoError(t, json.Unmarshal(componentplugin.Schema, &schema))
	var programs map[string]struct {
		Config    map[string]any
		Resources map[string]struct {
			Type       string
			Properties map[string]any
		}
	}
	require.NoError(t, yaml.Unmarshal(examplePrograms, &programs))
	require.Len(t, programs, len(componentplugin.Components()))
	for token, program := range programs {
		token = componentplugin.Package + ":" + token
		shown := false
		for name, resource := range program.Resources {
			declared, ours := schema.Resources[resource.Type]
			if !ours {
				require.Contains(t, resource.Type, "pulumi:providers:", "%s: %s", token, name)
				continue
			}
			shown = shown || resource.Type == token
			problems := schema.object(resource.Properties, declared.InputProperties, declared.RequiredInputs, resource.Type,
				func(ref string) string {
					of := propertyReference.FindStringSubmatch(ref)
					other, exists := program.Resources[of[1]]
					_, configured := program.Config[of[1]]
					switch {
					case !exists && !configured:
						return "no resource and no config has this name"
					case of[2] != "" && strings.HasPrefix(other.Type, componentplugin.Package):
						if _, output := schema.Resources[other.Type].Properties[of[2]]; !output {
							return other.Type + " has no such output"
						}
					}
					return ""
				})
			require.Empty(t, problems, "%s: %s", token, name)
		}
		require.True(t, shown, "the example of %s does not have it", token)
	}
}

// object returns what is wrong with the properties of an object.
func (s schemaOfPackage) object(
	given map[string]any,
	declared map[string]property,
	required []string,
	path string,
	refer func(string) string,
) (problems []string) {
	for _, name := range required {
		if _, is := given[name]; !is {
			problems = append(problems, path+"."+name+" is missing")
		}
	}
	for name, value := range given {
		if of, known := declared[name]; known {
			problems = append(problems, s.value(value, of, path+"."+name, refer)...)
		} else {
			problems = append(problems, path+"."+name+" is no property")
		}
	}
	return problems
}

// value returns what is wrong with a value.
func (s schemaOfPackage) value(value any, of property, path string, refer func(string) string) (problems []string) {
	if text, is := value.(string); is && propertyReference.MatchString(text) {
		if problem := refer(text); problem != "" {
			return []string{path + ": " + text + ": " + problem}
		}
		return nil
	}
	if _, token, is := strings.Cut(of.Ref, "#/types/"); is {
		declared, known := s.Types[token]
		switch object, isObject := value.(map[string]any); {
		case !known:
			return []string{path + ": the schema has no type " + token}
		case len(declared.Enum) > 0:
			for _, member := range declared.Enum {
				if member.Value == value {
					return nil
				}
			}
			return []string{fmt.Sprintf("%s: %v is no value of %s", path, value, token)}
		case !isObject:
			return []string{path + " is no object"}
		default:
			return s.object(object, declared.Properties, declared.Required, path, refer)
		}
	}
	switch typed := value.(type) {
	case []any:
		if of.Items == nil {
			return []string{path + " is no list"}
		}
		for i, item := range typed {
			problems = append(problems, s.value(item, *of.Items, fmt.Sprintf("%s[%d]", path, i), refer)...)
		}
	case map[string]any:
		if of.AdditionalProperties == nil {
			return []string{path + " is no map"}
		}
		for key, item := range typed {
			problems = append(problems, s.value(item, *of.AdditionalProperties, path+"."+key, refer)...)
		}
	case string:
		if of.Type != "string" && of.Ref == "" {
			return []string{path + " is no text"}
		}
	}
	return problems
}

func TestEveryExampleIsInEveryLanguage(t *testing.T) {
	t.Parallel()
	var converted struct {
		Source   string
		Programs map[string]map[string]string
	}
	require.NoError(t, json.Unmarshal(convertedPrograms, &converted))
	require.Equal(t, fmt.Sprintf("sha256:%x", sha256.Sum256(examplePrograms)), converted.Source, "run `make generate`")
	var schema struct {
		Resources map[string]struct{ Description string }
	}
	require.NoError(t, json.Unmarshal(componentplugin.Schema, &schema))
	for token, resource := range schema.Resources {
		for _, language := range exampleLanguages() {
			require.Contains(t, resource.Description, "\n```"+language+"\n", token)
			require.NotContains(t, resource.Description, "%!", "%s: what a generator could not write", token)
		}
	}
}
