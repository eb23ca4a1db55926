package engine

import (
	"runtime"
	"strconv"
	"strings"
)

// Environ is the environment of a process: "NAME=value" entries, of which the last with a name counts.
type Environ []string

// Lookup returns the value of name, and whether it is set at all: an empty value is a value.
func (e Environ) Lookup(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if key, value, found := strings.Cut(e[i], "="); found && key == name {
			return value, true
		}
	}
	return "", false
}

// Get returns the value of name, "" where it is not set.
func (e Environ) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// With returns a copy in which name has value.
func (e Environ) With(name, value string) Environ {
	return append(e.Without(func(n string) bool { return n == name }), name+"="+value)
}

// Without returns a copy that lacks the names for which drop is true.
func (e Environ) Without(drop func(name string) bool) Environ {
	kept := make(Environ, 0, len(e)+1)
	for _, entry := range e {
		if name, _, _ := strings.Cut(entry, "="); !drop(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// Parallel returns how many operations the engine runs at once in this environment: PULUMI_PARALLEL, by default four per processor.
// Source: defaultParallel in cmd/pulumi/operations/up.go of github.com/pulumi/pulumi.
func (e Environ) Parallel() int {
	if n, err := strconv.Atoi(e.Get("PULUMI_PARALLEL")); err == nil && n > 0 {
		return n
	}
	return 4 * runtime.GOMAXPROCS(0)
}
