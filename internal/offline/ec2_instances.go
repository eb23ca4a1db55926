package offline

import (
	"cmp"
	"crypto/md5" // as EC2 has the fingerprints of imported keys
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const (
	instanceToken = "aws:ec2/instance:Instance"
	keyPairToken  = "aws:ec2/keyPair:KeyPair"
)

func instanceKinds() []*kind {
	return []*kind{
		{
			token: keyPairToken, args: ec2.KeyPairArgs{}, state: ec2.KeyPairState{},
			service: "EC2", noun: "Key Pair", calls: calls{"ImportKeyPair", "CreateTags", "DeleteKeyPair"},
			named:    "keyName",
			apart:    [][]string{{"keyName", "keyNamePrefix"}},
			computed: []string{"keyName", "keyNamePrefix"},
			fixed:    props{"keyNamePrefix": ""},
			replaces: []string{"keyName", "keyNamePrefix", "publicKey"},
			unique:   []string{"keyName"},
			missing:  answer{"InvalidKeyPair.NotFound", "The key pair '%s' does not exist"},
			rules:    []rule{keyNameFree, keyCanBeRead},
			make:     importKey,
		},
		{
			token: instanceToken, args: ec2.InstanceArgs{}, state: ec2.InstanceState{},
			service: "EC2", noun: "Instance", calls: calls{"RunInstances", "ModifyInstanceAttribute", "TerminateInstances"},
			computed: []string{"ami", "associatePublicIpAddress", "availabilityZone", "capacityReservationSpecification",
				"cpuCoreCount", "cpuOptions", "cpuThreadsPerCore", "creditSpecification", "disableApiStop",
				"disableApiTermination", "ebsBlockDevices", "ebsOptimized", "enablePrimaryIpv6", "enclaveOptions",
				"ephemeralBlockDevices", "hostId", "hostResourceGroupArn", "iamInstanceProfile",
				"instanceInitiatedShutdownBehavior", "instanceMarketOptions", "instanceType", "ipv6AddressCount",
				"ipv6Addresses", "keyName", "maintenanceOptions", "metadataOptions", "monitoring", "networkInterfaces",
				"placementGroup", "placementPartitionNumber", "privateDnsNameOptions", "privateIp", "rootBlockDevice",
				"secondaryPrivateIps", "securityGroups", "subnetId", "tenancy", "userData", "userDataBase64",
				"vpcSecurityGroupIds"},
			defaults: props{"getPasswordData": false, "sourceDestCheck": true, "userDataReplaceOnChange": false},
			fixed: props{"instanceLifecycle": "", "instanceState": "running", "outpostArn": "", "passwordData": "",
				"spotInstanceRequestId": "", "tenancy": "default"},
			forms: map[string]form{"ebsBlockDevices": asSet, "ephemeralBlockDevices": asSet, "networkInterfaces": asSet,
				"secondaryPrivateIps": asSet, "securityGroups": asSet, "vpcSecurityGroupIds": asSet},
			replaces: []string{"ami", "associatePublicIpAddress", "availabilityZone", "cpuCoreCount", "cpuOptions",
				"cpuThreadsPerCore", "ebsBlockDevices", "enclaveOptions", "ephemeralBlockDevices", "hibernation",
				"hostResourceGroupArn", "instanceMarketOptions", "keyName", "networkInterfaces",
				"placementGroup", "privateIp", "securityGroups", "subnetId"},
			refs: []ref{{"subnetId", subnetToken, "", blocks}, {"vpcSecurityGroupIds", securityGroupToken, "", blocks},
				{"keyName", keyPairToken, "", loose}},
			missing: answer{"InvalidInstanceID.NotFound", "The instance ID '%s' does not exist"},
			rules:   []rule{instanceImage, instanceSubnet, instanceGroups, instanceProfile},
			make:    runInstance,
		},
	}
}

// keyNameFree: key pairs' names are unique in an account's region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ImportKeyPair.html
func keyNameFree(c *call) error {
	if other := c.find(keyPairToken, c.in().text("keyName")); other != nil && other.ID != c.rec.ID {
		return refuse("InvalidKeyPair.Duplicate", "The keypair already exists")
	}
	return nil
}

// keyCanBeRead: EC2 takes RSA and ED25519 keys in OpenSSH's form.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-key-pairs.html
func keyCanBeRead(c *call) error {
	fields := strings.Fields(c.in().text("publicKey"))
	if len(fields) > 1 && (fields[0] == "ssh-ed25519" || fields[0] == "ssh-rsa") {
		if _, err := base64.StdEncoding.DecodeString(fields[1]); err == nil {
			return nil
		}
	}
	return refuse("InvalidKey.Format", "Key is not in valid OpenSSH public key format")
}

func importKey(c *call) error {
	s := c.rec.State
	c.rec.ID = cmp.Or(s.text("keyName"), s.text("keyNamePrefix")+randomOf("0123456789", 26))
	s["keyName"], s["keyPairId"] = c.rec.ID, newID("key")
	s["arn"] = c.arn("ec2", "key-pair/"+c.rec.ID)
	fields := strings.Fields(s.text("publicKey"))
	s["keyType"] = strings.TrimPrefix(fields[0], "ssh-")
	key, _ := base64.StdEncoding.DecodeString(fields[1]) // as keyCanBeRead has found
	sum := md5.Sum(key)
	s["fingerprint"] = hex.EncodeToString(sum[:])
	return nil
}

// instanceImage: an instance starts from an image of its region.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceImage(c *call) error {
	if c.was != nil {
		return nil
	}
	for _, i := range c.images() {
		if i.id == c.in().text("ami") {
			return nil
		}
	}
	return refuse("InvalidAMIID.NotFound", "The image id '[%s]' does not exist", c.in().text("ami"))
}

