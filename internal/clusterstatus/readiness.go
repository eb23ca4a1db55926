package clusterstatus

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/report"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// WaitOptions configure the wait for a hosted cluster.
type WaitOptions struct {
	// Stack is the cluster's stack, for messages.
	Stack string
	// Interval is the time between two reads of the cluster.
	Interval time.Duration
	Report   func(report.Event)
	// Interrupted ends the wait when it is closed.
	Interrupted <-chan struct{}
}

// Wait waits until a hosted cluster is available and its node pools have as many nodes as their replicas, and reports changes of their
// conditions. It ends with ctx or with an interrupt.
func Wait(ctx context.Context, api ManagementCluster, cluster *HostedCluster, options WaitOptions) error {
	w := &readiness{cluster: cluster, api: api, report: options.Report, said: map[string]string{}}
	for {
		waitsFor, err := w.look(ctx)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && len(waitsFor) == 0 {
			options.Report(&report.NoteEvent{Message: "hosted cluster " + cluster.Name + " is available, and its node pools have their nodes"})
			return nil
		}
		select {
		case <-ctx.Done():
			return &failure.Error{
				Reason:  failure.Failed,
				Problem: fmt.Sprintf("hosted cluster %s was not ready in time: %s", cluster.Name, strings.Join(waitsFor, "; ")),
				Remedy:  fmt.Sprintf("all created resources are in the state; run `hypershift-aws up -s %s --wait` again to continue waiting", options.Stack),
			}
		case <-options.Interrupted:
			return &failure.Error{Reason: failure.Interrupted, Problem: "no longer waiting: " + strings.Join(waitsFor, "; ")}
		case <-time.After(options.Interval):
		}
	}
}

// readiness reads a hosted cluster and remembers what it has reported.
type readiness struct {
	cluster *HostedCluster
	api     ManagementCluster
	report  func(report.Event)
	said    map[string]string
}

// look reports what has changed, and returns what is not ready yet.
func (w *readiness) look(ctx context.Context) ([]string, error) {
	var waitsFor []string
	object, err := w.get(ctx, crd.HostedCluster, w.cluster.Name)
	if err != nil {
		return nil, err
	}
	available := conditionOf(object, "Available")
	if available.status != "True" {
		waitsFor = append(waitsFor, "Available is "+available.text())
	}
	for _, name := range w.cluster.NodePools {
		pool, err := w.get(ctx, crd.NodePool, name)
		if err != nil {
			return nil, err
		}
		if has, wants := nodesOf(pool); has < wants {
			waitsFor = append(waitsFor, fmt.Sprintf("node pool %s has %d of %d nodes", name, has, wants))
			w.say("node pool "+name, fmt.Sprintf("node pool %s has %d of %d nodes", name, has, wants))
		}
	}
	return waitsFor, nil
}

// get reads an object and reports its conditions that changed.
func (w *readiness) get(ctx context.Context, kind, name string) (map[string]any, error) {
	object, err := w.api.Get(ctx, kind, w.cluster.Namespace, name)
	if err != nil {
		return nil, err
	}
	if object == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("%s %s/%s is in the state, but not in the management cluster", kind, w.cluster.Namespace, name),
			Remedy:  "run `hypershift-aws refresh`, and check whether the config selects the right cluster",
		}
	}
	for _, c := range conditionsOf(object) {
		w.say(kind+" "+name+" "+c.name, fmt.Sprintf("%s %s: %s is %s", report.Words(kind), name, c.name, c.text()))
	}
	return object, nil
}

// say reports a sentence about a subject unless it is the last one reported about it.
func (w *readiness) say(about, sentence string) {
	if w.said[about] != sentence {
		w.said[about] = sentence
		w.report(&report.NoteEvent{Message: sentence})
	}
}

// nodesOf returns how many nodes a pool has, and its replicas (with autoscaling, the minimum).
func nodesOf(pool map[string]any) (has, wants int) {
	if scaling, ok, _ := unstructured.NestedFieldNoCopy(pool, "spec", "autoScaling"); ok && scaling != nil {
		return numberAt(pool, "status", "replicas"), numberAt(pool, "spec", "autoScaling", "min")
	}
	return numberAt(pool, "status", "replicas"), numberAt(pool, "spec", "replicas")
}

// numberAt returns the number at a path of an object, which may have been read from JSON or not; 0 if there is none.
func numberAt(object map[string]any, path ...string) int {
	value, _, _ := unstructured.NestedFieldNoCopy(object, path...)
	switch n := value.(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}

// objectCondition is a condition of an object's status.
type objectCondition struct{ name, status, reason, message string }

// text returns the condition's status with reason and message.
func (c objectCondition) text() string {
	if c.status == "" {
		return "unknown"
	}
	text := c.status
	if c.reason != "" && c.reason != "AsExpected" {
		text += " (" + c.reason + ")"
	}
	if c.message != "" && c.message != "All is well" {
		text += ": " + c.message
	}
	return text
}

func conditionsOf(object map[string]any) []objectCondition {
	list, _, _ := unstructured.NestedFieldNoCopy(object, "status", "conditions")
	items, _ := list.([]any)
	var conditions []objectCondition
	for _, item := range items {
		of, _ := item.(map[string]any)
		conditions = append(conditions, objectCondition{textAt(of, "type"), textAt(of, "status"), textAt(of, "reason"), textAt(of, "message")})
	}
	return conditions
}

func conditionOf(object map[string]any, name string) objectCondition {
	for _, c := range conditionsOf(object) {
		if c.name == name {
			return c
		}
	}
	return objectCondition{name: name}
}
