package hostedcluster

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// NodePool is a group of identical nodes. All have the cluster's release unless Release is set.
type NodePool struct {
	// Name is the name of the NodePool. Default: the cluster's name and the zone, "acme-us-east-1a".
	Name string `yaml:"name" pulumi:"name,optional" object:"metadata.name"`
	// Zone is the zone of the nodes, one of the network's. Default: the first.
	Zone string `yaml:"zone" pulumi:"zone,optional"`
	// InstanceType is the EC2 instance type. Default m5.large, or m6g.large with arch arm64.
	InstanceType string `yaml:"instanceType" pulumi:"instanceType,optional" object:"spec.platform.aws.instanceType"`
	// Arch is the processor architecture. It cannot be changed. Default amd64.
	Arch Arch `yaml:"arch" pulumi:"arch,optional" object:"spec.arch"`
	// Replicas is the number of nodes. Default 2, unless autoScaling is given.
	Replicas *int `yaml:"replicas" pulumi:"replicas,optional" object:"spec.replicas"`
	// AutoScaling scales the number of nodes with the pods, instead of using replicas. Default none.
	AutoScaling *AutoScaling `yaml:"autoScaling" pulumi:"autoScaling,optional" object:"spec.autoScaling"`
	// RootVolume is the root volume of each node. Default: 120 GiB of type gp3.
	RootVolume *RootVolume `yaml:"rootVolume" pulumi:"rootVolume,optional" object:"spec.platform.aws.rootVolume"`
	// Annotations are annotations of the NodePool. Default none.
	Annotations map[string]string `yaml:"annotations" pulumi:"annotations,optional" object:"metadata.annotations"`
	// ObjectLabels are the labels of the NodePool, such as those by which GitOps or Advanced Cluster Management select
	// it. Default none.
	ObjectLabels map[string]string `yaml:"objectLabels" pulumi:"objectLabels,optional" object:"metadata.labels"`
	// Labels are the labels of the nodes. Default none.
	Labels map[string]string `yaml:"labels" pulumi:"labels,optional" object:"spec.nodeLabels"`
	// Taints are the taints of the nodes. Default none.
	Taints []Taint `yaml:"taints" pulumi:"taints,optional" object:"spec.taints"`
	// Spot runs the nodes on spot instances, which EC2 can reclaim. Default: on-demand instances.
	Spot *Spot `yaml:"spot" pulumi:"spot,optional" object:"spec.platform.aws.placement.spot,spec.platform.aws.placement"`
	// Tenancy is the tenancy of the instances: default, dedicated or host. Default "default".
	Tenancy string `yaml:"tenancy" pulumi:"tenancy,optional" object:"spec.platform.aws.placement.tenancy"`
	// CapacityReservation runs the nodes in reserved capacity. Default none.
	CapacityReservation *CapacityReservation `yaml:"capacityReservation" pulumi:"capacityReservation,optional" object:"spec.platform.aws.placement.capacityReservation"`
	// Release is the release image of the pool's nodes. It cannot be changed to an older minor version. Default: the
	// cluster's release.
	Release string `yaml:"release" pulumi:"release,optional" object:"spec.release.image"`
	// UpgradeType is how nodes are upgraded: by new nodes (Replace) or on the running nodes (InPlace). It cannot be
	// changed. Default Replace.
	UpgradeType UpgradeType `yaml:"upgradeType" pulumi:"upgradeType,optional" object:"spec.management.upgradeType"`
	// SubnetID is the ID of the nodes' subnet, "subnet-…", in the cluster's VPC. Default: the zone's.
	SubnetID pulumi.StringInput `yaml:"subnetID" pulumi:"subnetID,optional" placeholder:"subnet-*" object:"spec.platform.aws.subnet.id,spec.platform.aws.subnet"`
	// SecurityGroups are the IDs of the nodes' security groups, "sg-…", in addition to the one that HyperShift creates.
	// Default: those of network.securityGroups.
	SecurityGroups []pulumi.StringInput `yaml:"securityGroups" pulumi:"securityGroups,optional" placeholder:"sg-*" object:"spec.platform.aws.securityGroups"`
	// InstanceProfile is the name of the nodes' instance profile. The role nodePoolManagement must be allowed to pass its
	// role, such as by iam.extraPolicies. Default: the cluster's.
	InstanceProfile pulumi.StringInput `yaml:"instanceProfile" pulumi:"instanceProfile,optional" placeholder:"placeholder-*" object:"spec.platform.aws.instanceProfile"`
	// AMI is the ID of the nodes' machine image, "ami-…". Default: the release's image for the region.
	AMI pulumi.StringInput `yaml:"ami" pulumi:"ami,optional" placeholder:"ami-*" object:"spec.platform.aws.ami"`
	// ImageType is the operating system of the release's image: Linux or Windows. Default: HyperShift's, Linux.
	ImageType string `yaml:"imageType" pulumi:"imageType,optional" object:"spec.platform.aws.imageType"`
	// HTTPTokens determines whether the nodes' instance metadata service requires tokens, which is IMDSv2: required or
	// optional. A change replaces a pool's nodes; with upgradeType InPlace, only nodes that are created later have it.
	// Default: required for a pool that the stack creates. An existing pool keeps what it has, and a rendered manifest has
	// HyperShift's default, optional.
	HTTPTokens HTTPTokens `yaml:"httpTokens" pulumi:"httpTokens,optional" object:"metadata.annotations[hypershift.openshift.io/ec2-instance-metadata-http-tokens]"`
	// OSImageStream is the operating system's stream in the release, such as rhel-9 or rhel-10. It needs an operator of
	// HyperShift that has the feature OSStreams, and rhel-10 needs release 5.0 or later. A change reaches the nodes as an
	// upgrade does, and HyperShift refuses one from rhel-10 to rhel-9. Default: that of the release, rhel-9 before 5.0.
	OSImageStream string `yaml:"osImageStream" pulumi:"osImageStream,optional" object:"spec.osImageStream.name,spec.osImageStream"`
	// ResourceTags are tags for the nodes' instances and volumes, in addition to those of the cluster. Default none.
	ResourceTags map[string]string `yaml:"resourceTags" pulumi:"resourceTags,optional" object:"spec.platform.aws.resourceTags"`
	// DrainTimeout limits the eviction of pods from a node that is replaced, such as 30m. Default: no limit.
	DrainTimeout string `yaml:"drainTimeout" pulumi:"drainTimeout,optional" object:"spec.nodeDrainTimeout"`
	// VolumeDetachTimeout limits the wait until the volumes of such a node are detached. Default: no limit.
	VolumeDetachTimeout string `yaml:"volumeDetachTimeout" pulumi:"volumeDetachTimeout,optional" object:"spec.nodeVolumeDetachTimeout"`
	// Config are the names of ConfigMaps with objects for the nodes in their key "config": MachineConfig, KubeletConfig,
	// ContainerRuntimeConfig, ImageDigestMirrorSet. Default none.
	Config []string `yaml:"config" pulumi:"config,optional" object:"spec.config"`
	// TuningConfig are the names of ConfigMaps with a Tuned or PerformanceProfile in their key "tuning". Default none.
	TuningConfig []string `yaml:"tuningConfig" pulumi:"tuningConfig,optional" object:"spec.tuningConfig"`
	// NoAutoRepair turns off the replacement of nodes that are not ready. Default false.
	NoAutoRepair bool `yaml:"noAutoRepair" pulumi:"noAutoRepair,optional" object:"spec.management.autoRepair"`
	// Spec is merged into the NodePool's spec as the last step, as hostedCluster.spec is into the HostedCluster's. Default
	// none.
	Spec map[string]any `yaml:"spec" pulumi:"spec,optional"`
}

