package network

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// findings are the results of the lookups of what args refer to.
type findings struct {
	// publicZone is the base domain's public zone; empty in mode Private.
	publicZone HostedZone
	// existing is nil if a VPC is created.
	existing *existingVPC
	// securityGroups are the existing security groups of nodes.
	securityGroups []pulumi.StringInput
	// addresses are the public addresses of the given elastic IPs, by zone.
	addresses map[string]pulumi.StringOutput
	// ownersBoundary is the permissions boundary in the account of a shared VPC's owner.
	ownersBoundary pulumi.StringInput
	// proxyZones are the network's zones in which the proxy's endpoint service is available; nil if the service's name is an output.
	proxyZones []string
	// serviceZones are the network's zones that offer a service, by the service's name.
	serviceZones map[string][]string
	// bastionImage is the ID of the bastion's AMI.
	bastionImage string
}

// locate looks up the provider's region, and computes the layout of the network.
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
	b.layout, err = layout.New(b.args.VPCCIDR, b.profile.reserved)
	return err
}

// lookUp looks up everything that args refer to. It returns a fault for each thing that does not exist or cannot be used,
// before anything is created.
func (b *builder) lookUp() error {
	b.found = &findings{}
	var faults fault.Faults
	if b.profile.hosted {
		faults.Join("shared", b.findAccounts())
		faults.Join("baseDomain", b.findPublicZone())
	}
	if b.args.Existing != nil {
		faults.Join("", b.findExisting())
		faults.Join("", b.findSecurityGroups())
	}
	faults.Join("interfaceEndpoints", b.findServiceZones())
	faults.Join("elasticIPs", b.findElasticIPs())
	if b.profile.hosted {
		faults.Join("proxy", b.findProxyService())
	}
	faults.Join("bastion", b.findBastionImage())
	return faults.Err()
}

// lookupFault returns the fault for an ID whose lookup failed.
func lookupFault(id string, err error, remedy string) *fault.Fault {
	return &fault.Fault{Value: id, Problem: "cannot be looked up: " + lookup.Cause(err), Remedy: remedy}
}
