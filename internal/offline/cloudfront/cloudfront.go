// Package cloudfront declares the resource types of CloudFront for the offline account.
package cloudfront

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of CloudFront.
func Kinds() []*aws.Kind {
	return distributionKinds()
}
