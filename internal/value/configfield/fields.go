// Package configfield reads the structs into which the sections of a stack's file are decoded: their fields with the
// keys, and their values as YAML.
package configfield

import (
	"encoding"
	"reflect"
	"strings"
)

// Field is a field of a struct into which a section of a stack's file is decoded.
type Field struct {
	// Key is its key in the file.
	Key string
	// FileKey is the key that names a file with the text instead, "" for none: the tag "file".
	FileKey string
	// KeySuffix is the suffix of each key of a mapping in the file: the tag "keySuffix".
	KeySuffix string
	// Secret is true if its value is a secret of a program's: the tag "secret".
	Secret bool
	// Index is its index in the struct, for reflect.Value.FieldByIndex.
	Index []int
	// Struct is the struct that declares it, and Name its name there.
	Struct reflect.Type
	Name   string
	// Type is its type.
	Type reflect.Type
	// Embedded is the tag "pulumi" of the embedded struct that declares it, as pulumi's ConstructInputs.CopyTo needs it;
	// "" in a file.
	Embedded string
	// Required is true if the file must have the key: the tag "pulumi" without "optional", and no "omitempty" in the tag
	// "yaml".
	Required bool
}

// All lists the fields of a struct that have keys, including those of inlined structs. Keys come from the tag "yaml"
// or, in Pulumi's own structs, from the tag "pulumi".
func All(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		declared := t.Field(i)
		yamlTag, ours := declared.Tag.Lookup("yaml")
		pulumiTag, hasPulumi := declared.Tag.Lookup("pulumi")
		name, options, _ := strings.Cut(yamlTag, ",")
		switch {
		case ours && options == "inline":
			for _, inner := range All(declared.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				fields = append(fields, inner)
			}
			continue
		case !ours && hasPulumi:
			name, _, _ = strings.Cut(pulumiTag, ",")
		}
		if name == "" || name == "-" {
			continue // it is not part of the config
		}
		fields = append(fields, Field{
			Key: name, FileKey: declared.Tag.Get("file"), KeySuffix: declared.Tag.Get("keySuffix"),
			Secret: declared.Tag.Get("secret") != "", Index: []int{i}, Struct: t, Name: declared.Name, Type: declared.Type,
			Required: ours && hasPulumi && !strings.HasSuffix(pulumiTag, ",optional") && options != "omitempty",
		})
	}
	return fields
}

// Indirect returns the type that t points to, else t.
func Indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// IsText reports whether a file may have a string for a value of the type, which is not a string itself.
func IsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
