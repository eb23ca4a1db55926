package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// nodeSeconds is how many seconds after its creation a NodePool's instances are nodes.
const nodeSeconds = 300

const machineController = "kube-system:capa-controller-manager"

// poolOf is a NodePool's cluster, nil where there is none of that name.
func (o *reconciler) poolOf(rec *record) *guest {
	namespace := rec.State.object("metadata").text("namespace")
	cluster := o.record(key{namespace, hostedClusterToken, namespace + "/" + rec.State.object("spec").text("clusterName")})
	if cluster == nil {
		return nil
	}
	return o.guest(cluster)
}

// nodePool brings a NodePool as far as it can be by now.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/nodepool/nodepool_controller.go
func (o *reconciler) nodePool(rec *record) error {
	g := o.poolOf(rec)
	if rec.doomed() {
		return o.nodePoolGoes(g, rec)
	}
	if g == nil || g.rec.doomed() {
		return nil // HyperShift tries again until there is one
	}
	hold(rec.State)
	spec, status := rec.State.object("spec"), statusOf(rec.State)
	generation := rec.State.object("metadata").number("generation")
	set := func(said condition) { conditions{status}.set(generation, said) }
	if !status.has("replicas") {
		status["replicas"] = 0.0
	}
	set(condition{"ReconciliationActive", "True", "AsExpected", "Reconciliation active on resource"})
	set(condition{"ValidReleaseImage", "True", "AsExpected", "Using release image: " + spec.object("release").text("image")})
	if !o.mayRun(g, set) {
		return nil
	}
	wanted := replicas(spec)
	machines := 0
	err := g.asMachines(func(a *agent) (err error) {
		if machines = wanted; !g.shared {
			machines, err = g.run(a, rec, wanted)
		}
		return err
	})
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		set(condition{"AllMachinesReady", "False", "InstanceProvisionFailed", err.Error()})
		return nil
	case err != nil:
		return err
	}
	joined := 0
	if o.after(rec, nodeSeconds) {
		if joined, err = g.joined(rec, machines, set); err != nil {
			return err
		}
	}
	status["replicas"] = float64(joined)
	status["version"] = versionOf(spec.object("release").text("image"))
	said := condition{"AllMachinesReady", "True", "AsExpected", allIsWell}
	healthy := condition{"AllNodesHealthy", "True", "AsExpected", allIsWell}
	switch {
	case wanted == 0:
		said.message, healthy.message = "NodePool set to no replicas", "NodePool set to no replicas"
		said.status, healthy.status = "False", "False"
	case joined < wanted:
		waiting := fmt.Sprintf("%d of %d machines are not healthy: WaitingForNodeRef", wanted-joined, wanted)
		healthy = condition{"AllNodesHealthy", "False", "WaitingForNodeRef", waiting}
	default:
		set(well("Ready"))
	}
	set(said)
	set(healthy)
	return nil
}

// mayRun says whether machines can be made yet, and why not in the conditions.
func (o *reconciler) mayRun(g *guest, set func(condition)) bool {
	if g.status().object("platform").object("aws").text("defaultWorkerSecurityGroupID") == "" {
		set(condition{"AWSSecurityGroupAvailable", "False", "DefaultSGNotReady",
			"Waiting for AWS default security group to be created for hosted cluster"})
		return false
	}
	set(condition{"AWSSecurityGroupAvailable", "True", "AsExpected", "NodePool has a default security group"})
	if !g.is("IgnitionEndpointAvailable") {
		set(condition{"ReachedIgnitionEndpoint", "False", "IgnitionEndpointMissing", "Ignition endpoint not available, waiting"})
		return false
	}
	return true
}

// replicas are how many nodes a NodePool is to have; one that scales itself has its least.
func replicas(spec props) int {
	if scaling := spec.object("autoScaling"); scaling != nil {
		return int(scaling.number("min"))
	}
	return int(spec.number("replicas"))
}

// asMachines works as the controller of machines, with the role that the cluster names for it.
func (g *guest) asMachines(act func(*agent) error) error {
	return g.as(g.aws.object("rolesRef").text("nodePoolManagementARN"), machineController, act)
}

// machines are the instances of a NodePool.
func (g *guest) machines(a *agent, pool *record) []*record {
	return slices.DeleteFunc(a.all(instanceToken), func(instance *record) bool {
		return instance.State.object("tags").text("kubernetes.io/cluster/"+g.infraID) != "owned" ||
			!strings.HasPrefix(instance.State.object("tags").text("Name"), pool.State.object("metadata").text("name")+"-")
	})
}

