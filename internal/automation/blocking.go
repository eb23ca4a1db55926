package automation

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// WhatBlocks lists what a hosted cluster's operators have left in AWS, by the cluster's tag: a VPC cannot be deleted with
// it, and AWS does not say what it is. It is "" where there is nothing, or where AWS cannot be asked.
func (s *Stack) WhatBlocks(ctx context.Context) string {
	if err := s.currentState(ctx); err != nil {
		return ""
	}
	state := s.state
	var lines []string
	for _, r := range state.resources {
		if string(r.Type) != typeVPC {
			continue
		}
		account := s.awsAccount(state.provider(r.Provider))
		for _, token := range []string{awstype.LoadBalancer, awstype.Instance, awstype.VPCEndpoint, awstype.SecurityGroup} {
			found, err := account.Find(ctx, orphan.Query{Type: token, Inputs: map[string]any{"tags": clusterTag(r.Inputs)}})
			if err != nil {
				continue
			}
			for _, id := range orphan.IDs(found) {
				if !state.has(token, id) {
					lines = append(lines, fmt.Sprintf("  %s %s", TypeName(token), id))
				}
			}
		}
	}
	if lines == nil {
		return ""
	}
	return "the hosted cluster's operators have left this behind, and the network cannot go with it: delete it, and run destroy again\n" +
		strings.Join(lines, "\n")
}

// clusterTag is the tag by which everything of a cluster is found.
func clusterTag(inputs map[string]any) map[string]any {
	tags, _ := inputs["tags"].(map[string]any)
	for key, value := range tags {
		if strings.HasPrefix(key, "kubernetes.io/cluster/") {
			return map[string]any{key: value}
		}
	}
	return map[string]any{"kubernetes.io/cluster/": "unknown"}
}
