package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runCAPA registers the infrastructure of a cluster of Cluster API Provider AWS and, if the config has a management
// cluster, its objects. It returns the stack's outputs.
func runCAPA(ctx *pulumi.Context, place placement, region string, c *config.CAPA) (*CAPAOutputs, error) {
	var dependencies clusterDependencies
	c.Explain = place.origin.RefusedCAPA
	made, err := capa.NewInfrastructure(ctx, "capa", &c.Args, append(place.components, dependencies.watch())...)
	if err != nil {
		return nil, place.origin.RefusedCAPA(err)
	}
	if c.Kubeconfig != nil {
		provider, err := place.managementCluster(ctx, c.Kubeconfig)
		if err != nil {
			return nil, err
		}
		if _, err := capa.NewCluster(ctx, "cluster", &capa.ClusterArgs{
			Args: c.Args, Site: made.Site(), Unprotected: c.Unprotected,
			// Machines need access to the internet until they are deleted.
			DependsOn: append(dependencies.all, dependencies.forNodes...),
		}, place.with(provider)...); err != nil {
			return nil, place.origin.RefusedCAPA(err)
		}
	}
	return capaOutputs(region, c, made), nil
}

func capaOutputs(region string, c *config.CAPA, made *capa.Infrastructure) *CAPAOutputs {
	n := made.Network
	return &CAPAOutputs{
		Kind: pulumi.String(config.KindCAPA), Name: pulumi.String(c.Name), Region: pulumi.String(region), Site: made.Site().Outputs(),
		VPCID: n.VPCID, VPCCIDRs: pulumi.StringArray(n.VPCCIDRs), InternetGatewayID: n.InternetGatewayID,
		NATGatewayIDs: n.NATGatewayIDs, NATAddresses: n.NATAddresses, InterfaceEndpointIDs: n.InterfaceEndpointIDs,
		FlowLogID: n.FlowLogID, BastionInstanceID: n.BastionInstanceID, BastionAddress: n.BastionAddress, BastionGroupID: n.BastionGroupID,
		ControlPlaneProfile: made.ControlPlaneProfile, NodesProfile: made.NodesProfile, ControllersProfile: made.ControllersProfile,
		LoadBalancerName: pulumi.String(c.LoadBalancerName()),
	}
}
