package picture

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// section is a part of the page.
type section int

const (
	accounts section = iota
	network
	names
	identity
	securityGroups
	storage
	kubernetes
	other
)

// title returns the section's heading, class its name in CSS.
func (s section) title() string {
	return [...]string{"Accounts", "Network", "Hosted zones", "Identity", "Security groups", "Storage, keys and queues",
		"Kubernetes", "Other"}[s]
}

func (s section) class() string {
	return [...]string{"accounts", "network", "names", "identity", "groups", "storage", "kubernetes", "other"}[s]
}

// column is a column of the network section.
type column int

const (
	vpcColumn column = iota
	subnetColumn
	tableColumn
	connectionColumn
	serviceColumn
	columns
)

// kind is how resources of a type are drawn.
type kind struct {
	section section
	column  column
	// details are lines about a resource.
	details func(*item) []string
	// console is the path of the resource's page in AWS's console, "" for none.
	console func(*item) string
}

// boxes are the types drawn as boxes, in addition to types that are in no table.
var boxes = map[string]kind{
	awstype.VPC:        {network, vpcColumn, lines("cidrBlock"), vpcPage("VpcDetails:VpcId=")},
	awstype.Subnet:     {network, subnetColumn, subnetLines, vpcPage("SubnetDetails:subnetId=")},
	awstype.RouteTable: {network, tableColumn, nil, vpcPage("RouteTableDetails:RouteTableId=")},
	awstype.NATGateway: {network, connectionColumn, lines("publicIp"),
		vpcPage("NatGatewayDetails:natGatewayId=")},
	awstype.InternetGateway: {network, connectionColumn, nil, vpcPage("InternetGateway:internetGatewayId=")},
	awstype.EgressOnlyGateway: {network, connectionColumn, nil,
		vpcPage("EgressOnlyInternetGatewayDetails:egressOnlyInternetGatewayId=")},
	awstype.VPCEndpoint: {network, connectionColumn, endpointLines, vpcPage("EndpointDetails:vpcEndpointId=")},
	awstype.Instance: {network, connectionColumn, lines("instanceType", "privateIp",
		"publicIp"), ec2Page("InstanceDetails:instanceId=")},
	awstype.VPCEndpointService: {network, serviceColumn, lines("serviceName"),
		vpcPage("EndpointServiceDetails:serviceId=")},
	awstype.LoadBalancer:  {network, serviceColumn, lines("dnsName"), nil},
	awstype.ResourceShare: {network, serviceColumn, lines("name"), nil},
	awstype.HostedZone: {names, 0, zoneLines, func(r *item) string {
		return "route53/v2/hostedzones#ListRecordSets/" + r.id()
	}},
	awstype.OIDCProvider:         {identity, 0, lines("url"), iamPage("identity_providers/details/OPENID/")},
	awstype.Role:                 {identity, 0, nil, iamPage("roles/details/")},
	awstype.User:                 {identity, 0, nil, iamPage("users/details/")},
	awstype.Policy:               {identity, 0, nil, nil},
	awstype.ServiceLinkedRole:    {identity, 0, lines("awsServiceName"), nil},
	awstype.InstanceProfile:      {identity, 0, nil, nil},
	awstype.SecurityGroup:        {securityGroups, 0, lines("description"), vpcPage("SecurityGroup:groupId=")},
	awstype.DefaultSecurityGroup: {securityGroups, 0, lines("description"), vpcPage("SecurityGroup:groupId=")},
	awstype.Bucket:               {storage, 0, lines("region"), func(r *item) string { return "s3/buckets/" + r.id() }},
	awstype.KMSKey: {storage, 0, lines("description"), func(r *item) string {
		return "kms/home?region=" + r.region + "#/kms/keys/" + r.id()
	}},
	awstype.Distribution: {storage, 0, lines("domainName"), func(r *item) string {
		return "cloudfront/v4/home#/distributions/" + r.id()
	}},
	awstype.OriginAccessControl: {storage, 0, nil, nil},
	awstype.Queue:               {storage, 0, nil, nil},
	awstype.EventRule:           {storage, 0, lines("description"), nil},
	awstype.LogGroup:            {storage, 0, lines("name"), nil},
}

// row is a type drawn as a line in the box of the resource that it belongs to.
type row struct {
	// property is the input that names the owner, a resource of one of the types.
	property string
	owners   []string
	// reverse is true if the property is the owner's, and names this resource.
	reverse bool
	text    func(*item) string
	// chip rows are drawn as small squares, because there are many of them.
	chip bool
}

