package componentplugin

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumierrors "github.com/pulumi/pulumi/sdk/v3/go/pulumi/errors"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// refused converts the faults in an error to the engine's errors of properties: one message for each fault, with the
// path of the property. Other errors are returned unchanged.
func (c Component) refused(name string, err error) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	failure := pulumierrors.NewInputPropertiesError(fmt.Sprintf("%s %q has invalid inputs", c.Token, name))
	for _, f := range found {
		reason := *f
		reason.Path, reason.File, reason.Line = "", "", 0
		failure = failure.WithDetails(pulumierrors.InputPropertyErrorDetails{
			PropertyPath: c.property(f.Path),
			Reason:       reason.Error(),
		})
	}
	return failure
}

// property returns the property's path for a fault's path. A fault's path is a key of a stack's file, in which the keys
// of some structs are not nested: "name" is the property cluster.name of most components. If several structs have the
// key, the least nested one is used.
func (c Component) property(path string) string {
	if c.Section != "" {
		return propertyPath(strings.TrimPrefix(strings.TrimPrefix(path, c.Section), "."))
	}
	type place struct {
		prefix string
		typ    reflect.Type
	}
	first, rest := yamlfile.SplitKey(path)
	for places := []place{{"", c.Inputs}}; len(places) > 0; places = places[1:] {
		for _, field := range Fields(places[0].typ, false) {
			if field.Key == first {
				return propertyPath(places[0].prefix + withoutSuffix(places[0].typ, first, rest))
			}
			if t := configfield.Indirect(field.Type); t.Kind() == reflect.Struct &&
				!t.Implements(reflect.TypeFor[pulumi.Input]()) {
				places = append(places, place{places[0].prefix + field.Key + ".", t})
			}
		}
	}
	return propertyPath(path)
}

// withoutSuffix returns a path in a struct without the suffix that the keys of a mapping have only in a stack's file:
// "existing.roles[ingressARN]" is existing.roles["ingress"].
func withoutSuffix(t reflect.Type, first, rest string) string {
	for i := range t.NumField() {
		declared := t.Field(i)
		name, _, _ := strings.Cut(declared.Tag.Get("pulumi"), ",")
		if name != first {
			continue
		}
		if suffix := declared.Tag.Get("keySuffix"); suffix != "" {
			return first + strings.ReplaceAll(rest, suffix+"]", "]")
		}
		if inner := configfield.Indirect(declared.Type); inner.Kind() == reflect.Struct && strings.HasPrefix(rest, ".") {
			next, left := yamlfile.SplitKey(rest[1:])
			return first + "." + withoutSuffix(inner, next, left)
		}
	}
	return first + rest
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
		if _, err := strconv.Atoi(step); err != nil {
			step = strconv.Quote(step)
		}
		out.WriteString(path[:open] + "[" + step + "]")
		path = path[open+end+1:]
	}
	return out.String() + path
}
