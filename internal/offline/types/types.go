// Package types has the names of the offline account's resource types: those of package awstype, and a few of its own.
package types

import "github.com/hypershift-aws/hypershift-aws/internal/awstype"

// The types of EC2 and the logs of its flows.
const (
	VPCEndpoint               = awstype.VPCEndpoint
	VPCEndpointRouteTable     = awstype.VPCEndpointRouteTable
	VPCEndpointService        = awstype.VPCEndpointService
	FlowLog                   = awstype.FlowLog
	LogGroup                  = awstype.LogGroup
	InternetGateway           = awstype.InternetGateway
	InternetGatewayAttachment = awstype.InternetGatewayAttachment
	ElasticIP                 = awstype.ElasticIP
	NATGateway                = awstype.NATGateway
	Instance                  = awstype.Instance
	KeyPair                   = awstype.KeyPair
	RouteTable                = awstype.RouteTable
	Route                     = awstype.Route
	RouteTableAssociation     = awstype.RouteTableAssociation
	MainRouteTableAssociation = awstype.MainRouteTableAssociation
	SecondaryCIDR             = awstype.SecondaryCIDR
	SecurityGroup             = awstype.SecurityGroup
	DefaultSecurityGroup      = awstype.DefaultSecurityGroup
	IngressRule               = awstype.SecurityGroupIngressRule
	EgressRule                = awstype.SecurityGroupEgressRule
	Subnet                    = awstype.Subnet
	VPC                       = awstype.VPC
	DHCPOptions               = awstype.DHCPOptions
	DHCPOptionsAssociation    = awstype.DHCPOptionsAssociation
	// AWSService is one of AWS's own endpoint services that is not available in every zone. No program creates one.
	AWSService = "offline:ec2/awsService:AwsService"
)

// The types of Elastic Load Balancing.
const (
	LoadBalancer = awstype.LoadBalancer
	TargetGroup  = awstype.TargetGroup
)

// The types of RAM, and tags.
const (
	ResourceShare        = awstype.ResourceShare
	ResourceAssociation  = awstype.ResourceAssociation
	PrincipalAssociation = awstype.PrincipalAssociation
	Tag                  = awstype.Tag
)

// The types of Route 53.
const (
	HostedZone                  = awstype.HostedZone
	Record                      = awstype.Record
	VPCAssociationAuthorization = awstype.VPCAssociationAuthorization
	ZoneAssociation             = awstype.ZoneAssociation
)

// The types of IAM.
const (
	OIDCProvider         = awstype.OIDCProvider
	Policy               = awstype.Policy
	Role                 = awstype.Role
	RolePolicy           = awstype.RolePolicy
	RolePolicyAttachment = awstype.RolePolicyAttachment
	InstanceProfile      = awstype.InstanceProfile
	ServiceLinkedRole    = awstype.ServiceLinkedRole
	User                 = awstype.User
	UserPolicy           = awstype.UserPolicy
	AccessKey            = awstype.AccessKey
)

// The types of S3.
const (
	Bucket             = awstype.Bucket
	Object             = awstype.BucketObject
	BucketOwnership    = awstype.BucketOwnership
	BucketPublicAccess = awstype.BucketPublicAccess
	BucketEncryption   = awstype.BucketEncryption
	BucketVersioning   = awstype.BucketVersioning
	BucketLifecycle    = awstype.BucketLifecycle
	BucketPolicy       = awstype.BucketPolicy
)

// The types of CloudFront.
const (
	OriginAccessControl = awstype.OriginAccessControl
	Distribution        = awstype.Distribution
)

// The types of KMS.
const (
	Key   = awstype.KMSKey
	Alias = awstype.KMSAlias
)

// The types of SQS.
const (
	Queue       = awstype.Queue
	QueuePolicy = awstype.QueuePolicy
)

// The types of EventBridge.
const (
	EventRule   = awstype.EventRule
	EventTarget = awstype.EventTarget
)
