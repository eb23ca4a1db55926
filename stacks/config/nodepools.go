package config

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// NodePools is hypershift-aws:nodePools: node pools of a HostedCluster that exists, and that another stack or another
// tool owns. The stack reads the HostedCluster, and neither creates nor changes it.
type NodePools struct {
	// Name is the name of the HostedCluster. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Namespace is the namespace of the HostedCluster, and of its node pools. Default clusters.
	Namespace string `yaml:"namespace" pulumi:"namespace,optional"`
	// Kubeconfig is the kubeconfig of the management cluster; {} is the current context. Required.
	Kubeconfig *Kubeconfig `yaml:"kubeconfig" pulumi:"kubeconfig"`
	// Objects are ConfigMaps and Secrets to create in the same namespace, which the pools refer to by their names. They
	// are created before the pools and deleted after them. Default none.
	Objects []ReferredObject `yaml:"objects" pulumi:"objects,optional"`
	// NodePools are the pools. Each needs a name. Outside the zone of the HostedCluster's own subnet, it needs a subnetID
	// too. The default instance profile is <infraID>-worker, and the default of securityGroups is none. Required.
	NodePools []hostedcluster.NodePool `yaml:"nodePools" pulumi:"nodePools"`
	// NodesPausedSince is the time since which the pools have no nodes: see cluster.hostedCluster.nodesPausedSince.
	// Default: they have their nodes.
	NodesPausedSince string `yaml:"nodesPausedSince" pulumi:"nodesPausedSince,optional"`
	// Unprotected turns off what stops `pulumi destroy` from deleting the node pools of a living cluster. Default false.
	Unprotected bool `yaml:"unprotected" pulumi:"unprotected,optional"`

	// dir is the folder that the paths of files are relative to.
	dir string
}

var (
	_ Section  = (*NodePools)(nil)
	_ relative = (*NodePools)(nil)
)

func (n *NodePools) relativeTo(dir string) { n.dir = dir }

// Resolve implements Section. The component has the defaults.
func (*NodePools) Resolve(Source) {}

// ManagementCluster implements Section.
func (n *NodePools) ManagementCluster() *Kubeconfig { return n.Kubeconfig }

// Existing implements Section.
func (*NodePools) Existing(*ManagementOutputs) []Existing { return nil }

// NamespaceOrDefault returns the namespace of the HostedCluster.
func (n *NodePools) NamespaceOrDefault() string {
	return (&hostedcluster.Settings{Namespace: n.Namespace}).NamespaceOrDefault()
}

// hosted returns the section's objects as objects of a HostedCluster, which are read and checked in the same way.
func (n *NodePools) hosted() *HostedCluster { return &HostedCluster{Objects: n.Objects, dir: n.dir} }

// Validate implements Section. A placeholder represents the HostedCluster.
func (n *NodePools) Validate(string) error { return n.validate(apiOf(n.Kubeconfig)) }

// validateEmbedded implements judgedByServer.
func (n *NodePools) validateEmbedded(string) error { return n.validate(hostedcluster.EmbeddedAPI()) }

func (n *NodePools) validate(api hostedcluster.API) error {
	var faults fault.Faults
	for key, name := range map[string]string{"name": n.Name, "namespace": n.NamespaceOrDefault()} {
		switch {
		case name == "":
			faults.Add(key, nil, "is missing", "set the "+key+" of an existing HostedCluster")
		case len(validation.IsDNS1123Label(name)) > 0:
			faults.Add(key, name, "is not a DNS label", "use that of an existing HostedCluster")
		}
	}
	if n.Kubeconfig == nil {
		faults.Add("kubeconfig", nil, "is missing", "set the kubeconfig of the management cluster that has the HostedCluster; {} is the current context")
	}
	faults.Join("kubeconfig", n.Kubeconfig.validate())
	hosted := n.hosted()
	for i := range n.Objects {
		faults.Join(fmt.Sprintf("objects[%d]", i), n.Objects[i].validate(n.dir))
	}
	if n.Name != "" {
		args := n.Args(n.Placeholder())
		args.Live = &hostedcluster.Live{API: api}
		faults.Join("", hosted.InObjects(fault.In(args.Validate())).Err())
	}
	return faults.Err()
}

