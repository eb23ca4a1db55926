package clusterstatus

import (
	"context"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// ClusterBlockers returns what blocks the requested deletion of a hosted cluster; "" if the cluster is deleted, or if
// its deletion was not requested.
func ClusterBlockers(ctx context.Context, api ManagementCluster, cluster *HostedCluster) string {
	var lines []string
	for _, of := range append([]string{""}, cluster.NodePools...) {
		kind, name := crd.NodePool, of
		if of == "" {
			kind, name = crd.HostedCluster, cluster.Name
		}
		object, err := api.Get(ctx, kind, cluster.Namespace, name)
		if err != nil {
			return errors.Join(errors.New("reading from the management cluster what blocks the deletion of the hosted cluster"), err).Error()
		}
		lines = append(lines, listBlockers(kind, name, object)...)
	}
	return strings.Join(lines, "\n")
}

// listBlockers returns sentences that describe what blocks the deletion of an object.
func listBlockers(kind, name string, object map[string]any) []string {
	since := textAt(object, "metadata", "deletionTimestamp")
	if since == "" {
		return nil
	}
	finalizers, _, _ := unstructured.NestedStringSlice(object, "metadata", "finalizers")
	lines := []string{report.Sentence("%s %s has been in deletion since %s, blocked by finalizers %v", report.Words(kind),
		name, since, finalizers)}
	for _, c := range readConditions(object) {
		healthy := conditionTrue
		if c.Type == "Degraded" || c.Type == "Progressing" {
			healthy = conditionFalse
		}
		if c.Status != healthy && c.Status != "" {
			lines = append(lines, report.Sentence("  %s is %s", c.Type, conditionText(&c)))
		}
	}
	return lines
}
