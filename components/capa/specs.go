package capa

import (
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
)

// Specs are merged into the specs of the cluster's own objects as the last step, for fields that have no key here. Maps
// are merged key by key, other values are replaced, and null removes a field. The result is validated.
type Specs struct {
	// Cluster is merged into the spec of the Cluster. Default none.
	Cluster map[string]any `yaml:"cluster" pulumi:"cluster,optional"`
	// AWSCluster is merged into the spec of the AWSCluster. Default none.
	AWSCluster map[string]any `yaml:"awsCluster" pulumi:"awsCluster,optional"`
}

// ControlPlaneSpecs are merged as Specs are.
type ControlPlaneSpecs struct {
	// ControlPlane is merged into the spec of the KubeadmControlPlane. Default none.
	ControlPlane map[string]any `yaml:"controlPlane" pulumi:"controlPlane,optional"`
	// Machine is merged into spec.template.spec of the AWSMachineTemplate. Default none.
	Machine map[string]any `yaml:"machine" pulumi:"machine,optional"`
	// HealthCheck is merged into the spec of the MachineHealthCheck. Default none.
	HealthCheck map[string]any `yaml:"healthCheck" pulumi:"healthCheck,optional"`
}

// WorkersSpecs are merged as Specs are.
type WorkersSpecs struct {
	// Deployment is merged into the spec of the pool's MachineDeployments. Default none.
	Deployment map[string]any `yaml:"deployment" pulumi:"deployment,optional"`
	// Machine is merged into spec.template.spec of the AWSMachineTemplate. Default none.
	Machine map[string]any `yaml:"machine" pulumi:"machine,optional"`
	// Kubeadm is merged into spec.template.spec of the KubeadmConfigTemplate. Default none.
	Kubeadm map[string]any `yaml:"kubeadm" pulumi:"kubeadm,optional"`
	// HealthCheck is merged into the spec of the pool's MachineHealthCheck. Default none.
	HealthCheck map[string]any `yaml:"healthCheck" pulumi:"healthCheck,optional"`
}

// own is the spec that a user writes for an object, with its key in Args.
type own struct {
	key  string
	spec map[string]any
}

// keyed returns, by kind, the fields that a merge cannot change, with what to use instead: the stack depends on their
// values.
func keyed() map[string]map[string]string {
	const composed, registered = "the stack composes it", "the cloud controller manager expects EC2's name of the node"
	const arguments = "use kubeadm.kubeletArgs, which keep the external cloud provider"
	template := map[string]string{
		"instanceType": "use instanceType", "ami": "use image", "sshKeyName": "use sshKeyName",
		"iamInstanceProfile": "use iam.existing",
	}
	return map[string]map[string]string{
		"Cluster": {
			"controlPlaneRef": composed, "infrastructureRef": composed, "topology": composed,
			"clusterNetwork.pods": "use pods", "clusterNetwork.services": "use services",
		},
		"AWSCluster": {
			"region": "use aws:region", "partition": "use aws:region", "identityRef": "use identity",
			"sshKeyName": "use sshKeyName", "additionalTags": "use tags",
			"network.vpc.id": "use network.existing", "network.subnets": "use network",
			"network.securityGroupOverrides": "use securityGroups",
			"controlPlaneEndpoint":           "CAPA sets it", "controlPlaneLoadBalancer.name": composed,
			"controlPlaneLoadBalancer.scheme":                    "use apiAccess.scheme",
			"controlPlaneLoadBalancer.loadBalancerType":          "network load balancers are what the stack prepares for",
			"secondaryControlPlaneLoadBalancer.name":             composed,
			"secondaryControlPlaneLoadBalancer.scheme":           "use apiAccess.scheme",
			"secondaryControlPlaneLoadBalancer.loadBalancerType": "network load balancers are what the stack prepares for",
		},
		"KubeadmControlPlane": {
			"kubeadmConfigSpec.initConfiguration.nodeRegistration.name":             registered,
			"kubeadmConfigSpec.joinConfiguration.nodeRegistration.name":             registered,
			"kubeadmConfigSpec.initConfiguration.nodeRegistration.kubeletExtraArgs": arguments,
			"kubeadmConfigSpec.joinConfiguration.nodeRegistration.kubeletExtraArgs": arguments,
			"version": "use kubernetesVersion", "replicas": "use controlPlane.replicas",
			"machineTemplate.spec.infrastructureRef": composed,
		},
		"MachineDeployment": {
			"clusterName": composed, "selector": composed, "replicas": "use replicas or autoScaling",
			"template.spec.clusterName": composed,
			"template.spec.version":     "use kubernetesVersion", "template.spec.failureDomain": "use zones",
			"template.spec.bootstrap":         composed,
			"template.spec.infrastructureRef": composed, "template.metadata.labels": "use labels",
		},
		"KubeadmConfigTemplate": {
			"joinConfiguration.nodeRegistration.name":             registered,
			"joinConfiguration.nodeRegistration.kubeletExtraArgs": arguments,
		},
		"AWSMachineTemplate": template,
		"MachineHealthCheck": {"clusterName": composed, "selector": composed},
	}
}

