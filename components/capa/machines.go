package capa

// Machines are the machines of one kind that CAPA starts for a cluster.
type Machines struct {
	// Name is "control plane" or that of the pool of workers.
	Name         string
	InstanceType string
	// Zones are where they run, and Count is how many there are in all of them.
	Zones []string
	Count int
}

// Machines are those of the cluster.
func (args *Args) Machines() []Machines {
	a := args.withDefaults()
	list := []Machines{{Name: "control plane", InstanceType: a.ControlPlane.InstanceType, Zones: a.zoneNames(), Count: a.ControlPlane.Replicas}}
	for _, pool := range a.Workers {
		zones := a.zonesOf(pool)
		list = append(list, Machines{Name: pool.Name, InstanceType: pool.InstanceType, Zones: zones, Count: *pool.Replicas * len(zones)})
	}
	return list
}
