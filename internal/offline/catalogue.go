package offline

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/cloudfront"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ec2"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/elbv2"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/eventbridge"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kms"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ram"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/route53"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/s3"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/sqs"
)

// catalogue lists the resource types, functions and quotas of the offline account.
func catalogue() aws.Catalogue {
	return aws.NewCatalogue(slices.Concat(
		ec2.Kinds(), elbv2.Kinds(), iam.Kinds(), route53.Kinds(), s3.Kinds(),
		kms.Kinds(), cloudfront.Kinds(), sqs.Kinds(), eventbridge.Kinds(), ram.Kinds(),
	), slices.Concat(
		aws.IdentityFunctions(), ec2.Functions(), elbv2.Functions(), iam.Functions(), route53.Functions(), s3.Functions(), kms.Functions(),
	), quotas())
}
