// Command separable removes each feature from the tree, with its block in package automation and its lines in the lists
// of features, and builds and vets the rest. It changes no file: the go command gets the changes as an overlay.
// Arguments are names of features; default: all.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	only := flag.Bool("changed", false, "take the features that differ from the main branch")
	dry := flag.Bool("n", false, "print what a removal edits, and compile nothing")
	flag.Parse()
	if err := run(flag.Args(), *only, *dry); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// fewFeatures are as many as can be removed, one after the other, in about a minute.
const fewFeatures = 2

func run(names []string, onlyChanged, dry bool) error {
	t, err := openTree(".")
	if err != nil {
		return err
	}
	switch {
	case onlyChanged:
		if names, err = t.changed(); err != nil {
			return err
		}
		if len(names) > fewFeatures {
			fmt.Fprintf(os.Stderr, "NOT CHECKED: that the rest builds without each of %s, which takes minutes: make separable\n", strings.Join(names, ", "))
			return nil
		}
	case len(names) == 0:
		names = t.features()
	}
	var needed []string
	var removals []*removal
	for _, name := range names {
		if !slices.Contains(t.features(), name) {
			return fmt.Errorf("there is no feature %s; the features are %s", name, strings.Join(t.features(), ", "))
		}
		r, err := t.remove(name)
		if err != nil {
			return fmt.Errorf("removing %s: %w", name, err)
		}
		removals = append(removals, r)
		if dry {
			continue
		}
		if err := r.vet(); err != nil {
			return fmt.Errorf("vetting the tree without %s: %w", name, err)
		}
		if len(r.faults) > 0 {
			needed = append(needed, name)
		}
		fmt.Fprintf(os.Stderr, "removed %s: %d faults\n", name, len(r.faults))
	}
	if len(removals) > 0 {
		report(removals)
	}
	if len(needed) > 0 {
		return fmt.Errorf("the rest needs %s", strings.Join(needed, ", "))
	}
	return nil
}

// report prints a row for each feature: its own files and lines without tests, the files and lines edited in the lists
// of features, what does not compile without it, and the packages whose tests name it or need it. Below the table are
// the lines that it counts.
func report(removals []*removal) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "feature\tfiles\tlines\tedited files\tedited lines\tfaults\tits tests elsewhere\ttests not vetted\tremoved with it")
	for _, r := range removals {
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", r.name, r.files, r.lines, len(r.edited()), len(r.edits),
			len(r.faults), len(r.tests), len(r.leftOut), strings.Join(r.with, " "))
	}
	_ = out.Flush()
	for _, r := range removals {
		fmt.Printf("\n%s\n", r.name)
		for _, list := range []struct {
			what  string
			lines []string
		}{{"edited", r.edits}, {"fault", r.faults}, {"test", r.tests}, {"fault of a test", r.testFaults}} {
			for _, line := range list.lines {
				fmt.Printf("  %s: %s\n", list.what, line)
			}
		}
	}
}
