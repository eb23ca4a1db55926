package run

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func began(m apitype.StepEventMetadata) events.EngineEvent {
	return events.EngineEvent{EngineEvent: apitype.EngineEvent{ResourcePreEvent: &apitype.ResourcePreEvent{Metadata: m}}}
}

func ended(m apitype.StepEventMetadata) events.EngineEvent {
	return events.EngineEvent{EngineEvent: apitype.EngineEvent{ResOutputsEvent: &apitype.ResOutputsEvent{Metadata: m}}}
}

func said(severity, urn, message string) events.EngineEvent {
	return events.EngineEvent{EngineEvent: apitype.EngineEvent{DiagnosticEvent: &apitype.DiagnosticEvent{
		Severity: severity, URN: urn, Message: message,
	}}}
}

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

// follow runs an operation on events, a minute apart.
func follow(name gates.Operation, list ...events.EngineEvent) (*engineRun, []report.Event) {
	var reported []report.Event
	now := time.Unix(0, 0)
	op := newEngineRun(name, "dev", func(e report.Event) { reported = append(reported, e) }, func() time.Time { return now })
	for _, e := range list {
		op.handle(e)
		now = now.Add(time.Minute)
	}
	return op, reported
}

func TestAResourceIsReportedWhenItBeginsAndWhenItIsDone(t *testing.T) {
	t.Parallel()
	vpc, same := engineStep(apitype.OpCreate, awstype.VPC, "vpc",
		false), engineStep(apitype.OpSame, awstype.Subnet, "a", false)
	op, reported := follow("up", began(vpc), began(same), ended(same), ended(vpc))
	require.Len(t, reported, 2)
	assert.Equal(t, event.StatusStarted, reported[0].(*event.Resource).Status)
	done := reported[1].(*event.Resource)
	assert.Equal(t, event.StatusDone, done.Status)
	assert.Equal(t, "vpc", done.Name)
	assert.InDelta(t, 180, done.Seconds, 0)
	assert.Equal(t, event.Counts{Created: 1, Same: 1}, op.done.Counts())
	assert.Empty(t, op.underWay())
}

func TestOperationsInProgressAreListedUntilTheyEnd(t *testing.T) {
	t.Parallel()
	op, _ := follow("up", began(engineStep(apitype.OpCreate, awstype.VPC, "vpc", false)),
		began(engineStep(apitype.OpUpdate, awstype.Role, "role", false)))
	assert.Equal(t, []string{"creating VPC vpc", "updating IAM role role"}, op.underWay())
}

func TestARefreshReportsDeletedAndChangedResources(t *testing.T) {
	t.Parallel()
	vpc, role := engineStep(apitype.OpRefresh, awstype.VPC, "vpc",
		false), engineStep(apitype.OpRefresh, awstype.Role, "role", false)
	_, reported := follow("refresh", began(vpc), began(role),
		ended(engineStep(apitype.OpDelete, awstype.VPC, "vpc", false)),
		ended(engineStep(apitype.OpUpdate, awstype.Role, "role", false)))
	require.Len(t, reported, 4)
	assert.Equal(t, event.OpGone, reported[2].(*event.Resource).Op)
	assert.Equal(t, event.OpChanged, reported[3].(*event.Resource).Op)
	assert.InDelta(t, 120, reported[2].(*event.Resource).Seconds, 0)
}

func TestAnErrorIsReportedOnceWithoutTheEnginesRepetition(t *testing.T) {
	t.Parallel()
	op, reported := follow("up",
		said("error", "urn:x", "<{%reset%}>creating it failed<{%reset%}>\n"),
		said("error", "urn:x", "<{%reset%}>creating it failed<{%reset%}>\n"),
		said("error", "", "update failed"),
		said("debug", "", "noise"),
		said("info#err", "", "a line of the program"),
	)
	require.Len(t, reported, 2)
	assert.Equal(t, &event.Diagnostic{Severity: "error", URN: "urn:x", Message: "creating it failed"}, reported[0])
	assert.Equal(t, "info", reported[1].(*event.Diagnostic).Severity)
	assert.Equal(t, []string{"creating it failed"}, op.failures)
}

func TestTheEnginesWarningOfPendingOperationsNamesThisProgramsCommand(t *testing.T) {
	t.Parallel()
	_, reported := follow("up", said("warning", "", `Attempting to deploy or update resources with 1 pending operations from previous deployment.
  * urn:pulumi:dev::p::aws:ec2/vpc:Vpc::demo-vpc, interrupted while creating
These resources are in an unknown state; run `+"`pulumi refresh`"))
	require.Len(t, reported, 1)
	message := reported[0].(*event.Diagnostic).Message
	assert.Contains(t, message, "was interrupted while creating VPC demo-vpc")
	assert.Contains(t, message, "hypershift-aws refresh --forget-pending")
	assert.NotContains(t, message, "pulumi refresh")
}