// run has as many instances in a NodePool's subnet as are wanted, and tells how many there are.
func (g *guest) run(a *agent, pool *record, wanted int) (int, error) {
	platform := pool.State.object("spec").object("platform").object("aws")
	machines := g.machines(a, pool)
	for len(machines) > wanted {
		last := machines[len(machines)-1]
		if err := g.terminate(a, last); err != nil {
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
	groups := []string{g.status().object("platform").object("aws").text("defaultWorkerSecurityGroupID")}
	for _, group := range platform.objects("securityGroups") {
		groups = append(groups, group.text("id"))
	}
	for len(machines) < wanted {
		name := pool.State.object("metadata").text("name") + "-" + randomOf("bcdfghjklmnpqrstvwxz2456789", 5)
		instance, err := a.make(instanceToken, props{
			"ami": a.images()[0].id, "instanceType": platform.text("instanceType"), "subnetId": platform.object("subnet").text("id"),
			"vpcSecurityGroupIds": list(groups...), "iamInstanceProfile": platform.text("instanceProfile"), "tags": g.tags(name),
		})
		if err != nil {
			return len(machines), err
		}
		machines = append(machines, instance)
	}
	return wanted, nil
}

func (g *guest) terminate(a *agent, instance *record) error {
	if err := a.may("ec2:TerminateInstances"); err != nil {
		return err
	}
	return a.unmake(instanceToken, instance.ID)
}

// joined is how many of a NodePool's machines are nodes: all, if they can fetch what they run, and else none.
func (g *guest) joined(pool *record, machines int, set func(condition)) (int, error) {
	if machines == 0 {
		return 0, nil
	}
	out := false
	err := g.asMachines(func(a *agent) error {
		out = g.shared || a.egress(pool.State.object("spec").object("platform").object("aws").object("subnet").text("id"))
		return nil
	})
	if err != nil || !out {
		set(condition{"ReachedIgnitionEndpoint", "False", "ignitionNotReached", ""})
		return 0, err
	}
	set(condition{"ReachedIgnitionEndpoint", "True", "AsExpected", ""})
	return machines, nil
}

// egress says whether there is a way out of a subnet: a default route to something that is there, or the interface
// endpoints that nodes need where there is none.
func (c *call) egress(id string) bool {
	subnet := c.find(subnetToken, id)
	if subnet == nil {
		return false
	}
	table := c.tableOf(subnet)
	for _, rec := range c.all(routeToken) {
		if rec.State.text("routeTableId") == table && rec.State.text("destinationCidrBlock") == "0.0.0.0/0" {
			return true
		}
	}
	if rec := c.find(routeTableToken, table); rec != nil {
		for _, route := range rec.State.objects("routes") {
			if route.text("cidrBlock") == "0.0.0.0/0" {
				return true
			}
		}
	}
	return slices.ContainsFunc(c.all(endpointToken), func(endpoint *record) bool {
		return endpoint.State.text("vpcId") == subnet.State.text("vpcId") && endpoint.State.text("vpcEndpointType") == "Interface" &&
			strings.HasSuffix(endpoint.State.text("serviceName"), "."+c.region+".ec2")
	})
}

// tableOf is the ID of a subnet's route table: its own, else the VPC's main one.
func (c *call) tableOf(subnet *record) string {
	for _, rec := range c.all(routeAssociationToken) {
		if rec.State.text("subnetId") == subnet.ID {
			return rec.State.text("routeTableId")
		}
	}
	vpc := c.find(vpcToken, subnet.State.text("vpcId"))
	if vpc == nil {
		return ""
	}
	return vpc.State.text("mainRouteTableId")
}

// nodePoolGoes takes a NodePool down: its instances first.
func (o *reconciler) nodePoolGoes(g *guest, rec *record) error {
	if !slices.Contains(rec.finalizers(), finalizer) || !o.going(rec) {
		return nil
	}
	var refused *refusal
	if g != nil {
		err := g.asMachines(func(a *agent) error {
			for _, instance := range g.machines(a, rec) {
				if err := g.terminate(a, instance); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		if err != nil && !o.givesUp(rec) {
			conditions{statusOf(rec.State)}.set(rec.State.object("metadata").number("generation"),
				condition{"AllMachinesReady", "False", "DeletionFailed", "failed to terminate instances: " + err.Error()})
			return nil
		}
	}
	release(rec.State)
	return nil
}
