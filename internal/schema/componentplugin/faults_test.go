package componentplugin

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
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

// strangers are values of every type that a program can give, also where the schema has another one.
func strangers(t *testing.T) map[string]resource.PropertyValue {
	t.Helper()
	file, err := asset.FromText("text")
	require.NoError(t, err)
	files, err := archive.FromAssets(map[string]any{"file": file})
	require.NoError(t, err)
	values := map[string]resource.PropertyValue{
		"null":            resource.NewNullProperty(),
		"a string":        resource.NewProperty("7"),
		"a number":        resource.NewProperty(7.0),
		"a fraction":      resource.NewProperty(7.5),
		"a large number":  resource.NewProperty(1e300),
		"no number":       resource.NewProperty(math.NaN()),
		"a boolean":       resource.NewProperty(true),
		"an empty list":   resource.NewProperty([]resource.PropertyValue{}),
		"a list of null":  resource.NewProperty([]resource.PropertyValue{resource.NewNullProperty()}),
		"a list of lists": resource.NewProperty([]resource.PropertyValue{resource.NewProperty([]resource.PropertyValue{})}),
		"an empty object": resource.NewProperty(resource.PropertyMap{}),
		"a nested unknown": resource.NewProperty(resource.PropertyMap{
			"nested": resource.MakeComputed(resource.NewProperty("")),
		}),
		"an object": resource.NewProperty(resource.PropertyMap{"nested": resource.NewProperty("text")}),
		"an object of null": resource.NewProperty(resource.PropertyMap{
			"nested": resource.NewNullProperty(),
		}),
		"an asset":   resource.NewProperty(file),
		"an archive": resource.NewProperty(files),
		"a resource": resource.MakeCustomResourceReference("urn:pulumi:s::p::aws:ec2/vpc:Vpc::vpc", "vpc-1", ""),
		"a component": resource.MakeComponentResourceReference(
			"urn:pulumi:s::p::hypershift-aws:network:GuestNetwork::network", ""),
	}
	all := map[string]resource.PropertyValue{
		"an unknown": resource.NewProperty(resource.Output{Element: resource.NewProperty("")}),
	}
	for name, value := range values {
		all[name] = value
		all[name+", a secret"] = resource.MakeSecret(value)
		all[name+", from a resource"] = resource.NewProperty(resource.Output{
			Element: value, Known: true, Dependencies: []resource.URN{"urn:pulumi:s::p::a:b:C::producer"},
		})
	}
	return all
}

// places visits every value in inputs, and passes the inputs around it.
func places(v resource.PropertyValue, path string, visit func(path string, in within)) {
	if path != "" {
		visit(path, func(other resource.PropertyValue) resource.PropertyValue { return other })
	}
	switch {
	case v.IsObject():
		for _, key := range v.ObjectValue().StableKeys() {
			places(v.ObjectValue()[key], joined(path, string(key)), func(at string, in within) {
				visit(at, func(other resource.PropertyValue) resource.PropertyValue {
					changed := v.ObjectValue().Copy()
					changed[key] = in(other)
					return resource.NewProperty(changed)
				})
			})
		}
	case v.IsArray():
		for i, item := range v.ArrayValue() {
			places(item, fmt.Sprintf("%s[%d]", path, i), func(at string, in within) {
				visit(at, func(other resource.PropertyValue) resource.PropertyValue {
					changed := slices.Clone(v.ArrayValue())
					changed[i] = in(other)
					return resource.NewProperty(changed)
				})
			})
		}
	}
}

// Each value of good inputs is replaced by values of other types; at the full size of the tests, of every type.
func TestAValueOfAnyTypeIsTakenOrRefusedOnItsProperty(t *testing.T) {
	t.Parallel()
	good, others := goodInputs(t), strangers(t)
	names := slices.Sorted(maps.Keys(others))
	count := len(sizes.First(4, names))
	noInput := regexp.MustCompile(`^(an asset|an archive|a resource|a component|no number)\b`)
	dotted := strings.NewReplacer("[", ".", "]", "")
	for _, c := range Components() {
		t.Run(c.Token, func(t *testing.T) {
			t.Parallel()
			next := 0
			for _, inputs := range good[c.Token] {
				places(resource.NewProperty(inputs), "", func(at string, in within) {
					for range count {
						next++
						name := names[next%len(names)]
						given := in(others[name]).ObjectValue()
						_, err := c.prepare(request(t, c, given))
						if err == nil {
							assert.NotRegexp(t, noInput, name, at)
							for _, f := range faultsOf(t, c, given) {
								assert.True(t, leadsTo(c.Inputs, c.property(f.Path), c.Section != ""), "%s is %s: %s", at, name, f)
							}
							continue
						}
						found := fault.In(err)
						require.NotEmpty(t, found, "%s is %s: %v", at, name, err)
						for _, f := range found {
							assert.True(t, strings.HasPrefix(dotted.Replace(f.Path), dotted.Replace(at)), "%s is %s: %s", at, name, f)
							assert.NotEmpty(t, f.Remedy, "%s is %s: %s", at, name, f)
							assert.NotRegexp(t, `pulumi\.|\[\]|resourceReference|\bbool\b|<nil>`, f.Error(), "%s is %s", at, name)
						}
					}
				})
			}
		})
	}
}

