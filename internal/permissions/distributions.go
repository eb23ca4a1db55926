package permissions

// distributionEntries are CloudFront's, whose IDs are not known beforehand.
func distributionEntries() []entry {
	return []entry{
		{
			token:  "aws:cloudfront/distribution:Distribution",
			create: []string{"cloudfront:CreateDistribution", "cloudfront:TagResource"},
			read:   []string{"cloudfront:GetDistribution", "cloudfront:ListTagsForResource"},
			update: []string{"cloudfront:UpdateDistribution", "cloudfront:UntagResource"},
			remove: []string{"cloudfront:DeleteDistribution"},
			on:     arn("arn:{partition}:cloudfront::{account}:distribution/*"),
		},
		{
			token:  "aws:cloudfront/originAccessControl:OriginAccessControl",
			create: []string{"cloudfront:CreateOriginAccessControl"},
			read:   []string{"cloudfront:GetOriginAccessControl"},
			update: []string{"cloudfront:UpdateOriginAccessControl"},
			remove: []string{"cloudfront:DeleteOriginAccessControl"},
			on:     arn("arn:{partition}:cloudfront::{account}:origin-access-control/*"),
		},
	}
}
