package componentplugin

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
)

// acronyms are the words that keys have in capitals. A test refuses a property with two capitals in a row, so that none
// is missing.
var acronyms = regexp.MustCompile(`ARN|CA|CIDR|DNS|EC2|ID|IPv4|IPv6|IP|KMS|LB|OIDC|OS|S3|SAN|SSH|URL|VPC`)

// PropertyName returns the name of a key or of an output as a property of the package: acronyms have one capital, as in
// Pulumi's other packages. The key vpcID is the property vpcId. Stack files, states, and programs in Go have the keys.
func PropertyName(key string) string {
	return acronyms.ReplaceAllStringFunc(key, func(acronym string) string {
		return acronym[:1] + strings.ToLower(acronym[1:])
	})
}

// OutputFields returns the outputs that a struct has, with those of embedded structs.
func OutputFields(t reflect.Type) []configfield.Field {
	var fields []configfield.Field
	for i := range t.NumField() {
		declared := t.Field(i)
		name, option, _ := strings.Cut(declared.Tag.Get("pulumi"), ",")
		switch {
		case declared.IsExported() && declared.Anonymous && name == "":
			fields = append(fields, OutputFields(declared.Type)...)
		case declared.IsExported() && name != "":
			fields = append(fields, configfield.Field{
				Key: name, Struct: t, Name: declared.Name, Type: declared.Type, Required: option != "optional",
			})
		}
	}
	return fields
}

// withPropertyNames returns the outputs of a struct by the names of their properties. The keys of maps stay.
func withPropertyNames(state pulumi.Map, t reflect.Type) pulumi.Map {
	named := pulumi.Map{}
	for _, field := range OutputFields(t) {
		output, has := state[field.Key]
		if !has {
			continue
		}
		if nested, is := output.(pulumi.Map); is && field.Type.Kind() == reflect.Struct {
			output = withPropertyNames(nested, field.Type)
		}
		named[PropertyName(field.Key)] = output
	}
	return named
}
