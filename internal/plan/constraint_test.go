package plan

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

const (
	urnStack = "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev"
	urnGroup = "urn:pulumi:dev::p::" + awstype.SecurityGroup + "::node"
	urnVPC   = "urn:pulumi:dev::p::" + awstype.VPC + "::vpc"
)

// The engine ends an update without a word whose outputs differ from those of its preview, and refuses its own plan for
// a resource that is not complete. Everything else of the plan binds.
func TestOnlyOutputsAndIncompleteResourcesAreOpenInAConstraint(t *testing.T) {
	t.Parallel()
	const unknown = changes.UnknownValue
	text := `{"resourcePlans": {
		"` + urnStack + `": {"goal": {"custom": false, "outputDiff": {"adds": {"new": 1}, "updates": {"kept": 2}, "deletes": ["gone"]}}},
		"` + urnGroup + `": {"goal": {"custom": true, "inputDiff": {"adds": {"egress": [], "name": "n", "revoke": false}}}, "steps": ["replace"]},
		"` + urnVPC + `": {"goal": {"custom": true, "inputDiff": {"updates": {"tags": "t"}}}, "steps": ["update"], "seed": "c2VlZA=="}
	}, "manifest": {"x": 1}}`
	judged := &changes.Plan{Engine: []byte(text), Steps: []*changes.Step{
		{URN: urnGroup, Type: awstype.SecurityGroup, Change: changes.Replace, Keys: []string{"id"}, ID: "sg-1", Custom: true},
		{URN: urnVPC, Type: awstype.VPC, Change: changes.Update, ID: "vpc-1", Custom: true},
	}}
	before := map[string]apitype.ResourceV3{
		urnStack: {Outputs: map[string]any{"kept": 1, "gone": 3}},
		urnGroup: {Inputs: map[string]any{"egress": "all", "revoke": nil, "unset": nil}}, // as an import records them
	}
	made, err := Constraint(judged, func(urn string) apitype.ResourceV3 { return before[urn] }, "consents")
	require.NoError(t, err)
	want := `{"resourcePlans": {
		"` + urnStack + `": {"goal": {"custom": false, "outputDiff": {
			"adds": {"new": "` + unknown + `", "consents": "` + unknown + `"},
			"updates": {"kept": "` + unknown + `", "gone": "` + unknown + `"}}}},
		"` + urnGroup + `": {"goal": {"custom": true, "inputDiff": {
			"adds": {"name": "` + unknown + `", "revoke": "` + unknown + `"}, "updates": {"egress": "` + unknown + `"}}}, "steps": ["replace"]},
		"` + urnVPC + `": {"goal": {"custom": true, "inputDiff": {"updates": {"tags": "t"}}}, "steps": ["update"], "seed": "c2VlZA=="}
	}, "manifest": {"x": 1}}`
	require.JSONEq(t, want, string(made))
	var typed apitype.DeploymentPlanV1
	require.NoError(t, json.Unmarshal(made, &typed))
	require.Len(t, typed.ResourcePlans[resource.URN(urnVPC)].Steps, 1)
}

// A resource that something refers to is in use, whatever marks it for a replacement.
func TestAResourceThatSomethingRefersToIsComplete(t *testing.T) {
	t.Parallel()
	group := &changes.Step{
		URN:    urnGroup,
		Type:   awstype.SecurityGroup,
		Change: changes.Replace,
		Keys:   []string{"id"},
		ID:     "sg-1",
	}
	user := func(change changes.Change) *changes.Step {
		return &changes.Step{URN: urnVPC, Change: change, Old: map[string]any{"groups": []any{"sg-1"}}}
	}
	for name, c := range map[string]struct {
		step   *changes.Step
		others []*changes.Step
		want   bool
	}{
		"alone":              {group, nil, true},
		"used":               {group, []*changes.Step{user(changes.Same)}, false},
		"used by a new one":  {group, []*changes.Step{{URN: urnVPC, Change: changes.Create}}, true},
		"for an input":       {&changes.Step{Change: changes.Replace, Keys: []string{"id", "name"}}, nil, false},
		"deleted, not alone": {&changes.Step{Change: changes.Delete, Keys: []string{"id"}}, nil, false},
	} {
		require.Equal(t, c.want, Incomplete(&changes.Plan{Steps: append(c.others, c.step)}, c.step), name)
	}
}

