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
