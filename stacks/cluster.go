package stacks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// clusterProgram is a stack of kind cluster while it is registered.
type clusterProgram struct {
	place  placement
	config *config.Cluster
	region string
	// location is the location of the stack's own provider.
	location location.Location
	// kmsKeyARN is the key that encrypts etcd: the config's, else the inherited one; nil for none.
	kmsKeyARN pulumi.StringInput
	// management are the outputs of the management stack, with the key, the domain and the issuer that the cluster
	// inherited at its first update; empty without one.
	management config.ManagementOutputs
	accounts   accounts
	network    *network.GuestNetwork
	oidc       *iam.OIDCProvider
	// documents are the OIDC documents for the cluster's own signing key; nil without oidc.signingKey.
	documents *iam.OIDCDocuments
	workers   *iam.WorkerProfile
	// queue has the spot interruptions of the nodes; nil without interruptionQueue.
	queue *management.InterruptionQueue
	roles *iam.RoleSet
	// sharedRoles are the roles in a shared VPC's account, nil if the VPC is not shared.
	sharedRoles *iam.SharedVPCRoles
	// privateLink is nil without a config section or endpointAccess for it.
	privateLink *privateLink
	// dependencies are the resources that the hosted cluster depends on.
	dependencies clusterDependencies
	// live is the status of the hosted cluster in the management cluster, nil if it was not read.
	live *hostedcluster.Live
	// apiServerRoute is APIServerRoute of the hosted cluster's settings.
	apiServerRoute bool
	// hostedCluster is nil if the config has no management cluster.
	hostedCluster *hostedcluster.HostedCluster
}

// runCluster registers one hosted cluster's AWS resources and returns the stack's outputs. The names of its components
// do not depend on the config, so that no change of the config renames a resource.
func runCluster(ctx *pulumi.Context, place placement, c *config.Cluster) (*ClusterOutputs, error) {
	e := &clusterProgram{place: place, config: c, region: place.region}
	e.place.components = append(e.place.components, e.dependencies.watch())
	var err error
	if e.live, err = e.readLive(ctx); err != nil {
		return nil, err
	}
	if err := e.refer(ctx); err != nil {
		return nil, err
	}
	located := e.locate(ctx)
	zones, err := e.zonesOrFirst(ctx)
	if err != nil {
		return nil, err
	}
	if err := e.preparePrivateLink(ctx, zones); err != nil {
		return nil, err
	}
	own := e.place.components
	if e.network, err = network.NewGuestNetwork(ctx, "network", e.networkArgs(zones), own...); err != nil {
		if found := fault.In(err); found != nil {
			err = c.InPools(found)
		}
		return nil, place.origin.refused(err, config.KindCluster, "")
	}
	if err := located(); err != nil {
		return nil, err
	}
	provider := c.OIDCProvider(e.management)
	if e.oidc, err = iam.NewOIDCProvider(ctx, "oidc", provider, own...); err != nil {
		return nil, place.origin.refused(err, config.KindCluster, "oidc")
	}
	if err := e.createOIDCDocuments(ctx, provider.Issuer()); err != nil {
		return nil, err
	}
	if e.workers, err = iam.NewWorkerProfile(ctx, "workers", c.WorkerProfile(), own...); err != nil {
		return nil, place.origin.refused(err, config.KindCluster, "iam")
	}
	if err := e.createInterruptionQueue(ctx, own); err != nil {
		return nil, place.origin.refused(err, config.KindCluster, "interruptionQueue")
	}
	roles := e.roleSetArgs(provider.Issuer())
	roles.Location = &e.location
	if e.roles, err = iam.NewRoleSet(ctx, "roles", roles, own...); err != nil {
		return nil, place.origin.refused(err, config.KindCluster, "iam")
	}
	for _, part := range []func() error{
		func() error { return e.createSharedVPCRoles(ctx, roles) },
		func() error { return e.createPrivateLink(ctx) },
		func() error { return e.createHostedCluster(ctx) },
		func() error { return e.createPrivateAccess(ctx) },
	} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return e.outputs(), place.guardDestroy(ctx, Dependent{
		Kind:    config.KindCluster,
		Section: c,
		Name:    c.Name,
	}, c.Unprotected)
}

// locate begins to look up the location of the stack's own provider, and returns what waits for it: the network does
// not need it.
func (e *clusterProgram) locate(ctx *pulumi.Context) (wait func() error) {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.location, err = e.place.location(ctx)
	}()
	return func() error {
		<-done
		return err
	}
}

// networkArgs returns the args of the config, with the zones and the providers of other accounts.
func (e *clusterProgram) networkArgs(zones []network.Zone) *network.GuestNetworkArgs {
	args := e.config.Network
	args.Zones = zones
	if args.Shared != nil {
		shared := *args.Shared
		shared.VPCOwner = e.accounts.vpcOwner
		args.Shared = &shared
	}
	if further, _ := e.config.PoolSubnets(); len(further) > 0 {
		existing := *args.Existing
		existing.Further = further
		args.Existing = &existing
	}
	if args.PublicZone != nil {
		public := *args.PublicZone
		public.ParentZoneOwner = e.accounts.parentZone
		args.PublicZone = &public
	}
	return &args
}

