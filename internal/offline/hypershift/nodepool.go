package hypershift

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ec2"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// The kind of machines, which no stack creates, and the annotation with their NodePool.
const (
	machineVersion = "cluster.x-k8s.io/v1beta1"
	machineKind    = "Machine"
	poolAnnotation = "hypershift.openshift.io/nodePool"
)

// nodeSeconds is how many seconds after a NodePool's creation its instances are nodes.
const nodeSeconds = 300

// nodePool is a NodePool with its HostedCluster.
type nodePool struct {
	*hostedCluster
	pool *store.Entry
}

// set sets a condition of the NodePool.
func (p nodePool) set(said kubernetes.Condition) {
	kubernetes.Conditions{
		Status: kubernetes.StatusOf(p.pool.State),
	}.Set(p.pool.State.Object("metadata").Number("generation"), said)
}

// poolOf returns a NodePool's cluster, or nil if there is none of that name.
func (o *reconciler) poolOf(rec *store.Entry) *hostedCluster {
	namespace := rec.State.Object("metadata").String("namespace")
	cluster := o.Get(store.Key{
		Scope: namespace,
		Token: kubernetes.HostedClusterToken,
		ID:    namespace + "/" + rec.State.Object("spec").String("clusterName"),
	})
	if cluster == nil {
		return nil
	}
	return o.clusterOf(cluster)
}

// writeDurations writes a NodePool's durations in Go's format: "10m0s" for "10m".
func writeDurations(spec props.Map) {
	for _, field := range []string{"nodeDrainTimeout", "nodeVolumeDetachTimeout"} {
		if d, err := time.ParseDuration(spec.String(field)); err == nil {
			spec[field] = d.String()
		}
	}
}

// nodePool advances a NodePool as far as possible at this time.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/nodepool/nodepool_controller.go
func (o *reconciler) nodePool(rec *store.Entry) error {
	g := o.poolOf(rec)
	if kubernetes.Deleting(rec) {
		return o.nodePoolGoes(g, rec)
	}
	if g == nil || kubernetes.Deleting(g.rec) {
		return nil // HyperShift tries again until there is one
	}
	p := nodePool{g, rec}
	kubernetes.AddFinalizer(rec, Finalizer)
	writeDurations(rec.State.Object("spec"))
	spec, status := rec.State.Object("spec"), kubernetes.StatusOf(rec.State)
	if !status.Has("replicas") {
		status["replicas"] = 0.0
	}
	p.set(kubernetes.Condition{
		Name:    "ReconciliationActive",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Reconciliation active on resource",
	})
	image := spec.Object("release").String("image")
	if why := judgeRelease(image); why != "" {
		p.set(kubernetes.Condition{Name: "ValidReleaseImage", Status: "False", Reason: "ValidationFailed", Message: why})
		return nil
	}
	p.set(kubernetes.Condition{
		Name:    "ValidReleaseImage",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Using release image: " + image,
	})
	if !p.validArch() || !p.mayRun() {
		return nil
	}
	wanted := replicas(spec)
	machines := 0
	var instances []*store.Entry
	err := g.as(machineRole, func(a *agent) (err error) {
		if machines = wanted; !g.shared {
			machines, err = p.run(a, wanted)
			instances = p.machines(a)
		}
		return err
	})
	switch {
	case awserr.Is(err):
		p.set(kubernetes.Condition{
			Name:    "AllMachinesReady",
			Status:  "False",
			Reason:  "InstanceProvisionFailed",
			Message: err.Error(),
		})
		return nil
	case err != nil:
		return err
	}
	joined := 0
	if o.after(rec, nodeSeconds) {
		if joined, err = p.joined(machines); err != nil {
			return err
		}
	}
	p.machinesWritten(instances, joined)
	status["replicas"] = float64(joined)
	status["version"] = versionOf(spec.Object("release").String("image"))
	said := kubernetes.Condition{
		Name:    "AllMachinesReady",
		Status:  "True",
		Reason:  "AsExpected",
		Message: kubernetes.AsExpectedMessage,
	}
	healthy := kubernetes.Condition{
		Name:    "AllNodesHealthy",
		Status:  "True",
		Reason:  "AsExpected",
		Message: kubernetes.AsExpectedMessage,
	}
	switch {
	case wanted == 0:
		said.Message, healthy.Message = "NodePool set to no replicas", "NodePool set to no replicas"
		said.Status, healthy.Status = "False", "False"
	case joined < wanted:
		waiting := fmt.Sprintf("%d of %d machines are not healthy: WaitingForNodeRef", wanted-joined, wanted)
		healthy = kubernetes.Condition{
			Name:    "AllNodesHealthy",
			Status:  "False",
			Reason:  "WaitingForNodeRef",
			Message: waiting,
		}
	default:
		p.set(kubernetes.Met("Ready"))
	}
	p.set(said)
	p.set(healthy)
	return nil
}

