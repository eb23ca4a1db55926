package preflight

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

const (
	// zoneLabel has a node's zone, and roleLabel begins the labels of its roles.
	zoneLabel = "topology.kubernetes.io/zone"
	roleLabel = "node-role.kubernetes.io/"
	// mostInstances is how many instances of a cluster are looked up: they are all in its VPC.
	mostInstances = 100
)

// instanceOf matches the provider ID of an EC2 instance, "aws:///us-east-1a/i-0123456789abcdef0".
var instanceOf = regexp.MustCompile(`^aws:///([^/]*)/(i-[0-9a-f]+)$`)

// workers has what a management cluster's nodes show about its network.
type workers struct {
	// instances are the IDs of all nodes' instances, and zones the zones of the workers.
	instances, zones []string
}

// checkManagementZones checks that the VPC of a management cluster has subnets and workers in every zone of the region.
// The load balancers of hosted control planes are there, and an endpoint of theirs works in the zones that they have in
// common. Source: HyperShift, docs/content/reference/infrastructure/aws.md.
func checkManagementZones(
	ctx context.Context,
	api Cluster,
	in account.Account,
	place inventory.Place,
) []finding.Finding {
	in, ctx = in.Snapshot(), account.ReadOnly(ctx)
	f := finding.Finding{
		Check:   ManagementZones,
		Account: place.Account,
		Region:  place.Region,
		Subject: "subnets and workers",
	}
	nodes, err := api.List(ctx, "Node", "")
	switch {
	case apierrors.IsForbidden(err):
		return []finding.Finding{notKnown(f, "the user of the kubeconfig may not list Nodes", "allow it to list Nodes")}
	case err != nil:
		return []finding.Finding{notKnown(f, lastLine(err), "run preflight again")}
	case len(nodes) == 0: // those of an offline cluster are not simulated
		return nil
	}
	found, problem := workersAmong(nodes)
	if problem != "" {
		return []finding.Finding{notKnown(f, problem, "")}
	}
	instances, err := in.List(ctx, account.Query{
		Type: awstype.Instance,
		IDs:  found.instances[:min(len(found.instances), mostInstances)],
	})
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	vpcs := map[string]bool{}
	for _, instance := range instances {
		if vpc := instance.Text("vpcId"); vpc != "" && slices.Contains(found.instances, instance.ID) {
			vpcs[vpc] = true
		}
	}
	switch len(vpcs) {
	case 1:
	case 0:
		return []finding.Finding{
			notKnown(f, fmt.Sprintf("the nodes are in another account or region, this one has no instance %s",
				found.instances[0]), ""),
		}
	default:
		return []finding.Finding{notKnown(f, "the nodes are in several VPCs: "+strings.Join(slices.Sorted(maps.Keys(vpcs)),
			", "), "")}
	}
	for vpc := range vpcs {
		f.Subject = vpc
	}
	return compareZones(ctx, in, f, found.zones)
}

// notKnown returns the finding for zones that could not be compared. permit is the permission that allows the check, ""
// if there is none.
func notKnown(f finding.Finding, why, permit string) finding.Finding {
	f.Severity, f.Problem = finding.Warning, notChecked+why
	f.Remedy = "compare the zones of its subnets and of its nodes (`kubectl get nodes -L " + zoneLabel +
		"`) with those of the region"
	if permit != "" {
		f.Remedy = permit + ", or " + f.Remedy
	}
	return f
}

// workersAmong returns the instances and the workers' zones of nodes, or why they are not known.
func workersAmong(nodes []map[string]any) (found workers, problem string) {
	for _, object := range nodes {
		node := unstructured.Unstructured{Object: object}
		providerID, _, _ := unstructured.NestedString(object, "spec", "providerID")
		instance := instanceOf.FindStringSubmatch(providerID)
		if instance == nil { // such as a pod's own node of Fargate
			problem = fmt.Sprintf("the nodes are not EC2 instances: %s has the provider ID %q", node.GetName(), providerID)
			continue
		}
		found.instances = append(found.instances, instance[2])
		labels := node.GetLabels()
		if !works(labels) {
			continue
		}
		zone := labels[zoneLabel]
		if zone == "" {
			zone = instance[1]
		}
		if zone == "" {
			return found, fmt.Sprintf("the node %s has no label %s", node.GetName(), zoneLabel)
		}
		found.zones = append(found.zones, zone)
	}
	slices.Sort(found.instances)
	if len(found.instances) > 0 {
		problem = ""
	}
	return found, problem
}

// works reports whether a node with these labels is a worker: it has no role of the control plane, or has the worker's
// role too.
func works(labels map[string]string) bool {
	has := func(role string) bool {
		_, labelled := labels[roleLabel+role]
		return labelled
	}
	return has("worker") || !has("control-plane") && !has("master")
}

// compareZones compares the zones of the region with the zones of a VPC's subnets and of the workers in it. The
// finding's subject is the VPC.
func compareZones(ctx context.Context, in account.Account, f finding.Finding, working []string) []finding.Finding {
	vpc := f.Subject
	subnets, err := in.List(ctx, account.Query{Type: awstype.Subnet, Inputs: map[string]any{"vpcId": vpc}})
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	var covered []string
	for _, subnet := range subnets {
		if subnet.Text("vpcId") == vpc {
			covered = append(covered, subnet.Text("availabilityZone"))
		}
	}
	zones, err := in.Zones(ctx)
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	var findings []finding.Finding
	checked := 0
	for _, zone := range zones {
		// Names of local zones, where load balancers of this type are an exception, are longer: "us-east-1-bos-1a".
		if !zone.OptedIn || len(zone.Name) != len(f.Region)+1 {
			continue
		}
		checked++
		lacks := f
		lacks.Severity, lacks.Subject = finding.Warning, fmt.Sprintf("%s (%s)", zone.Name, zone.ID)
		switch {
		case !slices.Contains(covered, zone.Name):
			lacks.Problem = vpc + ", the management cluster's VPC, has no subnet in it: private hosted clusters in this zone get no endpoint of their API server"
			lacks.Remedy = "create a subnet and a worker there, or place no private hosted clusters in " + zone.ID
		case !slices.Contains(working, zone.Name):
			lacks.Problem = "the management cluster has a subnet, but no worker in it: private hosted clusters in this zone may get no endpoint of their API server that works"
			lacks.Remedy = "add a worker there, or place no private hosted clusters in " + zone.ID
		default:
			continue
		}
		findings = append(findings, lacks)
	}
	if findings == nil {
		f.Severity, f.Problem = finding.Passed,
			fmt.Sprintf("the management cluster has subnets and workers in all %d zones of the region", checked)
		findings = []finding.Finding{f}
	}
	return findings
}