// The engine shows the value that the path of an error leads to, as it does here.
func TestNoRefusalShowsASecret(t *testing.T) {
	t.Parallel()
	const secret = "xyzzy-1234"
	good := goodInputs(t)
	for _, c := range Components() {
		t.Run(c.Token, func(t *testing.T) {
			t.Parallel()
			for _, inputs := range good[c.Token] {
				places(resource.NewProperty(inputs), "", func(at string, in within) {
					for _, value := range []resource.PropertyValue{
						resource.NewProperty(secret),
						resource.NewProperty([]resource.PropertyValue{resource.NewProperty(secret)}),
						resource.NewProperty(resource.PropertyMap{"key": resource.NewProperty(secret)}),
					} {
						given := in(resource.MakeSecret(value)).ObjectValue()
						_, err := c.prepare(request(t, c, given))
						if err == nil {
							continue
						}
						var refused *rpcerror.Error
						converted, _ := rpcerror.FromError(rpcerror.WrapDetailedError(c.refused("x", given, err)))
						require.ErrorAs(t, converted, &refused)
						for _, shown := range refused.InputPropertiesErrors() {
							require.NotContains(t, shown.Reason, secret, at)
							path, err := resource.ParsePropertyPath(shown.PropertyPath)
							if err != nil {
								continue
							}
							if value, found := path.Get(resource.NewProperty(given)); found {
								require.False(t, value.ContainsSecrets(), "%s: %s", at, shown.PropertyPath)
							}
						}
					}
				})
			}
		})
	}
}

// A program gives a credential plain or as a secret, and the engine shows what the path of a refusal leads to.
func TestACredentialIsRefusedAndNotShownHoweverItIsGiven(t *testing.T) {
	t.Parallel()
	c := byToken(t, "stacks:Cluster")
	for _, given := range []resource.PropertyValue{
		resource.NewProperty("xyzzy-1234"),
		resource.NewProperty(1234.0),
		resource.MakeSecret(resource.NewProperty("xyzzy-1234")),
		resource.NewProperty(resource.Output{Element: resource.NewProperty("xyzzy-1234"), Known: true, Secret: true}),
		resource.NewProperty(resource.Output{Element: resource.NewProperty("")}),
	} {
		for _, key := range []string{"accessKey", "secretKey", "token"} {
			account := resource.PropertyMap{
				"name": resource.NewProperty("hub"), "profile": resource.NewProperty("hub"), resource.PropertyKey(key): given,
			}
			inputs := resource.PropertyMap{"accounts": resource.NewProperty(resource.PropertyMap{
				"further": resource.NewProperty([]resource.PropertyValue{resource.NewProperty(account)}),
			})}
			_, faults := read(t, c, inputs)
			var refused *rpcerror.Error
			converted, _ := rpcerror.FromError(rpcerror.WrapDetailedError(c.refused("x", inputs, faults)))
			require.ErrorAs(t, converted, &refused)
			reasons := map[string]string{}
			for _, shown := range refused.InputPropertiesErrors() {
				reasons[shown.PropertyPath] = shown.Reason
			}
			require.Equal(t, "is a credential, which a stack does not take; use profile or assumeRole",
				reasons["accounts.further[0]."+key+" (a secret)"], reasons)
		}
	}
}

