package componentplugin

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// checker checks inputs against the struct that they are read into, and prepares them for pulumi's
// ConstructInputs.CopyTo, which ignores properties that the struct does not have, and refuses an output for a plain
// field even if its value is known.
type checker struct {
	faults fault.Faults
	// section is true if the struct has the keys of a stack's file.
	section bool
	// dependencies are the resources that the outputs given for plain fields come from: their values do not carry them.
	dependencies []resource.URN
	// providers are the AWS providers among the inputs, by their paths.
	providers map[string]string
}

// awsProviderType is the type of the providers of AWS accounts.
const awsProviderType = "pulumi:providers:aws"

// carried is the metadata that an output around a value adds to the value.
type carried struct {
	secret       bool
	dependencies []resource.URN
}

func (c carried) with(o *resource.Output) carried {
	return carried{c.secret || o.Secret, append(slices.Clone(c.dependencies), o.Dependencies...)}
}

// value returns v as a field of type t takes it. A plain field needs a value that is known and no secret: its outputs
// are replaced by their values. A field that is an input keeps them, with what the outputs around it carry.
func (c *checker) value(v resource.PropertyValue, t reflect.Type, path string, from carried) resource.PropertyValue {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if c.section && t == reflect.TypeFor[config.SecretSource]() {
		from.secret = true // a file has the location of the secret, a program the secret itself
		t = reflect.TypeFor[pulumi.StringInput]()
	}
	if t == reflect.TypeFor[aws.Provider]() {
		return c.provider(v, path)
	}
	if t.Implements(reflect.TypeFor[pulumi.Input]()) {
		return c.input(v, t, path, from)
	}
	switch {
	case v.IsNull():
		return v
	case v.IsSecret():
		from.secret = true
		return c.value(v.SecretValue().Element, t, path, from)
	case v.IsOutput() && v.OutputValue().Known:
		output := v.OutputValue()
		return c.value(output.Element, t, path, from.with(&output))
	case v.IsOutput() || v.IsComputed():
		why, remedy := why(t)
		c.faults.Add(path, nil, "is not known before other resources are created, but "+why, remedy)
		return resource.NewNullProperty()
	}
	switch t.Kind() { //nolint:exhaustive // a schema has no other kinds
	case reflect.Struct:
		return c.object(v, t, path, from)
	case reflect.Slice:
		if !v.IsArray() {
			return c.refuse(v, path, "a list", from)
		}
		items := []resource.PropertyValue{}
		for i, item := range v.ArrayValue() {
			items = append(items, c.value(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i), from))
		}
		return resource.NewProperty(items)
	case reflect.Map:
		return c.mapping(v, t, path, from, "")
	case reflect.Interface:
		return c.untyped(v, path, from)
	}
	return c.scalar(v, t, path, from)
}

// input returns a value for a field that is an input. A value that is known, no secret and from no resource is plain.
func (c *checker) input(v resource.PropertyValue, t reflect.Type, path string, from carried) resource.PropertyValue {
	element, known := v, true
	for element.IsSecret() || element.IsOutput() {
		if element.IsSecret() {
			element, from.secret = element.SecretValue().Element, true
			continue
		}
		output := element.OutputValue()
		element, known, from = output.Element, known && output.Known, from.with(&output)
	}
	known = known && !element.IsComputed()
	switch {
	case known && element.IsNull():
		return element
	case known && t == reflect.TypeFor[pulumi.StringMapInput]():
		before := len(c.faults)
		element = c.mapping(element, reflect.TypeFor[map[string]pulumi.StringInput](), path, carried{secret: from.secret}, "")
		if len(c.faults) > before {
			return resource.NewNullProperty()
		}
	case known && !element.IsString():
		return c.refuse(element, path, "a string", from)
	}
	if known && !from.secret && len(from.dependencies) == 0 {
		return element
	}
	return resource.NewProperty(resource.Output{
		Element: element, Known: known && !element.ContainsUnknowns(), Secret: from.secret, Dependencies: from.dependencies,
	})
}

// provider returns a provider of the program, which arrives as a reference to the resource.
func (c *checker) provider(v resource.PropertyValue, path string) resource.PropertyValue {
	v = bare(v)
	if v.IsOutput() || v.IsComputed() {
		c.faults.Add(path, nil, "is not known before other resources are created, but selects the account that has some of "+
			"the resources", "use a provider that the program creates, which is known")
		return resource.NewNullProperty()
	}
	if v.IsResourceReference() && v.ResourceReferenceValue().URN.Type() == awsProviderType {
		if c.providers == nil {
			c.providers = map[string]string{}
		}
		c.providers[path] = string(v.ResourceReferenceValue().URN)
		return v
	}
	if v.IsNull() {
		return v
	}
	return c.refuse(v, path, "a provider of the package aws", carried{})
}

