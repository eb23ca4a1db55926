package guarded

import "github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"

// unneeded are the types that no living cluster depends on, each with the reason. A plan may replace and delete their instances.
func unneeded() []Type {
	const (
		ofNATGateway = "it is the address of a NAT gateway, which is guarded"
		byRoutes     = "the routes to it are guarded"
		ofBucket     = "it is a setting of a bucket, which is guarded"
		ofEvents     = "it only tells of interruptions of spot instances"
		ofTraffic    = "it only logs traffic"
		ofShare      = "participants keep what they have created in shared subnets"
		ofBastion    = "it is for people who debug nodes"
		ofService    = "AWS does not delete it while an endpoint is connected"
		byRender     = "the next render of the operator has what replaces it"
		inUse        = "AWS does not delete it while it is in use"
	)
	var types []Type
	for why, tokens := range map[string][]string{
		ofNATGateway: {awstype.ElasticIP},
		byRoutes:     {awstype.InternetGateway, awstype.InternetGatewayAttachment, awstype.EgressOnlyGateway},
		"its routes and associations are guarded":          {awstype.RouteTable},
		"subnets of nodes have associations of their own":  {awstype.MainRouteTableAssociation},
		"the subnets in it are guarded":                    {awstype.SecondaryCIDR},
		"nodes take other options when their lease is new": {awstype.DHCPOptions, awstype.DHCPOptionsAssociation},
		inUse: {awstype.SecurityGroup, awstype.LoadBalancer, awstype.TargetGroup},
		"it is created again as it was": {awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule, awstype.VPCEndpointRouteTable,
			awstype.VPCAssociationAuthorization},
		"nothing is deleted: it has rules of a group that stays": {awstype.DefaultSecurityGroup},
		ofBastion:                           {awstype.Instance, awstype.KeyPair},
		ofService:                           {awstype.VPCEndpointService},
		"the attachments of it are guarded": {awstype.Policy},
		"stacks never delete it":            {awstype.ServiceLinkedRole},
		"clusters use the key by its ARN":   {awstype.KMSAlias},
		"the bucket that it publishes is guarded, and it is protected": {awstype.Distribution, awstype.OriginAccessControl},
		ofBucket: {awstype.BucketPolicy, awstype.BucketObject, awstype.BucketOwnership, awstype.BucketPublicAccess, awstype.BucketEncryption,
			awstype.BucketVersioning, awstype.BucketLifecycle},
		ofEvents:                   {awstype.Queue, awstype.QueuePolicy, awstype.EventRule, awstype.EventTarget},
		ofTraffic:                  {awstype.LogGroup, awstype.FlowLog},
		ofShare:                    {awstype.ResourceShare, awstype.ResourceAssociation, awstype.PrincipalAssociation},
		"controllers add it again": {awstype.Tag},
		"it adds to a namespace, which it leaves":                                    {"kubernetes:core/v1:NamespacePatch"},
		"no object that stays refers to it any more":                                 {secret, "kubernetes:core/v1:ConfigMap"},
		"the definition stays: the API server deletes all objects of a kind with it": {"kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch"},
		"machines keep theirs: it stays until the Cluster is deleted": {"kubernetes:bootstrap.cluster.x-k8s.io/v1beta2:KubeadmConfigTemplate",
			"kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachineTemplate"},
		byRender: {"kubernetes:core/v1:Service", "kubernetes:core/v1:ServiceAccount", "kubernetes:monitoring.coreos.com/v1:ServiceMonitor",
			"kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding",
			"kubernetes:rbac.authorization.k8s.io/v1:Role", "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
			"kubernetes:scheduling.k8s.io/v1:PriorityClass"},
	} {
		for _, token := range tokens {
			types = append(types, Type{Token: token, Unneeded: why})
		}
	}
	return types
}
