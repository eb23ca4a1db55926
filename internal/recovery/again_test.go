package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// cloud is an AWS account, and the engine and the backend of a stack in it.
type cloud struct {
	t *testing.T
	// tags are those of what the account has, by ID; listed is what searches show of it.
	tags   map[string]map[string]any
	listed []string
	// associated is true if the route table association exists.
	associated bool
	// unreadable makes each read fail, and stuck each deletion.
	unreadable, stuck bool
	saved             apitype.UntypedDeployment
	calls, said       []string
}

var (
	_ Stack          = (*cloud)(nil)
	_ orphan.Account = (*cloud)(nil)
)

// Object implements Stack: there is no management cluster.
func (c *cloud) Object(context.Context, string, string, string) (map[string]any, error) {
	return nil, nil
}

func (c *cloud) State(context.Context) (*state.Deployment, error) {
	text, err := json.Marshal(c.saved)
	require.NoError(c.t, err)
	return state.ParseExport(text)
}

func (c *cloud) Import(_ context.Context, d *state.Deployment) error {
	c.calls = append(c.calls, "import")
	var err error
	c.saved, err = d.Encode()
	return err
}

// Read fills in the tags of what exists and drops the rest.
func (c *cloud) Read(ctx context.Context, urns []string) error {
	c.calls = append(c.calls, "read")
	if c.unreadable {
		return errors.New("No association found")
	}
	d, err := c.State(ctx)
	require.NoError(c.t, err)
	for _, r := range slices.Clone(d.Resources) {
		if !slices.Contains(urns, string(r.URN)) {
			continue
		}
		if tags, there := c.tags[string(r.ID)]; there {
			require.NoError(c.t, r.Set("outputs", map[string]any{"tagsAll": tags}))
		} else {
			d.Drop(r)
		}
	}
	c.saved, err = d.Encode()
	return err
}

func (c *cloud) Delete(ctx context.Context, urns []string) error {
	c.calls = append(c.calls, "delete")
	if c.stuck {
		return errors.New("DependencyViolation")
	}
	d, err := c.State(ctx)
	require.NoError(c.t, err)
	for _, r := range slices.Clone(d.Resources) {
		if slices.Contains(urns, string(r.URN)) {
			d.Drop(r)
			delete(c.tags, string(r.ID))
		}
	}
	c.saved, err = d.Encode()
	return err
}

func (c *cloud) Account(_ context.Context, settings map[string]any, _ string) (orphan.Account, error) {
	require.Equal(c.t, "us-east-1", settings["region"], "the provider's settings")
	return c, nil
}

func (c *cloud) Place(context.Context) (orphan.Place, error) {
	return orphan.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"}, nil
}

func (c *cloud) Find(_ context.Context, q orphan.Query) ([]orphan.Found, error) {
	c.calls = append(c.calls, "find")
	prefix := map[string]string{awstype.ElasticIP: "eipalloc-", awstype.VPC: "vpc-"}[q.Type]
	var found []orphan.Found
	for _, id := range slices.Sorted(maps.Keys(c.tags)) {
		if strings.HasPrefix(id, prefix) && slices.Contains(c.listed, id) && q.CarriedBy(c.tags[id]) {
			found = append(found, orphan.Found{Type: q.Type, ID: id})
		}
	}
	return found, nil
}

func (c *cloud) Exists(context.Context, orphan.Query) (bool, error) { return c.associated, nil }

func (c *cloud) Tagged(context.Context, map[string]string) ([]orphan.Found, error) { return nil, nil }

func (c *cloud) say(e report.Event) { c.said = append(c.said, e.(*report.NoteEvent).Message) }

// ids returns the IDs in the state of resources whose names begin so.
func (c *cloud) ids(name string) []string {
	d, err := c.State(c.t.Context())
	require.NoError(c.t, err)
	var ids []string
	for _, r := range d.Resources {
		if strings.HasPrefix(r.URN.Name(), name) {
			ids = append(ids, string(r.ID))
		}
	}
	return ids
}

const (
	urnEIP      = "urn:pulumi:dev::hypershift-aws::aws:ec2/eip:Eip::eip"
	urnProvider = "urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::default"
)

func ownedTags() map[string]any {
	return map[string]any{"kubernetes.io/cluster/demo-x1": "owned", "Name": "demo-eip"}
}

// newCloud returns an account with a stack whose last run was killed while it created an elastic IP with those tags.
func newCloud(t *testing.T, tags map[string]any) (*cloud, Journal) {
	t.Helper()
	c := &cloud{t: t, tags: map[string]map[string]any{}}
	c.saved.Version = 3
	c.saved.Deployment = json.RawMessage(`{"manifest":{"magic":"m"},"resources":[
	  {"urn":"` + urnProvider + `","custom":true,"id":"p","type":"pulumi:providers:aws","inputs":{"region":"us-east-1"}}]}`)
	return c, killedAt(t, c, NewJournal(t.TempDir()), urnEIP, awstype.ElasticIP, map[string]any{"domain": "vpc", "tags": tags})
}

