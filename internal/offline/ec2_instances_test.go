package offline

import "testing"

func TestInstancesAndKeysRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet := e.subnet(vpc, "10.0.0.0/20", "us-east-1a")
	key := props{"keyName": "bastion", "publicKey": sshKey}
	e.id(keyPairToken, key)
	_, _, err := e.try(keyPairToken, key, false)
	refused(t, err, "InvalidKeyPair.Duplicate")
	_, _, err = e.try(keyPairToken, props{"keyName": "other", "publicKey": "ssh-dss x"}, false)
	refused(t, err, "InvalidKey.Format")

	elsewhere := e.id(securityGroupToken, props{"vpcId": e.id(vpcToken, props{"cidrBlock": "10.1.0.0/16"}), "name": "elsewhere"})
	for code, in := range map[string]props{
		"InvalidAMIID.NotFound": {"ami": "ami-0123456789abcdef0", "instanceType": "t3.micro", "subnetId": subnet},
		"VPCIdNotSpecified":     {"ami": e.image(), "instanceType": "t3.micro"},
		"InvalidParameter": {"ami": e.image(), "instanceType": "t3.micro", "subnetId": subnet,
			"vpcSecurityGroupIds": list(elsewhere)},
		"InvalidParameterValue": {"ami": e.image(), "instanceType": "t3.micro", "subnetId": subnet, "iamInstanceProfile": "none"},
	} {
		_, _, err = e.try(instanceToken, in, false)
		refused(t, err, code)
	}
}
