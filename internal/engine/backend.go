package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

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

// TemporaryBackend returns a backend in a temporary folder, and the function that removes it.
func TemporaryBackend() (Backend, func(), error) {
	dir, err := os.MkdirTemp("", "hypershift-aws-")
	if err != nil {
		return Backend{}, func() {}, fmt.Errorf("creating a folder for a copy of the state: %w", err)
	}
	return Backend{URL: FileURL(dir), Own: true}, func() { _ = os.RemoveAll(dir) }, nil
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
		return false, &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf("the backend %s is not a folder", b.URL), Remedy: "use file:// with a folder"}
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
