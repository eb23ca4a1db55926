package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudfront"
)

const (
	accessControlToken = "aws:cloudfront/originAccessControl:OriginAccessControl"
	distributionToken  = "aws:cloudfront/distribution:Distribution"
)

// distributionsZone is the Route 53 zone of all distributions' domains.
const distributionsZone = "Z2FDTNDATAQYW2"

func distributionKinds() []*kind {
	return []*kind{
		{
			token: accessControlToken, args: cloudfront.OriginAccessControlArgs{}, state: cloudfront.OriginAccessControlState{},
			service: "CloudFront", noun: "Origin Access Control", calls: calls{update: "UpdateOriginAccessControl"}, global: true,
			named:    "name",
			defaults: props{"description": "Managed by Pulumi"},
			enums: map[string][]string{"originAccessControlOriginType": {"lambda", "mediapackagev2", "mediastore", "s3"},
				"signingBehavior": {"always", "never", "no-override"}, "signingProtocol": {"sigv4"}},
			missing: answer{"NoSuchOriginAccessControl", "The specified origin access control does not exist: %s"},
			inUse:   answer{"OriginAccessControlInUse", "Cannot delete the origin access control because it's in use by one or more other resources (%s)."},
			rules:   []rule{accessControlNameFree},
			leaving: []rule{accessControlUnused},
			make: func(c *call) error {
				c.rec.ID = newCode("E", 14)
				c.rec.State["arn"] = c.globalARN("cloudfront", "origin-access-control/"+c.rec.ID)
				c.rec.State["etag"] = newCode("E", 14)
				return nil
			},
		},
		{
			token: distributionToken, args: cloudfront.DistributionArgs{}, state: cloudfront.DistributionState{},
			service: "CloudFront", noun: "Distribution", calls: calls{update: "UpdateDistribution"}, global: true,
			required: []string{"defaultCacheBehavior", "origins", "restrictions", "viewerCertificate"},
			computed: []string{"continuousDeploymentPolicyId"},
			defaults: props{"httpVersion": "http2", "priceClass": "PriceClass_All", "retainOnDelete": false, "staging": false,
				"waitForDeployment": true},
			enums: map[string][]string{"httpVersion": {"http1.1", "http2", "http2and3", "http3"},
				"priceClass": {"PriceClass_100", "PriceClass_200", "PriceClass_All"}},
			forms:    map[string]form{"aliases": asSet, "origins": asSet},
			replaces: []string{"staging"},
			missing:  answer{"NoSuchDistribution", "The specified distribution does not exist: %s"},
			rules:    []rule{originsExist, aliasesAllowed},
			make: func(c *call) error {
				s := c.rec.State
				c.rec.ID = newCode("E", 14)
				s["arn"] = c.globalARN("cloudfront", "distribution/"+c.rec.ID)
				s["domainName"] = "d" + randomOf("abcdefghijklmnopqrstuvwxyz0123456789", 13) + ".cloudfront.net"
				s["hostedZoneId"] = distributionsZone
				s["callerReference"] = randomOf("0123456789", 20)
				s["etag"] = newCode("E", 14)
				s["status"] = "Deployed"
				s["lastModifiedTime"] = now()
				return nil
			},
		},
	}
}

// accessControlNameFree: names of origin access controls are unique in an account.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_CreateOriginAccessControl.html
func accessControlNameFree(c *call) error {
	for _, other := range c.all(accessControlToken) {
		if other.ID != c.rec.ID && other.State.text("name") == c.in().text("name") {
			return refuse("OriginAccessControlAlreadyExists", "An origin access control with the same name already exists.")
		}
	}
	return nil
}

// accessControlUnused: an origin access control goes after the distributions that use it.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_DeleteOriginAccessControl.html
func accessControlUnused(c *call) error {
	for _, distribution := range c.all(distributionToken) {
		if slices.ContainsFunc(distribution.State.objects("origins"), func(origin props) bool {
			return origin.text("originAccessControlId") == c.rec.ID
		}) {
			return c.kind.inUse.about(c.rec.ID)
		}
	}
	return nil
}

// originsExist: the cache behavior's origin is one of the distribution's, and each origin's access control exists.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_CreateDistribution.html
func originsExist(c *call) error {
	target, found := c.in().object("defaultCacheBehavior").text("targetOriginId"), false
	for _, origin := range c.in().objects("origins") {
		found = found || origin.text("originId") == target
		if id := origin.text("originAccessControlId"); id != "" && c.find(accessControlToken, id) == nil {
			return refuse("NoSuchOriginAccessControl", "The specified origin access control does not exist: %s", id)
		}
	}
	if !found {
		return refuse("NoSuchOrigin", "One or more of your origins or origin groups do not exist.")
	}
	return nil
}

// aliasesAllowed: a domain of one's own needs a certificate, and is one distribution's.
// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_CreateDistribution.html
func aliasesAllowed(c *call) error {
	aliases := c.in().texts("aliases")
	certificate := c.in().object("viewerCertificate")
	if len(aliases) > 0 && certificate.yes("cloudfrontDefaultCertificate") {
		return refuse("InvalidViewerCertificate", "To add an alternate domain name (CNAME) to a CloudFront distribution, you must attach "+
			"a trusted certificate that validates your authorization to use the domain name.")
	}
	if arn := certificate.text("acmCertificateArn"); arn != "" && !strings.HasPrefix(arn, fmt.Sprintf("arn:%s:acm:us-east-1:", c.partition)) {
		return refuse("InvalidViewerCertificate", "The specified SSL certificate doesn't exist, isn't in us-east-1 region, isn't valid, "+
			"or doesn't include a valid certificate chain.")
	}
	for _, other := range c.all(distributionToken) {
		for _, alias := range aliases {
			if other.ID != c.rec.ID && slices.Contains(other.State.texts("aliases"), alias) {
				return refuse("CNAMEAlreadyExists", "One or more of the CNAMEs you provided are already associated with a different resource.")
			}
		}
	}
	return nil
}
