package hostedcluster

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// judgeUpdate refuses an update of an object that would harm the cluster, or that HyperShift's API would refuse. With
// staged, the keys of etcd belong to a stage. The paths of its faults are paths in Settings.
func (s *Settings) judgeUpdate(live *Live, before, after resource.PropertyMap, staged bool) error {
	old, object := updated(before, after)
	if err := live.judgeHarm(old, object, staged); err != nil {
		return err
	}
	if err := s.judgePause(live, old, object); err != nil {
		return err
	}
	return s.inConfig(judgeChange(live.api(), old, object), object)
}

// inConfig returns the faults of an object with the config keys of its fields as paths.
func (s *Settings) inConfig(err error, object map[string]any) error {
	pool := -1
	if textAt(object, "kind") == crd.NodePool {
		name := textAt(object, "metadata", "name")
		if pool = slices.IndexFunc(s.NodePools, func(p NodePool) bool { return p.Name == name }); pool < 0 {
			return err // a default pool, which no key describes
		}
	}
	var faults fault.Faults
	for _, f := range fault.In(err) {
		own := *f
		own.Path = s.ConfigKey(pool, f.Path)
		faults = append(faults, &own)
	}
	if len(faults) == 0 {
		return err
	}
	return faults
}

// updated returns an object before and after an update, without what the provider sets.
func updated(before, after resource.PropertyMap) (old, object map[string]any) {
	old, _ = known(resource.NewObjectProperty(before), nil).(map[string]any)
	object, _ = known(resource.NewObjectProperty(after), old).(map[string]any)
	for _, o := range []map[string]any{old, object} {
		for key := range o {
			switch key {
			case "apiVersion", "kind", "metadata", "spec":
			default:
				delete(o, key)
			}
		}
	}
	return old, object
}

// judgeChange validates a change of an object against HyperShift's rules: infra ID, issuer, services, and networks are
// immutable. It does not call the management cluster. The paths of its faults are paths in the object.
func judgeChange(api API, old, object map[string]any) error {
	what := "cluster"
	if object["kind"] == crd.NodePool {
		what = "node pool"
	}
	err := api.ValidateUpdate(object, old)
	for _, f := range fault.In(err) {
		previous := "the previous value"
		if strings.HasPrefix(f.Path, machineNetwork) {
			previous = "the VPC's CIDRs, such as network.vpcCIDR"
		}
		f.Path = causeOf(f, old, object)
		if f.Remedy == "" {
			f.Remedy = fmt.Sprintf("HyperShift does not allow this change of a running %[1]s: restore %[2]s, or create another %[1]s", what, previous)
		}
	}
	return err
}

// causeOf returns the path of the field that a refused change is about. A rule of a whole object, such as the spec,
// names the field in its message; services follow from how the API is reached.
func causeOf(f *fault.Fault, old, object map[string]any) string {
	fields := strings.Split(f.Path, ".")
	was, _, _ := unstructured.NestedFieldNoCopy(old, fields...)
	is, _, _ := unstructured.NestedFieldNoCopy(object, fields...)
	before, _ := was.(map[string]any)
	after, _ := is.(map[string]any)
	path := f.Path
	for _, word := range strings.FieldsFunc(f.Problem, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		for key := range before {
			if strings.EqualFold(key, word) && !reflect.DeepEqual(before[key], after[key]) {
				path = f.Path + "." + key
			}
		}
	}
	if path != "spec.services" {
		return path
	}
	access := []string{"spec", "platform", "aws", "endpointAccess"}
	if textAt(old, access...) != textAt(object, access...) {
		return strings.Join(access, ".")
	}
	return path
}

// another returns a text like before, but different. In a preview, a value is unknown only if AWS will assign another
// one: a resource that is not replaced keeps its ID.
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
