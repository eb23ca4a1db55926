package stacks

import (
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/sharedlist"
)

// keepOthers returns the option of components whose resources keep what others have added to their lists. AWS means
// some lists to be shared: the VPCs of a private zone, the client IDs of an OIDC provider, the tags of clusters on a
// subnet. The stack requires its own entries, and a refresh tells it the others: without them, the next update would
// remove them.
func keepOthers(ctx *pulumi.Context) pulumi.ResourceOption {
	state := sync.OnceValue(func() map[string]lastResource {
		resources, err := resourceOutputs(ctx, qualified(ctx, ctx.Stack()))
		if err != nil {
			return nil // without a state there is nothing to keep
		}
		return resources
	})
	return pulumi.Transformations([]pulumi.ResourceTransformation{
		func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
			switch props := args.Props.(type) {
			case *route53.ZoneArgs:
				if own, is := props.Vpcs.(route53.ZoneVpcArray); is {
					props.Vpcs = withOtherVPCs(own, lastOf(state(), args), state())
				}
			case *iam.OpenIdConnectProviderArgs:
				if own, is := props.ClientIdLists.(pulumi.StringArray); is {
					props.ClientIdLists = withOtherTexts(own, lastOf(state(), args)["clientIdLists"])
				}
			case *ec2.SubnetArgs:
				if own, is := props.Tags.(pulumi.StringMap); is {
					props.Tags = withOtherClusters(own, lastOf(state(), args)["tags"], state())
				}
			}
			return &pulumi.ResourceTransformationResult{Props: args.Props, Opts: args.Opts}
		},
	})
}

// lastOf returns the outputs of a resource in the last state, nil if it has none.
func lastOf(state map[string]lastResource, args *pulumi.ResourceTransformationArgs) map[string]any {
	for urn, last := range state {
		if last.Type == args.Type && strings.HasSuffix(urn, "::"+args.Name) {
			return last.Outputs
		}
	}
	return nil
}

// withOtherVPCs adds to the VPCs of a zone those that it had in the last state and that are not the stack's.
func withOtherVPCs(
	own route53.ZoneVpcArray,
	zone map[string]any,
	state map[string]lastResource,
) route53.ZoneVpcArrayInput {
	var others []route53.ZoneVpc
	for _, entry := range ownedBy(state).Others(sharedlist.ZoneVPCs, zone["vpcs"]) {
		vpc, _ := entry.Value.(map[string]any)
		other := route53.ZoneVpc{VpcId: entry.Key}
		if region, has := vpc["vpcRegion"].(string); has && region != "" {
			other.VpcRegion = &region
		}
		others = append(others, other)
	}
	if len(others) == 0 || len(own) == 0 {
		return own
	}
	return own.ToZoneVpcArrayOutput().ApplyT(func(own []route53.ZoneVpc) []route53.ZoneVpc {
		all := slices.Clone(own)
		for _, other := range others {
			if !slices.ContainsFunc(own, func(vpc route53.ZoneVpc) bool { return vpc.VpcId == other.VpcId }) {
				all = append(all, other)
			}
		}
		return all
	}).(route53.ZoneVpcArrayOutput)
}

// isVPCOf reports whether a VPC is one that a state has.
func isVPCOf(state map[string]lastResource, id string) bool {
	for _, last := range state {
		arn, _ := last.Outputs["arn"].(string)
		if strings.HasSuffix(last.Type, ":Vpc") && strings.HasSuffix(arn, "/"+id) {
			return true
		}
	}
	return false
}

// withOtherTexts adds those of the last texts that are not among the own ones.
func withOtherTexts(own pulumi.StringArray, last any) pulumi.StringArray {
	for _, entry := range (sharedlist.Owned{}).Others(sharedlist.ProviderClientIDs, last) {
		if !slices.Contains(own, pulumi.StringInput(pulumi.String(entry.Key))) {
			own = append(slices.Clip(own), pulumi.String(entry.Key))
		}
	}
	return own
}

// furtherClusters returns the infra IDs of the further clusters that a network's stack had in its last state: their
// tags are the stack's own.
func furtherClusters(state map[string]lastResource) (infraIDs []string) {
	for _, last := range state {
		if last.Type != "pulumi:pulumi:Stack" {
			continue
		}
		listed, _ := last.Outputs["clusters"].([]any)
		for _, each := range listed {
			infraID, _ := each.(string)
			infraIDs = append(infraIDs, infraID)
		}
	}
	return infraIDs
}

// withOtherClusters adds those of the last tags that say that other clusters use the subnet.
func withOtherClusters(own pulumi.StringMap, last any, state map[string]lastResource) pulumi.StringMap {
	for _, entry := range ownedBy(state).Others(sharedlist.SubnetTags, last) {
		if text, _ := entry.Value.(string); own[entry.Key] == nil {
			own[entry.Key] = pulumi.String(text)
		}
	}
	return own
}

// ownedBy returns what is the stack's own by its last state.
func ownedBy(state map[string]lastResource) sharedlist.Owned {
	return sharedlist.Owned{
		VPC: func(id string) bool { return isVPCOf(state, id) }, Clusters: furtherClusters(state),
	}
}
