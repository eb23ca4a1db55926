package author

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// newKinds are the kinds with a template, in the order in which messages name them.
var newKinds = []config.Kind{config.KindCluster, config.KindCAPA, config.KindNetwork, config.KindIAM, config.KindNodePools, config.KindManagement}

// flagKinds are the kinds that a flag is for. A flag that is not listed is for all kinds.
var flagKinds = map[string][]config.Kind{
	"name":                {config.KindCluster, config.KindCAPA, config.KindNetwork, config.KindIAM, config.KindNodePools},
	"management":          {config.KindCluster},
	"release":             {config.KindCluster},
	"external-dns-domain": {config.KindCluster, config.KindManagement},
	"operator-issuer":     {config.KindManagement},
	"kubernetes-version":  {config.KindCAPA},
	"topology":            {config.KindCAPA},
	"zones":               {config.KindCluster, config.KindCAPA, config.KindNetwork},
	"vpc-cidr":            {config.KindCluster, config.KindCAPA, config.KindNetwork},
	"nat":                 {config.KindCluster, config.KindCAPA, config.KindNetwork},
	"infra-id":            {config.KindCluster, config.KindNetwork, config.KindIAM},
	"base-domain":         {config.KindCluster, config.KindNetwork},
	"base-domain-prefix":  {config.KindCluster, config.KindNetwork},
	"endpoint-access":     {config.KindCluster, config.KindNetwork},
	"oidc-bucket":         {config.KindCluster, config.KindIAM, config.KindManagement},
	"oidc-region":         {config.KindCluster, config.KindIAM},
	"oidc-issuer":         {config.KindCluster, config.KindIAM},
	"kms-key":             {config.KindCluster, config.KindIAM},
	"network-stack":       {config.KindCluster, config.KindIAM},
	"iam-stack":           {config.KindCluster},
	"infra-json":          {config.KindCluster},
	"iam-json":            {config.KindCluster},
	"public-subnets":      {config.KindCluster},
	"tags":                {config.KindCluster, config.KindCAPA, config.KindNetwork, config.KindIAM, config.KindManagement},
}

// isKind reports whether the stack is of the kind; cluster is the default.
func (v newValues) isKind(kind config.Kind) bool {
	return cmp.Or(v.kind, string(config.KindCluster)) == string(kind)
}

// checkKind refuses an unknown kind, flags of another one, and an iamStack without the networkStack that it needs.
func (v *newValues) checkKind(given func(flag string) bool) error {
	if !slices.ContainsFunc(newKinds, v.isKind) {
		names := make([]string, len(newKinds))
		for i, kind := range newKinds {
			names[i] = string(kind)
		}
		last := len(names) - 1
		return invocation.Refuse("--kind %s has no template: use %s or %s", v.kind, strings.Join(names[:last], ", "), names[last])
	}
	var flags []string
	for flag, kinds := range flagKinds {
		if given(flag) && !slices.ContainsFunc(kinds, v.isKind) {
			flags = append(flags, flag)
		}
	}
	if len(flags) > 0 {
		return invocation.Refuse("--%s is not for --kind %s: leave it out", slices.Min(flags), v.kind)
	}
	if v.externalDNSDomain != "" && v.release == "" && v.isKind(config.KindCluster) {
		return invocation.Refuse("--external-dns-domain is for the hosted cluster: set --release too, or leave it out")
	}
	if v.iamStack != "" && v.networkStack == "" {
		return invocation.Refuse("--iam-stack needs --network-stack: name the stack with the cluster's network")
	}
	return nil
}

// takeNetworkStack completes the values from the file of the stack that networkStack names, if the project has it: both stacks belong to one cluster.
// A file that cannot be read completes nothing; the stacks are compared when the new one is previewed.
func (v *newValues) takeNetworkStack(files *project.Project) {
	if v.networkStack == "" {
		return
	}
	file, err := files.LoadStack(v.networkStack)
	n := config.As[*config.Network](file)
	if err != nil || n == nil {
		return
	}
	v.name, v.infraID, v.region = cmp.Or(v.name, n.Name), cmp.Or(v.infraID, n.InfraID), cmp.Or(v.region, file.Region)
	if v.isKind(config.KindCluster) {
		v.baseDomain, v.baseDomainPrefix = cmp.Or(v.baseDomain, n.BaseDomain), cmp.Or(v.baseDomainPrefix, n.BaseDomainPrefix)
		v.endpointAccess = cmp.Or(v.endpointAccess, string(n.EndpointAccess))
	}
}

