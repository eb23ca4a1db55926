package hostedcluster

import (
	"fmt"
	"math"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

// refuseChanges checks every update of an object against HyperShift's rules about changes, in a preview too, and without a call of the
// management cluster: infra ID, issuer, services and networks are immutable.
func refuseChanges(ctx *pulumi.Context, name string) (pulumi.ResourceOption, error) {
	hook, err := ctx.RegisterResourceHook(name+"-for-life", func(args *pulumi.ResourceHookArgs) error {
		if err := judgeChange(args.OldInputs, args.NewInputs); err != nil {
			return fmt.Errorf("HyperShift does not allow this change of a running cluster, and nothing was changed: %w; "+
				"restore the previous value, or create another cluster", err)
		}
		return nil
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, fmt.Errorf("registering the hook for changes that HyperShift refuses: %w", err)
	}
	return pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{hook}}), nil
}

// judgeChange validates the change from the old inputs of an object to the new ones.
func judgeChange(before, after resource.PropertyMap) error {
	old, _ := known(resource.NewObjectProperty(before), nil).(map[string]any)
	object, _ := known(resource.NewObjectProperty(after), old).(map[string]any)
	for _, o := range []map[string]any{old, object} {
		for key := range o {
			switch key {
			case "apiVersion", "kind", "metadata", "spec":
			default:
				delete(o, key) // set by the provider
			}
		}
	}
	return crd.ValidateUpdate(object, old)
}

// another returns a text like before, but different. In a preview, a value is unknown only if AWS will assign another one: a resource that
// is not replaced keeps its ID.
func another(before any) any {
	text, ok := before.(string)
	if !ok || text == "" {
		return before
	}
	last := "a"
	if strings.HasSuffix(text, last) {
		last = "b"
	}
	return text[:len(text)-1] + last
}

// known returns a value as JSON, with another value in place of an unknown one.
func known(value resource.PropertyValue, before any) any {
	switch {
	case value.IsSecret():
		return known(value.SecretValue().Element, before)
	case value.IsOutput():
		if output := value.OutputValue(); output.Known {
			return known(output.Element, before)
		}
		return another(before)
	case value.IsComputed():
		return another(before)
	case value.IsObject():
		was, _ := before.(map[string]any)
		object := map[string]any{}
		for key, inner := range value.ObjectValue() {
			if v := known(inner, was[string(key)]); v != nil {
				object[string(key)] = v
			}
		}
		return object
	case value.IsArray():
		was, _ := before.([]any)
		list := []any{}
		for i, inner := range value.ArrayValue() {
			var of any
			if i < len(was) {
				of = was[i]
			}
			list = append(list, known(inner, of))
		}
		return list
	case value.IsNumber():
		if n := value.NumberValue(); n == math.Trunc(n) {
			return int64(n)
		}
		return value.NumberValue()
	case value.IsString():
		return value.StringValue()
	case value.IsBool():
		return value.BoolValue()
	}
	return nil
}
