package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

const acrossAccounts = `config:
  aws:region: eu-west-1
  aws:profile: clusters
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    oidc: {bucketName: demo-oidc}
    accounts:
      management: {profile: management, region: us-east-1}
      vpcOwner: {assumeRole: {roleArn: "arn:aws:iam::210987654321:role/network"}}
    network:
      shared: {}
`

func TestAStacksSweepCoversItsOwnTheManagementAndTheVPCOwnersAccount(t *testing.T) {
	t.Parallel()
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(acrossAccounts))
	require.NoError(t, err)
	var asked []map[string]any
	scope := Scope{InfraID: "demo-x1", Journals: t.TempDir(), Pause: withoutWaiting, Project: fakeProject{asked: &asked, account: newFake()}}
	require.NoError(t, scope.AddStack(t.Context(), "dev", file))
	require.Len(t, scope.Accounts, 3)
	require.Equal(t, []map[string]any{
		{"region": "eu-west-1", "profile": "clusters"},
		{"region": "us-east-1", "profile": "management"},
		{"region": "eu-west-1", "assumeRole": map[string]any{"roleArn": "arn:aws:iam::210987654321:role/network"}},
	}, asked)
}

func TestAProviderThatCannotBeUsedDoesNotPreventTheSweepOfTheOthers(t *testing.T) {
	t.Parallel()
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(acrossAccounts))
	require.NoError(t, err)
	scope := Scope{InfraID: "demo-x1", Journals: t.TempDir(), Pause: withoutWaiting, Project: fakeProject{account: newFake(), noProfile: "management"}}
	require.NoError(t, scope.AddStack(t.Context(), "dev", file))
	require.Len(t, scope.Accounts, 2)
	require.Len(t, scope.Unusable, 1)
	require.ErrorContains(t, scope.Unusable[0], "cluster.accounts.management")

	scope = Scope{Journals: t.TempDir(), Pause: withoutWaiting, Project: fakeProject{account: newFake(), noProfile: "x"}}
	require.Error(t, scope.AddAccounts(t.Context(), []Provider{{
		Settings: map[string]any{"profile": "x"},
	}}), "no account can be searched")
}

// TestAFileThatCannotBeReadMakesTheAnswerUnknown: it may name the management cluster that has the cluster. The sweep of
// a destroy depends on its own stack alone.
func TestAFileThatCannotBeReadMakesTheAnswerUnknown(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	delete(a.resources, awstype.Instance+" i-demo")
	project := fakeProject{account: a, unread: []error{errors.New("the file of stack prod: line 3: expected an object")},
		errs: map[string]error{"theirs": errors.New("no route to host")}}
	section := &config.CAPA{Kubeconfig: &config.Kubeconfig{Context: "theirs"}}
	other := &config.File{
		Config: config.Config{Kind: config.KindCAPA, Section: section},
		Path:   filepath.Join(t.TempDir(), "Pulumi.capa.yaml"),
	}
	require.NoError(t, os.WriteFile(other.Path, nil, 0o600))
	project.files = []*config.File{other}
	scope := Scope{InfraID: "demo", Journals: t.TempDir(), Pause: withoutWaiting, Project: project, Kubeconfigs: []config.Kubeconfig{{Context: "own"}}}
	facts, err := scope.Facts(t.Context(), a)
	require.NoError(t, err)
	p := NewPlan(facts, everything("demo"))
	require.Equal(t, gates.Unknown, p.Life)
	require.Contains(t, p.Why, "the file of stack prod: line 3")
	require.Empty(t, p.Delete)
	require.Equal(t, []string{"own", "theirs"}, []string{facts.Management[0].Name, facts.Management[1].Name},
		"the kubeconfig of Cluster API is read too")

	left, err := scope.AfterCluster(t.Context(), a, DestroyOptions{Decided: true, Log: func(string) {}})
	require.NoError(t, err)
	require.Empty(t, left.Kept)
	require.NotContains(t, a.resources, awstype.LoadBalancer+" nlb-demo")
}

// An infra ID that only the stack's file names may be that of a cluster in a management cluster that cannot be read.
func TestADestroySweepsTheInfraIDOfTheFileAloneOnlyIfEverythingCanBeRead(t *testing.T) {
	t.Parallel()
	section := &config.CAPA{Kubeconfig: &config.Kubeconfig{Context: "theirs"}}
	other := &config.File{
		Config: config.Config{Kind: config.KindCAPA, Section: section},
		Path:   filepath.Join(t.TempDir(), "Pulumi.capa.yaml"),
	}
	require.NoError(t, os.WriteFile(other.Path, nil, 0o600))
	a := newFake()
	keys := a.addCluster("demo", old)
	project := fakeProject{
		account: a,
		files:   []*config.File{other},
		errs:    map[string]error{"theirs": errors.New("no route to host")},
	}
	scope := Scope{InfraID: "demo", NotOwn: true, Journals: t.TempDir(), Pause: withoutWaiting, Project: project, Kubeconfigs: []config.Kubeconfig{{Context: "own"}}}
	left, err := scope.AfterCluster(t.Context(), a, DestroyOptions{Decided: true, Log: func(string) {}})
	require.NoError(t, err)
	require.Contains(t, left.Living, "no route to host")
	for _, key := range keys {
		require.Contains(t, a.resources, key)
	}
}

