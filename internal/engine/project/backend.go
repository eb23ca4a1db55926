package project

import (
	"path/filepath"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// Backend returns the project's backend: given, else PULUMI_BACKEND_URL, else Pulumi.yaml's
// backend.url, else a folder in the project. A relative file:// URL is relative to the project.
func (p *Project) Backend(given string, environ engine.Environ) engine.Backend {
	raw := given
	if raw == "" {
		raw = p.BackendOr(environ, func() string { return "" })
	}
	if raw == "" {
		return engine.Backend{URL: engine.FileURL(filepath.Join(p.OwnDir(), "state")), Own: true}
	}
	path, isFile := strings.CutPrefix(raw, "file://")
	if !isFile || strings.HasPrefix(path, "~") || filepath.IsAbs(path) {
		return engine.Backend{URL: raw}
	}
	return engine.Backend{URL: engine.FileURL(filepath.Join(p.Dir, path))}
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
func (p *Project) OfflineBackend() engine.Backend {
	return engine.Backend{URL: engine.FileURL(filepath.Join(p.OfflineDir(), "state")), Own: true}
}
