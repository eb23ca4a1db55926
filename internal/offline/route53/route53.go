// Package route53 declares the resource types and functions of Route 53 for the offline account.
package route53

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of Route 53.
func Kinds() []*aws.Kind {
	return slices.Concat(zoneKinds(), zoneAssociationKinds())
}
