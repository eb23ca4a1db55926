package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
)

const (
	module  = "github.com/hypershift-aws/hypershift-aws/"
	folder  = "internal/features/"
	blocks  = "automation"
	listing = "cmd/features"
)

// goPackage is what `go list` reports of a package. Its imports are without the module's path.
type goPackage struct {
	ImportPath, Name                                   string
	Imports, TestImports, XTestImports                 []string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
}

// tree is the files and packages of the module.
type tree struct {
	root     string
	files    []string
	packages map[string]*goPackage
	// needs are, by feature, the features that it imports, and itself.
	needs map[string][]string
}

// openTree reads the module around a folder.
func openTree(dir string) (*tree, error) {
	root, err := output(dir, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	t := &tree{root: strings.TrimSpace(root), packages: map[string]*goPackage{}, needs: map[string][]string{}}
	// Files that are new and not ignored belong to the tree too.
	list, err := output(t.root, "git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return nil, err
	}
	t.files = strings.Fields(list)
	if err := t.readPackages(); err != nil {
		return nil, err
	}
	for name, p := range t.packages {
		feature, in := featureOf(name)
		if !in {
			continue
		}
		t.needs[feature] = append(t.needs[feature], feature) // itself: a feature without needs is one too
		for _, imported := range p.Imports {
			if other, in := featureOf(imported); in {
				t.needs[feature] = append(t.needs[feature], other)
			}
		}
	}
	return t, nil
}

// readPackages reads the packages of the module, without those of nested modules.
func (t *tree) readPackages() error {
	text, err := output(t.root, "go", "list", "-json=ImportPath,Name,Imports,TestImports,XTestImports,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	if err != nil {
		return err
	}
	for decoder := json.NewDecoder(strings.NewReader(strings.ReplaceAll(text, module, ""))); ; {
		p := &goPackage{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the packages: %w", err)
		}
		t.packages[p.ImportPath] = p
	}
}

// features returns the names of the features.
func (t *tree) features() []string {
	var names []string
	for name := range t.needs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// changed returns the features whose files differ from those of the main branch, or on it from the commit before.
func (t *tree) changed() ([]string, error) {
	base := "HEAD~1"
	for _, branch := range []string{"origin/main", "main"} {
		common, err := output(t.root, "git", "merge-base", "HEAD", branch)
		head, headErr := output(t.root, "git", "rev-parse", "HEAD")
		if err == nil && headErr == nil && common != head {
			base = strings.TrimSpace(common)
			break
		}
	}
	list, err := output(t.root, "git", "diff", "--name-only", base)
	if err != nil {
		return nil, nil //nolint:nilerr // a clone without the commit before does not know what has changed
	}
	var names []string
	for _, file := range strings.Fields(list) {
		for _, name := range t.features() {
			if t.isOwn(file, []string{name}) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// featureOf returns the feature in whose folder a file or package is.
func featureOf(file string) (name string, in bool) {
	rest, in := strings.CutPrefix(file, folder)
	name, _, _ = strings.Cut(rest, "/")
	return name, in
}

// isOwn reports whether a file goes with features: it is in the folder of one, or its block in package automation.
func (t *tree) isOwn(file string, names []string) bool {
	if name, in := featureOf(file); in {
		return slices.Contains(names, name)
	}
	return path.Dir(file) == blocks && slices.ContainsFunc(names, func(name string) bool {
		return strings.HasPrefix(path.Base(file), name) && strings.HasSuffix(file, ".go")
	})
}

// dependents returns a feature and those that need it, even through others.
func (t *tree) dependents(name string) []string {
	found := []string{name}
	for i := 0; i < len(found); i++ {
		for _, other := range t.features() {
			if slices.Contains(t.needs[other], found[i]) && !slices.Contains(found, other) {
				found = append(found, other)
			}
		}
	}
	return found
}

// output runs a command and returns what it prints.
func output(dir, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}
