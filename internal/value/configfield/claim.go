package configfield

import (
	"reflect"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// Keys returns the keys of a struct itself.
func Keys(t reflect.Type) []string {
	var keys []string
	for _, field := range All(t) {
		keys = append(keys, field.Key)
		if field.FileKey != "" {
			keys = append(keys, field.FileKey)
		}
	}
	return keys
}

// Claim maps the paths of faults in the args of a component to the keys of a struct that has them in a section: a path
// that begins with a key of the section gets the section as a prefix, and one that begins with a key of the struct is
// unchanged. Any other path is a bug in this project: it also gets the prefix, and the config refuses it as no key.
func Claim(t reflect.Type, section string, err error) fault.Faults {
	own := Keys(t)
	var inSection []string
	for _, field := range All(t) {
		if field.Key == section {
			inSection = Keys(Indirect(field.Type))
		}
	}
	var faults fault.Faults
	for _, f := range fault.In(err) {
		root, _ := yamlfile.SplitKey(f.Path)
		if !slices.Contains(inSection, root) && slices.Contains(own, root) {
			faults.Join("", f)
		} else {
			faults.Join(section, f)
		}
	}
	return faults
}
