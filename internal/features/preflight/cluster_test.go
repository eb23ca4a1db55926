package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// fakeCluster is a management cluster with these kinds, as "group/version Kind", and deployments, by "namespace/name"
// with their replicas.
type fakeCluster struct {
	kinds       []string
	deployments map[string]int64
	err         error
	nodes       []map[string]any
	nodesErr    error
}

var _ Cluster = fakeCluster{}

func (c fakeCluster) Get(_ context.Context, _, namespace, name string) (map[string]any, error) {
	replicas, known := c.deployments[namespace+"/"+name]
	if !known {
		return nil, c.err
	}
	return map[string]any{"status": map[string]any{"availableReplicas": replicas}}, c.err
}

func (c fakeCluster) List(_ context.Context, kind, _ string) ([]map[string]any, error) {
	if kind != "Node" {
		return nil, c.err
	}
	return c.nodes, c.nodesErr
}

func (c fakeCluster) Kinds(_ context.Context, apiVersion string) ([]string, error) {
	var kinds []string
	for _, kind := range []string{"HostedCluster", "NodePool"} {
		if slices.Contains(c.kinds, apiVersion+" "+kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, c.err
}

func TestTheManagementClusterIsChecked(t *testing.T) {
	t.Parallel()
	const api = "hypershift.openshift.io/v1beta1"
	both := []string{api + " HostedCluster", api + " NodePool"}
	runs := map[string]int64{"hypershift/operator": 1}
	well := func(context.Context) error { return nil }
	for name, test := range map[string]struct {
		cluster          fakeCluster
		fields, identity func(context.Context) error
		want             string
	}{
		"as required": {fakeCluster{kinds: both, deployments: runs}, well, well,
			"passes HyperShift's operator: the deployment hypershift/operator is available"},
		"no answer": {fakeCluster{err: errors.New("dial tcp: connection refused")}, well, well,
			"fails API server: it does not answer: dial tcp: connection refused; check the kubeconfig, the network and the credentials in it"},
		"a missing kind": {fakeCluster{kinds: both[:1], deployments: runs}, well, well,
			"fails custom resource definitions: it has no NodePool of " + api +
				"; install or upgrade the operators there, or correct the kubeconfig"},
		"a missing field": {fakeCluster{kinds: both, deployments: runs}, func(context.Context) error {
			return &failure.Error{
				Problem: "its HostedCluster has no field spec.autoNode",
				Remedy:  "upgrade HyperShift's operator",
			}
		}, well, "fails fields of the objects: its HostedCluster has no field spec.autoNode; upgrade HyperShift's operator"},
		"another cluster": {fakeCluster{kinds: both, deployments: runs}, well, func(context.Context) error {
			return &failure.Error{
				Problem: "the HostedCluster clusters/demo there has infra ID other",
				Remedy:  "use its kubeconfig",
			}
		}, "fails identity: the HostedCluster clusters/demo there has infra ID other; use its kubeconfig"},
		"no operator": {fakeCluster{kinds: both}, well, well,
			"warns HyperShift's operator: the cluster has no deployment hypershift/operator; " +
				"install it (or ignore this if it runs under another name); without it nothing reconciles the objects"},
		"an operator that does not run": {fakeCluster{kinds: both, deployments: map[string]int64{"hypershift/operator": 0}},
			well, well,
			"warns HyperShift's operator: the deployment hypershift/operator has no available replica; see why its pods do not run: without it the objects stay as they are"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var objects []apitype.ResourceV3
			for _, kind := range []string{"HostedCluster", "NodePool", "NodePool"} {
				objects = append(objects, apitype.ResourceV3{Inputs: map[string]any{"apiVersion": api, "kind": kind}})
			}
			objects = append(objects, apitype.ResourceV3{Inputs: map[string]any{"apiVersion": "v1", "kind": "Secret"}})
			findings := CheckCluster(t.Context(), test.cluster, ClusterPlan{
				Operators: []clusterstatus.Deployment{{
					Namespace: "hypershift",
					Name:      "operator",
					Operator:  "HyperShift's operator",
				}}, Resources: objects,
				CheckFields: test.fields, CheckIdentity: test.identity})
			var lines []string
			for _, f := range findings {
				require.Equal(t, ManagementCluster, f.Check)
				lines = append(lines, fmt.Sprintf("%s %s", f.Severity.Verdict(), f.String()))
			}
			require.Contains(t, lines, test.want)
		})
	}
}

func TestEachOperatorIsExpected(t *testing.T) {
	t.Parallel()
	findings := CheckCluster(t.Context(), fakeCluster{deployments: map[string]int64{"one/first": 1}}, ClusterPlan{
		Operators: []clusterstatus.Deployment{
			{Namespace: "one", Name: "first", Operator: "the first"}, {Namespace: "two", Name: "second", Operator: "the second"},
		}, CheckIdentity: func(context.Context) error { return nil },
	})
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s", f.Severity.Verdict(), f.Subject))
	}
	require.Equal(t, []string{"passes API server", "passes custom resource definitions", "passes the first",
		"warns the second"}, lines)
}