// AutoScaling is a range of nodes.
type AutoScaling struct {
	// Min is the minimum number of nodes. With 0, HyperShift keeps one node unless its operator was installed with
	// scaleFromZero. Required.
	Min int `yaml:"min" pulumi:"min"`
	// Max is the maximum number of nodes. Required.
	Max int `yaml:"max" pulumi:"max"`
}

// RootVolume is a node's first volume.
type RootVolume struct {
	// SizeGiB is the volume's size, in GiB. Default 120.
	SizeGiB int `yaml:"sizeGiB" pulumi:"sizeGiB,optional" object:"spec.platform.aws.rootVolume.size"`
	// Type is the EBS volume type. Default gp3.
	Type string `yaml:"type" pulumi:"type,optional" object:"spec.platform.aws.rootVolume.type"`
	// IOPS is the provisioned number of I/O operations per second. Default: the volume type's.
	IOPS int `yaml:"iops" pulumi:"iops,optional" object:"spec.platform.aws.rootVolume.iops"`
	// Encrypted is true to encrypt the volume, and false not to. Default: the account's setting, or true with kmsKeyARN.
	Encrypted *bool `yaml:"encrypted" pulumi:"encrypted,optional"`
	// KMSKeyARN is the ARN of the KMS key that encrypts the volume. Default: the account's default key for EBS.
	KMSKeyARN pulumi.StringInput `yaml:"kmsKeyARN" pulumi:"kmsKeyARN,optional" placeholder:"arn:aws:kms:us-east-1:000000000000:key/*" object:"spec.platform.aws.rootVolume.encryptionKey"`
}

