package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/page"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// testPackage is the functions in the test files of one folder.
type testPackage struct {
	// tests are the names of the tests, fuzz tests and benchmarks.
	tests []string
	// uses maps each function to the names that its body has: "Serve" of package moto is "moto.Serve".
	uses map[string]map[string]bool
}

// reaches reports whether a function calls another, itself or through functions of the package.
func (p *testPackage) reaches(from, target string, seen map[string]bool) bool {
	if seen[from] {
		return false
	}
	seen[from] = true
	for name := range p.uses[from] {
		if name == target || p.reaches(name, target, seen) {
			return true
		}
	}
	return false
}

// testPackages returns the test files of the program, by folder.
func testPackages(t *testing.T) map[string]*testPackage {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	all := map[string]*testPackage{}
	require.NoError(t, fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p := all[path.Dir(name)]
		if p == nil {
			p = &testPackage{uses: map[string]map[string]bool{}}
			all[path.Dir(name)] = p
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			p.uses[function.Name.Name] = usedIn(function)
			if function.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Benchmark)`).MatchString(function.Name.Name) {
				p.tests = append(p.tests, function.Name.Name)
			}
		}
		return nil
	}))
	return all
}

// usedIn returns the names in a function, and the qualified ones of other packages.
func usedIn(function *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(function, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Ident:
			names[n.Name] = n.Name != function.Name.Name
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				names[x.Name+"."+n.Sel.Name] = true
			}
		}
		return true
	})
	return names
}

// testCommand is a call of go test that names its tests.
type testCommand struct {
	line     string
	packages []string
	// patterns are the alternatives of -run, -fuzz and -bench, except NONE, without those of parts of a test.
	patterns []string
}

// testCommands returns the calls of go test in a text.
func testCommands(text string) []testCommand {
	var list []testCommand
	for _, match := range regexp.MustCompile("(?s)go test ([^`]*?)(?:\\n\t|\\n\\n|`|$)").FindAllStringSubmatch(text, -1) {
		command := testCommand{line: match[0]}
		words := strings.Fields(match[1])
		for i, word := range words {
			switch {
			case strings.HasPrefix(word, "./"):
				command.packages = append(command.packages, path.Clean(word))
			case slices.Contains([]string{"-run", "-fuzz", "-bench"}, word) && i+1 < len(words) && words[i+1] != "NONE":
				pattern, _, _ := strings.Cut(strings.Trim(words[i+1], "'\""), "/")
				command.patterns = append(command.patterns, strings.Split(pattern, "|")...)
			}
		}
		if len(command.patterns) > 0 {
			list = append(list, command)
		}
	}
	return list
}

// matching returns the tests of packages that a pattern selects.
func matching(all map[string]*testPackage, folders []string, pattern string) (tests []string) {
	for _, folder := range folders {
		if p := all[folder]; p != nil {
			for _, test := range p.tests {
				if regexp.MustCompile(pattern).MatchString(test) {
					tests = append(tests, test)
				}
			}
		}
	}
	return tests
}

// faultsOf returns what is wrong with a call of go test: a package without a test that it runs, or a pattern that no
// package has. go test reports neither.
func faultsOf(all map[string]*testPackage, command testCommand) (faults []string) {
	for _, folder := range command.packages {
		if len(matching(all, []string{folder}, strings.Join(command.patterns, "|"))) == 0 {
			faults = append(faults, fmt.Sprintf("%s: no test of %s is run", command.line, folder))
		}
	}
	for _, pattern := range command.patterns {
		if len(matching(all, command.packages, pattern)) == 0 {
			faults = append(faults, fmt.Sprintf("%s: no test is named %s", command.line, pattern))
		}
	}
	return faults
}

// commandFiles returns the Makefile and the pages by name.
func commandFiles(t *testing.T) map[string]string {
	t.Helper()
	texts := page.All(t)
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	texts["Makefile"] = string(makefile)
	return texts
}

func TestEachPackageOfATestCommandHasTheTestsThatItNames(t *testing.T) {
	t.Parallel()
	all := testPackages(t)
	commands := 0
	for file, text := range commandFiles(t) {
		for _, command := range testCommands(text) {
			commands++
			assert.Empty(t, faultsOf(all, command), file)
		}
	}
	require.Greater(t, commands, 12)

	all = map[string]*testPackage{"a": {tests: []string{"TestOne"}}, "b": {tests: []string{"TestTwo"}}}
	for line, faults := range map[string]int{"go test ./a -run TestOne": 0, "go test ./a ./b -run 'TestOne|TestTwo' -v": 0,
		"go test ./a ./b -run TestOne":       1,
		"go test ./a -run 'TestOne|TestTwo'": 1} {
		commands := testCommands(line)
		require.Len(t, commands, 1, line)
		assert.Len(t, faultsOf(all, commands[0]), faults, line)
	}
}

func TestTheTestsNamedInTheDocumentsExist(t *testing.T) {
	t.Parallel()
	var declared []string
	for _, p := range testPackages(t) {
		declared = append(declared, p.tests...)
	}
	named := 0
	for file, text := range commandFiles(t) {
		for _, name := range regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`).FindAllString(text, -1) {
			named++
			require.True(t, slices.ContainsFunc(declared, func(test string) bool {
				return strings.HasPrefix(test, name)
			}), "%s names %s", file, name)
		}
	}
	require.Greater(t, named, 20)
}

