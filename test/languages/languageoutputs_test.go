package languages

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// outputInputs turns values into inputs of a component. Every value that may be an output becomes one.
type outputInputs struct {
	component componentplugin.Component
	output    func(text string) pulumi.StringInput
	// replaced are the paths of the values that became outputs.
	replaced map[string]bool
}

func (o *outputInputs) of(value any, t reflect.Type, path string) pulumi.Input {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if given, ok := value.(pulumi.Input); ok {
		return given
	}
	if mayBeOutput(t) {
		o.replaced[path] = true
		if texts, ok := value.(map[string]any); ok {
			m := pulumi.StringMap{}
			for key, text := range texts {
				m[key] = o.output(fmt.Sprint(text))
			}
			return m
		}
		return o.output(fmt.Sprint(value))
	}
	switch v := value.(type) {
	case map[string]any:
		fields := map[string]reflect.Type{}
		if t.Kind() == reflect.Struct {
			for _, field := range componentplugin.Fields(t, o.component.Section != "") {
				fields[componentplugin.PropertyName(field.Key)] = field.Type
			}
		}
		m := pulumi.Map{}
		for key, inner := range v {
			switch field, known := fields[key]; {
			case known:
				m[key] = o.of(inner, field, path+"."+key)
			case t.Kind() == reflect.Map && t.Elem() != reflect.TypeFor[any]():
				m[key] = o.of(inner, t.Elem(), path+"[]")
			default:
				m[key] = inputOf(inner)
			}
		}
		return m
	case []any:
		list := pulumi.Array{}
		for _, inner := range v {
			list = append(list, o.of(inner, t.Elem(), path+"[]"))
		}
		return list
	}
	return inputOf(value)
}

// mayBeOutput reports whether a value of a type may be an output whose value is not known yet.
func mayBeOutput(t reflect.Type) bool {
	return t == reflect.TypeFor[config.SecretSource]() ||
		t.Implements(reflect.TypeFor[pulumi.Input]()) && t.Kind() == reflect.Interface
}

// outputPaths visits the paths of a struct's values that may be outputs.
func outputPaths(t reflect.Type, section bool, path string, visit func(path string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case mayBeOutput(t):
		visit(path)
	case t.Implements(reflect.TypeFor[pulumi.Input]()): // a provider
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
		outputPaths(t.Elem(), section, path+"[]", visit)
	case t.Kind() == reflect.Struct:
		for _, field := range componentplugin.Fields(t, section) {
			outputPaths(field.Type, section, path+"."+componentplugin.PropertyName(field.Key), visit)
		}
	}
}

// laterOutputs returns outputs of a resource, whose values no preview of its creation knows.
func laterOutputs(ctx *pulumi.Context) (func(text string) pulumi.StringInput, error) {
	source, err := sqs.NewQueue(ctx, "source", &sqs.QueueArgs{Name: pulumi.String("source")})
	return func(text string) pulumi.StringInput {
		return source.Arn.ApplyT(func(string) string { return text }).(pulumi.StringOutput)
	}, err
}

// registerWithOutputs registers a component of the plugin. All of the values that may be outputs are outputs, and their
// paths are added to replaced.
func registerWithOutputs(
	ctx *pulumi.Context, c componentplugin.Component, name string, values map[string]any,
	output func(string) pulumi.StringInput,
	replaced map[string]map[string]bool, opts ...pulumi.ResourceOption,
) error {
	if replaced[c.Token] == nil {
		replaced[c.Token] = map[string]bool{}
	}
	o := &outputInputs{component: c, output: output, replaced: replaced[c.Token]}
	return ctx.RegisterRemoteComponentResource(c.Token, name, o.of(values, c.Inputs, "").(pulumi.Map), &remote{}, opts...)
}

func componentOf(t *testing.T, token string) componentplugin.Component {
	t.Helper()
	for _, c := range componentplugin.Components() {
		if c.Token == "hypershift-aws:"+token {
			return c
		}
	}
	require.Fail(t, "no component", token)
	return componentplugin.Component{}
}

// componentInputs returns inputs of each component that, together, have every value that may be an output.
func componentInputs(t *testing.T) map[string][]map[string]any {
	t.Helper()
	text, err := os.ReadFile(repo.Path("internal", "schema", "componentplugin", "testdata", "inputs.yaml"))
	require.NoError(t, err)
	var file struct{ Components map[string][]map[string]any }
	require.NoError(t, yaml.Unmarshal(text, &file))
	return file.Components
}

