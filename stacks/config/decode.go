package config

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// relative is a config value with the names of files that are read later.
type relative interface{ relativeTo(dir string) }

// decoder reads a section of a stack's file into the structs that describe it.
type decoder struct {
	// dir is the folder that files named in the config are relative to.
	dir string
	// faults are the faults found so far.
	faults fault.Faults
	// files are the texts that are given by the name of a file, by the path of the text.
	files map[string]textFile
	// outputs are those that nodes represent.
	outputs map[*yaml.Node]pulumi.StringInput
	// secrets are the secrets of a Content.
	secrets Secrets
	// section is the struct of the whole section.
	section reflect.Type
	// partition is the partition of the stack's region, to which each ARN of a section belongs; "" if it is not known.
	partition string
	// provider is true for settings of a Pulumi provider, which may be encrypted, or given as text.
	provider bool
}

// newDecoder returns a decoder of a file in dir. region is the stack's, "" if it is not known.
func newDecoder(dir, region string) *decoder {
	d := &decoder{dir: dir, files: map[string]textFile{}}
	if region != "" {
		d.partition = hypershift.Partition(region)
	}
	return d
}

// decodeSection reads a section into the struct that out points to.
func (d *decoder) decodeSection(node *yaml.Node, out any) {
	d.section = reflect.TypeOf(out).Elem()
	d.decode(node, reflect.ValueOf(out).Elem(), "")
}

// decode reads node into the struct, map, list or scalar that out points to. It refuses keys that out does
// not have, and collects every fault under path.
func (d *decoder) decode(node *yaml.Node, out reflect.Value, path string) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if d.provider {
		if isSecure(node) {
			return
		}
		node = providerText(node, out)
	}
	if node.Tag == "!!null" || d.decodeOutput(node, out) || d.decodeSecret(node, out) {
		return
	}
	switch value := out.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		if node.Tag == "!!str" {
			if err := value.UnmarshalText([]byte(node.Value)); err != nil {
				d.faults.Join(path, err)
			}
			return
		}
	case *pulumi.StringInput:
		var text string
		d.decodeScalar(node, reflect.ValueOf(&text).Elem(), path)
		*value = pulumi.String(text)
		return
	case *map[string]any:
		d.decodeObject(node, value, path)
		return
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		d.decode(node, out.Elem(), path)
	case reflect.Struct:
		d.decodeStruct(node, out, path)
		if value, ok := out.Addr().Interface().(relative); ok {
			value.relativeTo(d.dir)
		}
		if value, ok := out.Addr().Interface().(*ReferredObject); ok {
			value.reveal(d.secrets)
		}
	case reflect.Map:
		d.decodeMap(node, out, "", path)
	case reflect.Slice:
		d.decodeList(node, out, path)
	default:
		d.decodeScalar(node, out, path)
	}
}

// decodeOutput sets out to the output that node represents, and reports whether it represents one.
func (d *decoder) decodeOutput(node *yaml.Node, out reflect.Value) bool {
	output, found := d.outputs[node]
	if !found {
		return false
	}
	switch value := out.Addr().Interface().(type) {
	case *pulumi.StringInput:
		*value = output
	case **SecretSource:
		*value = &SecretSource{given: output}
	}
	return true
}

// decodeSecret sets out to the secret that the text of node represents, and reports whether there is one.
func (d *decoder) decodeSecret(node *yaml.Node, out reflect.Value) bool {
	secret, found := d.secrets[node.Value]
	if !found {
		return false
	}
	source, is := out.Addr().Interface().(**SecretSource)
	if is {
		*source = SecretValue(secret)
	}
	return is
}

func (d *decoder) decodeStruct(node *yaml.Node, out reflect.Value, path string) {
	fields := configfield.All(out.Type())
	byKey, names := map[string]configfield.Field{}, []string{}
	for _, field := range fields {
		byKey[field.Key], names = field, append(names, field.Key)
		if field.FileKey != "" {
			byKey[field.FileKey], names = field, append(names, field.FileKey)
		}
	}
	_, isText := out.Addr().Interface().(encoding.TextUnmarshaler)
	if !d.expect(node, yaml.MappingNode, isText, path) {
		return
	}
	d.eachKey(node, path, func(key, value *yaml.Node) {
		field, known := byKey[key.Value]
		at := dotted(path, key.Value)
		switch {
		case !known:
			d.faults.Add(at, nil, "is not a key of the config", suggestIn(d.section, key.Value, names))
		case key.Value == field.FileKey:
			d.decodeTextFile(value, path, field, yamlfile.Child(node, field.Key) != nil, out.FieldByIndex(field.Index))
		case field.KeySuffix != "":
			d.decodeMap(value, out.FieldByIndex(field.Index), field.KeySuffix, at)
		default:
			d.decode(value, out.FieldByIndex(field.Index), at)
		}
	})
}

