package cli

import (
	"fmt"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publicPackages returns the types of the packages that other modules can import, by their paths in this module.
func publicPackages(t *testing.T) map[string]*types.Package {
	t.Helper()
	packages, err := ownPackages()
	require.NoError(t, err)
	return packages
}

// ownPackages are this tree's public packages. They are compiled and read once.
var ownPackages = sync.OnceValues(func() (map[string]*types.Package, error) {
	return publicPackagesOf(filepath.Join("..", ".."))
})

// publicPackagesOf returns the public packages of the module in a folder. Nothing else is compiled.
func publicPackagesOf(dir string) (map[string]*types.Package, error) {
	list := func(args ...string) (lines []string, err error) {
		command := exec.Command("go", append([]string{"list"}, args...)...)
		command.Dir = dir
		output, err := command.Output()
		return strings.Split(strings.TrimSpace(string(output)), "\n"), err
	}
	all, err := list("-f", "{{if .GoFiles}}{{.ImportPath}} {{.Name}}{{end}}", "./...")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, line := range all {
		name, pkg, _ := strings.Cut(line, " ")
		path, ours := strings.CutPrefix(name, module)
		if ours && pkg != "main" && !within(path, "test examples cmd") && !internalPackage(name) {
			paths = append(paths, path)
		}
	}
	args := []string{"-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, path := range paths {
		args = append(args, "./"+path)
	}
	compiled, err := list(args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, line := range compiled {
		name, export, _ := strings.Cut(line, " ")
		exports[name] = export
	}
	load := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	packages := map[string]*types.Package{}
	for _, path := range paths {
		if packages[path], err = load.Import(module + path); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// sentence matches the end of a sentence in a comment.
var sentence = regexp.MustCompile(`[A-Za-z0-9)` + "`" + `]\.(\s|$)`)

// Each public package says what it is for, shows it by an example, and has a reason in the changelog.
func TestEachPublicPackageReadsAsAPage(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile(filepath.Join("..", "..", "CHANGELOG.md"))
	require.NoError(t, err)
	seen := 0
	for _, p := range listed(t) {
		if p.Name == "main" || within(p.ImportPath, "test examples tools cmd") || internalPackage(module+p.ImportPath) {
			continue
		}
		seen++
		comment := ""
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil,
				parser.PackageClauseOnly|parser.ParseComments)
			require.NoError(t, err)
			comment += file.Doc.Text()
		}
		assert.GreaterOrEqual(t, len(sentence.FindAllString(comment, -1)), 2, "the comment of package %s needs two sentences",
			p.ImportPath)
		assert.True(t, hasExample(t, p.Dir), "package %s has no Example function", p.ImportPath)
		assert.Regexp(t, "(?m)^\\| .*`"+p.ImportPath+"`.* \\| .+ \\|$", string(changelog), "package %s has no reason in the changelog", p.ImportPath)
	}
	assert.Greater(t, seen, 25)
}

// hasExample reports whether the tests in a folder have an example.
func hasExample(t *testing.T, dir string) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(names, func(name string) bool {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return strings.Contains(string(text), "\nfunc Example")
	})
}

// internalPackage reports whether only this module can import a package of it.
func internalPackage(path string) bool {
	return strings.HasPrefix(path, module) && slices.Contains(strings.Split(path, "/"), "internal")
}

// mentions collects the internal types in the exported API of a package, each with the ways to it.
type mentions struct {
	pkg   *types.Package
	seen  map[types.Type]bool
	found []string
}

// internalMentions returns the internal types that the exported API of a package mentions.
func internalMentions(pkg *types.Package) []string {
	m := &mentions{pkg: pkg, seen: map[types.Type]bool{}}
	for _, name := range pkg.Scope().Names() {
		if object := pkg.Scope().Lookup(name); object.Exported() {
			m.object(object)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(m.found)))
}

func (m *mentions) object(object types.Object) {
	way := object.Name()
	name, isType := object.(*types.TypeName)
	if !isType {
		m.mention(object.Type(), way)
		return
	}
	if alias, is := name.Type().(*types.Alias); is {
		m.mention(alias.Rhs(), way)
		return
	}
	m.declared(name.Type().(*types.Named), way)
}

// declared walks what the package declares of a type: its definition and its methods.
func (m *mentions) declared(named *types.Named, way string) {
	if m.seen[named] {
		return
	}
	m.seen[named] = true
	for i := range named.TypeParams().Len() {
		m.mention(named.TypeParams().At(i).Constraint(), way)
	}
	m.mention(named.Underlying(), way)
	for i := range named.NumMethods() {
		if method := named.Method(i); method.Exported() {
			m.mention(method.Type(), way+"."+method.Name())
		}
	}
}

// mention walks a type as it is written, up to the names in it.
func (m *mentions) mention(written types.Type, way string) {
	switch t := written.(type) {
	case *types.Alias:
		if object := t.Obj(); object.Pkg() != nil && internalPackage(object.Pkg().Path()) {
			m.add(object, way)
			return
		}
		m.mention(t.Rhs(), way)
	case *types.Named:
		object := t.Obj()
		switch {
		case object.Pkg() != nil && internalPackage(object.Pkg().Path()):
			m.add(object, way)
		case object.Pkg() == m.pkg && !object.Exported():
			m.declared(t, way)
		}
		for i := range t.TypeArgs().Len() {
			m.mention(t.TypeArgs().At(i), way)
		}
	case *types.TypeParam:
	case *types.Struct:
		for i := range t.NumFields() {
			if field := t.Field(i); field.Exported() || field.Embedded() {
				m.mention(field.Type(), way+"."+field.Name())
			}
		}
	case *types.Signature:
		for i := range t.TypeParams().Len() {
			m.mention(t.TypeParams().At(i).Constraint(), way)
		}
		m.mention(t.Params(), way)
		m.mention(t.Results(), way)
	case *types.Tuple:
		for i := range t.Len() {
			m.mention(t.At(i).Type(), way)
		}
	case *types.Interface:
		for i := range t.NumEmbeddeds() {
			m.mention(t.EmbeddedType(i), way)
		}
		for i := range t.NumExplicitMethods() {
			m.mention(t.ExplicitMethod(i).Type(), way+"."+t.ExplicitMethod(i).Name())
		}
	case *types.Union:
		for i := range t.Len() {
			m.mention(t.Term(i).Type(), way)
		}
	case *types.Map:
		m.mention(t.Key(), way)
		m.mention(t.Elem(), way)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		m.mention(t.Elem(), way)
	}
}

func (m *mentions) add(object types.Object, way string) {
	m.found = append(m.found, fmt.Sprintf("%s: %s.%s", way, strings.TrimPrefix(object.Pkg().Path(), module),
		object.Name()))
}

// size returns how many types and exported fields a package has.
func size(pkg *types.Package) (named, fields int) {
	for _, name := range pkg.Scope().Names() {
		object, isType := pkg.Scope().Lookup(name).(*types.TypeName)
		if !isType || !object.Exported() {
			continue
		}
		named++
		structure, isStruct := object.Type().Underlying().(*types.Struct)
		for i := 0; isStruct && !object.IsAlias() && i < structure.NumFields(); i++ {
			if structure.Field(i).Exported() {
				fields++
			}
		}
	}
	return named, fields
}

// With -v it prints how many packages, types and fields are public.
func TestNoPublicPackageMentionsAnInternalType(t *testing.T) {
	t.Parallel()
	packages := publicPackages(t)
	named, fields := 0, 0
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		for _, mention := range internalMentions(packages[path]) {
			assert.Fail(t, "an internal type in the API", "%s.%s", path, mention)
		}
		n, f := size(packages[path])
		named, fields = named+n, fields+f
	}
	t.Logf("%d packages, %d types, %d exported fields", len(packages), named, fields)
	require.Contains(t, packages, "automation")
}

