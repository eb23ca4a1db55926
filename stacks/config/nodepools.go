package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// NodePools is hypershift-aws:nodePools: node pools of a HostedCluster that exists, and that another stack or another tool owns. The stack reads
// the HostedCluster, and neither creates nor changes it.
type NodePools struct {
	// Name is the name of the HostedCluster. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Namespace is the namespace of the HostedCluster, and of its node pools. Default clusters.
	Namespace string `yaml:"namespace" pulumi:"namespace,optional"`
	// Kubeconfig is the kubeconfig of the management cluster; {} is the current context. Required.
	Kubeconfig *Kubeconfig `yaml:"kubeconfig" pulumi:"kubeconfig"`
	// Objects are ConfigMaps and Secrets to create in the same namespace, which the pools refer to by their names. They are
	// created before the pools and deleted after them. Default none.
	Objects []ReferredObject `yaml:"objects" pulumi:"objects,optional"`
	// NodePools are the pools. Each needs a name. Outside the zone of the HostedCluster's own subnet, it needs a subnetID too. The default instance
	// profile is <infraID>-worker, and the default of securityGroups is none. Required.
	NodePools []hostedcluster.NodePool `yaml:"nodePools" pulumi:"nodePools"`
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
func (n *NodePools) Validate(string) error {
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
		faults.Join("", hosted.InObjects(fault.In(n.Args(n.Placeholder()).Validate())).Err())
	}
	return faults.Err()
}

