package capa

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
		list = append(list, Machines{Name: pool.Name, InstanceType: pool.InstanceType, Zones: zones, Count: pool.count() * len(zones)})
	}
	return list
}
