package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// removal is the tree without a feature.
type removal struct {
	tree *tree
	name string
	// with are the features that need it, which go with it.
	with []string
	// files and lines are what belongs to the feature alone.
	files, lines int
	// edits are the lines that a removal edits.
	edits []string
	// tests are packages outside of features whose tests import the feature, and leftOut those whose tests need it, even
	// through others: they are vetted without their tests.
	tests, leftOut []string
	// faults are what doesn't compile, and testFaults what doesn't in tests, which call the feature through package
	// automation.
	faults, testFaults []string
	// changes are the contents of changed files; "" deletes one.
	changes map[string][]byte
}

// edited returns the files that a removal edits.
func (r *removal) edited() []string {
	var files []string
	for _, edit := range r.edits {
		file, _, _ := strings.Cut(edit, ":")
		files = append(files, file)
	}
	return slices.Compact(files)
}

// remove returns the tree without a feature and what needs it.
func (t *tree) remove(name string) (*removal, error) {
	all := t.dependents(name)
	r := &removal{tree: t, name: name, with: all[1:], changes: map[string][]byte{}}
	slices.Sort(r.with)
	for _, file := range t.files {
		if !t.isOwn(file, all) {
			continue
		}
		r.changes[file] = nil
		if !t.isOwn(file, all[:1]) || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(t.root, file))
		if err != nil {
			return nil, fmt.Errorf("counting lines: %w", err)
		}
		r.files, r.lines = r.files+1, r.lines+bytes.Count(text, []byte("\n"))
	}
	gone := func(imported string) bool {
		name, in := featureOf(imported)
		return in && slices.Contains(all, name)
	}
	if err := r.prune(gone); err != nil {
		return nil, err
	}
	r.leaveOut(gone)
	return r, nil
}

// prune removes the lines in the lists of features.
func (r *removal) prune(gone func(string) bool) error {
	for _, file := range r.tree.files {
		dir := path.Dir(file)
		_, deleted := r.changes[file]
		if deleted || dir != blocks && dir != listing || !strings.HasSuffix(file, ".go") ||
			strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.tree.root, file))
		if err != nil {
			return fmt.Errorf("reading a list of features: %w", err)
		}
		result, err := prune(file, text, gone)
		if err != nil {
			return err
		}
		for _, line := range result.lines {
			r.edits = append(r.edits, fmt.Sprintf("%s:%d: %s", file, line,
				bytes.TrimSpace(bytes.Split(text, []byte("\n"))[line-1])))
		}
		if len(result.lines) > 0 {
			r.changes[file] = result.text
		}
	}
	return nil
}

// leaveOut deletes the tests that need what is removed, and the packages in test that do.
func (r *removal) leaveOut(gone func(string) bool) {
	without := map[string]bool{}
	missing := func(imported string) bool { return gone(imported) || without[imported] }
	for more := true; more; {
		more = false
		for name, p := range r.tree.packages {
			if strings.HasPrefix(name, "test/") && !without[name] && slices.ContainsFunc(p.Imports, missing) {
				without[name], more = true, true
			}
		}
	}
	for name, p := range r.tree.packages {
		if gone(name) {
			continue
		}
		tests := slices.Concat(p.TestImports, p.XTestImports)
		if without[name] {
			r.delete(name, slices.Concat(p.GoFiles, p.IgnoredGoFiles))
		}
		if without[name] || slices.ContainsFunc(tests, missing) {
			r.delete(name, slices.Concat(p.TestGoFiles, p.XTestGoFiles))
			r.leftOut = append(r.leftOut, name)
		}
		_, inFeature := featureOf(name)
		if slices.ContainsFunc(tests, gone) && !inFeature || without[name] && slices.ContainsFunc(p.Imports, gone) {
			r.tests = append(r.tests, name)
		}
	}
	slices.Sort(r.tests)
}

// delete deletes files of a package.
func (r *removal) delete(name string, files []string) {
	for _, file := range files {
		r.changes[path.Join(name, file)] = nil
	}
}

// overlay writes the changes as the go command reads them, and returns the file.
func (r *removal) overlay(dir string) (string, error) {
	replace := map[string]string{}
	for file, text := range r.changes {
		changed := ""
		if text != nil {
			changed = filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
			if err := os.WriteFile(changed, text, 0o600); err != nil {
				return "", fmt.Errorf("writing a changed file: %w", err)
			}
		}
		replace[filepath.Join(r.tree.root, file)] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("writing the overlay: %w", err)
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// faultLine is a message of the compiler or of vet.
var faultLine = regexp.MustCompile(`(?m)^(?:vet: )?(\S+\.go:\d+:\d+: .*)$`)

// vet builds and vets the rest, tests too.
func (r *removal) vet() error {
	dir, err := os.MkdirTemp("", "separable")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := r.overlay(dir)
	if err != nil {
		return err
	}
	command := exec.Command("go", "vet", "-overlay", overlay, "./...")
	command.Dir = r.tree.root
	output, err := command.CombinedOutput()
	if err == nil {
		return nil
	}
	for _, match := range faultLine.FindAllStringSubmatch(string(output), -1) {
		fault := strings.ReplaceAll(match[1], dir+"/", "")
		if file, _, _ := strings.Cut(fault, ":"); strings.HasPrefix(file, "test/") || strings.HasSuffix(file, "_test.go") {
			r.testFaults = append(r.testFaults, fault)
			r.tests = append(r.tests, path.Dir(file))
		} else {
			r.faults = append(r.faults, fault)
		}
	}
	for _, list := range []*[]string{&r.faults, &r.testFaults, &r.tests} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(r.faults)+len(r.testFaults) == 0 {
		return fmt.Errorf("go vet: %w: %s", err, output)
	}
	return nil
}