// roleSetArgs returns the args of the config, with the outputs of the components registered before.
func (e *clusterProgram) roleSetArgs(issuerURL pulumi.StringInput) *iam.RoleSetArgs {
	args := e.config.RoleSet(issuerURL)
	args.KMSKeyARN = e.kmsKeyARN
	if key, plain := input.Plain(e.kmsKeyARN); plain && e.live.Exists() {
		args.FormerKMSKeyARNs = slices.DeleteFunc(append([]string{}, e.live.KMSKeys()...), func(mentioned string) bool {
			return mentioned == key
		})
	}
	args.OIDCProviderARN = e.oidc.ARN
	args.WorkerRoleARN = e.workers.RoleARN
	args.PublicZoneARN = e.network.PublicZone.ARN
	args.PrivateZoneARN = e.network.PrivateZone.ARN
	args.LocalZoneARN = e.network.LocalZone.ARN
	args.SharedVPC = e.sharedVPC()
	if e.queue != nil {
		args.InterruptionQueueARN = e.queue.ARN
	}
	if e.config.PrivateLink != nil || e.config.IAM.Scoped {
		args.EndpointVPCID = e.network.VPCID
	}
	return args
}

// createInterruptionQueue creates the queue in the account of the nodes, in which EC2 reports its interruptions.
func (e *clusterProgram) createInterruptionQueue(ctx *pulumi.Context, opts []pulumi.ResourceOption) error {
	if pools := e.config.UndrainedSpotPools(); len(pools) > 0 && ctx.DryRun() {
		if err := ctx.Log.Warn(fmt.Sprintf("node pools %s have spot instances, but the cluster has no interruptionQueue: EC2 reclaims their nodes "+
			"before they are drained; set interruptionQueue: true", strings.Join(pools, ", ")), nil); err != nil {
			return err
		}
	}
	if !e.config.InterruptionQueue {
		return nil
	}
	var err error
	e.queue, err = management.NewInterruptionQueue(ctx, "interruptions", &management.InterruptionQueueArgs{
		Name: e.config.InterruptionQueueName(), Tags: e.config.EC2Tags(""), Location: &e.location,
	}, opts...)
	return err
}

// zonesOrFirst returns the config's zones or, if it has none, the region's first one; an existing VPC has its own. It
// includes zones that are unavailable, so that the first one does not change.
func (e *clusterProgram) zonesOrFirst(ctx *pulumi.Context) ([]network.Zone, error) {
	if n := e.config.Network; len(n.Zones) > 0 || n.Existing != nil {
		return n.Zones, nil
	}
	found, err := aws.GetAvailabilityZones(ctx, &aws.GetAvailabilityZonesArgs{
		Filters: []aws.GetAvailabilityZonesFilter{{Name: "zone-type", Values: []string{"availability-zone"}}},
	}, e.place.lookups...)
	if err != nil {
		return nil, fmt.Errorf("looking up the region's zones: %s; set network.zones", awsprovider.Cause(err))
	}
	if len(found.Names) == 0 {
		return nil, errors.New("the region has no zones for this account; set network.zones")
	}
	return []network.Zone{{Name: slices.Min(found.Names)}}, nil
}

// clusterDependencies are the resources that a hosted cluster depends on, as they are registered. A control plane
// deletes its own AWS resources, with its roles, in its network and in its zones, so none of these may be deleted
// before it. It depends on every AWS resource of the stack except NAT gateways and their routes, which only nodes use,
// and the zones' SOA records, which are deleted with their zones.
type clusterDependencies struct {
	all, forNodes []pulumi.Resource
}

// watch returns the option of a component that records every resource of it.
func (d *clusterDependencies) watch() pulumi.ResourceOption {
	return pulumi.Transformations([]pulumi.ResourceTransformation{
		func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
			d.add(args)
			return nil
		},
	})
}

func (d *clusterDependencies) add(args *pulumi.ResourceTransformationArgs) {
	resource, isCustom := args.Resource.(pulumi.CustomResource)
	switch {
	case !isCustom || !strings.HasPrefix(args.Type, "aws:"):
		// Components, providers, references to stacks, and the objects themselves.
	case isSOA(args):
		// Names are not looked up before the control plane exists, and the provider takes half a minute to create the record.
	case isEgress(args):
		d.forNodes = append(d.forNodes, resource)
	default:
		d.all = append(d.all, resource)
	}
}

// isEgress reports whether a resource is a NAT gateway or a route to one. They take longest to create, control planes
// do not use them, and HyperShift's own CLI does not wait for them either.
func isEgress(args *pulumi.ResourceTransformationArgs) bool {
	switch props := args.Props.(type) {
	case *ec2.NatGatewayArgs:
		return true
	case *ec2.RouteArgs:
		return props.NatGatewayId != nil
	}
	return false
}

// isSOA reports whether a resource is a zone's SOA record.
func isSOA(args *pulumi.ResourceTransformationArgs) bool {
	record, ok := args.Props.(*route53.RecordArgs)
	return ok && record.Type == pulumi.StringInput(pulumi.String("SOA"))
}
