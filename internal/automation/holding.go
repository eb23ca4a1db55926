package automation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

// WhatHolds says why the stack's hosted cluster is not gone although it was deleted; "" where it is gone, was not deleted
// or cannot be asked.
func (s *Stack) WhatHolds(ctx context.Context) string {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return ""
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return ""
	}
	defer func() { _ = api.Close() }()
	var lines []string
	for _, of := range append([]string{""}, cluster.NodePools...) {
		kind, name := crd.NodePool, of
		if of == "" {
			kind, name = crd.HostedCluster, cluster.Name
		}
		object, err := api.Get(ctx, kind, cluster.Namespace, name)
		if err != nil {
			return errors.Join(errors.New("the management cluster cannot be asked what holds the hosted cluster"), err).Error()
		}
		lines = append(lines, holding(kind, name, object)...)
	}
	return strings.Join(lines, "\n")
}

// holding are sentences about what holds an object that is being deleted.
func holding(kind, name string, object map[string]any) []string {
	metadata, _ := object["metadata"].(map[string]any)
	since, deleted := metadata["deletionTimestamp"].(string)
	if !deleted {
		return nil
	}
	finalizers, _ := metadata["finalizers"].([]any)
	lines := []string{fmt.Sprintf("%s %s is being deleted since %s, held by %v", words(kind), name, since, finalizers)}
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
