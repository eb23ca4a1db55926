package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

const repository = "https://github.com/hypershift-aws/hypershift-aws"

// generator collects the types that the components refer to.
type generator struct {
	comments *Comments
	types    node
	// structs maps the types to their structs.
	structs map[string]reflect.Type
	// keys are the keys that are properties of another name.
	keys map[string]bool
}

// packageSchema returns the schema of the Pulumi package.
func packageSchema(comments *Comments) ([]byte, error) {
	examples, err := readExamples()
	if err != nil {
		return nil, err
	}
	g := &generator{comments: comments, types: node{}, structs: map[string]reflect.Type{}, keys: map[string]bool{}}
	for _, c := range componentplugin.Components() {
		maps.Copy(g.keys, c.RenamedKeys())
		for _, field := range componentplugin.OutputFields(c.Outputs) {
			g.keys[field.Key] = true
		}
	}
	engine := sdk.Version.String() // an older one may lack what the plugin asks for
	resources := node{}
	for _, c := range componentplugin.Components() {
		resource := g.outputs(c.Outputs)
		resource["isComponent"] = true
		example, ok := examples[strings.TrimPrefix(c.Token, componentplugin.Package+":")]
		if !ok {
			return nil, fmt.Errorf("examples.yaml has no example of %s", c.Token)
		}
		resource["description"] = g.text(g.comments.Type(c.Struct)) + example
		inputs := g.inputs(c.Inputs, c.Section != "")
		resource["inputProperties"] = inputs["properties"]
		if required, ok := inputs["required"]; ok {
			resource["requiredInputs"] = required
		}
		delete(resource, "type")
		resources[c.Token] = resource
	}
	settings := node{componentplugin.UnguardedKey: node{
		"type": "boolean",
		"description": "Allows updates of the components to replace or delete what a running cluster depends on, without " + config.AllowKey +
			". Default false.",
	}}
	document := node{
		"name": componentplugin.Package, "displayName": "HyperShift on AWS",
		"version":     strings.TrimPrefix(stacks.Version, "v"),
		"description": "The AWS resources of HyperShift's hosted clusters, and their objects in the management cluster.",
		"keywords": []string{"pulumi", "aws", "hypershift", "openshift", "kind/component",
			"category/infrastructure"},
		"homepage":          repository,
		"repository":        repository,
		"publisher":         "hypershift-aws",
		"license":           "Apache-2.0",
		"pluginDownloadURL": "github://api.github.com/hypershift-aws/hypershift-aws", // the archives of its releases
		"config":            node{"variables": settings},
		"resources":         resources,
		"types":             g.types,
		"language": node{
			"nodejs": node{
				"packageName": "hypershift-aws", "respectSchemaVersion": true,
				"dependencies": node{"@pulumi/pulumi": "^" + engine},
			},
			"python": node{
				"packageName": "hypershift_aws", "respectSchemaVersion": true, "pyproject": node{"enabled": true},
				"requires": node{"pulumi": ">=" + engine + ",<4.0.0"},
			},
			"go": node{
				"importBasePath":       "github.com/hypershift-aws/hypershift-aws/sdk/go/hypershiftaws",
				"rootPackageName":      "hypershiftaws",
				"respectSchemaVersion": true, "generateResourceContainerTypes": false,
			},
			// NuGet lets nobody else publish a package whose name begins with "Pulumi.".
			"csharp": node{"rootNamespace": "HypershiftCommunity", "respectSchemaVersion": true},
			"java":   node{"basePackage": "io.github.hypershiftaws", "buildFiles": "gradle"},
		},
	}
	return indented(document)
}

// inputs returns a struct of inputs.
func (g *generator) inputs(t reflect.Type, section bool) node {
	properties, required := node{}, []string{}
	for _, field := range componentplugin.Fields(t, section) {
		property := g.typeOf(field.Type, section)
		if componentplugin.IsSecret(field, section) {
			property["secret"] = true
		}
		if description := g.text(g.comments.Note(field.Struct, field.Name).Description()); description != "" {
			property["description"] = description
		}
		properties[componentplugin.PropertyName(field.Key)] = property
		if field.Required {
			required = append(required, componentplugin.PropertyName(field.Key))
		}
	}
	return object(properties, required)
}

// outputs returns a struct of outputs, including outputs of embedded structs.
func (g *generator) outputs(t reflect.Type) node {
	properties, required := node{}, []string{}
	for _, field := range componentplugin.OutputFields(t) {
		name, property := componentplugin.PropertyName(field.Key), g.typeOf(field.Type, false)
		if description := g.text(g.comments.Note(field.Struct, field.Name).Description()); description != "" {
			property["description"] = description
		}
		properties[name] = property
		if field.Required {
			required = append(required, name)
		}
	}
	return object(properties, required)
}

