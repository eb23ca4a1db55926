package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// TestCommandsEndRightlyWhileARealAPIServerRestarts kills a real API server at several times of each command, and
// starts it again: the command succeeds, or the same command does afterwards.
func TestCommandsEndRightlyWhileARealAPIServerRestarts(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: restarts of a real API server, which make conformance builds and starts")
	}
	kind := kindsOfTrials(t)["cluster"]
	c := newTrials(t, kind.text)
	kind.install(c)
	_, err := c.heard("up")
	require.NoError(t, err)
	kind.deployed(c)
	for _, command := range []rights.Command{"preview", "status", "refresh", "pause", "resume", "backup", "up"} {
		for _, delay := range []time.Duration{50 * time.Millisecond, 400 * time.Millisecond, 1200 * time.Millisecond} {
			if command == "up" {
				c.configure(strings.ReplaceAll(strings.ReplaceAll(kind.text, trialKubeconfig, c.kubeconfig), "{step: one}",
					fmt.Sprintf("{step: %q}", delay)))
			}
			restarted := make(chan struct{})
			go func() {
				defer close(restarted)
				time.Sleep(delay)
				c.Restart(t)
			}()
			_, err := c.heard(command)
			<-restarted
			if err == nil {
				continue
			}
			t.Logf("%s after %s: %v", command, delay, err)
			for range 10 { // a server that has just started may be slow
				if _, err = c.heard(command); err == nil {
					break
				}
			}
			require.NoError(t, err, "%s after %s", command, delay)
		}
	}
	_, err = c.stack.Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true})
	require.NoError(t, err)
	_, err = c.heard("destroy")
	require.NoError(t, err)
}
