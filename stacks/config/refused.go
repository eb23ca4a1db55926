package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// Origin is the file that a stack's config comes from.
type Origin struct {
	path string
	// root is its content, nil if it cannot be read: faults then have no line.
	root *yaml.Node
}

// OriginOf reads a stack's file in dir for the lines of its values.
func OriginOf(dir, stack string) Origin {
	f := Origin{path: filepath.Join(dir, FileName(stack))}
	if text, err := os.ReadFile(f.path); err == nil {
		f.root, _ = yamlfile.Parse(text) // the engine has read it
	}
	return f
}

// Placed adds the file to every fault in err and, if its content is known, the line.
func (o Origin) Placed(err error) error { return yamlfile.Locate(err, o.path, o.root) }

// Refused maps the faults that a component found in AWS to paths and lines of the config. The paths are in the kind's section or, with a part, under
// the key with that name in a cluster's section ("network"). Other errors are returned unchanged.
func (o Origin) Refused(err error, kind Kind, part string) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	if part != "" {
		found = claim(part, found)
	}
	var faults fault.Faults
	faults.Join(kind.Key(), found)
	return yamlfile.Locate(faults.Err(), o.path, o.root)
}

// claim maps the paths of faults in a component's args to the cluster's keys: a path that begins with a key of the section gets the section
// as a prefix, and one that begins with a key of the cluster is unchanged. Any other path is a bug in this project: it also gets the
// prefix, and IsKey refuses it.
func claim(section string, err error) fault.Faults {
	cluster := reflect.TypeFor[Cluster]()
	var inSection []string
	for _, field := range configfield.All(cluster) {
		if field.Key == section {
			inSection = topKeys(configfield.Indirect(field.Type))
		}
	}
	var faults fault.Faults
	for _, f := range fault.In(err) {
		root, _ := yamlfile.SplitKey(f.Path)
		if !slices.Contains(inSection, root) && slices.Contains(topKeys(cluster), root) {
			faults.Join("", f)
		} else {
			faults.Join(section, f)
		}
	}
	return faults
}

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
