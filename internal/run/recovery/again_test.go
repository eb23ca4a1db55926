package recovery

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

var _ Stack = (*cloud)(nil)

func TestAResourceThatAWSShowsLateIsAddedToTheState(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.tags["eipalloc-1"] = ownedTags()
	c.recover(j)
	require.Empty(t, c.ids("eip"))
	require.Equal(t, []string{"find"}, c.calls, "neither the backend nor the engine is bothered")
	require.Contains(t, c.said[0], "it was not found in AWS; each run in the next hour searches for it again")

	c.searchAgain(j)
	c.listed = []string{"eipalloc-1"}
	c.recover(j)
	require.Equal(t, []string{"eipalloc-1"}, c.ids("eip"))
	c.calls = nil
	c.recover(j)
	c.searchAgain(j)
	require.Empty(t, c.calls, "nothing is looked for any more")
}

func TestAResourceThatAWSShowsLateIsNotDeletedIfTheStackHasAnotherOne(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.tags["eipalloc-1"] = ownedTags()
	c.recover(j)
	c.fill("eipalloc-2")
	c.searchAgain(j)
	c.listed = append(c.listed, "eipalloc-1")
	require.Equal(t, []takeover.Found{{
		Outcome:      takeover.Duplicate,
		ResourceType: awstype.ElasticIP,
		Name:         "eip",
		ID:           "eipalloc-1",
	}}, c.searchAgain(j))
	require.Equal(t, []string{"eipalloc-2"}, c.ids("eip"))
	require.Contains(t, c.tags, "eipalloc-1")
	require.Contains(t, c.said[len(c.said)-1], "not deleted; `hypershift-aws sweep` lists it")
	c.calls = nil
	c.recover(j)
	require.Empty(t, c.calls)
}

func TestADestroyedStackTakesResourcesThatAWSShowsLateWithTheirProvider(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.tags["eipalloc-1"] = ownedTags()
	c.recover(j)
	d, err := c.State(t.Context())
	require.NoError(t, err)
	providers := d.Resources[:1]
	c.saved.Deployment = json.RawMessage(`{"manifest":{"magic":"m"}}`) // as a destroy leaves it
	c.listed = []string{"eipalloc-1"}
	require.Equal(t, []takeover.Found{{
		Outcome:      takeover.Taken,
		ResourceType: awstype.ElasticIP,
		Name:         "eip",
		ID:           "eipalloc-1",
	}}, c.searchAgain(j, providers...))
	require.Equal(t, []string{"eipalloc-1"}, c.ids("eip"))
	require.Equal(t, []string{"p"}, c.ids("default"))
}

func TestAStateThatAnotherRunChangedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.add(ownedTags(), "eipalloc-1")
	c.changed = func() {
		c.changed = nil
		c.saved.Deployment = json.RawMessage(strings.Replace(string(c.saved.Deployment), `"resources":[`, `"resources":[{"urn":"`+urnVPC+`","type":"aws:ec2/vpc:Vpc","id":"vpc-9"},`, 1))
	}
	_, err := c.tryRecover(j)
	require.ErrorIs(t, err, errChanged)
	require.Equal(t, []string{"vpc-9"}, c.ids("vpc"))
	c.recover(j)
	require.Equal(t, []string{"eipalloc-1"}, c.ids("eip"), "the journal still has the creation")
	require.Equal(t, []string{"vpc-9"}, c.ids("vpc"))
}

