package stacks

import "github.com/hypershift-aws/hypershift-aws/components/hostedcluster"

// NodePoolConfig is an item of hypershift-aws:cluster.hostedCluster.nodePools.
type NodePoolConfig struct {
	// Name is the object's. Default: the cluster's name and the zone's.
	Name string `yaml:"name"`
	// Zone is one of network.zones. Default: the first.
	Zone string `yaml:"zone"`
	// InstanceType is EC2's. Default m5.large, or m6g.large on arm64.
	InstanceType string `yaml:"instanceType"`
	// Arch is amd64 (default) or arm64.
	Arch hostedcluster.Arch `yaml:"arch"`
	// Replicas is the number of nodes. Default 2.
	Replicas *int `yaml:"replicas"`
	// AutoScaling is a range in its place. Default none.
	AutoScaling *AutoScalingConfig `yaml:"autoScaling"`
	// RootVolume is each node's. Default 120 GiB of gp3.
	RootVolume RootVolumeConfig `yaml:"rootVolume"`
	// Labels and Taints are those of the nodes. Default none.
	Labels map[string]string `yaml:"labels"`
	Taints []TaintConfig     `yaml:"taints"`
	// Spot takes spare capacity. Default not.
	Spot *SpotConfig `yaml:"spot"`
	// Tenancy is default, dedicated or host. Default EC2's.
	Tenancy string `yaml:"tenancy"`
	// CapacityReservation takes reserved capacity. Default not.
	CapacityReservation *CapacityReservationConfig `yaml:"capacityReservation"`
	// Release is another image than the cluster's. Default the cluster's.
	Release string `yaml:"release"`
	// UpgradeType is Replace (default) or InPlace.
	UpgradeType hostedcluster.UpgradeType `yaml:"upgradeType"`
	// NoAutoRepair leaves nodes that do not get ready. Default false.
	NoAutoRepair bool `yaml:"noAutoRepair"`
	// Spec is merged over the NodePool's, last. Default none.
	Spec PatchConfig `yaml:"spec"`
}

// AutoScalingConfig is a node pool's autoScaling.
type AutoScalingConfig struct {
	// Min and Max are numbers of nodes. Required.
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// RootVolumeConfig is a node pool's rootVolume.
type RootVolumeConfig struct {
	// SizeGiB is its size. Default 120.
	SizeGiB int `yaml:"sizeGiB"`
	// Type is EBS's. Default gp3.
	Type string `yaml:"type"`
	// IOPS is what it is provisioned for. Default the type's.
	IOPS int `yaml:"iops"`
	// KMSKeyARN encrypts it. Default the account's.
	KMSKeyARN string `yaml:"kmsKeyARN"`
}

// TaintConfig is one of a node pool's taints.
type TaintConfig struct {
	// Key is its key. Required.
	Key string `yaml:"key"`
	// Value is its value. Default none.
	Value string `yaml:"value"`
	// Effect is NoSchedule, PreferNoSchedule or NoExecute. Required.
	Effect string `yaml:"effect"`
}

// SpotConfig is a node pool's spot.
type SpotConfig struct {
	// MaxPrice is in US dollars an hour. Default the price on demand.
	MaxPrice string `yaml:"maxPrice"`
}

// CapacityReservationConfig is a node pool's capacityReservation.
type CapacityReservationConfig struct {
	// ID is the reservation. Default any that is open.
	ID string `yaml:"id"`
	// Preference is Open, None or CapacityReservationsOnly. Default EC2's.
	Preference string `yaml:"preference"`
	// CapacityBlocks says that it is a capacity block. Default false.
	CapacityBlocks bool `yaml:"capacityBlocks"`
}

// nodePool is the component's.
func (p NodePoolConfig) nodePool() hostedcluster.NodePool {
	pool := hostedcluster.NodePool{
		Name: p.Name, Zone: p.Zone, InstanceType: p.InstanceType, Arch: p.Arch, Replicas: p.Replicas,
		AutoScaling:         (*hostedcluster.AutoScaling)(p.AutoScaling),
		RootVolume:          hostedcluster.RootVolume(p.RootVolume),
		Labels:              p.Labels,
		Spot:                (*hostedcluster.Spot)(p.Spot),
		Tenancy:             p.Tenancy,
		CapacityReservation: (*hostedcluster.CapacityReservation)(p.CapacityReservation),
		Release:             p.Release,
		UpgradeType:         p.UpgradeType,
		NoAutoRepair:        p.NoAutoRepair,
		Spec:                p.Spec.values,
	}
	for _, taint := range p.Taints {
		pool.Taints = append(pool.Taints, hostedcluster.Taint(taint))
	}
	return pool
}
