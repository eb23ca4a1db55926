package picture

import "strings"

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
	return [...]string{"Accounts", "Network", "Hosted zones", "Identity", "Security groups", "Storage, keys and queues", "Kubernetes", "Other"}[s]
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
	"aws:ec2/vpc:Vpc":                                        {network, vpcColumn, lines("cidrBlock"), vpcPage("VpcDetails:VpcId=")},
	"aws:ec2/subnet:Subnet":                                  {network, subnetColumn, subnetLines, vpcPage("SubnetDetails:subnetId=")},
	"aws:ec2/routeTable:RouteTable":                          {network, tableColumn, nil, vpcPage("RouteTableDetails:RouteTableId=")},
	"aws:ec2/natGateway:NatGateway":                          {network, connectionColumn, lines("publicIp"), vpcPage("NatGatewayDetails:natGatewayId=")},
	"aws:ec2/internetGateway:InternetGateway":                {network, connectionColumn, nil, vpcPage("InternetGateway:internetGatewayId=")},
	"aws:ec2/vpcEndpoint:VpcEndpoint":                        {network, connectionColumn, endpointLines, vpcPage("EndpointDetails:vpcEndpointId=")},
	"aws:ec2/instance:Instance":                              {network, connectionColumn, lines("instanceType", "privateIp", "publicIp"), ec2Page("InstanceDetails:instanceId=")},
	"aws:ec2/vpcEndpointService:VpcEndpointService":          {network, serviceColumn, lines("serviceName"), vpcPage("EndpointServiceDetails:serviceId=")},
	"aws:lb/loadBalancer:LoadBalancer":                       {network, serviceColumn, lines("dnsName"), nil},
	"aws:ram/resourceShare:ResourceShare":                    {network, serviceColumn, lines("name"), nil},
	"aws:route53/zone:Zone":                                  {names, 0, zoneLines, func(r *item) string { return "route53/v2/hostedzones#ListRecordSets/" + r.id() }},
	"aws:iam/openIdConnectProvider:OpenIdConnectProvider":    {identity, 0, lines("url"), iamPage("identity_providers/details/OPENID/")},
	"aws:iam/role:Role":                                      {identity, 0, roleLines, iamPage("roles/details/")},
	"aws:iam/user:User":                                      {identity, 0, nil, iamPage("users/details/")},
	"aws:iam/policy:Policy":                                  {identity, 0, nil, nil},
	"aws:iam/serviceLinkedRole:ServiceLinkedRole":            {identity, 0, lines("awsServiceName"), nil},
	"aws:iam/instanceProfile:InstanceProfile":                {identity, 0, nil, nil},
	"aws:ec2/securityGroup:SecurityGroup":                    {securityGroups, 0, lines("description"), vpcPage("SecurityGroup:groupId=")},
	"aws:ec2/defaultSecurityGroup:DefaultSecurityGroup":      {securityGroups, 0, lines("description"), vpcPage("SecurityGroup:groupId=")},
	"aws:s3/bucketV2:BucketV2":                               {storage, 0, lines("region"), func(r *item) string { return "s3/buckets/" + r.id() }},
	"aws:kms/key:Key":                                        {storage, 0, lines("description"), func(r *item) string { return "kms/home?region=" + r.region + "#/kms/keys/" + r.id() }},
	"aws:cloudfront/distribution:Distribution":               {storage, 0, lines("domainName"), func(r *item) string { return "cloudfront/v4/home#/distributions/" + r.id() }},
	"aws:cloudfront/originAccessControl:OriginAccessControl": {storage, 0, nil, nil},
	"aws:sqs/queue:Queue":                                    {storage, 0, nil, nil},
	"aws:cloudwatch/eventRule:EventRule":                     {storage, 0, lines("description"), nil},
	"aws:cloudwatch/logGroup:LogGroup":                       {storage, 0, lines("name"), nil},
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

const (
	vpcType   = "aws:ec2/vpc:Vpc"
	subnet    = "aws:ec2/subnet:Subnet"
	table     = "aws:ec2/routeTable:RouteTable"
	natType   = "aws:ec2/natGateway:NatGateway"
	gateway   = "aws:ec2/internetGateway:InternetGateway"
	endpoint  = "aws:ec2/vpcEndpoint:VpcEndpoint"
	instance  = "aws:ec2/instance:Instance"
	service   = "aws:ec2/vpcEndpointService:VpcEndpointService"
	balancer  = "aws:lb/loadBalancer:LoadBalancer"
	zoneType  = "aws:route53/zone:Zone"
	roleType  = "aws:iam/role:Role"
	group     = "aws:ec2/securityGroup:SecurityGroup"
	defGroup  = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
	bucket    = "aws:s3/bucketV2:BucketV2"
	share     = "aws:ram/resourceShare:ResourceShare"
	assocType = "aws:ec2/routeTableAssociation:RouteTableAssociation"
	routeType = "aws:ec2/route:Route"
	issuer    = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
)

