package componentplugin

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

var keepAll = plugin.MarshalOptions{KeepSecrets: true, KeepResources: true, KeepUnknowns: true, KeepOutputValues: true}

func request(t *testing.T, c Component, inputs resource.PropertyMap) *pulumirpc.ConstructRequest {
	t.Helper()
	wire, err := plugin.MarshalProperties(inputs, keepAll)
	require.NoError(t, err)
	return &pulumirpc.ConstructRequest{
		Project:             "p",
		Stack:               "s",
		Type:                c.Token,
		Name:                "x",
		Inputs:              wire,
		DryRun:              true,
		AcceptsOutputValues: true,
	}
}

var errRead = errors.New("the inputs have been read")

// arrives returns what inputs are for the component's constructor.
func arrives(t *testing.T, c Component, inputs resource.PropertyMap) any {
	t.Helper()
	req := request(t, c, inputs)
	_, err := c.prepare(req)
	require.NoError(t, err)
	args := reflect.New(c.Inputs)
	_, err = provider.Construct(t.Context(), req, nil, func(
		_ *pulumi.Context, _, _ string, inputs provider.ConstructInputs, _ pulumi.ResourceOption,
	) (*provider.ConstructResult, error) {
		require.NoError(t, inputs.CopyTo(args.Interface()))
		withIntegers(args)
		return nil, errRead
	})
	require.ErrorContains(t, err, errRead.Error())
	return args.Elem().Interface()
}

// sample returns a value of a type in the form of Pulumi and of Go.
func sample(t *testing.T, of reflect.Type) (resource.PropertyValue, reflect.Value) {
	t.Helper()
	switch of {
	case reflect.TypeFor[pulumi.StringInput]():
		return resource.NewProperty("text"), reflect.ValueOf(pulumi.String("text"))
	case reflect.TypeFor[pulumi.StringMapInput]():
		return resource.NewProperty(resource.PropertyMap{
			"key": resource.NewProperty("text"),
		}), reflect.ValueOf(pulumi.StringMap{"key": pulumi.String("text")})
	}
	switch of.Kind() { //nolint:exhaustive // components have no other kinds
	case reflect.Pointer:
		value, inner := sample(t, of.Elem())
		pointer := reflect.New(of.Elem())
		pointer.Elem().Set(inner)
		return value, pointer
	case reflect.Bool:
		return resource.NewProperty(true), reflect.ValueOf(true)
	case reflect.Int:
		return resource.NewProperty(7.0), reflect.ValueOf(7)
	case reflect.String:
		return resource.NewProperty("text"), reflect.ValueOf("text").Convert(of)
	case reflect.Interface:
		return resource.NewProperty(7.0), reflect.ValueOf(int64(7))
	case reflect.Slice:
		value, inner := sample(t, of.Elem())
		list := reflect.MakeSlice(of, 1, 1)
		list.Index(0).Set(inner)
		return resource.NewProperty([]resource.PropertyValue{value}), list
	case reflect.Map:
		value, inner := sample(t, of.Elem())
		m := reflect.MakeMap(of)
		m.SetMapIndex(reflect.ValueOf("key").Convert(of.Key()), inner)
		return resource.NewProperty(resource.PropertyMap{"key": value}), m
	case reflect.Struct:
		object, made := resource.PropertyMap{}, reflect.New(of).Elem()
		for _, field := range Fields(of, false) {
			if configfield.Indirect(field.Type) == reflect.TypeFor[aws.Provider]() {
				continue // an engine has to have it
			}
			value, inner := sample(t, field.Type)
			object[resource.PropertyKey(PropertyName(field.Key))] = value
			made.FieldByIndex(field.Index).Set(inner)
		}
		return resource.NewProperty(object), made
	}
	require.Fail(t, "no sample", of)
	return resource.PropertyValue{}, reflect.Value{}
}

func TestEveryInputArrivesAtTheComponent(t *testing.T) {
	t.Parallel()
	for _, c := range Components() {
		if c.Section != "" {
			continue
		}
		t.Run(c.Token, func(t *testing.T) {
			t.Parallel()
			present, want := sample(t, c.Inputs)
			require.Equal(t, want.Interface(), arrives(t, c, present.ObjectValue()), "all given")
			null := resource.PropertyMap{}
			for key := range present.ObjectValue() {
				null[key] = resource.NewNullProperty()
			}
			require.Equal(t, reflect.Zero(c.Inputs).Interface(), arrives(t, c, null), "all null")
			require.Equal(t, reflect.Zero(c.Inputs).Interface(), arrives(t, c, resource.PropertyMap{}), "all absent")
			wrapped := resource.PropertyMap{}
			for key, value := range present.ObjectValue() {
				wrapped[key] = resource.NewProperty(resource.Output{Element: value, Known: true})
			}
			require.Equal(t, want.Interface(), arrives(t, c, wrapped), "all outputs whose values are known")
		})
	}
}

