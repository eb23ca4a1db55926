package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Project is a folder of stack files, with or without a Pulumi.yaml.
type Project struct {
	// Dir is the absolute path of the folder.
	Dir string
	// WorkDir is the absolute path of the folder for this program's files, "" for the one in Dir.
	WorkDir string
	// settings is the content of Pulumi.yaml, nil if there is none.
	settings *workspace.Project
	supplied *supplied
}

// Open reads the project in dir.
func Open(dir string) (*Project, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the folder %s: %w", dir, err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the folder %s does not exist", abs),
			Remedy:  "use the project's folder with -C",
			Cause:   err,
		}
	}
	p := &Project{Dir: abs, supplied: &supplied{files: map[string]suppliedFile{}}}
	path := filepath.Join(abs, "Pulumi.yaml")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if _, err = atomicfile.ReadInput(path); err == nil {
		p.settings, err = workspace.LoadProject(path)
	}
	if err != nil {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("%s cannot be read: %v", path, err),
			Remedy:  "correct it",
			Cause:   err,
		}
	}
	return p, checkOptions(path)
}

// refreshAlways is the value of the project's option "refresh" with which Pulumi refreshes before each operation.
const refreshAlways = "always"

// checkOptions refuses options of a Pulumi.yaml that this program does not know: they may change what a run of the
// engine does.
func checkOptions(path string) error {
	text, err := atomicfile.ReadInput(path)
	if err != nil {
		return fmt.Errorf("reading the options of %s: %w", path, err)
	}
	var content struct {
		Options map[string]any `yaml:"options"`
	}
	if err := yaml.Unmarshal(text, &content); err != nil {
		return nil //nolint:nilerr // LoadProject has read it in another form
	}
	for _, name := range slices.Sorted(maps.Keys(content.Options)) {
		if name != "refresh" { // whose values Pulumi's own schema checks
			return &failure.Error{
				Reason:  failure.Refused,
				Problem: fmt.Sprintf("%s: options.%s is unknown, and may change what the engine does", path, name),
				Remedy:  "leave it out",
			}
		}
	}
	return nil
}

// Refreshes reports whether the project's Pulumi.yaml has the option to refresh before each update. The engine does not
// get it: it would read and change in one run, and what it reads would be judged by nobody.
func (p *Project) Refreshes() bool { return p.settings != nil && refreshes(p.settings.Options) }

func refreshes(o *workspace.ProjectOptions) bool { return o != nil && o.Refresh == refreshAlways }

// Name returns the project's name, under which the engine stores its stacks.
func (p *Project) Name() string {
	if p.settings == nil {
		return config.ProjectName
	}
	return p.settings.Name.String()
}

// StackDir returns the folder of the stack files: the project's own, unless its Pulumi.yaml names another.
func (p *Project) StackDir() string {
	if p.settings == nil {
		return p.Dir
	}
	return filepath.Join(p.Dir, p.settings.StackConfigDir)
}

// StackFile returns the path of a stack's file, whether it exists or not.
func (p *Project) StackFile(stack string) string {
	return filepath.Join(p.StackDir(), config.FileName(stack))
}

// Stacks lists the stacks that have a file, or that were given the content of one, in alphabetical order.
func (p *Project) Stacks() []string {
	paths, _ := filepath.Glob(filepath.Join(atomicfile.EscapeGlob(p.StackDir()), config.FileName("*")))
	var names []string
	for _, path := range paths {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "Pulumi."), ".yaml")
		if name != "" {
			names = append(names, name)
		}
	}
	p.supplied.mu.Lock()
	names = slices.AppendSeq(names, maps.Keys(p.supplied.files))
	p.supplied.mu.Unlock()
	slices.Sort(names)
	return names
}

