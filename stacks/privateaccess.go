package stacks

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// privateAccess is the part of a cluster stack through which other VPCs than the nodes' reach a private control plane.
// The names of its resources begin with its own, which does not depend on the config.
type privateAccess struct{ pulumi.ResourceState }

const privateAccessType = config.ProjectName + ":privatelink:Access"

// consumersKey returns the path of a consumer below the section.
func consumersKey(i int) string { return fmt.Sprintf("privateLink.consumers[%d]", i) }

// providerOf returns the provider of a further account, nil for the stack's own.
func (e *clusterProgram) providerOf(account string) pulumi.ProviderResource {
	if provider := e.accounts.further[account]; provider != nil {
		return provider
	}
	return nil
}

// checkConsumerZones checks that the service covers the zones of the consumers' subnets. Subnets that cannot be found
// are left to the component's own checks.
func (e *clusterProgram) checkConsumerZones(
	ctx *pulumi.Context,
	management network.ZoneTable,
	covered privatelink.Coverage,
) error {
	var faults fault.Faults
	for i := range e.config.PrivateLink.Consumers {
		consumer := &e.config.PrivateLink.Consumers[i]
		provider := e.providerOf(consumer.Account)
		if !input.ArePlain(consumer.SubnetIDs...) {
			continue
		}
		account, err := e.place.account(ctx, provider)
		if err != nil {
			return fmt.Errorf("%s.account: %w", consumersKey(i), err)
		}
		table, err := network.LookupZoneTable(ctx, account, e.place.in(provider)...)
		if err != nil {
			return fmt.Errorf("%s.account: %w", consumersKey(i), err)
		}
		for j, id := range input.Texts(consumer.SubnetIDs) {
			subnet, err := ec2.LookupSubnet(ctx, &ec2.LookupSubnetArgs{Id: &id}, e.place.in(provider)...)
			if err != nil && awsprovider.IsMissing(err) {
				continue
			}
			if err != nil {
				return awsprovider.Failed("subnet "+id, err)
			}
			for _, f := range fault.In(privatelink.CheckZones(table, management,
				[]network.Zone{{Name: subnet.AvailabilityZone}}, covered)) {
				f.Path = ""
				faults.Join(fmt.Sprintf("%s.subnetIDs[%d]", consumersKey(i), j), f)
			}
		}
	}
	return faults.Err()
}

// createPrivateAccess creates the endpoints of consumers, and associates the local zone with further VPCs. It is
// registered after the hosted cluster, which does not need it.
func (e *clusterProgram) createPrivateAccess(ctx *pulumi.Context) error {
	p := e.privateLink
	if p == nil || len(p.config.Consumers)+len(p.config.LocalZoneVPCs) == 0 {
		return nil
	}
	access := &privateAccess{}
	if err := ctx.RegisterComponentResource(privateAccessType, config.PrivateAccessName, access,
		e.place.components...); err != nil {
		return fmt.Errorf("registering the access of other VPCs: %w", err)
	}
	for i := range p.config.LocalZoneVPCs {
		if err := e.associateLocalZone(ctx, access, i); err != nil {
			return err
		}
	}
	if err := e.createConsumers(ctx, access); err != nil {
		return err
	}
	return ctx.RegisterResourceOutputs(access, pulumi.Map{})
}

// within returns the options of a component in the private access that comes from a provider; nil for the stack's own.
func (e *clusterProgram) within(access *privateAccess, provider pulumi.ProviderResource) []pulumi.ResourceOption {
	return append(append([]pulumi.ResourceOption{}, e.place.with(provider)...), pulumi.Parent(access))
}