// TestMakeConformanceRunsEveryTestAgainstAWSsAPI compares the tests that start an emulator of AWS with those that the
// target runs.
func TestMakeConformanceRunsEveryTestAgainstAWSsAPI(t *testing.T) {
	t.Parallel()
	_, target, found := strings.Cut(commandFiles(t)["Makefile"], "\njudge-apiserver:")
	require.True(t, found)
	target, _, found = strings.Cut(target, "\nfuzz:")
	require.True(t, found)
	commands := testCommands(target)
	all, emulated := testPackages(t), 0
	for folder, p := range all {
		for _, test := range p.tests {
			if !p.reaches(test, "moto.Serve", map[string]bool{}) {
				continue
			}
			emulated++
			assert.True(t, slices.ContainsFunc(commands, func(c testCommand) bool {
				return slices.Contains(c.packages, folder) && slices.Contains(matching(all, []string{folder},
					strings.Join(c.patterns, "|")), test)
			}), "%s in %s needs a name that ends with ThroughAWSsAPI, and its folder in make conformance", test, folder)
		}
	}
	require.GreaterOrEqual(t, emulated, 8)
}

// namedPath matches a path of the repository in a test: the texts with which a call of repo.Path, or a path upward by
// filepath.Join, begins.
var namedPath = regexp.MustCompile(`(?:repo\.Path\(|filepath\.Join\((?:"\.\.", )+)("[^"]+"(?:, "[^"]+")*)(\+?)`)

// Tests that this machine skips open files too. A file that has moved fails here, and not where the test next runs.
func TestEachFileThatATestNamesExists(t *testing.T) {
	t.Parallel()
	root, named := os.DirFS(repo.Path()), 0
	require.NoError(t, fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		inTests := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "test/")
		if err != nil || entry.IsDir() || !inTests || path.Ext(name) != ".go" {
			return err
		}
		text, err := fs.ReadFile(root, name)
		for _, match := range namedPath.FindAllStringSubmatch(string(text), -1) {
			file := strings.ReplaceAll(strings.Trim(match[1], `"`), `", "`, "/")
			if strings.HasPrefix(match[0], "filepath.Join") {
				file = path.Join(path.Dir(name), strings.Repeat("../", strings.Count(match[0], `".."`)), file)
			}
			if match[2] != "" {
				file = path.Dir(file) // the last part is the beginning of a name
			}
			if strings.HasPrefix(file, "bin") || strings.Contains(file, "..") {
				continue // what is built, or does not begin at the repository
			}
			named++
			found, err := fs.Glob(root, file)
			assert.NoError(t, err)
			assert.NotEmpty(t, found, "%s names %s", name, file)
		}
		return err
	}))
	require.Greater(t, named, 60)
}

// A test that make test skips, because it needs a server, would not notice that a file has moved.
func TestTheFilesThatTestsReadExist(t *testing.T) {
	t.Parallel()
	root, literals := os.DirFS(filepath.Join("..", "..")), 0
	require.NoError(t, fs.WalkDir(root, "test", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is {
				return true
			}
			for _, read := range readBy(path.Dir(name), call) {
				literals++
				found, err := fs.Glob(root, read)
				require.NoError(t, err)
				assert.NotEmpty(t, found, "%s reads %s", name, read)
			}
			return true
		})
		return nil
	}))
	require.Greater(t, literals, 20)
}

// readBy returns the paths in the repository that the literals of a call in a test of a folder name: the elements of
// repo.Path up to the first that is not a literal, and literals that lead out of the folder. What is built is left out.
func readBy(folder string, call *ast.CallExpr) (paths []string) {
	var elements []string
	for _, argument := range call.Args {
		literal, is := argument.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING {
			break
		}
		elements = append(elements, strings.Trim(literal.Value, "\"`"))
	}
	name := func() string {
		selector, is := call.Fun.(*ast.SelectorExpr)
		if !is {
			return ""
		}
		of, _ := selector.X.(*ast.Ident)
		if of == nil {
			return ""
		}
		return of.Name + "." + selector.Sel.Name
	}()
	switch {
	case name == "repo.Path":
		paths = append(paths, path.Join(elements...))
	case name == "filepath.Join" && len(elements) > 0 && elements[0] == "..":
		paths = append(paths, path.Join(append([]string{folder}, elements...)...))
	case strings.HasPrefix(name, "os.") || strings.HasPrefix(name, "golden."):
		for _, one := range elements {
			if strings.HasPrefix(one, "../") {
				paths = append(paths, path.Join(folder, one))
			}
		}
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		return p == "" || p == "bin" || strings.HasPrefix(p, "bin/") || strings.HasPrefix(p, "..")
	})
}
