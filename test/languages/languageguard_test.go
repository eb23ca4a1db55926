package languages

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// Each component of another language is judged by what it had itself, also beside one whose name begins with its own.
func TestAComponentOfAnotherLanguageRefusesToReplaceOrDeleteWhatAClusterDependsOn(t *testing.T) {
	t.Parallel()
	zones := map[string][]string{"network": {"us-east-1a", "us-east-1b"}, "network-two": {"us-east-1a", "us-east-1b"}}
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		r := &remotes{ctx: ctx}
		for name, of := range zones {
			var list pulumi.Array
			for _, zone := range of {
				list = append(list, pulumi.Map{"name": pulumi.String(zone)})
			}
			infraID := "demo-" + name
			r.register("network:GuestNetwork", name, pulumi.Map{
				"cluster":    pulumi.Map{"name": pulumi.String(name), "infraId": pulumi.String(infraID)},
				"baseDomain": pulumi.String("example.com"),
				"nat":        pulumi.String("Single"), "zones": list,
			})
		}
		return r.err
	}, enginetest.Options{Project: "program", Seeds: stackfile.Seeds(), Components: true})
	const region = "config:\n  aws:region: us-east-1\n"
	stack.Configure(region)
	stack.Up()

	for name := range zones {
		before := zones[name]
		zones[name] = before[:1]
		enginetest.RequireRefused(t, stack, region, "subnet "+name+"-private-us-east-1b would be deleted")
		zones[name] = before
	}
	stack.Configure(region)
	stack.Up()
	require.Empty(t, changed(stack.Preview()))

	two := zones["network-two"]
	delete(zones, "network-two")
	require.NotEmpty(t, stack.Up().Of("delete"), "a component that the program no longer has")
	zones["network-two"] = two
	stack.Up()
	zones["network"] = zones["network"][:1]
	stack.Configure(region + "  hypershift-aws:" + "unguarded: true\n")
	require.NotEmpty(t, stack.Up().Of("delete"), "without the guard")
}

// The outputs of the component are the last state of a cluster whose program has no outputs.
func TestAWholeStackOfAnotherLanguageKeepsItsKey(t *testing.T) {
	t.Parallel()
	text := stackfile.StepsBase()
	inputs := sectionOf(t, text, "hypershift-aws:cluster")
	var list pulumi.Array
	for _, zone := range stackfile.ZoneNames(3) {
		list = append(list, pulumi.Map{"name": pulumi.String(zone)})
	}
	inputs["network"].(pulumi.Map)["zones"] = list
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		return ctx.RegisterRemoteComponentResource(stacks.ClusterType, "whole", inputs, &remote{})
	}, enginetest.Options{Project: "program", Seeds: stackfile.SeedsFor(t, text), Components: true})
	const region = "config:\n  aws:region: us-east-1\n"
	stack.Configure(region)
	stack.Up()
	inputs["kmsKeyArn"] = pulumi.String("none")
	enginetest.RequireRefused(t, stack, region, "is not the key with which the existing cluster encrypts etcd")
	enginetest.RequireRefused(t, stack, region, "is not the key with which the existing cluster encrypts etcd")
}

// A program in TypeScript installs version 7 of @pulumi/aws today.
func TestAComponentOfAnotherLanguageRefusesAProviderOfAnotherMajorVersion(t *testing.T) {
	t.Parallel()
	type provider struct{ pulumi.ProviderResourceState }
	version, option := "7.14.0", true
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		aws := &provider{}
		if err := ctx.RegisterResource("pulumi:providers:aws", "aws", pulumi.Map{"region": pulumi.String("us-east-1")}, aws,
			pulumi.Version(version)); err != nil {
			return err
		}
		r := &remotes{ctx: ctx}
		inputs := pulumi.Map{
			"cluster":    pulumi.Map{"name": pulumi.String("demo"), "infraId": pulumi.String("demo-x1")},
			"baseDomain": pulumi.String("example.com"), "nat": pulumi.String("Single"),
			"zones": pulumi.Array{pulumi.Map{"name": pulumi.String("us-east-1a")}},
		}
		var opts []pulumi.ResourceOption
		if option {
			opts = append(opts, pulumi.Providers(aws))
		} else {
			inputs["shared"] = pulumi.Map{"vpcOwner": pulumi.NewResourceInput(aws)}
		}
		r.register("network:GuestNetwork", "network", inputs, opts...)
		return r.err
	}, enginetest.Options{Project: "program", Seeds: stackfile.Seeds(), Components: true})
	const region = "config:\n  aws:region: us-east-1\n"
	const refused = "is of pulumi-aws v7, and the components create resources of v6"
	stack.Configure(region)
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, "property provider has a problem: "+refused)
	_, err = stack.UpErr()
	require.ErrorContains(t, err, "property provider has a problem: "+refused)
	option = false
	_, err = stack.PreviewErr()
	require.ErrorContains(t, err, "property shared.vpcOwner ")
	require.ErrorContains(t, err, refused)
	version, option = "6.83.4", true
	stack.Up()
}

// The engine shows the value of a property that is refused, unless it finds none.
func TestTheRefusalOfASecretDoesNotShowIt(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		r := &remotes{ctx: ctx}
		r.register("iam:WorkerProfile", "workers", pulumi.Map{"cluster": pulumi.Map{
			"name": pulumi.String("demo"), "infraId": pulumi.ToSecret(pulumi.String("xyzzy-1234")),
		}})
		return r.err
	}, enginetest.Options{Project: "program", Seeds: stackfile.Seeds(), Components: true})
	stack.Configure("config:\n  aws:region: us-east-1\n")
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, "property cluster.infraId (a secret) has a problem: is a secret")
	require.NotContains(t, err.Error(), "xyzzy")
}
