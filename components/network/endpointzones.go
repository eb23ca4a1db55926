package network

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
)

// findServiceZones looks up in which of the network's zones AWS offers each service that gets an interface endpoint: AWS refuses an
// endpoint with a subnet in another zone. It returns a fault for a service that the region does not have, and for one that none of the
// network's zones has.
func (b *builder) findServiceZones() error {
	b.endpointZones = map[string][]string{}
	var faults fault.Faults
	var mutex sync.Mutex
	var lookups sync.WaitGroup
	for i, item := range b.args.InterfaceEndpoints {
		for _, service := range expandServices([]string{item}, b.args.Services) {
			lookups.Go(func() {
				zones, err := b.serviceZones(service)
				mutex.Lock()
				defer mutex.Unlock()
				b.endpointZones[service] = zones
				faults.Join(fmt.Sprintf("[%d]", i), err)
			})
		}
	}
	lookups.Wait()
	slices.SortFunc(faults, func(a, b *fault.Fault) int { return strings.Compare(a.Error(), b.Error()) })
	return faults.Err()
}

// serviceZones returns the network's zones that offer the service.
func (b *builder) serviceZones(service string) ([]string, error) {
	name, kind := b.serviceName(service), "Interface"
	found, err := ec2.LookupVpcEndpointService(b.ctx, &ec2.LookupVpcEndpointServiceArgs{ServiceName: &name, ServiceType: &kind}, b.parent())
	switch {
	case err != nil && lookup.IsMissing(err):
		return nil, &fault.Fault{Value: service, Problem: "is not a service with interface endpoints in " + b.region,
			Remedy: "correct it, or leave it out; `aws ec2 describe-vpc-endpoint-services` lists the region's services"}
	case err != nil:
		return nil, lookupFault(service, err, "allow ec2:DescribeVpcEndpointServices, or leave it out")
	}
	var all, zones []string
	for _, zone := range b.zones {
		all = append(all, zone.name)
		if slices.Contains(found.AvailabilityZones, zone.name) {
			zones = append(zones, zone.name)
		}
	}
	switch {
	case len(found.AvailabilityZones) == 0: // in GovCloud AWS returns only the names of its services
		return all, nil
	case len(zones) == 0:
		return nil, &fault.Fault{Value: service, Problem: "is offered in none of the network's zones, " + strings.Join(all, ", "),
			Remedy: "leave it out, or add a zone that offers it: " + strings.Join(slices.Sorted(slices.Values(found.AvailabilityZones)), ", ")}
	}
	return zones, nil
}
