package plan

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func engineStep(op apitype.OpType, token, name string, oldDeleted bool) apitype.StepEventMetadata {
	m := apitype.StepEventMetadata{Op: op, URN: "urn:pulumi:dev::p::" + token + "::" + name, Type: token}
	if op != apitype.OpCreate {
		m.Old = &apitype.StepEventStateMetadata{
			Custom: true,
			ID:     "id",
			Delete: oldDeleted,
			Inputs: map[string]any{"k": "old"},
		}
	}
	if op != apitype.OpDelete && op != apitype.OpDeleteReplaced {
		m.New = &apitype.StepEventStateMetadata{Custom: true, Inputs: map[string]any{"k": "new"}}
	}
	return m
}

func TestTheEnginesStepsOfAReplacementAreOne(t *testing.T) {
	t.Parallel()
	for _, order := range [][]apitype.OpType{
		{apitype.OpCreateReplacement, apitype.OpReplace, apitype.OpDeleteReplaced},
		{apitype.OpDeleteReplaced, apitype.OpReplace, apitype.OpCreateReplacement},
	} {
		var plan Builder
		for _, op := range order {
			plan.Add(engineStep(op, awstype.VPC, "vpc", op == apitype.OpDeleteReplaced))
		}
		require.Len(t, plan.Steps, 1, "%v", order)
		assert.Equal(t, changes.Replace, plan.Steps[0].Change)
		assert.False(t, plan.Steps[0].Leftover)
		assert.Equal(t, "old", plan.Steps[0].Old["k"])
		assert.Equal(t, "new", plan.Steps[0].New["k"])
		assert.Equal(t, event.Counts{Replaced: 1}, plan.Counts())
	}
}

// The engine replaces a resource that was only read when the program takes it over, by what has the same ID.
func TestAnImportWithTheSameIDIsNoReplacement(t *testing.T) {
	t.Parallel()
	for _, order := range [][]apitype.OpType{
		{apitype.OpImportReplacement, apitype.OpReplace, apitype.OpDiscardReplaced},
		{apitype.OpReplace, apitype.OpImportReplacement, apitype.OpDiscardReplaced},
	} {
		for id, want := range map[string]event.Counts{"old-id": {Imported: 1}, "other-id": {Replaced: 1}} {
			var plan Builder
			for _, op := range order {
				step := engineStep(op, awstype.VPCEndpoint, "private-link", false)
				step.Old, step.New = nil, nil
				if op != apitype.OpImportReplacement {
					step.Old = &apitype.StepEventStateMetadata{ID: "old-id", Custom: true, Inputs: map[string]any{"k": "old"}}
				}
				if op != apitype.OpDiscardReplaced {
					step.New = &apitype.StepEventStateMetadata{Custom: true, Inputs: map[string]any{"k": "new"}}
				}
				if op == apitype.OpReplace {
					step.New.ID = id
				}
				plan.Add(step)
			}
			require.Len(t, plan.Steps, 1, "%v", order)
			assert.Equal(t, want, plan.Counts(), "%v", order)
			if want.Imported == 1 {
				assert.Equal(t, "  = VPC endpoint private-link  [imports old-id]\n1 to import\n",
					Text(&plan.Plan, Layout{Width: 80}))
			}
		}
	}
}

func TestADeletionLeftByAnEarlierRunIsASeparateStep(t *testing.T) {
	t.Parallel()
	var plan Builder
	plan.Add(engineStep(apitype.OpSame, awstype.VPC, "vpc", false))
	plan.Add(engineStep(apitype.OpDeleteReplaced, awstype.VPC, "vpc", true))
	require.Len(t, plan.Steps, 2)
	assert.Equal(t, changes.Same, plan.Steps[0].Change)
	assert.True(t, plan.Steps[1].Leftover)
	assert.True(t, plan.HasChanges)
}

func TestAValueThatTheStateRecordsIsNoResource(t *testing.T) {
	t.Parallel()
	var plan Builder
	plan.Add(engineStep(apitype.OpCreate, "pulumi:index:Stash", "inherited", false))
	plan.Add(engineStep(apitype.OpSame, awstype.VPC, "vpc", false))
	assert.Equal(t, event.Counts{Same: 1}, plan.Counts())
	assert.True(t, plan.HasChanges)
	assert.Equal(t, "only the state's records change, 1 unchanged\n", Text(&plan.Plan, Layout{}))
	plan.Add(engineStep(apitype.OpUpdate, "pulumi:index:Stash", "management-cluster", false))
	assert.Contains(t, Text(&plan.Plan, Layout{}), "~ recorded value management-cluster\n")
}

