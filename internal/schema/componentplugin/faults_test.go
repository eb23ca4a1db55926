package componentplugin

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// goodInputs returns inputs of each component that have no fault.
func goodInputs(t *testing.T) map[string][]resource.PropertyMap {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "inputs.yaml"))
	require.NoError(t, err)
	var file struct{ Components map[string][]map[string]any }
	require.NoError(t, yaml.Unmarshal(text, &file))
	good := map[string][]resource.PropertyMap{}
	for token, variants := range file.Components {
		for _, values := range variants {
			good[Package+":"+token] = append(good[Package+":"+token], resource.NewPropertyMapFromMap(values))
		}
	}
	return good
}

// faultsOf returns the faults of inputs that can be found without AWS.
func faultsOf(t *testing.T, c Component, inputs resource.PropertyMap) fault.Faults {
	t.Helper()
	if c.Section != "" {
		_, faults := read(t, c, inputs)
		return faults
	}
	args := reflect.New(c.Inputs)
	args.Elem().Set(reflect.ValueOf(arrives(t, c, inputs)))
	err := args.Interface().(interface{ Validate() error }).Validate()
	faults := fault.In(err)
	require.Equal(t, err == nil, len(faults) == 0, "%s: %v", c.Token, err)
	// A provider needs an engine.
	var found fault.Faults
	for _, f := range faults {
		if f.Path != "vpcOwner" {
			found = append(found, f)
		}
	}
	return found
}

// variations visits inputs that differ from v in one place, which has a bad value.
func variations(v resource.PropertyValue, path string, visit func(path string, bad resource.PropertyValue)) {
	switch {
	case v.IsObject():
		for _, key := range v.ObjectValue().StableKeys() {
			variations(v.ObjectValue()[key], joined(path, string(key)), func(at string, bad resource.PropertyValue) {
				changed := v.ObjectValue().Copy()
				changed[key] = bad
				visit(at, resource.NewProperty(changed))
			})
		}
	case v.IsArray():
		for i, item := range v.ArrayValue() {
			variations(item, fmt.Sprintf("%s[%d]", path, i), func(at string, bad resource.PropertyValue) {
				changed := append([]resource.PropertyValue{}, v.ArrayValue()...)
				changed[i] = bad
				visit(at, resource.NewProperty(changed))
			})
		}
		visit(path+" twice", resource.NewProperty(append(append([]resource.PropertyValue{}, v.ArrayValue()...), v.ArrayValue()...)))
	case v.IsString():
		for _, bad := range []string{"", "!bad value", "999.0.0.0/33", strings.Repeat("a", 300)} {
			visit(path, resource.NewProperty(bad))
		}
	case v.IsNumber():
		for _, bad := range []float64{-1, 0, 1 << 30} {
			visit(path, resource.NewProperty(bad))
		}
	case v.IsBool():
		visit(path, resource.NewProperty(!v.BoolValue()))
	}
	if path != "" {
		visit(path+" null", resource.NewNullProperty())
	}
}

// Each value of good inputs is replaced by bad ones in turn.
func TestEveryFaultOfABadValueIsOnAPropertyAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	good := goodInputs(t)
	for _, c := range Components() {
		t.Run(c.Token, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, good[c.Token], "testdata/inputs.yaml has no inputs of it")
			refused := 0
			for _, inputs := range good[c.Token] {
				require.Empty(t, faultsOf(t, c, inputs), "the good inputs")
				variations(resource.NewProperty(inputs), "", func(at string, bad resource.PropertyValue) {
					for _, f := range faultsOf(t, c, bad.ObjectValue()) {
						refused++
						path := c.property(f.Path)
						assert.NotEmpty(t, path, "with a bad %s: %s", at, f)
						assert.True(t, leadsTo(c.Inputs, path, c.Section != ""), "with a bad %s: %q is the path of no property: %s", at,
							path, f)
						assert.True(t, f.Remedy != "" || strings.Contains(f.Problem, "is refused by"), "with a bad %s: %s", at, f)
					}
				})
			}
			require.NotZero(t, refused)
		})
	}
}
