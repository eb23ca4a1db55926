package stacks

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// estate is what a stack of kind cluster has made.
type estate struct {
	config *ClusterConfig
	region string
	// management is what the management stack hands on, empty without one.
	management Management
	accounts   accounts
	network    *network.GuestNetwork
	oidc       *iam.OIDCProvider
	workers    *iam.WorkerProfile
	roles      *iam.RoleSet
	// sharedRoles are those in a shared VPC's account, nil where the VPC is the cluster's own.
	sharedRoles *iam.SharedVPCRoles
	// privateLink is nil where the config or the mode is without.
	privateLink *privateLink
	// grounds are what the hosted cluster stands on.
	grounds grounds
	// hostedCluster is nil where the config does not lead to a management cluster.
	hostedCluster *hostedcluster.HostedCluster
}

// runCluster registers one hosted cluster's AWS estate. The names of its components do not depend on
// the config, so that no change of it moves a resource to another name.
func runCluster(ctx *pulumi.Context, file stackFile, region string, config *ClusterConfig) error {
	e := &estate{config: config, region: region}
	if err := e.grounds.watch(ctx); err != nil {
		return err
	}
	if err := e.refer(ctx); err != nil {
		return err
	}
	zones, err := config.zonesOrFirst(ctx)
	if err != nil {
		return err
	}
	if err := e.preparePrivateLink(ctx, zones); err != nil {
		return err
	}
	if e.network, err = network.NewGuestNetwork(ctx, "network", config.guestNetworkArgs(zones, e.accounts)); err != nil {
		return file.refused(err, inCluster("network"))
	}
	if e.oidc, err = iam.NewOIDCProvider(ctx, "oidc", config.oidcProviderArgs(e.management)); err != nil {
		return file.refused(err, inCluster("oidc"))
	}
	if e.workers, err = iam.NewWorkerProfile(ctx, "workers", config.workerProfileArgs()); err != nil {
		return file.refused(err, inCluster("iam"))
	}
	roles := config.roleSetArgs(config.oidcProviderArgs(e.management).Issuer())
	roles.OIDCProviderARN = e.oidc.ARN
	roles.WorkerRoleARN = e.workers.RoleARN
	roles.PublicZoneARN = e.network.PublicZone.ARN
	roles.PrivateZoneARN = e.network.PrivateZone.ARN
	roles.LocalZoneARN = e.network.LocalZone.ARN
	roles.SharedVPC = e.sharedVPC()
	if config.PrivateLink != nil {
		roles.EndpointVPCID = e.network.VPCID
	}
	if e.roles, err = iam.NewRoleSet(ctx, "roles", roles); err != nil {
		return file.refused(err, inCluster("iam"))
	}
	if err := e.makeSharedVPCRoles(ctx, roles); err != nil {
		return err
	}
	if err := e.makePrivateLink(ctx); err != nil {
		return err
	}
	if err := e.makeHostedCluster(ctx); err != nil {
		return err
	}
	e.export(ctx)
	return nil
}

// zonesOrFirst are the config's zones or, where it names none, the region's first one; an existing VPC has its own. Zones that are
// down count too: which is the first must not change with that.
func (c *ClusterConfig) zonesOrFirst(ctx *pulumi.Context) ([]network.Zone, error) {
	if zones := c.zones(); len(zones) > 0 || c.Network.Existing != nil {
		return zones, nil
	}
	found, err := aws.GetAvailabilityZones(ctx, &aws.GetAvailabilityZonesArgs{
		Filters: []aws.GetAvailabilityZonesFilter{{Name: "zone-type", Values: []string{"availability-zone"}}},
	})
	if err != nil {
		return nil, fmt.Errorf("asking AWS for the region's zones: %w; give network.zones", err)
	}
	if len(found.Names) == 0 {
		return nil, errors.New("the region shows this account no zones; give network.zones")
	}
	return []network.Zone{{Name: slices.Min(found.Names)}}, nil
}
