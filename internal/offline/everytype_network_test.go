package offline

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

// networkOptions makes one resource of each type that a guest network has by an option.
func (e *engine) networkOptions(add func(token string, in props.Map) string, vpc, subnet, zone, profile string) {
	add(types.SecondaryCIDR, props.Map{"vpcId": vpc, "cidrBlock": "100.65.0.0/16"})
	logs := add(types.LogGroup, props.Map{"name": "x-flow-logs", "retentionInDays": 30.0})
	add(types.FlowLog, props.Map{"vpcId": vpc, "trafficType": "ALL", "logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:" + logs,
		"iamRoleArn": "arn:aws:iam::123456789012:role/worker"})
	key := add(types.KeyPair, props.Map{"keyName": "x-bastion", "publicKey": sshKey})
	add(types.Instance, props.Map{"ami": e.image(), "instanceType": "t3.micro", "subnetId": subnet, "keyName": key,
		"iamInstanceProfile": profile, "metadataOptions": map[string]any{"httpTokens": "required"}})
	add(types.TargetGroup, props.Map{"name": "x-router", "port": 443.0, "protocol": "TCP", "vpcId": vpc})
	share := add(types.ResourceShare, props.Map{"name": "x-share"})
	add(types.ResourceAssociation, props.Map{"resourceShareArn": share, "resourceArn": "arn:aws:ec2:us-east-1:123456789012:subnet/" + subnet})
	add(types.PrincipalAssociation, props.Map{"resourceShareArn": share, "principal": "210987654321"})
	add(types.Tag, props.Map{"resourceId": subnet, "key": "team", "value": "platform"})
	add(types.VPCAssociationAuthorization, props.Map{"zoneId": zone, "vpcId": "vpc-0123456789abcdef0"})
	add(types.ZoneAssociation, props.Map{"zoneId": zone, "vpcId": e.vpc()})
}

// networkOptionReplaces are, for the types of networkOptions, the inputs whose change makes a new resource.
func networkOptionReplaces() map[string][]string {
	return map[string][]string{
		types.SecondaryCIDR: {"cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength", "vpcId"},
		types.LogGroup:      {"logGroupClass", "name", "namePrefix"},
		types.FlowLog: {"deliverCrossAccountRole", "destinationOptions", "eniId", "iamRoleArn", "logDestination", "logDestinationType",
			"logFormat", "logGroupName", "maxAggregationInterval", "subnetId", "trafficType", "transitGatewayAttachmentId",
			"transitGatewayId", "vpcId"},
		types.KeyPair: {"keyName", "keyNamePrefix", "publicKey"},
		types.Instance: {"ami", "associatePublicIpAddress", "availabilityZone", "cpuCoreCount", "cpuOptions", "cpuThreadsPerCore",
			"ebsBlockDevices", "ebsOptimized", "enclaveOptions", "ephemeralBlockDevices", "hibernation", "hostId",
			"instanceMarketOptions", "ipv6AddressCount", "ipv6Addresses", "keyName", "launchTemplate", "networkInterfaces", "placementGroup",
			"placementPartitionNumber", "privateDnsNameOptions", "privateIp", "securityGroups", "subnetId", "tenancy"},
		types.TargetGroup:                 {"ipAddressType", "name", "namePrefix", "port", "protocol", "protocolVersion", "targetType", "vpcId"},
		types.ResourceShare:               {"permissionArns"},
		types.ResourceAssociation:         {"resourceArn", "resourceShareArn"},
		types.PrincipalAssociation:        {"principal", "resourceShareArn"},
		types.Tag:                         {"key", "resourceId"},
		types.VPCAssociationAuthorization: {"vpcId", "vpcRegion", "zoneId"},
		types.ZoneAssociation:             {"vpcId", "vpcRegion", "zoneId"},
	}
}

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x"

// image is the machine image of us-east-1.
func (e *engine) image() string {
	found, err := e.invoke("aws:ec2/getAmi:getAmi", props.Map{"owners": props.List("amazon"), "mostRecent": true})
	if err != nil {
		e.t.Fatal(err)
	}
	return found.String("imageId")
}

func TestTargetGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	in := props.Map{"name": "router", "port": 443.0, "protocol": "TCP", "vpcId": e.vpc()}
	e.id(types.TargetGroup, in)
	_, _, err := e.try(types.TargetGroup, in, false)
	refused(t, err, "DuplicateTargetGroupName")
	_, _, err = e.try(types.TargetGroup, props.Map{"name": "other", "port": 443.0, "protocol": "TCP"}, false)
	refused(t, err, "ValidationError")
	_, err = e.update(types.TargetGroup, "none-of-that-id", in, in)
	refused(t, err, "TargetGroupNotFound")
}
