package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/internal/features/history"
)

// HistoryEntry is a change of a stack by the engine, or a consent.
type HistoryEntry = backend.Entry

// HistoryOptions configure History.
type HistoryOptions struct {
	// Limit is the number of newest changes that are read. Default 50.
	Limit int
}

// History returns the changes in the stack's history, with the consents among them, the newest first.
func (s *Stack) History(ctx context.Context, o HistoryOptions) ([]HistoryEntry, error) {
	core := s.core()
	defer s.named(core)
	return history.Run(ctx, core, history.Options(o))
}
