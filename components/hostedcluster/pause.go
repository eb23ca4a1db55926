package hostedcluster

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// drainTimeout limits the eviction of pods, and the wait for their volumes, from the nodes of a paused pool without
// limits of its own. No other node takes the pods, so that a PodDisruptionBudget would keep its node for ever.
// HyperShift changes both limits in place.
const drainTimeout = "15m0s"

// pausePool lets a NodePool's object have no nodes, and records since when and how many it has otherwise. Source:
// https://github.com/openshift/hypershift/blob/main/docs/content/how-to/automated-machine-management/scale-to-zero-dataplane.md
func pausePool(object map[string]any, since string) {
	annotate := func(key, value string) {
		_ = unstructured.SetNestedField(object, value, "metadata", "annotations", key)
	}
	annotate(hypershift.PausedSinceAnnotation, since)
	annotate(hypershift.PausedNodesAnnotation, strconv.Itoa(mostNodes(object)))
	unstructured.RemoveNestedField(object, "spec", "autoScaling")
	_ = unstructured.SetNestedField(object, int64(0), "spec", "replicas")
	for _, limit := range []string{"nodeDrainTimeout", "nodeVolumeDetachTimeout"} {
		if d, err := time.ParseDuration(textAt(object, "spec", limit)); err != nil || d == 0 {
			_ = unstructured.SetNestedField(object, drainTimeout, "spec", limit)
		}
	}
}

// validateTime returns a fault unless the text is a time; "" is none.
func validateTime(text string) error {
	if _, err := time.Parse(time.RFC3339, text); err != nil && text != "" {
		return &fault.Fault{
			Value: text, Problem: "is not a time", Remedy: "use one such as 2026-11-28T20:00:00Z, in quotes",
		}
	}
	return nil
}

// judgePause refuses to take the nodes of a cluster while something needs them to end, and an upgrade that cannot end
// without them. The paths of its faults are paths in Settings.
func (s *Settings) judgePause(live *Live, old, object map[string]any) error {
	const path = "nodesPausedSince"
	refuse := func(problem, remedy string, args ...any) error {
		return &fault.Fault{
			Path: path, Value: s.NodesPausedSince, Problem: fmt.Sprintf(problem, args...), Remedy: remedy,
		}
	}
	if s.NodesPausedSince == "" {
		return nil
	}
	if textAt(object, "kind") == crd.HostedCluster {
		if before, after := releaseIn(old), releaseIn(object); before != after {
			return refuse("conflicts with release %s: the upgrade from %s ends only with nodes, on which the cluster's operators run",
				"restore the release, or leave nodesPausedSince out (`hypershift-aws resume`) until the upgrade has ended", after, before)
		}
		return nil
	}
	name := textAt(object, "metadata", "name")
	if textAt(object, "kind") != crd.NodePool ||
		textAt(old, "metadata", "annotations", hypershift.PausedSinceAnnotation) != "" {
		return nil
	}
	if !live.Exists() {
		return nil
	}
	for _, of := range []map[string]any{live.HostedCluster, live.NodePools[name]} {
		if since := textAt(of, "metadata", "deletionTimestamp"); since != "" {
			return refuse("does not take the nodes of node pool %s: %s %s has been in deletion since %s, which takes them",
				"leave nodesPausedSince out", name, textAt(of, "kind"), textAt(of, "metadata", "name"), since)
		}
	}
	if image := releaseIn(live.HostedCluster); len(live.history()) > 0 && !live.completed(image) {
		return refuse("does not take the nodes of node pool %s: the control plane is rolling out release %s, which ends only with nodes",
			"wait until `hypershift-aws status` is ready", name, image)
	}
	conditions, _, _ := unstructured.NestedSlice(live.NodePools[name], "status", "conditions")
	for _, c := range conditions {
		switch textAt(c, "type") {
		case "UpdatingVersion", "UpdatingConfig", "UpdatingPlatformMachineTemplate":
			if textAt(c, "status") == "True" {
				return refuse("does not take the nodes of node pool %s while they are replaced or updated: %s is True: %s",
					"wait until `hypershift-aws status` is ready", name, textAt(c, "type"), textAt(c, "message"))
			}
		}
	}
	return nil
}

// mostNodes returns how many nodes a NodePool has; with autoscaling, the maximum.
func mostNodes(pool map[string]any) int {
	for _, path := range [][]string{{"spec", "autoScaling", "max"}, {"spec", "replicas"}} {
		switch count, _, _ := unstructured.NestedFieldNoCopy(pool, path...); n := count.(type) {
		case int64:
			return int(n)
		case float64:
			return int(n)
		}
	}
	return 0
}
