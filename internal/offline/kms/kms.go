// Package kms is KMS as the offline account has it.
package kms

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of KMS.
func Kinds() []*aws.Kind {
	return keyKinds()
}

// Functions are the functions that look up what KMS has.
func Functions() []*aws.Function { return keyFunctions() }
