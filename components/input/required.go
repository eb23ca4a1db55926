package input

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// Required returns a fault for each required property of args that is not set: a field whose tag "pulumi" has no "optional". Its tag "set" is
// the remedy, such as `set:"the ID of the VPC"`; a field without that tag is not checked. Items of lists are checked too.
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
