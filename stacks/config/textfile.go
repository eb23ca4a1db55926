package config

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
)

// textFile is a text that is given by the name of its file.
type textFile struct {
	// path is the path of the key that names the file, and name is the name of the file.
	path, name string
}

// decodeTextFile reads the text of a field from the file that node names. both is true if the text itself is set too.
func (d *decoder) decodeTextFile(node *yaml.Node, path string, field configfield.Field, both bool, out reflect.Value) {
	at := dotted(path, field.FileKey)
	var name string
	d.decodeScalar(node, reflect.ValueOf(&name).Elem(), at)
	if name == "" {
		return
	}
	d.files[dotted(path, field.Key)] = textFile{at, name}
	if both {
		d.faults.Add(at, name, "conflicts with "+field.Key, "set only one of the two")
		return
	}
	text, err := readFile(d.dir, name)
	d.faults.Join(at, err)
	if out.Kind() == reflect.Interface { // an input
		out.Set(reflect.ValueOf(pulumi.String(text)))
		return
	}
	out.SetString(text)
}

// redirect adds the key and the name of the file to the faults of texts that were read from files.
func (d *decoder) redirect(faults fault.Faults) fault.Faults {
	redirected := make(fault.Faults, len(faults))
	for i, f := range faults {
		redirected[i] = f
		if file, ok := d.files[f.Path]; ok {
			moved := *f
			moved.Path, moved.Value = file.path, file.name
			redirected[i] = &moved
		}
	}
	return redirected
}

// readFile reads a file that the config names: its path is relative to dir, absolute, or begins with ~/. It returns a
// fault with the name if the file cannot be read or is empty.
func readFile(dir, name string) (string, error) {
	path, err := atomicfile.Named(dir, name)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	text, err := atomicfile.ReadInput(path)
	switch {
	case err != nil:
		return "", &fault.Fault{
			Value:   name,
			Problem: "cannot be read: " + reason(err),
			Remedy:  "use a path relative to the stack's file",
		}
	case len(text) == 0:
		return "", &fault.Fault{Value: name, Problem: "is empty", Remedy: "use a file with content"}
	}
	return string(text), nil
}

// reason returns why a file cannot be read, without its path.
func reason(err error) string {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return err.Error()
}
