// Package elbv2 declares the resource types and functions of Elastic Load Balancing for the offline account.
package elbv2

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of Elastic Load Balancing.
func Kinds() []*aws.Kind {
	return loadBalancerKinds()
}

// Functions returns the functions that look up load balancers.
func Functions() []*aws.Function { return loadBalancerFunctions() }
