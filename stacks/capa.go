package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runCAPA registers the infrastructure of a cluster of Cluster API Provider AWS and, where the config leads to a management
// cluster, its objects.
func runCAPA(ctx *pulumi.Context, place placement, region string, c *config.CAPA) error {
	var dependencies clusterDependencies
	made, err := capa.NewInfrastructure(ctx, "capa", &c.Args, append(place.components, dependencies.watch())...)
	if err != nil {
		return place.origin.RefusedCAPA(err)
	}
	if c.Kubeconfig != nil {
		provider, err := place.managementCluster(ctx, c.Kubeconfig)
		if err != nil {
			return err
		}
		if _, err := capa.NewCluster(ctx, "cluster", &capa.ClusterArgs{
			Args: c.Args, Site: made.Site(), Unprotected: c.Unprotected,
			// Machines need their way out until they are gone.
			DependsOn: append(dependencies.all, dependencies.forNodes...),
		}, place.with(provider)...); err != nil {
			return place.origin.RefusedCAPA(err)
		}
	}
	for name, value := range capaOutputs(region, c, made) {
		ctx.Export(name, value)
	}
	return nil
}

func capaOutputs(region string, c *config.CAPA, made *capa.Infrastructure) pulumi.Map {
	n := made.Network
	outputs := pulumi.Map{
		"kind": pulumi.String(config.KindCAPA), "name": pulumi.String(c.Name), "region": pulumi.String(region),
		"site":  made.Site().Outputs(),
		"vpcID": n.VPCID, "vpcCIDRs": pulumi.ToStringArray(n.VPCCIDRs), "internetGatewayID": n.InternetGatewayID,
		"natGatewayIDs": n.NATGatewayIDs, "natAddresses": n.NATAddresses, "interfaceEndpointIDs": n.InterfaceEndpointIDs,
		"flowLogID": n.FlowLogID, "bastionInstanceID": n.BastionInstanceID, "bastionAddress": n.BastionAddress, "bastionGroupID": n.BastionGroupID,
		"controlPlaneProfile": made.ControlPlaneProfile, "nodesProfile": made.NodesProfile, "controllersProfile": made.ControllersProfile,
		"loadBalancerName": pulumi.String(c.LoadBalancerName()),
	}
	return outputs
}