// decodeMap reads a mapping with arbitrary keys; keySuffix, if set, is the suffix of each key in the file.
func (d *decoder) decodeMap(node *yaml.Node, out reflect.Value, keySuffix, path string) {
	if !d.expect(node, yaml.MappingNode, false, path) {
		return
	}
	out.Set(reflect.MakeMap(out.Type()))
	d.eachKey(node, path, func(key, value *yaml.Node) {
		at := path + "[" + key.Value + "]"
		name, ok := strings.CutSuffix(key.Value, keySuffix)
		if !ok {
			d.faults.Add(at, key.Value, "does not end in "+keySuffix, "use "+key.Value+keySuffix)
			return
		}
		item := reflect.New(out.Type().Elem()).Elem()
		d.decode(value, item, at)
		out.SetMapIndex(reflect.ValueOf(name).Convert(out.Type().Key()), item)
	})
}

func (d *decoder) decodeList(node *yaml.Node, out reflect.Value, path string) {
	if !d.expect(node, yaml.SequenceNode, false, path) {
		return
	}
	out.Set(reflect.MakeSlice(out.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		d.decode(item, out.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

func (d *decoder) decodeScalar(node *yaml.Node, out reflect.Value, path string) {
	switch {
	case isSecure(node):
		d.faults.Add(path, nil, "is encrypted, but the config is checked before it can be decrypted",
			"set it in plain text: it is not a secret")
	case out.Kind() == reflect.String && node.Tag == "!!str":
		out.SetString(node.Value)
		d.checkPartition(node.Value, path)
	case out.Kind() == reflect.String && node.Kind == yaml.ScalarNode:
		d.faults.Add(path, node.Value, "is "+describe(node)+"; expected a string",
			fmt.Sprintf("put it in quotes: %q", node.Value))
		out.SetString(node.Value) // what depends on it is not missing
	case out.Kind() == reflect.Int && node.Tag == "!!int":
		value, err := strconv.ParseInt(node.Value, 0, 32)
		if err != nil {
			d.faults.Add(path, node.Value, "is out of range", "use a smaller number")
		}
		out.SetInt(value)
	case out.Kind() == reflect.Bool && node.Tag == "!!bool":
		out.SetBool(node.Value == "true")
	default:
		expected := map[reflect.Kind]string{
			reflect.String: "a string",
			reflect.Int:    "an integer",
			reflect.Bool:   "a boolean",
		}[out.Kind()]
		d.faults.Add(path, valueOf(node), "is "+describe(node), "expected "+expected)
	}
}

// usersText matches the paths of values whose text is the user's own.
var usersText = regexp.MustCompile(`(?i)(tags|labels|annotations|text)\[[^]]*\]$`)

// checkPartition adds a fault for an ARN of another partition than the stack's: nothing in AWS refers to one.
func (d *decoder) checkPartition(text, path string) {
	parts := strings.Split(text, ":")
	if d.partition == "" || len(parts) < 6 || parts[0] != "arn" || !strings.HasPrefix(parts[1], "aws") ||
		parts[1] == d.partition || usersText.MatchString(path) {
		return
	}
	d.faults.Add(path, text, "is not in partition "+d.partition, "use one of "+d.partition)
}

// expect adds a fault if node is not of the kind; orText means that a string is also accepted.
func (d *decoder) expect(node *yaml.Node, kind yaml.Kind, orText bool, path string) bool {
	if node.Kind == kind && !isSecure(node) {
		return true
	}
	expected := map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}[kind]
	if orText {
		expected = "a string or " + expected
	}
	d.faults.Add(path, valueOf(node), "is "+describe(node), "expected "+expected)
	return false
}

// eachKey visits the keys of a mapping, and adds a fault for a duplicate.
func (d *decoder) eachKey(node *yaml.Node, path string, visit func(key, value *yaml.Node)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if seen[key.Value] {
			d.faults.Add(dotted(path, key.Value), nil, "is a duplicate key", "set it once")
			continue
		}
		seen[key.Value] = true
		visit(key, node.Content[i+1])
	}
}

// isSecure reports whether node is a value that Pulumi has encrypted.
func isSecure(node *yaml.Node) bool {
	return node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[0].Value == "secure"
}

func describe(node *yaml.Node) string {
	switch {
	case isSecure(node):
		return "an encrypted value"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	}
	return map[string]string{
		"!!str": "a string", "!!int": "a number", "!!float": "a number", "!!bool": "a boolean", "!!timestamp": "a date",
	}[node.Tag]
}

func valueOf(node *yaml.Node) any {
	if node.Kind != yaml.ScalarNode {
		return nil
	}
	return node.Value
}

func dotted(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// decodeObject reads part of a Kubernetes object, whose keys are the API's. The values have the types of JSON, and
// integers stay integers.
func (d *decoder) decodeObject(node *yaml.Node, out *map[string]any, path string) {
	if !d.expect(node, yaml.MappingNode, false, path) {
		return
	}
	var values map[string]any
	err := node.Decode(&values)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(values); err == nil {
			*out, err = fromJSON(text)
		}
	}
	if err != nil {
		d.faults.Add(path, nil, "cannot be part of an object: "+err.Error(), "use keys and values as in HyperShift's API")
	}
}

// fromJSON reads an object as Kubernetes does: integers stay integers.
func fromJSON(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil, err
	}
	return untyped.Map(values, withNumber).(map[string]any), nil
}

func withNumber(read any) any {
	number, ok := read.(json.Number)
	if !ok {
		return read
	}
	if integer, err := number.Int64(); err == nil {
		return integer
	}
	fraction, _ := number.Float64()
	return fraction
}
