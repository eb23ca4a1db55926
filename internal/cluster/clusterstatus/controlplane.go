package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	schemas "github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// waiting is a kind of objects that HyperShift creates in the control plane's namespace, for which it waits.
type waiting struct {
	kind schemas.Kind
	// why returns what an object waits for, "" for one that doesn't wait.
	why    func(object map[string]any) string
	remedy string
}

// controlPlaneParts returns the kinds of objects whose own state is the cause of a condition of the HostedCluster or of
// a NodePool. Source: HyperShift, control-plane-operator/controllers/hostedcontrolplane and
// hypershift-operator/controllers/nodepool/capi.go. An AWSMachineTemplate has no state.
func controlPlaneParts() []waiting {
	const (
		machines = "HyperShift and Cluster API try again; if it stays, correct the node pool, or what AWS refuses"
		cluster  = "cluster.x-k8s.io/v1beta1"
	)
	return []waiting{
		{schemas.Kind{APIVersion: "v1", Kind: "PersistentVolumeClaim"}, waitsForVolume,
			"check that the management cluster has the storage class and its CSI driver, and the events of the claim"},
		{schemas.Kind{APIVersion: "apps/v1", Kind: "StatefulSet"}, waitsForPods, "check its pods in the management cluster"},
		{schemas.Kind{APIVersion: "v1", Kind: "Service"}, waitsForBalancer,
			"check the events of the Service: the management cluster's subnets, permissions and quotas decide"},
		{schemas.Kind{
			APIVersion: "route.openshift.io/v1",
			Kind:       "Route",
		}, refusedRoute, "check the ingress controller of the management cluster"},
		{schemas.Kind{APIVersion: cluster, Kind: "MachineDeployment"}, refusedMachine, machines},
		{schemas.Kind{APIVersion: cluster, Kind: "MachineSet"}, refusedMachine, machines},
		{schemas.Kind{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta2", Kind: "AWSMachine"}, refusedMachine, machines},
	}
}

// ControlPlaneKinds returns the kinds of the objects for which a control plane waits. They are listed in its namespace,
// and left out where the caller may not list them.
func ControlPlaneKinds() (kinds []schemas.Kind) {
	for _, part := range controlPlaneParts() {
		kinds = append(kinds, part.kind)
	}
	return kinds
}

// readControlPlane adds a finding for each object of the control plane's namespace that waits, if the cluster is not
// available or lacks nodes. What cannot be read is left out: the conditions of the cluster's own objects count.
func (s *Reading) readControlPlane(ctx context.Context, api ManagementCluster, cluster *HostedCluster) {
	available := slices.ContainsFunc(s.Objects, func(o status.Object) bool {
		c := findCondition(o.Conditions, "Available")
		return o.Kind == crd.HostedCluster && c != nil && c.Status == conditionTrue
	})
	if available && s.Nodes >= s.NodesWanted {
		return
	}
	for _, part := range controlPlaneParts() {
		objects, err := api.List(ctx, part.kind.Kind, crd.ControlPlaneNamespace(cluster.Namespace, cluster.Name))
		if err != nil {
			continue
		}
		slices.SortFunc(objects, func(a, b map[string]any) int { return strings.Compare(identity(a), identity(b)) })
		for _, object := range objects {
			if why := part.why(object); why != "" {
				s.find(finding.Finding{
					Severity: finding.Warning, Problem: why, Remedy: part.remedy,
					Subject: part.kind.Kind + " " + textAt(object, "metadata", "namespace") + "/" + textAt(object, "metadata", "name"),
				})
			}
		}
	}
}

func waitsForVolume(claim map[string]any) string {
	phase := textAt(claim, "status", "phase")
	if phase == "" || phase == "Bound" {
		return ""
	}
	class := "the default storage class"
	if name := textAt(claim, "spec", "storageClassName"); name != "" {
		class = "storage class " + name
	}
	return "is " + phase + ": it has no volume of " + class
}

func waitsForPods(set map[string]any) string {
	count := func(path ...string) string {
		number, found, _ := unstructured.NestedFieldNoCopy(set, path...)
		if !found {
			return "0"
		}
		return fmt.Sprint(number)
	}
	if wants, ready := count("spec", "replicas"), count("status", "readyReplicas"); wants != ready {
		return fmt.Sprintf("%s of %s pods are ready", ready, wants)
	}
	return ""
}

func waitsForBalancer(service map[string]any) string {
	ingress, _, _ := unstructured.NestedSlice(service, "status", "loadBalancer", "ingress")
	if textAt(service, "spec", "type") != "LoadBalancer" || len(ingress) > 0 {
		return ""
	}
	return "has no load balancer in AWS yet"
}

func refusedRoute(route map[string]any) string {
	ingress, _, _ := unstructured.NestedSlice(route, "status", "ingress")
	for _, each := range ingress {
		router, _ := each.(map[string]any)
		if why := falseCondition(router, func(c map[string]any) bool {
			return textAt(c, "type") == "Admitted"
		}); why != "" {
			return why
		}
	}
	return ""
}

// refusedMachine returns the failure of an object of Cluster API. A condition that is False with another severity than
// Error is about what the controllers still do.
func refusedMachine(object map[string]any) string {
	if message := textAt(object, "status", "failureMessage"); message != "" {
		return "failed: " + message
	}
	said, _, _ := unstructured.NestedMap(object, "status")
	return falseCondition(said, func(c map[string]any) bool { return textAt(c, "severity") == "Error" })
}

// falseCondition returns the first of the conditions that is False and counts, in words.
func falseCondition(of map[string]any, counts func(map[string]any) bool) string {
	conditions, _, _ := unstructured.NestedSlice(of, "conditions")
	for _, each := range conditions {
		c, _ := each.(map[string]any)
		if textAt(c, "status") == conditionFalse && counts(c) {
			return strings.TrimSuffix(fmt.Sprintf("%s is False (%s): %s", textAt(c, "type"), textAt(c, "reason"),
				textAt(c, "message")), ": ")
		}
	}
	return ""
}
