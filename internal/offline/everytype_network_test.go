package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

// networkOptions makes one resource of each type that a guest network has by an option.
func (e *engine) networkOptions(add func(token string, in props.Map) string, vpc, subnet, zone, profile string) {
	add(awstype.SecondaryCIDR, props.Map{"vpcId": vpc, "cidrBlock": "100.65.0.0/16"})
	add(awstype.EgressOnlyGateway, props.Map{"vpcId": vpc})
	logs := add(awstype.LogGroup, props.Map{"name": "x-flow-logs", "retentionInDays": 30.0})
	add(awstype.FlowLog, props.Map{"vpcId": vpc, "trafficType": "ALL",
		"logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:" + logs,
		"iamRoleArn":     "arn:aws:iam::123456789012:role/worker"})
	key := add(awstype.KeyPair, props.Map{"keyName": "x-bastion", "publicKey": sshKey})
	add(awstype.Instance, props.Map{"ami": e.image(), "instanceType": "t3.micro", "subnetId": subnet, "keyName": key,
		"iamInstanceProfile": profile, "metadataOptions": map[string]any{"httpTokens": "required"}})
	add(awstype.TransitGatewayAttachment, props.Map{
		"transitGatewayId": ids.StableEC2("tgw", "123456789012"),
		"vpcId":            vpc,
		"subnetIds":        props.List(subnet),
	})
	add(awstype.TargetGroup, props.Map{"name": "x-router", "port": 443.0, "protocol": "TCP", "vpcId": vpc})
	share := add(awstype.ResourceShare, props.Map{"name": "x-share"})
	add(awstype.ResourceAssociation, props.Map{
		"resourceShareArn": share,
		"resourceArn":      "arn:aws:ec2:us-east-1:123456789012:subnet/" + subnet,
	})
	add(awstype.PrincipalAssociation, props.Map{"resourceShareArn": share, "principal": "210987654321"})
	add(awstype.Tag, props.Map{"resourceId": subnet, "key": "team", "value": "platform"})
	add(awstype.VPCAssociationAuthorization, props.Map{"zoneId": zone, "vpcId": "vpc-0123456789abcdef0"})
	add(awstype.ZoneAssociation, props.Map{"zoneId": zone, "vpcId": e.vpc()})
}

// networkOptionReplaces are, for the types of networkOptions, the inputs whose change makes a new resource.
func networkOptionReplaces() map[string][]string {
	return map[string][]string{
		awstype.SecondaryCIDR:     {"cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength", "vpcId"},
		awstype.EgressOnlyGateway: {"vpcId"},
		awstype.LogGroup:          {"logGroupClass", "name", "namePrefix"},
		awstype.FlowLog: {"deliverCrossAccountRole", "destinationOptions", "eniId", "iamRoleArn", "logDestination",
			"logDestinationType",
			"logFormat", "logGroupName", "maxAggregationInterval", "subnetId", "trafficType", "transitGatewayAttachmentId",
			"transitGatewayId", "vpcId"},
		awstype.KeyPair: {"keyName", "keyNamePrefix", "publicKey"},
		awstype.Instance: {"ami", "associatePublicIpAddress", "availabilityZone", "cpuCoreCount", "cpuOptions",
			"cpuThreadsPerCore",
			"ebsBlockDevices", "ebsOptimized", "enclaveOptions", "ephemeralBlockDevices", "hibernation", "hostId",
			"instanceMarketOptions", "ipv6AddressCount", "ipv6Addresses", "keyName", "launchTemplate", "networkInterfaces",
			"placementGroup",
			"placementPartitionNumber", "privateDnsNameOptions", "privateIp", "securityGroups", "subnetId", "tenancy"},
		awstype.TransitGatewayAttachment: {"transitGatewayId", "vpcId"},
		awstype.TargetGroup: {"ipAddressType", "name", "namePrefix", "port", "protocol", "protocolVersion",
			"targetType", "vpcId"},
		awstype.ResourceShare:               {"permissionArns"},
		awstype.ResourceAssociation:         {"resourceArn", "resourceShareArn"},
		awstype.PrincipalAssociation:        {"principal", "resourceShareArn"},
		awstype.Tag:                         {"key", "resourceId"},
		awstype.VPCAssociationAuthorization: {"vpcId", "vpcRegion", "zoneId"},
		awstype.ZoneAssociation:             {"vpcId", "vpcRegion", "zoneId"},
	}
}

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x"