func TestComponentsAndUnchangedProvidersDoNotCount(t *testing.T) {
	t.Parallel()
	var plan Builder
	component := engineStep(apitype.OpCreate, "hypershift-aws:network:GuestNetwork", "network", false)
	component.New.Custom = false
	plan.Add(component)
	plan.Add(engineStep(apitype.OpCreate, "pulumi:providers:aws", "default", false))
	plan.Add(engineStep(apitype.OpUpdate, "pulumi:providers:aws", "other", false))
	plan.Add(engineStep(apitype.OpCreate, awstype.VPC, "vpc", false))
	assert.Equal(t, event.Counts{Created: 1, Updated: 1}, plan.Counts())
	assert.Len(t, Listed(&plan.Plan), 2)
}

func TestAPlanIsListedInOneOrder(t *testing.T) {
	t.Parallel()
	var plan Builder
	for _, name := range []string{"b", "c", "a"} {
		plan.Add(engineStep(apitype.OpCreate, awstype.Subnet, name, false))
	}
	plan.Add(engineStep(apitype.OpSame, awstype.Subnet, "d", false))
	plan.Steps[0].Diffs = nil
	assert.Equal(t, "  + 3 subnets: a, b, c\n3 to create, 1 unchanged\n", Text(&plan.Plan, Layout{Width: 80}))
}

func TestAnImportedResourceExistsBeforeThePlan(t *testing.T) {
	t.Parallel()
	read := apitype.ResourceV3{URN: "urn:pulumi:a::b::c::read", External: true}
	kept, taken, made := apitype.ResourceV3{
		URN: "urn:pulumi:a::b::c::kept",
	}, apitype.ResourceV3{URN: "urn:pulumi:a::b::c::taken"}, apitype.ResourceV3{URN: "urn:pulumi:a::b::c::made"}
	p := changes.Plan{
		Steps: []*changes.Step{
			{URN: string(kept.URN), Change: changes.Same}, {URN: string(read.URN), Change: changes.Import},
			{URN: string(taken.URN), Change: changes.Import},
			{URN: string(made.URN), Change: changes.Create},
		},
		Before: []apitype.ResourceV3{kept, read},
	}
	owned := read
	owned.External = false
	p.After = []apitype.ResourceV3{kept, owned, taken, made}
	assert.Equal(t, []apitype.ResourceV3{kept, owned, taken}, p.Existing())
}

func TestAnOperationInTwoPartsCountsAResourceOnce(t *testing.T) {
	t.Parallel()
	var first, second Builder
	first.Add(engineStep(apitype.OpDelete, awstype.VPC, "cluster", false))
	for _, name := range []string{"vpc", "kept"} {
		first.Add(engineStep(apitype.OpSame, awstype.VPC, name, false))
	}
	second.Add(engineStep(apitype.OpDelete, awstype.VPC, "vpc", false))
	both := changes.Plan{Steps: Continued(first.Steps, second.Steps)}
	assert.Equal(t, event.Counts{Deleted: 2, Same: 1}, both.Counts(), "one resource was not reached")
}

// With Pulumi's own option to refresh, the engine reports that it reads a resource, and then what it does with it.
func TestAChangeThatFollowsARefreshIsTheResourcesChange(t *testing.T) {
	t.Parallel()
	const urn = "urn:pulumi:dev::project::aws:ec2/subnet:Subnet::a"
	old := &apitype.StepEventStateMetadata{ID: "subnet-1", Custom: true}
	for op, want := range map[apitype.OpType]changes.Change{
		apitype.OpDelete: changes.Delete, apitype.OpUpdate: changes.Update, apitype.OpReplace: changes.Replace,
		apitype.OpSame: changes.Same,
	} {
		var r Builder
		r.Add(apitype.StepEventMetadata{Op: apitype.OpRefresh, URN: urn, Old: old, New: old})
		r.Add(apitype.StepEventMetadata{Op: op, URN: urn, Old: old})
		require.Len(t, r.Steps, 1, op)
		require.Equal(t, want, r.Steps[0].Change, op)
		require.NoError(t, r.Check(Goals{urn: {Steps: []apitype.OpType{op}}}), op)
	}
}

func TestWhatTheEventsDoNotExplainIsAnError(t *testing.T) {
	t.Parallel()
	const urn = "urn:pulumi:dev::project::aws:ec2/subnet:Subnet::a"
	var read Builder
	read.Add(apitype.StepEventMetadata{Op: apitype.OpRefresh, URN: urn})
	require.ErrorContains(t, read.Check(Goals{urn: {Steps: []apitype.OpType{apitype.OpDelete}}}), "delete of "+urn)
	require.ErrorContains(t, (&Builder{}).Check(Goals{
		urn: {Steps: []apitype.OpType{apitype.OpCreate}},
	}), "create of "+urn)
	var unknown Builder
	unknown.Add(apitype.StepEventMetadata{Op: "vanish", URN: urn})
	require.ErrorContains(t, unknown.Check(nil), "vanish of "+urn)
}
