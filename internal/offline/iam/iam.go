// Package iam declares the resource types and functions of IAM for the offline account.
package iam

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of IAM.
func Kinds() []*aws.Kind {
	return slices.Concat(roleKinds(), policyKinds(), oidcKinds(), serviceLinkedRoleKinds(), userKinds())
}