// image returns the machine image of us-east-1.
func (e *engine) image() string {
	found, err := e.invoke("aws:ec2/getAmi:getAmi", props.Map{"owners": props.List("amazon"), "mostRecent": true})
	if err != nil {
		e.t.Fatal(err)
	}
	return found.String("imageId")
}

func TestAttachmentsToTransitGatewaysRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, gateway := e.vpc(), ids.StableEC2("tgw", "123456789012")
	first, second := e.subnet(vpc, "10.0.0.0/24", "us-east-1a"), e.subnet(vpc, "10.0.1.0/24", "us-east-1a")
	in := func(gateway string, subnets ...string) props.Map {
		return props.Map{"transitGatewayId": gateway, "vpcId": vpc, "subnetIds": props.List(subnets...)}
	}
	route := props.Map{"routeTableId": e.table(vpc), "destinationCidrBlock": "0.0.0.0/0", "transitGatewayId": gateway}
	_, _, err := e.try(awstype.Route, route, false)
	refused(t, err, "InvalidTransitGatewayID.NotFound")
	_, _, err = e.try(awstype.TransitGatewayAttachment, in("tgw-0123456789abcdef0", first), false)
	refused(t, err, "InvalidTransitGatewayID.NotFound")
	_, _, err = e.try(awstype.TransitGatewayAttachment, in(gateway, first, second), false)
	refused(t, err, "DuplicateSubnetsInSameZone")
	elsewhere := e.subnet(e.vpc(), "10.0.0.0/24", "us-east-1a")
	_, _, err = e.try(awstype.TransitGatewayAttachment, in(gateway, elsewhere), false)
	refused(t, err, "InvalidParameterValue")
	e.id(awstype.TransitGatewayAttachment, in(gateway, first))
	e.id(awstype.Route, route)
	_, _, err = e.try(awstype.TransitGatewayAttachment, in(gateway, first), false)
	refused(t, err, "DuplicateTransitGatewayAttachment")
	_, err = e.update(awstype.TransitGatewayAttachment, "none-of-that-id", in(gateway, first), in(gateway, first))
	refused(t, err, "InvalidTransitGatewayAttachmentID.NotFound")
}

func TestTargetGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	in := props.Map{"name": "router", "port": 443.0, "protocol": "TCP", "vpcId": e.vpc()}
	e.id(awstype.TargetGroup, in)
	_, _, err := e.try(awstype.TargetGroup, in, false)
	refused(t, err, "DuplicateTargetGroupName")
	_, _, err = e.try(awstype.TargetGroup, props.Map{"name": "other", "port": 443.0, "protocol": "TCP"}, false)
	refused(t, err, "ValidationError")
	_, err = e.update(awstype.TargetGroup, "none-of-that-id", in, in)
	refused(t, err, "TargetGroupNotFound")
}

func TestFirewallEndpointsRefuse(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{
		Seeds: []seed.Seed{{Kind: seed.FirewallService, Name: "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"}},
	}),
		props.Map{"region": "us-east-1"})
	vpc := e.vpc()
	first, second := e.subnet(vpc, "10.0.0.0/24", "us-east-1a"), e.subnet(vpc, "10.0.1.0/24", "us-east-1b")
	in := func(kind string, subnets ...string) props.Map {
		return props.Map{
			"serviceName":     "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0",
			"vpcEndpointType": kind,
			"vpcId":           vpc,
			"subnetIds":       props.List(subnets...),
		}
	}
	_, _, err := e.try(awstype.VPCEndpoint, in("Interface", first), false)
	refused(t, err, "InvalidParameter")
	_, _, err = e.try(awstype.VPCEndpoint, in("GatewayLoadBalancer", first, second), false)
	refused(t, err, "InvalidParameter")
	endpoint := e.id(awstype.VPCEndpoint, in("GatewayLoadBalancer", first))
	route := func(vpc, endpoint string) props.Map {
		return props.Map{"routeTableId": e.table(vpc), "destinationCidrBlock": "0.0.0.0/0", "vpcEndpointId": endpoint}
	}
	_, _, err = e.try(awstype.Route, route(e.vpc(), endpoint), false)
	refused(t, err, "InvalidParameterValue")
	sts := e.id(awstype.VPCEndpoint, props.Map{
		"serviceName":     "com.amazonaws.us-east-1.sts",
		"vpcEndpointType": "Interface",
		"vpcId":           vpc,
	})
	_, _, err = e.try(awstype.Route, route(vpc, sts), false)
	refused(t, err, "InvalidParameterValue")
	e.id(awstype.Route, route(vpc, endpoint))
}

