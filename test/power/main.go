// Command power shows whether the tests of `make test` find faults: it applies each fault of faults.yaml to the sources, without changing a file,
// and runs the test that must fail. It ends with 1 if a test passes with its fault, or if a fault no longer applies. With -aws-plugin it tries the
// faults instead that only the AWS provider finds: the tests beside each must pass.
package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

//go:embed faults.yaml
var list []byte

// fault is a change of a source file that a test must find.
type fault struct {
	// Fault says in a few words what is wrong.
	Fault string `yaml:"fault"`
	// File has the text Old exactly once, which New replaces.
	File string `yaml:"file"`
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
	// Test is a test of Package, which must fail. It may name a subtest.
	Package string `yaml:"package"`
	Test    string `yaml:"test"`
	// Beside is the package whose tests do not find the fault, for one that only the AWS provider finds: Test compares with it. Default "".
	Beside string `yaml:"beside"`
}

// verdict is what became of a fault.
type verdict string

const (
	red    verdict = "red"    // the test fails
	missed verdict = "missed" // the test passes
	stale  verdict = "stale"  // the file does not have the text once
	broken verdict = "broken" // the fault does not compile, or the test does not exist
	found  verdict = "found"  // the tests beside a fault that only the AWS provider finds fail
)

func main() {
	only := flag.String("only", "", "try only the faults of files whose path contains the `text`")
	plugin := flag.String("aws-plugin", "", "try the faults that only the AWS provider in this `folder` finds")
	flag.Parse()
	faults, err := parse(list)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	counts := map[verdict]int{}
	for _, f := range faults {
		if !strings.Contains(f.File, *only) || (f.Beside != "") != (*plugin != "") {
			continue
		}
		start := time.Now()
		result, details := f.try(*plugin)
		counts[result]++
		fmt.Printf("%-6s %4.0fs  %s: %s\n", result, time.Since(start).Seconds(), f.File, f.Fault)
		if result == broken {
			fmt.Println(details)
		}
	}
	fmt.Printf("%d red, %d missed, %d stale, %d broken, %d found\n", counts[red], counts[missed], counts[stale], counts[broken], counts[found])
	if counts[missed]+counts[stale]+counts[broken]+counts[found] > 0 {
		os.Exit(1)
	}
}

// parse decodes a list of faults.
func parse(text []byte) ([]fault, error) {
	var faults []fault
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&faults); err != nil {
		return nil, fmt.Errorf("reading the faults: %w", err)
	}
	return faults, nil
}

// apply returns the text of the fault's file with the fault.
func (f fault) apply(text string) (string, error) {
	if n := strings.Count(text, f.Old); n != 1 {
		return "", fmt.Errorf("%s has the text %d times: %s", f.File, n, f.Old)
	}
	return strings.Replace(text, f.Old, f.New, 1), nil
}

// try runs the fault's test with the fault. plugin is the folder of the AWS provider, "" for a fault that needs none.
func (f fault) try(plugin string) (verdict, string) {
	source, err := os.ReadFile(filepath.FromSlash(f.File))
	if err != nil {
		return stale, err.Error()
	}
	text, err := f.apply(string(source))
	if err != nil {
		return stale, err.Error()
	}
	dir, err := os.MkdirTemp("", "power")
	if err != nil {
		return broken, err.Error()
	}
	defer func() { _ = os.RemoveAll(dir) }()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.FromSlash(f.File): changed}})
	if err := errors.Join(err, os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return broken, err.Error()
	}
	arguments := []string{pattern(f.Test), f.Package}
	if f.Beside != "" {
		if result, details := run(overlay, ".", f.Beside); result != missed {
			return cmp.Or(map[verdict]verdict{red: found}[result], result), details
		}
		if plugin, err = filepath.Abs(plugin); err != nil {
			return broken, err.Error()
		}
		arguments = append(arguments, "-aws-plugin", plugin)
	}
	return run(overlay, arguments...)
}

// run runs the tests that match a pattern, of a package, with a fault. Further arguments are the tests'.
func run(overlay string, arguments ...string) (verdict, string) {
	output, err := exec.Command("go", append([]string{"test", "-overlay", overlay, "-vet=off", "-ldflags", "-s -w", "-count", "1", "-timeout", "15m", "-run"},
		arguments...)...).CombinedOutput()
	switch {
	case err == nil && bytes.Contains(output, []byte("no tests to run")):
		return broken, "no test matches " + arguments[0]
	case err == nil:
		return missed, ""
	case bytes.Contains(output, []byte("--- FAIL: ")) || bytes.Contains(output, []byte("panic: ")):
		return red, ""
	}
	return broken, string(output)
}

// pattern returns the pattern of -run that matches the test, and each of its subtests if it names none.
func pattern(test string) string { return "^" + strings.ReplaceAll(test, "/", "$/^") + "$" }
