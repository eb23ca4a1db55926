package preflight

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// onlyCluster is an environment with one management cluster.
type onlyCluster struct {
	workspace.Environment
	cluster workspace.Cluster
}

func (e onlyCluster) OpenCluster(config.Kubeconfig) (workspace.Cluster, error) {
	return e.cluster, nil
}

func (onlyCluster) Select(config.Kubeconfig) (*kubeconfig.Selected, error) { return nil, nil }

// checks returns the checks of a stack's plans.
func checks(s *workspace.Stack) *Checker {
	return &Checker{Checker: &plancheck.Checker{Stack: s, Connection: &binding.Connection{Stack: s}}}
}

// nodesCluster is a management cluster with one worker, in us-east-1a.
type nodesCluster struct{ workspace.Cluster }

func (nodesCluster) Close() error { return nil }

func (nodesCluster) Address() string { return "https://api.example.com" }

func (nodesCluster) ClusterUID(context.Context) (string, error) { return "", nil }

func (nodesCluster) Allowed(context.Context, clusterstatus.Permission) (bool, error) {
	return true, nil
}

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
	return []account.Zone{{
		Name:    "us-east-1a",
		ID:      "use1-az6",
		OptedIn: true,
	}, {Name: "us-east-1b", ID: "use1-az1", OptedIn: true}}, nil
}

func (nodesAccount) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	id := map[string]string{awstype.Instance: "i-0123", awstype.Subnet: "subnet-1"}[q.Type]
	return []inventory.Resource{{
		Type:       q.Type,
		ID:         id,
		Properties: map[string]any{"vpcId": "vpc-1", "availabilityZone": "us-east-1a"},
	}}, nil
}

// The config of a management stack, without a management cluster and with one.
const (
	managementWithout = "  hypershift-aws:kind: management\n  hypershift-aws:management:\n    oidcBucket: {name: demo-oidc}\n" +
		"    operator: {issuerURL: 'https://issuer.example.com/management'}\n"
	managementSection = managementWithout + "    kubeconfig: {context: management}\n"
)

// TestPreflightOfAManagementStackComparesTheZonesOfItsCluster: that of a hosted cluster's stack does not, and neither
// does one without a kubeconfig.
func TestPreflightOfAManagementStackComparesTheZonesOfItsCluster(t *testing.T) {
	t.Parallel()
	own := inventory.Place{Account: "123456789012", Region: "us-east-1"}
	for name, test := range map[string]struct {
		section string
		want    []string
	}{
		"management":           {managementSection, []string{"us-east-1b (use1-az1)"}},
		"without a kubeconfig": {section: managementWithout},
		"cluster": {section: "  hypershift-aws:kind: cluster\n  hypershift-aws:cluster:\n    name: demo\n    infraID: demo-x1\n    baseDomain: example.com\n" +
			"    oidc: {bucketName: demo-oidc}\n    hostedCluster:\n      kubeconfig: {context: management}\n" +
			"      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64\n      pullSecret: {env: PULL_SECRET}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev",
				[]byte("config:\n  aws:region: us-east-1\n"+test.section))
			require.NoError(t, err)
			s := &workspace.Stack{Name: "dev", File: file, StateRead: true, State: &state.Deployment{}, Providers: &workspace.Providers{Opened: noAccounts{}},
				Session: &workspace.Session{Environment: onlyCluster{cluster: nodesCluster{}}}}
			var zones []string
			for _, f := range checks(s).clusterFindings(t.Context(), &changes.Plan{}, own, Accounts{own: nodesAccount{}}) {
				if f.Check == ManagementZones {
					require.Equal(t, finding.Warning, f.Severity)
					zones = append(zones, f.Subject)
				}
			}
			require.Equal(t, test.want, zones)
		})
	}
}

// TestPreflightAsksNoManagementClusterThatDidNotAnswerInTime: it says so once, and does not wait for the cluster again.
func TestPreflightAsksNoManagementClusterThatDidNotAnswerInTime(t *testing.T) {
	t.Parallel()
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev",
		[]byte("config:\n  aws:region: us-east-1\n"+managementSection))
	require.NoError(t, err)
	c := checks(&workspace.Stack{Name: "dev", File: file, Session: &workspace.Session{Environment: onlyCluster{}}})
	c.Connection.Silent = errors.New("context deadline exceeded")
	found := c.clusterFindings(t.Context(), &changes.Plan{}, inventory.Place{}, nil)
	require.Len(t, found, 1)
	require.Contains(t, found[0].String(), "context deadline exceeded")
}