// validArch reports whether the cluster's release has images for the pool's nodes, and sets the condition. A tag that
// does not name one architecture is that of a release with images for all.
// Source: validateHCPayloadSupportsNodePoolCPUArch in nodepool_controller.go.
func (p nodePool) validArch() bool {
	arch := cmp.Or(p.pool.State.Object("spec").String("arch"), "amd64")
	payload := archOf(p.spec.Object("release").String("image"))
	if payload == "" || payload == arch {
		p.set(kubernetes.Met("ValidArchPlatform"))
		return true
	}
	p.set(kubernetes.Condition{Name: "ValidArchPlatform", Status: "False", Reason: "InvalidArchPlatform",
		Message: fmt.Sprintf("NodePool CPU arch, %s, is not supported by the HostedCluster payload type, %s; "+
			"either change the NodePool CPU arch or use a multi-arch release image", arch, strings.ToUpper(payload))})
	return false
}

// mayRun reports whether instances can be created yet, and sets the conditions with the reason if not.
func (p nodePool) mayRun() bool {
	if p.status().Object("platform").Object("aws").String("defaultWorkerSecurityGroupID") == "" {
		p.set(kubernetes.Condition{Name: "AWSSecurityGroupAvailable", Status: "False", Reason: "DefaultSGNotReady",
			Message: "Waiting for AWS default security group to be created for hosted cluster"})
		return false
	}
	p.set(kubernetes.Condition{
		Name:    "AWSSecurityGroupAvailable",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "NodePool has a default security group",
	})
	if !p.is("IgnitionEndpointAvailable") {
		p.set(kubernetes.Condition{
			Name:    "ReachedIgnitionEndpoint",
			Status:  "False",
			Reason:  "IgnitionEndpointMissing",
			Message: "Ignition endpoint not available, waiting",
		})
		return false
	}
	return true
}

// replicas returns how many nodes a NodePool should have; with autoscaling, the minimum.
func replicas(spec props.Map) int {
	if scaling := spec.Object("autoScaling"); scaling != nil {
		return int(scaling.Number("min"))
	}
	return int(spec.Number("replicas"))
}

// machines returns the instances of a NodePool.
func (p nodePool) machines(a *agent) []*store.Entry {
	return slices.DeleteFunc(a.All(awstype.Instance), func(instance *store.Entry) bool {
		return instance.State.Object("tags").String("kubernetes.io/cluster/"+p.infraID) != "owned" ||
			!strings.HasPrefix(instance.State.Object("tags").String("Name"), p.pool.State.Object("metadata").String("name")+"-")
	})
}

// run creates or terminates instances in a NodePool's subnet until there are as many as wanted, and returns how many
// there are.
func (p nodePool) run(a *agent, wanted int) (int, error) {
	platform := p.pool.State.Object("spec").Object("platform").Object("aws")
	machines := p.machines(a)
	for len(machines) > wanted {
		last := machines[len(machines)-1]
		if err := terminate(a, last); err != nil {
			return len(machines), err
		}
		machines = machines[:len(machines)-1]
	}
	if len(machines) == wanted {
		return wanted, nil
	}
	if err := a.may("ec2:RunInstances", "ec2:CreateTags"); err != nil {
		return len(machines), err
	}
	groups := []string{p.status().Object("platform").Object("aws").String("defaultWorkerSecurityGroupID")}
	for _, group := range platform.Objects("securityGroups") {
		groups = append(groups, group.String("id"))
	}
	tags := p.poolTags(platform)
	for len(machines) < wanted {
		name := p.pool.State.Object("metadata").String("name") + "-" + ids.RandomOf("bcdfghjklmnpqrstvwxz2456789", 5)
		instance, err := a.Make(store.ByOperator, awstype.Instance, "", props.Map{
			"ami": ec2.Images(a.Site)[0].ID, "instanceType": platform.String("instanceType"),
			"subnetId":            platform.Object("subnet").String("id"),
			"vpcSecurityGroupIds": props.List(groups...), "iamInstanceProfile": platform.String("instanceProfile"),
			"tags": named(tags, name),
		})
		if err != nil {
			return len(machines), err
		}
		machines = append(machines, instance)
	}
	return wanted, nil
}