func TestPoolsOfAddressesRefuse(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{Seeds: []seed.Seed{{
		Kind: seed.IPAMPool,
		Name: "ipam-pool-0123456789abcdef0",
		CIDR: "10.8.0.0/15",
	},
		{Kind: seed.PublicIPAMPool, Name: "ipam-pool-0123456789abcdef1", CIDR: "198.51.100.0/32"},
		{Kind: seed.PublicIPv4Pool, Name: "ipv4pool-ec2-0123456789abcdef0", CIDR: "198.51.100.8/32"}}}),
		props.Map{"region": "us-east-1"})
	next := func(pool string, disallowed ...string) (string, error) {
		found, err := e.invoke("aws:ec2/getIpamPreviewNextCidr:getIpamPreviewNextCidr",
			props.Map{"ipamPoolId": pool, "netmaskLength": 16.0, "disallowedCidrs": props.List(disallowed...)})
		return found.String("cidr"), err
	}
	cidr, err := next("ipam-pool-0123456789abcdef0", "10.8.128.0/20")
	require.NoError(t, err)
	require.Equal(t, "10.9.0.0/16", cidr)
	vpc := func(pool, cidr string) error {
		_, _, err := e.try(awstype.VPC, props.Map{"ipv4IpamPoolId": pool, "cidrBlock": cidr}, false)
		return err
	}
	refused(t, vpc("ipam-pool-0123456789abcdef9", "10.8.0.0/16"), "InvalidIpamPoolId.NotFound")
	refused(t, vpc("ipam-pool-0123456789abcdef0", "10.10.0.0/16"), "InvalidParameterValue")
	e.id(awstype.VPC, props.Map{"ipv4IpamPoolId": "ipam-pool-0123456789abcdef0", "cidrBlock": "10.8.0.0/16"})
	refused(t, vpc("ipam-pool-0123456789abcdef0", "10.8.0.0/17"), "InvalidParameterValue")
	cidr, err = next("ipam-pool-0123456789abcdef0")
	require.NoError(t, err)
	require.Equal(t, "10.9.0.0/16", cidr)
	e.id(awstype.VPC, props.Map{"ipv4IpamPoolId": "ipam-pool-0123456789abcdef0", "ipv4NetmaskLength": 16.0})
	_, err = next("ipam-pool-0123456789abcdef0")
	require.ErrorContains(t, err, "The allocation size is too big for the pool.")

	for _, pool := range []props.Map{{
		"ipamPoolId": "ipam-pool-0123456789abcdef1",
	}, {"publicIpv4Pool": "ipv4pool-ec2-0123456789abcdef0"}} {
		pool["domain"] = "vpc"
		e.id(awstype.ElasticIP, pool)
	}
	_, _, err = e.try(awstype.ElasticIP, props.Map{"domain": "vpc", "ipamPoolId": "ipam-pool-0123456789abcdef1"}, false)
	refused(t, err, "InvalidParameterValue")
	_, _, err = e.try(awstype.ElasticIP, props.Map{
		"domain":         "vpc",
		"publicIpv4Pool": "ipv4pool-ec2-0123456789abcdef0",
	}, false)
	refused(t, err, "InsufficientAddressCapacity")
	_, _, err = e.try(awstype.ElasticIP, props.Map{
		"domain":         "vpc",
		"publicIpv4Pool": "ipv4pool-ec2-0123456789abcdef9",
	}, false)
	refused(t, err, "InvalidPublicIpv4PoolID.NotFound")
	found, err := e.invoke("aws:ec2/getPublicIpv4Pool:getPublicIpv4Pool", props.Map{
		"poolId": "ipv4pool-ec2-0123456789abcdef0",
	})
	require.NoError(t, err)
	require.Zero(t, found.Number("totalAvailableAddressCount"))
}