// Placeholder returns a HostedCluster with a subnet in each zone of the pools, for checks before it was read.
func (n *NodePools) Placeholder() hostedcluster.ExistingCluster {
	c := hostedcluster.ExistingCluster{
		Name: n.Name, Namespace: n.Namespace, InfraID: n.Name, Release: "placeholder.invalid/release:placeholder", SubnetID: pulumi.String("subnet-00000000000000000"),
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
	return &hostedcluster.NodePoolsArgs{HostedCluster: existing, NodePools: n.NodePools, Referred: n.hosted().referred()}
}

// ReferredInputs returns the objects with the contents of Secrets, as secrets. It returns a fault for each content that is missing or that
// HyperShift could not use.
func (n *NodePools) ReferredInputs(args hostedcluster.NodePoolsArgs) ([]hostedcluster.Referred, error) {
	return n.hosted().referredInputs(args.Referred, func(all []hostedcluster.Referred) error {
		args.Referred = all
		return args.Validate()
	})
}

// InObjects maps the contents of objects in the component's faults to the keys of the section.
func (n *NodePools) InObjects(faults fault.Faults) fault.Faults { return n.hosted().InObjects(faults) }

// UseCluster returns what the pools take from the HostedCluster that the management cluster has. It returns a fault, with the path of the config, if
// the cluster does not exist, is being deleted, or is not in the stack's region of AWS. owner is the value of the annotation on pools of the stack.
func (n *NodePools) UseCluster(live *hostedcluster.Live, region, owner string) (c hostedcluster.ExistingCluster, vpcID string, err error) {
	var faults fault.Faults
	id := n.NamespaceOrDefault() + "/" + n.Name
	if !live.Exists() {
		faults.Add("name", n.Name, "is not a HostedCluster: the management cluster has no "+id, "correct name and namespace, or kubeconfig if it selects another cluster")
		return c, "", faultsOf(KindNodePools.Key(), faults)
	}
	at := func(path ...string) string {
		text, _, _ := unstructured.NestedString(live.HostedCluster, path...)
		return text
	}
	aws := func(path ...string) string { return at(append([]string{"spec", "platform", "aws"}, path...)...) }
	if since := at("metadata", "deletionTimestamp"); since != "" {
		faults.Add("name", n.Name, "is a HostedCluster that has been in deletion since "+since+", with all its node pools",
			"run `hypershift-aws destroy` for this stack, or name another cluster")
	}
	if platform := at("spec", "platform", "type"); platform != "AWS" {
		faults.Add("name", n.Name, "is a HostedCluster of platform "+platform, "name a HostedCluster of platform AWS")
	} else if in := aws("region"); region != "" && in != region {
		faults.Add("name", n.Name, "is a HostedCluster in region "+in+", but the stack is in "+region, "set aws:region: "+in)
	}
	for i, pool := range n.NodePools {
		found := unstructured.Unstructured{Object: live.NodePools[pool.Name]}
		if found.Object == nil {
			continue
		}
		marks := found.GetAnnotations()
		switch other := marks[hypershift.StackTag]; {
		case other != "" && other != owner:
			faults.Add(fmt.Sprintf("nodePools[%d].name", i), pool.Name, "is the name of a node pool of stack "+other, "use another name")
		case other == "" && marks[hostedcluster.InfraIDAnnotation] != "":
			faults.Add(fmt.Sprintf("nodePools[%d].name", i), pool.Name, "is the name of a node pool of the stack that owns the HostedCluster", "use another name")
		}
	}
	c = hostedcluster.ExistingCluster{
		Name: n.Name, Namespace: n.Namespace, InfraID: at("spec", "infraID"), Release: at("spec", "release", "image"), Zone: aws("cloudProviderConfig", "zone"),
	}
	if subnet := aws("cloudProviderConfig", "subnet", "id"); subnet != "" {
		c.SubnetID = pulumi.String(subnet)
	}
	return c, aws("cloudProviderConfig", "vpc"), faultsOf(KindNodePools.Key(), faults)
}

// ReadCluster returns the HostedCluster in the outputs of the section's stack, and false if the stack is not deployed.
func (n *NodePools) ReadCluster(outputs map[string]any) (hostedcluster.ExistingCluster, bool) {
	var read struct{ InfraID, Release, Zone, SubnetID string }
	text, err := json.Marshal(outputs["hostedCluster"])
	if err != nil || json.Unmarshal(text, &read) != nil || read.InfraID == "" {
		return hostedcluster.ExistingCluster{}, false
	}
	c := hostedcluster.ExistingCluster{Name: n.Name, Namespace: n.Namespace, InfraID: read.InfraID, Release: read.Release, Zone: read.Zone}
	if read.SubnetID != "" {
		c.SubnetID = pulumi.String(read.SubnetID)
	}
	return c, true
}

// Found are the IDs of what AWS has in the VPC of a HostedCluster: all subnets, the subnets of each zone, and the security groups.
type Found struct {
	Subnets, SecurityGroups []string
	InZone                  map[string][]string
}

// CheckVPC returns a fault for each subnet and security group of the pools that is not in the VPC of the HostedCluster, and for each subnet in
// another zone than its pool's.
func (n *NodePools) CheckVPC(vpcID string, found Found) error {
	var faults fault.Faults
	for i, pool := range n.NodePools {
		path := fmt.Sprintf("nodePools[%d]", i)
		switch subnet, plain := pool.SubnetID.(pulumi.String); {
		case !plain || subnet == "":
		case !slices.Contains(found.Subnets, string(subnet)):
			faults.Add(path+".subnetID", string(subnet), "is not in "+vpcID+", the VPC of the HostedCluster", "use a subnet of that VPC")
		case pool.Zone != "" && !slices.Contains(found.InZone[pool.Zone], string(subnet)):
			faults.Add(path+".subnetID", string(subnet), "is not in zone "+pool.Zone, "use a subnet of that zone, or correct zone")
		}
		for j, group := range pool.SecurityGroups {
			if id, plain := group.(pulumi.String); plain && !slices.Contains(found.SecurityGroups, string(id)) {
				faults.Add(fmt.Sprintf("%s.securityGroups[%d]", path, j), string(id), "is not in "+vpcID+", the VPC of the HostedCluster", "use a security group of that VPC")
			}
		}
	}
	return faultsOf(KindNodePools.Key(), faults)
}
