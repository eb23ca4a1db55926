package price

import (
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// The operators that create AWS resources for a stack's objects.
const (
	hyperShift = "HyperShift's"
	clusterAPI = "CAPA's"
)

// The annotation with the maximum of a MachineDeployment that the cluster autoscaler scales. Source: Cluster API,
// api/core/v1beta2.
const autoScalerMax = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"

// operatorCharges returns the fixed charges for what operators create for an object: the instances of node pools and of
// Cluster API's machines, at most, and the API server's load balancers. all are the resources of the object's stack.
func operatorCharges(r apitype.ResourceV3, all []apitype.ResourceV3) []charge {
	inputs := props.Map(r.Inputs)
	spec := inputs.Object("spec")
	switch objectKind(r) {
	case "NodePool":
		count := spec.Number("replicas")
		if scaling := spec.Object("autoScaling"); scaling != nil {
			count = scaling.Number("max")
		}
		annotations, paused := inputs.Object("metadata").Object("annotations"), false
		if annotations.String(hypershift.PausedSinceAnnotation) != "" && count == 0 {
			count, _ = strconv.ParseFloat(annotations.String(hypershift.PausedNodesAnnotation), 64)
			paused = true
		}
		nodes := "nodes"
		if spec.String("platform", "aws", "placement", "marketType") == "Spot" {
			nodes = "nodes on spot, at most"
		}
		instances := fixed(InstanceHour(spec.String("platform", "aws", "instanceType")), count)
		instances.paused = paused
		return created(hyperShift, nodes, instances)
	case "KubeadmControlPlane":
		return machineCharges(r, all, spec.Number("replicas"))
	case "MachineDeployment":
		count := spec.Number("replicas")
		if most, err := strconv.Atoi(inputs.Object("metadata").String("annotations", autoScalerMax)); err == nil {
			count = float64(most)
		}
		return machineCharges(r, all, count)
	case "AWSCluster":
		var list []charge
		for _, key := range []string{"controlPlaneLoadBalancer", "secondaryControlPlaneLoadBalancer"} {
			balancer := spec.Object(key)
			if balancer == nil {
				continue
			}
			list = append(list, fixed(NetworkLoadBalancerHour, 1))
			if balancer.String("scheme") != "internal" {
				list = append(list, fixed(PublicIPv4Hour, float64(publicZones(spec, all))))
			}
		}
		return created(clusterAPI, "load balancers", list...)
	}
	return nil
}

// objectKind returns the kind of a Kubernetes object, "" for any other resource.
func objectKind(r apitype.ResourceV3) string {
	token := string(r.Type)
	if !strings.HasPrefix(token, "kubernetes:") {
		return ""
	}
	return token[strings.LastIndex(token, ":")+1:]
}

// created returns the charges, without those of nothing, as what an operator creates.
func created(creator, what string, list ...charge) []charge {
	var some []charge
	for _, c := range list {
		if c.Creator, c.What = creator, what; c.Quantity > 0 {
			some = append(some, c)
		}
	}
	return some
}

// machineCharges returns the charges of the machines of a KubeadmControlPlane or MachineDeployment.
func machineCharges(r apitype.ResourceV3, all []apitype.ResourceV3, count float64) []charge {
	template := machineTemplate(r, all)
	list := []charge{fixed(InstanceHour(template.String("instanceType")), count)}
	if template.Bool("publicIP") {
		list = append(list, fixed(PublicIPv4Hour, count))
	}
	return created(clusterAPI, "machines", list...)
}

// machineTemplate returns the spec of the machines of a KubeadmControlPlane or MachineDeployment. The name of the
// template in the object may be known only after AWS has created what the template contains, so the names of the two
// resources are compared: cluster-md-template is that of cluster-md-us-east-1a.
func machineTemplate(r apitype.ResourceV3, all []apitype.ResourceV3) props.Map {
	var found props.Map
	longest := 0
	for _, other := range all {
		pool := strings.TrimSuffix(other.URN.Name(), "-template")
		if objectKind(other) == "AWSMachineTemplate" && len(pool) > longest && (r.URN.Name() == pool || strings.HasPrefix(r.URN.Name(), pool+"-")) {
			found, longest = machineSpec(other), len(pool)
		}
	}
	return found
}

// machineSpec returns the spec of the machines in an AWSMachineTemplate.
func machineSpec(template apitype.ResourceV3) props.Map {
	return props.Map(template.Inputs).Object("spec").Object("template").Object("spec")
}

// publicZones returns the number of zones in which a load balancer of an AWSCluster has public addresses. Its subnets
// are a public one for each zone and, unless the machines have public addresses, a private one.
func publicZones(spec props.Map, all []apitype.ResourceV3) int {
	subnets := len(spec.Object("network").Objects("subnets"))
	for _, other := range all {
		if objectKind(other) == "AWSMachineTemplate" && machineSpec(other).Bool("publicIP") {
			return subnets
		}
	}
	return (subnets + 1) / 2
}

// operatorRegion returns the region of what operators create for a stack: that of its AWS provider, else that of its
// cluster's object.
func operatorRegion(all []apitype.ResourceV3) string {
	for _, r := range all {
		if r.Type == "pulumi:providers:aws" {
			if region := props.Map(r.Inputs).String("region"); region != "" {
				return region
			}
		}
	}
	for _, r := range all {
		spec := props.Map(r.Inputs).Object("spec")
		switch objectKind(r) {
		case "HostedCluster":
			return spec.String("platform", "aws", "region")
		case "AWSCluster":
			return spec.String("region")
		}
	}
	return ""
}
