package capa

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/nodes"
)

// Taint keeps pods off nodes.
type Taint struct {
	// Key is the taint's key. Required.
	Key string `yaml:"key" pulumi:"key"`
	// Value is the taint's value. Default none.
	Value string `yaml:"value" pulumi:"value,optional"`
	// Effect is NoSchedule, PreferNoSchedule or NoExecute. Required.
	Effect string `yaml:"effect" pulumi:"effect"`
}

// AutoScaling is the range in which the cluster autoscaler, which the management cluster or the cluster runs, keeps the
// nodes of a pool.
type AutoScaling struct {
	// Min is the minimum number of nodes in each zone.
	Min int `yaml:"min" pulumi:"min"`
	// Max is the maximum number of nodes in each zone, at least 1. Required.
	Max int `yaml:"max" pulumi:"max"`
}

// Spot configures spot instances.
type Spot struct {
	// MaxPrice is the maximum price per hour and instance in USD, such as "0.05". Default: the price of on-demand
	// instances.
	MaxPrice string `yaml:"maxPrice" pulumi:"maxPrice,optional"`
}

// PlacementGroup is an existing placement group of EC2.
type PlacementGroup struct {
	// Name is the name of the placement group. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Partition is the number of a partition, 1 to 7, of a group with the strategy partition. Default: EC2 chooses.
	Partition int `yaml:"partition" pulumi:"partition,optional"`
}

// The annotations by which the cluster autoscaler finds a pool and its limits. Source: Cluster API, api/core/v1beta2.
const (
	autoScalerMin = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"
	autoScalerMax = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
)

var pricePattern = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// count returns the number of nodes of a pool in each zone, at most.
func (w *WorkersArgs) count() int {
	if w.AutoScaling != nil {
		return w.AutoScaling.Max
	}
	return *w.Replicas
}

// validateNodes returns the faults in a pool's settings of nodes and instances, except type, size, and zones.
func (w *WorkersArgs) validateNodes() error {
	var faults fault.Faults
	faults.Join("", nodes.CheckLabels(w.Labels, func(key string) string { return "labels." + key }))
	for _, key := range slices.Sorted(maps.Keys(w.Labels)) {
		if !managedLabel(key) && reservedLabel(key) {
			faults.Add("labels."+key, w.Labels[key], "is reserved by Kubernetes, which refuses nodes with it",
				"use a domain of your own, node-role.kubernetes.io, node-restriction.kubernetes.io or node.cluster.x-k8s.io")
		}
	}
	taints := make([]nodes.Taint, len(w.Taints))
	for i, taint := range w.Taints {
		taints[i] = nodes.Taint{Key: taint.Key, Value: taint.Value, Effect: taint.Effect}
	}
	faults.Join("taints", nodes.CheckTaints(taints))
	for i, taint := range w.Taints {
		path := fmt.Sprintf("taints[%d]", i)
		if !slices.Contains([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}, taint.Effect) {
			faults.Add(path+".effect", taint.Effect, "is not an effect", "use NoSchedule, PreferNoSchedule or NoExecute")
		}
	}
	if a := w.AutoScaling; a != nil && (a.Min < 0 || a.Max < 1 || a.Max < a.Min) {
		faults.Add("autoScaling", fmt.Sprintf("%d-%d", a.Min, a.Max), "is not a range of nodes",
			"use a min of at least 0, and a max of at least 1 and at least min")
	}
	if !slices.Contains([]string{"", "default", "dedicated", "host"}, w.Tenancy) {
		faults.Add("tenancy", w.Tenancy, "is not a tenancy", "use default, dedicated, or host")
	}
	if w.Spot != nil {
		if w.Spot.MaxPrice != "" && !pricePattern.MatchString(w.Spot.MaxPrice) {
			faults.Add("spot.maxPrice", w.Spot.MaxPrice, "is not a price", `use USD per hour, such as "0.05"`)
		}
		if w.Tenancy == "host" {
			faults.Add("tenancy", w.Tenancy, "is not possible for spot instances", "leave out tenancy, or spot")
		}
	}
	if g := w.PlacementGroup; g != nil {
		if g.Name == "" {
			faults.Add("placementGroup.name", nil, "is missing", "set the name of a placement group")
		}
		if g.Partition < 0 || g.Partition > 7 {
			faults.Add("placementGroup.partition", g.Partition, "is not a partition", "use 1 to 7, or leave it out")
		}
	}
	return faults.Err()
}

