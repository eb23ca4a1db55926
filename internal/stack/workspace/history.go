package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
)

// History returns the newest changes of the stack, at most the limit, by the engine's history: the newest first, with
// times in seconds.
func (s *Stack) History(ctx context.Context, limit int) ([]backend.Entry, error) {
	text, err := s.Run(ctx, "stack", "history", "--json", "--page-size", strconv.Itoa(limit), "--page", "1",
		"--stack", s.Name)
	if err != nil {
		return nil, s.Classify(err)
	}
	changes, err := parseHistory([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("reading the history of stack %s: %w", s.Name, err)
	}
	return changes, nil
}

// parseHistory reads the engine's history, the newest change first.
func parseHistory(text []byte) ([]backend.Entry, error) {
	var listed []struct {
		Kind            string            `json:"kind"`
		StartTime       string            `json:"startTime"`
		EndTime         string            `json:"endTime"`
		Result          string            `json:"result"`
		Message         string            `json:"message"`
		Environment     map[string]string `json:"environment"`
		ResourceChanges map[string]int    `json:"resourceChanges"`
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the stack
	}
	entries := make([]backend.Entry, 0, len(listed))
	for _, l := range listed {
		e := backend.Entry{
			Kind: l.Kind, Result: l.Result, Changes: l.ResourceChanges,
			Commit: l.Environment["git.head"], Author: l.Environment["git.author"], Dirty: l.Environment["git.dirty"] == "true",
		}
		if e.Commit != "" {
			e.Message, _, _ = strings.Cut(l.Message, "\n")
		}
		e.Version, e.By = ParseAgent(l.Environment["exec.agent"])
		var err error
		if e.Time, err = time.Parse(time.RFC3339, l.StartTime); err != nil {
			return nil, fmt.Errorf("the start of a change: %w", err)
		}
		if l.EndTime != "" {
			if e.Ended, err = time.Parse(time.RFC3339, l.EndTime); err != nil {
				return nil, fmt.Errorf("the end of a change: %w", err)
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}
