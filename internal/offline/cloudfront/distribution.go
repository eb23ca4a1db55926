// Package cloudfront declares the resource types of CloudFront for the offline account.
package cloudfront

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudfront"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// distributionsZone is the Route 53 zone of all distributions' domains.
const distributionsZone = "Z2FDTNDATAQYW2"

// Kinds returns the resource types of CloudFront.
func Kinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.OriginAccessControl, Args: cloudfront.OriginAccessControlArgs{},
			State:   cloudfront.OriginAccessControlState{},
			Service: "CloudFront", Noun: "Origin Access Control", Calls: aws.Calls{Update: "UpdateOriginAccessControl"},
			Global:   true,
			AutoName: "name",
			NotFound: awserr.Template{
				Code: "NoSuchOriginAccessControl",
				Text: "The specified origin access control does not exist: %s",
			},
			InUse:       awserr.Template{Code: "OriginAccessControlInUse", Text: "Cannot delete the origin access control because it's in use by one or more other resources (%s)."},
			Rules:       []aws.Rule{accessControlNameFree},
			DeleteRules: []aws.Rule{accessControlUnused},
			ID:          newID,
			OnCreate: func(c *aws.Call) error {
				c.Resource.State["etag"] = ids.Code("E", 14)
				return nil
			},
		},
		{
			Token: awstype.Distribution, Args: cloudfront.DistributionArgs{}, State: cloudfront.DistributionState{},
			Service: "CloudFront", Noun: "Distribution", Calls: aws.Calls{Update: "UpdateDistribution"}, Global: true,
			NotFound: awserr.Template{Code: "NoSuchDistribution", Text: "The specified distribution does not exist: %s"},
			Rules:    []aws.Rule{originsExist, aliasesAllowed},
			ID:       newID,
			OnCreate: func(c *aws.Call) error {
				s := c.Resource.State
				s["domainName"] = "d" + ids.RandomOf("abcdefghijklmnopqrstuvwxyz0123456789", 13) + ".cloudfront.net"
				s["hostedZoneId"] = distributionsZone
				s["callerReference"] = ids.RandomOf("0123456789", 20)
				s["etag"] = ids.Code("E", 14)
				s["status"] = "Deployed"
				s["trustedKeyGroups"], s["trustedSigners"] = []any{map[string]any{"enabled": false}},
					[]any{map[string]any{"enabled": false}}
				s["lastModifiedTime"] = ids.Timestamp()
				return nil
			},
		},
	}
}

func newID(*aws.Call) string { return ids.Code("E", 14) }

// accessControlNameFree: an origin access control's name is unique in an account.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_CreateOriginAccessControl.html
func accessControlNameFree(c *aws.Call) error {
	if len(c.Others("name")) > 0 {
		return awserr.Errorf("OriginAccessControlAlreadyExists",
			"An origin access control with the same name already exists.")
	}
	return nil
}

// accessControlUnused: an origin access control can be deleted only when no distribution uses it.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_DeleteOriginAccessControl.html
func accessControlUnused(c *aws.Call) error {
	for _, distribution := range c.All(awstype.Distribution) {
		if slices.ContainsFunc(distribution.State.Objects("origins"), func(origin props.Map) bool {
			return origin.String("originAccessControlId") == c.Resource.ID
		}) {
			return c.Kind.InUse.For(c.Resource.ID)
		}
	}
	return nil
}

// originsExist: the origin of the cache behavior is one of the distribution's origins, and each origin's access control
// exists.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_CreateDistribution.html
func originsExist(c *aws.Call) error {
	target, found := c.State().Object("defaultCacheBehavior").String("targetOriginId"), false
	for _, origin := range c.State().Objects("origins") {
		found = found || origin.String("originId") == target
		if id := origin.String("originAccessControlId"); id != "" && c.Find(awstype.OriginAccessControl, id) == nil {
			return awserr.Errorf("NoSuchOriginAccessControl", "The specified origin access control does not exist: %s", id)
		}
	}
	if !found {
		return awserr.Errorf("NoSuchOrigin", "One or more of your origins or origin groups do not exist.")
	}
	return nil
}

// aliasesAllowed: an alternate domain name needs a certificate, and belongs to one distribution.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_CreateDistribution.html
func aliasesAllowed(c *aws.Call) error {
	aliases := c.State().Strings("aliases")
	certificate := c.State().Object("viewerCertificate")
	if len(aliases) > 0 && certificate.Bool("cloudfrontDefaultCertificate") {
		return awserr.Errorf("InvalidViewerCertificate", "To add an alternate domain name (CNAME) to a CloudFront distribution, you must attach "+
			"a trusted certificate that validates your authorization to use the domain name.")
	}
	if arn := certificate.String("acmCertificateArn"); arn != "" && !strings.HasPrefix(arn,
		fmt.Sprintf("arn:%s:acm:us-east-1:", c.Partition)) {
		return awserr.Errorf("InvalidViewerCertificate", "The specified SSL certificate doesn't exist, isn't in us-east-1 region, isn't valid, "+
			"or doesn't include a valid certificate chain.")
	}
	for _, other := range c.All(awstype.Distribution) {
		for _, alias := range aliases {
			if other.ID != c.Resource.ID && slices.Contains(other.State.Strings("aliases"), alias) {
				return awserr.Errorf("CNAMEAlreadyExists", "One or more of the CNAMEs you provided are already associated with a different resource.")
			}
		}
	}
	return nil
}
