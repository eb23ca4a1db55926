package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// clock is a time that tests move.
type clock struct{ time time.Time }

func (c *clock) now() time.Time       { return c.time }
func (c *clock) pass(d time.Duration) { c.time = c.time.Add(d) }
func resourceEvent(op apitype.OpType, token, name string, s event.Status) *event.Resource {
	return &event.Resource{
		Op:           op,
		URN:          "urn:pulumi:dev::p::" + token + "::" + name,
		Name:         name,
		ResourceType: token,
		Status:       s,
	}
}

// remaining is the forecast of a chain of resources, each of which waits for the one before.
type remaining struct {
	timed                bool
	left                 time.Duration
	steps, started, done int
}

func (r *remaining) Follow(e *event.Resource, _ time.Time) {
	if e.Status == event.StatusStarted {
		r.started++
	} else {
		r.done++
	}
}
func (r *remaining) Count() (done, running, all int) { return r.done, r.started - r.done, r.steps }
func (r *remaining) Timed() bool                     { return r.timed }
func (r *remaining) Left(time.Time) time.Duration    { return r.left }
func (r *remaining) Waiting(*event.Resource) int     { return r.steps - r.started }

func TestWithoutATerminalLongOperationsAreReportedPeriodically(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, nil, c.now)
	p.Report(resourceEvent("create", awstype.VPC, "vpc", event.StatusStarted))
	p.Report(resourceEvent("create", awstype.VPC, "vpc", event.StatusDone))
	p.Report(resourceEvent("create", awstype.NATGateway, "nat-a", event.StatusStarted))
	for range 95 {
		c.pass(time.Second)
		p.tick()
	}
	p.Report(resourceEvent("create", awstype.NATGateway, "nat-a", event.StatusDone))
	assert.Equal(t, strings.Join([]string{
		"  created VPC vpc",
		"  creating NAT gateway nat-a",
		"  still creating NAT gateway nat-a (30s; usually about 1m46s)",
		"  still creating NAT gateway nat-a (1m0s; usually about 1m46s)",
		"  still creating NAT gateway nat-a (1m30s; usually about 1m46s)",
		"  created NAT gateway nat-a (1m35s)",
		"",
	}, "\n"), out.String())
}

func TestProgressShowsTheRemainingTime(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, func() int { return 80 }, c.now)
	vpc, nat := resourceEvent("create", awstype.VPC, "vpc",
		event.StatusStarted), resourceEvent("create", awstype.NATGateway, "nat", event.StatusStarted)
	left := &remaining{timed: true, left: 116 * time.Second, steps: 2}
	p.UseTracker(left)
	p.Report(vpc)
	c.pass(5 * time.Second)
	out.Reset()
	p.tick()
	const redrawn = "\r\x1b[K\x1b[A\r\x1b[K"
	assert.Equal(t, redrawn+"  [....................] 0 of 2 done, about 2 min left, 1 waiting\n"+
		"  … creating VPC vpc (5s; usually about 15s), 1 waiting for it", out.String())
	p.Report(resourceEvent("create", awstype.VPC, "vpc", event.StatusDone))
	p.Report(nat)
	c.pass(90 * time.Second)
	left.left = 16 * time.Second
	out.Reset()
	p.tick()
	assert.Equal(t, redrawn+"  [##########..........] 1 of 2 done, about 15 s left, 0 waiting\n"+
		"  … creating NAT gateway nat (1m30s; usually about 1m46s)", out.String())
	p.Report(&event.Summary{Operation: "up", Stack: "dev", Result: "succeeded"})
	p.Report(resourceEvent("create", awstype.Subnet, "a", event.StatusStarted))
	out.Reset()
	p.tick()
	assert.NotContains(t, out.String(), "left")
}

func TestProgressWithoutTimesCounts(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, func() int { return 80 }, c.now)
	vpc, subnet := resourceEvent("create", awstype.VPC, "vpc",
		event.StatusStarted), resourceEvent("create", awstype.Subnet, "a", event.StatusStarted)
	p.UseTracker(&remaining{steps: 2})
	p.Report(vpc)
	p.Report(resourceEvent("create", awstype.VPC, "vpc", event.StatusDone))
	out.Reset()
	p.Report(subnet)
	assert.Contains(t, out.String(), "[##########..........] 1 of 2 done, 0 waiting\n")
}