// A file may have been written after the cluster, and its state may be in another backend.
func TestAStacksFileIsNoEvidenceThatItsClusterWasInAManagementCluster(t *testing.T) {
	t.Parallel()
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev",
		[]byte(acrossAccounts+"    hostedCluster:\n      kubeconfig: {context: other}\n"+
			"      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64\n      pullSecret: {env: PULL_SECRET}\n"))
	require.NoError(t, err)
	file.Path = filepath.Join(t.TempDir(), "Pulumi.dev.yaml")
	require.NoError(t, os.WriteFile(file.Path, nil, 0o600))
	a := newFake()
	a.addCluster("demo-x1", old)
	delete(a.resources, awstype.Instance+" i-demo-x1")
	scope := Scope{InfraID: "demo-x1", Journals: t.TempDir(), Pause: withoutWaiting, Project: fakeProject{account: a, files: []*config.File{file}}}
	facts, err := scope.Facts(t.Context(), a)
	require.NoError(t, err)
	p := NewPlan(facts, Options{SweepOptions: inventory.SweepOptions{InfraID: "demo-x1"}})
	require.Equal(t, gates.Unknown, p.Life, p.Why)
	require.Empty(t, p.Delete)
}

func TestWhatADestroyLeavesIsReturned(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	a.fail = func(call, key string) error {
		if call == "Delete" && key == awstype.ClassicLoadBalancer+" elb-demo" {
			return &apiError{"AccessDenied", "not authorized"}
		}
		return nil
	}
	a.add(inventory.Resource{
		Type:   awstype.NetworkInterface,
		ID:     "eni-x",
		VPC:    "vpc-demo",
		State:  "in-use",
		Groups: []string{"sg-a-demo"},
	})
	scope := Scope{InfraID: "demo", Journals: t.TempDir(), Pause: withoutWaiting, Project: fakeProject{account: a}}
	left, err := scope.AfterCluster(t.Context(), a, DestroyOptions{Decided: true, Log: func(string) {}})
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(left.Failed, func(f inventory.Failure) bool { return f.ID == "elb-demo" }))
	require.True(t, slices.ContainsFunc(left.Kept, func(h inventory.Kept) bool {
		return h.ID == "sg-a-demo" && h.Gate == inventory.GateInUse
	}))
	for _, held := range left.Kept {
		require.False(t, typeRecord(held.Type).Sweep.Data, "volumes, snapshots and buckets stay on purpose")
	}

	undecided := newFake()
	undecided.addCluster("demo", old)
	scope = Scope{InfraID: "demo", Journals: t.TempDir(), Pause: withoutWaiting, Project: fakeProject{account: undecided}}
	left, err = scope.AfterCluster(t.Context(), undecided, DestroyOptions{Log: func(string) {}})
	require.NoError(t, err)
	require.NotEmpty(t, left.Kept)
	require.Equal(t, inventory.GateUnknown, left.Kept[0].Gate, "no management cluster is configured")
}

// A destroy that fails has deleted nothing: its cluster may be moved to a management cluster that is not known here.
func TestOnlyADestroyThatDeletedTheClusterExplainsItsInstances(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	dir := t.TempDir()
	scope := Scope{InfraID: "demo", Journals: dir, Pause: withoutWaiting, Project: fakeProject{account: a}}
	lifeNow := func() gates.Life {
		return NewPlan(a.facts(dir), Options{SweepOptions: inventory.SweepOptions{InfraID: "demo"}}).Life
	}
	require.NoError(t, scope.NoteHosts(t.Context(), a, "clusters-demo"))
	require.Equal(t, gates.Unknown, lifeNow(), "it began")
	a.fail = func(call, _ string) error {
		if call == "Delete" {
			return &apiError{"AccessDenied", "not authorized"}
		}
		return nil
	}
	after := func(o DestroyOptions) {
		o.Decided, o.Log = true, func(string) {}
		_, err := scope.AfterCluster(t.Context(), a, o)
		require.NoError(t, err)
	}
	after(DestroyOptions{})
	require.Equal(t, gates.Unknown, lifeNow(), "it deleted what a cluster left that others had deleted")
	after(DestroyOptions{Deleted: true})
	require.Equal(t, gates.Gone, lifeNow())
	a.add(inventory.Resource{
		Type:    awstype.Instance,
		ID:      "i-new",
		Created: old.Add(time.Second),
		State:   "stopped",
		Tags:    ownedBy("demo"),
	})
	require.Equal(t, gates.Unknown, lifeNow(), "an instance was launched since")
}
