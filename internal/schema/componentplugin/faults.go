package componentplugin

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumierrors "github.com/pulumi/pulumi/sdk/v3/go/pulumi/errors"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// refused converts the faults in an error, which name keys, to the engine's errors of properties.
func (c Component) refused(name string, inputs resource.PropertyMap, err error) error {
	var named fault.Faults
	keys := c.RenamedKeys()
	for _, f := range fault.In(err) {
		of := *f
		of.Path, of.Problem, of.Remedy = c.property(f.Path), WithProperties(f.Problem, keys), WithProperties(f.Remedy, keys)
		named = append(named, &of)
	}
	if named == nil {
		return err
	}
	return c.refusedAsGiven(name, inputs, named)
}

// refusedAsGiven converts the faults in an error, which name properties as the program does, to the engine's errors of
// properties: one message for each fault, with the path of the property. Other errors are returned unchanged. The
// engine shows the value that the path leads to in the inputs, also that of a secret: the path of one has a word behind
// it, with which it leads nowhere.
func (c Component) refusedAsGiven(name string, inputs resource.PropertyMap, err error) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	failure := pulumierrors.NewInputPropertiesError(fmt.Sprintf("%s %q has invalid inputs", c.Token, name))
	for _, f := range found {
		reason, path := *f, propertyPath(f.Path)
		reason.Path, reason.File, reason.Line = "", "", 0
		if c.secretAt(inputs, path) {
			path, reason.Value = path+" (a secret)", nil
		}
		failure = failure.WithDetails(pulumierrors.InputPropertyErrorDetails{
			PropertyPath: path,
			Reason:       reason.Error(),
		})
	}
	return failure
}

// secretAt reports whether what a path leads to in inputs has a secret in it: one of the program's, or a plain value of
// a property that is a secret.
func (c Component) secretAt(inputs resource.PropertyMap, path string) bool {
	parsed, err := resource.ParsePropertyPath(path)
	if err != nil {
		return false
	}
	value, found := parsed.Get(resource.NewProperty(inputs))
	if !found {
		return false
	}
	of, isSecret := configfield.Indirect(c.Inputs), false
	for _, step := range parsed {
		switch of.Kind() { //nolint:exhaustive // others have no properties
		case reflect.Struct:
			name, _ := step.(string)
			field, known := properties(of, c.Section != "")[name]
			if !known {
				return isSecret || value.ContainsSecrets()
			}
			of, isSecret = configfield.Indirect(field.Type), isSecret || IsSecret(field, c.Section != "")
		case reflect.Slice, reflect.Map:
			of = configfield.Indirect(of.Elem())
		}
	}
	return isSecret || c.hasSecret(value, of)
}

// hasSecret reports whether a value of a type is a secret or has one in it.
func (c Component) hasSecret(v resource.PropertyValue, of reflect.Type) bool {
	if v.ContainsSecrets() {
		return true
	}
	v, of = bare(v), configfield.Indirect(of)
	switch {
	case v.IsArray() && of.Kind() == reflect.Slice:
		return slices.ContainsFunc(v.ArrayValue(), func(item resource.PropertyValue) bool {
			return c.hasSecret(item, of.Elem())
		})
	case v.IsObject() && of.Kind() == reflect.Map:
		for _, item := range v.ObjectValue() {
			if c.hasSecret(item, of.Elem()) {
				return true
			}
		}
	case v.IsObject() && of.Kind() == reflect.Struct:
		fields := properties(of, c.Section != "")
		for key, item := range v.ObjectValue() {
			field, known := fields[string(key)]
			if known && !item.IsNull() && (IsSecret(field, c.Section != "") || c.hasSecret(item, field.Type)) {
				return true
			}
		}
	}
	return false
}