// A plain value of a property that is a secret is one too, also inside of the value that a path leads to.
func TestAPlainValueOfASecretPropertyIsNotShown(t *testing.T) {
	t.Parallel()
	text := resource.NewProperty("xyzzy-1234")
	object := func(key resource.PropertyKey, v resource.PropertyValue) resource.PropertyMap {
		return resource.PropertyMap{key: v}
	}
	nested := func(keys ...resource.PropertyKey) resource.PropertyMap {
		v := text
		for i := len(keys) - 1; i > 0; i-- {
			v = resource.NewProperty(object(keys[i], v))
		}
		return object(keys[0], v)
	}
	for _, c := range []struct {
		token, path string
		inputs      resource.PropertyMap
		is          bool
	}{
		{"stacks:Cluster", "hostedCluster.pullSecret", nested("hostedCluster", "pullSecret"), true},
		{"stacks:Cluster", "hostedCluster", nested("hostedCluster", "pullSecret"), true},
		{"stacks:Cluster", "hostedCluster", nested("hostedCluster", "release"), false},
		{"stacks:Cluster", "hostedCluster.release", nested("hostedCluster", "release"), false},
		{"hostedcluster:HostedCluster", "secrets.pullSecret", nested("secrets", "pullSecret"), true},
		{"iam:OIDCDocuments", "signingKey", nested("signingKey"), true},
		{"iam:OIDCDocuments", "bucketName", nested("bucketName"), false},
	} {
		require.Equal(t, c.is, byToken(t, c.token).secretAt(c.inputs, c.path), "%s %s", c.token, c.path)
	}
}

// The engine's error has the path as the program spells it, and names the property that is meant.
func TestAPropertyThatDoesNotExistIsRefusedAsTheProgramSpellsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ token, path, shown, reason string }{
		{"network:GuestNetwork", "vpcCIDR", "vpcCIDR", "is not a property; did you mean vpcCidr?"},
		{"network:GuestNetwork", "vpc_cidr", "vpc_cidr", "is not a property; did you mean vpcCidr?"},
		{"network:GuestNetwork", "VpcCidr", "VpcCidr", "is not a property; did you mean vpcCidr?"},
		{"network:GuestNetwork", "cluster.infra_id", "cluster.infra_id", "is not a property; did you mean infraId?"},
		{"network:GuestNetwork", "zones[0].ID", "zones[0].ID", "is not a property; the properties here are name, slot"},
		{"hostedcluster:HostedCluster", "site.roles[ingressARN].x", `site.roles["ingressARN"]`,
			"is an object; expected a string"},
		{"stacks:Cluster", "network.existing.vpcID", "network.existing.vpcID", "is not a property; did you mean vpcId?"},
		{"stacks:Cluster", "iam.existing.roles[ingressARN]", `iam.existing.roles["ingressARN"]`,
			"does not end in Arn; use ingressArn"},
		{"stacks:Cluster", "iam.existing.roles[ingress_arn]", `iam.existing.roles["ingress_arn"]`,
			"does not end in Arn; use ingressArn"},
		{"stacks:Cluster", "iam.existing.roles[ingress]", `iam.existing.roles["ingress"]`,
			"does not end in Arn; use ingressArn"},
		{"stacks:Cluster", "hostedCluster.nodePools[0].root_volume", "hostedCluster.nodePools[0].root_volume",
			"is not a property; did you mean rootVolume?"},
		{"stacks:Cluster", "hostedCluster.nodePools[0].rootVolume.kmsKeyARN",
			"hostedCluster.nodePools[0].rootVolume.kmsKeyARN", "is not a property; did you mean kmsKeyArn?"},
	} {
		component := byToken(t, c.token)
		parsed, err := resource.ParsePropertyPath(strings.NewReplacer("[0]", "[0]", "[", `["`, "]", `"]`).Replace(c.path))
		require.NoError(t, err)
		given := resource.NewProperty("x")
		for i := len(parsed) - 1; i >= 0; i-- {
			if key, is := parsed[i].(string); is {
				given = resource.NewProperty(resource.PropertyMap{resource.PropertyKey(key): given})
			} else {
				given = resource.NewProperty([]resource.PropertyValue{given})
			}
		}
		_, err = component.prepare(request(t, component, given.ObjectValue()))
		var refused *rpcerror.Error
		err = component.refusedAsGiven("x", given.ObjectValue(), err)
		converted, _ := rpcerror.FromError(rpcerror.WrapDetailedError(err))
		require.ErrorAs(t, converted, &refused, c.path)
		shown := refused.InputPropertiesErrors()
		require.Len(t, shown, 1, c.path)
		require.Equal(t, []string{c.shown, c.reason}, []string{shown[0].PropertyPath, shown[0].Reason})
	}
}