// TestAResourceThatOnlyLeavesTheStateIsReportedAsKept: the engine calls it a deletion, also of an object of which a
// newer one replaces the older, such as a machine template.
func TestAResourceThatOnlyLeavesTheStateIsReportedAsKept(t *testing.T) {
	t.Parallel()
	for _, op := range []apitype.OpType{apitype.OpDelete, apitype.OpDeleteReplaced} {
		for kept, want := range map[bool]apitype.OpType{true: event.OpKept, false: op} {
			o := newEngineRun(gates.Up, "dev", func(report.Event) {}, time.Now)
			require.Equal(t, want, o.opOf(apitype.StepEventMetadata{
				Op:  op,
				Old: &apitype.StepEventStateMetadata{RetainOnDelete: kept},
			}))
		}
	}
}

// A provider sends its requests again for up to 44 minutes after the credentials have expired.
func TestExpiredCredentialsEndTheEngineOnce(t *testing.T) {
	t.Parallel()
	for message, expires := range map[string]int{
		"creating IAM Role: operation error IAM: GetRole, api error ExpiredToken: The security token included in the request is expired": 1,
		"operation error EC2: DescribeVpcAttribute, api error RequestExpired: Request has expired.":                                      1,
		"operation error EC2: CreateVpc, api error VpcLimitExceeded: The maximum number of VPCs has been reached.":                       0,
	} {
		for name, ends := range map[gates.Operation]int{gates.Up: expires, gates.Destroy: expires, gates.Preview: 0} {
			op, calls := newEngineRun(name, "dev", func(report.Event) {}, time.Now), 0
			op.expires = func() { calls++ }
			for _, of := range []string{"a", "b"} {
				op.diagnostic(&apitype.DiagnosticEvent{Severity: "error", URN: "urn:pulumi:dev::p::aws:iam/role:Role::" + of,
					Message: message})
			}
			require.Equal(t, ends, calls, "%s: %s", name, message)
		}
	}
}

// After a failure, the engine also misses the steps of its plan that it has therefore left out.
func TestStepsThatAFailureLeavesOutAreNoErrors(t *testing.T) {
	t.Parallel()
	missing := &apitype.DiagnosticEvent{Severity: "error", Message: "expected resource operations for " +
		"urn:pulumi:dev::p::aws:ec2/route:Route::r but none were seen"}
	op := newEngineRun(gates.Up, "dev", func(report.Event) {}, time.Now)
	op.diagnostic(&apitype.DiagnosticEvent{Severity: "error", Message: "api error NatGatewayLimitExceeded: no"})
	op.diagnostic(missing)
	require.Len(t, op.failures, 1)
	op = newEngineRun(gates.Up, "dev", func(report.Event) {}, time.Now)
	op.diagnostic(missing)
	require.Len(t, op.failures, 1)
	op = newEngineRun(gates.Up, "dev", func(report.Event) {}, time.Now)
	op.stopped = func() bool { return true }
	op.diagnostic(missing)
	require.Empty(t, op.failures, "a user who stops an update is told nothing of a plan that differs")
}

// What is no difference for drift is none for refresh.
func TestAComparisonReportsItsOwnDoingAsUnchanged(t *testing.T) {
	t.Parallel()
	began, ended := began(engineStep(apitype.OpRefresh, awstype.HostedZone, "zone", false)),
		ended(engineStep(apitype.OpUpdate, awstype.HostedZone, "zone", false))
	for _, name := range []gates.Operation{gates.Drift, gates.Refresh} {
		began.ResourcePreEvent.Planning, ended.ResOutputsEvent.Planning = name.Dry(), name.Dry()
		for own, changed := range map[bool]int{true: 0, false: 1} {
			op := newEngineRun(name, "dev", func(report.Event) {}, time.Now)
			op.own = func(*changes.Step) bool { return own }
			op.handle(began)
			op.handle(ended)
			found := &op.done.Plan
			if name.Dry() {
				found = &op.plan.Plan
			}
			require.Equal(t, changed == 1, found.HasChanges, "%s, own: %t", name, own)
			require.Equal(t, changed, found.Counts().Updated, "%s, own: %t", name, own)
			require.Empty(t, op.underWay(), "%s, own: %t: nothing is abandoned", name, own)
		}
	}
}
