package componentplugin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// read returns the section that inputs are for the constructor of a whole stack, with its faults.
func read(t *testing.T, c Component, inputs resource.PropertyMap) (section reflect.Value, faults fault.Faults) {
	t.Helper()
	req := request(t, c, inputs)
	given, err := c.prepare(req)
	require.NoError(t, err)
	var outputs map[*yaml.Node]pulumi.StringInput
	_, err = provider.Construct(t.Context(), req, nil, func(
		_ *pulumi.Context, _, _ string, inputs provider.ConstructInputs, _ pulumi.ResourceOption,
	) (*provider.ConstructResult, error) {
		outputs, err = given.outputsIn(inputs)
		require.NoError(t, err)
		return nil, errRead
	})
	require.ErrorContains(t, err, errRead.Error())
	kind := map[string]config.Kind{
		config.ClusterKey: config.KindCluster, config.ManagementKey: config.KindManagement, config.CAPAKey: config.KindCAPA,
	}[c.Section]
	read, err := stacks.Kinds().New(config.Source{
		Stack: "s", Dir: t.TempDir(), Region: "us-east-1", Outputs: outputs,
		Values: map[string]*yaml.Node{config.KindKey: scalar("!!str", string(kind)), c.Section: given.keys},
	})
	return reflect.ValueOf(read.Section).Elem(), fault.In(err)
}

func TestEveryKeyOfASectionArrivesAtTheConfig(t *testing.T) {
	t.Parallel()
	for _, c := range Components() {
		if c.Section == "" {
			continue
		}
		t.Run(c.Token, func(t *testing.T) {
			t.Parallel()
			inputs := sectionSample(c.Inputs, "").ObjectValue()
			section, faults := read(t, c, inputs)
			for _, f := range faults {
				require.NotContains(t, f.Remedy, "expected", f.Error())
				require.NotContains(t, f.Problem, "is not a key", f.Error())
			}
			requireSample(t, section, "")

			null := resource.PropertyMap{}
			for key := range inputs {
				null[key] = resource.NewNullProperty()
			}
			absent, _ := read(t, c, resource.PropertyMap{})
			section, _ = read(t, c, null)
			require.Equal(t, absent.Interface(), section.Interface(), "all null")
		})
	}
}

// sectionSample returns a value of every key of a type. Each text is its path.
func sectionSample(of reflect.Type, path string) resource.PropertyValue {
	of = configfield.Indirect(of)
	switch {
	case of == reflect.TypeFor[config.SecretSource](), of == reflect.TypeFor[pulumi.StringInput](),
		of.Kind() == reflect.String:
		return resource.NewProperty(path)
	case of == reflect.TypeFor[config.Account]():
		return resource.NewProperty(resource.PropertyMap{"profile": resource.NewProperty("p")})
	case of.Kind() == reflect.Bool:
		return resource.NewProperty(true)
	case of.Kind() == reflect.Int, of.Kind() == reflect.Interface:
		return resource.NewProperty(7.0)
	case of.Kind() == reflect.Slice:
		return resource.NewProperty([]resource.PropertyValue{sectionSample(of.Elem(), path+"[0]")})
	case of.Kind() == reflect.Map:
		return resource.NewProperty(resource.PropertyMap{"keyARN": sectionSample(of.Elem(), path+"[key]")})
	}
	object := resource.PropertyMap{}
	for _, field := range Fields(of, true) {
		value := sectionSample(field.Type, path+"."+field.Key)
		if field.KeySuffix != "" {
			value = resource.NewProperty(resource.PropertyMap{
				resource.PropertyKey("key" + PropertyName(field.KeySuffix)): value.ObjectValue()["keyARN"],
			})
		}
		object[resource.PropertyKey(PropertyName(field.Key))] = value
	}
	return resource.NewProperty(object)
}

// requireSample compares what has been read with sectionSample.
func requireSample(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	require.True(t, v.IsValid() && !v.IsZero(), "%s has not arrived", path)
	switch got := v.Interface().(type) {
	case *config.SecretSource, *config.Account, map[string]any:
		return
	case pulumi.StringInput:
		require.Equal(t, pulumi.String(path), got)
		return
	}
	switch v.Kind() { //nolint:exhaustive // a section has no other kinds
	case reflect.Pointer:
		requireSample(t, v.Elem(), path)
	case reflect.String:
		require.Equal(t, path, v.String())
	case reflect.Int:
		require.EqualValues(t, 7, v.Int(), path)
	case reflect.Slice:
		requireSample(t, v.Index(0), path+"[0]")
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if strings.HasPrefix(key.String(), "key") {
				requireSample(t, v.MapIndex(key), path+"[key]")
			}
		}
	case reflect.Struct:
		for _, field := range Fields(v.Type(), true) {
			if got := v.FieldByIndex(field.Index); field.Secret {
				require.Equal(t, "a credential", got.String(), "the value of a credential arrives nowhere")
			} else {
				requireSample(t, got, path+"."+field.Key)
			}
		}
	}
}
