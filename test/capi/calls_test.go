package capi

import (
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// expected are CAPA's calls that change something in a cluster's life, and why they are expected. Each is about a resource of CAPA's own.
var expected = map[string]string{
	"elasticloadbalancing:CreateLoadBalancer":           "the load balancer of the API server",
	"elasticloadbalancing:CreateTargetGroup":            "its targets, the control plane's machines",
	"elasticloadbalancing:CreateListener":               "its port 6443",
	"elasticloadbalancing:ModifyLoadBalancerAttributes": "cross-zone load balancing of its load balancer",
	"elasticloadbalancing:ModifyTargetGroupAttributes":  "its targets see no client's address",
	"elasticloadbalancing:SetSecurityGroups":            "the stack's group of the load balancer, for its load balancer",
	"elasticloadbalancing:DeleteListener":               "the Cluster is deleted",
	"ec2:CreateTags eni-*":                              "the interfaces of its machines",
	"elasticloadbalancing:RegisterTargets":              "a control plane's machine runs",
	"elasticloadbalancing:DeregisterTargets":            "it is deleted",
	"elasticloadbalancing:DeleteLoadBalancer":           "the Cluster is deleted",
	"elasticloadbalancing:DeleteTargetGroup":            "the Cluster is deleted",
	"secretsmanager:CreateSecret":                       "a machine's user data, which it reads at its first start",
	"secretsmanager:DeleteSecret":                       "the machine has read it, or is deleted",
	"ec2:RunInstances":                                  "a machine",
	"ec2:TerminateInstances":                            "the machine is deleted",
}

// reads are the beginnings of the names of actions that change nothing, and of requests without a known action that change nothing.
var reads = regexp.MustCompile(`:(Describe|Get|List)|^(GET|HEAD) `)

// writesOf returns the actions that change something, tags with the kind of what is tagged.
func writesOf(calls *moto.Calls) map[string]bool {
	writes := map[string]bool{}
	for _, call := range calls.Named() {
		if reads.MatchString(call) {
			continue
		}
		if action, _, _ := strings.Cut(call, " "); strings.Contains(action, ":") && action != "ec2:CreateTags" {
			call = action
		}
		writes[call] = true
	}
	return writes
}