// managedLabel reports whether Cluster API keeps a label of a machine on its node. Source: Cluster API,
// GetManagedLabels.
func managedLabel(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return domain == "node-role.kubernetes.io" || isDomain(domain, "node-restriction.kubernetes.io") ||
		isDomain(domain, "node.cluster.x-k8s.io")
}

// reservedLabel reports whether a label belongs to Kubernetes or to Cluster API.
func reservedLabel(key string) bool {
	domain, _, has := strings.Cut(key, "/")
	return has && (isDomain(domain, "kubernetes.io") && !isDomain(domain,
		"node.kubernetes.io") && !isDomain(domain, "kubelet.kubernetes.io") ||
		isDomain(domain, "k8s.io") || isDomain(domain, "cluster.x-k8s.io"))
}

func isDomain(domain, parent string) bool {
	return domain == parent || strings.HasSuffix(domain, "."+parent)
}

// labels returns the labels that Cluster API keeps on nodes, or the others, which the kubelet sets once.
func (w *WorkersArgs) labels(managed bool) map[string]string {
	some := map[string]string{}
	for key, value := range w.Labels {
		if managedLabel(key) == managed {
			some[key] = value
		}
	}
	return some
}

func (w *WorkersArgs) taints() []any {
	var list []any
	for _, taint := range w.Taints {
		list = append(list, addTexts(map[string]any{
			"key":    taint.Key,
			"effect": taint.Effect,
		}, map[string]string{"value": taint.Value}))
	}
	return list
}

// placement returns where and how EC2 runs the pool's instances, as fields of an AWSMachineTemplate.
func (w *WorkersArgs) placement() map[string]any {
	fields := addTexts(map[string]any{}, map[string]string{"tenancy": w.Tenancy})
	if w.Spot != nil {
		fields["spotMarketOptions"] = addTexts(map[string]any{}, map[string]string{"maxPrice": w.Spot.MaxPrice})
	}
	if g := w.PlacementGroup; g != nil {
		fields["placementGroupName"] = g.Name
		if g.Partition != 0 {
			fields["placementGroupPartition"] = int64(g.Partition)
		}
	}
	return fields
}

// scale sets the number of nodes of a MachineDeployment, or the annotations with the autoscaler's limits. The
// autoscaler then owns the number; Cluster API starts with the minimum.
func (w *WorkersArgs) scale(deployment map[string]any) {
	if w.AutoScaling == nil {
		deployment["spec"].(map[string]any)["replicas"] = int64(*w.Replicas)
		return
	}
	deployment["metadata"].(map[string]any)["annotations"] = map[string]any{
		autoScalerMin: strconv.Itoa(w.AutoScaling.Min), autoScalerMax: strconv.Itoa(w.AutoScaling.Max),
	}
}

var devicePattern = regexp.MustCompile(`^/dev/sd[b-z]$`)

func validateVolumes(volumes []Volume) error {
	var faults fault.Faults
	seen := map[string]int{}
	for i := range volumes {
		v, path := &volumes[i], fmt.Sprintf("[%d]", i)
		faults.Join(path, v.validate())
		if first, twice := seen[v.Device]; twice {
			faults.Add(path+".device", v.Device, fmt.Sprintf("is already the device of volumes[%d]", first),
				"use a different device for each volume")
		} else if !devicePattern.MatchString(v.Device) {
			faults.Add(path+".device", v.Device, "is not the name of a device that EC2 recommends for a volume",
				"use /dev/sdb to /dev/sdz")
		}
		seen[v.Device] = i
	}
	return faults.Err()
}
