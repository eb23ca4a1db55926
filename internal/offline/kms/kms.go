// Package kms declares the resource types and functions of KMS for the offline account.
package kms

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of KMS.
func Kinds() []*aws.Kind {
	return keyKinds()
}

// Functions returns the functions that look up keys.
func Functions() []*aws.Function { return keyFunctions() }
