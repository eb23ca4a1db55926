package recovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestTwoCandidatesStopARecovery(t *testing.T) {
	t.Parallel()
	c, j := newCloud(t, ownedTags())
	c.add(ownedTags(), "eipalloc-1", "eipalloc-2")
	before := string(c.saved.Deployment)
	_, err := c.tryRecover(j)
	var ambiguous *takeover.AmbiguousError
	require.ErrorAs(t, err, &ambiguous)
	require.Equal(t, []takeover.Candidates{{
		Name: "eip",
		Type: awstype.ElasticIP,
		Kind: "elastic IP",
		IDs:  []string{"eipalloc-1", "eipalloc-2"},
	}}, ambiguous.Lookups)
	require.ErrorContains(t, err, "eipalloc-1 or eipalloc-2")
	require.Equal(t, before, string(c.saved.Deployment))

	_, err = c.tryRecover(j, "eipalloc-3")
	require.ErrorAs(t, err, &ambiguous, "an ID that is no candidate decides nothing")
	found, err := c.tryRecover(j, "eipalloc-2")
	require.NoError(t, err)
	require.Equal(t, []takeover.Found{
		{Outcome: takeover.Duplicate, ResourceType: awstype.ElasticIP, Name: "eip", ID: "eipalloc-1"},
		{Outcome: takeover.Taken, ResourceType: awstype.ElasticIP, Name: "eip", ID: "eipalloc-2"},
	}, found)
	require.Equal(t, []string{"eipalloc-2"}, c.ids("eip"))
	require.Len(t, c.tags, 2, "nothing is deleted")

	_, err = c.tryRecover(j, "eipalloc-2")
	require.Equal(t, failure.Refused, failure.ReasonOf(err), "there is nothing to decide any more")
}

// TestOnlyWhatTheRunMayHaveCreatedIsACandidate: the same config with another backend has the same tags.
func TestOnlyWhatTheRunMayHaveCreatedIsACandidate(t *testing.T) {
	t.Parallel()
	urnNAT := "urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::nat"
	kill := func(t *testing.T, begin *Begin) (*cloud, Journal) {
		c, _ := newCloud(t, ownedTags())
		j := NewJournal(t.TempDir())
		if begin != nil {
			require.NoError(t, j.Begin(*begin))
		}
		killedAt(t, c, j, urnEIP, awstype.ElasticIP, map[string]any{"tags": ownedTags()})
		return c, killedAt(t, c, j, urnNAT, awstype.NATGateway, map[string]any{"tags": ownedTags()})
	}
	begin := &Begin{At: time.Now(), Existing: map[string][]string{awstype.ElasticIP: {"eipalloc-1"}}}
	t.Run("older or listed before", func(t *testing.T) {
		t.Parallel()
		c, j := kill(t, begin)
		c.add(ownedTags(), "eipalloc-1", "nat-1")
		c.created["nat-1"] = begin.At.Add(-6 * time.Minute)
		c.recover(j)
		require.Empty(t, append(c.ids("eip"), c.ids("nat")...))
		c.add(ownedTags(), "eipalloc-2", "nat-2")
		c.created["nat-2"] = begin.At.Add(-4 * time.Minute)
		c.recover(j)
		require.Equal(t, []string{"eipalloc-2", "nat-2"}, append(c.ids("eip"), c.ids("nat")...))
		require.Len(t, c.tags, 4)
	})
	t.Run("in another state", func(t *testing.T) {
		t.Parallel()
		c, j := kill(t, begin)
		c.add(ownedTags(), "eipalloc-2")
		c.elsewhere = []string{"eipalloc-2"}
		c.recover(j)
		require.Empty(t, c.ids("eip"))
	})
	for name, c := range map[string]struct {
		begin  *Begin
		unread []string
		why    string
	}{
		"no journal":                 {nil, nil, "the journal of the interrupted run is not on this machine"},
		"no list":                    {&Begin{At: begin.At}, nil, "it is not known whether it existed before the run"},
		"a state that is unreadable": {begin, []string{"prod"}, "it may be in the state of stack prod, which cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			account, j := kill(t, c.begin)
			account.add(ownedTags(), "eipalloc-2")
			account.unread = c.unread
			_, err := account.tryRecover(j)
			var ambiguous *takeover.AmbiguousError
			require.ErrorAs(t, err, &ambiguous)
			require.Equal(t, c.why, ambiguous.Lookups[0].Unproved)
			account.recover(j, "eipalloc-2")
			require.Equal(t, []string{"eipalloc-2"}, account.ids("eip"))
		})
	}
}

