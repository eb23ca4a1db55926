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
	prefix := map[string]string{awstype.ElasticIP: "eipalloc-", awstype.VPC: "vpc-", awstype.NATGateway: "nat-",
		awstype.HostedZone:    "Z",
		awstype.SecurityGroup: "sg-", awstype.SecurityGroupIngressRule: "sgr-"}[q.Type]
	var found []inventory.Resource
	for _, id := range slices.Sorted(maps.Keys(c.tags)) {
		if strings.HasPrefix(id, prefix) && slices.Contains(c.listed, id) && (q.CarriedBy(c.tags[id]) ||
			q.Type == awstype.HostedZone) {
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
		token := map[string]string{
			"eipalloc": awstype.ElasticIP,
			"vpc":      awstype.VPC,
			"nat":      awstype.NATGateway,
		}[strings.Split(id, "-")[0]]
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
	require.NoError(t, j.Begin(Begin{
		At:       time.Now(),
		Existing: map[string][]string{awstype.ElasticIP: nil, awstype.VPC: nil, awstype.HostedZone: nil},
	}))
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

func (c *cloud) recover(j Journal, ids ...string) {
	c.t.Helper()
	_, err := c.tryRecover(j, ids...)
	require.NoError(c.t, err)
}

func (c *cloud) tryRecover(j Journal, ids ...string) ([]takeover.Found, error) {
	c.t.Helper()
	d, err := c.State(c.t.Context())
	require.NoError(c.t, err)
	return Recover(c.t.Context(), c, d, j, Options{IDs: ids, Report: c.say})
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
