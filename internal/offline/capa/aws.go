package capa

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
)

// The tags that CAPA writes, and by which it finds its resources. Source: CAPA's api/v1beta2/tags.go.
const (
	ownerTag   = "sigs.k8s.io/cluster-api-provider-aws/cluster/"
	roleTag    = "sigs.k8s.io/cluster-api-provider-aws/role"
	clusterTag = "kubernetes.io/cluster/"
)

// createResources tags the network, and creates the missing load balancer and machines.
func (r *reconciler) createResources(a *aws.Call, infrastructure, control *store.Entry) error {
	infrastructure = r.withAddresses(a, infrastructure)
	spec := infrastructure.State.Object("spec")
	network := spec.Object("network")
	public, private := map[string]string{}, map[string]string{}
	for _, listed := range network.Objects("subnets") {
		subnet := a.Find(awstype.Subnet, listed.String("id"))
		if subnet == nil {
			return nil // the error is in a condition, and the call is retried
		}
		zone := subnet.State.String("availabilityZone")
		side, role := private, "kubernetes.io/role/internal-elb"
		if isPublic(a, subnet.ID) {
			side, role = public, "kubernetes.io/role/elb"
		}
		if side[zone] == "" {
			side[zone] = subnet.ID
		}
		tag(a, subnet, spec, map[string]string{clusterTag + r.name: "shared", role: "1"})
	}
	for _, gateway := range a.All(awstype.NATGateway) {
		for zone, subnet := range public {
			if gateway.State.String("subnetId") == subnet && private[zone] != "" {
				tag(a, gateway, spec, map[string]string{"Name": r.name + "-nat", ownerTag + r.name: "owned", roleTag: "common"})
			}
		}
	}
	if err := a.Commit(); err != nil {
		return err
	}
	for _, key := range []string{"controlPlaneLoadBalancer", "secondaryControlPlaneLoadBalancer"} {
		if wanted := spec.Object(key); wanted != nil {
			if err := r.balancer(a, spec, wanted, public, private); err != nil {
				return ignored(err)
			}
		}
	}
	return ignored(r.machines(a, spec, control, public, private))
}

// withAddresses returns the AWSCluster with the IPv6 CIDR of its VPC, as AWS reports it, if it is for IPv6. CAPA writes
// that in place of what the spec had: a VPC without such a CIDR makes it a cluster for IPv4. Source: reconcileVPC of
// CAPA's pkg/cloud/services/network/vpc.go.
func (r *reconciler) withAddresses(a *aws.Call, infrastructure *store.Entry) *store.Entry {
	after := infrastructure.Clone()
	vpc := after.State.Object("spec").Object("network").Object("vpc")
	if vpc.Object("ipv6") == nil {
		return infrastructure
	}
	block := a.Find(awstype.VPC, vpc.String("id")).State.String("ipv6CidrBlock")
	if block == "" {
		delete(vpc, "ipv6")
	} else {
		vpc["ipv6"] = map[string]any{"cidrBlock": block, "poolId": "Amazon"}
	}
	if props.JSONText(after.State) != props.JSONText(infrastructure.State) {
		kubernetes.Touch(after.State, infrastructure.State)
		r.Put(after)
	}
	return after
}

// ignored returns nil if AWS refused a call: controllers report the error in conditions, and retry.
func ignored(err error) error {
	if awserr.Is(err) {
		return nil
	}
	return err
}

// isPublic reports whether a subnet's own route table has a route to an internet gateway. As in CAPA, a subnet that
// uses only the VPC's main table is private.
func isPublic(a *aws.Call, subnet string) bool {
	for _, association := range a.Where(awstype.RouteTableAssociation, "subnetId", subnet) {
		for _, route := range a.Where(awstype.Route, "routeTableId", association.State.String("routeTableId")) {
			if route.State.String("gatewayId") != "" {
				return true
			}
		}
	}
	return false
}

// tag adds tags that are missing or different, including the AWSCluster's.
func tag(a *aws.Call, rec *store.Entry, spec props.Map, tags map[string]string) {
	after := rec.Clone()
	changed := false
	write := func(key, value string) {
		for _, name := range []string{"tags", "tagsAll"} {
			if after.State.Object(name) == nil {
				after.State[name] = map[string]any{}
			}
			if after.State.Object(name).String(key) != value {
				after.State.Object(name)[key] = value
				changed = true
			}
		}
	}
	for key := range spec.Object("additionalTags") {
		write(key, spec.Object("additionalTags").String(key))
	}
	for key, value := range tags {
		write(key, value)
	}
	if changed {
		a.Put(after)
	}
}

