package network

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// findEndpoints checks the endpoints of the existing VPC: none has the names of one that is to be made, and
// nodes without a way out have all that they need, among them S3's gateway, which routes of theirs lead to.
func (b *builder) findEndpoints() error {
	var faults fault.Faults
	for i, item := range b.args.InterfaceEndpoints {
		for _, service := range ExpandServices([]string{item}, b.profile.services) {
			other := b.findEndpoint(service)
			if other != nil && other.PrivateDnsEnabled && !carries(other.Tags, b.profile.tagging.Plain("")) {
				faults.Add(fmt.Sprintf("interfaceEndpoints[%d]", i), service, "already has an endpoint with private DNS names in the VPC, "+other.Id, "leave it out")
			}
		}
	}
	if !b.args.isolated() {
		return faults.Err()
	}
	var missing []string
	for _, service := range missingServices(b.args.InterfaceEndpoints, b.profile) {
		if b.findEndpoint(service) == nil {
			missing = append(missing, service)
		}
	}
	if len(missing) > 0 {
		faults.Add("nat", string(None), "leaves the nodes without "+strings.Join(missing, ", ")+", for which the VPC has no endpoint",
			"give interfaceEndpoints: ["+strings.Join(missing, ", ")+"]")
	}
	if b.findEndpoint("s3") == nil {
		faults.Add("nat", string(None), "leaves the nodes without S3, for which the VPC has no endpoint",
			"create its gateway endpoint and associate the node subnets' route tables with it")
	}
	return faults.Err()
}

// findEndpoint is the VPC's endpoint for a service, nil where it has none.
func (b *builder) findEndpoint(service string) *ec2.LookupVpcEndpointResult {
	name, available := b.serviceName(service), "available"
	endpoint, err := ec2.LookupVpcEndpoint(b.ctx, &ec2.LookupVpcEndpointArgs{
		VpcId: &b.args.Existing.VPCID, ServiceName: &name, State: &available,
	}, b.parent())
	if err != nil {
		return nil
	}
	return endpoint
}

// carries says whether tags hold all the wanted ones.
func carries(tags, wanted map[string]string) bool {
	for key, value := range wanted {
		if tags[key] != value {
			return false
		}
	}
	return true
}
