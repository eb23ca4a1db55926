package network

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2transitgateway"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// TransitGateway attaches the VPC to an existing transit gateway, by its private subnets, and routes networks to it.
type TransitGateway struct {
	// ID is the ID of the transit gateway, "tgw-…". It belongs to the VPC's account, or its owner shares it with the
	// account by AWS RAM. Required. Changing it replaces the attachment.
	ID pulumi.StringInput `yaml:"id" pulumi:"id"`
	// CIDRs are the IPv4 networks that machines in private subnets reach through the transit gateway, outside the VPC.
	// With 0.0.0.0/0, they also reach the internet through it, and nat is None. Default [0.0.0.0/0].
	CIDRs []string `yaml:"cidrs" pulumi:"cidrs,optional"`
}

// networks returns the CIDRs that are routed to the transit gateway.
func (t *TransitGateway) networks() []string {
	if t == nil {
		return nil
	}
	return orAnywhere(t.CIDRs)
}

// validate returns the faults in the transit gateway: among them routes that overlap the VPC's own or a NAT gateway's.
func (t *TransitGateway) validate(args *BaseNetworkArgs) error {
	if t == nil {
		return nil
	}
	var faults fault.Faults
	switch id, plain := input.Plain(t.ID); {
	case args.Existing != nil:
		faults.Add("", nil, "attaches a VPC that is created, but existing is set",
			"ask the owner of the VPC to attach it and to add the routes")
	case args.publicOnly():
		faults.Add("", nil, "is for private subnets, but the network has none", "leave it out")
	case !input.IsSet(t.ID):
		faults.Add("id", nil, "is missing", "set the ID of the transit gateway, such as tgw-0123456789abcdef0")
	case plain && !awsid.IsEC2("tgw", id):
		faults.Add("id", id, "is not the ID of a transit gateway", "use one such as tgw-0123456789abcdef0")
	}
	faults.Join("cidrs", args.validateRoutedCIDRs(t.networks()))
	return faults.Err()
}

// validateRoutedCIDRs returns a fault for each network that a route to a transit gateway or a firewall cannot have: the
// VPC's own, one that is listed twice, and all networks beside NAT gateways.
func (args *BaseNetworkArgs) validateRoutedCIDRs(cidrs []string) error {
	var faults fault.Faults
	if asked := args.NAT == PerZone || args.NAT == Single; asked && slices.Contains(cidrs, anywhere) {
		faults.Add("", anywhere, fmt.Sprintf("overlaps the route to the NAT gateways of nat %s", args.NAT),
			"leave nat out, or list only the networks that are not on the internet")
	}
	var own []netip.Prefix
	first := args.VPCCIDR
	if args.IPAM == nil {
		first = cmp.Or(first, layout.DefaultVPCCIDR)
	}
	for _, text := range []string{first, args.SecondaryCIDR} {
		if cidr, err := netip.ParsePrefix(text); err == nil {
			own = append(own, cidr.Masked())
		}
	}
	seen := map[string]int{}
	for i, text := range cidrs {
		path := fmt.Sprintf("[%d]", i)
		cidr, err := netip.ParsePrefix(text)
		if err != nil || !cidr.Addr().Is4() || cidr != cidr.Masked() {
			faults.Add(path, text, "is not an IPv4 CIDR", "use one such as 10.0.0.0/8, with zeros after the prefix")
			continue
		}
		if first, twice := seen[text]; twice {
			faults.Add(path, text, fmt.Sprintf("duplicates [%d]", first), "list each network once")
		}
		seen[text] = i
		for _, vpc := range own {
			if vpc.Bits() <= cidr.Bits() && vpc.Contains(cidr.Addr()) {
				faults.Add(path, text, fmt.Sprintf("overlaps %s, the VPC's own network, whose packets stay in the VPC", vpc),
					"use networks outside of the VPC")
			}
		}
	}
	return faults.Err()
}

// transitAttachment attaches the VPC to the transit gateway in the args.
type transitAttachment struct {
	*site
	// id is the ID of the transit gateway, known as soon as it is looked up.
	id pulumi.StringInput
}

// find looks the transit gateway up, so that one of another account that is not shared is refused before anything is
// created.
func (t *transitAttachment) find() error {
	if t.args.TransitGateway == nil {
		return nil
	}
	id, plain := input.Plain(t.args.TransitGateway.ID)
	if plain {
		t.id = pulumi.String(id)
		return t.check(id)
	}
	t.id = t.args.TransitGateway.ID.ToStringOutput().ApplyT(func(id string) (string, error) {
		var faults fault.Faults
		faults.Join("transitGateway.id", t.check(id))
		return id, faults.Err()
	}).(pulumi.StringOutput)
	return nil
}

func (t *transitAttachment) check(id string) error {
	found, err := ec2transitgateway.LookupTransitGateway(t.ctx, &ec2transitgateway.LookupTransitGatewayArgs{Id: &id},
		t.parent())
	if err != nil {
		return lookupFault(id, err, "use a transit gateway of the VPC's account and region, or one that its owner shares with the account by AWS RAM")
	}
	account, err := t.account()
	if err != nil {
		return err
	}
	if found.OwnerId != account && found.AutoAcceptSharedAttachments == "disable" && t.ctx.DryRun() {
		return t.ctx.Log.Warn(fmt.Sprintf("transit gateway %s of account %s does not accept attachments automatically: until its owner accepts the attachment, "+
			"AWS refuses the routes to it; then run `up` again", id, found.OwnerId), nil)
	}
	return nil
}

// create attaches the VPC to the transit gateway, in the private subnet of each zone, and routes its networks there.
func (t *transitAttachment) create(vpc *ec2.Vpc, private *privateSide) error {
	if t.args.TransitGateway == nil {
		return nil
	}
	var subnets pulumi.StringArray
	for _, zone := range t.zones {
		subnets = append(subnets, private.subnets[zone.name].ID())
	}
	attachment, err := ec2transitgateway.NewVpcAttachment(t.ctx, t.child("transit-gateway"),
		&ec2transitgateway.VpcAttachmentArgs{
			TransitGatewayId: t.id,
			VpcId:            vpc.ID(),
			SubnetIds:        subnets,
			Tags:             t.tags(t.args.Prefix + "-transit-gateway"),
		}, t.parent())
	if err != nil {
		return err
	}
	for _, zone := range t.zones {
		for _, cidr := range t.args.TransitGateway.networks() {
			if _, err := ec2.NewRoute(t.ctx, t.child(transitRoute(zone.name, cidr)), &ec2.RouteArgs{
				RouteTableId:         private.tables[zone.name].ID(),
				DestinationCidrBlock: pulumi.String(cidr),
				TransitGatewayId:     t.id,
			}, t.parent(), t.sameRoute(zone.name, cidr), pulumi.DependsOn([]pulumi.Resource{attachment})); err != nil {
				return err
			}
		}
	}
	return nil
}