// TestManyResourcesThatAreDoneAreANumberByComponentOnATerminal: a log has a line for each.
func TestManyResourcesThatAreDoneAreANumberByComponentOnATerminal(t *testing.T) {
	t.Parallel()
	run := func(width func() int, steps int) string {
		var out bytes.Buffer
		p := newProgress(&out, width, time.Now)
		p.UseTracker(&remaining{steps: steps})
		for i := range steps {
			e := resourceEvent("create", awstype.Subnet, fmt.Sprint("subnet-", i), event.StatusStarted)
			e.URN = fmt.Sprintf("urn:pulumi:dev::p::hypershift-aws:network:GuestNetwork$%s::subnet-%d", awstype.Subnet, i)
			p.Report(e)
			done := *e
			if done.Status = event.StatusDone; i == 3 {
				done.Status = event.StatusFailed
			}
			p.Report(&done)
		}
		p.Report(&event.Summary{Operation: "up", Stack: "dev", Result: "failed"})
		return out.String()
	}
	window := func() int { return 80 }
	many := run(window, 20)
	assert.Contains(t, many, "  guest network: 19 created\n")
	assert.Contains(t, many, "failed: creating subnet subnet-3")
	assert.NotContains(t, many, "created subnet")
	assert.Equal(t, 5, strings.Count(run(window, 6), "created subnet"))
	assert.Equal(t, 19, strings.Count(run(nil, 20), "created subnet"))
}

func TestATerminalsLastLineListsOperationsInProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, func() int { return 60 }, c.now)
	p.Report(resourceEvent("create", awstype.Subnet, "a", event.StatusStarted))
	out.Reset()
	c.pass(12 * time.Second)
	p.tick()
	assert.Equal(t, "\r\x1b[K  … creating subnet a (12s)", out.String())

	out.Reset()
	for _, name := range []string{"b", "c", "d", "e"} {
		p.Report(resourceEvent("create", awstype.Subnet, name, event.StatusStarted))
	}
	last := out.String()[strings.LastIndex(out.String(), "\r"):]
	for line := range strings.Lines(strings.TrimPrefix(last, "\r\x1b[K")) {
		assert.LessOrEqual(t, len([]rune(line)), 60, "%s", line)
	}
	assert.Equal(t, 4, strings.Count(last, "\n"), "a line for each of five operations")

	out.Reset()
	p.Report(resourceEvent("create", awstype.Subnet, "a", event.StatusDone))
	assert.Contains(t, out.String(), "\r\x1b[K  created subnet a (12s)\n")
}

func TestAThousandOperationsTakeSevenLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, func() int { return 40 }, c.now)
	for i := range 1000 {
		p.Report(resourceEvent("create", awstype.NATGateway, fmt.Sprintf("nat-%d-with-a-long-name-of-its-own", i),
			event.StatusStarted))
	}
	out.Reset()
	p.tick()
	drawn := out.String()[strings.LastIndex(out.String(), "\x1b[K")+3:]
	assert.Equal(t, 6, strings.Count(drawn, "\n"))
	assert.True(t, strings.HasSuffix(drawn, "\n  … 994 more"), "%q", drawn)
	for line := range strings.Lines(drawn) {
		assert.Less(t, len([]rune(strings.TrimSuffix(line, "\n"))), 40, "%s", line)
	}
}

// The terminal breaks a line that it shows already into as many rows as it now needs.
func TestAWindowThatBecomesNarrowerLeavesNoRemains(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	width := 80
	p := newProgress(&out, func() int { return width }, c.now)
	p.Report(resourceEvent("create", awstype.NATGateway, "network-nat-us-east-1a", event.StatusStarted))
	width = 30
	out.Reset()
	p.tick()
	assert.True(t, strings.HasPrefix(out.String(), "\r\x1b[K\x1b[A\r\x1b[K\x1b[A\r\x1b[K  …"), "%q", out.String())
}

