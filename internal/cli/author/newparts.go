package author

import (
	"cmp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// networkKind is the network of a hosted cluster.
func networkKind() newKind {
	return newKind{
		name: config.KindNetwork,
		flags: func(f *kindFlags) {
			f.name()
			f.infraID()
			f.domain()
			f.network()
			f.tags()
		},
		questions: func(a asked) []question {
			return []question{a.forName("hosted cluster"), a.forRegion(), a.forZones(), a.forBaseDomain()}
		},
		file: newValues.networkFile,
	}
}

// iamKind is the roles of a hosted cluster.
func iamKind() newKind {
	return newKind{
		name: config.KindIAM,
		flags: func(f *kindFlags) {
			f.name()
			f.infraID()
			f.issuer()
			f.networkStack()
			f.tags()
		},
		questions: func(a asked) []question {
			network := question{
				value: &a.networkStack, flag: "--network-stack", prompt: "stack of kind network with the cluster's network",
				path: a.key("networkStack"), example: "net",
			}
			bucket := a.forBucket("--oidc-bucket (or --oidc-issuer)", "oidc.bucketName")
			return []question{network, a.forName("hosted cluster"), a.forRegion(), a.forInfraID(), bucket}
		},
		file: newValues.iamFile,
	}
}

// nodePoolsKind is node pools of a cluster that another stack or tool owns.
func nodePoolsKind() newKind {
	return newKind{
		name:  config.KindNodePools,
		flags: (*kindFlags).name,
		questions: func(a asked) []question {
			return []question{a.forName("hosted cluster"), a.forRegion()}
		},
		file: newValues.nodePoolsFile,
	}
}

// takeNetworkStack completes the values from the file of the stack that networkStack names, if the project has it: both
// stacks belong to one cluster, unless the infra ID is that of a further one. A file that cannot be read completes
// nothing; the stacks are compared when the new one is previewed.
func (v *newValues) takeNetworkStack(files *project.Project, flags *kindFlags) {
	if v.networkStack == "" {
		return
	}
	file, err := files.LoadStack(v.networkStack)
	n := config.As[*config.Network](file)
	if err != nil || n == nil {
		return
	}
	v.region = cmp.Or(v.region, file.Region)
	if flags.belong("base-domain") {
		v.baseDomain = cmp.Or(v.baseDomain, n.BaseDomain)
		v.endpointAccess = cmp.Or(v.endpointAccess, string(n.EndpointAccess))
	}
	if slices.Contains(n.Clusters, v.infraID) {
		return // a further cluster has a name of its own
	}
	v.name, v.infraID = cmp.Or(v.name, n.Name), cmp.Or(v.infraID, n.InfraID)
	if flags.belong("base-domain") {
		v.baseDomainPrefix = cmp.Or(v.baseDomainPrefix, n.BaseDomainPrefix)
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
