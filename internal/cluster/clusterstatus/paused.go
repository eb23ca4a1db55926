package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// pausedPool is a NodePool whose nodes are paused, with the machines that it still has, in words.
type pausedPool struct {
	has      int64
	machines []string
}

// PausedSince returns since when a NodePool's nodes are paused, "" if they are not.
func PausedSince(pool map[string]any) string {
	return textAt(pool, "metadata", "annotations", hypershift.PausedSinceAnnotation)
}

// pause adds a NodePool to those that are paused, and returns the words about it; "" if it is not paused.
func (s *Reading) pause(name string, pool map[string]any) string {
	since := PausedSince(pool)
	if since == "" {
		return ""
	}
	if s.paused == nil {
		s.paused = map[string]*pausedPool{}
	}
	has, _ := countNodes(pool)
	s.paused[name] = &pausedPool{has: has}
	otherwise, _ := strconv.ParseInt(textAt(pool, "metadata", "annotations", hypershift.PausedNodesAnnotation), 10, 64)
	s.PausedSince, s.NodesPaused = since, s.NodesPaused+otherwise
	return fmt.Sprintf(", paused since %s (otherwise %d)", since, otherwise)
}

// pausedMachine adds a machine to those that a paused pool still has.
func (s *Reading) pausedMachine(object map[string]any) {
	_, name, _ := strings.Cut(textAt(object, "metadata", "annotations", poolAnnotation), "/")
	pool := s.paused[name]
	if pool == nil {
		return
	}
	text := textAt(object, "metadata", "name")
	if since := textAt(object, "metadata", "deletionTimestamp"); since != "" {
		text += " in deletion since " + since
	}
	if c := findCondition(readConditions(object), "DrainingSucceeded"); c != nil && c.Status == conditionFalse {
		text += ", " + c.Message
	}
	pool.machines = append(pool.machines, text)
}

// judgePaused finds the paused pools whose nodes have not ended yet.
func (s *Reading) judgePaused() {
	for i := range s.Objects {
		o := &s.Objects[i]
		pool := s.paused[o.Name]
		if o.Kind != crd.NodePool || pool == nil || pool.has == 0 && len(pool.machines) == 0 {
			continue
		}
		s.find(finding.Finding{
			Severity: finding.Warning, Subject: fmt.Sprintf("%s %s/%s", o.Kind, o.Namespace, o.Name),
			Problem: report.Sentence("is paused, and still has %s: %s",
				report.Number(max(int(pool.has), len(pool.machines)), "node"),
				strings.Join(pool.machines, "; ")),
		})
	}
}

// machinesLeft returns how many machines a paused NodePool still has, 0 for one that is not paused. A caller who may
// not read machines sees only the nodes that the pool reports.
func (w *readiness) machinesLeft(ctx context.Context, pool map[string]any) (int, error) {
	if PausedSince(pool) == "" {
		return 0, nil
	}
	has, _ := countNodes(pool)
	machines, err := w.api.List(ctx, machine, crd.ControlPlaneNamespace(w.cluster.Namespace, w.cluster.Name))
	if err != nil && !apierrors.IsForbidden(err) {
		return 0, err
	}
	of := w.cluster.Namespace + "/" + textAt(pool, "metadata", "name")
	machines = slices.DeleteFunc(machines, func(m map[string]any) bool {
		return textAt(m, "metadata", "annotations", poolAnnotation) != of
	})
	return max(int(has), len(machines)), nil
}
