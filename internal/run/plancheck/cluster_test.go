package plancheck

import (
	"context"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/heldfields"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// olderCluster is a management cluster whose HyperShift lacks a field of HostedClusters.
type olderCluster struct{ workspace.Cluster }

func (olderCluster) Close() error { return nil }

func (olderCluster) Schemas(context.Context) (map[string]map[string]any, error) {
	spec := map[string]any{"type": "object", "properties": map[string]any{"infraID": map[string]any{"type": "string"}}}
	return map[string]map[string]any{"NodePool": nil, "HostedCluster": {"type": "object", "properties": map[string]any{"spec": spec}}}, nil
}

// onlyCluster is an environment with one management cluster.
type onlyCluster struct {
	workspace.Environment
	cluster workspace.Cluster
}

func (e onlyCluster) OpenCluster(config.Kubeconfig) (workspace.Cluster, error) {
	return e.cluster, nil
}

func (onlyCluster) Select(config.Kubeconfig) (*kubeconfig.Selected, error) { return nil, nil }

// checker returns the checks of a stack's plans.
func checker(s *workspace.Stack) *Checker {
	connection := &binding.Connection{Stack: s}
	return &Checker{Stack: s, Connection: connection, Held: &heldfields.Held{Stack: s, Connection: connection}}
}

// TestAFieldThatAnOlderHyperShiftLacksIsRefusedBeforeThePreviewOfAnUpdate: the engine's preview would fail there, with the API server's words. The
// gate is asked before the engine starts, with what the file applies to an object that exists.
func TestAFieldThatAnOlderHyperShiftLacksIsRefusedBeforeThePreviewOfAnUpdate(t *testing.T) {
	t.Parallel()
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    oidc: {bucketName: demo-oidc}
    hostedCluster:
      kubeconfig: {context: management}
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: {env: PULL_SECRET}
`))
	require.NoError(t, err)
	object := map[string]any{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster", "metadata": map[string]any{"name": "demo", "namespace": "clusters"},
		"spec": map[string]any{"infraID": "demo-x1", "autoNode": map[string]any{}},
	}
	s := &workspace.Stack{Name: "dev", File: file, StateRead: true, Session: &workspace.Session{Environment: onlyCluster{cluster: olderCluster{}}}}
	s.State = &state.Deployment{Resources: []*state.Resource{{ResourceV3: apitype.ResourceV3{
		URN: resource.URN("urn:pulumi:dev::hypershift-aws::kubernetes:hypershift.openshift.io/v1beta1:HostedCluster::demo"), Custom: true, ID: "clusters/demo",
		Type: "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", Inputs: object,
	}}}}
	require.ErrorContains(t, checker(s).CheckManagementCluster(t.Context()),
		"the HyperShift version of the management cluster does not support spec.autoNode of a HostedCluster\n  upgrade HyperShift there, or remove cluster.hostedCluster.autoNode")
}

// nodesCluster is a management cluster with one worker, in us-east-1a.
type nodesCluster struct{ workspace.Cluster }

func (nodesCluster) Close() error { return nil }

func (nodesCluster) Address() string { return "https://api.example.com" }

func (nodesCluster) ClusterUID(context.Context) (string, error) { return "", nil }

func (nodesCluster) Kinds(context.Context, string) ([]string, error) { return nil, nil }

func (nodesCluster) Get(context.Context, string, string, string) (map[string]any, error) {
	return nil, nil
}

func (nodesCluster) List(context.Context, string, string) ([]map[string]any, error) {
	return []map[string]any{{
		"metadata": map[string]any{"name": "one", "labels": map[string]any{"topology.kubernetes.io/zone": "us-east-1a"}},
		"spec":     map[string]any{"providerID": "aws:///us-east-1a/i-0123"},
	}}, nil
}

// noAccounts are the accounts of an engine that is not started.
type noAccounts struct{ workspace.Accounts }

// nodesAccount is the account of that worker's instance, in a VPC with a subnet in us-east-1a.
type nodesAccount struct{ account.Account }

func (a nodesAccount) Snapshot() account.Account { return a }

func (nodesAccount) Zones(context.Context) ([]account.Zone, error) {
	return []account.Zone{{Name: "us-east-1a", ID: "use1-az6", OptedIn: true}, {Name: "us-east-1b", ID: "use1-az1", OptedIn: true}}, nil
}

func (nodesAccount) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	id := map[string]string{awstype.Instance: "i-0123", awstype.Subnet: "subnet-1"}[q.Type]
	return []inventory.Resource{{Type: q.Type, ID: id, Properties: map[string]any{"vpcId": "vpc-1", "availabilityZone": "us-east-1a"}}}, nil
}

// TestPreflightOfAManagementStackComparesTheZonesOfItsCluster: that of a hosted cluster's stack does not, and neither does one without a kubeconfig.
func TestPreflightOfAManagementStackComparesTheZonesOfItsCluster(t *testing.T) {
	t.Parallel()
	const management = "  hypershift-aws:kind: management\n  hypershift-aws:management:\n    oidcBucket: {name: demo-oidc}\n" +
		"    operator: {issuerURL: 'https://issuer.example.com/management'}\n"
	own := inventory.Place{Account: "123456789012", Region: "us-east-1"}
	for name, test := range map[string]struct {
		section string
		want    []string
	}{
		"management":           {management + "    kubeconfig: {context: management}\n", []string{"us-east-1b (use1-az1)"}},
		"without a kubeconfig": {section: management},
		"cluster": {section: "  hypershift-aws:kind: cluster\n  hypershift-aws:cluster:\n    name: demo\n    infraID: demo-x1\n    baseDomain: example.com\n" +
			"    oidc: {bucketName: demo-oidc}\n    hostedCluster:\n      kubeconfig: {context: management}\n" +
			"      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64\n      pullSecret: {env: PULL_SECRET}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte("config:\n  aws:region: us-east-1\n"+test.section))
			require.NoError(t, err)
			s := &workspace.Stack{Name: "dev", File: file, StateRead: true, State: &state.Deployment{}, Providers: &workspace.Providers{Opened: noAccounts{}},
				Session: &workspace.Session{Environment: onlyCluster{cluster: nodesCluster{}}}}
			var zones []string
			for _, f := range checker(s).clusterFindings(t.Context(), &changes.Plan{}, own, preflight.Accounts{own: nodesAccount{}}) {
				if f.Check == preflight.ManagementZones {
					require.Equal(t, finding.Warning, f.Severity)
					zones = append(zones, f.Subject)
				}
			}
			require.Equal(t, test.want, zones)
		})
	}
}
