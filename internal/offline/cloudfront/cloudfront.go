// Package cloudfront is CloudFront as the offline account has it.
package cloudfront

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of CloudFront.
func Kinds() []*aws.Kind {
	return distributionKinds()
}