// instanceSubnet: without a subnet an instance would go to the default VPC, which an offline account does not have.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceSubnet(c *call) error {
	if !c.in().has("subnetId") {
		return refuse("VPCIdNotSpecified", "No default VPC for this user.")
	}
	return nil
}

// instanceGroups: an instance's security groups are of its VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceGroups(c *call) error {
	vpc := c.find(subnetToken, c.in().text("subnetId")).State.text("vpcId")
	for _, id := range c.in().texts("vpcSecurityGroupIds") {
		if c.find(securityGroupToken, id).State.text("vpcId") != vpc {
			return refuse("InvalidParameter", "Security group %s and subnet %s belong to different networks.", id, c.in().text("subnetId"))
		}
	}
	return nil
}

// instanceProfile: an instance takes an instance profile that there is.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
func instanceProfile(c *call) error {
	name := c.in().text("iamInstanceProfile")
	if name != "" && c.find(profileToken, name) == nil {
		return refuse("InvalidParameterValue", "Value (%s) for parameter iamInstanceProfile.name is invalid. "+
			"Invalid IAM Instance Profile name", name)
	}
	return nil
}

func runInstance(c *call) error {
	s := c.rec.State
	c.rec.ID = newID("i")
	s["arn"] = c.arn("ec2", "instance/"+c.rec.ID)
	subnet := c.find(subnetToken, s.text("subnetId")).State
	s["availabilityZone"] = subnet["availabilityZone"]
	s["primaryNetworkInterfaceId"] = newID("eni")
	s["privateIp"] = cmp.Or(s.text("privateIp"), c.freeAddress(s.text("subnetId")))
	s["privateDns"] = dashed("ip", s.text("privateIp")) + "." + c.internalDomain()
	s["instanceType"] = cmp.Or(s.text("instanceType"), "m1.small")
	if !s.has("associatePublicIpAddress") {
		s["associatePublicIpAddress"] = subnet.yes("mapPublicIpOnLaunch")
	}
	s["publicIp"], s["publicDns"] = "", ""
	if s.yes("associatePublicIpAddress") {
		s["publicIp"] = c.freePublicAddress()
		s["publicDns"] = dashed("ec2", s.text("publicIp")) + "." + c.computeDomain("compute-1", "compute") + "." + c.dnsSuffix
	}
	if len(s.texts("vpcSecurityGroupIds")) == 0 {
		s["vpcSecurityGroupIds"] = list(c.find(vpcToken, subnet.text("vpcId")).State.text("defaultSecurityGroupId"))
	}
	return nil
}

// freePublicAddress is an address that nothing of the region has. 198.18.0.0/15 is set aside for testing: no such
// address is anybody's.
func (c *call) freePublicAddress() string {
	taken := map[string]bool{}
	for _, token := range []string{eipToken, instanceToken} {
		for _, other := range c.all(token) {
			taken[other.State.text("publicIp")] = true
		}
	}
	for {
		if ip := fmt.Sprintf("198.%d.%d.%d", 18+randomBelow(2), randomBelow(256), 1+randomBelow(254)); !taken[ip] {
			return ip
		}
	}
}

// freeAddress is the subnet's first one that neither AWS, a NAT gateway nor an instance has.
func (c *call) freeAddress(subnet string) string {
	taken := map[string]bool{}
	for _, token := range []string{natToken, instanceToken} {
		for _, other := range c.all(token) {
			taken[other.State.text("privateIp")] = true
		}
	}
	address := netip.MustParsePrefix(c.find(subnetToken, subnet).State.text("cidrBlock")).Addr()
	// AWS keeps the first four.
	for range 4 {
		address = address.Next()
	}
	for taken[address.String()] {
		address = address.Next()
	}
	return address.String()
}
