package network

import (
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// findings are what AWS has of the things that the args refer to.
type findings struct {
	// publicZone is the base domain's; empty in mode Private.
	publicZone HostedZone
	// privateZone and localZone are those that were given, nil where they are made.
	privateZone, localZone *HostedZone
	// existing is nil where a VPC is made.
	existing *foundVPC
	// addresses are the public addresses of the given elastic IPs, by zone.
	addresses map[string]string
	// proxyZones are those of the network's zones that the proxy's endpoint service is in.
	proxyZones []string
	// serviceZones are those of the network's zones that have a service, by the service's name.
	serviceZones map[string][]string
	// bastionImage is the ID of the machine image that a bastion starts from.
	bastionImage string
}

// locate asks the provider where it is, and lays the network out there.
func (b *builder) locate() error {
	region, err := location.LookupRegion(b.ctx, b.parent())
	if err != nil {
		return err
	}
	b.region = region
	zones := "zones"
	if b.args.Existing != nil {
		zones = "existing.subnets"
	}
	var faults fault.Faults
	faults.Join(zones, ValidateZonesIn(b.region, b.args.zones()))
	before := b.args.zones()
	faults.Join(zones, b.nameZones())
	if err := faults.Err(); err != nil {
		return err
	}
	b.given = map[string]string{}
	for i, zone := range b.args.zones() {
		b.given[zone.Name] = before[i].Name
	}
	b.zones = place(b.args.zones())
	for _, zone := range b.zones {
		b.network.Zones = append(b.network.Zones, zone.name)
	}
	b.layout, err = newLayout(b.args.VPCCIDR, b.profile.reserved)
	return err
}

// survey asks AWS about everything that the args refer to. Whatever is otherwise than they say is told at
// once, before anything is made.
func (b *builder) survey() error {
	b.found = &findings{}
	var faults fault.Faults
	if b.profile.hosted {
		faults.Join("shared", b.findAccounts())
		faults.Join("baseDomain", b.findPublicZone())
	}
	if b.args.Existing != nil {
		faults.Join("", b.findExisting())
		faults.Join("securityGroups", b.findSecurityGroups())
	}
	faults.Join("interfaceEndpoints", b.findServiceZones())
	faults.Join("elasticIPs", b.findElasticIPs())
	if b.profile.hosted {
		faults.Join("proxy", b.findProxyService())
	}
	faults.Join("bastion", b.findBastionImage())
	return faults.Err()
}

// lookupFault is the fault of an ID that AWS does not answer for.
func lookupFault(id string, err error, remedy string) *fault.Fault {
	return &fault.Fault{Value: id, Problem: "cannot be looked up: " + err.Error(), Remedy: remedy}
}
