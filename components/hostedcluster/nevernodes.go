package hostedcluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/nodes"
)

// neverNodes returns the faults of a NodePool's object that HyperShift's API accepts, and with which the pool never has
// nodes: EC2, Kubernetes or HyperShift's operator refuse them. Their paths are those of the object.
func neverNodes(pool, hostedCluster map[string]any) fault.Faults {
	var faults fault.Faults
	arch := Arch(textAt(pool, "spec", "arch"))
	faults.Join("spec.arch", checkReleaseArch(arch, releaseIn(hostedCluster), releaseIn(pool)))
	const volume = "spec.platform.aws.rootVolume"
	number := func(name string) int64 {
		n, _, _ := unstructured.NestedInt64(pool, "spec", "platform", "aws", "rootVolume", name)
		return n
	}
	var encrypted *bool
	if value, given, _ := unstructured.NestedBool(pool, "spec", "platform", "aws", "rootVolume", "encrypted"); given {
		encrypted = &value
	}
	faults.Join(volume, nodes.CheckVolume(nodes.Volume{
		Type: textAt(pool, "spec", "platform", "aws", "rootVolume", "type"), SizeGiB: number("size"), IOPS: number("iops"),
		EncryptionKey: textAt(pool, "spec", "platform", "aws", "rootVolume", "encryptionKey"), Encrypted: encrypted,
		Region: textAt(hostedCluster, "spec", "platform", "aws", "region"),
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
	faults.Join("spec.platform.aws.resourceTags", checkInstanceTags(pool, hostedCluster))
	market := textAt(pool, "spec", "platform", "aws", "placement", "marketType")
	id := textAt(pool, "spec", "platform", "aws", "placement", "capacityReservation", "id")
	if market == "CapacityBlocks" && id == "" {
		faults.Add("spec.platform.aws.placement.capacityReservation.id", nil, "is missing, and a capacity block requires it",
			"set the ID of the reservation, cr-…")
	}
	return faults
}

// The tags of an instance that Cluster API's provider for AWS adds, beside the cluster's own: Name, MachineName, and
// those with capaTagPrefix.
const (
	capaTagPrefix   = "sigs.k8s.io/cluster-api-provider-aws/"
	capaTags        = 4
	maxInstanceTags = 50
)

// checkInstanceTags returns a fault for a tag of a pool by which operators would find its instances wrongly, and for
// more tags than an instance can have with those of the cluster and of Cluster API.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/nodepool/aws.go
func checkInstanceTags(pool, hostedCluster map[string]any) error {
	tagsOf := func(object map[string]any) map[string]string {
		listed, _, _ := unstructured.NestedSlice(object, "spec", "platform", "aws", "resourceTags")
		tags := map[string]string{}
		for _, each := range listed {
			tag, _ := each.(map[string]any)
			tags[textAt(tag, "key")] = textAt(tag, "value")
		}
		return tags
	}
	own := tagsOf(pool)
	infraID := textAt(hostedCluster, "spec", "infraID")
	if err := checkOwnersTags(own, infraID); err != nil {
		return err
	}
	all := tagsOf(hostedCluster)
	maps.Copy(all, own)
	all[hypershift.ClusterTagPrefix+infraID] = "owned" // HyperShift adds it
	if n := len(all); n+capaTags > maxInstanceTags {
		return &fault.Fault{Value: n, Problem: fmt.Sprintf("are, with the cluster's, more tags than an instance can have: EC2 allows %d, and Cluster API adds %d",
			maxInstanceTags, capaTags), Remedy: fmt.Sprintf("use at most %d together", maxInstanceTags-capaTags)}
	}
	return nil
}

// checkOwnersTags returns a fault for each tag of the user's that says whose a resource is. infraID is the cluster's,
// "" if it is not known.
func checkOwnersTags(tags map[string]string, infraID string) error {
	var faults fault.Faults
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		id, ofCluster := strings.CutPrefix(key, hypershift.ClusterTagPrefix)
		own := tags[key] == "owned" && (infraID == "" || id == infraID)
		if ofCluster && !own || strings.HasPrefix(key, capaTagPrefix) {
			faults.Add("", key, "is a key by which operators find the resources of a cluster, and HyperShift sets it",
				"leave it out")
		}
	}
	return faults.Err()
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
