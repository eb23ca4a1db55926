package network

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// natGateways are the NAT gateways of a network, with their addresses.
type natGateways struct {
	*site
	// addresses are the public addresses of the elastic IPs in the args, by zone.
	addresses map[string]pulumi.StringOutput
	// pool is the pool of the other addresses, known once it has been checked.
	pool pulumi.StringInput
}

// create creates the NAT gateways of the strategy, each with an elastic IP, and returns them by zone.
func (n *natGateways) create(internet *ec2.InternetGateway, public *publicSide) (map[string]*ec2.NatGateway, error) {
	gateways := map[string]*ec2.NatGateway{}
	ids, addresses, subnets := pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringMap{}
	for _, zone := range n.args.natZones(n.zones) {
		allocation, address, err := n.elasticIP(zone.name, internet)
		if err != nil {
			return nil, err
		}
		var further pulumi.StringArrayInput
		if names := n.args.furtherAddresses(zone.name); len(names) > 0 {
			var allocations pulumi.StringArray
			for _, name := range names {
				ip, err := n.newAddress(name, internet)
				if err != nil {
					return nil, err
				}
				allocations, addresses[name] = append(allocations, ip.AllocationId), ip.PublicIp
			}
			further = allocations
		}
		subnet := public.subnets[zone.name]
		gateway, err := ec2.NewNatGateway(n.ctx, n.child("nat-"+zone.name), &ec2.NatGatewayArgs{
			AllocationId:           allocation,
			SecondaryAllocationIds: further,
			SubnetId:               subnet.ID(),
			Tags:                   pulumi.ToStringMap(n.args.Tagging.NATGateway(n.gatewayName(zone.name))),
		}, n.parent(), pulumi.DependsOn([]pulumi.Resource{internet, public.route}))
		if err != nil {
			return nil, err
		}
		gateways[zone.name] = gateway
		ids[zone.name] = gateway.ID().ToStringOutput()
		addresses[zone.name] = address
		subnets[zone.name] = subnet.ID().ToStringOutput()
	}
	n.out.NATGatewayIDs = ids.ToStringMapOutput()
	n.out.NATAddresses = addresses.ToStringMapOutput()
	n.out.EgressSubnetIDs = subnets.ToStringMapOutput()
	return gateways, nil
}

// maxNATAddresses is how many elastic IPs a NAT gateway can have. Source: the guide of Amazon VPC, "Amazon VPC quotas".
const maxNATAddresses = 8

// furtherAddresses returns the names of a zone's addresses besides the first one, which has the zone's name.
func (args *BaseNetworkArgs) furtherAddresses(zone string) []string {
	var names []string
	for i := 2; i <= args.NATAddressCount; i++ {
		names = append(names, fmt.Sprintf("%s-%d", zone, i))
	}
	return names
}

// addressNames returns the names of all addresses of zones, in the order of the zones.
func (args *BaseNetworkArgs) addressNames(zones []string) []string {
	var names []string
	for _, zone := range zones {
		names = append(append(names, zone), args.furtherAddresses(zone)...)
	}
	return names
}

// validateNATAddressCount returns a fault if NAT gateways cannot have so many addresses, or if there are none.
func (args *BaseNetworkArgs) validateNATAddressCount() error {
	switch count := args.NATAddressCount; {
	case count < 0 || count > maxNATAddresses:
		return &fault.Fault{Value: count, Problem: "is not a number of addresses that a NAT gateway can have",
			Remedy: fmt.Sprintf("use 1 to %d", maxNATAddresses)}
	case count == 0 || validateZones(args.zones()) != nil || args.NAT.Validate() != nil:
		return nil
	case len(args.natZones(place(args.zones()))) == 0:
		return &fault.Fault{Value: count, Problem: "is for NAT gateways, but the network has none",
			Remedy: "leave it out, or use nat PerZone or Single"}
	}
	return nil
}

func (n *natGateways) gatewayName(zone string) string { return n.args.Prefix + "-nat-" + zone }

