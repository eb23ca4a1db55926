package clusterstatus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// ClusterBlockers returns why a hosted cluster is not gone although its deletion was requested; "" if it is gone or was not deleted.
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
		lines = append(lines, blockersOf(kind, name, object)...)
	}
	return strings.Join(lines, "\n")
}

// blockersOf returns sentences that say what blocks the deletion of an object.
func blockersOf(kind, name string, object map[string]any) []string {
	metadata, _ := object["metadata"].(map[string]any)
	since, deleted := metadata["deletionTimestamp"].(string)
	if !deleted {
		return nil
	}
	finalizers, _ := metadata["finalizers"].([]any)
	lines := []string{fmt.Sprintf("%s %s has been in deletion since %s, blocked by finalizers %v", report.Words(kind), name, since, finalizers)}
	for _, c := range conditionsOf(object) {
		healthy := "True"
		if c.name == "Degraded" || c.name == "Progressing" {
			healthy = "False"
		}
		if c.status != healthy && c.status != "" {
			lines = append(lines, fmt.Sprintf("  %s is %s", c.name, c.text()))
		}
	}
	return lines
}
