// Package ec2 is EC2 as the offline account has it.
package ec2

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of EC2.
func Kinds() []*aws.Kind {
	return slices.Concat(vpcKinds(), subnetKinds(), secondaryKinds(), gatewayKinds(), routeKinds(), endpointKinds(), endpointServiceKinds(), securityGroupKinds(), flowLogKinds(), instanceKinds())
}

// Functions are the functions that look up what EC2 has.
func Functions() []*aws.Function { return networkFunctions() }
