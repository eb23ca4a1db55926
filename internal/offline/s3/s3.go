// Package s3 declares the resource types and functions of S3 for the offline account.
package s3

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of S3.
func Kinds() []*aws.Kind {
	return slices.Concat(bucketKinds(), bucketSettingKinds())
}