// pendingCloud returns an account with a stack whose state has the creation of an elastic IP that was interrupted.
func pendingCloud(t *testing.T) *cloud {
	t.Helper()
	c, _ := newCloud(t, ownedTags())
	pending := `,"pending_operations":[{"type":"creating","resource":{"urn":"` + urnEIP + `","custom":true,"type":"` + awstype.ElasticIP +
		`","provider":"` + urnProvider + `::p","inputs":{"tags":{"kubernetes.io/cluster/demo-x1":"owned","Name":"demo-eip"}}}}]}`
	c.saved.Deployment = append(bytes.TrimSuffix(c.saved.Deployment, []byte("}")), pending...)
	return c
}

// A run that does not get the lock has listed what the run with the lock had created by then.
func TestARunWithoutTheLockHidesNothingOfTheRunWithIt(t *testing.T) {
	t.Parallel()
	first, second := Begin{At: time.Now(), Existing: map[string][]string{awstype.ElasticIP: {}}},
		Begin{At: time.Now(), Existing: map[string][]string{awstype.ElasticIP: {"eipalloc-1"}}}
	created := apitype.StepEventMetadata{
		Op:  apitype.OpCreate,
		URN: "urn:pulumi:dev::hypershift-aws::aws:ec2/vpc:Vpc::vpc",
		New: &apitype.StepEventStateMetadata{},
	}
	for name, write := range map[string]func(*testing.T, *cloud, Journal) error{
		"after the creation": func(t *testing.T, c *cloud, j Journal) error {
			require.NoError(t, j.Begin(first))
			killedAt(t, c, j, urnEIP, awstype.ElasticIP, map[string]any{"tags": ownedTags()})
			return j.Begin(second)
		},
		"after a creation that is only in the state": func(_ *testing.T, _ *cloud, j Journal) error {
			return errors.Join(j.Begin(first), j.Began(created), j.Ended(created), j.Begin(second))
		},
		"before the creation is noted again": func(t *testing.T, c *cloud, j Journal) error {
			require.NoError(t, j.Begin(first))
			killedAt(t, c, j, urnEIP, awstype.ElasticIP, map[string]any{"tags": ownedTags()})
			require.NoError(t, j.Begin(second))
			killedAt(t, c, j, urnEIP, awstype.ElasticIP, map[string]any{"tags": ownedTags()})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := pendingCloud(t)
			j := NewJournal(t.TempDir())
			require.NoError(t, write(t, c, j))
			c.add(ownedTags(), "eipalloc-1")
			c.recover(j)
			require.Equal(t, []string{"eipalloc-1"}, c.ids("eip"))
		})
	}
	c := pendingCloud(t)
	j := NewJournal(t.TempDir())
	require.NoError(t, j.Begin(second))
	c.add(ownedTags(), "eipalloc-1")
	_, err := c.tryRecover(j)
	var ambiguous *takeover.AmbiguousError
	require.ErrorAs(t, err, &ambiguous, "a run without operations says nothing about what another machine began")
}

func TestAPartOfWhatIsTheStacksNeedsNoProof(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(t, nil)
	c.fill("sg-1") // the group is the stack's
	j := NewJournal(t.TempDir())
	require.NoError(t, j.Begin(Begin{At: time.Now()}))
	killedAt(t, c, j, "urn:pulumi:dev::hypershift-aws::aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule::rule",
		awstype.SecurityGroupIngressRule, map[string]any{"securityGroupId": "sg-1", "tags": ownedTags()})
	c.add(ownedTags(), "sgr-1")
	c.recover(j)
	require.Equal(t, []string{"sgr-1"}, c.ids("rule"))
}