func object(properties node, required []string) node {
	object := node{"type": "object", "properties": properties}
	if len(required) > 0 {
		object["required"] = required
	}
	return object
}

// typeOf returns the type of a field. The types of structs and enumerations are added to the schema.
func (g *generator) typeOf(t reflect.Type, section bool) node {
	t = configfield.Indirect(t)
	if element, ok := elementOf(t); ok {
		return g.typeOf(element, section)
	}
	switch {
	// its type is in the schema of pulumi-aws, which each generation would have to download
	case t == reflect.TypeFor[aws.Provider]():
		return node{"$ref": "pulumi.json#/Any"}
	case t == reflect.TypeFor[config.SecretSource]():
		return node{"type": "string"}
	case t == reflect.TypeFor[config.Account]():
		return node{"type": "object", "additionalProperties": node{"$ref": "pulumi.json#/Any"}}
	}
	if values := g.comments.Enum(t); values != nil {
		return g.enum(t, values)
	}
	switch t.Kind() { //nolint:exhaustive // components have no other kinds
	case reflect.Bool:
		return node{"type": "boolean"}
	case reflect.Int:
		return node{"type": "integer"}
	case reflect.Float64:
		return node{"type": "number"}
	case reflect.String:
		return node{"type": "string"}
	case reflect.Slice:
		return node{"type": "array", "items": g.typeOf(t.Elem(), section)}
	case reflect.Map:
		return node{"type": "object", "additionalProperties": g.typeOf(t.Elem(), section)}
	case reflect.Struct:
		return g.structure(t, section)
	}
	return node{"$ref": "pulumi.json#/Any"}
}

// structure adds the type of a struct.
func (g *generator) structure(t reflect.Type, section bool) node {
	token := tokenOf(t)
	if section = section && !sameFields(t); section {
		token = componentplugin.Package + ":stacks:" + strings.TrimSuffix(t.Name(), "Args")
	}
	if isOutputs(t) {
		token += "Outputs" // inputs with the same name are another type
	}
	if other, taken := g.structs[token]; taken && other != t {
		panic(fmt.Sprintf("%s and %s are both %s in the schema; rename one", other, t, token))
	}
	g.structs[token] = t
	if _, known := g.types[token]; !known {
		g.types[token] = node{} // a struct may refer to itself
		spec := g.inputs(t, section)
		if isOutputs(t) {
			spec = g.outputs(t)
		}
		if about := g.text(g.comments.Type(t)); about != "" {
			spec["description"] = about
		}
		g.types[token] = spec
	}
	return node{"$ref": "#/types/" + token}
}

// enum adds the type of an enumeration.
func (g *generator) enum(t reflect.Type, values []Value) node {
	token := tokenOf(t)
	var constants []node
	for _, value := range values {
		constant := node{"name": valueName(t, value), "value": value.Text}
		if value.Doc != "" {
			constant["description"] = g.text(sentence(value.Doc, value.Name, g.comments.plain))
		}
		constants = append(constants, constant)
	}
	spec := node{"type": "string", "enum": constants}
	if about := g.text(g.comments.Type(t)); about != "" {
		spec["description"] = about
	}
	g.types[token] = spec
	return node{"$ref": "#/types/" + token}
}

// elementOf returns the type of the value of an input or an output.
func elementOf(t reflect.Type) (reflect.Type, bool) {
	if !t.Implements(reflect.TypeFor[pulumi.Input]()) {
		return nil, false
	}
	if t.Implements(reflect.TypeFor[pulumi.Output]()) {
		return reflect.New(t).Elem().Interface().(pulumi.Output).ElementType(), true
	}
	switch t {
	case reflect.TypeFor[pulumi.StringInput]():
		return reflect.TypeFor[string](), true
	case reflect.TypeFor[pulumi.BoolInput]():
		return reflect.TypeFor[bool](), true
	case reflect.TypeFor[pulumi.StringMapInput]():
		return reflect.TypeFor[map[string]string](), true
	case reflect.TypeFor[pulumi.StringArrayInput]():
		return reflect.TypeFor[[]string](), true
	case reflect.TypeFor[pulumi.MapInput]():
		return reflect.TypeFor[map[string]any](), true
	}
	panic(fmt.Sprintf("inputs of type %s have no type in a schema; add it here", t))
}

