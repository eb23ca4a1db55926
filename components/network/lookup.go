package network

import (
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

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
	b.zoneAsGiven = map[string]string{}
	for i, zone := range b.args.zones() {
		b.zoneAsGiven[zone.Name] = before[i].Name
	}
	b.zones = place(b.args.zones())
	b.layout, err = layout.New(b.args.VPCCIDR, b.args.Reserved)
	return err
}

// lookUp looks up everything that args refer to. It returns a fault for each thing that does not exist or cannot be used,
// before anything is created.
func (b *builder) lookUp() error {
	var faults fault.Faults
	if b.args.Existing != nil {
		faults.Join("", b.findExisting())
	}
	faults.Join("interfaceEndpoints", b.findServiceZones())
	faults.Join("elasticIPs", b.findElasticIPs())
	faults.Join("bastion", b.findBastionImage())
	return faults.Err()
}

// lookupFault returns the fault for an ID whose lookup failed.
func lookupFault(id string, err error, remedy string) *fault.Fault {
	return &fault.Fault{Value: id, Problem: "cannot be looked up: " + lookup.Cause(err), Remedy: remedy}
}
