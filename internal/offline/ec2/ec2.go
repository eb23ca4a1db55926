// Package ec2 declares the resource types and functions of EC2 for the offline account.
package ec2

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of EC2.
func Kinds() []*aws.Kind {
	return slices.Concat(vpcKinds(), subnetKinds(), secondaryKinds(), gatewayKinds(), ipv6Kinds(), routeKinds(), transitKinds(), endpointKinds(), endpointServiceKinds(),
		securityGroupKinds(), flowLogKinds(), instanceKinds())
}
