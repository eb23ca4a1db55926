// Package trace has the log of what an operation reads, asks and decides. It travels with the context, so that each
// layer writes to it without a parameter. No line has a value that could be secret: requests are named without their
// content.
package trace

import (
	"context"
	"log/slog"
)

type key struct{}

// With returns a context with a log.
func With(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, key{}, log)
}

// Of returns the log of a context: one that keeps nothing, if there is none.
func Of(ctx context.Context) *slog.Logger {
	if log, is := ctx.Value(key{}).(*slog.Logger); is && log != nil {
		return log
	}
	return slog.New(slog.DiscardHandler)
}

// Enabled reports whether a context has a log.
func Enabled(ctx context.Context) bool { return Of(ctx).Enabled(ctx, slog.LevelDebug) }
