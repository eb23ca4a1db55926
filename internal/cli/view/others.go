package view

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/price"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// othersCharge is a charge for resources that operators create for a stack: the machines of a hosted cluster's node pools, or those of
// CAPA and its load balancer.
type othersCharge struct {
	// What is the thing and who creates it: "HyperShift's node pool workers".
	What string `json:"what"`
	price.Group
}

// text returns the charge as text, with the price and its source.
func (o othersCharge) text() string {
	text := fmt.Sprintf("%g x %s, %s: ", o.Quantity, o.Key.Label(), o.What)
	if o.Price == nil {
		return text + "price unknown in " + o.Region
	}
	return text + fmt.Sprintf("%.2f USD/month at %g USD per %s (%s, %s, %s)", o.Monthly, o.Price.USD, o.Price.Unit, o.Region, o.Price.Date, o.Price.Source)
}

// othersCharges returns the charges for what operators create for a stack with the resources.
func othersCharges(prices price.Table, file *config.File, resources []apitype.ResourceV3) []othersCharge {
	if file == nil {
		return nil
	}
	var list []othersCharge
	add := func(what string, key price.Key, quantity int) {
		if quantity > 0 {
			list = append(list, othersCharge{what, prices.Fixed(key, file.Region, float64(quantity))})
		}
	}
	if c := file.CAPA; c != nil {
		a := c.WithDefaults()
		machines := c.Machines()
		add("CAPA's "+c.LoadBalancerName(), price.NetworkLoadBalancerHour, 1)
		if a.APIAccess.Scheme == capa.InternetFacing {
			add("CAPA's "+c.LoadBalancerName(), price.PublicIPv4Hour, len(machines[0].Zones))
		}
		for _, m := range machines {
			add("CAPA's "+m.Name, price.InstanceHour(m.InstanceType), m.Count)
			if a.Topology == capa.Public {
				add("CAPA's "+m.Name, price.PublicIPv4Hour, m.Count)
			}
		}
	}
	if c := file.Cluster; c != nil && c.HostedCluster != nil {
		for _, pool := range c.HostedClusterSettings(file.Region).PoolsIn(zonesOf(resources)) {
			kind, count := pool.Machines()
			what := "HyperShift's node pool " + pool.Name
			if pool.Spot != nil {
				what += ", which on spot costs less"
			}
			add(what, price.InstanceHour(kind), count)
		}
	}
	return list
}

// zonesOf returns the zones of the subnets among the resources.
func zonesOf(resources []apitype.ResourceV3) []string {
	var zones []string
	for _, r := range resources {
		if zone, _ := r.Inputs["availabilityZone"].(string); string(r.Type) == awstype.Subnet && zone != "" {
			zones = append(zones, zone)
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}
