// Package sizes decides how often a test repeats itself. `make test` runs every test at its small size. `make test-all`
// runs the same tests at their full size: each seed, each call at which a process is killed, each pair of faults, each
// way of running a stack.
//
// The size is in the environment, and not a flag: `go test ./... -all` fails in each package that does not define the
// flag.
package sizes

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// Variable is the environment variable that selects the full sizes: HYPERSHIFT_AWS_TEST=all.
const Variable = "HYPERSHIFT_AWS_TEST"

// All reports whether tests run at their full size.
func All() bool { return os.Getenv(Variable) == "all" }

// Pick returns small, or full if tests run at their full size.
func Pick[T any](small, full T) T {
	if All() {
		return full
	}
	return small
}

// First returns the first n cases, or all of them if tests run at their full size.
func First[T any](n int, cases []T) []T { return cases[:Pick(min(n, len(cases)), len(cases))] }

// Only returns the cases with the names, or all of them if tests run at their full size. It fails the test if a name
// has no case.
func Only[K comparable, T any](t testing.TB, cases map[K]T, names ...K) map[K]T {
	t.Helper()
	few := map[K]T{}
	for _, name := range names {
		one, exists := cases[name]
		if !exists {
			t.Fatalf("there is no case %v", name)
		}
		few[name] = one
	}
	return Pick(few, cases)
}

// Named is Only for a list, with the function that returns the name of a case.
func Named[T any](t testing.TB, cases []T, name func(T) string, names ...string) []T {
	t.Helper()
	var few []T
	for _, one := range cases {
		if slices.Contains(names, name(one)) {
			few = append(few, one)
		}
	}
	if len(few) != len(names) {
		t.Fatalf("the cases %q: %d exist", names, len(few))
	}
	return Pick(few, cases)
}

// Seeds returns the numbers from 1 to small, or to full if tests run at their full size.
func Seeds(small, full uint64) []uint64 {
	var seeds []uint64
	for seed := range Pick(small, full) {
		seeds = append(seeds, seed+1)
	}
	return seeds
}

// Again returns the command that runs a test once more, at its full size.
func Again(t testing.TB) string {
	folder, err := filepath.Rel(repo.Path(), workingDir(t))
	if err != nil {
		t.Fatal(err)
	}
	return Variable + "=all go test ./" + filepath.ToSlash(folder) + " -run '^" + pattern(t.Name()) + "$'"
}

// workingDir is the folder of the package whose tests run.
func workingDir(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// pattern returns the pattern of -run that matches one test: each of its parts as a whole.
func pattern(name string) string { return strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") }
