package automation

import (
	"context"
	"log/slog"

	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
)

// WithLog returns a context for operations that write to log, at level Debug, what they read, ask and decide: requests
// to AWS and to the management cluster with their duration and error, each gate's answer, and each run of the engine
// with its arguments. No line has the content of a request. The engine then also writes a log of its own, to files
// pulumi.* in the folder for temporary files. By default nothing is written.
func WithLog(ctx context.Context, log *slog.Logger) context.Context { return trace.With(ctx, log) }