// property returns the property's path for a fault's path. A fault's path is a key of a stack's file, in which the keys
// of some structs are not nested: "name" is the property cluster.name of most components. If several structs have the
// key, the least nested one is used.
func (c Component) property(path string) string {
	if c.Section != "" {
		return propertyPath(c.below(c.Inputs, strings.TrimPrefix(strings.TrimPrefix(path, c.Section), ".")))
	}
	type place struct {
		prefix string
		typ    reflect.Type
	}
	first, _ := yamlfile.SplitKey(path)
	for places := []place{{"", c.Inputs}}; len(places) > 0; places = places[1:] {
		for _, field := range Fields(places[0].typ, false) {
			if field.Key == first {
				return propertyPath(places[0].prefix + c.below(places[0].typ, path))
			}
			if t := configfield.Indirect(field.Type); t.Kind() == reflect.Struct &&
				!t.Implements(reflect.TypeFor[pulumi.Input]()) {
				places = append(places, place{places[0].prefix + PropertyName(field.Key) + ".", t})
			}
		}
	}
	return propertyPath(path)
}

// below returns the path of a property below a type for the path of its keys. The suffix that the keys of a mapping
// have in a stack's file is a property's too in a section, and none elsewhere: "existing.roles[ingressARN]" is
// existing.roles[ingressArn] or existing.roles[ingress].
func (c Component) below(t reflect.Type, path string) string {
	t = configfield.Indirect(t)
	switch {
	case path == "" || t.Implements(reflect.TypeFor[pulumi.Input]()):
		return path
	case strings.HasPrefix(path, ".") && t.Kind() == reflect.Struct:
		return "." + c.below(t, path[1:])
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		index, rest, found := strings.Cut(path, "]")
		if !found {
			return path
		}
		return index + "]" + c.below(t.Elem(), rest)
	case t.Kind() != reflect.Struct:
		return path
	}
	first, rest := yamlfile.SplitKey(path)
	for _, field := range properties(t, c.Section != "") {
		if field.Key != first {
			continue
		}
		if field.KeySuffix != "" {
			suffix := ""
			if c.Section != "" {
				suffix = PropertyName(field.KeySuffix)
			}
			rest = strings.ReplaceAll(rest, field.KeySuffix+"]", suffix+"]")
		}
		return PropertyName(first) + c.below(field.Type, rest)
	}
	return path
}

// RenamedKeys returns the keys of a component's inputs, also of nested ones, that are properties of another name.
func (c Component) RenamedKeys() map[string]bool {
	keys, seen := map[string]bool{}, map[reflect.Type]bool{}
	var look func(t reflect.Type)
	look = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if seen[t] || t.Kind() != reflect.Struct || t.Implements(reflect.TypeFor[pulumi.Input]()) {
			return
		}
		seen[t] = true
		for name, field := range properties(t, c.Section != "") {
			if name != field.Key {
				keys[field.Key] = true
			}
			look(field.Type)
		}
	}
	look(c.Inputs)
	return keys
}

// inText matches what a message has in quotes, and the paths and words outside of them.
var inText = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|[A-Za-z][\\w-]*(?:(?:\\[[^\\]\\s]*\\])?\\.[A-Za-z][\\w-]*)*")

// WithProperties returns a text with the names of properties in place of keys. Values, and the paths of fields of
// Kubernetes below spec, stay.
func WithProperties(text string, keys map[string]bool) string {
	return inText.ReplaceAllStringFunc(text, func(found string) string {
		if strings.ContainsAny(found[:1], "`\"") {
			return found
		}
		steps := strings.Split(found, ".")
		for i, step := range steps {
			if step == "spec" {
				break
			}
			key, rest := yamlfile.SplitKey(step)
			if keys[key] {
				steps[i] = PropertyName(key) + rest
			}
		}
		return strings.Join(steps, ".")
	})
}

// propertyPath converts a fault's path to Pulumi's format: a key in brackets is quoted, an index is not.
func propertyPath(path string) string {
	var out strings.Builder
	for path != "" {
		open := strings.IndexByte(path, '[')
		end := -1
		if open >= 0 {
			end = strings.IndexByte(path[open:], ']')
		}
		if end < 0 {
			break
		}
		step := path[open+1 : open+end]
		if _, err := strconv.Atoi(step); err != nil && !strings.HasPrefix(step, `"`) {
			step = strconv.Quote(step)
		}
		out.WriteString(path[:open] + "[" + step + "]")
		path = path[open+end+1:]
	}
	return out.String() + path
}