// killedAt notes a creation that began and did not end.
func killedAt(t *testing.T, _ *cloud, j Journal, urn, token string, inputs map[string]any) Journal {
	t.Helper()
	m := meta(apitype.OpCreate, urn, token, inputs)
	m.New.Provider = urnProvider + "::p"
	require.NoError(t, j.Began(m))
	return j
}

func (c *cloud) recover(j Journal) {
	c.t.Helper()
	d, err := c.State(c.t.Context())
	require.NoError(c.t, err)
	require.NoError(c.t, Recover(c.t.Context(), c, d, j, c.say))
}

// fill adds a resource to the state, like a run that created it again.
func (c *cloud) fill(id string) {
	c.t.Helper()
	d, err := c.State(c.t.Context())
	require.NoError(c.t, err)
	m := meta(apitype.OpCreate, urnEIP, awstype.ElasticIP, map[string]any{"domain": "vpc", "tags": ownedTags()})
	m.New.ID, m.New.Provider = id, urnProvider+"::p"
	d.Resources = append(d.Resources, resourceOf(d, m.New))
	c.tags[id] = ownedTags()
	c.listed = append(c.listed, id)
	c.saved, err = d.Encode()
	require.NoError(c.t, err)
}

func TestAResourceThatAWSShowsLateIsAddedToTheState(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.tags["eipalloc-1"] = ownedTags()
	c.recover(j)
	require.Empty(t, c.ids("eip"))
	require.Equal(t, []string{"find"}, c.calls, "neither the backend nor the engine is bothered")
	require.Contains(t, c.said[0], "it was not found in AWS; each run in the next hour searches for it again")

	require.NoError(t, SearchAgain(t.Context(), c, j, false, c.say))
	c.listed = []string{"eipalloc-1"}
	c.recover(j)
	require.Equal(t, []string{"eipalloc-1"}, c.ids("eip"))
	c.calls = nil
	c.recover(j)
	require.NoError(t, SearchAgain(t.Context(), c, j, false, c.say))
	require.Empty(t, c.calls, "nothing is looked for any more")
}

func TestAResourceThatAWSShowsLateIsDeletedIfTheStackHasAnotherOne(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.tags["eipalloc-1"] = ownedTags()
	c.recover(j)
	c.fill("eipalloc-2")
	require.NoError(t, SearchAgain(t.Context(), c, j, false, c.say))
	require.Contains(t, c.tags, "eipalloc-1", "AWS does not show it yet")

	c.listed = append(c.listed, "eipalloc-1")
	c.stuck = true
	require.ErrorContains(t, SearchAgain(t.Context(), c, j, false, c.say), "DependencyViolation")
	c.stuck = false
	c.recover(j)
	require.Equal(t, []string{"eipalloc-2"}, c.ids("eip"))
	require.Equal(t, []string{"eipalloc-2"}, slices.Collect(maps.Keys(c.tags)))
	require.Contains(t, c.said[len(c.said)-1], "found it as eipalloc-1, which the stack no longer needs, and deleted it")
	c.calls = nil
	c.recover(j)
	require.Empty(t, c.calls)
}

func TestADestroyedStackDeletesResourcesThatAWSShowsLate(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.tags["eipalloc-1"] = ownedTags()
	c.recover(j)
	c.saved.Deployment = json.RawMessage(`{"manifest":{"magic":"m"}}`) // as a destroy leaves it
	c.listed = []string{"eipalloc-1"}
	require.NoError(t, SearchAgain(t.Context(), c, j, true, c.say))
	require.Empty(t, c.tags)
	d, err := c.State(t.Context())
	require.NoError(t, err)
	require.Empty(t, d.Resources, "nor its provider")
}

func TestEverySecondResourceOfOneCreationIsDeleted(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.tags["eipalloc-1"], c.tags["eipalloc-2"] = ownedTags(), ownedTags()
	c.listed = []string{"eipalloc-0", "eipalloc-1", "eipalloc-2"}
	c.tags["eipalloc-0"] = ownedTags()
	c.recover(j)
	require.Equal(t, []string{"eipalloc-0"}, c.ids("eip"))
	require.Equal(t, []string{"eipalloc-0"}, slices.Collect(maps.Keys(c.tags)))
}

func TestACreationThatAWSNeverReturnsIsSearchedForForAnHour(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.recover(j)
	list, err := j.awaited()
	require.NoError(t, err)
	require.Len(t, list, 1)
	list[0].Since = time.Now().Add(-Awaited - time.Second)
	require.NoError(t, j.await(list))
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
	err = Recover(t.Context(), c, d, j, c.say)
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
