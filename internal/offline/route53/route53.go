// Package route53 is Route 53 as the offline account has it.
package route53

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of Route 53.
func Kinds() []*aws.Kind {
	return slices.Concat(zoneKinds(), zoneAssociationKinds())
}

// Functions are the functions that look up what Route 53 has.
func Functions() []*aws.Function { return zoneFunctions() }