// poolTags returns the tags of a NodePool's machines: the cluster's, and the pool's own. Of a key that both have, the
// pool's value counts only if the cluster's tag allows it.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/nodepool/aws.go
func (p nodePool) poolTags(platform props.Map) props.Map {
	tags, fixed := props.Map(p.tags("")), map[string]bool{}
	for _, tag := range p.aws.Objects("resourceTags") {
		fixed[tag.String("key")] = tag.String("overridePolicy") != "Allow"
	}
	for _, tag := range platform.Objects("resourceTags") {
		if !fixed[tag.String("key")] {
			tags[tag.String("key")] = tag.String("value")
		}
	}
	return tags
}

// named returns tags with a name.
func named(tags props.Map, name string) map[string]any {
	tags = tags.Clone()
	tags["Name"] = name
	return tags
}

func terminate(a *agent, instance *store.Entry) error {
	if err := a.may("ec2:TerminateInstances"); err != nil {
		return err
	}
	return a.Unmake(awstype.Instance, instance.ID)
}

// joined returns how many of a NodePool's instances are nodes: all if they can download what they run and reach the
// control plane, otherwise none.
func (p nodePool) joined(machines int) (int, error) {
	if machines == 0 {
		return 0, nil
	}
	out := false
	err := p.as(machineRole, func(a *agent) error {
		subnet := p.pool.State.Object("spec").Object("platform").Object("aws").Object("subnet").String("id")
		out = p.shared || egress(a.Call, subnet) && p.admits(natAddress(a.Call, subnet))
		return nil
	})
	if p.access != "Public" && !p.is("AWSEndpointAvailable") {
		out = false
	}
	if err != nil || !out {
		p.set(kubernetes.Condition{
			Name:    "ReachedIgnitionEndpoint",
			Status:  "False",
			Reason:  "ignitionNotReached",
			Message: "",
		})
		return 0, err
	}
	p.set(kubernetes.Condition{Name: "ReachedIgnitionEndpoint", Status: "True", Reason: "AsExpected", Message: ""})
	return machines, nil
}

// egress reports whether a subnet has egress: routes that have all addresses of the internet, or the interface
// endpoints that nodes need without one.
func egress(c *aws.Call, id string) bool {
	subnet := c.Find(awstype.Subnet, id)
	if subnet == nil {
		return false
	}
	table := tableOf(c, subnet)
	var routed []netip.Prefix
	add := func(texts ...string) {
		for _, text := range texts {
			if cidr, err := netip.ParsePrefix(text); err == nil && cidr.Addr().Is4() {
				routed = append(routed, cidr)
			}
		}
	}
	for _, rec := range c.Where(awstype.Route, "routeTableId", table) {
		add(rec.State.String("destinationCidrBlock"))
	}
	if rec := c.Find(awstype.RouteTable, table); rec != nil {
		for _, route := range rec.State.Objects("routes") {
			add(route.String("cidrBlock"))
			if list := c.Find(awstype.PrefixList, route.String("destinationPrefixListId")); list != nil {
				add(list.State.Strings("entries")...)
			}
		}
	}
	if covers(routed, netip.MustParsePrefix("0.0.0.0/0")) {
		return true
	}
	return slices.ContainsFunc(c.Where(awstype.VPCEndpoint, "vpcId", subnet.State.String("vpcId")),
		func(endpoint *store.Entry) bool {
			return endpoint.State.String("vpcEndpointType") == "Interface" && endpoint.State.Bool("privateDnsEnabled") &&
				strings.HasSuffix(endpoint.State.String("serviceName"), "."+c.Region+".sts")
		})
}

// noHosts are the networks that no host on the internet is in.
// https://www.iana.org/assignments/iana-ipv4-special-registry
const noHosts = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/3"

// covers reports whether routes have all addresses of hosts on the internet that are in a network.
// https://docs.aws.amazon.com/vpc/latest/userguide/RouteTables.html#route-tables-priority
func covers(routes []netip.Prefix, network netip.Prefix) bool {
	inside := false
	for _, route := range routes {
		if route.Bits() <= network.Bits() && route.Contains(network.Addr()) {
			return true
		}
		inside = inside || network.Contains(route.Addr())
	}
	for _, text := range strings.Fields(noHosts) {
		if block := netip.MustParsePrefix(text); block.Bits() <= network.Bits() && block.Contains(network.Addr()) {
			return true
		}
		inside = inside || len(routes) > 0 && network.Contains(netip.MustParsePrefix(text).Addr())
	}
	if !inside || network.IsSingleIP() {
		return false
	}
	second := network.Addr().As4()
	second[network.Bits()/8] |= 1 << (7 - network.Bits()%8)
	bits := network.Bits() + 1
	return covers(routes, netip.PrefixFrom(network.Addr(), bits)) &&
		covers(routes, netip.PrefixFrom(netip.AddrFrom4(second), bits))
}