// bare returns a value that is known without the outputs and secrets around it.
func bare(v resource.PropertyValue) resource.PropertyValue {
	for v.IsSecret() || v.IsOutput() && v.OutputValue().Known {
		if v.IsSecret() {
			v = v.SecretValue().Element
		} else {
			v = v.OutputValue().Element
		}
	}
	return v
}

// mapping checks the items of a map. Its keys stay, but for the suffix that all have in a stack's file.
func (c *checker) mapping(
	v resource.PropertyValue, t reflect.Type, path string, from carried, suffix string,
) resource.PropertyValue {
	if !v.IsObject() {
		return c.refuse(v, path, "an object", from)
	}
	items := resource.PropertyMap{}
	for key, item := range v.ObjectValue() {
		at := fmt.Sprintf("%s[%s]", path, key)
		name, ok := strings.CutSuffix(string(key), PropertyName(suffix))
		if !ok {
			end := PropertyName(suffix)
			if stem := len(key) - len(end); stem > 0 && strings.EqualFold(string(key[stem:]), end) {
				key = key[:stem]
			}
			c.faults.Add(at, nil, "does not end in "+end, "use "+strings.TrimRight(string(key), "_-")+end)
			continue
		}
		items[resource.PropertyKey(name+suffix)] = c.value(item, t.Elem(), at, from)
	}
	return resource.NewProperty(items)
}

// object checks the properties of a struct.
func (c *checker) object(v resource.PropertyValue, t reflect.Type, path string, from carried) resource.PropertyValue {
	if !v.IsObject() {
		if c.section && v.IsString() {
			return v // a zone may be just its name
		}
		return c.refuse(v, path, "an object", from)
	}
	fields := properties(t, c.section)
	object := resource.PropertyMap{}
	for key, item := range v.ObjectValue() {
		if !resource.IsInternalPropertyKey(key) {
			c.property(object, fields, string(key), item, joined(path, string(key)), from)
		}
	}
	return resource.NewProperty(object)
}

// property checks a property of a struct, and adds it to object by its key.
func (c *checker) property(
	object resource.PropertyMap,
	fields map[string]configfield.Field,
	name string,
	v resource.PropertyValue,
	path string,
	from carried,
) {
	field, known := fields[name]
	if !known {
		names := slices.Sorted(maps.Keys(fields))
		remedy := "the properties here are " + strings.Join(names, ", ")
		if meant := configfield.Nearest(name, names); meant != "" {
			remedy = "did you mean " + meant + "?"
		}
		c.faults.Add(path, nil, "is not a property", remedy)
		return
	}
	if c.section && field.KeySuffix != "" && v.IsObject() {
		put(object, field, c.mapping(v, field.Type, path, from, field.KeySuffix))
		return
	}
	if c.section && field.Secret && !bare(v).IsNull() {
		// The config refuses a credential because it is there, and need not have its value.
		v, from = resource.NewProperty("a credential"), carried{}
	}
	put(object, field, c.value(v, field.Type, path, from))
}

// put sets a property where ConstructInputs.CopyTo finds it: below the tag of the embedded struct that has the field.
func put(object resource.PropertyMap, field configfield.Field, value resource.PropertyValue) {
	if field.Embedded != "" {
		outer := resource.PropertyKey(field.Embedded)
		if !object.HasValue(outer) {
			object[outer] = resource.NewProperty(resource.PropertyMap{})
		}
		object = object[outer].ObjectValue()
	}
	object[resource.PropertyKey(field.Key)] = value
}

// untyped returns a value of any type, without outputs in it.
func (c *checker) untyped(v resource.PropertyValue, path string, from carried) resource.PropertyValue {
	switch {
	case v.IsObject():
		return c.value(v, reflect.TypeFor[map[string]any](), path, from)
	case v.IsArray():
		return c.value(v, reflect.TypeFor[[]any](), path, from)
	case v.IsSecret() || v.IsOutput() || v.IsComputed():
		return c.value(v, reflect.TypeFor[any](), path, from)
	}
	return c.scalar(v, reflect.TypeFor[any](), path, from)
}