func TestAnInternalTypeIsFoundBehindAnAliasAndInAField(t *testing.T) {
	t.Parallel()
	below := types.NewPackage(module+"internal/plan", "plan")
	plan := types.NewNamed(types.NewTypeName(token.NoPos, below, "Plan", nil), types.NewStruct(nil, nil), nil)
	public := types.NewPackage(module+"automation", "automation")
	alias := types.NewTypeName(token.NoPos, public, "Plan", nil)
	types.NewAlias(alias, plan)
	result := types.NewTypeName(token.NoPos, public, "Result", nil)
	types.NewNamed(result, types.NewStruct([]*types.Var{types.NewField(token.NoPos, public, "Plans",
		types.NewSlice(types.NewPointer(plan)), false)}, nil), nil)
	public.Scope().Insert(alias)
	public.Scope().Insert(result)
	assert.Equal(t, []string{"Plan: internal/plan.Plan", "Result.Plans: internal/plan.Plan"}, internalMentions(public))
}

// Another module can make an Event too, by the Marker that package automation needs. These are the types that
// operations send.
func TestTheEventsAreTheTypesOfPackageAutomationWithThatName(t *testing.T) {
	t.Parallel()
	packages := publicPackages(t)
	scope := packages["automation"].Scope()
	event := packages["api/event"].Scope().Lookup("Event").Type().Underlying().(*types.Interface)
	listed := map[types.Object]bool{}
	for _, name := range scope.Names() {
		object, isType := scope.Lookup(name).(*types.TypeName)
		if !isType || !object.Exported() || name == "Event" {
			continue
		}
		sent := types.Implements(types.NewPointer(object.Type()), event)
		assert.Equal(t, strings.HasSuffix(name, "Event"), sent, name)
		if named, is := types.Unalias(object.Type()).(*types.Named); is && sent {
			listed[named.Obj()] = true
		}
	}
	below := packages["api/event"].Scope()
	for _, name := range below.Names() {
		object, isType := below.Lookup(name).(*types.TypeName)
		if isType && name != "Event" && name != "Marker" && types.Implements(types.NewPointer(object.Type()), event) {
			assert.True(t, listed[object], "automation has no name for event.%s", name)
		}
	}
	assert.Greater(t, len(listed), 15)
}