// associateLocalZone associates the local zone with one of the further VPCs.
func (e *clusterProgram) associateLocalZone(ctx *pulumi.Context, access *privateAccess, i int) error {
	vpc := e.config.PrivateLink.LocalZoneVPCs[i]
	var zoneIn pulumi.ProviderResource
	if shared := e.config.Network.Shared; shared != nil && shared.PrivateZonesIn.OrDefault() == network.OwnerZones {
		zoneIn = e.accounts.vpcOwner
	}
	args := vpc.ZoneAssociationArgs
	args.ZoneID, args.VPCOwner = e.network.LocalZone.ID, e.accounts.further[vpc.Account]
	part, plain := input.Plain(vpc.VPCID)
	if !plain {
		part = fmt.Sprint(i)
	}
	name := config.PrivateAccessName + "-zone-" + part
	_, err := privatelink.NewZoneAssociation(ctx, name, &args, e.within(access, zoneIn)...)
	return e.refusedAccess(fmt.Sprintf("privateLink.localZoneVPCs[%d]", i), err)
}

// createConsumers creates the endpoints of other VPCs. With a service of HyperShift's operator, they are left out until
// the service exists and allows their accounts, which the operator does once the HostedCluster names them.
func (e *clusterProgram) createConsumers(ctx *pulumi.Context, access *privateAccess) error {
	p := e.privateLink
	before, err := resourceOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return err
	}
	p.consumers = pulumi.StringMap{}
	zonesIn, err := e.place.account(ctx, p.owner)
	if err != nil {
		return err
	}
	for i := range p.config.Consumers {
		consumer := p.config.Consumers[i]
		provider := e.providerOf(consumer.Account)
		args := consumer.ConsumerArgs
		args.Cluster, args.Service, args.ClusterAccountID = e.config.Cluster, p.config.Service, zonesIn
		if _, args.APIServerLoadBalancer, err = e.publishedByOperators(); err != nil {
			return err
		}
		if args.ServiceName, err = e.serviceFor(ctx, consumer, provider, before); err != nil {
			return err
		}
		if args.ServiceName == nil {
			if err := ctx.Log.Warn(fmt.Sprintf("consumer %s is left out of this update: HyperShift's operator has not created an endpoint service that "+
				"its account may connect to; run `hypershift-aws up -s %s` again once the hosted cluster is available",
				consumer.Name, ctx.Stack()), nil); err != nil {
				return err
			}
			continue
		}
		made, err := privatelink.NewConsumer(ctx, consumer.ResourceName(), &args, e.within(access, provider)...)
		if err != nil {
			return e.refusedAccess(consumersKey(i), err)
		}
		p.consumers[consumer.Name] = made.ID
	}
	return nil
}

// serviceFor returns the name of the service that a consumer connects to, nil if it cannot connect yet. A consumer that
// exists keeps its service while the operator's endpoint cannot be found.
func (e *clusterProgram) serviceFor(
	ctx *pulumi.Context,
	consumer config.Consumer,
	provider pulumi.ProviderResource,
	before map[string]lastResource,
) (pulumi.StringInput, error) {
	p := e.privateLink
	if p.config.Owner == config.OwnerStack {
		return p.serviceName, nil
	}
	name := p.config.ServiceName
	if name == "" && !p.serviceGone {
		name = p.existing.ServiceName
	}
	for urn, last := range before {
		if !strings.HasSuffix(urn, "::"+consumer.ResourceName()) || !strings.HasSuffix(last.Type, ":VpcEndpoint") {
			continue
		}
		if connected, _ := last.Outputs["serviceName"].(string); name == "" || name == connected {
			return pulumi.String(connected), nil
		}
	}
	if name == "" {
		return nil, nil
	}
	owner, err := privatelink.ServiceOwner(ctx, name, e.place.in(provider)...)
	if err != nil || owner == "" {
		return nil, err
	}
	return pulumi.String(name), nil
}

// refusedAccess maps the faults of a component to the path of its config. Other errors are returned unchanged.
func (e *clusterProgram) refusedAccess(path string, err error) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	var faults fault.Faults
	faults.Join(config.ClusterKey+"."+path, found)
	return e.place.origin.placed(faults.Err())
}
