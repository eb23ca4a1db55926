package run

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestTheCommandThatTakesARouteBackNamesItsDestination(t *testing.T) {
	t.Parallel()
	routes := partsOfResources()[2]
	require.Equal(t, awstype.Route, routes.token)
	for property, c := range map[string]struct{ value, flag string }{
		"destinationCidrBlock":     {"10.9.0.0/16", "--destination-cidr-block 10.9.0.0/16"},
		"destinationIpv6CidrBlock": {"2001:db8::/32", "--destination-ipv6-cidr-block 2001:db8::/32"},
		"destinationPrefixListId":  {"pl-0a1b", "--destination-prefix-list-id pl-0a1b"},
	} {
		table := apitype.ResourceV3{URN: "urn:pulumi:dev::project::type::table"}
		f := routes.finding(table, inventory.Resource{Properties: map[string]any{
			"routeTableId": "rtb-1", property: c.value, "transitGatewayId": "tgw-1",
		}})
		require.Contains(t, f.Remedy, "aws ec2 delete-route --route-table-id rtb-1 "+c.flag)
		require.Contains(t, f.Problem, c.value+" to tgw-1")
	}
}
