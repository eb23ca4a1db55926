package capi

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// expected are CAPA's calls that change something in a cluster's life, and why they are expected. Each is about a
// resource of CAPA's own.
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

// reads are the beginnings of the names of actions that change nothing, and of requests without a known action that
// change nothing.
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

// arnOf returns an ARN of what a call of CAPA's is about.
func arnOf(action string) string {
	service, _, _ := strings.Cut(action, ":")
	return map[string]string{
		"ec2":                  "arn:aws:ec2:us-east-1:123456789012:instance/i-1",
		"secretsmanager":       "arn:aws:secretsmanager:us-east-1:123456789012:secret:aws.cluster.x-k8s.io/1",
		"elasticloadbalancing": "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/demo-apiserver/1",
	}[service]
}

// The role that the stack makes for CAPA's controllers allows each call that CAPA was seen to make and that changes
// something, and to pass the roles of the machines to EC2; nothing else of the account may be passed.
func TestTheControllersPolicyAllowsTheCallsThatCAPAMade(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t, stacks.Run, enginetest.Options{})
	engine.Configure(strings.Replace(configOf(t, "capa-private", "demo", "us-east-1a"), "    topology:",
		"    iam: {controllers: true}\n    topology:", 1))
	engine.Up()
	var policies []policy.Document
	var machines []string
	for _, r := range engine.State() {
		name := r.URN.Name()
		switch {
		case string(r.Type) == awstype.RolePolicy && strings.HasPrefix(name, "capa-profiles-controllers"):
			var document policy.Document
			require.NoError(t, json.Unmarshal([]byte(r.Inputs["policy"].(string)), &document))
			policies = append(policies, document)
		case string(r.Type) == awstype.Role && strings.HasPrefix(name,
			"capa-profiles-") && !strings.HasPrefix(name, "capa-profiles-controllers"):
			machines = append(machines, r.Outputs["arn"].(string))
		}
	}
	require.NotEmpty(t, policies)
	require.Len(t, machines, 2)
	decide := func(action, arn string) policy.Decision {
		return policy.Evaluate(policy.Request{
			Action:   action,
			Resource: arn,
			Context:  map[string][]string{"iam:PassedToService": {"ec2.amazonaws.com"}},
		}, policies...)
	}
	for call, reason := range expected {
		action, _, _ := strings.Cut(call, " ")
		require.Equal(t, policy.Allowed, decide(action, arnOf(action)), "%s: %s", call, reason)
	}
	for _, role := range machines {
		require.Equal(t, policy.Allowed, decide("iam:PassRole", role), role)
	}
	require.NotEqual(t, policy.Allowed, decide("iam:PassRole", "arn:aws:iam::123456789012:role/Admin"))
	require.NotEqual(t, policy.Allowed, decide("secretsmanager:DeleteSecret",
		"arn:aws:secretsmanager:us-east-1:123456789012:secret:other"))
}
