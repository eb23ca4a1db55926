package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runCAPA registers the infrastructure of a cluster of Cluster API Provider AWS and, if the config has a management
// cluster, its objects. It returns the stack's outputs.
func runCAPA(ctx *pulumi.Context, place placement, c *config.CAPA) (*CAPAOutputs, error) {
	var dependencies clusterDependencies
	refused := func(err error) error { return place.origin.refused(err, config.KindCAPA, "") }
	c.Explain = refused
	made, err := capa.NewInfrastructure(ctx, "capa", &c.Args, append(place.components, dependencies.watch())...)
	if err != nil {
		return nil, refused(err)
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
			return nil, refused(err)
		}
	}
	return capaOutputs(place.region, c, made), place.guardDestroy(ctx, Dependent{
		Kind:    config.KindCAPA,
		Section: c,
		Name:    c.Name,
	}, c.Unprotected)
}

func capaOutputs(region string, c *config.CAPA, made *capa.Infrastructure) *CAPAOutputs {
	return &CAPAOutputs{
		Outputs: made.Network.Outputs, ProfileOutputs: made.ProfileOutputs,
		Kind: pulumi.String(config.KindCAPA), Name: pulumi.String(c.Name), Region: pulumi.String(region),
		Site:     made.Site().Outputs(),
		VPCCIDRs: made.Network.VPCCIDRs, BastionGroupID: made.Network.BastionGroupID,
		LoadBalancerName: pulumi.String(c.LoadBalancerName()),
	}
}
