package offline

import "testing"

// networkOptions makes one resource of each type that a guest network has by an option.
func (e *engine) networkOptions(add func(token string, in props) string, vpc, subnet, zone, profile string) {
	add(secondaryToken, props{"vpcId": vpc, "cidrBlock": "100.65.0.0/16"})
	logs := add(logGroupToken, props{"name": "x-flow-logs", "retentionInDays": 30.0})
	add(flowLogToken, props{"vpcId": vpc, "trafficType": "ALL", "logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:" + logs,
		"iamRoleArn": "arn:aws:iam::123456789012:role/worker"})
	key := add(keyPairToken, props{"keyName": "x-bastion", "publicKey": sshKey})
	add(instanceToken, props{"ami": e.image(), "instanceType": "t3.micro", "subnetId": subnet, "keyName": key,
		"iamInstanceProfile": profile, "metadataOptions": map[string]any{"httpTokens": "required"}})
	add(targetGroupToken, props{"name": "x-router", "port": 443.0, "protocol": "TCP", "vpcId": vpc})
	share := add(shareToken, props{"name": "x-share"})
	add(sharedResourceToken, props{"resourceShareArn": share, "resourceArn": "arn:aws:ec2:us-east-1:123456789012:subnet/" + subnet})
	add(sharedWithToken, props{"resourceShareArn": share, "principal": "210987654321"})
	add(tagToken, props{"resourceId": subnet, "key": "team", "value": "platform"})
	add(authorizationToken, props{"zoneId": zone, "vpcId": "vpc-0123456789abcdef0"})
	add(zoneAssociationToken, props{"zoneId": zone, "vpcId": e.vpc()})
}

// networkOptionReplaces are, for the types of networkOptions, the inputs whose change makes a new resource.
func networkOptionReplaces() map[string][]string {
	return map[string][]string{
		secondaryToken: {"cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength", "vpcId"},
		logGroupToken:  {"logGroupClass", "name", "namePrefix"},
		flowLogToken: {"deliverCrossAccountRole", "destinationOptions", "eniId", "iamRoleArn", "logDestination", "logDestinationType",
			"logFormat", "logGroupName", "maxAggregationInterval", "subnetId", "trafficType", "transitGatewayAttachmentId",
			"transitGatewayId", "vpcId"},
		keyPairToken: {"keyName", "keyNamePrefix", "publicKey"},
		instanceToken: {"ami", "associatePublicIpAddress", "availabilityZone", "cpuCoreCount", "cpuOptions", "cpuThreadsPerCore",
			"ebsBlockDevices", "enclaveOptions", "ephemeralBlockDevices", "hibernation", "hostResourceGroupArn",
			"instanceMarketOptions", "keyName", "networkInterfaces", "placementGroup", "privateIp", "securityGroups", "subnetId"},
		targetGroupToken:     {"ipAddressType", "name", "namePrefix", "port", "protocol", "protocolVersion", "targetType", "vpcId"},
		shareToken:           {"permissionArns"},
		sharedResourceToken:  {"resourceArn", "resourceShareArn"},
		sharedWithToken:      {"principal", "resourceShareArn"},
		tagToken:             {"key", "resourceId"},
		authorizationToken:   {"vpcId", "vpcRegion", "zoneId"},
		zoneAssociationToken: {"vpcId", "vpcRegion", "zoneId"},
	}
}

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x"

// image is the machine image of us-east-1.
func (e *engine) image() string {
	found, err := e.invoke("aws:ec2/getAmi:getAmi", props{"owners": list("amazon"), "mostRecent": true})
	if err != nil {
		e.t.Fatal(err)
	}
	return found.text("imageId")
}

func TestTargetGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	in := props{"name": "router", "port": 443.0, "protocol": "TCP", "vpcId": e.vpc()}
	e.id(targetGroupToken, in)
	_, _, err := e.try(targetGroupToken, in, false)
	refused(t, err, "DuplicateTargetGroupName")
	_, _, err = e.try(targetGroupToken, props{"name": "other", "port": 443.0, "protocol": "TCP"}, false)
	refused(t, err, "ValidationError")
	_, err = e.update(targetGroupToken, "none-of-that-id", in, in)
	refused(t, err, "TargetGroupNotFound")
}