// balancer creates a load balancer of the API server.
func (r *reconciler) balancer(a *aws.Call, spec, wanted props.Map, public, private map[string]string) error {
	if len(a.Where(awstype.LoadBalancer, "name", wanted.String("name"))) > 0 {
		return nil
	}
	side := public
	internal := wanted.String("scheme") == "internal"
	if internal && len(private) > 0 {
		side = private
	}
	subnets := slices.Collect(maps.Values(side))
	if len(subnets) == 0 {
		return nil
	}
	inputs := props.Map{"name": wanted.String("name"), "internal": internal, "loadBalancerType": "network",
		"subnets": props.List(subnets...),
		"tags":    map[string]any{ownerTag + r.name: "owned", roleTag: "apiserver"}}
	if spec.Object("network").Object("vpc").Object("ipv6") != nil {
		inputs["ipAddressType"] = "dualstack"
	}
	if group := spec.Object("network").Object("securityGroupOverrides").String("apiserver-lb"); group != "" {
		inputs["securityGroups"] = props.List(group)
	}
	_, err := a.Make(store.ByOperator, awstype.LoadBalancer, "", inputs)
	return err
}

// machines runs an instance for each replica, and terminates surplus ones.
func (r *reconciler) machines(
	a *aws.Call,
	spec props.Map,
	control *store.Entry,
	public, private map[string]string,
) error {
	groups := spec.Object("network").Object("securityGroupOverrides")
	template := control.State.Object("spec").Object("machineTemplate").Object("spec").Object("infrastructureRef").
		String("name")
	if err := r.run(a, control, template, "", []string{"node", "lb", "controlplane"}, groups, public,
		private); err != nil {
		return err
	}
	for _, deployment := range r.deployments() {
		template := deployment.State.Object("spec").Object("template").Object("spec")
		machine := template.Object("infrastructureRef").String("name")
		if err := r.run(a, deployment, machine, template.String("failureDomain"), []string{"node", "lb"}, groups, public,
			private); err != nil {
			return err
		}
		if kubernetes.Deleting(deployment) {
			kubernetes.Keep(r.Tx, released(deployment))
		}
	}
	return nil
}

func (r *reconciler) run(
	a *aws.Call,
	owner *store.Entry,
	template, zone string,
	roles []string,
	overrides props.Map,
	public, private map[string]string,
) error {
	name := owner.State.Object("metadata").String("name")
	machine := r.child(crd.InfrastructureVersion, "AWSMachineTemplate", template)
	if machine == nil && !kubernetes.Deleting(owner) {
		return nil
	}
	if machine == nil {
		machine = owner // no further machine is started from it
	}
	spec := machine.State.Object("spec").Object("template").Object("spec")
	side := private
	if spec.Bool("publicIP") {
		side = public
	}
	subnet := side[zone]
	for in, id := range side {
		if zone == "" && (subnet == "" || in < zone) {
			subnet = id
		}
	}
	wanted := int(owner.State.Object("spec").Number("replicas"))
	if kubernetes.Deleting(owner) {
		wanted = 0
	}
	var there []*store.Entry
	for _, instance := range a.All(awstype.Instance) {
		if instance.State.Object("tags").String(ownerTag+r.name) == "owned" && ownerOf(instance) == name {
			there = append(there, instance)
		}
	}
	for i := wanted; i < len(there); i++ {
		if err := a.Unmake(awstype.Instance, there[i].ID); err != nil {
			return err
		}
	}
	var groups []string
	for _, role := range roles {
		if id := overrides.String(role); id != "" {
			groups = append(groups, id)
		}
	}
	for i := len(there); i < wanted && subnet != ""; i++ {
		if _, err := a.Make(store.ByOperator, awstype.Instance, "", props.Map{
			"ami": spec.Object("ami").String("id"), "instanceType": spec.String("instanceType"), "subnetId": subnet,
			"vpcSecurityGroupIds": props.List(groups...),
			"iamInstanceProfile":  spec.String("iamInstanceProfile"), "associatePublicIpAddress": spec.Bool("publicIP"),
			"tags": map[string]any{
				"Name":              fmt.Sprintf("%s-%d", name, i),
				ownerTag + r.name:   "owned",
				clusterTag + r.name: "owned",
			},
		}); err != nil {
			return err
		}
	}
	return nil
}

// ownerOf returns the name of the object that an instance belongs to: the instance's name without its number.
func ownerOf(instance *store.Entry) string {
	name := instance.State.Object("tags").String("Name")
	return name[:max(strings.LastIndex(name, "-"), 0)]
}

// deleteResources deletes the machines and the load balancer and, by the cluster's tag, what the cloud controller
// manager created: like CAPA's garbage collection, every load balancer and security group of the region that is tagged
// as owned by the cluster.
func deleteResources(a *aws.Call, cluster string) error {
	for _, token := range []string{awstype.Instance, awstype.LoadBalancer, awstype.SecurityGroup} {
		for _, rec := range a.All(token) {
			tags := rec.State.Object("tags")
			if tags.String(ownerTag+cluster) == "owned" || tags.String(clusterTag+cluster) == "owned" {
				if err := a.Unmake(token, rec.ID); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
