// Package input reads the inputs of components, which may be plain values or outputs of other resources. A plain value
// is checked before anything is created. An output is checked as soon as its value is known.
package input

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Plain returns the text of an input that is plain, "" for nil, and whether it is plain. Other inputs are outputs.
func Plain(in pulumi.StringInput) (text string, plain bool) {
	switch v := in.(type) {
	case nil:
		return "", true
	case pulumi.String:
		return string(v), true
	case pulumi.ID:
		return string(v), true
	}
	return "", false
}

// Text returns the text of an input that is plain, and "" for an output.
func Text(in pulumi.StringInput) string {
	text, _ := Plain(in)
	return text
}

// IsSet reports whether an input is given: it is neither nil nor the plain text "". An output is given, whatever its
// value.
func IsSet(in pulumi.StringInput) bool {
	text, plain := Plain(in)
	return !plain || text != ""
}

// Output returns an input as an output, with the value "" for nil.
func Output(in pulumi.StringInput) pulumi.StringOutput {
	if in == nil {
		return pulumi.String("").ToStringOutput()
	}
	return in.ToStringOutput()
}

// Optional returns an input of a resource, which is left out if in is not given.
func Optional(in pulumi.StringInput) pulumi.StringPtrInput {
	if text, plain := Plain(in); plain {
		if text == "" {
			return nil
		}
		return pulumi.String(text)
	}
	return in.ToStringOutput()
}

// Strings returns texts as inputs.
func Strings(texts ...string) []pulumi.StringInput {
	var inputs []pulumi.StringInput
	for _, text := range texts {
		inputs = append(inputs, pulumi.String(text))
	}
	return inputs
}

// Texts returns the texts of inputs, "" for each output.
func Texts(inputs []pulumi.StringInput) []string {
	var texts []string
	for _, in := range inputs {
		texts = append(texts, Text(in))
	}
	return texts
}

// Check checks the value of an input. If it is plain, Check returns check's error. Otherwise it returns an output that
// fails with check's faults, on the path.
func Check(path string, in pulumi.StringInput, check func(text string) error) (pulumi.StringInput, error) {
	checked, err := CheckAll([]pulumi.StringInput{in}, func(values []string) error {
		return under(path, check(values[0]))
	})
	return checked[0], err
}

// CheckAll checks the values of several inputs together. If all are plain, it returns check's error. Otherwise it
// returns outputs that fail with it.
func CheckAll(inputs []pulumi.StringInput, check func(values []string) error) ([]pulumi.StringInput, error) {
	found, plain := plainTexts(inputs)
	if plain {
		return inputs, check(found)
	}
	values := All(inputs).ApplyT(func(values []string) ([]string, error) {
		return values, check(values)
	}).(pulumi.StringArrayOutput)
	checked := make([]pulumi.StringInput, len(inputs))
	for i := range inputs {
		checked[i] = values.Index(pulumi.Int(i))
	}
	return checked, nil
}

// All returns the values of inputs, "" for nil.
func All(inputs []pulumi.StringInput) pulumi.StringArrayOutput {
	list := make(pulumi.StringArray, len(inputs))
	for i, in := range inputs {
		list[i] = Output(in)
	}
	return list.ToStringArrayOutput()
}

// ArePlain reports whether all inputs are plain.
func ArePlain(inputs ...pulumi.StringInput) bool {
	_, plain := plainTexts(inputs)
	return plain
}

func plainTexts(inputs []pulumi.StringInput) (texts []string, plain bool) {
	for _, in := range inputs {
		text, plain := Plain(in)
		if !plain {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// under puts the faults of an error on a path, and adds the path to the text of other errors.
func under(path string, err error) error {
	if err == nil {
		return nil
	}
	if fault.In(err) == nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var faults fault.Faults
	faults.Join(path, err)
	return faults
}

// IfPlain returns the error of check for an input that is plain, and nil for an output.
func IfPlain(in pulumi.StringInput, check func(text string) error) error {
	if text, plain := Plain(in); plain {
		return check(text)
	}
	return nil
}

// Value returns an input as the value of a fault: the string if the input is a plain value, nil if it is an output.
func Value(in pulumi.StringInput) any {
	if text, plain := Plain(in); plain {
		return text
	}
	return nil
}

// Required returns a fault for each required property of args that is not set: a field whose tag "pulumi" has no
// "optional". Its tag "set" is the remedy, such as `set:"the ID of the VPC"`; a field without that tag is not checked.
// Items of lists are checked too.
func Required(args any) error {
	var faults fault.Faults
	required(&faults, "", reflect.Indirect(reflect.ValueOf(args)))
	return faults.Err()
}

func required(faults *fault.Faults, path string, args reflect.Value) {
	for i := range args.NumField() {
		declared, field := args.Type().Field(i), args.Field(i)
		name, option, _ := strings.Cut(declared.Tag.Get("pulumi"), ",")
		remedy, checked := declared.Tag.Lookup("set")
		list := field.Kind() == reflect.Slice
		if checked && option != "optional" && isMissing(field) {
			problem := "is missing"
			if list {
				problem = "are missing"
			}
			faults.Add(path+name, nil, problem, "set "+remedy)
		}
		if list && field.Type().Elem().Kind() == reflect.Struct {
			for j := range field.Len() {
				required(faults, fmt.Sprintf("%s%s[%d].", path, name, j), field.Index(j))
			}
		}
	}
}

func isMissing(field reflect.Value) bool {
	if field.Kind() == reflect.Slice {
		return field.Len() == 0
	}
	if in, ok := field.Interface().(pulumi.StringInput); ok {
		return !IsSet(in)
	}
	return field.IsZero()
}
