// Package iam is IAM as the offline account has it.
package iam

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of IAM.
func Kinds() []*aws.Kind {
	return slices.Concat(roleKinds(), policyKinds(), oidcKinds(), serviceLinkedRoleKinds(), userKinds())
}

// Functions are the functions that look up what IAM has.
func Functions() []*aws.Function { return lookupFunctions() }
