package kind

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// networkKind returns the kind of a hosted cluster's network.
func networkKind() Kind {
	const instead = "use the stack of kind cluster that names it as networkStack"
	return Kind{
		Name: config.KindNetwork, KubeconfigKey: string(config.KindNetwork), Instead: instead,
		Unwaited: func(string) string { return ", and " + instead },
		Cluster: partialCluster(func(section config.Section) (name, infraID string) {
			n := section.(*config.Network)
			return n.Name, n.InfraID
		}),
		PublicDomain: func(section config.Section, _ bool) (string, bool) {
			if n := section.(*config.Network); n.EndpointAccess.HasPublic() {
				return n.BaseDomain, false
			}
			return "", false
		},
		Paths: func(section config.Section, graph *connectivity.Graph, outputs map[string]any) ([]status.Path, error) {
			return connectivity.Walk(graph, deployedCluster(section.(*config.Network).OfCluster(), outputs)), nil
		},
		PlannedPaths: func(section config.Section, graph *connectivity.Graph) []status.Path {
			return connectivity.Walk(graph, plannedCluster(section.(*config.Network).OfCluster(), graph))
		},
		GivenVPC: func(section config.Section, outputs map[string]any) string {
			if section.(*config.Network).Network.Existing == nil {
				return ""
			}
			return props.Map(outputs).String("vpcID")
		},
	}
}

// iamKind returns the kind of a hosted cluster's roles.
func iamKind() Kind {
	const instead = "use the stack of kind cluster that names it as iamStack"
	return Kind{
		Name: config.KindIAM, KubeconfigKey: string(config.KindIAM), Instead: instead,
		Unwaited: func(string) string { return ", and " + instead },
		Cluster: partialCluster(func(section config.Section) (name, infraID string) {
			i := section.(*config.IAM)
			return i.Name, i.InfraID
		}),
	}
}

// nodePoolsKind returns the kind of node pools of a HostedCluster that the stack does not own.
func nodePoolsKind() Kind {
	return Kind{
		Name: config.KindNodePools, KubeconfigKey: "nodePools.kubeconfig", Instead: "use the stack of kind cluster that has the HostedCluster",
		Guest: &Cluster{
			Object: crd.HostedCluster, Find: clusterstatus.FindPools, Parts: clusterstatus.PoolParts(),
			Identify: func(section config.Section) (name, namespace, infraID string) {
				n := section.(*config.NodePools)
				return n.Name, n.NamespaceOrDefault(), ""
			},
		},
		Operators:    []clusterstatus.Deployment{{Namespace: "hypershift", Name: "operator", Operator: "HyperShift's operator"}},
		ChecksFields: true,
		Manifests:    documents.NodePoolManifests,
	}
}

// partialCluster returns the hosted cluster that uses a part of it. Its object belongs to another stack, or to no stack.
func partialCluster(identify func(config.Section) (name, infraID string)) *Cluster {
	return &Cluster{
		Object: crd.HostedCluster, Output: "infraID", Find: func([]apitype.ResourceV3) *clusterstatus.HostedCluster { return nil },
		Identify: func(section config.Section) (name, namespace, infraID string) {
			name, infraID = identify(section)
			return name, "", infraID
		},
		Tag: func(_, infraID string) string { return clusterstatus.LifeTag(infraID) },
	}
}