// Taint keeps pods off nodes. Source: Kubernetes' type Taint.
type Taint struct {
	// Key is the taint's key. Required.
	Key string `yaml:"key" pulumi:"key"`
	// Value is the taint's value. Default none.
	Value string `yaml:"value" pulumi:"value,optional"`
	// Effect is NoSchedule, PreferNoSchedule or NoExecute. Required.
	Effect string `yaml:"effect" pulumi:"effect"`
}

// Spot configures spot instances.
type Spot struct {
	// MaxPrice is the maximum price, in US dollars per hour. Default: the on-demand price.
	MaxPrice string `yaml:"maxPrice" pulumi:"maxPrice,optional"`
}

// CapacityReservation selects reserved capacity.
type CapacityReservation struct {
	// ID is the ID of the capacity reservation, "cr-…". Default: any open reservation that matches, according to
	// preference.
	ID pulumi.StringInput `yaml:"id" pulumi:"id,optional" placeholder:"cr-*"`
	// Preference is which reservations are used: Open, None or CapacityReservationsOnly. Default: EC2's.
	Preference string `yaml:"preference" pulumi:"preference,optional"`
	// CapacityBlocks is true if the reservation is a capacity block. Default false.
	CapacityBlocks bool `yaml:"capacityBlocks" pulumi:"capacityBlocks,optional"`
}

// Arch is a processor architecture.
type Arch string

// The processor architectures of EC2.
const (
	AMD64 Arch = "amd64"
	ARM64 Arch = "arm64"
)

// Validate returns a fault for an unknown architecture; "" is the default.
func (a Arch) Validate() error {
	return enum.Validate(a, "is not a processor architecture of EC2", AMD64, ARM64)
}

func (a Arch) instanceType() string {
	if a == ARM64 {
		return "m6g.large"
	}
	return "m5.large"
}

// UpgradeType is how a pool's nodes are upgraded to a new release. Source: HyperShift's API.
type UpgradeType string

const (
	// Replace replaces nodes by new ones.
	Replace UpgradeType = "Replace"
	// InPlace upgrades running nodes.
	InPlace UpgradeType = "InPlace"
)

// Validate returns a fault for an unknown upgrade type; "" is the default.
func (u UpgradeType) Validate() error {
	return enum.Validate(u, "is not an upgrade type", Replace, InPlace)
}

// HTTPTokens determines whether an instance's metadata service requires tokens. Source: EC2's API.
type HTTPTokens string

const (
	// TokensRequired returns metadata, and the role's credentials, only to requests with a token: IMDSv2.
	TokensRequired HTTPTokens = "required"
	// TokensOptional returns them to requests without a token too: IMDSv1.
	TokensOptional HTTPTokens = "optional"
)

