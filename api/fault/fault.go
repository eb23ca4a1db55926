// Package fault describes an error in user input: where the value is, what it is, why that
// cannot work and what would. Every Validate in this project returns all its faults at once as Faults,
// so that users can correct a file in one pass.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Fault is one thing wrong with one value of the input.
type Fault struct {
	// File, Line and Column are where the value was read, if known; Line and Column count from 1.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Path is the path of the value from the root of the input: "network.zones[1].name".
	Path string `json:"path"`
	// Value is the value; nil if it is missing or a secret.
	Value any `json:"value,omitempty"`
	// Problem is why the value is invalid, as the predicate of a sentence: "is not a network address".
	Problem string `json:"problem"`
	// Remedy is what to do instead: "use 10.0.0.0/16".
	Remedy string `json:"remedy,omitempty"`
}

var _ error = (*Fault)(nil)

// Error returns location, path, value, problem and remedy on one line.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
			if f.Column > 0 {
				fmt.Fprintf(&b, ":%d", f.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Path)
	if f.Value != nil {
		if f.Path != "" {
			b.WriteString(": ")
		}
		fmt.Fprintf(&b, "%q", fmt.Sprint(f.Value))
	}
	if f.Path != "" || f.Value != nil {
		b.WriteString(" ")
	}
	b.WriteString(f.Problem)
	if f.Remedy != "" {
		b.WriteString("; " + f.Remedy)
	}
	return b.String()
}

// Faults is all that is wrong with an input, in the order in which it was found.
type Faults []*Fault

var _ error = Faults(nil)

// Add appends a fault.
func (fs *Faults) Add(path string, value any, problem, remedy string) {
	*fs = append(*fs, &Fault{Path: path, Value: value, Problem: problem, Remedy: remedy})
}

// Join appends the faults that err carries, each path put under prefix. An error that carries none is
// kept as a fault of the prefix itself.
func (fs *Faults) Join(prefix string, err error) {
	if err == nil {
		return
	}
	inner := In(err)
	if inner == nil {
		fs.Add(prefix, nil, err.Error(), "")
		return
	}
	for _, f := range inner {
		under := *f
		under.Path = join(prefix, f.Path)
		*fs = append(*fs, &under)
	}
}

// Err returns fs as an error, or nil if there is no fault.
func (fs Faults) Err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}

// Error returns one line per fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each fault, for errors.As.
func (fs Faults) Unwrap() []error {
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errs
}

// In returns the faults that err carries, nil where it carries none.
func In(err error) Faults {
	var many Faults
	if errors.As(err, &many) {
		return many
	}
	var one *Fault
	if errors.As(err, &one) {
		return Faults{one}
	}
	return nil
}

func join(prefix, path string) string {
	switch {
	case prefix == "" || path == "":
		return prefix + path
	case strings.HasPrefix(path, "["):
		return prefix + path
	default:
		return prefix + "." + path
	}
}
