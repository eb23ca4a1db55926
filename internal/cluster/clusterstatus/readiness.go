package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// WaitOptions configure the wait for a hosted cluster.
type WaitOptions struct {
	// Open opens the management cluster, which the caller closes.
	Open func(context.Context) (ManagementCluster, error)
	// Stack is the cluster's stack, for messages.
	Stack string
	// Interval is the time between two reads of the cluster, and Within bounds the time of one.
	Interval time.Duration
	Within   func(context.Context) (context.Context, context.CancelFunc)
	Report   func(report.Event)
	// Staged also waits until the cluster is ready for the next stage of a change: see hostedcluster.Live.
	Staged bool
	// Interrupted ends the wait when it is closed.
	Interrupted <-chan struct{}
}

// Wait waits until a hosted cluster is available and its node pools have as many nodes as their replicas. It reports
// the conditions that are not expected, and then each change. It ends with ctx or with an interrupt.
func Wait(ctx context.Context, cluster *HostedCluster, options WaitOptions) error {
	w := newReadiness(cluster, nil, options.Report)
	waitsFor := []string{"it was not read"}
	waiting := Waiting{
		Interval: options.Interval, Within: options.Within, Interrupted: options.Interrupted,
		Say: func(sentence string) { options.Report(&event.Note{Message: sentence}) },
		Stopped: func() error {
			return &failure.Error{Reason: failure.Interrupted, Problem: "stopped waiting for: " + strings.Join(waitsFor, "; ")}
		},
		Late: func() error {
			return &failure.Error{
				Reason:  failure.Failed,
				Problem: fmt.Sprintf("hosted cluster %s was not ready in time: %s", cluster.Name, strings.Join(waitsFor, "; ")),
				Remedy:  fmt.Sprintf("all created resources are in the state; run `hypershift-aws up -s %s --wait` again to continue waiting", options.Stack),
			}
		},
	}
	if err := waiting.Until(ctx, func(ctx context.Context) (bool, error) {
		api, err := options.Open(ctx)
		if err != nil {
			return false, err
		}
		defer func() { _ = api.Close() }()
		w.api = api
		found, err := w.lookStaged(ctx, options.Staged)
		if err == nil {
			waitsFor = found
		}
		return len(waitsFor) == 0, err
	}); err != nil {
		return err
	}
	nodes := "its node pools have all nodes"
	if w.paused {
		nodes = "the nodes of the stack are paused"
	}
	options.Report(&event.Note{Message: "hosted cluster " + cluster.Name + " is available, and " + nodes})
	return nil
}

// lookStaged is look and, with staged, adds what the next stage of a change waits for.
func (w *readiness) lookStaged(ctx context.Context, staged bool) ([]string, error) {
	waitsFor, err := w.look(ctx)
	if err != nil || !staged {
		return waitsFor, err
	}
	live, err := ReadLive(ctx, w.api, w.cluster.Namespace, w.cluster.Name)
	if err != nil {
		return nil, err
	}
	if pending := live.Pending(); pending != "" {
		waitsFor = append(waitsFor, pending)
		w.say("stage", pending)
	}
	return waitsFor, nil
}

// readiness reads a hosted cluster, and remembers what it has reported.
type readiness struct {
	cluster *HostedCluster
	api     ManagementCluster
	report  func(report.Event)
	// read has the objects that were read before, by kind and name. A condition that is as expected at the first look
	// isn't reported.
	read map[string]bool
	said map[string]string
	// uids are the UIDs of the objects, by kind and name.
	uids map[string]string
	// paused is true if a node pool is paused.
	paused bool
}

func newReadiness(cluster *HostedCluster, api ManagementCluster, tell func(report.Event)) *readiness {
	return &readiness{
		cluster: cluster, api: api, report: tell, read: map[string]bool{}, said: map[string]string{},
		uids: map[string]string{crd.HostedCluster + " " + cluster.Name: cluster.UID},
	}
}

// look reports what has changed, and returns what is not ready yet: what Reading.Judge finds in the same objects.
func (w *readiness) look(ctx context.Context) ([]string, error) {
	var s Reading
	var waitsFor []string
	object, err := w.get(ctx, crd.HostedCluster, w.cluster.Name)
	if err != nil {
		return nil, err
	}
	s.add(object)
	for _, name := range w.cluster.NodePools {
		pool, err := w.get(ctx, crd.NodePool, name)
		if err != nil {
			return nil, err
		}
		s.add(pool)
		w.paused = w.paused || PausedSince(pool) != ""
		left, err := w.machinesLeft(ctx, pool)
		if err != nil {
			return nil, err
		}
		has, wants := countNodes(pool)
		if left > 0 {
			waitsFor = append(waitsFor, report.Sentence("node pool %s is paused, and still has %s", name,
				report.Number(left, "node")))
			w.say("node pool "+name, waitsFor[len(waitsFor)-1])
		}
		if has < wants {
			waitsFor = append(waitsFor, report.Sentence("node pool %s has %d of %d nodes", name, has, wants))
			w.say("node pool "+name, report.Sentence("node pool %s has %d of %d nodes", name, has, wants))
		}
	}
	for _, behind := range s.behind {
		waitsFor = append(waitsFor, behind.kind+" "+behind.name+" "+behind.problem)
		w.say("generation of "+behind.kind+" "+behind.name, waitsFor[len(waitsFor)-1])
	}
	unmet := s.expect()
	for i := range s.Objects {
		o := &s.Objects[i]
		for _, c := range unmet[o] {
			waitsFor = append(waitsFor, strings.TrimPrefix(w.sentence(*o, c), report.Words(crd.HostedCluster)+" "+o.Name+": "))
		}
		w.tell(*o)
	}
	return waitsFor, nil
}

