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
// nodes: EC2, Kubernetes or HyperShift's operator refuse them. Their paths are those of the object. controlPlane is the
// release of the cluster.
func neverNodes(pool map[string]any, controlPlane string) fault.Faults {
	var faults fault.Faults
	faults.Join("spec.arch", checkReleaseArch(Arch(textAt(pool, "spec", "arch")), controlPlane, releaseIn(pool)))
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

// checkReleaseArch returns a fault if the nodes of an architecture cannot run the images of the releases of the control
// plane and of their pool: HyperShift's operator creates no machines for them. Source: its condition ValidArchPlatform,
// validateHCPayloadSupportsNodePoolCPUArch in nodepool_controller.go.
func checkReleaseArch(arch Arch, releases ...string) error {
	arch = cmp.Or(arch, AMD64)
	for _, release := range releases {
		of := releaseArch(release)
		if of == "" || of == arch {
			continue
		}
		remedy := "use the release with -multi in its tag"
		if of.Validate() == nil {
			remedy += fmt.Sprintf(", or nodes with arch %s", of)
		}
		return &fault.Fault{Value: string(arch), Remedy: remedy,
			Problem: fmt.Sprintf("is the architecture of the nodes, and release %s has images for %s only", release, of)}
	}
	return nil
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
