package config

import (
	"reflect"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// IsKey reports whether a path belongs to a value of the config: "hypershift-aws:cluster.network.zones[0]".
func (kinds Kinds) IsKey(path string) bool {
	root, rest := yamlfile.SplitKey(path)
	if shared := sharedType(root); shared != nil {
		return leads(rest, shared)
	}
	if name, ok := strings.CutPrefix(root, ProjectName+":"); ok && kinds.Type(Kind(name)) != nil {
		return leads(rest, kinds.Type(Kind(name)))
	}
	return rest == ""
}

func leads(rest string, t reflect.Type) bool {
	t = configfield.Indirect(t)
	if rest == "" {
		return true
	}
	step, left := yamlfile.NextStep(rest)
	switch {
	case t == reflect.TypeFor[Account](), t == reflect.TypeFor[map[string]any]():
		return true // the keys are the provider's or the API's
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return rest[0] == '[' && leads(left, t.Elem())
	case t.Kind() == reflect.Struct:
		for _, field := range configfield.All(t) {
			if step == field.Key {
				return leads(left, field.Type)
			}
			if step == field.FileKey {
				return left == ""
			}
		}
	}
	return false
}

// distinct removes duplicate faults: several components check the same values.
func distinct(faults fault.Faults) fault.Faults {
	type key struct{ path, problem string }
	seen := map[key]bool{}
	var kept fault.Faults
	for _, f := range faults {
		if k := (key{f.Path, f.Problem}); !seen[k] {
			seen[k], kept = true, append(kept, f)
		}
	}
	return kept
}

// claim maps the paths of faults in a component's args to the cluster's keys.
func claim(section string, err error) fault.Faults {
	return configfield.Claim(reflect.TypeFor[Cluster](), section, err)
}
