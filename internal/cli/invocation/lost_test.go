package invocation

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// refusing is a file or pipe that takes nothing.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

// A report that is lost is no success: a pipeline would go on with an empty file. A reader that has closed a pipe, such
// as head, has what it wants.
func TestACommandWhoseOutputIsLostFails(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json", "yaml"} {
		for cause, want := range map[error]int{syscall.ENOSPC: failure.Failed.ExitCode(), syscall.EPIPE: 0} {
			var text bytes.Buffer
			c := New(Streams{Out: refusing{cause}, Err: &text}, nil)
			c.output = format
			require.NoError(t, c.Begin("up"))
			if c.JSON == nil {
				c.Print("all is well\n")
			}
			c.JSON.Event("summary", &event.Summary{Operation: "up"})
			require.Equal(t, want, c.End(nil), "%s, %v", format, cause)
			require.Equal(t, want != 0, bytes.Contains(text.Bytes(), []byte("the output could not be written: "+cause.Error())),
				"%s, %v: %s", format, cause, text.String())
		}
		var text bytes.Buffer
		c := New(Streams{Out: refusing{syscall.ENOSPC}, Err: &text}, nil)
		c.output = format
		require.NoError(t, c.Begin("up"))
		require.Equal(t, failure.Conflict.ExitCode(), c.End(&failure.Error{Reason: failure.Conflict, Problem: "locked"}),
			"an error of the command's own stays")
	}
}
