package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestInstancesAndKeysRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet := e.subnet(vpc, "10.0.0.0/20", "us-east-1a")
	key := props.Map{"keyName": "bastion", "publicKey": sshKey}
	e.id(awstype.KeyPair, key)
	_, _, err := e.try(awstype.KeyPair, key, false)
	refused(t, err, "InvalidKeyPair.Duplicate")
	_, _, err = e.try(awstype.KeyPair, props.Map{"keyName": "other", "publicKey": "ssh-dss x"}, false)
	refused(t, err, "InvalidKey.Format")

	elsewhere := e.id(awstype.SecurityGroup, props.Map{
		"vpcId": e.id(awstype.VPC, props.Map{"cidrBlock": "10.1.0.0/16"}),
		"name":  "elsewhere",
	})
	for code, in := range map[string]props.Map{
		"InvalidAMIID.NotFound": {"ami": "ami-0123456789abcdef0", "instanceType": "t3.micro", "subnetId": subnet},
		"VPCIdNotSpecified":     {"ami": e.image(), "instanceType": "t3.micro"},
		"InvalidParameter": {"ami": e.image(), "instanceType": "t3.micro", "subnetId": subnet,
			"vpcSecurityGroupIds": props.List(elsewhere)},
		"InvalidParameterValue": {
			"ami":                e.image(),
			"instanceType":       "t3.micro",
			"subnetId":           subnet,
			"iamInstanceProfile": "none",
		},
	} {
		_, _, err = e.try(awstype.Instance, in, false)
		refused(t, err, code)
	}
}

func TestTheArchitectureOfAnInstanceTypeIsReturnedAndAnUnknownTypeRefused(t *testing.T) {
	t.Parallel()
	e := start(t)
	out, err := e.invoke("aws:ec2/getInstanceType:getInstanceType", props.Map{"instanceType": "m6g.large"})
	require.NoError(t, err)
	require.Equal(t, []any{"arm64"}, out["supportedArchitectures"])
	_, err = e.invoke("aws:ec2/getInstanceType:getInstanceType", props.Map{"instanceType": "m6g"})
	require.ErrorContains(t, err, "InvalidInstanceType")
}
