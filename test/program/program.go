// Package program builds the program that tests start: the CLI, with what only tests run beside it. It is linked once
// for all packages of tests, which would otherwise link the CLI each.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// Names are what the program is started as by scripts; it does as its name says. See package cmd.
var Names = []string{"hypershift-aws", "hypershift-aws-program", "hypershift-aws-toy", "hypershift-aws-no-passphrase",
	"world", Kubectl}

// Kubectl is the name of the program that changes objects of the offline management cluster as other clients do. The
// real kubectl, if any, stays on PATH.
const Kubectl = "offline-kubectl"

// Path returns the program's path, and builds it unless it is up to date. Processes of other packages that want it too
// wait for the first.
func Path() (string, error) { return build() }

// Dir returns a folder with the program under each of its names, for PATH.
func Dir() (string, error) {
	path, err := build()
	return filepath.Join(filepath.Dir(path), "names"), err
}

var build = sync.OnceValues(func() (string, error) {
	folder := repo.Path("bin", "test")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close() //nolint:errcheck // it has nothing to write
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	path := filepath.Join(folder, Names[0])
	// go build links it again only if a package has changed.
	command := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, "./test/program/cmd")
	command.Dir = repo.Path()
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program of the tests: %w\n%s", err, output)
	}
	if err := link(path, filepath.Join(folder, "names")); err != nil {
		return "", err
	}
	return path, readSources()
})

// link makes links to the program under all names. They are no symbolic links, by which a process would not know its
// name.
func link(path, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	built, err := os.Stat(path)
	if err != nil {
		return err
	}
	for _, name := range Names {
		to := filepath.Join(folder, name)
		if linked, err := os.Stat(to); err == nil && os.SameFile(built, linked) {
			continue
		}
		if err := os.Remove(to); err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := os.Link(path, to); err != nil {
			return err
		}
	}
	return nil
}

// sources are the folders of the packages that the program may import.
var sources = []string{"api", "automation", "cmd", "components", "internal", "plugin", "program", "stacks", "test"}

// readSources reads the folders of the program's packages. `go test` caches the result of a test with the files that it
// has read, and the program is built from files that the test's own package does not import.
func readSources() error {
	for _, source := range sources {
		err := filepath.WalkDir(repo.Path(source), func(path string, entry os.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