func TestAForeignZoneDoesNotHideTheStacks(t *testing.T) {
	t.Parallel()
	urnZone := "urn:pulumi:dev::hypershift-aws::aws:route53/zone:Zone::zone"
	zone := map[string]any{"name": "demo.example.com", "tags": map[string]any{"kubernetes.io/cluster/demo-x1": "owned"}}
	for name, others := range map[string]map[string]any{"with tags": {"team": "other"}, "without tags": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, j := newCloud(t, ownedTags())
			killedAt(t, c, j, urnZone, awstype.HostedZone, zone)
			c.add(others, "Z1")
			c.add(map[string]any{"kubernetes.io/cluster/demo-x1": "owned"}, "Z2")
			c.recover(j)
			require.Equal(t, []string{"Z2"}, c.ids("zone"))
		})
	}
	t.Run("of which the tags are read last", func(t *testing.T) {
		t.Parallel()
		c, j := newCloud(t, ownedTags())
		killedAt(t, c, j, urnZone, awstype.HostedZone, zone)
		c.add(map[string]any{"team": "other"}, "Z1")
		c.recover(j)
		require.Empty(t, c.ids("zone"))
		c.add(map[string]any{"kubernetes.io/cluster/demo-x1": "owned"}, "Z2")
		c.recover(j)
		require.Equal(t, []string{"Z2"}, c.ids("zone"), "it is searched for until it is found")
	})
}

// The provider tags a zone and a bucket in a request of its own. A killed run may leave them without tags: the time of
// the creation shows whose they are.
func TestWhatWasKilledBeforeItWasTaggedIsTheStacksIfItWasCreatedSince(t *testing.T) {
	t.Parallel()
	tags := map[string]any{"hypershift-aws/stack": "hypershift-aws/dev"}
	creations := map[string]map[string]any{
		awstype.HostedZone: {"name": "demo.example.com", "tags": tags},
		awstype.Bucket:     {"bucket": "Z1", "tags": tags},
	}
	for name, test := range map[string]struct {
		created time.Time
		tags    map[string]any
		ids     []string
		want    []string
	}{
		"created since":                   {created: time.Now(), want: []string{"Z1"}},
		"created before":                  {created: time.Now().Add(-time.Hour)},
		"created since, with other tags":  {created: time.Now(), tags: map[string]any{"team": "other"}},
		"of unknown age, decided by user": {ids: []string{"Z1"}, want: []string{"Z1"}},
	} {
		for token, inputs := range creations {
			t.Run(name+" "+token, func(t *testing.T) {
				t.Parallel()
				c, _ := newCloud(t, nil)
				j := NewJournal(t.TempDir())
				require.NoError(t, j.Begin(Begin{At: time.Now(), Existing: map[string][]string{token: nil}}))
				killedAt(t, c, j, "urn:pulumi:dev::hypershift-aws::"+token+"::late", token, inputs)
				c.add(test.tags, "Z1")
				c.created["Z1"] = test.created
				c.recover(j, test.ids...)
				require.Equal(t, test.want, c.ids("late"))
			})
		}
	}
	t.Run("a bucket with objects", func(t *testing.T) {
		t.Parallel()
		c, _ := newCloud(t, nil)
		j := NewJournal(t.TempDir())
		require.NoError(t, j.Begin(Begin{At: time.Now()}))
		killedAt(t, c, j, "urn:pulumi:dev::hypershift-aws::"+awstype.Bucket+"::late", awstype.Bucket,
			creations[awstype.Bucket])
		c.add(nil, "Z1")
		c.created["Z1"], c.objects = time.Now(), []string{"Z1"}
		_, err := c.tryRecover(j)
		var ambiguous *takeover.AmbiguousError
		require.ErrorAs(t, err, &ambiguous)
		require.Empty(t, c.ids("late"))
		c.recover(j, "Z1")
		require.Equal(t, []string{"Z1"}, c.ids("late"))
	})
	t.Run("two zones", func(t *testing.T) {
		t.Parallel()
		c, _ := newCloud(t, nil)
		j := NewJournal(t.TempDir())
		require.NoError(t, j.Begin(Begin{At: time.Now(), Existing: map[string][]string{awstype.HostedZone: nil}}))
		killedAt(t, c, j, "urn:pulumi:dev::hypershift-aws::"+awstype.HostedZone+"::late", awstype.HostedZone,
			creations[awstype.HostedZone])
		c.add(nil, "Z1", "Z2")
		c.created["Z1"], c.created["Z2"] = time.Now(), time.Now()
		_, err := c.tryRecover(j)
		var ambiguous *takeover.AmbiguousError
		require.ErrorAs(t, err, &ambiguous)
		require.Equal(t, []string{"Z1", "Z2"}, ambiguous.Lookups[0].IDs)
		c.recover(j, "Z2")
		require.Equal(t, []string{"Z2"}, c.ids("late"))
	})
}