// amazonsAddress is an address of Amazon's pool, of which each machine in a public subnet has another one.
const amazonsAddress = "3.80.0.1"

// admits reports whether nodes with an address may connect to a control plane that they reach over the internet. An
// address that is not known, of a machine behind others' networks, is let in.
// https://github.com/openshift/hypershift/blob/main/support/netutil/networking.go
func (p nodePool) admits(address string) bool {
	blocks := p.spec.Object("networking").Object("apiServer").Strings("allowedCIDRBlocks")
	ip, err := netip.ParseAddr(address)
	if p.access != "Public" || len(blocks) == 0 || err != nil {
		return true
	}
	return slices.ContainsFunc(blocks, func(block string) bool {
		prefix, err := netip.ParsePrefix(block)
		return err == nil && prefix.Contains(ip)
	})
}

// natAddress returns the address that machines in a subnet have on the internet: that of their NAT gateway, or one of
// Amazon's with a route to the internet gateway; "" if it is not known.
func natAddress(c *aws.Call, id string) string {
	subnet := c.Find(awstype.Subnet, id)
	if subnet == nil {
		return ""
	}
	for _, route := range c.Where(awstype.Route, "routeTableId", tableOf(c, subnet)) {
		if route.State.String("destinationCidrBlock") == "0.0.0.0/0" && route.State.String("gatewayId") != "" {
			return amazonsAddress
		}
		if nat := c.Find(awstype.NATGateway, route.State.String("natGatewayId")); nat != nil &&
			route.State.String("destinationCidrBlock") == "0.0.0.0/0" {
			return nat.State.String("publicIp")
		}
	}
	return ""
}

// tableOf returns the ID of a subnet's route table: the associated one, otherwise the VPC's main one.
func tableOf(c *aws.Call, subnet *store.Entry) string {
	for _, rec := range c.Where(awstype.RouteTableAssociation, "subnetId", subnet.ID) {
		return rec.State.String("routeTableId")
	}
	vpc := c.Find(awstype.VPC, subnet.State.String("vpcId"))
	if vpc == nil {
		return ""
	}
	return vpc.State.String("mainRouteTableId")
}

// nodePoolGoes deletes a NodePool: its instances first.
func (o *reconciler) nodePoolGoes(g *hostedCluster, rec *store.Entry) error {
	if !slices.Contains(kubernetes.Finalizers(rec), Finalizer) || !o.going(rec) {
		return nil
	}
	p := nodePool{g, rec}
	if g != nil && !o.how.Leaves(faults.LeaveInstances) {
		err := g.as(machineRole, func(a *agent) error {
			for _, instance := range p.machines(a) {
				if err := terminate(a, instance); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !awserr.Is(err) {
			return err
		}
		if err != nil && !o.givesUp(rec) {
			p.set(kubernetes.Condition{
				Name:    "AllMachinesReady",
				Status:  "False",
				Reason:  "DeletionFailed",
				Message: "failed to terminate instances: " + err.Error(),
			})
			return nil
		}
	}
	if g != nil {
		p.machinesWritten(nil, 0)
	}
	kubernetes.RemoveFinalizers(rec, Finalizer)
	return nil
}

// machinesWritten writes the Machines of a NodePool: one for each instance. Those that are nodes have joined.
func (p nodePool) machinesWritten(instances []*store.Entry, joined int) {
	name := p.pool.State.Object("metadata").String("name")
	var names []string
	for i, instance := range instances {
		machine := instance.State.Object("tags").String("Name")
		names = append(names, machine)
		phase, healthy := "Provisioned", "False"
		if i < joined {
			phase, healthy = "Running", "True"
		}
		var conditions []any
		for condition, status := range map[string]string{"Ready": "True", "NodeHealthy": healthy} {
			conditions = append(conditions, map[string]any{"type": condition, "status": status, "reason": "", "message": ""})
		}
		slices.SortFunc(conditions, func(a, b any) int {
			return strings.Compare(props.JSONText(a), props.JSONText(b))
		})
		p.writeObject(machineVersion, machineKind, machine, map[string]any{poolAnnotation: p.namespace + "/" + name},
			map[string]any{
				"clusterName": p.infraID,
				"providerID":  "aws:///" + instance.State.String("availabilityZone") + "/" + instance.ID,
			},
			map[string]any{"phase": phase, "conditions": conditions})
	}
	for _, machine := range p.List(p.controlNamespace(), "kubernetes:"+machineVersion+":"+machineKind) {
		own := kubernetes.Annotation(machine.State, poolAnnotation) == p.namespace+"/"+name
		if own && !slices.Contains(names, machine.State.Object("metadata").String("name")) {
			p.Delete(machine)
		}
	}
}
