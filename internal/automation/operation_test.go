package automation

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// follow runs an operation on events, a minute apart.
func follow(name string, list ...events.EngineEvent) (*operation, []Event) {
	var reported []Event
	c := &clock{time.Unix(0, 0)}
	op := newOperation(name, "dev", func(e Event) { reported = append(reported, e) }, c.now)
	for _, e := range list {
		op.handle(e)
		c.pass(time.Minute)
	}
	return op, reported
}

func TestAResourceIsReportedWhenItBeginsAndWhenItIsDone(t *testing.T) {
	t.Parallel()
	vpc, same := engineStep(apitype.OpCreate, typeVPC, "vpc", false), engineStep(apitype.OpSame, typeSubnet, "a", false)
	op, reported := follow("up", began(vpc), began(same), ended(same), ended(vpc))
	require.Len(t, reported, 2)
	assert.Equal(t, StatusStarted, reported[0].(*ResourceEvent).Status)
	done := reported[1].(*ResourceEvent)
	assert.Equal(t, StatusDone, done.Status)
	assert.Equal(t, "vpc", done.Name)
	assert.InDelta(t, 180, done.Seconds, 0)
	assert.Equal(t, Counts{Created: 1, Same: 1}, op.done.Counts())
	assert.Empty(t, op.underWay())
}

func TestWhatHasNotEndedIsUnderWay(t *testing.T) {
	t.Parallel()
	op, _ := follow("up", began(engineStep(apitype.OpCreate, typeVPC, "vpc", false)), began(engineStep(apitype.OpUpdate, typeRole, "role", false)))
	assert.Equal(t, []string{"creating VPC vpc", "updating IAM role role"}, op.underWay())
}

func TestARefreshTellsWhatIsGoneAndWhatChanged(t *testing.T) {
	t.Parallel()
	vpc, role := engineStep(apitype.OpRefresh, typeVPC, "vpc", false), engineStep(apitype.OpRefresh, typeRole, "role", false)
	_, reported := follow("refresh", began(vpc), began(role),
		ended(engineStep(apitype.OpDelete, typeVPC, "vpc", false)), ended(engineStep(apitype.OpUpdate, typeRole, "role", false)))
	require.Len(t, reported, 4)
	assert.Equal(t, OpGone, reported[2].(*ResourceEvent).Op)
	assert.Equal(t, OpChanged, reported[3].(*ResourceEvent).Op)
	assert.InDelta(t, 120, reported[2].(*ResourceEvent).Seconds, 0)
}

func TestAnErrorIsToldOnceAndWithoutTheEnginesEcho(t *testing.T) {
	t.Parallel()
	op, reported := follow("up",
		said("error", "urn:x", "<{%reset%}>creating it failed<{%reset%}>\n"),
		said("error", "urn:x", "<{%reset%}>creating it failed<{%reset%}>\n"),
		said("error", "", "update failed"),
		said("debug", "", "noise"),
		said("info#err", "", "a line of the program"),
	)
	require.Len(t, reported, 2)
	assert.Equal(t, &DiagnosticEvent{Severity: "error", URN: "urn:x", Message: "creating it failed"}, reported[0])
	assert.Equal(t, "info", reported[1].(*DiagnosticEvent).Severity)
	assert.Equal(t, []string{"creating it failed"}, op.failures)
}

func TestTheEnginesWarningOfPendingOperationsNamesOurCommand(t *testing.T) {
	t.Parallel()
	_, reported := follow("up", said("warning", "", `Attempting to deploy or update resources with 1 pending operations from previous deployment.
  * urn:pulumi:dev::p::aws:ec2/vpc:Vpc::demo-vpc, interrupted while creating
These resources are in an unknown state; run `+"`pulumi refresh`"))
	require.Len(t, reported, 1)
	message := reported[0].(*DiagnosticEvent).Message
	assert.Contains(t, message, "gave up creating VPC demo-vpc")
	assert.Contains(t, message, "hypershift-aws refresh --forget-pending")
	assert.NotContains(t, message, "pulumi refresh")
}
