package stacks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// privateLink is the part of a cluster stack through which nodes reach a private control plane.
type privateLink struct {
	place  placement
	config *config.PrivateLink
	// management is the provider for the management account, and owner the provider for the account of a shared VPC. Each
	// is nil if it is the stack's own.
	management, owner pulumi.ProviderResource
	// existing are the existing parts of the endpoint.
	existing privatelink.Existing
	// serviceID is its service, if that is in the management account; otherwise "".
	serviceID string
	// serviceGone is true if the endpoint's service no longer exists.
	serviceGone bool

	service  *privatelink.EndpointService
	endpoint *privatelink.Endpoint
	// serviceName is the name of the service that the endpoint connects to; nil if it is not known yet.
	serviceName pulumi.StringInput
	// consumers are the IDs of the endpoints of other VPCs, by the consumers' names.
	consumers pulumi.StringMap
}

// checkPrivateRegion refuses a cluster whose nodes would need a PrivateLink endpoint to a service in another region.
// HyperShift creates the service in the one region that it was installed for, and such a service has endpoints in its
// own region only.
// https://github.com/openshift/hypershift/blob/main/docs/content/how-to/aws/deploy-aws-private-clusters.md
func (e *clusterProgram) checkPrivateRegion() error {
	if !e.config.EndpointAccess.HasPrivate() {
		return nil
	}
	const why = "nodes reach the control plane by PrivateLink, and HyperShift creates the endpoint service in its own region"
	var faults fault.Faults
	if region := e.management.Region; region != "" && region != e.region {
		faults.Add(config.ManagementPath, e.config.Management,
			"is in "+region+", but the cluster is in "+e.region+": "+why,
			"use a management stack of "+e.region+", or set aws:region to "+region+", or endpointAccess to Public")
	} else if a := e.config.Accounts.Management; a != nil && a.Region != "" && a.Region != e.region {
		faults.Add(config.ClusterKey+".accounts.management.region", a.Region,
			"is not the cluster's region, "+e.region+": "+why,
			"leave it out, or set aws:region to "+a.Region+", or endpointAccess to Public")
	}
	return faults.Err()
}

// preparePrivateLink looks up everything that must be known before resources are created. It returns every fault that
// only lookups can find: in the load balancers, and zones that the service does not cover.
func (e *clusterProgram) preparePrivateLink(ctx *pulumi.Context, zones []network.Zone) error {
	link := e.config.PrivateLink
	if link == nil || !e.config.EndpointAccess.HasPrivate() {
		return nil
	}
	p := &privateLink{place: e.place, config: link, management: e.accounts.management}
	if owner := e.accounts.vpcOwner; owner != nil { // also of the VPC of another stack
		p.owner = owner
	}
	account, err := p.place.account(ctx, p.owner)
	if err != nil {
		return err
	}
	guest, err := network.LookupZoneTable(ctx, account, p.place.in(p.owner)...)
	if err != nil {
		return err
	}
	if p.existing, err = privatelink.Find(ctx, e.config.Cluster, link.Service, p.place.in(p.owner)...); err != nil {
		return err
	}
	if err := p.keepService(ctx); err != nil {
		return err
	}
	if err := e.checkLink(ctx, p, guest, append(zones, e.config.Network.Existing.Zones()...)); err != nil {
		return refusedLink(e.place.origin, e.config, err)
	}
	e.privateLink = p
	return nil
}

// keepService determines whether the existing endpoint can be kept, because an endpoint cannot change its service, and
// logs a warning if it cannot.
func (p *privateLink) keepService(ctx *pulumi.Context) error {
	connected, endpoint := p.existing.ServiceName, p.existing.EndpointID
	if connected == "" {
		return nil
	}
	owner, err := privatelink.ServiceOwner(ctx, connected, p.place.in(p.management)...)
	if err != nil {
		return err
	}
	management, err := p.place.account(ctx, p.management)
	if err != nil {
		return fmt.Errorf("looking up the management account: %w", err)
	}
	p.serviceGone = owner == ""
	problem := ""
	switch {
	case p.serviceGone:
		problem = "no longer exists"
	case p.config.ServiceName != "" && p.config.ServiceName != connected:
		problem = "is not " + p.config.ServiceName
	case p.config.ServiceName == "" && owner != management:
		problem = "is in account " + owner
	}
	if owner == management {
		p.serviceID = p.existing.ServiceID()
	}
	if problem == "" || p.config.Owner != config.OwnerStack {
		return nil
	}
	p.existing.EndpointID = "" // an imported resource cannot be replaced
	return ctx.Log.Warn(fmt.Sprintf("endpoint %s is connected to %s, which %s; an endpoint cannot change its service, so it is replaced, "+
		"and nodes cannot reach the control plane until its names resolve to the new endpoint", endpoint, connected, problem), nil)
}

