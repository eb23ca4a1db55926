// Command parts summarizes a run of the tests from test2json's events: one line per part with its name, its number of
// tests and its time. A part is a package, or a test function that takes longer than a minute.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// longTest is the time from which a test function is a part of its own.
const longTest = time.Minute

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test string
	Elapsed               float64
}

// part is a line of the summary. Its tests are those that have no subtests.
type part struct {
	name    string
	tests   int
	elapsed time.Duration
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: parts FILE")
		os.Exit(2)
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, p := range summarize(file) {
		fmt.Printf("%-90s %5d tests %10s\n", p.name, p.tests, p.elapsed.Round(time.Second))
	}
}

// summarize returns the parts in the order in which their packages end.
func summarize(events io.Reader) []part {
	var parts []part
	running := map[string][]event{} // the ended tests of each package that has not ended
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Action != "pass" && e.Action != "fail" && e.Action != "skip" {
			continue
		}
		if e.Test != "" {
			running[e.Package] = append(running[e.Package], e)
			continue
		}
		parts = append(parts, partsOf(e, running[e.Package])...)
		delete(running, e.Package)
	}
	return parts
}

// partsOf returns the parts of a package that has ended, the package itself last.
func partsOf(ended event, tests []event) []part {
	whole := part{name: ended.Package, elapsed: time.Duration(ended.Elapsed * float64(time.Second))}
	parents := map[string]bool{}
	for _, e := range tests {
		for name := e.Test; strings.Contains(name, "/"); {
			name = name[:strings.LastIndex(name, "/")]
			parents[name] = true
		}
	}
	var order []string
	functions := map[string]*part{}
	for _, e := range tests {
		if parents[e.Test] {
			continue
		}
		name, _, _ := strings.Cut(e.Test, "/")
		if functions[name] == nil {
			functions[name] = &part{name: "  " + name}
			order = append(order, name)
		}
		functions[name].tests++
		functions[name].elapsed += time.Duration(e.Elapsed * float64(time.Second))
		whole.tests++
	}
	var parts []part
	for _, name := range order {
		if functions[name].elapsed >= longTest {
			parts = append(parts, *functions[name])
		}
	}
	if whole.tests == 0 {
		return parts
	}
	return append(parts, whole)
}
