package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestASubnetMustBeInItsVPCAndNotOverlapAnother(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	e.subnet(vpc, "10.0.0.0/20", "us-east-1a")
	for _, c := range []struct{ name, cidr, zone, code string }{
		{"outside of the VPC", "10.1.0.0/20", "us-east-1a", "InvalidSubnet.Range"},
		{"larger than the VPC", "10.0.0.0/15", "us-east-1a", "InvalidSubnet.Range"},
		{"smaller than /28", "10.0.16.0/29", "us-east-1a", "InvalidSubnet.Range"},
		{"the same", "10.0.0.0/20", "us-east-1b", "InvalidSubnet.Conflict"},
		{"within another", "10.0.8.0/24", "us-east-1b", "InvalidSubnet.Conflict"},
		{"around another", "10.0.0.0/19", "us-east-1b", "InvalidSubnet.Conflict"},
		{"a zone of another region", "10.0.16.0/20", "us-west-2a", "InvalidParameterValue"},
		{"a zone that is not there", "10.0.16.0/20", "us-east-1z", "InvalidParameterValue"},
	} {
		_, _, err := e.try(awstype.Subnet, props.Map{"vpcId": vpc, "cidrBlock": c.cidr, "availabilityZone": c.zone}, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	_, _, err := e.try(awstype.Subnet, props.Map{"vpcId": vpc, "cidrBlock": "10.0.0.0/20"}, false)
	require.ErrorContains(t, err, "creating EC2 Subnet: operation error EC2: CreateSubnet, api error "+
		"InvalidSubnet.Conflict: The CIDR '10.0.0.0/20' conflicts with another subnet")
	e.subnet(e.vpc(), "10.0.0.0/20", "us-east-1a")
}

func TestASubnetsZoneHasNameAndID(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	_, named := e.create(awstype.Subnet, props.Map{
		"vpcId":            vpc,
		"cidrBlock":        "10.0.0.0/20",
		"availabilityZone": "us-east-1b",
	})
	_, byID := e.create(awstype.Subnet, props.Map{
		"vpcId":              vpc,
		"cidrBlock":          "10.0.16.0/20",
		"availabilityZoneId": named["availabilityZoneId"],
	})
	require.Equal(t, "us-east-1b", byID["availabilityZone"])
	_, free := e.create(awstype.Subnet, props.Map{"vpcId": vpc, "cidrBlock": "10.0.32.0/20"})
	require.Equal(t, "us-east-1a", free["availabilityZone"])
}

func TestASubnetStaysWhileItIsUsed(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	e.gateway(vpc)
	subnet := e.subnet(vpc, "10.0.0.0/20", "us-east-1a")
	nat := e.nat(subnet, e.address())
	refused(t, e.delete(awstype.Subnet, subnet), "DependencyViolation")
	require.NoError(t, e.delete(awstype.NATGateway, nat))
	endpoint := e.id(awstype.VPCEndpoint, props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2",
		"vpcEndpointType": "Interface",
		"subnetIds":       props.List(subnet)})
	refused(t, e.delete(awstype.Subnet, subnet), "DependencyViolation")
	require.NoError(t, e.delete(awstype.VPCEndpoint, endpoint))
	association := e.id(awstype.RouteTableAssociation, props.Map{"subnetId": subnet, "routeTableId": e.table(vpc)})
	require.NoError(t, e.delete(awstype.Subnet, subnet))
	found, _, _ := e.read(awstype.RouteTableAssociation, association, props.Map{})
	require.Empty(t, found, "an association is deleted with its subnet")
}