// Placeholder returns a HostedCluster with a subnet in each zone of the pools, for checks before it was read.
func (n *NodePools) Placeholder() hostedcluster.ExistingCluster {
	c := hostedcluster.ExistingCluster{
		Name: n.Name, Namespace: n.Namespace, InfraID: n.Name, Release: "placeholder.invalid/release:placeholder",
		SubnetID: pulumi.String("subnet-00000000000000000"),
	}
	for _, pool := range n.NodePools {
		if pool.SubnetID == nil {
			c.Zone = cmp.Or(c.Zone, pool.Zone)
		}
	}
	return c
}

// Args returns the args of the component for a HostedCluster, with placeholders for the contents of Secrets.
func (n *NodePools) Args(existing hostedcluster.ExistingCluster) *hostedcluster.NodePoolsArgs {
	return &hostedcluster.NodePoolsArgs{
		HostedCluster: existing, NodePools: n.NodePools, Referred: n.hosted().referred(),
		NodesPausedSince: n.NodesPausedSince,
	}
}

// ReferredInputs returns the objects with the contents of Secrets, as secrets. It returns a fault for each content that
// is missing or that HyperShift could not use.
func (n *NodePools) ReferredInputs(args hostedcluster.NodePoolsArgs) ([]hostedcluster.Referred, error) {
	return n.hosted().referredInputs(args.Referred, func(all []hostedcluster.Referred) error {
		args.Referred = all
		return args.Validate()
	})
}

// InObjects maps the contents of objects in the component's faults to the keys of the section.
func (n *NodePools) InObjects(faults fault.Faults) fault.Faults { return n.hosted().InObjects(faults) }

var (
	_ ClusterMember    = (*NodePools)(nil)
	_ NodesSection     = (*NodePools)(nil)
	_ PausableSection  = (*NodePools)(nil)
	_ ReleaseSection   = (*NodePools)(nil)
	_ SecretSection    = (*NodePools)(nil)
	_ ManifestSection  = (*NodePools)(nil)
	_ ProtectedSection = (*NodePools)(nil)
)

// ClusterIdentity implements ClusterMember.
func (n *NodePools) ClusterIdentity() ClusterIdentity {
	return ClusterIdentity{
		Object: hostedClusterObject, Relation: JoinsCluster, Name: n.Name, Namespace: n.NamespaceOrDefault(),
	}
}

// Nodes implements NodesSection.
func (n *NodePools) Nodes(string, []string) []Nodes {
	return nodesOf(n.NodePools, true, n.NodesPausedSince != "")
}

// PausedNodes implements PausableSection.
func (n *NodePools) PausedNodes() (key, since string) {
	return KindNodePools.Key() + ".nodesPausedSince", n.NodesPausedSince
}

// Releases implements ReleaseSection.
func (n *NodePools) Releases() (Releases, error) {
	return Releases{Images: named(releasesOf(n.NodePools))}, nil
}

// SecretTexts implements SecretSection.
func (n *NodePools) SecretTexts() (map[string]string, error) {
	return n.hosted().objectTexts(KindNodePools.Key())
}

// RenderManifests implements ManifestSection. The HostedCluster is the one in the outputs.
func (n *NodePools) RenderManifests(file *File, outputs map[string]any) ([]hostedcluster.Manifest, error) {
	existing, deployed := n.readCluster(outputs)
	if !deployed {
		return nil, fmt.Errorf("the stack of %s is not deployed, so that the release and the subnet of HostedCluster %s are not known",
			file.Path, n.Name)
	}
	manifests, err := n.Args(existing).Manifests()
	if found := fault.In(err); found != nil {
		var faults fault.Faults
		faults.Join(KindNodePools.Key(), n.InObjects(found).Err())
		return nil, file.Placed(faults.Err())
	}
	return manifests, err
}

// readCluster returns the HostedCluster of the pools in the outputs of their stack, and false if the stack is not
// deployed.
func (n *NodePools) readCluster(outputs map[string]any) (hostedcluster.ExistingCluster, bool) {
	var read struct{ InfraID, Release, Zone, SubnetID string }
	text, err := json.Marshal(outputs["hostedCluster"])
	if err != nil || json.Unmarshal(text, &read) != nil || read.InfraID == "" {
		return hostedcluster.ExistingCluster{}, false
	}
	c := hostedcluster.ExistingCluster{
		Name:      n.Name,
		Namespace: n.Namespace,
		InfraID:   read.InfraID,
		Release:   read.Release,
		Zone:      read.Zone,
	}
	if read.SubnetID != "" {
		c.SubnetID = pulumi.String(read.SubnetID)
	}
	return c, true
}

// DeletionAllowed implements ProtectedSection.
func (n *NodePools) DeletionAllowed() bool { return n.Unprotected }