var rows = map[string]row{
	awstype.Route: {property: "routeTableId", owners: []string{awstype.RouteTable}, text: routeText},
	awstype.RouteTableAssociation: {property: "routeTableId", owners: []string{awstype.RouteTable},
		text: func(r *item) string { return "of " + r.target("subnetId", awstype.Subnet) }},
	awstype.MainRouteTableAssociation: {
		property: "routeTableId",
		owners:   []string{awstype.RouteTable},
		text:     says("the VPC's main table"),
	},
	awstype.VPCEndpointRouteTable: {property: "vpcEndpointId", owners: []string{awstype.VPCEndpoint},
		text: func(r *item) string { return "in " + r.target("routeTableId", awstype.RouteTable) }},
	awstype.DHCPOptionsAssociation: {
		property: "vpcId",
		owners:   []string{awstype.VPC},
		text:     says("uses the DHCP options"),
	},
	awstype.DHCPOptions: {property: "dhcpOptionsId", owners: []string{awstype.DHCPOptionsAssociation}, reverse: true,
		text: func(r *item) string { return "DHCP options " + r.text("domainName") }},
	awstype.SecondaryCIDR: {property: "vpcId", owners: []string{awstype.VPC}, text: func(r *item) string {
		return r.text("cidrBlock")
	}},
	awstype.InternetGatewayAttachment: {
		property: "internetGatewayId",
		owners:   []string{awstype.InternetGateway},
		text:     says("attached to the VPC"),
	},
	awstype.ElasticIP: {property: "allocationId", owners: []string{awstype.NATGateway}, reverse: true,
		text: func(r *item) string { return "elastic IP " + r.text("publicIp") }},
	awstype.FlowLog: {property: "vpcId", owners: []string{awstype.VPC},
		text: func(r *item) string { return "flow log, " + strings.ToLower(r.text("trafficType")) + " traffic" }},
	awstype.Tag: {property: "resourceId", owners: []string{awstype.Subnet, awstype.VPC, awstype.RouteTable, awstype.SecurityGroup}, chip: true,
		text: func(r *item) string { return "tag " + r.text("key") }},
	awstype.SecurityGroupIngressRule: {property: "securityGroupId", owners: []string{awstype.SecurityGroup, awstype.DefaultSecurityGroup}, text: ruleText("from")},
	awstype.SecurityGroupEgressRule:  {property: "securityGroupId", owners: []string{awstype.SecurityGroup, awstype.DefaultSecurityGroup}, text: ruleText("to")},
	awstype.Record:                   {property: "zoneId", owners: []string{awstype.HostedZone}, text: recordText},
	awstype.ZoneAssociation: {property: "zoneId", owners: []string{awstype.HostedZone}, text: func(r *item) string {
		return "also of " + r.target("vpcId", awstype.VPC)
	}},
	awstype.VPCAssociationAuthorization: {property: "zoneId", owners: []string{awstype.HostedZone},
		text: func(r *item) string { return "may be of " + r.target("vpcId", awstype.VPC) }},
	awstype.RolePolicy: {property: "role", owners: []string{awstype.Role}, text: func(r *item) string {
		return "policy " + r.text("name")
	}},
	awstype.RolePolicyAttachment: {property: "role", owners: []string{awstype.Role}, text: func(r *item) string {
		return "policy " + last(r.text("policyArn"), "/")
	}},
	awstype.InstanceProfile: {property: "role", owners: []string{awstype.Role}, text: func(r *item) string {
		return "instance profile " + r.text("name")
	}},
	awstype.UserPolicy: {property: "user", owners: []string{awstype.User}, text: func(r *item) string {
		return "policy " + r.text("name")
	}},
	awstype.AccessKey:        {property: "user", owners: []string{awstype.User}, text: says("access key")},
	awstype.BucketPolicy:     {property: "bucket", owners: []string{awstype.Bucket}, text: says("bucket policy")},
	awstype.BucketVersioning: {property: "bucket", owners: []string{awstype.Bucket}, text: says("versioning")},
	awstype.BucketPublicAccess: {
		property: "bucket",
		owners:   []string{awstype.Bucket},
		text:     says("public access block"),
	},
	awstype.BucketOwnership: {property: "bucket", owners: []string{awstype.Bucket}, text: says("ownership controls")},
	awstype.BucketObject: {
		property: "bucket",
		owners:   []string{awstype.Bucket},
		text:     func(r *item) string { return "object " + r.text("key") },
	},
	awstype.BucketLifecycle:  {property: "bucket", owners: []string{awstype.Bucket}, text: says("lifecycle")},
	awstype.BucketEncryption: {property: "bucket", owners: []string{awstype.Bucket}, text: says("encryption")},
	awstype.QueuePolicy:      {property: "queueUrl", owners: []string{awstype.Queue}, text: says("queue policy")},
	awstype.EventTarget: {
		property: "rule",
		owners:   []string{awstype.EventRule},
		text:     says("sends to the queue"),
	},
	awstype.KMSAlias: {
		property: "targetKeyId",
		owners:   []string{awstype.KMSKey},
		text:     func(r *item) string { return r.text("name") },
	},
	awstype.PrincipalAssociation: {
		property: "resourceShareArn",
		owners:   []string{awstype.ResourceShare},
		text:     func(r *item) string { return "with " + r.text("principal") },
	},
	awstype.ResourceAssociation: {property: "resourceShareArn", owners: []string{awstype.ResourceShare},
		text: func(r *item) string { return r.target("resourceArn", awstype.Subnet) }},
}

// kindOf returns how a type is drawn as a box.
func kindOf(token string) kind {
	if k, ok := boxes[token]; ok {
		return k
	}
	switch {
	case strings.HasPrefix(token, "pulumi:providers:"):
		return kind{section: accounts}
	case strings.HasPrefix(token, "kubernetes:"):
		return kind{section: kubernetes}
	}
	return kind{section: other}
}
