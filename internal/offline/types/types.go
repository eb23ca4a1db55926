// Package types names the resource types of the offline account.
package types

// The types of EC2 and the logs of its flows.
const (
	VPCEndpoint               = "aws:ec2/vpcEndpoint:VpcEndpoint"
	VPCEndpointRouteTable     = "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation"
	VPCEndpointService        = "aws:ec2/vpcEndpointService:VpcEndpointService"
	FlowLog                   = "aws:ec2/flowLog:FlowLog"
	LogGroup                  = "aws:cloudwatch/logGroup:LogGroup"
	InternetGateway           = "aws:ec2/internetGateway:InternetGateway"
	InternetGatewayAttachment = "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment"
	ElasticIP                 = "aws:ec2/eip:Eip"
	NATGateway                = "aws:ec2/natGateway:NatGateway"
	Instance                  = "aws:ec2/instance:Instance"
	KeyPair                   = "aws:ec2/keyPair:KeyPair"
	RouteTable                = "aws:ec2/routeTable:RouteTable"
	Route                     = "aws:ec2/route:Route"
	RouteTableAssociation     = "aws:ec2/routeTableAssociation:RouteTableAssociation"
	MainRouteTableAssociation = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"
	SecondaryCIDR             = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"
	SecurityGroup             = "aws:ec2/securityGroup:SecurityGroup"
	DefaultSecurityGroup      = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
	IngressRule               = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	EgressRule                = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
	Subnet                    = "aws:ec2/subnet:Subnet"
	VPC                       = "aws:ec2/vpc:Vpc"
	DHCPOptions               = "aws:ec2/vpcDhcpOptions:VpcDhcpOptions"
	DHCPOptionsAssociation    = "aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation"
	// AWSService is an endpoint service of AWS's own that is not in every zone. No program makes one.
	AWSService = "offline:ec2/awsService:AwsService"
)

// The types of Elastic Load Balancing.
const (
	LoadBalancer = "aws:lb/loadBalancer:LoadBalancer"
	TargetGroup  = "aws:lb/targetGroup:TargetGroup"
)

// The types of RAM, and tags.
const (
	ResourceShare        = "aws:ram/resourceShare:ResourceShare"
	ResourceAssociation  = "aws:ram/resourceAssociation:ResourceAssociation"
	PrincipalAssociation = "aws:ram/principalAssociation:PrincipalAssociation"
	Tag                  = "aws:ec2/tag:Tag"
)

// The types of Route 53.
const (
	HostedZone                  = "aws:route53/zone:Zone"
	Record                      = "aws:route53/record:Record"
	VPCAssociationAuthorization = "aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization"
	ZoneAssociation             = "aws:route53/zoneAssociation:ZoneAssociation"
)

// The types of IAM.
const (
	OIDCProvider         = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
	Policy               = "aws:iam/policy:Policy"
	Role                 = "aws:iam/role:Role"
	RolePolicy           = "aws:iam/rolePolicy:RolePolicy"
	RolePolicyAttachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
	InstanceProfile      = "aws:iam/instanceProfile:InstanceProfile"
	ServiceLinkedRole    = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
	User                 = "aws:iam/user:User"
	UserPolicy           = "aws:iam/userPolicy:UserPolicy"
	AccessKey            = "aws:iam/accessKey:AccessKey"
)

// The types of S3.
const (
	Bucket             = "aws:s3/bucketV2:BucketV2"
	Object             = "aws:s3/bucketObjectv2:BucketObjectv2"
	BucketOwnership    = "aws:s3/bucketOwnershipControls:BucketOwnershipControls"
	BucketPublicAccess = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
	BucketEncryption   = "aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2"
	BucketVersioning   = "aws:s3/bucketVersioningV2:BucketVersioningV2"
	BucketLifecycle    = "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2"
	BucketPolicy       = "aws:s3/bucketPolicy:BucketPolicy"
)

// The types of CloudFront.
const (
	OriginAccessControl = "aws:cloudfront/originAccessControl:OriginAccessControl"
	Distribution        = "aws:cloudfront/distribution:Distribution"
)

// The types of KMS.
const (
	Key   = "aws:kms/key:Key"
	Alias = "aws:kms/alias:Alias"
)

// The types of SQS.
const (
	Queue       = "aws:sqs/queue:Queue"
	QueuePolicy = "aws:sqs/queuePolicy:QueuePolicy"
)

// The types of EventBridge.
const (
	EventRule   = "aws:cloudwatch/eventRule:EventRule"
	EventTarget = "aws:cloudwatch/eventTarget:EventTarget"
)
