package hostedcluster

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/nodes"
)

// neverNodes returns the faults of a NodePool's object that HyperShift's API accepts, and with which the pool never has
// nodes: EC2 or Kubernetes refuse them. Their paths are those of the object.
func neverNodes(pool map[string]any) fault.Faults {
	var faults fault.Faults
	const volume = "spec.platform.aws.rootVolume"
	number := func(name string) int64 {
		n, _, _ := unstructured.NestedInt64(pool, "spec", "platform", "aws", "rootVolume", name)
		return n
	}
	faults.Join(volume, nodes.CheckVolume(nodes.Volume{
		Type: textAt(pool, "spec", "platform", "aws", "rootVolume", "type"), SizeGiB: number("size"), IOPS: number("iops"),
	}))
	labels, _, _ := unstructured.NestedStringMap(pool, "spec", "nodeLabels")
	faults.Join("", nodes.CheckLabels(labels, func(key string) string { return "spec.nodeLabels[" + key + "]" }))
	listed, _, _ := unstructured.NestedSlice(pool, "spec", "taints")
	taints := make([]nodes.Taint, len(listed))
	for i, one := range listed {
		taint, _ := one.(map[string]any)
		taints[i] = nodes.Taint{
			Key: textAt(taint, "key"), Value: textAt(taint, "value"), Effect: textAt(taint, "effect"),
		}
	}
	faults.Join("spec.taints", nodes.CheckTaints(taints))
	market := textAt(pool, "spec", "platform", "aws", "placement", "marketType")
	id := textAt(pool, "spec", "platform", "aws", "placement", "capacityReservation", "id")
	if market == "CapacityBlocks" && id == "" {
		faults.Add("spec.platform.aws.placement.capacityReservation.id", nil, "is missing, and a capacity block requires it",
			"set the ID of the reservation, cr-…")
	}
	return faults
}

// CheckArchitectures looks up the instance types of pools that name one, and returns a fault for each whose instances
// have another architecture than the pool, and for each that does not exist. The paths are those of Settings: EC2
// would refuse the instances.
func CheckArchitectures(ctx *pulumi.Context, pools []NodePool, opts ...pulumi.InvokeOption) error {
	var faults fault.Faults
	for i := range pools {
		pool := &pools[i]
		instanceType, arch := pool.InstanceType, string(pool.Arch)
		if of := textAt(pool.Spec, "platform", "aws", "instanceType"); of != "" {
			instanceType = of
		}
		if of := textAt(pool.Spec, "arch"); of != "" {
			arch = of
		}
		if instanceType == "" && arch == string(pool.Arch) {
			continue // the default is of the pool's architecture
		}
		if instanceType == "" {
			instanceType, _ = pool.Machines()
		}
		err := nodes.CheckArchitecture(ctx, instanceType, cmp.Or(arch, string(AMD64)), opts...)
		if err != nil && fault.In(err) == nil {
			return err
		}
		faults.Join(fmt.Sprintf("nodePools[%d].instanceType", i), err)
	}
	return faults.Err()
}