func (c *checker) scalar(v resource.PropertyValue, t reflect.Type, path string, from carried) resource.PropertyValue {
	if from.secret {
		c.faults.Add(path, nil, "is a secret, but would be readable in the stack's state", "use a plain value")
		return resource.NewNullProperty()
	}
	c.dependencies = append(c.dependencies, from.dependencies...)
	switch t.Kind() { //nolint:exhaustive // a schema has no other kinds
	case reflect.String:
		if !v.IsString() {
			return c.refuse(v, path, "a string", from)
		}
	case reflect.Bool:
		if !v.IsBool() {
			return c.refuse(v, path, "a boolean", from)
		}
	case reflect.Int:
		if !v.IsNumber() || v.NumberValue() != math.Trunc(v.NumberValue()) || math.Abs(v.NumberValue()) >= maxInteger {
			return c.refuse(v, path, "an integer", from)
		}
	case reflect.Interface:
		if !v.IsString() && !v.IsBool() && !v.IsNumber() || v.IsNumber() && math.IsNaN(v.NumberValue()-v.NumberValue()) {
			return c.refuse(v, path, "a string, a number, a boolean, a list or an object", from)
		}
	}
	return v
}

// maxInteger is the least number beyond those of which the doubles of Pulumi tell each integer from the next.
const maxInteger = 1 << 53

func (c *checker) refuse(v resource.PropertyValue, path, expected string, from carried) resource.PropertyValue {
	var given any
	if !from.secret && (v.IsString() || v.IsNumber() || v.IsBool()) { // a message is no secret
		given = v.V
	}
	remedy := "expected " + expected
	if v.IsResourceReference() {
		remedy += "; a program can use an output of the resource"
	}
	c.faults.Add(path, given, "is "+described(v), remedy)
	return resource.NewNullProperty()
}

// described returns what a value is, in the words of the schema.
func described(v resource.PropertyValue) string {
	switch {
	case v.IsArray():
		return "a list"
	case v.IsBool():
		return "a boolean"
	case v.IsObject(), v.IsAsset(), v.IsArchive():
		return "an " + v.TypeString()
	case v.IsResourceReference():
		return "a resource of type " + string(v.ResourceReferenceValue().URN.Type())
	}
	return "a " + v.TypeString()
}

// IsSecret reports whether the value of a field is a secret, of which a stack's file has the location.
func IsSecret(field configfield.Field, section bool) bool {
	return field.Secret || section && configfield.Indirect(field.Type) == reflect.TypeFor[config.SecretSource]()
}

// properties returns the fields of a struct by the names of their properties. In a section, a text may be in a file.
func properties(t reflect.Type, section bool) map[string]configfield.Field {
	found := map[string]configfield.Field{}
	for _, field := range Fields(t, section) {
		found[PropertyName(field.Key)] = field
		if field.FileKey != "" {
			found[PropertyName(field.FileKey)] = configfield.Field{Key: field.FileKey, Type: reflect.TypeFor[string]()}
		}
	}
	return found
}

// Fields returns the properties that a struct has as inputs, with those of embedded structs: by the tag "pulumi", or by
// the keys of a stack's file.
func Fields(t reflect.Type, section bool) []configfield.Field {
	if section {
		return configfield.All(t)
	}
	var fields []configfield.Field
	for i := range t.NumField() {
		declared := t.Field(i)
		name, option, _ := strings.Cut(declared.Tag.Get("pulumi"), ",")
		if name == "" {
			continue
		}
		if declared.Anonymous {
			for _, inner := range Fields(declared.Type, false) {
				inner.Index, inner.Embedded = append([]int{i}, inner.Index...), name
				fields = append(fields, inner)
			}
			continue
		}
		fields = append(fields, configfield.Field{
			Key: name, KeySuffix: declared.Tag.Get("keySuffix"), Secret: declared.Tag.Get("secret") != "", Index: []int{i},
			Struct: t, Name: declared.Name, Type: declared.Type, Required: option != "optional",
		})
	}
	return fields
}

func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// withIntegers makes the whole numbers in objects of Kubernetes integers, as the API's JSON has them. Pulumi has no
// integers.
func withIntegers(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // others have no object in them
	case reflect.Pointer:
		if !v.IsNil() {
			withIntegers(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			withIntegers(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				withIntegers(v.Field(i))
			}
		}
	case reflect.Map:
		if objects, ok := v.Interface().(map[string]any); ok {
			for key, read := range objects {
				objects[key] = untyped.Map(read, integer)
			}
		}
	}
}

func integer(read any) any {
	if number, ok := read.(float64); ok && number == math.Trunc(number) && math.Abs(number) < maxInteger {
		return int64(number)
	}
	return read
}
