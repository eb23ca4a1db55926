package input

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

type zoneArgs struct {
	Name string `pulumi:"name" set:"the zone's name"`
}

type networkArgs struct {
	VPCID    pulumi.StringInput   `pulumi:"vpcID" set:"the VPC's ID"`
	Other    pulumi.StringInput   `pulumi:"other,optional" set:"nothing"`
	Untested pulumi.StringInput   `pulumi:"untested"`
	CIDRs    []pulumi.StringInput `pulumi:"cidrs" set:"the CIDRs"`
	Zones    []zoneArgs           `pulumi:"zones" set:"the zones"`
}

func paths(err error) []string {
	var found []string
	for _, f := range fault.In(err) {
		found = append(found, f.Path)
	}
	return found
}

func TestRequiredPropertiesThatAreNotSetAreFaults(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"vpcID", "cidrs", "zones"}, paths(Required(&networkArgs{VPCID: pulumi.String("")})))
	require.Equal(t, []string{"zones[1].name"}, paths(Required(&networkArgs{
		VPCID: pulumi.String("").ToStringOutput(), CIDRs: Strings("10.0.0.0/16"), Zones: []zoneArgs{{Name: "us-east-1a"}, {}},
	})))
	require.ErrorContains(t, Required(&networkArgs{}), "vpcID is missing; set the VPC's ID")
	require.ErrorContains(t, Required(&networkArgs{}), "zones are missing; set the zones")
}
