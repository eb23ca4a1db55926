package guarded

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Protection is who protects the instances of a type in the state, beside the guard, and until when.
type Protection string

const (
	// ForCluster is the protection of what goes with a cluster, until a destroy deletes the cluster itself.
	ForCluster Protection = "cluster"
	// ForUsers is the protection of what clusters of other stacks use, until the stack's file has `unprotected: true`.
	ForUsers Protection = "users"
)

// Type is what the guard knows about a type of resources.
type Type struct {
	// Token is Pulumi's. One of Kubernetes stands for every version of its API.
	Token string
	// Name matches the names of the objects that the entry is for. Default all.
	Name *regexp.Regexp
	// Needed is what living clusters need an instance for, as a phrase: "their nodes run in it". Unneeded is why none depends on instances. Each type
	// has one of them.
	Needed, Unneeded string
	// Remedy is how to get to the new instance in steps that harm nothing; "" if the cause of a change determines it.
	Remedy string
	// Staged is true if instances are replaced in stages, which the component judges. The guard leaves them to it.
	Staged bool
	// Fixed are the inputs of a guarded type that cannot be changed: another value replaces the instance.
	Fixed []string
	// Within are the inputs of a guarded type that refer to what an instance is part of: if that is replaced or deleted, the instance needs no
	// permission of its own. Such a type can be created again as it was, but a running cluster is cut off without it.
	Within []string
	// Protected is the protection in the state, "" for none. States of earlier versions may not have it.
	Protected Protection
}

// Guarded reports whether a plan that replaces or deletes an instance is refused, unless it is allowed by name.
func (t Type) Guarded() bool { return t.Needed != "" && !t.Staged }

// All returns the types in the order of their tokens. A token has several entries if the names of objects decide.
func All() []Type {
	all := slices.Concat(awsTypes(), kubernetesTypes(), unneeded())
	slices.SortStableFunc(all, func(a, b Type) int { return strings.Compare(a.Token, b.Token) })
	return all
}

// byToken has the types by their tokens without versions, built once: they are read for each step of a plan.
var byToken = sync.OnceValue(func() map[string][]Type {
	types := map[string][]Type{}
	for _, t := range All() {
		types[withoutVersion(t.Token)] = append(types[withoutVersion(t.Token)], t)
	}
	return types
})

// versionOf matches the version of the API in the token of a Kubernetes type.
var versionOf = regexp.MustCompile(`^(kubernetes:[^/:]+)/[^:]+:`)

func withoutVersion(token string) string { return versionOf.ReplaceAllString(token, "$1:") }

// Of returns the entry for a type and, if it is one of Kubernetes, the name of the object. It reports false for a type that is not in the list.
func Of(token, object string) (Type, bool) {
	types := byToken()[withoutVersion(token)]
	i := slices.IndexFunc(types, func(t Type) bool { return t.Name == nil || t.Name.MatchString(object) })
	if i < 0 {
		return Type{}, false
	}
	return types[i], true
}

// Any reports whether an instance of the type can be guarded.
func Any(token string) bool {
	return slices.ContainsFunc(byToken()[withoutVersion(token)], Type.Guarded)
}

// Protects reports whether stacks protect instances of the type, in this way.
func Protects(token string, by Protection) bool {
	return slices.ContainsFunc(byToken()[withoutVersion(token)], func(t Type) bool { return t.Protected == by })
}

