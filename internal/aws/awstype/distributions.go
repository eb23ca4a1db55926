package awstype

import "time"

// Types that other packages name.
const (
	Distribution        = "aws:cloudfront/distribution:Distribution"
	OriginAccessControl = "aws:cloudfront/originAccessControl:OriginAccessControl"
)

// AWS chooses the IDs of CloudFront's resources.

func distributionTypes() []Type {
	distribution := tagged("cloudfront:distribution", "arn:{partition}:cloudfront::{account}:distribution/{id}")
	distribution.Tags.Region = "us-east-1"
	return []Type{
		{
			Token: Distribution, Label: "CloudFront distribution", Tagged: true,
			Permissions: Permissions{
				Create: []string{"cloudfront:CreateDistribution", "cloudfront:TagResource"},
				Read:   []string{"cloudfront:GetDistribution", "cloudfront:ListTagsForResource"},
				Update: []string{"cloudfront:UpdateDistribution", "cloudfront:UntagResource"},
				Delete: []string{"cloudfront:DeleteDistribution"},
				On:     on("arn:{partition}:cloudfront::{account}:distribution/*"),
			},
			Find: distribution, Deletion: Deletion{Rank: 92, Wait: 30 * time.Minute}, Price: "distribution", // disabled before it is deleted
			Adopt: adoptedBySearch().owned().noted("or the one that the policy of the OIDC bucket names"),
		},
		{
			Token: OriginAccessControl, Label: "origin access control",
			Permissions: Permissions{
				Create: []string{"cloudfront:CreateOriginAccessControl"},
				Read:   []string{"cloudfront:GetOriginAccessControl"},
				Update: []string{"cloudfront:UpdateOriginAccessControl"},
				Delete: []string{"cloudfront:DeleteOriginAccessControl"},
				On:     on("arn:{partition}:cloudfront::{account}:origin-access-control/*"),
			},
			Find:     Find{Remedy: "it has no tags, and its name is unique in CloudFront: if the name is refused because it exists, delete it in CloudFront"},
			Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByGivenID("or the one with which the distribution reads the OIDC bucket"),
		},
	}
}