// TestExistingResourcesAreListedOncePerOwner counts the calls before a run.
func TestExistingResourcesAreListedOncePerOwner(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(t, ownedTags())
	c.add(ownedTags(), "eipalloc-1", "vpc-1")
	c.add(map[string]any{"kubernetes.io/cluster/other": "owned"}, "vpc-2")
	aws := func(string) (account.Account, error) { return c, nil }
	query := func(token string) Creation {
		return Creation{
			Query:    account.Query{Type: token, Inputs: map[string]any{"name": "demo.example.com", "tags": ownedTags()}},
			Provider: urnProvider,
		}
	}
	existing, err := Existing(t.Context(), []Creation{query(awstype.VPC), query(awstype.Subnet), query(awstype.Subnet),
		query(awstype.ElasticIP), query(awstype.Role)}, aws)
	require.NoError(t, err)
	require.Equal(t, []string{"tagged"}, c.calls)
	require.Equal(t, map[string][]string{
		awstype.VPC:       {"vpc-1"},
		awstype.Subnet:    nil,
		awstype.ElasticIP: {"eipalloc-1"},
	}, existing)
	c.calls = nil
	for _, none := range [][]Creation{nil, {query(awstype.Role), query("kubernetes:core/v1:Secret")}} {
		_, err = Existing(t.Context(), none, aws)
		require.NoError(t, err)
		require.Empty(t, c.calls)
	}
	existing, err = Existing(t.Context(), []Creation{query(awstype.HostedZone)}, aws)
	require.NoError(t, err)
	require.Contains(t, existing, awstype.HostedZone)
	require.Equal(t, []string{"find"}, c.calls)
}

// meeting is an account whose questions are answered once all have been asked.
type meeting struct {
	unused
	t       *testing.T
	missing *atomic.Int32
	all     chan struct{}
}

func (m meeting) arrive() {
	if m.missing.Add(-1) == 0 {
		close(m.all)
	}
	select {
	case <-m.all:
	case <-time.After(20 * time.Second):
		m.t.Error("the questions are asked one after the other")
	}
}

func (m meeting) Tagged(context.Context, map[string]string) ([]inventory.Resource, error) {
	m.arrive()
	return []inventory.Resource{{Type: awstype.VPC, ID: "vpc-1"}}, nil
}

func (m meeting) Find(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	m.arrive()
	return []inventory.Resource{{ID: q.Text("name")}}, nil
}

func TestExistingResourcesAreListedAtTheSameTime(t *testing.T) {
	t.Parallel()
	m := meeting{t: t, missing: &atomic.Int32{}, all: make(chan struct{})}
	m.missing.Store(3)
	creation := func(token, name string) Creation {
		return Creation{Query: account.Query{Type: token, Inputs: map[string]any{"name": name, "tags": ownedTags()}}, Provider: urnProvider}
	}
	existing, err := Existing(t.Context(), []Creation{creation(awstype.VPC, ""), creation(awstype.HostedZone, "a"),
		creation(awstype.HostedZone, "b")}, func(string) (account.Account, error) { return m, nil })
	require.NoError(t, err)
	require.Equal(t, map[string][]string{awstype.VPC: {"vpc-1"}, awstype.HostedZone: {"a", "b"}}, existing)
}

const canary = "canary-3f9a"

// TestNoSecretReachesAJournal: the settings of the provider and the content of a Secret are decrypted for the state,
// which encrypts them.
func TestNoSecretReachesAJournal(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.saved.Deployment = json.RawMessage(strings.Replace(string(c.saved.Deployment), `"region":"us-east-1"`, `"region":"us-east-1","secretKey":"`+canary+`"`, 1))
	secret := "urn:pulumi:dev::hypershift-aws::kubernetes:core/v1:Secret::key"
	killedAt(t, c, j, secret, "kubernetes:core/v1:Secret", map[string]any{"kind": "Secret", "metadata": map[string]any{
		"name": "key", "namespace": "clusters", "annotations": map[string]any{"hypershift-aws/infra-id": "demo-x1"}}})
	c.object = map[string]any{"kind": "Secret", "data": map[string]any{"key": canary}, "metadata": map[string]any{
		"annotations": map[string]any{"hypershift-aws/infra-id": "demo-x1"}}}
	c.recover(j) // the Secret vanishes between the read and the refresh, so it is searched for again
	list, err := j.pendingCreations()
	require.NoError(t, err)
	require.NotEmpty(t, list)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(j.path), "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), canary, path)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
	}
}

