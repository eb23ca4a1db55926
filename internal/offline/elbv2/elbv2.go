// Package elbv2 is Elastic Load Balancing as the offline account has it.
package elbv2

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of Elastic Load Balancing.
func Kinds() []*aws.Kind {
	return loadBalancerKinds()
}

// Functions are the functions that look up what Elastic Load Balancing has.
func Functions() []*aws.Function { return loadBalancerFunctions() }