// Validate returns a fault for an unknown value; "" is the default.
func (t HTTPTokens) Validate() error {
	return enum.Validate(t, "is not a value of EC2's HttpTokens", TokensRequired, TokensOptional)
}

// requireTokens adds the default to the annotations of a pool that has none. It is for new pools: another value would
// replace the nodes of an existing one.
func requireTokens(annotations pulumi.StringMap) []pulumi.ResourceOption {
	const key = hypershift.HTTPTokensAnnotation
	if annotations[key] != nil {
		return nil
	}
	annotations[key] = pulumi.String(TokensRequired)
	return []pulumi.ResourceOption{pulumi.IgnoreChanges([]string{fmt.Sprintf("metadata.annotations[%q]", key)})}
}

const (
	defaultReplicas      = 2
	defaultRootVolumeGiB = 120
	defaultRootVolume    = "gp3"
)

// pools returns the cluster's node pools, with their names and zones set.
func (o objectBuilder) pools() []NodePool {
	var zones []string
	for _, zone := range o.site.Zones {
		zones = append(zones, zone.Name)
	}
	return o.PoolsIn(zones)
}

// PoolsIn returns the cluster's node pools in a network with those zones, with their names and zones set.
func (s *Settings) PoolsIn(zones []string) []NodePool {
	pools := s.NodePools
	if pools == nil {
		for _, zone := range zones {
			pools = append(pools, NodePool{Zone: zone})
		}
	}
	named := make([]NodePool, len(pools))
	for i, pool := range pools {
		if pool.Zone == "" && len(zones) > 0 {
			pool.Zone = zones[0]
		}
		if pool.Name == "" {
			pool.Name = s.Cluster.Name + "-" + pool.Zone
		}
		named[i] = pool
	}
	return named
}