func TestLinesAboutResourcesAreAGroupOfThePipelinesLog(t *testing.T) {
	t.Parallel()
	for log, want := range map[Log]string{
		GitHubActions: "::group::resources\n  created subnet a\n::endgroup::\nerror: refused\n::group::resources\n  created subnet b\n::endgroup::\nup of dev succeeded: 2 created; 0s\n",
		GitLab: "\x1b[0Ksection_start:7:resources\r\x1b[0Kresources\n  created subnet a\n\x1b[0Ksection_end:7:resources\r\x1b[0K\nerror: refused\n" +
			"\x1b[0Ksection_start:7:resources\r\x1b[0Kresources\n  created subnet b\n\x1b[0Ksection_end:7:resources\r\x1b[0K\nup of dev succeeded: 2 created; 0s\n",
		"": "  created subnet a\nerror: refused\n  created subnet b\nup of dev succeeded: 2 created; 0s\n",
	} {
		var out bytes.Buffer
		c := &clock{time.Unix(7, 0)}
		p := newProgress(&out, nil, c.now)
		p.log = log
		p.Report(resourceEvent("create", awstype.Subnet, "a", event.StatusDone))
		p.Report(&event.Diagnostic{Severity: "error", Message: "refused"})
		p.Report(resourceEvent("create", awstype.Subnet, "b", event.StatusDone))
		p.Report(&event.Summary{Operation: "up", Stack: "dev", Result: "succeeded", Counts: event.Counts{Created: 2}})
		assert.Equal(t, want, out.String())
	}
	environ := func(name string) func(string) string {
		return func(asked string) string { return map[bool]string{true: "true"}[asked == name] }
	}
	assert.Equal(t, GitHubActions, NewLog(environ("GITHUB_ACTIONS")))
	assert.Equal(t, GitLab, NewLog(environ("GITLAB_CI")))
	assert.Empty(t, NewLog(environ("CI")))
}

func TestAnInterruptNamesTheOperationsInProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, nil, c.now)
	p.Report(resourceEvent("create", awstype.NATGateway, "nat-a", event.StatusStarted))
	c.pass(72 * time.Second)
	p.Report(&event.Interrupt{Count: 1})
	p.Report(&event.Interrupt{Count: 2})
	assert.Contains(t, out.String(), "stopping: waiting for creating NAT gateway nat-a (1m12s; usually about 1m46s); a second signal abandons them")
	assert.Contains(t, out.String(), "stopping immediately")
}

func TestFailuresAndDiagnosticsNameTheirResource(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, nil, c.now)
	p.Report(resourceEvent("delete", awstype.VPC, "vpc", event.StatusStarted))
	p.Report(&event.Diagnostic{
		Severity: "error",
		URN:      "urn:pulumi:dev::p::" + awstype.VPC + "::vpc",
		Message:  "DependencyViolation",
	})
	p.Report(resourceEvent("delete", awstype.VPC, "vpc", event.StatusFailed))
	assert.Equal(t, "error: VPC vpc: DependencyViolation\n  failed: deleting VPC vpc\n", out.String())
}

func TestTheSummaryHasTheCountsAndOffline(t *testing.T) {
	t.Parallel()
	summary := &event.Summary{
		Operation: "up",
		Stack:     "dev",
		Result:    "succeeded",
		Counts:    event.Counts{Created: 3, Same: 2},
		Seconds:   151,
		Offline:   true,
	}
	assert.Equal(t, "up of dev succeeded (offline): 3 created, 2 unchanged; 2m31s", SummaryText(summary))
	assert.Equal(t, "refresh of dev found changes: 1 missing; 1s", SummaryText(&event.Summary{Operation: "refresh",
		Stack: "dev", Result: "succeeded", Counts: event.Counts{Deleted: 1},
		Seconds: 1}))
}

func TestRepeatedErrorsHaveOneRemedy(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgress(&out, nil, time.Now)
	for _, bucket := range []string{"a", "b"} {
		urn := "urn:pulumi:dev::p::aws:s3/bucketPolicy:BucketPolicy::" + bucket
		p.Report(&event.Diagnostic{
			Severity: "error",
			URN:      urn,
			Message: "bucket policy " + bucket + " is protected; unprotect " + bucket +
				". The key unprotected: true removes more",
		})
	}
	assert.Equal(t, "error: bucket policy a is protected; unprotect a. The key unprotected: true removes more\nerror: bucket policy b is protected; unprotect b\n", out.String())
}

func TestAnUpdateDoesNotRepeatTheInformationOfItsPreview(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgress(&out, nil, time.Now)
	for range 2 {
		p.Report(&event.Diagnostic{Severity: "info", Message: "stage 1 of 2"})
		p.Report(&event.Diagnostic{Severity: "error", Message: "refused"})
	}
	assert.Equal(t, "info: stage 1 of 2\nerror: refused\nerror: refused\n", out.String())
}