// SelectStack returns name if it is given and valid, else the project's only stack.
func (p *Project) SelectStack(name string) (string, error) {
	if name != "" {
		if _, err := tokens.ParseStackName(name); err != nil {
			return "", &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf("%q cannot be a stack's name", name),
				Remedy: "use letters, digits, hyphens, underscores, and dots", Cause: err}
		}
		return name, nil
	}
	switch names := p.Stacks(); len(names) {
	case 1:
		return names[0], nil
	case 0:
		return "", &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("no stack has a file in %s", p.StackDir()),
			Remedy:  "create one with `hypershift-aws new -s NAME`",
		}
	default:
		return "", &failure.Error{
			Reason:  failure.Refused,
			Problem: "the project has several stacks, and none is selected",
			Remedy:  "select one with -s: " + strings.Join(names, ", "),
		}
	}
}

// LoadStack reads and checks a stack's file. It returns fault.Faults for its errors.
func (p *Project) LoadStack(stack string) (*config.File, error) {
	return p.LoadStackIssuedBy(stack, "")
}

// LoadStackIssuedBy is like LoadStack, for a cluster whose issuer the caller provides: the file need not contain one.
func (p *Project) LoadStackIssuedBy(stack, issuerURL string) (*config.File, error) {
	file, err := p.readConfig(stack, issuerURL)
	if err != nil && p.ofOwnProgram(stack) {
		return nil, &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("stack %s is not one of hypershift-aws: %s has no hypershift-aws: keys, and Pulumi.yaml runs a program of its own (runtime %s)",
				stack, p.StackFile(stack), p.settings.Runtime.Name()),
			Remedy: "use pulumi; `hypershift-aws sandbox -- pulumi preview` runs the program with an AWS account in memory",
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	remedy := fmt.Sprintf("create it with `hypershift-aws new -s %s`", stack)
	if names := p.Stacks(); len(names) > 0 {
		remedy += ", or use an existing one with -s: " + strings.Join(names, ", ")
	}
	return nil, &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("there is no stack %s: %s does not exist", stack, p.StackFile(stack)),
		Remedy:  remedy,
		Cause:   err,
	}
}

// RunsThisProgram reports whether the engine runs the program of this module in the project, by its language host.
func (p *Project) RunsThisProgram() bool {
	return p.settings != nil && p.settings.Runtime.Name() == config.ProjectName
}

// ofOwnProgram reports whether a stack belongs to a Pulumi program that reads no config of hypershift-aws.
func (p *Project) ofOwnProgram(stack string) bool {
	if p.settings == nil || p.RunsThisProgram() {
		return false
	}
	text, err := p.ReadStackFile(stack)
	return err == nil && !strings.Contains(string(text), config.ProjectName+":")
}

// OwnDir returns the folder of this program's files in a project: state, workspaces, the offline account. Git ignores
// it.
func (p *Project) OwnDir() string {
	return cmp.Or(p.WorkDir, filepath.Join(p.Dir, ".hypershift-aws"))
}

// MakeOwnDir creates OwnDir. It refuses links in it: this program makes none there, and a repository could have it
// write and remove files elsewhere.
func (p *Project) MakeOwnDir() error {
	if err := refuseLinks(p.OwnDir(), p.WorkDir != ""); err != nil {
		return err
	}
	if err := atomicfile.MakePrivateDir(p.OwnDir()); err != nil {
		return fmt.Errorf("creating this project's folder: %w", err)
	}
	return atomicfile.Write(filepath.Join(p.OwnDir(), ".gitignore"), []byte("*\n"))
}

// refuseLinks returns the refusal of links in a folder or, unless the caller chose it, of a folder that is a link
// itself. The engine's home in it is the engine's: plugins may have links.
func refuseLinks(dir string, chosen bool) error {
	root := dir
	if chosen {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			root = real
		}
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // there is nothing yet, or another process has removed it
		case err != nil:
			return fmt.Errorf("looking for links in %s: %w", dir, err)
		case entry.IsDir() && path == filepath.Join(root, "offline", "home"):
			return fs.SkipDir
		case entry.Type()&fs.ModeSymlink == 0:
			return nil
		}
		return &failure.Error{
			Reason: failure.Refused, Problem: fmt.Sprintf("%s is a link: this program writes and removes files there", path),
			Remedy: "put a folder or a file of your own in its place",
		}
	})
}