// merge merges what the user writes into the spec of an object of a kind, and notes a fault for each field that cannot
// be merged.
func (b *objectBuilder) merge(kind string, spec map[string]any, from own) {
	if len(from.spec) == 0 {
		return
	}
	values, err := kube.PatchValues(from.spec)
	b.faults.Join(from.key, err)
	refused := keyed()[kind]
	for _, path := range slices.Sorted(maps.Keys(refused)) {
		if kube.PatchHas(values, path) || setToNil(values, path) {
			b.faults.Add(from.key+"."+path, nil, "cannot be merged into the "+kind, refused[path])
		}
	}
	b.faults.Join(from.key, kube.MergePatch(spec, values))
}

// setToNil reports whether a patch removes the field at a path, or a field around it.
func setToNil(spec map[string]any, path string) bool {
	for key := range strings.SplitSeq(path, ".") {
		value, has := spec[key]
		if has && value == nil {
			return true
		}
		spec, _ = value.(map[string]any)
	}
	return false
}

// refused returns the faults that the schema of an object and the rules of its webhooks find in it, those in merged
// values with the key of Args.
func (o Object) refused() fault.Faults {
	faults := fault.In(crd.Set.Validate(o.Object))
	if len(faults) == 0 {
		for _, e := range crd.RefusedByWebhooks(o.Object, nil) {
			faults.Add(e.Field, e.BadValue, e.ErrorBody(), "set what Cluster API accepts")
		}
	}
	prefix := "spec."
	if o.Template {
		prefix = "spec.template.spec."
	}
	for i, f := range faults {
		moved := *f
		if rest, inside := strings.CutPrefix(f.Path, prefix); inside && kube.PatchHas(o.own.spec, rest) {
			moved.Path = o.own.key + "." + rest
		} else {
			moved.Path = o.Part + "." + f.Path
		}
		faults[i] = &moved
	}
	return faults
}

// Machines are the instances of one kind that CAPA starts for a cluster.
type Machines struct {
	// Name is "control plane" or the name of the pool of workers.
	Name         string
	InstanceType string
	// Zones are their zones, and Count is their total number, at most.
	Zones []string
	Count int
}

// Machines returns the cluster's instances by kind.
func (args *Args) Machines() []Machines {
	a := args.WithDefaults()
	list := []Machines{{Name: "control plane", InstanceType: a.ControlPlane.InstanceType, Zones: a.zoneNames(), Count: a.ControlPlane.Replicas}}
	for _, pool := range a.Workers {
		zones := a.zonesOf(pool)
		list = append(list, Machines{
			Name:         pool.Name,
			InstanceType: pool.InstanceType,
			Zones:        zones,
			Count:        pool.count() * len(zones),
		})
	}
	return list
}
