package estimate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// historySize is the number of past durations kept per operation and type.
const historySize = 10

// typicalCounts is the weight of the typical duration, as a number of past durations.
const typicalCounts = 2

// History contains the durations of operations in a stack's past runs, in seconds, by "create aws:ec2/vpc:Vpc". The
// zero value is empty.
type History struct {
	Durations map[string][]float64 `json:"durations"`
}

// LoadHistory reads a history. A missing file is an empty history.
func LoadHistory(path string) (*History, error) {
	text, err := atomicfile.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &History{}, nil
	}
	if err != nil {
		return &History{}, fmt.Errorf("reading the durations of past runs: %w", err)
	}
	var h History
	if err := json.Unmarshal(text, &h); err != nil {
		return &History{}, fmt.Errorf("reading the durations of past runs, in %s: %w; delete the file", path, err)
	}
	return &h, nil
}

// Save writes the history.
func (h *History) Save(path string) error {
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("writing the durations of past runs: %w", err)
	}
	if err := atomicfile.Write(path, append(text, '\n')); err != nil {
		return fmt.Errorf("writing the durations of past runs: %w", err)
	}
	return nil
}

// Add adds the duration of an operation on a type, in seconds.
func (h *History) Add(op forecast.Op, token string, seconds float64) {
	if h.Durations == nil {
		h.Durations = map[string][]float64{}
	}
	key := string(op) + " " + token
	h.Durations[key] = append(h.Durations[key], seconds)
	h.Durations[key] = h.Durations[key][max(0, len(h.Durations[key])-historySize):]
}

// Seconds returns how long an operation on a type takes: the mean of the last ten times, in which the typical seconds
// count as two.
func (h *History) Seconds(op forecast.Op, token string) float64 {
	list := h.Durations[string(op)+" "+token]
	sum := typicalCounts * Typical(op, token)
	for _, seconds := range list {
		sum += seconds
	}
	return sum / float64(typicalCounts+len(list))
}