// No update removes the rule that AWS creates with a security group: the engine replaces a group that was killed before
// the provider removed it.
func TestASecurityGroupWithAWSsEgressRuleIsReplacedByTheNextUpdate(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string][]any{"complete": {}, "killed": {map[string]any{"protocol": "-1"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newCloud(t, nil)
			j := NewJournal(t.TempDir())
			require.NoError(t, j.Begin(Begin{At: time.Now(), Existing: map[string][]string{awstype.SecurityGroup: nil}}))
			killedAt(t, c, j, "urn:pulumi:dev::hypershift-aws::"+awstype.SecurityGroup+"::group", awstype.SecurityGroup,
				map[string]any{"tags": ownedTags()})
			c.add(ownedTags(), "sg-1")
			c.egress = rules
			c.recover(j)
			require.Equal(t, []string{"sg-1"}, c.ids("group"))
			d, err := c.State(t.Context())
			require.NoError(t, err)
			group := d.Live("urn:pulumi:dev::hypershift-aws::" + awstype.SecurityGroup + "::group")
			require.Equal(t, name == "killed", group.Taint)
		})
	}
}

// AWS refused the request that removes its first rule, and the engine recorded the group with an error: an update would
// find no difference.
func TestASecurityGroupWhoseCreationAWSRefusedInPartIsReplacedUnlessItIsInUse(t *testing.T) {
	t.Parallel()
	urn := "urn:pulumi:dev::hypershift-aws::" + awstype.SecurityGroup + "::group"
	for name, test := range map[string]struct {
		rules    []any
		refused  string
		user     string
		read     bool
		replaced bool
	}{
		"refused":       {rules: []any{map[string]any{"protocol": "-1"}}, refused: `,"initErrors":["UnauthorizedOperation"]`, read: true, replaced: true},
		"then complete": {rules: []any{}, refused: `,"initErrors":["RequestLimitExceeded"]`, read: true},
		"then read":     {rules: []any{map[string]any{"protocol": "-1"}}, replaced: true},
		"in use": {rules: []any{map[string]any{"protocol": "-1"}}, user: `,{"urn":"urn:pulumi:dev::hypershift-aws::` + awstype.VPCEndpoint + `::sts","custom":true,
			"id":"vpce-1","type":"` + awstype.VPCEndpoint + `","outputs":{"id":"vpce-1"},"dependencies":["` + urn + `"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newCloud(t, nil)
			c.add(ownedTags(), "sg-1")
			c.egress = test.rules
			outputs := map[string]any{"id": "sg-1"}
			if test.refused == "" {
				outputs["egress"] = test.rules
			}
			text, err := json.Marshal(outputs)
			require.NoError(t, err)
			group := `,{"urn":"` + urn + `","custom":true,"id":"sg-1","type":"` + awstype.SecurityGroup + `","provider":"` + urnProvider + `::p","inputs":{"name":"group"},
				"outputs":` + string(text) + test.refused + `}`
			c.saved.Deployment = append(bytes.TrimSuffix(c.saved.Deployment, []byte("]}")), group+test.user+"]}"...)
			c.calls = nil
			c.recover(NewJournal(t.TempDir()))
			d, err := c.State(t.Context())
			require.NoError(t, err)
			require.Equal(t, test.replaced, d.Live(urn).Taint)
			require.Equal(t, test.read, slices.Contains(c.calls, "read"))
		})
	}
}
