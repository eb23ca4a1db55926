package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// unused are the methods of an account that recovery does not call.
type unused struct{ account.Account }

// cloud is an AWS account, and the engine and the backend of a stack in it.
type cloud struct {
	unused
	t *testing.T
	// tags are those of what the account has, by ID; listed is what searches show of it.
	tags   map[string]map[string]any
	listed []string
	// associated is true if the route table association exists.
	associated bool
	// object is what the management cluster has, nil for none.
	object map[string]any
	// created is when resources were created, and elsewhere the IDs in other states of the backend.
	created   map[string]time.Time
	elsewhere []string
	unread    []string
	// objects are the buckets that have objects, and egress the egress rules of each security group.
	objects []string
	egress  []any
	// unreadable makes each read fail; changed is run before the next import.
	unreadable  bool
	changed     func()
	saved       apitype.UntypedDeployment
	calls, said []string
}

var _ Stack = (*cloud)(nil)

// Object implements Stack.
func (c *cloud) Object(context.Context, string, string, string) (map[string]any, error) {
	return c.object, nil
}

func (c *cloud) State(context.Context) (*state.Deployment, error) {
	text, err := json.Marshal(c.saved)
	require.NoError(c.t, err)
	return state.ParseExport(text)
}

func (c *cloud) Import(ctx context.Context, d *state.Deployment) error {
	c.calls = append(c.calls, "import")
	if c.changed != nil {
		c.changed()
	}
	now, err := c.State(ctx)
	require.NoError(c.t, err)
	same, err := d.SameRead(now)
	require.NoError(c.t, err)
	if !same {
		return errChanged
	}
	c.saved, err = d.Encode()
	return err
}

var errChanged = errors.New("changed by another run")

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
			if tags == nil {
				tags = map[string]any{}
			}
			require.NoError(c.t, r.Set("outputs", map[string]any{"tagsAll": tags, "egress": c.egress}))
		} else {
			d.Drop(r)
		}
	}
	c.saved, err = d.Encode()
	return err
}

func (c *cloud) Account(_ context.Context, settings map[string]any, _ string) (account.Account, error) {
	require.Equal(c.t, "us-east-1", settings["region"], "the provider's settings")
	return c, nil
}

func (c *cloud) Place(context.Context) (inventory.Place, error) {
	return inventory.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"}, nil
}

func (c *cloud) Find(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	c.calls = append(c.calls, "find")
	prefix := map[string]string{awstype.ElasticIP: "eipalloc-", awstype.VPC: "vpc-", awstype.NATGateway: "nat-", awstype.HostedZone: "Z",
		awstype.SecurityGroup: "sg-", awstype.SecurityGroupIngressRule: "sgr-"}[q.Type]
	var found []inventory.Resource
	for _, id := range slices.Sorted(maps.Keys(c.tags)) {
		if strings.HasPrefix(id, prefix) && slices.Contains(c.listed, id) && (q.CarriedBy(c.tags[id]) || q.Type == awstype.HostedZone) {
			one := inventory.Resource{Type: q.Type, ID: id, Created: c.created[id], Tags: map[string]string{}}
			for key, value := range c.tags[id] {
				one.Tags[key] = value.(string)
			}
			found = append(found, one)
		}
	}
	return found, nil
}

// List lists the route table association, or the objects of a bucket.
func (c *cloud) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	if q.Type == awstype.BucketObject {
		if slices.Contains(c.objects, q.Text("bucket")) {
			return []inventory.Resource{{Type: q.Type, Properties: q.Inputs}}, nil
		}
		return nil, nil
	}
	if !c.associated {
		return nil, nil
	}
	return []inventory.Resource{{Type: q.Type, Properties: q.Inputs}}, nil
}

func (c *cloud) Created(_ context.Context, f inventory.Resource) (time.Time, bool, error) {
	_, exists := c.tags[f.ID]
	return c.created[f.ID], exists, nil
}

// Tagged returns what carries the tags, of the types that this account has.
func (c *cloud) Tagged(_ context.Context, tags map[string]string) ([]inventory.Resource, error) {
	c.calls = append(c.calls, "tagged")
	wanted := map[string]any{}
	for key, value := range tags {
		wanted[key] = value
	}
	var found []inventory.Resource
	for _, id := range slices.Sorted(maps.Keys(c.tags)) {
		token := map[string]string{"eipalloc": awstype.ElasticIP, "vpc": awstype.VPC, "nat": awstype.NATGateway}[strings.Split(id, "-")[0]]
		if token != "" && (account.Query{Inputs: map[string]any{"tags": wanted}}).CarriedBy(c.tags[id]) {
			found = append(found, inventory.Resource{Type: token, ID: id})
		}
	}
	return found, nil
}