func previewSeeds() []offline.Seed {
	const vpc = "vpc-0123456789abcdef0"
	return append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedVPC, Name: vpc},
		offline.Seed{Kind: offline.SeedPrivateSubnet, Name: "subnet-0aaaaaaaaaaaaaaa0", Zone: "us-east-1a", VPC: vpc},
		offline.Seed{Kind: offline.SeedPublicSubnet, Name: "subnet-0aaaaaaaaaaaaaaa1", Zone: "us-east-1a", VPC: vpc})
}

// Every value that may be an output is one here, and is not known in the preview of the creation.
func TestEveryInputMayBeUnknownInAPreview(t *testing.T) {
	t.Parallel()
	replaced, inputs := map[string]map[string]bool{}, componentInputs(t)
	programs := []pulumi.RunFunc{func(ctx *pulumi.Context) error {
		output, err := laterOutputs(ctx)
		if err != nil {
			return err
		}
		owner, err := vpcOwner(ctx)
		if err != nil {
			return err
		}
		cluster, err := managementCluster(ctx)
		if err != nil {
			return err
		}
		for token, variants := range inputs {
			if strings.HasPrefix(token, "stacks:") {
				continue
			}
			for i, values := range variants {
				if shared, ok := values["shared"].(map[string]any); ok {
					shared["vpcOwner"] = owner
				}
				switch token {
				case "iam:SharedVPCRoles", "privatelink:ZoneAssociation":
					values["vpcOwner"] = owner
				case "privatelink:Consumer":
					values["clusterAccountId"] = "333333333333" // otherwise it needs an existing zone
					values["allowedSecurityGroups"] = []any{"sg-0123456789abcdef0"}
				case "privatelink:Endpoint":
					values["allowedCidrs"] = []any{"10.101.0.0/16"}
					values["allowedSecurityGroups"] = []any{"sg-0123456789abcdef0"}
				}
				name := fmt.Sprintf("%s-%d", strings.ReplaceAll(token, ":", "-"), i)
				err := registerWithOutputs(ctx, componentOf(t, token), name, values, output, replaced, pulumi.Providers(cluster))
				if err != nil {
					return err
				}
			}
		}
		return nil
	}}
	for _, token := range []string{"stacks:Cluster", "stacks:Management", "stacks:CAPA"} {
		for _, values := range inputs[token] {
			if link, has := values["privateLink"].(map[string]any); has {
				reachedFromElsewhere(link)
			}
			programs = append(programs, func(ctx *pulumi.Context) error {
				output, err := laterOutputs(ctx)
				if err != nil {
					return err
				}
				return registerWithOutputs(ctx, componentOf(t, token), "whole", values, output, replaced)
			})
		}
	}
	stack := enginetest.New(t, programs[0], enginetest.Options{Seeds: previewSeeds(), Components: true})
	stack.Configure("config:\n  aws:region: us-east-1\n")
	for _, program := range programs {
		stack.Run(program)
		require.NotEmpty(t, stack.Preview())
	}
	for _, c := range componentplugin.Components() {
		outputPaths(c.Inputs, c.Section != "", "", func(path string) {
			// No example has a shared VPC of another account, several subnets in a zone, or a boundary of the management roles.
			if strings.Contains(path, ".sharedVpc.") || strings.Contains(path, "existing.further[") ||
				strings.HasSuffix(path, "iam.permissionsBoundary") {
				return
			}
			require.True(t, replaced[c.Token][path], "%s%s is an output in no program", c.Token, path)
		})
	}
}

// reachedFromElsewhere adds the keys with which other VPCs reach a private control plane, which no example of a whole
// stack has.
func reachedFromElsewhere(privateLink map[string]any) {
	clients := func(in map[string]any) map[string]any {
		in["allowedCidrs"] = []any{"10.101.0.0/16"}
		in["allowedSecurityGroups"] = []any{"sg-0123456789abcdef0"}
		return in
	}
	clients(privateLink)
	privateLink["localZoneVpcs"] = []any{map[string]any{"vpcId": "vpc-0123456789abcdef1"}}
	privateLink["consumers"] = []any{clients(map[string]any{
		"name": "hub", "vpcId": "vpc-0123456789abcdef2", "subnetIds": []any{"subnet-0123456789abcdef2"},
		"hostNames": []any{"api-demo.clusters.example.com"}, "localZoneId": "Z0123456789ABCDEFGHIJ",
	})}
}