// checkLink checks the load balancers, and that the service covers the zones.
func (e *clusterProgram) checkLink(
	ctx *pulumi.Context,
	p *privateLink,
	guest network.ZoneTable,
	zones []network.Zone,
) error {
	var faults fault.Faults
	named, err := guest.Named(zones)
	faults.Join(e.config.ZonesKey(), err)
	covered, err := p.coverage(ctx, guest)
	if fault.In(err) == nil && err != nil {
		return err
	}
	faults.Join("privateLink", err)
	if err := faults.Err(); err != nil || covered.Of == "" {
		return err
	}
	account, err := p.place.account(ctx, p.management)
	if err != nil {
		return fmt.Errorf("accounts.management: %w", err)
	}
	management, err := network.LookupZoneTable(ctx, account, p.place.in(p.management)...)
	if err != nil {
		return fmt.Errorf("accounts.management: %w", err)
	}
	if err := privatelink.CheckZones(guest, management, named, covered); err != nil {
		return err
	}
	return e.checkConsumerZones(ctx, management, covered)
}

// coverage returns the zones that the service covers or will cover; none if they are not known yet.
func (p *privateLink) coverage(ctx *pulumi.Context, guest network.ZoneTable) (privatelink.Coverage, error) {
	var faults fault.Faults
	switch {
	case p.config.ServiceName != "":
		covered, err := privatelink.CoverageOfService(ctx, p.config.ServiceName, guest, p.place.lookups...)
		if err != nil && fault.In(err) == nil {
			return privatelink.Coverage{}, err
		}
		faults.Join("serviceName", err)
		return covered, faults.Err()
	case p.config.MakesService() && !p.config.Balancers().ArePlain():
		return privatelink.Coverage{}, nil // which load balancers there are is known later
	case p.config.MakesService():
		balancers, err := p.config.Balancers().Find(ctx, p.place.in(p.management)...)
		if err != nil && fault.In(err) == nil {
			return privatelink.Coverage{}, err
		}
		faults.Join("loadBalancers", err)
		return privatelink.CoverageOf(balancers), faults.Err()
	case p.existing.ServiceName != "" && !p.serviceGone:
		covered, err := privatelink.CoverageOfService(ctx, p.existing.ServiceName, guest, p.place.lookups...)
		if fault.In(err) != nil {
			return privatelink.Coverage{}, nil // the endpoint is connected to it already
		}
		return covered, err
	case p.config.ManagementVPC != "":
		return privatelink.CoverageOfVPC(ctx, p.config.ManagementVPC, p.place.in(p.management)...)
	}
	return privatelink.Coverage{}, nil
}

// refused maps faults found in AWS to the config, and adds both accounts' tables to a zone mismatch.
func refusedLink(origin origin, c *config.Cluster, err error) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	var faults fault.Faults
	var mismatch *privatelink.ZoneMismatch
	if errors.As(err, &mismatch) {
		faults.Join(config.ClusterKey+"."+c.ZonesKey(), found)
		return fmt.Errorf("%w\n%s", origin.placed(faults.Err()), mismatch.Table())
	}
	faults.Join(config.ClusterKey, found)
	return origin.placed(faults.Err())
}