var rows = map[string]row{
	routeType: {property: "routeTableId", owners: []string{table}, text: routeText},
	assocType: {property: "routeTableId", owners: []string{table}, text: func(r *item) string { return "of " + r.target("subnetId", subnet) }},
	"aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation":               {property: "routeTableId", owners: []string{table}, text: says("the VPC's main table")},
	"aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation": {property: "vpcEndpointId", owners: []string{endpoint}, text: func(r *item) string { return "in " + r.target("routeTableId", table) }},
	"aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation":               {property: "vpcId", owners: []string{vpcType}, text: says("uses the DHCP options")},
	"aws:ec2/vpcDhcpOptions:VpcDhcpOptions":                                     {property: "dhcpOptionsId", owners: []string{"aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation"}, reverse: true, text: func(r *item) string { return "DHCP options " + r.text("domainName") }},
	"aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation":           {property: "vpcId", owners: []string{vpcType}, text: func(r *item) string { return r.text("cidrBlock") }},
	"aws:ec2/internetGatewayAttachment:InternetGatewayAttachment":               {property: "internetGatewayId", owners: []string{gateway}, text: says("attached to the VPC")},
	"aws:ec2/eip:Eip":         {property: "allocationId", owners: []string{natType}, reverse: true, text: func(r *item) string { return "elastic IP " + r.text("publicIp") }},
	"aws:ec2/flowLog:FlowLog": {property: "vpcId", owners: []string{vpcType}, text: func(r *item) string { return "flow log, " + strings.ToLower(r.text("trafficType")) + " traffic" }},
	"aws:ec2/tag:Tag":         {property: "resourceId", owners: []string{subnet, vpcType, table, group}, chip: true, text: func(r *item) string { return "tag " + r.text("key") }},
	"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule":                                  {property: "securityGroupId", owners: []string{group, defGroup}, text: ruleText("from")},
	"aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule":                                    {property: "securityGroupId", owners: []string{group, defGroup}, text: ruleText("to")},
	"aws:route53/record:Record":                                                                  {property: "zoneId", owners: []string{zoneType}, text: recordText},
	"aws:route53/zoneAssociation:ZoneAssociation":                                                {property: "zoneId", owners: []string{zoneType}, text: func(r *item) string { return "also of " + r.target("vpcId", vpcType) }},
	"aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization":                        {property: "zoneId", owners: []string{zoneType}, text: func(r *item) string { return "may be of " + r.target("vpcId", vpcType) }},
	"aws:iam/rolePolicy:RolePolicy":                                                              {property: "role", owners: []string{roleType}, text: func(r *item) string { return "policy " + r.text("name") }},
	"aws:iam/rolePolicyAttachment:RolePolicyAttachment":                                          {property: "role", owners: []string{roleType}, text: func(r *item) string { return "policy " + last(r.text("policyArn"), "/") }},
	"aws:iam/instanceProfile:InstanceProfile":                                                    {property: "role", owners: []string{roleType}, text: func(r *item) string { return "instance profile " + r.text("name") }},
	"aws:iam/userPolicy:UserPolicy":                                                              {property: "user", owners: []string{"aws:iam/user:User"}, text: func(r *item) string { return "policy " + r.text("name") }},
	"aws:iam/accessKey:AccessKey":                                                                {property: "user", owners: []string{"aws:iam/user:User"}, text: says("access key")},
	"aws:s3/bucketPolicy:BucketPolicy":                                                           {property: "bucket", owners: []string{bucket}, text: says("bucket policy")},
	"aws:s3/bucketVersioningV2:BucketVersioningV2":                                               {property: "bucket", owners: []string{bucket}, text: says("versioning")},
	"aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock":                                     {property: "bucket", owners: []string{bucket}, text: says("public access block")},
	"aws:s3/bucketOwnershipControls:BucketOwnershipControls":                                     {property: "bucket", owners: []string{bucket}, text: says("ownership controls")},
	"aws:s3/bucketObjectv2:BucketObjectv2":                                                       {property: "bucket", owners: []string{bucket}, text: func(r *item) string { return "object " + r.text("key") }},
	"aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2":                       {property: "bucket", owners: []string{bucket}, text: says("lifecycle")},
	"aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2": {property: "bucket", owners: []string{bucket}, text: says("encryption")},
	"aws:sqs/queuePolicy:QueuePolicy":                                                            {property: "queueUrl", owners: []string{"aws:sqs/queue:Queue"}, text: says("queue policy")},
	"aws:cloudwatch/eventTarget:EventTarget":                                                     {property: "rule", owners: []string{"aws:cloudwatch/eventRule:EventRule"}, text: says("sends to the queue")},
	"aws:kms/alias:Alias":                                                                        {property: "targetKeyId", owners: []string{"aws:kms/key:Key"}, text: func(r *item) string { return r.text("name") }},
	"aws:ram/principalAssociation:PrincipalAssociation":                                          {property: "resourceShareArn", owners: []string{share}, text: func(r *item) string { return "with " + r.text("principal") }},
	"aws:ram/resourceAssociation:ResourceAssociation":                                            {property: "resourceShareArn", owners: []string{share}, text: func(r *item) string { return r.target("resourceArn", subnet) }},
	"aws:ec2/vpcEndpointServiceAllowedPrinciple:VpcEndpointServiceAllowedPrinciple":              {property: "vpcEndpointServiceId", owners: []string{service}, text: func(r *item) string { return "allows " + last(r.text("principalArn"), "/") }},
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