// The component's resources are those of a stack of the CLI with the same config, whose graph is kept: they are created
// from outputs that no preview knows, checked, and looked up.
func TestAStackOfOutputsHasTheGraphOfTheSameStackInAFile(t *testing.T) {
	t.Parallel()
	option := map[string]stackfile.NetworkOption{}
	for _, o := range stackfile.NetworkOptions() {
		option[o.Name] = o
	}
	ofNetwork := func(name string) string { return stackfile.Network(option[name].Access, option[name].Network) }
	common := stackfile.CommonTags()
	for _, c := range sizes.First(1, []struct {
		token, golden, config string
		seeds                 []offline.Seed
		common                map[string]string
		names                 []string
	}{
		{stacks.ClusterType, "networkoptions/existing-zones", ofNetwork("existing-zones"), nil, common, []string{"network"}},
		{stacks.ClusterType, "networkoptions/elastic-ips", ofNetwork("elastic-ips"), nil, common, []string{"network"}},
		{stacks.ClusterType, "networkoptions/proxy-service", ofNetwork("proxy-service"), nil, common, []string{"network"}},
		{stacks.ClusterType, "iam/existing-all", stackfile.IAM(stackfile.IAMOptions()["existing-all"]),
			stackfile.SeededRoles(), nil, []string{"oidc", "workers", "roles"}},
		{stacks.ClusterType, "iam/boundary-path-prefix", stackfile.IAM(stackfile.IAMOptions()["boundary-path-prefix"]),
			stackfile.SeededRoles(), nil,
			[]string{"oidc", "workers", "roles"}},
		{stacks.ClusterType, "hostedcluster/graph", stackfile.WithHostedCluster(t,
			"      unprotected: true\n").String(), stackfile.Seeds(), nil, []string{"hosted-cluster"}},
		{stacks.ManagementType, "management/whole", stackfile.Management(stackfile.Managements()["whole"]),
			stackfile.ManagementSeeds(), nil,
			[]string{"prerequisites", "prerequisites-interruptions", "install"}},
	}) {
		t.Run(c.golden, func(t *testing.T) {
			t.Parallel()
			if c.seeds == nil {
				c.seeds = stackfile.SeedsFor(t, c.config)
			}
			component := componentOf(t, strings.TrimPrefix(c.token, "hypershift-aws:"))
			var file struct{ Config map[string]any }
			require.NoError(t, yaml.Unmarshal([]byte(c.config), &file))
			values := asProperties(file.Config[component.Section], component.Inputs).(map[string]any)
			if hosted, ok := values["hostedCluster"].(map[string]any); ok {
				hosted["pullSecret"] = `{"auths":{}}`
			}
			replaced := map[string]map[string]bool{}
			stack := enginetest.New(t, func(ctx *pulumi.Context) error {
				output, err := laterOutputs(ctx)
				if err != nil {
					return err
				}
				return registerWithOutputs(ctx, component, "whole", values, output, replaced)
			}, enginetest.Options{Seeds: c.seeds, Components: true})
			stack.Configure("config:\n  aws:region: us-east-1\n")
			stack.Up()
			require.NotEmpty(t, replaced[c.token], "no value is an output")
			golden.RequireGraph(t, c.golden, stack.Graph(c.common, c.names...))
			require.Empty(t, changed(stack.Preview()), "a second preview")
		})
	}
}

// The value of an output is checked when it becomes known. What refuses it names the property as the program spells it.
func TestAnOutputThatIsRefusedIsNamedAsTheProgramSpellsIt(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		output, err := laterOutputs(ctx)
		if err != nil {
			return err
		}
		r := &remotes{ctx: ctx}
		r.register("network:GuestNetwork", "network", pulumi.Map{
			"cluster":    pulumi.Map{"name": pulumi.String("demo"), "infraId": pulumi.String("demo-x1")},
			"baseDomain": pulumi.String("example.com"), "zones": pulumi.Array{pulumi.Map{"name": pulumi.String("us-east-1a")}},
			"flowLogs": pulumi.Map{"destination": pulumi.String("S3"), "bucketArn": output("no ARN")},
		})
		return r.err
	}, enginetest.Options{Project: "program", Seeds: stackfile.Seeds(), Components: true})
	stack.Configure("config:\n  aws:region: us-east-1\n")
	require.NotEmpty(t, stack.Preview(), "it is not known yet")
	_, err := stack.UpErr()
	require.ErrorContains(t, err, `"no ARN" is not the ARN of a bucket`)
	require.ErrorContains(t, err, "flowLogs.bucketArn")
	require.NotContains(t, err.Error(), "bucketARN")
}
