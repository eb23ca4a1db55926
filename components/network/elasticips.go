package network

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

var allocationPattern = regexp.MustCompile(`^eipalloc-[0-9a-f]{8}([0-9a-f]{9})?$`)

func (args *GuestNetworkArgs) validateElasticIPs() error {
	var faults fault.Faults
	if ValidateZones(args.zones()) != nil || args.NAT.Validate() != nil {
		return nil // which zones have a NAT gateway is not known
	}
	var natZones []string
	for _, zone := range args.natOrDefault().zones(place(args.zones())) {
		natZones = append(natZones, zone.name)
	}
	first := map[string]string{}
	for _, zone := range slices.Sorted(maps.Keys(args.ElasticIPs)) {
		path, id := "["+zone+"]", args.ElasticIPs[zone]
		switch other, twice := first[id]; {
		case len(natZones) == 0:
			faults.Add(path, id, "is for a NAT gateway, and the network has none", "leave it out, or give nat PerZone or Single")
		case !slices.Contains(natZones, zone):
			faults.Add(path, id, "is for a zone without a NAT gateway", "give addresses for "+strings.Join(natZones, ", "))
		case !allocationPattern.MatchString(id):
			faults.Add(path, id, "is not the allocation ID of an elastic IP", "give one such as eipalloc-0123456789abcdef0")
		case twice:
			faults.Add(path, id, "is already the address of "+other, "give each zone an address of its own")
		}
		first[id] = zone
	}
	return faults.Err()
}

// findElasticIPs checks that the given addresses are free, or the network's own NAT gateways' already.
func (b *builder) findElasticIPs() error {
	var faults fault.Faults
	b.found.addresses = map[string]string{}
	for _, zone := range slices.Sorted(maps.Keys(b.args.ElasticIPs)) {
		id := b.args.ElasticIPs[zone]
		address, err := ec2.GetElasticIp(b.ctx, &ec2.GetElasticIpArgs{Id: &id}, b.parent())
		switch {
		case err != nil:
			faults.Join("["+zone+"]", lookupFault(id, err, "give an elastic IP of this account and region"))
		case address.AssociationId != "" && !b.ownNAT(zone, id):
			faults.Add("["+zone+"]", id, "is in use", "give an elastic IP that nothing is associated with")
		default:
			b.found.addresses[zone] = address.PublicIp
		}
	}
	return faults.Err()
}

// ownNAT says whether the network has a NAT gateway in the zone already that sends from the address.
func (b *builder) ownNAT(zone, allocation string) bool {
	own, err := ec2.GetNatGateways(b.ctx, &ec2.GetNatGatewaysArgs{Tags: b.profile.tagging.NATGateway(b.natName(zone))}, b.parent())
	if err != nil {
		return false
	}
	return slices.ContainsFunc(own.Ids, func(id string) bool {
		gateway, err := ec2.LookupNatGateway(b.ctx, &ec2.LookupNatGatewayArgs{Id: &id}, b.parent())
		return err == nil && gateway.State == "available" && gateway.AllocationId == allocation
	})
}

// elasticIP is the address that a zone's NAT gateway sends from: the one that was given, or a new one.
func (b *builder) elasticIP(zone string, internet *ec2.InternetGateway) (allocation, address pulumi.StringOutput, err error) {
	if given, ok := b.args.ElasticIPs[zone]; ok {
		return text(given), text(b.found.addresses[zone]), nil
	}
	// AWS takes the internet gateway from a VPC only when no public address is left in it, so address and
	// NAT gateway come after it and go before it.
	ip, err := ec2.NewEip(b.ctx, b.child("eip-"+zone), &ec2.EipArgs{
		Domain: pulumi.String("vpc"),
		Tags:   b.tags(b.args.Cluster.InfraID + "-eip-" + zone),
	}, b.parent(), pulumi.DependsOn([]pulumi.Resource{internet}))
	if err != nil {
		return pulumi.StringOutput{}, pulumi.StringOutput{}, err
	}
	return ip.AllocationId, ip.PublicIp, nil
}
