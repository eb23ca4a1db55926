package project

import (
	"errors"
	"fmt"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/atomicfile"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Backend is the storage of stacks' states.
type Backend struct {
	// URL is the backend URL for the engine: "file:///…", "s3://…", "https://api.pulumi.com".
	URL string
	// Own is set if the folder belongs to this program, which creates it when needed.
	Own bool
}

// Backend returns the project's backend: given, else PULUMI_BACKEND_URL, else Pulumi.yaml's
// backend.url, else a folder in the project. A relative file:// URL is relative to the project.
func (p *Project) Backend(given string, environ engine.Environ) Backend {
	raw := given
	if raw == "" {
		raw = p.BackendOr(environ, func() string { return "" })
	}
	if raw == "" {
		return Backend{URL: FileURL(filepath.Join(p.OwnDir(), "state")), Own: true}
	}
	path, isFile := strings.CutPrefix(raw, "file://")
	if !isFile || strings.HasPrefix(path, "~") || filepath.IsAbs(path) {
		return Backend{URL: raw}
	}
	return Backend{URL: FileURL(filepath.Join(p.Dir, path))}
}

// BackendOr returns PULUMI_BACKEND_URL, else Pulumi.yaml's backend.url, else what otherwise returns.
func (p *Project) BackendOr(environ engine.Environ, otherwise func() string) string {
	if raw := environ.Get("PULUMI_BACKEND_URL"); raw != "" {
		return raw
	}
	if p.settings != nil && p.settings.Backend != nil && p.settings.Backend.URL != "" {
		return p.settings.Backend.URL
	}
	return otherwise()
}

// OfflineDir returns the folder of the offline account and its state.
func (p *Project) OfflineDir() string { return filepath.Join(p.OwnDir(), "offline") }

// OfflineBackend returns the backend of offline stacks, in the project's own folder.
func (p *Project) OfflineBackend() Backend {
	return Backend{URL: FileURL(filepath.Join(p.OfflineDir(), "state")), Own: true}
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
