package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blang/semver"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/pulumi/pulumi/sdk/v3"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
)

// Executable is the name of the engine.
const Executable = "pulumi"

// Engine is a pulumi executable that is recent enough for the SDK that this program is built with.
type Engine struct {
	// Path is the absolute path of the executable.
	Path string
	// Version is the version that it reports.
	Version semver.Version
}

// Search configures the search for the engine.
type Search struct {
	// Environ contains PATH and HOME.
	Environ Environ
	// Executable is the path of the running program, "" if it is unknown.
	Executable string
	// Dirs are folders whose bin/pulumi is tried, in order.
	Dirs []string
	// Install allows the Automation API's installer, which needs the network, as the last resort.
	Install bool
	// Log is called before an installation; it may be nil.
	Log func(sentence string)
}

// Minimum returns the oldest supported version of the engine: the release of the SDK that this program is built with.
func Minimum() semver.Version { return sdk.Version }

// Find returns the first engine that is recent enough: on PATH, beside the running program, in bin/ of the search's
// folders and of the Go module around each, under ~/.pulumi. The error lists the engines that were found, and how to
// install a suitable one.
func Find(ctx context.Context, search Search) (*Engine, error) {
	var rejected []string
	for _, path := range search.candidates() {
		version, err := search.readVersion(ctx, path)
		switch {
		case err != nil:
			rejected = append(rejected, fmt.Sprintf("%s does not run: %v", path, err))
		case version.LT(Minimum()) || version.Major != Minimum().Major:
			rejected = append(rejected, fmt.Sprintf("%s is v%s", path, version))
		default:
			return &Engine{Path: path, Version: version}, nil
		}
	}
	if search.Install {
		return search.install(ctx)
	}
	return nil, noEngine(rejected)
}

func noEngine(rejected []string) *failure.Error {
	found := "none was found on PATH, beside this program or under ~/.pulumi"
	if len(rejected) > 0 {
		found = strings.Join(rejected, ", ")
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("no Pulumi engine of v%s or later: %s", Minimum(), found),
		Remedy:  "run `make engine` to build one into bin/, or install a recent `pulumi` on PATH",
	}
}

// candidates lists the executables that exist, each once.
func (s Search) candidates() []string {
	var places []string
	for _, dir := range filepath.SplitList(s.Environ.Get("PATH")) {
		if filepath.IsAbs(dir) {
			places = append(places, dir)
		}
	}
	if s.Executable != "" {
		beside := filepath.Dir(s.Executable)
		above := filepath.Dir(beside)
		places = append(places, beside, filepath.Join(beside, "bin"), filepath.Join(above, "bin"),
			filepath.Join(above, "libexec"))
	}
	for _, dir := range s.Dirs {
		if absolute, err := filepath.Abs(dir); err == nil {
			dir = absolute
		}
		places = append(places, filepath.Join(dir, "bin"))
		if root := moduleRoot(dir); root != "" {
			places = append(places, filepath.Join(root, "bin"))
		}
	}
	if home := s.Environ.Get("HOME"); home != "" {
		places = append(places, filepath.Join(installRoot(home), "bin"), filepath.Join(home, ".pulumi", "bin"))
	}

	var found []string
	seen := map[string]bool{}
	for _, place := range places {
		path := filepath.Join(place, Executable)
		if !seen[path] && isExecutable(path) && !s.isThisProgram(path) {
			found = append(found, path)
		}
		seen[path] = true
	}
	return found
}

// isThisProgram reports whether a path is that of the running program, which has the name of the engine too in an
// image.
func (s Search) isThisProgram(path string) bool {
	if s.Executable == "" {
		return false
	}
	own, err := os.Stat(s.Executable)
	if err != nil {
		return false
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(own, other)
}

// First returns the first engine, of any version; "" if there is none.
func (s Search) First() string {
	if all := s.candidates(); len(all) > 0 {
		return all[0]
	}
	return ""
}

func (s Search) install(ctx context.Context) (*Engine, error) {
	home := s.Environ.Get("HOME")
	root := installRoot(home)
	if s.Log != nil {
		s.Log(fmt.Sprintf("installing Pulumi v%s into %s", Minimum(), root))
	}
	installed, err := auto.InstallPulumiCommand(ctx, &auto.PulumiCommandOptions{Version: Minimum(), Root: root})
	if err != nil {
		missing := noEngine(nil)
		missing.Problem += fmt.Sprintf(", and installing it into %s failed: %s", root, firstLine(err.Error()))
		missing.Cause = err
		return nil, missing
	}
	return &Engine{Path: filepath.Join(root, "bin", Executable), Version: installed.Version()}, nil
}

// installRoot returns where the Automation API's installer keeps this version.
func installRoot(home string) string {
	return filepath.Join(home, ".pulumi", "versions", Minimum().String())
}

// moduleRoot returns the folder of the go.mod around dir, or "" if there is none.
func moduleRoot(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
