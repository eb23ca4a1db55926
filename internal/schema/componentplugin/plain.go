package componentplugin

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// why returns why the value of a type has to be known, and what to do.
func why(t reflect.Type) (why, remedy string) {
	switch t.Kind() { //nolint:exhaustive // the others are scalars
	case reflect.Struct:
		return "which properties it has decides which resources there are", "use an object; its properties may be outputs"
	case reflect.Slice, reflect.Map:
		return "how many items it has must be known first",
			"use a list or an object; its items may be outputs, unless they are refused too"
	}
	return "selects which resources there are and how they are configured",
		"use a plain value, or an output whose value is known in the preview, such as an output of a stack reference"
}

// plainTexts visits the properties of a component's inputs, also nested ones, that are plain strings. It passes the
// struct that has them.
func (c Component) plainTexts(visit func(typ reflect.Type, field configfield.Field)) {
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type)
	look = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, field := range Fields(t, c.Section != "") {
			inner := field.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice || inner.Kind() == reflect.Map {
				inner = inner.Elem()
			}
			switch {
			case inner == reflect.TypeFor[aws.Provider](), inner == reflect.TypeFor[config.SecretSource](),
				inner == reflect.TypeFor[config.Account](), inner == reflect.TypeFor[config.NamedAccount](),
				inner.Implements(reflect.TypeFor[pulumi.Input]()):
			case inner.Kind() == reflect.Struct:
				look(inner)
			case inner.Kind() == reflect.String && inner.PkgPath() == "", inner.Kind() == reflect.Interface:
				visit(t, field)
			}
		}
	}
	look(c.Inputs)
}

// PlainTexts returns a table in Markdown of the properties that are plain texts.
func PlainTexts() string {
	found := map[string][]string{}
	for _, c := range Components() {
		c.plainTexts(func(typ reflect.Type, field configfield.Field) {
			name, property := TypeName(typ, "."), "`"+PropertyName(field.Key)+"`"
			if !slices.Contains(found[name], property) {
				found[name] = append(found[name], property)
			}
		})
	}
	var table strings.Builder
	table.WriteString("| of | properties |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		slices.Sort(found[name])
		fmt.Fprintf(&table, "| `%s` | %s |\n", name, strings.Join(found[name], ", "))
	}
	return table.String()
}

// TypeName returns the module and the name of a struct's type in the SDKs, with a separator between them. The module is
// the struct's package, except that the config is the stacks', and that a package below another one is in its module:
// in Go, two modules must not import each other.
func TypeName(t reflect.Type, separator string) string {
	name := strings.TrimSuffix(t.Name(), "Args")
	if name == "" {
		name = "Settings"
	}
	module := path.Base(t.PkgPath())
	switch module {
	case "config":
		module = "stacks"
	case "layout":
		module = "network"
	case "kubernetes":
		module, name = "management", "Installed"+name
	}
	return module + separator + name
}