// A retry continues the judged plan, and does nothing else.
func TestARetryHasNoStepThatTheJudgedPlanLacks(t *testing.T) {
	t.Parallel()
	plan := func(change changes.Change) *changes.Plan {
		return &changes.Plan{
			Steps: []*changes.Step{{URN: urnVPC, Name: "vpc", Type: awstype.VPC, Change: change, Custom: true}},
		}
	}
	nothing := func(*changes.Step) bool { return false }
	for judged, allowed := range map[changes.Change][]changes.Change{
		changes.Same:    {changes.Same},
		changes.Create:  {changes.Same, changes.Create, changes.Update},
		changes.Update:  {changes.Same, changes.Update},
		changes.Import:  {changes.Same, changes.Update, changes.Import},
		changes.Replace: {changes.Same, changes.Create, changes.Update, changes.Replace, changes.Delete},
		changes.Delete:  {changes.Same, changes.Update, changes.Replace, changes.Delete},
	} {
		for _, now := range []changes.Change{
			changes.Same, changes.Create, changes.Update, changes.Import, changes.Replace, changes.Delete,
		} {
			may := false
			for _, a := range allowed {
				may = may || a == now
			}
			more := More(plan(judged), plan(now), nothing)
			require.Equal(t, may, len(more) == 0, "%s, then %s: %v", judged, now, more)
			require.Empty(t, More(plan(judged), plan(now), func(*changes.Step) bool { return true }))
		}
	}
	judged, now := plan(changes.Import), plan(changes.Import)
	judged.Steps[0].Diffs, now.Steps[0].Diffs = []string{"tags"}, []string{"tags"}
	require.Empty(t, More(judged, now, nothing))
	now.Steps[0].Diffs = []string{"assumeRolePolicy", "tags"}
	require.Equal(t, "VPC vpc", Labels(More(judged, now, nothing)), "its takeover would change more")
}

// What was shown of an update are its values, not only that there is one.
func TestARetryUpdatesToTheValuesThatWereJudged(t *testing.T) {
	t.Parallel()
	const unknown = changes.UnknownValue
	update := func(values map[string]any) *changes.Plan {
		return &changes.Plan{Steps: []*changes.Step{{URN: urnVPC, Name: "vpc", Type: awstype.VPC, Change: changes.Update,
			Custom: true, Old: map[string]any{"a": "before", "policy": `{"Statement": [{"Effect": "Allow"}]}`}, New: values}}}
	}
	const policy = `{"Statement": [{"Effect": "Deny"}]}`
	judged := update(map[string]any{"a": "after", "b": unknown, "policy": unknown})
	for name, c := range map[string]struct {
		now  map[string]any
		more bool
	}{
		"what is left":        {map[string]any{"a": "after", "policy": `{"Statement": [{"Effect": "Allow"}]}`}, false},
		"what was not known":  {map[string]any{"a": "after", "b": "known", "policy": policy}, false},
		"another value":       {map[string]any{"a": "other", "policy": policy}, true},
		"another input":       {map[string]any{"a": "after", "c": "new", "policy": policy}, true},
		"an input that is no": {map[string]any{"policy": policy}, true},
	} {
		more := More(judged, update(c.now), func(*changes.Step) bool { return false })
		require.Equal(t, c.more, len(more) > 0, name)
	}
}

// A consent ends with what it named: an ID that is a name is not enough.
func TestAConsentNamesWhatNoLaterResourceHas(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 20, 0, 0, 5, time.FixedZone("", 3600))
	const made = "2026-11-28T19:00:00Z"
	for want, step := range map[string]*changes.Step{
		"bucket@" + made:    {ID: "bucket", Type: awstype.Bucket},
		"read@" + made:      {ID: "read", Type: awstype.BucketPolicy},
		"issuer@" + made:    {ID: "issuer", Type: awstype.OIDCProvider},
		"r-rtb-1@" + made:   {ID: "r-rtb-1", Type: awstype.Route},
		"role:name@" + made: {ID: "role:name", Type: awstype.RolePolicy},
		"nat-1":             {ID: "nat-1", Type: awstype.NATGateway},
		"subnet-1":          {ID: "subnet-1", OldOutputs: map[string]any{"id": "subnet-1"}},
		"operator@AROA1":    {ID: "operator", OldOutputs: map[string]any{"uniqueId": "AROA1"}},
		"operator@AROA2":    {ID: "operator", Old: map[string]any{"uniqueId": "AROA2"}},
		"clusters/a@uid1":   {ID: "clusters/a", OldOutputs: map[string]any{"metadata": map[string]any{"uid": "uid1"}}},
	} {
		plan := &changes.Plan{Before: []apitype.ResourceV3{{URN: resource.URN(step.URN), Created: &at}}}
		require.Equal(t, want, consentID(plan, step))
	}
	bucket := &changes.Step{ID: "bucket", Type: awstype.Bucket}
	require.Equal(t, "bucket", consentID(&changes.Plan{}, bucket), "in a program, which does not see the time")
}