// networkFile returns the file of a stack of kind network.
func (v newValues) networkFile() string {
	f := v.head(config.KindNetwork)
	f.line("  hypershift-aws:network:")
	v.identity(f)
	v.domain(f)
	f.comment("    ", "Tags for every resource.")
	f.tags("    ", v.tags)
	f.line("    network:")
	v.network(f)
	return f.String()
}

// iamFile returns the file of a stack of kind iam.
func (v newValues) iamFile() string {
	f := v.head(config.KindIAM)
	f.line("  hypershift-aws:iam:")
	v.identity(f)
	f.comment("    ", "The stack with the cluster's network, to whose hosted zones the roles are limited.")
	f.key("    ", "networkStack", v.networkStack, "")
	f.comment("    ", "Tags for every resource.")
	f.tags("    ", v.tags)
	v.issuer(f)
	v.etcdKey(f)
	return f.String()
}

// nodePoolsFile returns the file of a stack of kind nodePools.
func (v newValues) nodePoolsFile() string {
	f := v.head(config.KindNodePools)
	f.line("  hypershift-aws:nodePools:")
	f.comment("    ", "The existing HostedCluster, which the stack reads and never changes.")
	f.key("    ", "name", v.name, "")
	f.comment("    ", "Its namespace in the management cluster.")
	f.key("    ", "namespace", "", "clusters")
	f.comment("    ", "The management cluster: {} is the current context of the kubeconfig; or {file: ~/.kube/management, context: admin}.")
	f.line("    kubeconfig: {}")
	f.comment("    ", "The pools, with names that no other pool of the namespace has. Their default release is the HostedCluster's.")
	f.line("    nodePools:")
	f.key("      - ", "name", v.name+"-extra", "")
	f.comment("        ", "A subnet of the cluster's VPC. Default: the one that the HostedCluster names.")
	f.key("        ", "subnetID", "", "subnet-0123456789abcdef0")
	f.key("        ", "instanceType", "", "m5.large")
	f.line("        # replicas: 2")
	return f.String()
}

// identity writes the keys that name a cluster.
func (v newValues) identity(f *yamlText) {
	f.comment("    ", "The hosted cluster's name.")
	f.key("    ", "name", v.name, "")
	f.comment("    ", "The prefix of all names in AWS, at most 32 characters. It must be unique, and cannot be changed later.")
	f.key("    ", "infraID", v.infraID, v.name+"-x1")
}

// domain writes the keys of a cluster's domain, and of where its API can be reached from.
func (v newValues) domain(f *yamlText) {
	f.comment("    ", "The cluster's domain is <baseDomainPrefix>.<baseDomain>. The public hosted zone of baseDomain must exist.")
	f.key("    ", "baseDomain", v.baseDomain, "")
	f.comment("    ", `Default: the name; "none" for no prefix.`)
	f.key("    ", "baseDomainPrefix", v.baseDomainPrefix, v.name)
	f.comment("    ", "Where the cluster's API can be reached from: Public (default), PublicAndPrivate or Private.")
	f.key("    ", "endpointAccess", v.endpointAccess, "Public")
}

// issuer writes the keys of the issuer of the cluster's tokens.
func (v newValues) issuer(f *yamlText) {
	f.line("    oidc:")
	if v.oidcIssuer != "" {
		f.comment("      ", "The issuer's OIDC provider must exist.")
		f.key("      ", "issuerURL", v.oidcIssuer, "")
		return
	}
	f.comment("      ", "The bucket in which the management cluster publishes the cluster's OIDC documents.")
	f.key("      ", "bucketName", v.oidcBucket, "")
	f.key("      ", "bucketRegion", v.oidcRegion, v.region)
}

// etcdKey writes the key of the KMS key.
func (v newValues) etcdKey(f *yamlText) {
	f.comment("    ", "A KMS key that encrypts secrets in etcd.")
	f.key("    ", "kmsKeyARN", v.kmsKey, "arn:aws:kms:"+v.region+":123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab")
}
