package connectivity

import (
	"cmp"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// plannedState is the state of an endpoint that an update is about to create.
const plannedState = "planned"

// references are the properties by which one resource refers to another, and the type that they refer to.
// listReferences refer to several.
var references = map[string]string{
	"vpcId": awstype.VPC, "vpcs": awstype.VPC, "subnetId": awstype.Subnet, "subnetIds": awstype.Subnet,
	"routeTableId": awstype.RouteTable, "routeTableIds": awstype.RouteTable,
	"natGatewayId": awstype.NATGateway, "vpcEndpointId": awstype.VPCEndpoint, "gatewayId": awstype.InternetGateway,
	"egressOnlyGatewayId": awstype.EgressOnlyGateway, "allocationId": awstype.ElasticIP,
	"secondaryAllocationIds": awstype.ElasticIP, "cidrIpv4": awstype.ElasticIP,
	"securityGroupId": awstype.SecurityGroup, "referencedSecurityGroupId": awstype.SecurityGroup,
	"securityGroupIds":    awstype.SecurityGroup,
	"vpcSecurityGroupIds": awstype.SecurityGroup, "serviceName": awstype.VPCEndpointService, "zoneId": awstype.HostedZone,
	"records": awstype.VPCEndpoint, "aliases": awstype.VPCEndpoint, "networkLoadBalancerArns": awstype.LoadBalancer,
}

var listReferences = []string{"networkLoadBalancerArns", "records", "routeTableIds", "secondaryAllocationIds",
	"securityGroupIds", "subnetIds",
	"vpcSecurityGroupIds"}

// Deployed returns the resources of a state, for a graph.
func Deployed(resources []apitype.ResourceV3) []props.Resource {
	var deployed []props.Resource
	for _, r := range resources {
		deployed = append(deployed, props.ResourceOf(r, r.Outputs))
	}
	return deployed
}

// Planned returns the resources that would exist after a plan, for a graph. A reference that is known only after the
// update is replaced by the program's dependencies, and an address or a name that AWS has not assigned yet by the ID of
// its resource.
func Planned(resources []apitype.ResourceV3) []props.Resource {
	byURN, dependencies := map[resource.URN]*props.Resource{}, map[resource.URN]map[resource.PropertyKey][]resource.URN{}
	planned := make([]props.Resource, len(resources))
	for i, r := range resources {
		planned[i] = props.ResourceOf(r, props.Map{})
		for _, properties := range []map[string]any{r.Outputs, r.Inputs} {
			for name, read := range properties {
				if !untyped.Contains(read, func(inner any) bool { return inner == plugin.UnknownStringValue }) {
					planned[i].Map[name] = read
				}
			}
		}
		byURN[r.URN], dependencies[r.URN] = &planned[i], r.PropertyDependencies
	}
	// A resource may take the reference from another one that has it: an association that of its authorization.
	var referred func(r resource.URN, property resource.PropertyKey) []any
	referred = func(r resource.URN, property resource.PropertyKey) (ids []any) {
		for _, urn := range slices.Sorted(slices.Values(dependencies[r][property])) {
			to := byURN[urn]
			switch {
			case to == nil:
			case to.Type == references[string(property)]:
				ids = append(ids, to.ID)
			case references[string(property)] != "":
				ids = append(ids, referred(urn, property)...)
			}
		}
		return ids
	}
	for i, r := range resources {
		for property := range r.PropertyDependencies {
			name := string(property)
			if _, known := planned[i].Map[name]; known {
				continue
			}
			refer(planned[i].Map, name, referred(r.URN, property))
		}
	}
	for i := range planned {
		foresee(&planned[i], byURN, resources[i])
	}
	return planned
}

// refer sets a property to the IDs that it refers to. A property that refers to a single resource stays unknown if
// there are several candidates.
func refer(properties props.Map, name string, ids []any) {
	switch {
	case len(ids) == 0:
	case name == "vpcs":
		var vpcs []any
		for _, id := range ids {
			vpcs = append(vpcs, map[string]any{"vpcId": id})
		}
		properties[name] = vpcs
	case name == "aliases":
		properties[name] = []any{map[string]any{"name": ids[0]}}
	case slices.Contains(listReferences, name):
		properties[name] = ids
	case len(ids) == 1 && name == "cidrIpv4":
		properties[name] = ids[0].(string) + "/32" //nolint:forcetypeassert // IDs are strings
	case len(ids) == 1:
		properties[name] = ids[0]
	}
}

// foresee sets the values that AWS assigns when a resource is created.
func foresee(r *props.Resource, byURN map[resource.URN]*props.Resource, after apitype.ResourceV3) {
	given := func(name string, value any) {
		if _, known := r.Map[name]; !known {
			r.Map[name] = value
		}
	}
	switch r.Type {
	case awstype.VPCEndpointService:
		given("serviceName", r.ID)
	case awstype.VPCEndpoint:
		given("state", plannedState)
		given("dnsEntries", []any{map[string]any{"dnsName": r.ID}})
	case awstype.NATGateway:
		for _, urn := range after.PropertyDependencies["allocationId"] {
			if address := byURN[urn]; address != nil && address.Type == awstype.ElasticIP {
				given("publicIp", cmp.Or(address.String("publicIp"), address.ID))
			}
		}
	}
}

// PlannedCluster adds the missing IDs of a cluster from a graph of its planned resources.
func (g *Graph) PlannedCluster(c config.ClusterPaths) config.ClusterPaths {
	if !c.ExistingVPC {
		c.VPCID = g.onlyVPC()
		c.NodeSubnets, c.ELBSubnets = g.subnetsWith(hypershift.InternalELBTag), g.subnetsWith(hypershift.PublicELBTag)
	}
	if c.LocalZoneID == "" {
		if zone := g.find(awstype.HostedZone, func(r *props.Resource) bool {
			return sameName(r.String("name"), c.LocalZone) && !slices.ContainsFunc(c.Consumers,
				func(consumer config.ConsumerPaths) bool { return isOfVPC(r, consumer.VPCID) })
		}); zone != nil {
			c.LocalZoneID = zone.ID
		}
	}
	return c
}

// onlyVPC returns the ID of the graph's VPC, or "" if there is none. A stack creates at most one.
func (g *Graph) onlyVPC() string {
	if vpc := g.find(awstype.VPC, func(*props.Resource) bool { return true }); vpc != nil {
		return vpc.ID
	}
	return ""
}

// subnetsWith returns the IDs of the subnets with a tag, by zone.
func (g *Graph) subnetsWith(tag string) map[string]string {
	subnets := map[string]string{}
	for _, subnet := range g.byType[awstype.Subnet] {
		if subnet.Object("tags").String(tag) != "" {
			subnets[subnet.String("availabilityZone")] = subnet.ID
		}
	}
	return subnets
}
