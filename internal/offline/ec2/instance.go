package ec2

import (
	"cmp"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func instanceKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.KeyPair, Args: ec2.KeyPairArgs{}, State: ec2.KeyPairState{},
			Service: "EC2", Noun: "Key Pair", Calls: aws.Calls{
				Create: "ImportKeyPair",
				Update: "CreateTags",
				Remove: "DeleteKeyPair",
			},
			AutoName: "keyName",
			Unread:   []string{"publicKey"},
			UniqueBy: []string{"keyName"},
			NotFound: awserr.Template{Code: "InvalidKeyPair.NotFound", Text: "The key pair '%s' does not exist"},
			Rules:    []aws.Rule{keyNameFree, keyFormat},
			ID:       aws.Joined("", "keyName"),
			OnCreate: importKey,
		},
		{
			Token: awstype.Instance, Args: ec2.InstanceArgs{}, State: ec2.InstanceState{},
			Service: "EC2", Noun: "Instance", Calls: aws.Calls{
				Create: "RunInstances",
				Update: "ModifyInstanceAttribute",
				Remove: "TerminateInstances",
			},
			Constants: props.Map{"instanceState": "running", "tenancy": "default", "instanceInitiatedShutdownBehavior": "stop"},
			References: []aws.Reference{{Input: "subnetId", Type: awstype.Subnet, Dependency: aws.BlocksDeletion},
				{Input: "vpcSecurityGroupIds", Type: awstype.SecurityGroup, Dependency: aws.BlocksDeletion},
				{Input: "keyName", Type: awstype.KeyPair, Dependency: aws.Independent}},
			NotFound: awserr.Template{Code: "InvalidInstanceID.NotFound", Text: "The instance ID '%s' does not exist"},
			Rules:    []aws.Rule{instanceImage, instanceSubnet, instanceGroups, instanceProfile},
			ID:       aws.EC2ID("i"),
			OnCreate: runInstance,
		},
	}
}

// keyNameFree: a key pair's name is unique per account and region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ImportKeyPair.html
func keyNameFree(c *aws.Call) error {
	if len(c.Others("keyName")) > 0 {
		return awserr.Errorf("InvalidKeyPair.Duplicate", "The keypair already exists")
	}
	return nil
}

// keyFormat: EC2 accepts RSA and ED25519 keys in OpenSSH's format.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-key-pairs.html
func keyFormat(c *aws.Call) error {
	fields := strings.Fields(c.State().String("publicKey"))
	if len(fields) > 1 && (fields[0] == "ssh-ed25519" || fields[0] == "ssh-rsa") {
		if _, err := base64.StdEncoding.DecodeString(fields[1]); err == nil {
			return nil
		}
	}
	return awserr.Errorf("InvalidKey.Format", "Key is not in valid OpenSSH public key format")
}

func importKey(c *aws.Call) error {
	s := c.Resource.State
	s["keyPairId"] = ids.EC2("key")
	fields := strings.Fields(s.String("publicKey"))
	s["keyType"] = strings.TrimPrefix(fields[0], "ssh-")
	key, _ := base64.StdEncoding.DecodeString(fields[1]) // keyFormat has checked it
	sum := md5.Sum(key)
	s["fingerprint"] = hex.EncodeToString(sum[:])
	return nil
}

// instanceImage: an instance needs an image of its region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceImage(c *aws.Call) error {
	if c.Old != nil {
		return nil
	}
	for _, i := range imagesOf(c) {
		if i.ID == c.State().String("ami") {
			return nil
		}
	}
	return awserr.Errorf("InvalidAMIID.NotFound", "The image id '[%s]' does not exist", c.State().String("ami"))
}

// instanceSubnet: without a subnet an instance would go to the default VPC, which an offline account does not have.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceSubnet(c *aws.Call) error {
	if !c.State().Has("subnetId") {
		return awserr.Errorf("VPCIdNotSpecified", "No default VPC for this user.")
	}
	return nil
}

// instanceGroups: an instance's security groups belong to its VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceGroups(c *aws.Call) error {
	vpc := c.Find(awstype.Subnet, c.State().String("subnetId")).State.String("vpcId")
	for _, id := range c.State().Strings("vpcSecurityGroupIds") {
		if c.Find(awstype.SecurityGroup, id).State.String("vpcId") != vpc {
			return awserr.Errorf("InvalidParameter", "Security group %s and subnet %s belong to different networks.", id,
				c.State().String("subnetId"))
		}
	}
	return nil
}

// instanceProfile: the instance profile must exist.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceProfile(c *aws.Call) error {
	name := c.State().String("iamInstanceProfile")
	if name != "" && c.Find(awstype.InstanceProfile, name) == nil {
		return awserr.Errorf("InvalidParameterValue", "Value (%s) for parameter iamInstanceProfile.name is invalid. "+
			"Invalid IAM Instance Profile name", name)
	}
	return nil
}

func runInstance(c *aws.Call) error {
	s := c.Resource.State
	subnet := c.Find(awstype.Subnet, s.String("subnetId")).State
	s["availabilityZone"] = subnet["availabilityZone"]
	s["primaryNetworkInterfaceId"] = ids.EC2("eni")
	s["privateIp"] = cmp.Or(s.String("privateIp"), freeAddress(c, s.String("subnetId")))
	s["privateDns"] = dashed("ip", s.String("privateIp")) + "." + internalDomain(c.Site)
	s["instanceType"] = cmp.Or(s.String("instanceType"), "m1.small")
	if !s.Has("associatePublicIpAddress") {
		s["associatePublicIpAddress"] = subnet.Bool("mapPublicIpOnLaunch")
	}
	s["publicIp"], s["publicDns"] = "", ""
	if s.Bool("associatePublicIpAddress") {
		s["publicIp"] = freePublicAddress(c)
		s["publicDns"] = dashed("ec2", s.String("publicIp")) + "." + computeDomain(c.Site, "compute-1",
			"compute") + "." + c.DNSSuffix
	}
	if len(s.Strings("vpcSecurityGroupIds")) == 0 {
		s["vpcSecurityGroupIds"] = props.List(c.Find(awstype.VPC,
			subnet.String("vpcId")).State.String("defaultSecurityGroupId"))
	}
	return nil
}

// freePublicAddress returns an address that no resource of the region has. It is taken from 198.18.0.0/15, which is
// reserved for testing.
func freePublicAddress(c *aws.Call) string {
	taken := map[string]bool{}
	for _, token := range []string{awstype.ElasticIP, awstype.Instance} {
		for _, other := range c.All(token) {
			taken[other.State.String("publicIp")] = true
		}
	}
	for {
		if ip := fmt.Sprintf("198.%d.%d.%d", 18+ids.RandomBelow(2), ids.RandomBelow(256), 1+ids.RandomBelow(254)); !taken[ip] {
			return ip
		}
	}
}

// freeAddress returns the subnet's first address that is not used by AWS, a NAT gateway or an instance.
func freeAddress(c *aws.Call, subnet string) string {
	taken := map[string]bool{}
	for _, token := range []string{awstype.NATGateway, awstype.Instance} {
		for _, other := range c.All(token) {
			taken[other.State.String("privateIp")] = true
		}
	}
	address := netip.MustParsePrefix(c.Find(awstype.Subnet, subnet).State.String("cidrBlock")).Addr()
	// AWS reserves the first four.
	for range 4 {
		address = address.Next()
	}
	for taken[address.String()] {
		address = address.Next()
	}
	return address.String()
}