// within is the inputs that have a value in a certain place.
type within func(resource.PropertyValue) resource.PropertyValue

// inputsIn visits every place of a struct of inputs, each with its path and its type.
func inputsIn(of reflect.Type, path string, in within, visit func(path string, of reflect.Type, in within)) {
	of = configfield.Indirect(of)
	if of == reflect.TypeFor[aws.Provider]() {
		return
	}
	if path != "" {
		visit(path, of, in)
	}
	if of.Implements(reflect.TypeFor[pulumi.Input]()) {
		return
	}
	switch of.Kind() { //nolint:exhaustive // others have nothing in them
	case reflect.Struct:
		for _, field := range Fields(of, false) {
			name := PropertyName(field.Key)
			inputsIn(field.Type, joined(path, name), func(v resource.PropertyValue) resource.PropertyValue {
				return in(resource.NewProperty(resource.PropertyMap{resource.PropertyKey(name): v}))
			}, visit)
		}
	case reflect.Slice:
		inputsIn(of.Elem(), path+"[0]", func(v resource.PropertyValue) resource.PropertyValue {
			return in(resource.NewProperty([]resource.PropertyValue{v}))
		}, visit)
	case reflect.Map:
		inputsIn(of.Elem(), path+"[key]", func(v resource.PropertyValue) resource.PropertyValue {
			return in(resource.NewProperty(resource.PropertyMap{"key": v}))
		}, visit)
	}
}

func TestEveryInputTakesAnOutputOrIsRefusedWithItsPath(t *testing.T) {
	t.Parallel()
	const urn = "urn:pulumi:s::p::a:b:C::producer"
	for _, c := range Components() {
		if c.Section != "" {
			continue
		}
		inputsIn(c.Inputs, "", func(v resource.PropertyValue) resource.PropertyValue { return v }, func(path string, of reflect.Type, in within) {
			value, _ := sample(t, of)
			prepared := func(v resource.PropertyValue) (*pulumirpc.ConstructRequest, error) {
				req := request(t, c, in(v).ObjectValue())
				_, err := c.prepare(req)
				return req, err
			}
			_, unknown := prepared(resource.NewProperty(resource.Output{Element: resource.NewProperty("")}))
			_, secret := prepared(resource.MakeSecret(value))
			known, err := prepared(resource.NewProperty(resource.Output{
				Element:      value,
				Known:        true,
				Dependencies: []resource.URN{urn},
			}))
			require.NoError(t, err, "%s: %s, an output that is known", c.Token, path)
			switch of.Kind() { //nolint:exhaustive // others hold a value
			case reflect.Struct, reflect.Slice, reflect.Map: // what is in them, is visited
				require.ErrorContains(t, unknown, path+" is not known before other resources are created", c.Token)
				return
			}
			if of.Implements(reflect.TypeFor[pulumi.Input]()) {
				require.NoError(t, unknown, "%s: %s, not known yet", c.Token, path)
				require.NoError(t, secret, "%s: %s, a secret", c.Token, path)
				return
			}
			require.ErrorContains(t, unknown, path+" is not known before other resources are created", c.Token)
			require.ErrorContains(t, secret, path+" is a secret", c.Token)
			require.Contains(t, known.GetDependencies(), urn,
				"%s: %s is a plain value, so the component has to depend on its source", c.Token, path)
		})
	}
}

