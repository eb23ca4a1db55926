package config

import (
	"encoding"
	"reflect"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Field is a field of a struct into which a section of a stack's file is decoded.
type Field struct {
	// Key is its key in the file.
	Key string
	// FileKey is the key that names a file with the text instead, "" for none: the tag "file".
	FileKey string
	// KeySuffix is the suffix of each key of a mapping in the file: the tag "keySuffix".
	KeySuffix string
	// Index is its index in the struct, for reflect.Value.FieldByIndex.
	Index []int
	// Struct is the struct that declares it, and Name its name there.
	Struct reflect.Type
	Name   string
	// Type is its type.
	Type reflect.Type
	// Embedded is the tag "pulumi" of the embedded struct that declares it, as pulumi's ConstructInputs.CopyTo needs it; "" in a file.
	Embedded string
	// Required is true if the file must have the key: the tag "pulumi" without "optional", and no "omitempty" in the tag "yaml".
	Required bool
}

// FieldsOf lists the fields of a struct that have keys, including those of inlined structs. Keys are those of the tag
// "yaml" or, in Pulumi's own structs, of the tag "pulumi".
func FieldsOf(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		declared := t.Field(i)
		yamlTag, ours := declared.Tag.Lookup("yaml")
		pulumiTag, hasPulumi := declared.Tag.Lookup("pulumi")
		name, options, _ := strings.Cut(yamlTag, ",")
		switch {
		case ours && options == "inline":
			for _, inner := range FieldsOf(declared.Type) {
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
			Key: name, FileKey: declared.Tag.Get("file"), KeySuffix: declared.Tag.Get("keySuffix"), Index: []int{i},
			Struct: t, Name: declared.Name, Type: declared.Type,
			Required: ours && hasPulumi && !strings.HasSuffix(pulumiTag, ",optional") && options != "omitempty",
		})
	}
	return fields
}

// Type returns the struct of a kind's section; nil for an unknown kind.
func (kinds Kinds) Type(kind Kind) reflect.Type {
	for _, d := range kinds {
		if d.Kind == kind {
			return reflect.TypeOf(d.Section()).Elem()
		}
	}
	return nil
}

// Keys lists every key of the config by its path below the project's namespace, such as "cluster.network.vpcCIDR".
func (kinds Kinds) Keys() []string {
	keys := []string{"kind"}
	for _, kind := range kinds.Names() {
		keys = append(keys, keysOf(string(kind), kinds.Type(kind))...)
	}
	return keys
}

// keysOf lists the keys of a struct's scalars and lists; the items of a list are a value, not keys, and an account or a type that can be
// given as a string is a single key.
func keysOf(path string, t reflect.Type) []string {
	t = Indirect(t)
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[Account]() || IsText(t) {
		return []string{path}
	}
	var keys []string
	for _, field := range FieldsOf(t) {
		keys = append(keys, keysOf(path+"."+field.Key, field.Type)...)
		if field.FileKey != "" {
			keys = append(keys, path+"."+field.FileKey)
		}
	}
	return keys
}

// topKeys returns the keys of a struct itself.
func topKeys(t reflect.Type) []string {
	var keys []string
	for _, field := range FieldsOf(t) {
		keys = append(keys, field.Key)
		if field.FileKey != "" {
			keys = append(keys, field.FileKey)
		}
	}
	return keys
}

// suggest returns the key that was probably meant, if one differs only in case or in few letters, otherwise all keys.
func suggest(key string, known []string) string {
	for _, name := range known {
		if len(key) > 3 && levenshtein.Distance(name, key, nil) <= 2 {
			return "did you mean " + name + "?"
		}
	}
	for _, name := range known {
		if strings.EqualFold(name, key) || (len(key) > 3 && (strings.HasPrefix(name, key) || strings.HasPrefix(key, name))) {
			return "did you mean " + name + "?"
		}
	}
	sorted := slices.Sorted(slices.Values(known))
	return "the keys here are " + strings.Join(sorted, ", ")
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
