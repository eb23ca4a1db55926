package permissions_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// unrequested are the granted actions that no request of the provider needs, with the reason why they are granted.
var unrequested = map[string]string{
	"aws:ec2/routeTable:RouteTable ec2:DisassociateRouteTable":                      "the provider removes the associations that others have added before it deletes a table",
	"aws:ec2/vpc:Vpc ec2:DescribeNetworkAcls":                                       "without it the provider logs a warning, and the VPC has no ID of its default ACL",
	"aws:ec2/vpc:Vpc ec2:DescribeRouteTables":                                       "without it the provider logs a warning, and the VPC has no ID of its main route table",
	"aws:ec2/vpc:Vpc ec2:DescribeSecurityGroups":                                    "without it the provider logs a warning, and the VPC has no ID of its default group",
	"aws:ec2/vpcDhcpOptions:VpcDhcpOptions ec2:AssociateDhcpOptions":                "the provider gives VPCs that still use the options AWS's default ones before it deletes them",
	"aws:ec2/vpcEndpointService:VpcEndpointService ec2:DescribeVpcEndpointServices": "the stack looks up the zones of its service once it exists: a lookup",
	"aws:ram/resourceAssociation:ResourceAssociation ec2:DescribeSubnets":           "AWS looks at the subnets that are shared in the name of the caller",
	"aws:s3/bucketObjectv2:BucketObjectv2 s3:ListBucket":                            "without it S3 answers for an absent object that access is denied, and a refresh fails",
}

// TestEachTypesActionsAreThoseOfTheProvidersRequests compares what is granted for a type or a function with the table
// of the requests that the provider's sources send for it: every request is allowed, and at most a tenth of the granted
// actions has no request.
func TestEachTypesActionsAreThoseOfTheProvidersRequests(t *testing.T) {
	t.Parallel()
	granted, without := 0, map[string]bool{}
	for _, token := range permissions.Tokens() {
		if token == permissions.Life {
			continue
		}
		list, known := permissions.Grants(token)
		require.True(t, known)
		var actions []string
		for _, g := range list {
			actions = append(actions, g.Actions...)
		}
		requested := aws.RequestActions(token)
		for _, action := range requested {
			require.Contains(t, actions, action, "%s: the provider sends this request", token)
		}
		for _, action := range permissions.Unique(actions) {
			granted++
			if !slices.Contains(requested, action) {
				without[token+" "+action] = true
			}
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(unrequested)), slices.Sorted(maps.Keys(without)),
		"a granted action has a request, or a reason")
	for action, reason := range unrequested {
		require.Greater(t, len(strings.Fields(reason)), 3, action)
	}
	require.LessOrEqual(t, len(without)*10, granted)
}
