package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// otherPartitions returns a fault for each ARN in a section, or in the keys of an account, of another partition than
// the region: no account of AWS can use it. Tags, and the fields of Kubernetes' objects, may have any text.
func otherPartitions(section any, region string) (faults fault.Faults) {
	if region == "" {
		return nil
	}
	partition := hypershift.Partition(region)
	eachText(reflect.ValueOf(section), "", "", func(path, text string) {
		if parts := strings.SplitN(text, ":", 6); len(parts) == 6 && parts[0] == "arn" && parts[1] != partition {
			faults.Add(path, text, "is not in partition "+partition, "use one of "+partition)
		}
	})
	return faults
}

// eachText visits the texts of a section that are known, with their paths.
func eachText(v reflect.Value, path, keySuffix string, visit func(path, text string)) {
	if v.IsValid() && v.CanInterface() {
		if of, is := v.Interface().(pulumi.StringInput); is {
			if text, plain := input.Plain(of); plain {
				visit(path, text)
			}
			return
		}
	}
	switch v.Kind() { //nolint:exhaustive // other kinds have no texts
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachText(v.Elem(), path, keySuffix, visit)
		}
	case reflect.Struct:
		for _, field := range configfield.All(v.Type()) {
			eachText(v.FieldByIndex(field.Index), dotted(path, field.Key), field.KeySuffix, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachText(v.Index(i), fmt.Sprintf("%s[%d]", path, i), "", visit)
		}
	case reflect.Map:
		if elem := v.Type().Elem(); elem.Kind() == reflect.String || elem == reflect.TypeFor[any]() {
			return
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			eachText(v.MapIndex(key), fmt.Sprintf("%s[%s%s]", path, key, keySuffix), "", visit)
		}
	case reflect.String:
		visit(path, v.String())
	}
}