func TestACreationThatAWSNeverReturnsIsSearchedForForAnHour(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.recover(j)
	list, err := j.pendingCreations()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Len(t, c.said, 1)
	c.searchAgain(j)
	require.Len(t, c.said, 1, "one run says once that it was not found")
	open, err := j.Open()
	require.NoError(t, err)
	require.False(t, open, "the run is recovered")
	searching, err := j.Searching()
	require.NoError(t, err)
	require.True(t, searching)
	list[0].Since = time.Now().Add(-searchedFor - time.Second)
	require.NoError(t, j.search(list))
	c.recover(j)
	require.Contains(t, c.said[len(c.said)-1], "no longer searched for")
	c.calls = nil
	c.recover(j)
	require.Empty(t, c.calls)
}

func TestResourcesAreNotIdentifiedByUsersTags(t *testing.T) {
	t.Parallel()
	team := map[string]any{"team": "platform"}
	c, j := newCloud(t, team)
	c.tags["eipalloc-1"] = team
	c.listed = []string{"eipalloc-1"}
	c.recover(j)
	require.Empty(t, c.ids("eip"))
	require.Empty(t, c.calls)
	require.Contains(t, c.said[0], "AWS cannot be searched for it")
}

func TestAReadThatFailsRestoresTheState(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.saved.Deployment = json.RawMessage(strings.TrimSuffix(string(c.saved.Deployment), "}") +
		`,"pending_operations":[{"type":"creating","resource":{"urn":"` + urnVPC + `","custom":true,"type":"aws:ec2/vpc:Vpc",
		 "provider":"` + urnProvider + `::p","inputs":{"tags":{"kubernetes.io/cluster/demo-x1":"owned"}}}}]}`)
	c.tags["eipalloc-1"] = ownedTags()
	c.listed, c.unreadable = []string{"eipalloc-1"}, true
	d, err := c.State(t.Context())
	require.NoError(t, err)
	_, err = Recover(t.Context(), c, d, j, Options{Report: c.say})
	var search *SearchError
	require.ErrorAs(t, err, &search)
	require.Empty(t, c.ids("eip"))
	require.Empty(t, c.ids("vpc"))

	c.unreadable = false
	c.tags["vpc-1"] = map[string]any{"kubernetes.io/cluster/demo-x1": "owned"}
	c.listed = append(c.listed, "vpc-1")
	c.recover(j)
	require.Equal(t, []string{"eipalloc-1"}, c.ids("eip"))
	require.Contains(t, c.ids("vpc"), "vpc-1", "what was pending in the state is in the journal")
}

func TestAnAssociationThatWasNeverCreatedIsNotAdded(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(t, nil)
	c.fill("rtb-1") // the table is the stack's
	j := killedAt(t, c, NewJournal(t.TempDir()), "urn:pulumi:dev::hypershift-aws::aws:ec2/routeTableAssociation:RouteTableAssociation::association",
		awstype.RouteTableAssociation, map[string]any{"subnetId": "subnet-1", "routeTableId": "rtb-1"})
	c.recover(j)
	require.Empty(t, c.ids("association"))
	c.associated = true
	c.tags["subnet-1/rtb-1"] = nil
	c.recover(j)
	require.Equal(t, []string{"subnet-1/rtb-1"}, c.ids("association"))
}

// A recovery that is killed between its import of the state and its read leaves a resource without outputs, of which
// the engine would see no difference.
func TestAResourceThatWasAddedAndNotReadIsRead(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.fill("eipalloc-1")
	d, err := c.State(t.Context())
	require.NoError(t, err)
	require.NoError(t, d.Live(urnEIP).Set("outputs", nil))
	c.saved, err = d.Encode()
	require.NoError(t, err)
	c.calls = nil
	c.recover(j)
	require.Equal(t, []string{"read"}, c.calls)
	d, err = c.State(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, d.Live(urnEIP).Outputs["tagsAll"])
	c.calls = nil
	c.recover(j)
	require.Empty(t, c.calls)
}
