package kind

import (
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// kinds returns the kinds of package stacks that have any of the things, in its order.
func kinds() []Kind {
	return []Kind{managementKind(), clusterKind(), capaKind(), networkKind(), iamKind(), nodePoolsKind()}
}

// managementKind returns the kind of a management account. Its objects are for the operator's installation.
func managementKind() Kind {
	return Kind{
		Name: config.KindManagement, KubeconfigKey: "management.kubeconfig", HostsControlPlanes: true,
		PublicDomain: func(section config.Section, newZone bool) (string, bool) {
			zone := section.(*config.Management).Zone
			if zone == nil || newZone && zone.ParentZone != "" { // the stack delegates it itself
				return "", newZone && zone != nil
			}
			return zone.Domain, newZone
		},
	}
}

// clusterKind returns the kind of a hosted cluster.
func clusterKind() Kind {
	return Kind{
		Name: config.KindCluster, KubeconfigKey: "cluster.hostedCluster.kubeconfig",
		Unwaited: func(string) string { return ", or set cluster.hostedCluster.kubeconfig" },
		Cluster: &Cluster{
			Object: crd.HostedCluster, Output: "infraID", Find: clusterstatus.Find, Parts: clusterstatus.HostedClusterParts(),
			Identify: func(section config.Section) (name, namespace, infraID string) {
				c := section.(*config.Cluster)
				if c.HostedCluster != nil {
					namespace = c.HostedCluster.NamespaceOrDefault()
				}
				return c.Name, namespace, c.InfraID
			},
			Tag: func(_, infraID string) string { return clusterstatus.LifeTag(infraID) },
		},
		Operators:    []clusterstatus.Deployment{{Namespace: "hypershift", Name: "operator", Operator: "HyperShift's operator"}},
		ChecksFields: true,
		PublicDomain: func(section config.Section, _ bool) (string, bool) {
			if c := section.(*config.Cluster); c.EndpointAccess.HasPublic() {
				return c.BaseDomain, false
			}
			return "", false
		},
		Paths: func(section config.Section, graph *connectivity.Graph, outputs map[string]any) ([]status.Path, error) {
			return connectivity.Walk(graph, deployedCluster(section.(*config.Cluster), outputs)), nil
		},
		PlannedPaths: func(section config.Section, graph *connectivity.Graph) []status.Path {
			return connectivity.Walk(graph, plannedCluster(section.(*config.Cluster), graph))
		},
		GivenVPC: func(section config.Section, outputs map[string]any) string {
			if c := section.(*config.Cluster); c.Network.Existing == nil && c.NetworkStack == "" {
				return ""
			}
			return props.Map(outputs).String("vpcID")
		},
	}
}

// capaKind returns the kind of a cluster of Cluster API Provider AWS.
func capaKind() Kind {
	return Kind{
		Name: config.KindCAPA, KubeconfigKey: "capa.kubeconfig", Instead: "use Cluster API's own clusterctl, or a stack of kind cluster for a hosted cluster",
		Unwaited: func(stack string) string {
			return ": `hypershift-aws status -s " + stack + "` shows how far the cluster is"
		},
		Cluster: &Cluster{
			Object: "Cluster", Output: "name", Find: clusterstatus.FindCAPA, Parts: clusterstatus.CAPAParts(),
			Identify: func(section config.Section) (name, namespace, infraID string) {
				c := section.(*config.CAPA)
				if c.Namespace == "" {
					return c.Name, capa.DefaultNamespace, ""
				}
				return c.Name, c.Namespace, ""
			},
			Tag: func(name, _ string) string { return clusterstatus.CAPALifeTag(name) },
		},
		Operators: []clusterstatus.Deployment{
			{Namespace: "capi-system", Name: "capi-controller-manager", Operator: "Cluster API's controller"},
			{Namespace: "capa-system", Name: "capa-controller-manager", Operator: "Cluster API Provider AWS"},
		},
		Paths: func(section config.Section, graph *connectivity.Graph, outputs map[string]any) ([]status.Path, error) {
			m, err := deployedMachines(section.(*config.CAPA), outputs)
			if err != nil {
				return nil, err
			}
			return connectivity.WalkMachines(graph, m), nil
		},
		PlannedPaths: func(section config.Section, graph *connectivity.Graph) []status.Path {
			c := section.(*config.CAPA)
			return connectivity.WalkMachines(graph, graph.PlannedMachines(machines(c), c.Name))
		},
		GivenVPC: func(section config.Section, outputs map[string]any) string {
			m := machines(section.(*config.CAPA))
			if id, found := outputs["vpcID"].(string); m.GivenVPC && m.VPCID == "" && found {
				return id // of the region's default VPC
			}
			return m.VPCID
		},
		Manifests: func(file *config.File, outputs map[string]any) ([]hostedcluster.Manifest, error) {
			return documents.CAPAManifests(file, outputs["site"])
		},
	}
}
