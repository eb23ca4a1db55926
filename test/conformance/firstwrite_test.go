package conformance

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// chain returns how long the provider took from the first change to the last policy of a role, after which a
// HostedCluster can be applied: no program that uses this provider is faster.
func (m measured) chain() time.Duration {
	var first, last time.Time
	for _, call := range m.calls {
		if call.Changes && first.IsZero() {
			first = call.Began
		}
		if call.Action == "iam:PutRolePolicy" && call.Ended.After(last) {
			last = call.Ended
		}
	}
	return last.Sub(first)
}

// ofProgram returns the requests that are not the provider's.
func ofProgram(calls []moto.Timed) (own []moto.Timed) {
	for _, call := range calls {
		if !call.ByProvider {
			own = append(own, call)
		}
	}
	return own
}

// TestTheWayToTheFirstChangeIsMeasuredThroughAWSsAPI prints what `up` asks AWS before its first change, and which of it
// one after the other. Of this it judges only that the credentials' owner is asked twice, because on a slow machine
// requests that are sent together do not arrive together.
func TestTheWayToTheFirstChangeIsMeasuredThroughAWSsAPI(t *testing.T) {
	if *awsPlugin == "" {
		t.Skip("NOT MEASURED: what up asks before its first change: make bench AWS_PLUGIN=FOLDER")
	}
	c, _, calls, _ := realCLI(t, compared)
	calls.Delay(func(changes bool) time.Duration { return 3 * latency(changes) }) // longer than what the machine adds
	command := exec.Command(harness.Executable(t), "-s", "demo", "up", "--yes")
	command.Dir, command.Env = c.Dir, c.Environ()
	began := time.Now()
	m := measure(t, calls, command)
	before := moto.UntilFirstChange(m.calls)
	var lines []string
	for _, call := range before {
		who := "program"
		if call.ByProvider {
			who = "provider"
		}
		lines = append(lines, fmt.Sprintf("%6.2f s %5.2f s  %-8s  %s", call.Began.Sub(began).Seconds(),
			call.Ended.Sub(call.Began).Seconds(), who, call.Action))
	}
	own := ofProgram(before)
	t.Logf("\n%s\n\n%s\n%s\n| %d | %d | %d | %d | %.1f s | %.1f s | %.1f s | %.2f |\n", strings.Join(lines, "\n"),
		"| requests before the first change | of the program | rounds | of the program | to the first change | "+
			"until a HostedCluster can be applied | the provider's chain | ratio |",
		"|---|---|---|---|---|---|---|---|", len(before), len(own), moto.Rounds(before), moto.Rounds(own),
		(m.applicable - m.chain()).Seconds(), m.applicable.Seconds(), m.chain().Seconds(),
		m.applicable.Seconds()/m.chain().Seconds())
	identities := 0
	for _, call := range own {
		if call.Action == "sts:GetCallerIdentity" {
			identities++
		}
	}
	require.Equal(t, 2, identities, "for the operation, and directly before the engine changes something")
}