func (w *readiness) sentence(o status.Object, c status.Condition) string {
	return report.Sentence("%s %s: %s is %s", report.Words(o.Kind), o.Name, c.Type, conditionText(&c))
}

// tell reports the conditions of an object that changed.
func (w *readiness) tell(o status.Object) {
	about := o.Kind + " " + o.Name
	for _, c := range o.Conditions {
		if c.Status == "" {
			continue // HyperShift has not reported it yet
		}
		sentence := w.sentence(o, c)
		if !w.read[about] && c.Expected {
			w.said[about+" "+c.Type] = sentence
		}
		w.say(about+" "+c.Type, sentence)
	}
	w.read[about] = true
}

// get reads an object, which must exist, stay the same one, and not be in deletion: what another one or a former one
// reports is not what is waited for.
func (w *readiness) get(ctx context.Context, kind, name string) (map[string]any, error) {
	object, err := w.api.Get(ctx, kind, w.cluster.Namespace, name)
	if err != nil {
		return nil, err
	}
	of, problem := kind+" "+name, ""
	uid, since := textAt(object, "metadata", "uid"), textAt(object, "metadata", "deletionTimestamp")
	if w.uids[of] == "" {
		w.uids[of] = uid
	}
	switch {
	case object == nil:
		problem = "is in the state, but not in the management cluster"
	case uid != w.uids[of]:
		problem = fmt.Sprintf("was deleted and created again by others: its UID was %s, and is %s", w.uids[of], uid)
	case since != "":
		problem = "has been in deletion since " + since
	default:
		return object, nil
	}
	return nil, &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("%s %s/%s %s", kind, w.cluster.Namespace, name, problem),
		Remedy:  "run `hypershift-aws refresh`, and check whether the config selects the right cluster",
	}
}

// say reports a sentence about a subject unless it is the last one reported about it.
func (w *readiness) say(about, sentence string) {
	if w.said[about] != sentence {
		w.said[about] = sentence
		w.report(&event.Note{Message: sentence})
	}
}

// countNodes returns how many nodes a pool has, and its replicas (with autoscaling, the minimum).
func countNodes(pool map[string]any) (has, wants int64) {
	has, _, _ = unstructured.NestedInt64(pool, "status", "replicas")
	wants, scaled, _ := unstructured.NestedInt64(pool, "spec", "autoScaling", "min")
	if !scaled {
		wants, _, _ = unstructured.NestedInt64(pool, "spec", "replicas")
	}
	return has, wants
}

// readConditions returns the conditions of an object's status, none if it has no valid ones.
func readConditions(object map[string]any) []status.Condition {
	var of struct {
		Status struct {
			Conditions []status.Condition `json:"conditions"`
		} `json:"status"`
	}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(object, &of) != nil {
		return nil
	}
	return of.Status.Conditions
}

// behindOf returns what is wrong with a status that is not that of the object's current generation, "" for one that is,
// or that does not say which it is of: right after a change, the conditions are those from before it. An operator that
// reports anything reports the generation with it, so the latest one counts: some conditions are reported once. A
// deletion makes a generation of its own.
func behindOf(object map[string]any) string {
	var of struct {
		Metadata struct {
			Generation        int64   `json:"generation"`
			DeletionTimestamp *string `json:"deletionTimestamp"`
		} `json:"metadata"`
		Status struct {
			ObservedGeneration int64 `json:"observedGeneration"`
			Conditions         []struct {
				ObservedGeneration int64 `json:"observedGeneration"`
			} `json:"conditions"`
		} `json:"status"`
	}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(object, &of) != nil || of.Metadata.DeletionTimestamp != nil {
		return ""
	}
	latest := of.Status.ObservedGeneration
	for _, c := range of.Status.Conditions {
		latest = max(latest, c.ObservedGeneration)
	}
	if latest == 0 || latest >= of.Metadata.Generation {
		return ""
	}
	return fmt.Sprintf("has a status from before its last change: its operator has seen generation %d, and %d is current",
		latest, of.Metadata.Generation)
}

// findCondition returns the condition of a type, nil if there is none.
func findCondition(conditions []status.Condition, of string) *status.Condition {
	if i := slices.IndexFunc(conditions, func(c status.Condition) bool { return c.Type == of }); i >= 0 {
		return &conditions[i]
	}
	return nil
}

// The statuses of conditions that are known.
const (
	conditionTrue  = string(metav1.ConditionTrue)
	conditionFalse = string(metav1.ConditionFalse)
)

// conditionText returns a condition's status with reason and message; "unknown" for nil.
func conditionText(c *status.Condition) string {
	if c == nil || c.Status == "" {
		return "unknown"
	}
	text := c.Status
	if c.Reason != "" && c.Reason != "AsExpected" {
		text += " (" + c.Reason + ")"
	}
	if c.Message != "" && c.Message != "All is well" {
		text += ": " + c.Message
	}
	return text
}