// awsTypes are the types in AWS that living clusters depend on: instances cannot be created again with the same properties, because an ID, a
// name, data or an address is lost; and the routes, policies, records and endpoints without which those are of no use.
func awsTypes() []Type {
	const credentials = "HyperShift's operator and external-dns call AWS with it"
	return []Type{
		{Token: awstype.VPC, Needed: "nodes and endpoints are in it", Fixed: []string{"cidrBlock"}},
		{Token: awstype.Subnet, Needed: "nodes, endpoints and load balancers are in it", Fixed: []string{"availabilityZone", "cidrBlock", "vpcId"}},
		{Token: awstype.NATGateway, Needed: "nodes reach the internet through it, from its address",
			Fixed: []string{"allocationId", "connectivityType", "subnetId"}},
		{Token: awstype.Route, Needed: "traffic of nodes takes it",
			Fixed:  []string{"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId", "routeTableId"},
			Within: []string{"natGatewayId", "routeTableId"}},
		{Token: awstype.RouteTableAssociation, Needed: "it gives a subnet its routes", Fixed: []string{"gatewayId", "subnetId"}, Within: []string{"subnetId"}},
		{Token: awstype.TransitGatewayAttachment, Needed: "traffic of nodes takes it", Fixed: []string{"transitGatewayId", "vpcId"}, Within: []string{"vpcId"}},
		{Token: awstype.VPCEndpoint, Needed: "nodes reach a service or the control plane through it",
			Fixed: []string{"serviceName", "vpcEndpointType", "vpcId"}, Within: []string{"vpcId"}},
		{Token: awstype.Role, Needed: "operators and nodes call AWS with it", Fixed: []string{"name", "path"}},
		{Token: awstype.RolePolicy, Needed: "it has permissions of a role that stays", Fixed: []string{"name", "role"}, Within: []string{"role"}},
		{Token: awstype.RolePolicyAttachment, Needed: "it has permissions of a role that stays", Fixed: []string{"policyArn", "role"}, Within: []string{"role"}},
		{Token: awstype.InstanceProfile, Needed: "nodes are started with it", Fixed: []string{"name", "path"}, Within: []string{"role"}},
		{Token: awstype.OIDCProvider, Needed: "AWS accepts the tokens of operators because of it", Fixed: []string{"url"}},
		{Token: awstype.User, Needed: credentials, Remedy: newIdentity, Fixed: []string{"name"}},
		{Token: awstype.UserPolicy, Needed: "it has the permissions of a user that stays", Remedy: newIdentity, Fixed: []string{"name", "user"}, Within: []string{"user"}},
		{Token: awstype.AccessKey, Needed: credentials, Remedy: newIdentity, Fixed: []string{"user"}, Within: []string{"user"}},
		{Token: awstype.HostedZone, Needed: "nodes and users find the control plane by its records", Fixed: []string{"name"}, Protected: ForUsers},
		{Token: awstype.Record, Needed: "a name of the control plane is found by it", Fixed: []string{"name", "zoneId"}, Within: []string{"zoneId"}},
		{Token: awstype.ZoneAssociation, Needed: "a VPC finds the names of the zone by it", Fixed: []string{"vpcId", "zoneId"}, Within: []string{"vpcId", "zoneId"}},
		{Token: awstype.Bucket, Needed: "it has data of clusters, such as the keys that verify their tokens", Fixed: []string{"bucket"}, Protected: ForUsers},
		{Token: awstype.KMSKey, Needed: "what etcd stores cannot be read without it",
			Fixed: []string{"customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion"}, Protected: ForUsers},
	}
}

// newIdentity is how the operator gets other credentials: an update creates the new ones before it deletes the old ones.
const newIdentity = "allow the change of every credential in one update, and directly after it run `hypershift install` with the new output installArgs or, " +
	"with operator.install, restart the Deployments operator and external-dns: until then they cannot call AWS"

// kubernetesTypes are the types of objects in a management cluster that living clusters depend on.
func kubernetesTypes() []Type {
	object := func(more ...string) []string { return append([]string{"metadata.name", "metadata.namespace"}, more...) }
	const destroy = "the cluster ends with it: `hypershift-aws destroy` deletes the cluster first, and then what it depends on"
	const machines = "add the new machines first, and allow the deletion of the old ones when the new ones are ready and the old ones are no longer needed"
	return []Type{
		{Token: "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", Needed: "it is the cluster", Remedy: destroy, Fixed: object(), Protected: ForCluster},
		{Token: "kubernetes:hypershift.openshift.io/v1beta1:NodePool", Needed: "its nodes are deleted with it, and what runs on them",
			Remedy: "add the new pool first, and wait until its nodes are ready; when nothing runs on the nodes of this one any more, allow its deletion", Fixed: object()},
		{Token: "kubernetes:core/v1:Namespace", Needed: "everything in it is deleted with it: the operator of all hosted clusters, its credentials and its webhooks",
			Fixed: []string{"metadata.name"}},
		{Token: secret, Name: regexp.MustCompile(`^(hypershift-operator-aws-credentials|hypershift-operator-oidc-provider-s3-credentials|external-dns-credentials)$`),
			Needed: "HyperShift's operator and external-dns read their credentials from it", Remedy: newIdentity, Fixed: object("type")},
		{Token: secret, Name: regexp.MustCompile(`-pull-secret$`), Needed: "nodes and the control plane pull their images with it", Fixed: object("type")},
		{Token: secret, Name: regexp.MustCompile(`-etcd-encryption-key(-[0-9a-f]+)?$|-sa-token-issuer-key$`),
			Needed: "it has the key of what etcd stores, or of the tokens of service accounts", Staged: true, Protected: ForCluster},
		{Token: "kubernetes:apps/v1:Deployment", Needed: "nothing reconciles hosted clusters without it", Fixed: object("spec.selector"), Protected: ForUsers},
		{Token: "kubernetes:cluster.x-k8s.io/v1beta2:Cluster", Needed: "it is the cluster", Remedy: destroy, Fixed: object(), Protected: ForCluster},
		{Token: "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSCluster", Needed: "the cluster's network and load balancers are deleted with it",
			Remedy: destroy, Fixed: object()},
		{Token: "kubernetes:controlplane.cluster.x-k8s.io/v1beta2:KubeadmControlPlane", Needed: "the machines of the control plane are deleted with it",
			Remedy: destroy, Fixed: object()},
		{Token: "kubernetes:cluster.x-k8s.io/v1beta2:MachineDeployment", Needed: "its machines are deleted with it, and what runs on them", Remedy: machines, Fixed: object()},
	}
}

const secret = "kubernetes:core/v1:Secret"

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