func (c *cloud) Elsewhere(context.Context, inventory.Place) (func(token, id string) bool, []string, error) {
	return func(_, id string) bool { return slices.Contains(c.elsewhere, id) }, c.unread, nil
}

func (c *cloud) say(e report.Event) { c.said = append(c.said, e.(*event.Note).Message) }

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
	c := &cloud{t: t, tags: map[string]map[string]any{}, created: map[string]time.Time{}}
	c.saved.Version = 3
	c.saved.Deployment = json.RawMessage(`{"manifest":{"magic":"m"},"resources":[
	  {"urn":"` + urnProvider + `","custom":true,"id":"p","type":"pulumi:providers:aws","inputs":{"region":"us-east-1"}}]}`)
	j := NewJournal(t.TempDir())
	require.NoError(t, j.Begin(Begin{At: time.Now(), Existing: map[string][]string{awstype.ElasticIP: nil, awstype.VPC: nil, awstype.HostedZone: nil}}))
	return c, killedAt(t, c, j, urnEIP, awstype.ElasticIP, map[string]any{"domain": "vpc", "tags": tags})
}

// killedAt notes a creation that began and did not end.
func killedAt(t *testing.T, _ *cloud, j Journal, urn, token string, inputs map[string]any) Journal {
	t.Helper()
	m := meta(apitype.OpCreate, urn, token, inputs)
	m.New.Provider = urnProvider + "::p"
	require.NoError(t, j.Began(m))
	return j
}

func (c *cloud) recover(j Journal, take ...string) {
	c.t.Helper()
	_, err := c.tryRecover(j, take...)
	require.NoError(c.t, err)
}

func (c *cloud) tryRecover(j Journal, take ...string) ([]takeover.Found, error) {
	c.t.Helper()
	d, err := c.State(c.t.Context())
	require.NoError(c.t, err)
	return Recover(c.t.Context(), c, d, j, Options{Take: take, Report: c.say})
}

// searchAgain searches as at the end of a run, after a destroy with the providers that the stack had.
func (c *cloud) searchAgain(j Journal, providers ...*state.Resource) []takeover.Found {
	c.t.Helper()
	found, err := SearchAgain(c.t.Context(), c, j, providers, Options{Report: c.say})
	require.NoError(c.t, err)
	return found
}

// add adds resources to the account, which searches show.
func (c *cloud) add(tags map[string]any, ids ...string) {
	for _, id := range ids {
		c.tags[id] = tags
		c.listed = append(c.listed, id)
	}
}

// fill adds a resource to the state, like a run that created it again.
func (c *cloud) fill(id string) {
	c.t.Helper()
	d, err := c.State(c.t.Context())
	require.NoError(c.t, err)
	m := meta(apitype.OpCreate, urnEIP, awstype.ElasticIP, map[string]any{"domain": "vpc", "tags": ownedTags()})
	m.New.ID, m.New.Provider = id, urnProvider+"::p"
	res := findResource(d, m.New)
	require.NoError(c.t, res.Set("outputs", map[string]any{"id": id}))
	d.Resources = append(d.Resources, res)
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
	require.Equal(t, []takeover.Found{{Outcome: takeover.Duplicate, ResourceType: awstype.ElasticIP, Name: "eip", ID: "eipalloc-1"}}, c.searchAgain(j))
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
	require.Equal(t, []takeover.Found{{Outcome: takeover.Taken, ResourceType: awstype.ElasticIP, Name: "eip", ID: "eipalloc-1"}}, c.searchAgain(j, providers...))
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
		return Creation{Query: account.Query{Type: token, Inputs: map[string]any{"name": "demo.example.com", "tags": ownedTags()}}, Provider: urnProvider}
	}
	existing, err := Existing(t.Context(), []Creation{query(awstype.VPC), query(awstype.Subnet), query(awstype.Subnet), query(awstype.ElasticIP), query(awstype.Role)}, aws)
	require.NoError(t, err)
	require.Equal(t, []string{"tagged"}, c.calls)
	require.Equal(t, map[string][]string{awstype.VPC: {"vpc-1"}, awstype.Subnet: nil, awstype.ElasticIP: {"eipalloc-1"}}, existing)
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

const canary = "canary-3f9a"

// TestNoSecretReachesAJournal: the settings of the provider and the content of a Secret are decrypted for the state, which encrypts them.
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

// A recovery that is killed between its import of the state and its read leaves a resource without outputs, of which the engine would see no
// difference.
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
