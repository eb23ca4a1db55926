package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestASecondaryCIDRStaysWhileASubnetLiesInIt(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	id := e.id(awstype.SecondaryCIDR, props.Map{"vpcId": vpc, "cidrBlock": "100.65.0.0/16"})
	subnet := e.subnet(vpc, "100.65.0.0/20", "us-east-1a")
	refused(t, e.delete(awstype.SecondaryCIDR, id), "InvalidCidrBlock.InUse")
	require.NoError(t, e.delete(awstype.Subnet, subnet))
	require.NoError(t, e.delete(awstype.SecondaryCIDR, id))
	for _, cidr := range []string{"192.168.0.0/16", "100.66.0.0/29", "10.0.128.0/17"} {
		_, _, err := e.try(awstype.SecondaryCIDR, props.Map{"vpcId": vpc, "cidrBlock": cidr}, false)
		refused(t, err, "InvalidVpc.Range")
	}
}