// createPrivateLink creates the endpoint service and the endpoint, or reads the operators' ones.
func (e *clusterProgram) createPrivateLink(ctx *pulumi.Context) error {
	p := e.privateLink
	if p == nil {
		return nil
	}
	tags, apiServerLoadBalancer, err := e.publishedByOperators()
	if err != nil {
		return err
	}
	serviceName, err := p.createService(ctx, e, tags)
	if err != nil {
		return err
	}
	p.serviceName = serviceName
	args := &privatelink.EndpointArgs{
		Cluster: e.config.Cluster, Service: p.config.Service, ServiceName: serviceName,
		VPCID: e.network.VPCID, LocalZoneID: e.network.LocalZone.ID,
		MachineCIDRs: e.network.NodeCIDRs, Clients: p.config.Clients,
		Tags: tags, APIServerLoadBalancer: apiServerLoadBalancer,
		Existing: &p.existing, OperatorOwned: p.config.Owner != config.OwnerStack,
	}
	for _, zone := range e.network.Zones {
		args.Subnets = append(args.Subnets, privatelink.Subnet{
			Zone: zone, ID: e.network.NodeSubnetID(zone),
		})
	}
	if args.OperatorOwned && !args.AreNone() && p.existing.SecurityGroupID == "" {
		if err := ctx.Log.Warn("the endpoint does not allow the clients of privateLink yet: HyperShift's operator has not created its security group; run "+
			"`hypershift-aws up -s "+ctx.Stack()+"` again once the hosted cluster is available", nil); err != nil {
			return err
		}
	}
	p.endpoint, err = privatelink.NewEndpoint(ctx, privateLinkName, args, e.place.with(p.owner)...)
	return e.refusedAccess("privateLink", err)
}

// privateLinkName is the name of the endpoint's component. The names of its resources begin with it.
const privateLinkName = "private-link"

// isPrivateLink reports whether a resource is part of the endpoint, by its URN.
func isPrivateLink(urn string) bool {
	return strings.HasPrefix(urn[strings.LastIndex(urn, "::")+len("::"):], privateLinkName)
}

// ownsPrivateLink reports whether the endpoint in the last state is the stack's. The operators' one is only read, and
// leaving it out of the program deletes nothing. A state of a version without the output does not tell them apart.
func ownsPrivateLink(before map[string]lastResource) bool {
	for _, resource := range before {
		if resource.Outputs["endpointOwner"] == string(config.OwnerStack) {
			return true
		}
	}
	return false
}

// publishedByOperators returns the tags that HyperShift's operators search for the endpoint by, and whether they create
// a separate load balancer and endpoint for the API server. Both are unknown in a stack without a HostedCluster.
func (e *clusterProgram) publishedByOperators() (tags map[string]string, apiServerLoadBalancer bool, err error) {
	if e.config.HostedCluster == nil {
		return nil, false, nil
	}
	settings := e.settings()
	if tags, err = settings.EndpointTags(); err != nil {
		return nil, false, err
	}
	byRoute, err := settings.APIServerByRoute()
	return tags, !byRoute, err
}

// createService creates the endpoint service in the management account, or reads the operator's, and returns the name
// that the endpoint connects to.
func (p *privateLink) createService(
	ctx *pulumi.Context,
	e *clusterProgram,
	tags map[string]string,
) (pulumi.StringInput, error) {
	operators := p.config.Owner != config.OwnerStack
	if p.config.ServiceName != "" {
		return pulumi.String(p.config.ServiceName), nil
	}
	args := &privatelink.EndpointServiceArgs{
		Cluster: e.config.Cluster, Service: p.config.Service, LoadBalancers: p.config.LoadBalancers,
		AllowedPrincipals:  p.principals(e),
		AcceptanceRequired: p.config.AcceptanceRequired, PrivateDNSName: p.config.PrivateDNSName, Tags: tags,
		ExistingID: p.serviceID, OperatorOwned: operators,
	}
	var err error
	if p.service, err = privatelink.NewEndpointService(ctx, "private-link-service", args,
		e.place.with(p.management)...); err != nil {
		return nil, err
	}
	return p.service.ServiceName, nil
}

// principals returns the principals that may connect. One is the operator, so that it can manage the endpoint. The
// others are the config's or, by default, the stack's account, which creates the endpoint. A stack does not create one
// in a shared VPC.
func (p *privateLink) principals(e *clusterProgram) []pulumi.StringInput {
	return append([]pulumi.StringInput{e.roles.ControlPlaneOperatorARN},
		e.config.EndpointPrincipals(e.location.GlobalARN("iam", "root"))...)
}
