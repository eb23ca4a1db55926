// Package s3 is S3 as the offline account has it.
package s3

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of S3.
func Kinds() []*aws.Kind {
	return slices.Concat(bucketKinds(), bucketSettingKinds())
}

// Functions are the functions that look up what S3 has.
func Functions() []*aws.Function { return bucketFunctions() }
