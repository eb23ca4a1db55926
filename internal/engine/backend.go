package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Backend is the storage of stacks' states.
type Backend struct {
	// URL is the backend URL for the engine: "file:///…", "s3://…", "https://api.pulumi.com".
	URL string
	// Own is set if the folder belongs to this program, which creates it when needed.
	Own bool
}

// inUse is the name of the file in a temporary folder that its process locks.
const inUse = "in-use"

// TemporaryBackend returns a backend in a temporary folder below dir: see TemporaryFolder.
func TemporaryBackend(dir string) (backend Backend, remove func(), err error) {
	folder, remove, err := TemporaryFolder(dir)
	if err != nil {
		return backend, remove, err
	}
	return Backend{URL: FileURL(folder), Own: true}, remove, nil
}

// TemporaryFolder returns a private folder below dir for a state or a plan, and the function that removes it, which is
// never nil. What a killed process leaves there is removed by the next one that calls TemporaryFolder or
// RemoveAbandoned: a copy of a state must not outlive its use.
func TemporaryFolder(dir string) (folder string, remove func(), err error) {
	remove = func() {}
	if err := atomicfile.MakePrivateDir(dir); err != nil {
		return "", remove, fmt.Errorf("creating a folder for a copy of the state: %w", err)
	}
	err = alone(dir, func() (err error) {
		removeAbandoned(dir)
		folder, err = os.MkdirTemp(dir, "copy-")
		if err != nil {
			return err
		}
		remove = func() { _ = os.RemoveAll(folder) }
		lock, err := atomicfile.Lock(filepath.Join(folder, inUse))
		if err != nil {
			return err
		}
		remove = func() {
			_ = os.RemoveAll(folder)
			atomicfile.Unlock(lock)
		}
		return nil
	})
	if err != nil {
		return "", remove, fmt.Errorf("creating a folder for a copy of the state: %w", err)
	}
	return folder, remove, nil
}

// RemoveAbandoned removes the temporary folders below dir that killed processes left.
func RemoveAbandoned(dir string) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // there are none
	}
	return alone(dir, func() error {
		removeAbandoned(dir)
		return nil
	})
}

func removeAbandoned(dir string) {
	folders, _ := filepath.Glob(filepath.Join(atomicfile.EscapeGlob(dir), "copy-*"))
	for _, folder := range folders {
		if lock, err := atomicfile.Lock(filepath.Join(folder, inUse)); err == nil {
			_ = os.RemoveAll(folder)
			atomicfile.Unlock(lock)
		}
	}
}

// alone calls f while no other process does for the same folder.
func alone(dir string, f func() error) error {
	for {
		lock, err := atomicfile.Lock(filepath.Join(dir, "lock"))
		if errors.Is(err, atomicfile.ErrLocked) {
			time.Sleep(10 * time.Millisecond) // the other process removes a folder
			continue
		}
		if err != nil {
			return err
		}
		defer atomicfile.Unlock(lock)
		return f()
	}
}

// FileURL returns the URL of a backend in a folder.
func FileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// Folder returns the folder of a file:// backend, or "" for any other.
func (b Backend) Folder() string {
	parsed, err := url.Parse(b.URL)
	if err != nil || parsed.Scheme != "file" {
		return ""
	}
	if home, isHome := strings.CutPrefix(parsed.Host+parsed.Path, "~"); isHome {
		dir, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		return filepath.Join(dir, home)
	}
	return filepath.FromSlash(parsed.Path)
}

// Cloud reports whether the backend is a Pulumi Cloud, which encrypts secrets with its own key.
func (b Backend) Cloud() bool {
	return strings.HasPrefix(b.URL, "https://") || strings.HasPrefix(b.URL, "http://")
}

// Exists reports whether there can be a state: always true if only the engine can determine it.
func (b Backend) Exists() (bool, error) {
	folder := b.Folder()
	if folder == "" {
		return true, nil
	}
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist) && b.Own:
		return false, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, &failure.Error{
			Reason:  failure.Refused,
			Code:    failure.CodeBackend,
			Problem: fmt.Sprintf("the backend %s has no folder %s", b.URL, folder),
			Remedy:  "create the folder, or use another backend with --backend or PULUMI_BACKEND_URL",
			Cause:   err,
		}
	case err != nil:
		return false, fmt.Errorf("reading the backend %s: %w", b.URL, err)
	case !info.IsDir():
		return false, &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the backend %s is not a folder", b.URL),
			Remedy:  "use file:// with a folder",
		}
	}
	return true, nil
}

// Make creates the folder of a backend that belongs to this program.
func (b Backend) Make() error {
	if !b.Own {
		return nil
	}
	if err := atomicfile.MakeDir(b.Folder()); err != nil {
		return fmt.Errorf("creating the state's folder: %w", err)
	}
	return nil
}