func (args *BaseNetworkArgs) validateElasticIPs() error {
	var faults fault.Faults
	if args.PublicMachines && len(args.ElasticIPs) > 0 {
		return &fault.Fault{
			Value:   len(args.ElasticIPs),
			Problem: "are for NAT gateways, which machines in public subnets do not use",
			Remedy:  "leave it out",
		}
	}
	if validateZones(args.zones()) != nil || args.NAT.Validate() != nil {
		return nil // it is not known which zones have a NAT gateway
	}
	natZones := zoneNames(args.natZones(place(args.zones())))
	first := map[string]string{}
	for _, zone := range slices.Sorted(maps.Keys(args.ElasticIPs)) {
		path := "[" + zone + "]"
		id, plain := input.Plain(args.ElasticIPs[zone])
		switch other, twice := first[id]; {
		case len(natZones) == 0:
			faults.Add(path, input.Value(args.ElasticIPs[zone]), "is for a NAT gateway, but the network has none",
				"leave it out, or use nat PerZone or Single")
		case !slices.Contains(natZones, zone):
			faults.Add(path, input.Value(args.ElasticIPs[zone]), "is for a zone without a NAT gateway",
				"use addresses for "+strings.Join(natZones, ", "))
		case !plain:
			continue
		case !awsid.IsEC2("eipalloc", id):
			faults.Add(path, id, "is not the allocation ID of an elastic IP", "use one such as eipalloc-0123456789abcdef0")
		case twice:
			faults.Add(path, id, "is already the address of "+other, "use a different address for each zone")
		}
		first[id] = zone
	}
	return faults.Err()
}

// findElasticIPs checks that the given addresses are free, or in use by the network's own NAT gateways.
func (n *natGateways) findElasticIPs() error {
	var faults fault.Faults
	n.addresses = map[string]pulumi.StringOutput{}
	for _, zone := range slices.Sorted(maps.Keys(n.args.ElasticIPs)) {
		path := "[" + zone + "]"
		id, plain := input.Plain(n.args.ElasticIPs[zone])
		if !plain {
			n.addresses[zone] = n.args.ElasticIPs[zone].ToStringOutput().ApplyT(func(id string) (string, error) {
				var faults fault.Faults
				address, err := n.findElasticIP(zone, id)
				faults.Join("elasticIPs"+path, err)
				return address, faults.Err()
			}).(pulumi.StringOutput)
			continue
		}
		address, err := n.findElasticIP(zone, id)
		faults.Join(path, err)
		n.addresses[zone] = text(address)
	}
	return faults.Err()
}

// findElasticIP returns the public address of a zone's elastic IP.
func (n *natGateways) findElasticIP(zone, id string) (string, error) {
	address, err := ec2.GetElasticIp(n.ctx, &ec2.GetElasticIpArgs{Id: &id}, n.parent())
	switch {
	case err != nil:
		return "", lookupFault(id, err, "use an elastic IP of this account and region")
	case address.AssociationId != "" && !n.ownNAT(zone, id):
		return "", &fault.Fault{Value: id, Problem: "is in use", Remedy: "use an elastic IP that is not associated"}
	}
	return address.PublicIp, nil
}

// ownNAT reports whether the network's NAT gateway in the zone uses the address.
func (n *natGateways) ownNAT(zone, allocation string) bool {
	tags := n.args.Tagging.NATGateway(n.gatewayName(zone))
	own := n.args.Tagging.Own("")
	for key := range n.args.Tagging.Plain("") {
		if _, kept := own[key]; !kept {
			delete(tags, key) // the gateway has the user's tags of the last update
		}
	}
	found, err := ec2.GetNatGateways(n.ctx, &ec2.GetNatGatewaysArgs{Tags: tags}, n.parent())
	if err != nil {
		return false
	}
	return slices.ContainsFunc(found.Ids, func(id string) bool {
		gateway, err := ec2.LookupNatGateway(n.ctx, &ec2.LookupNatGatewayArgs{Id: &id}, n.parent())
		return err == nil && gateway.State == "available" && gateway.AllocationId == allocation
	})
}

// elasticIP returns the address of a zone's NAT gateway: the given one, or a new one.
func (n *natGateways) elasticIP(
	zone string,
	internet *ec2.InternetGateway,
) (allocation pulumi.StringInput, address pulumi.StringOutput, err error) {
	if given, ok := n.args.ElasticIPs[zone]; ok {
		address := n.addresses[zone]
		if id, plain := input.Plain(given); plain {
			return pulumi.String(id), address, nil
		}
		// The gateway is created after the address has been checked.
		allocation = pulumi.All(given, address).ApplyT(func(values []any) string {
			return values[0].(string)
		}).(pulumi.StringOutput)
		return allocation, address, nil
	}
	ip, err := n.newAddress(zone, internet)
	if err != nil {
		return nil, pulumi.StringOutput{}, err
	}
	return ip.AllocationId, ip.PublicIp, nil
}