// instanceTypePattern matches a family and a size: m5.large, u-6tb1.metal, m7i-flex.2xlarge.
var instanceTypePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*\.[a-z0-9-]+$`)

// streamPattern matches the streams of HyperShift's API, and those of later versions of RHEL.
var streamPattern = regexp.MustCompile(`^rhel-[0-9]+$`)

// validate returns the faults that the CRD cannot find.
func (p *NodePool) validate(site *Site) error {
	var faults fault.Faults
	faults.Join("", reserved(p.Annotations).Err())
	faults.Join("", p.validateNames())
	faults.Join("arch", p.Arch.Validate())
	faults.Join("upgradeType", p.UpgradeType.Validate())
	faults.Join("httpTokens", p.HTTPTokens.Validate())
	if stream := p.OSImageStream; stream != "" && !streamPattern.MatchString(stream) {
		faults.Add("osImageStream", stream, "is not the name of a stream",
			"use one of the release's, such as rhel-9 or rhel-10")
	}
	if value, given := p.Annotations[hypershift.HTTPTokensAnnotation]; given && p.HTTPTokens != "" {
		faults.Add("annotations["+hypershift.HTTPTokensAnnotation+"]", value, "conflicts with httpTokens",
			"set only one of the two")
	} else {
		faults.Join("annotations["+hypershift.HTTPTokensAnnotation+"]", HTTPTokens(value).Validate())
	}
	faults.Join("drainTimeout", validateTimeout(p.DrainTimeout))
	faults.Join("volumeDetachTimeout", validateTimeout(p.VolumeDetachTimeout))
	if _, ok := site.zone(p.Zone); !ok {
		faults.Add("zone", p.Zone, "is not one of the cluster's zones", "use one of network.zones, or add it there")
	}
	faults.Join("subnetID", validateEC2("subnet", input.Text(p.SubnetID)))
	if p.InstanceType != "" && !instanceTypePattern.MatchString(p.InstanceType) {
		faults.Add("instanceType", p.InstanceType, "is not an instance type of EC2",
			"use a family and a size, such as m5.large")
	}
	if p.Release != "" {
		faults.Join("release", validatePullSpec(p.Release))
	}
	faults.Join("ami", validateEC2("ami", input.Text(p.AMI)))
	for i, id := range p.SecurityGroups {
		faults.Join(fmt.Sprintf("securityGroups[%d]", i), validateEC2("sg", input.Text(id)))
	}
	if p.Replicas != nil && p.AutoScaling != nil {
		faults.Add("autoScaling", nil, "conflicts with replicas", "set only one of the two")
	}
	if p.Replicas != nil && *p.Replicas < 0 {
		faults.Add("replicas", *p.Replicas, "is negative", "use 0 or more")
	}
	return faults.Err()
}

// managedPrefix begins the keys of the labels of Machines that become labels of nodes.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/nodepool/capi.go
const managedPrefix = "managed.hypershift.openshift.io."

// validateNames returns the faults of the pool's name, which is the value of a label of its objects, and of the keys of
// its nodes' labels, which HyperShift puts behind managedPrefix on Machines.
func (p *NodePool) validateNames() error {
	var faults fault.Faults
	if len(p.Name) > maxLabel {
		faults.Add("name", p.Name, fmt.Sprintf("has %d characters, and is the value of a label, of which Kubernetes allows %d", len(p.Name), maxLabel),
			fmt.Sprintf("use a name of at most %d characters", maxLabel))
	}
	for _, key := range slices.Sorted(maps.Keys(p.ObjectLabels)) {
		problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(p.ObjectLabels[key])...)
		if len(problems) > 0 {
			faults.Add("objectLabels["+key+"]", p.ObjectLabels[key], "is not a label",
				"use one as Kubernetes allows it: "+strings.Join(problems, "; "))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		path := "labels[" + key + "]"
		if problems := validation.IsQualifiedName(key); len(problems) > 0 {
			faults.Add(path, key, "is not the key of a label", "use one as Kubernetes allows it: "+strings.Join(problems, "; "))
			continue
		}
		if len(validation.IsQualifiedName(managedPrefix+key)) == 0 {
			continue
		}
		remedy := fmt.Sprintf("use a key of at most %d characters, or one with a prefix, such as example.com/NAME", maxLabel-len(managedPrefix))
		if strings.Contains(key, "/") {
			remedy = fmt.Sprintf("use a prefix of at most %d characters", maxDomain-len(managedPrefix))
		}
		faults.Add(path, key, "is too long: HyperShift makes it the key "+managedPrefix+key+" of a Machine's label", remedy)
	}
	return faults.Err()
}

// validateEC2 returns a fault unless the text is an ID of EC2 with the prefix; "" is none.
func validateEC2(prefix, id string) error {
	if id == "" || awsid.IsEC2(prefix, id) {
		return nil
	}
	return &fault.Fault{
		Value:   id,
		Problem: "is not an ID of EC2",
		Remedy:  "use " + prefix + "-…, with 8 or 17 hexadecimal digits",
	}
}

// validateTimeout returns a fault unless the text is a duration; "" is none.
func validateTimeout(text string) error {
	if d, err := time.ParseDuration(cmp.Or(text, "0s")); err != nil || d < 0 {
		return &fault.Fault{
			Value:   text,
			Problem: "is not a duration",
			Remedy:  "use numbers with the units h, m, and s, such as 30m",
		}
	}
	return nil
}

// validateTime returns a fault unless the text is a time; "" is none.
func validateTime(text string) error {
	if _, err := time.Parse(time.RFC3339, text); err != nil && text != "" {
		return &fault.Fault{
			Value: text, Problem: "is not a time", Remedy: "use one such as 2026-11-28T20:00:00Z, in quotes",
		}
	}
	return nil
}

func (site *Site) zone(name string) (SiteZone, bool) {
	for _, zone := range site.Zones {
		if zone.Name == name {
			return zone, true
		}
	}
	return SiteZone{}, false
}

// nodePool returns the object of a pool that has its name and zone.
func (o objectBuilder) nodePool(p NodePool) (map[string]any, error) {
	zone, _ := o.site.zone(p.Zone)
	arch := cmp.Or(p.Arch, AMD64)
	instanceType, _ := p.Machines()
	pool := &hyperv1.NodePool{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "NodePool"},
		ObjectMeta: metav1.ObjectMeta{
			Name: p.Name, Namespace: o.NamespaceOrDefault(), Annotations: p.Annotations, Labels: p.ObjectLabels,
		},
		Spec: hyperv1.NodePoolSpec{
			ClusterName: o.Cluster.Name,
			Release:     hyperv1.Release{Image: cmp.Or(p.Release, o.Release)},
			Management: hyperv1.NodePoolManagement{
				UpgradeType: hyperv1.UpgradeType(cmp.Or(p.UpgradeType, Replace)),
				AutoRepair:  !p.NoAutoRepair,
			},
			NodeLabels: p.Labels,
			Arch:       string(arch),
			Platform: hyperv1.NodePoolPlatform{
				Type: hyperv1.AWSPlatform,
				AWS: &hyperv1.AWSNodePoolPlatform{
					InstanceType:    instanceType,
					InstanceProfile: cmp.Or(input.Text(p.InstanceProfile), o.site.InstanceProfile),
					AMI:             input.Text(p.AMI),
					Subnet:          hyperv1.AWSResourceReference{ID: ptr.To(zone.SubnetID)},
					RootVolume:      p.RootVolume.volume(),
				},
			},
		},
	}
	if id := input.Text(p.SubnetID); id != "" {
		pool.Spec.Platform.AWS.Subnet = hyperv1.AWSResourceReference{ID: ptr.To(id)}
	}
	groups := o.site.SecurityGroupIDs
	if p.SecurityGroups != nil {
		groups = input.Texts(p.SecurityGroups)
	}
	for _, id := range groups {
		pool.Spec.Platform.AWS.SecurityGroups = append(pool.Spec.Platform.AWS.SecurityGroups,
			hyperv1.AWSResourceReference{ID: ptr.To(id)})
	}
	for _, taint := range p.Taints {
		pool.Spec.Taints = append(pool.Spec.Taints, hyperv1.Taint{
			Key:    taint.Key,
			Value:  taint.Value,
			Effect: corev1.TaintEffect(taint.Effect),
		})
	}
	for _, name := range p.Config {
		pool.Spec.Config = append(pool.Spec.Config, corev1.LocalObjectReference{Name: name})
	}
	for _, name := range p.TuningConfig {
		pool.Spec.TuningConfig = append(pool.Spec.TuningConfig, corev1.LocalObjectReference{Name: name})
	}
	for _, key := range slices.Sorted(maps.Keys(p.ResourceTags)) {
		tag := hyperv1.AWSResourceTag{Key: key, Value: p.ResourceTags[key]}
		pool.Spec.Platform.AWS.ResourceTags = append(pool.Spec.Platform.AWS.ResourceTags, tag)
	}
	if scaling := p.AutoScaling; scaling != nil {
		pool.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: int32(scaling.Min), Max: int32(scaling.Max)}
	} else {
		pool.Spec.Replicas = ptr.To(int32(p.replicas()))
	}
	if p.HTTPTokens != "" {
		pool.Annotations = maps.Clone(pool.Annotations)
		metav1.SetMetaDataAnnotation(&pool.ObjectMeta, hypershift.HTTPTokensAnnotation, string(p.HTTPTokens))
	}
	object, err := untyped(pool)
	if err != nil {
		return nil, fmt.Errorf("node pool %s: %w", p.Name, err)
	}
	if placement := p.placement(); len(placement) > 0 {
		_ = unstructured.SetNestedMap(object, placement, "spec", "platform", "aws", "placement")
	}
	for path, text := range map[string]string{
		"spec.platform.aws.imageType": p.ImageType, "spec.nodeDrainTimeout": p.DrainTimeout,
		"spec.nodeVolumeDetachTimeout": p.VolumeDetachTimeout, "spec.osImageStream.name": p.OSImageStream,
	} {
		if text != "" {
			_ = unstructured.SetNestedField(object, text, strings.Split(path, ".")...)
		}
	}
	if err := merge(object, p.Spec); err != nil {
		return nil, err
	}
	if o.NodesPausedSince != "" {
		pausePool(object, o.NodesPausedSince)
	}
	canonicalPool(object)
	return object, nil
}

// drainTimeout limits the eviction of pods, and the wait for their volumes, from the nodes of a paused pool without
// limits of its own. No other node takes the pods, so that a PodDisruptionBudget would keep its node for ever.
// HyperShift changes both limits in place.
const drainTimeout = "15m0s"

// pausePool lets a NodePool's object have no nodes, and records since when and how many it has otherwise. Source:
// https://github.com/openshift/hypershift/blob/main/docs/content/how-to/automated-machine-management/scale-to-zero-dataplane.md
func pausePool(object map[string]any, since string) {
	annotate := func(key, value string) {
		_ = unstructured.SetNestedField(object, value, "metadata", "annotations", key)
	}
	annotate(hypershift.PausedSinceAnnotation, since)
	annotate(hypershift.PausedNodesAnnotation, strconv.Itoa(mostNodes(object)))
	unstructured.RemoveNestedField(object, "spec", "autoScaling")
	_ = unstructured.SetNestedField(object, int64(0), "spec", "replicas")
	for _, limit := range []string{"nodeDrainTimeout", "nodeVolumeDetachTimeout"} {
		if d, err := time.ParseDuration(textAt(object, "spec", limit)); err != nil || d == 0 {
			_ = unstructured.SetNestedField(object, drainTimeout, "spec", limit)
		}
	}
}

// mostNodes returns how many nodes a NodePool has; with autoscaling, the maximum.
func mostNodes(pool map[string]any) int {
	for _, path := range [][]string{{"spec", "autoScaling", "max"}, {"spec", "replicas"}} {
		switch count, _, _ := unstructured.NestedFieldNoCopy(pool, path...); n := count.(type) {
		case int64:
			return int(n)
		case float64:
			return int(n)
		}
	}
	return 0
}

// Machines returns the instance type of the pool's nodes and their maximum number.
func (p *NodePool) Machines() (instanceType string, count int) {
	instanceType = cmp.Or(p.InstanceType, cmp.Or(p.Arch, AMD64).instanceType())
	if p.AutoScaling != nil {
		return instanceType, p.AutoScaling.Max
	}
	return instanceType, p.replicas()
}

// VolumeKey returns the KMS key of the nodes' root volumes, "" for the account's default.
func (p *NodePool) VolumeKey() string {
	key := ""
	if p.RootVolume != nil {
		key = input.Text(p.RootVolume.KMSKeyARN)
	}
	return cmp.Or(textAt(p.Spec, "platform", "aws", "rootVolume", "encryptionKey"), key)
}

func (p *NodePool) replicas() int {
	if p.Replicas == nil {
		return defaultReplicas
	}
	return *p.Replicas
}

func (v *RootVolume) volume() *hyperv1.Volume {
	if v == nil {
		v = &RootVolume{}
	}
	volume := &hyperv1.Volume{
		Size: int64(v.SizeGiB), Type: cmp.Or(v.Type, defaultRootVolume), IOPS: int64(v.IOPS),
		EncryptionKey: input.Text(v.KMSKeyARN),
		Encrypted:     v.Encrypted,
	}
	if v.SizeGiB == 0 {
		volume.Size = defaultRootVolumeGiB
	}
	return volume
}

// placement determines where EC2 runs the nodes. HyperShift's published Go types lag behind its CRD here.
func (p *NodePool) placement() map[string]any {
	placement := map[string]any{}
	if p.Tenancy != "" {
		placement["tenancy"] = p.Tenancy
	}
	if p.Spot != nil {
		placement["marketType"] = "Spot"
		if p.Spot.MaxPrice != "" {
			placement["spot"] = map[string]any{"maxPrice": p.Spot.MaxPrice}
		}
	}
	if r := p.CapacityReservation; r != nil {
		reservation := map[string]any{}
		if id := input.Text(r.ID); id != "" {
			reservation["id"] = id
		}
		if r.Preference != "" {
			reservation["preference"] = r.Preference
		}
		if r.CapacityBlocks {
			placement["marketType"] = "CapacityBlocks"
		}
		placement["capacityReservation"] = reservation
	}
	return placement
}