// leaf returns the only value in a struct of inputs that has one, as within makes it.
func leaf(v reflect.Value) reflect.Value {
	switch v.Kind() { //nolint:exhaustive // others are the value
	case reflect.Pointer:
		return leaf(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				return leaf(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 1 {
			return leaf(v.Index(0))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			return leaf(v.MapIndex(key))
		}
	case reflect.Interface:
		return v.Elem()
	}
	return v
}

func TestAnInputArrivesUnknownAndSecretAsItIsGiven(t *testing.T) {
	t.Parallel()
	const urn = "urn:pulumi:s::p::a:b:C::producer"
	for _, c := range Components() {
		if c.Section != "" {
			continue
		}
		inputsIn(c.Inputs, "", func(v resource.PropertyValue) resource.PropertyValue { return v }, func(path string, of reflect.Type, in within) {
			if !of.Implements(reflect.TypeFor[pulumi.Input]()) {
				return
			}
			value, want := sample(t, of)
			for name, given := range map[string]resource.Output{
				"unknown":                     {Element: resource.NewProperty("")},
				"an unknown secret":           {Element: resource.NewProperty(""), Secret: true},
				"of a resource":               {Element: value, Known: true},
				"a secret":                    {Element: value, Known: true, Secret: true},
				"a secret without a resource": {Element: value, Known: true, Secret: true},
			} {
				if name != "a secret without a resource" {
					given.Dependencies = []resource.URN{urn}
				}
				args := arrives(t, c, in(resource.NewProperty(given)).ObjectValue())
				output, ok := leaf(reflect.ValueOf(args)).Interface().(pulumi.Output)
				require.True(t, ok, "%s: %s, %s: is plain", c.Token, path, name)
				result, err := internals.UnsafeAwaitOutput(t.Context(), output)
				require.NoError(t, err)
				require.Equal(t, given.Known, result.Known, "%s: %s, %s", c.Token, path, name)
				require.Equal(t, given.Secret, result.Secret, "%s: %s, %s", c.Token, path, name)
				require.Len(t, result.Dependencies, len(given.Dependencies), "%s: %s, %s", c.Token, path, name)
				if given.Known {
					require.Equal(t, fmt.Sprint(want.Interface()), fmt.Sprint(result.Value), "%s: %s, %s", c.Token, path, name)
				}
			}
		})
	}
}

func TestInputsThatTheComponentCannotTakeAreRefusedOnTheirProperty(t *testing.T) {
	t.Parallel()
	unknown := resource.NewProperty(resource.Output{Element: resource.NewProperty("")})
	for _, c := range []struct {
		token, want string
		inputs      resource.PropertyMap
	}{
		{"network:GuestNetwork", `vpcCidr is not known before other resources are created`, resource.PropertyMap{"vpcCidr": unknown}},
		{"network:GuestNetwork", `baseDomain is a secret`, resource.PropertyMap{"baseDomain": resource.MakeSecret(resource.NewProperty("example.com"))}},
		{"network:GuestNetwork", `zones[0].slot: "1.5" is a number; expected an integer`, resource.PropertyMap{"zones": resource.NewProperty([]resource.PropertyValue{
			resource.NewProperty(resource.PropertyMap{"slot": resource.NewProperty(1.5)}),
		})}},
		{"network:GuestNetwork", `zones: "us-east-1a" is a string; expected a list`, resource.PropertyMap{"zones": resource.NewProperty("us-east-1a")}},
		{"network:GuestNetwork", `shared.vpcOwner: "owner" is a string; expected a provider of the package aws`, resource.PropertyMap{
			"shared": resource.NewProperty(resource.PropertyMap{"vpcOwner": resource.NewProperty("owner")}),
		}},
		{"network:GuestNetwork", `shared.vpcOwner is not known before other resources are created`, resource.PropertyMap{
			"shared": resource.NewProperty(resource.PropertyMap{"vpcOwner": resource.NewProperty(resource.Output{})}),
		}},
		{"network:GuestNetwork", `zones[0].slot: "1e+300" is a number; expected an integer`, resource.PropertyMap{
			"zones": resource.NewProperty([]resource.PropertyValue{
				resource.NewProperty(resource.PropertyMap{"slot": resource.NewProperty(1e300)}),
			}),
		}},
		{"management:InstallObjects", `credentials[key] is a number; expected a string`, resource.PropertyMap{
			"credentials": resource.NewProperty(resource.PropertyMap{"key": resource.MakeSecret(resource.NewProperty(7.0))}),
		}},
		{"iam:SharedVPCRoles", `vpcOwner is a resource of type aws:ec2/vpc:Vpc; expected a provider of the package aws`, resource.PropertyMap{
			"vpcOwner": resource.MakeCustomResourceReference("urn:pulumi:s::p::aws:ec2/vpc:Vpc::vpc", "vpc-1", ""),
		}},
		{"iam:RoleSet", `cluster.nome is not a property; did you mean name?`, resource.PropertyMap{
			"cluster": resource.NewProperty(resource.PropertyMap{"nome": resource.NewProperty("x")}),
		}},
		{"iam:RoleSet", `cluster.owner is not a property; the properties here are infraId, name, tags`, resource.PropertyMap{
			"cluster": resource.NewProperty(resource.PropertyMap{"owner": resource.NewProperty("x")}),
		}},
		{"network:GuestNetwork", `vpcCIDR is not a property; did you mean vpcCidr?`, resource.PropertyMap{
			"vpcCIDR": resource.NewProperty("10.0.0.0/16"),
		}},
		{"stacks:Cluster", `existing.vpcID is not a property; did you mean vpcId?`, resource.PropertyMap{
			"network": resource.NewProperty(resource.PropertyMap{
				"existing": resource.NewProperty(resource.PropertyMap{"vpcID": resource.NewProperty("vpc-1")}),
			}),
		}},
		{"stacks:Cluster", `iam.existing.roles[ingressARN] does not end in Arn`, resource.PropertyMap{
			"iam": resource.NewProperty(resource.PropertyMap{
				"existing": resource.NewProperty(resource.PropertyMap{
					"roles": resource.NewProperty(resource.PropertyMap{"ingressARN": resource.NewProperty("arn:aws:iam::1:role/r")}),
				}),
			}),
		}},
		{"iam:RoleSet", `issuerUrl: "7" is a number; expected a string`, resource.PropertyMap{"issuerUrl": resource.NewProperty(7.0)}},
	} {
		_, err := byToken(t, c.token).prepare(request(t, byToken(t, c.token), c.inputs))
		require.ErrorContains(t, err, c.want)
	}
}

func byToken(t *testing.T, token string) Component {
	t.Helper()
	for _, c := range Components() {
		if c.Token == Package+":"+token {
			return c
		}
	}
	require.Fail(t, "no component", token)
	return Component{}
}

func TestAnOutputThatIsNotKnownYetIsAnInputWhereAComponentTakesOne(t *testing.T) {
	t.Parallel()
	c := byToken(t, "iam:RoleSet")
	const urn = "urn:pulumi:s::p::a:b:C::producer"
	inputs := resource.PropertyMap{"workerRoleArn": resource.NewProperty(resource.Output{
		Element: resource.NewProperty(""), Dependencies: []resource.URN{urn},
	})}
	req := request(t, c, inputs)
	_, err := c.prepare(req)
	require.NoError(t, err)
	prepared, err := plugin.UnmarshalProperties(req.GetInputs(), keepAll)
	require.NoError(t, err)
	require.False(t, prepared["workerRoleARN"].OutputValue().Known)
	require.Equal(t, []resource.URN{urn}, prepared["workerRoleARN"].OutputValue().Dependencies)
}

// leadsTo reports whether a property path is that of a property of a component's inputs.
func leadsTo(t reflect.Type, path string, section bool) bool {
	t = configfield.Indirect(t)
	if path == "" {
		return true
	}
	if t == reflect.TypeFor[map[string]any]() || t.Kind() == reflect.Interface {
		return false // what is in a patch is only in question if there is one
	}
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		_, rest, found := strings.Cut(path, "]")
		return found && path[0] == '[' && leadsTo(t.Elem(), strings.TrimPrefix(rest, "."), section)
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	first, rest := yamlfile.SplitKey(path)
	field, known := properties(t, section)[first]
	return known && leadsTo(field.Type, strings.TrimPrefix(rest, "."), section)
}

func TestEveryFaultIsOnAPropertyOfTheComponent(t *testing.T) {
	t.Parallel()
	for _, c := range Components() {
		if c.Section != "" {
			continue
		}
		bad, _ := sample(t, c.Inputs)
		for name, inputs := range map[string]resource.PropertyMap{"nothing given": {}, "bad values": bad.ObjectValue()} {
			args := arrives(t, c, inputs)
			pointer := reflect.New(c.Inputs)
			pointer.Elem().Set(reflect.ValueOf(args))
			err := pointer.Interface().(interface{ Validate() error }).Validate()
			if name == "bad values" && err == nil {
				continue // any text will do
			}
			require.Error(t, err, "%s: %s", c.Token, name)
			for _, f := range fault.In(err) {
				path := c.property(f.Path)
				require.True(t, leadsTo(c.Inputs, path, false), "%s: %s: %q is the path of no property: %s", c.Token, name, path, f)
			}
			_, err = c.register(t.Context(), request(t, c, inputs), nil, nil)
			require.ErrorContains(t, err, "invalid inputs", fmt.Sprintf("%s: %s", c.Token, name))
		}
	}
}