// isOutputs reports whether a struct contains outputs.
func isOutputs(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Type.Implements(reflect.TypeFor[pulumi.Output]()) {
			return true
		}
	}
	return false
}

// sameFields reports whether a struct has the same properties in a stack's file and as part of a component's inputs.
func sameFields(t reflect.Type) bool {
	inFile, inInputs := componentplugin.Fields(t, true), componentplugin.Fields(t, false)
	if len(inFile) != len(inInputs) {
		return false
	}
	for i, field := range inFile {
		inner := configfield.Indirect(field.Type)
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Map {
			inner = configfield.Indirect(inner.Elem())
		}
		if field.Key != inInputs[i].Key || field.Required != inInputs[i].Required {
			return false
		}
		if inner.Kind() == reflect.Struct && (inner == reflect.TypeFor[config.SecretSource]() || !sameFields(inner)) {
			return false
		}
	}
	return true
}

// tokenOf returns the token of a type.
func tokenOf(t reflect.Type) string {
	return componentplugin.Package + ":" + componentplugin.TypeName(t, ":")
}

// text returns a comment with the names of properties in place of keys.
func (g *generator) text(comment string) string {
	return componentplugin.WithProperties(comment, g.keys)
}

// sentence returns the comment of a type or field without its Go name: "GuestNetwork is the VPC" is "The VPC", and
// "ZoneArgs configure the zone" is "Configures the zone". plain converts the rest.
func sentence(comment, name string, plain func(string) string) string {
	rest := comment
	for _, verb := range []string{" is ", " are "} {
		if after, ok := strings.CutPrefix(comment, name+verb); ok {
			rest = after
		}
	}
	if after, ok := strings.CutPrefix(rest, name+" "); ok {
		verb, object, _ := strings.Cut(after, " ")
		if !strings.HasSuffix(verb, "s") && strings.HasSuffix(name, "s") {
			after = verb + "s " + object
		}
		rest = after
	}
	if rest = plain(rest); rest == "" {
		return ""
	}
	runes := []rune(rest)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

// valueName returns the name of an enumeration's value: what the constant's name and the value have in common, or else
// the constant's name without the words of its type. FlowLogsToCloudWatch, which is "CloudWatch", is CloudWatch.
func valueName(t reflect.Type, value Value) string {
	text := strings.ReplaceAll(value.Text, "-", "")
	if at := strings.Index(strings.ToLower(value.Name), strings.ToLower(text)); at >= 0 {
		return value.Name[at : at+len(text)]
	}
	name := value.Name
	for _, word := range words.FindAllString(t.Name(), -1) {
		if shorter := strings.Replace(name, word, "", 1); shorter != "" {
			name = shorter
		}
	}
	return name
}

// words are the words of a type's name.
var words = regexp.MustCompile(`[A-Z]+[a-z]*`)

//go:embed examples.yaml
var examplePrograms []byte

// convertedPrograms are the programs of examples.yaml in other languages, by the component's token and the language, as
// tools/languages/examples writes them.
//
//go:embed examples.json
var convertedPrograms []byte

// exampleLanguages are the languages of examples, by the words after the fences of their blocks, in the order of
// Pulumi's documentation.
func exampleLanguages() []string { return []string{"typescript", "python", "csharp", "go", "yaml"} }

// readExamples returns an example of each component in each language, in the form that registries and the generators of
// SDKs read in a description, by the component's token without the package's name. Source: Pulumi's documentation of
// package schemas, "Examples".
func readExamples() (map[string]string, error) {
	var programs map[string]yaml.Node
	if err := yaml.Unmarshal(examplePrograms, &programs); err != nil {
		return nil, fmt.Errorf("reading examples.yaml: %w", err)
	}
	var converted struct {
		Programs map[string]map[string]string
	}
	if err := json.Unmarshal(convertedPrograms, &converted); err != nil {
		return nil, fmt.Errorf("reading examples.json: %w", err)
	}
	examples := map[string]string{}
	for token, program := range programs {
		texts := map[string]string{}
		maps.Copy(texts, converted.Programs[token])
		var text strings.Builder
		encoder := yaml.NewEncoder(&text)
		encoder.SetIndent(2)
		if err := encoder.Encode(&program); err != nil {
			return nil, fmt.Errorf("writing the example of %s: %w", token, err)
		}
		texts["yaml"] = text.String()
		example := "\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n"
		for _, language := range exampleLanguages() {
			if texts[language] != "" {
				example += "```" + language + "\n" + texts[language] + "```\n"
			}
		}
		examples[token] = example + "{{% /example %}}\n{{% /examples %}}\n"
	}
	return examples, nil
}
