package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/blang/semver"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// readVersion returns the version of the engine at path: the recorded one if the file is unchanged, otherwise the one
// that the engine reports.
func (s Search) readVersion(ctx context.Context, path string) (semver.Version, error) {
	record := s.versionRecord(path)
	if record != "" {
		if text, err := os.ReadFile(record); err == nil {
			if version, err := semver.Parse(string(text)); err == nil {
				return version, nil
			}
		}
	}
	version, err := askVersion(ctx, path, s.Environ)
	if err == nil && record != "" && atomicfile.MakeDir(filepath.Dir(record)) == nil {
		_ = atomicfile.Write(record, []byte(version.String())) // without the record, the engine is run again
	}
	return version, err
}

// versionRecord returns the file that records the version of the executable at path, or "" if it cannot be recorded.
// Its name depends on the executable's path, size and modification time. The version of a script, or of a link to a
// program with another name, is not recorded: both are used by version managers, which run another engine in another
// folder.
func (s Search) versionRecord(path string) string {
	cache := cacheDir(s.Environ)
	real, err := filepath.EvalSymlinks(path)
	if cache == "" || err != nil || filepath.Base(real) != Executable || isScript(real) {
		return ""
	}
	info, err := os.Stat(real)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d", real, info.Size(), info.ModTime().UnixNano()))
	return filepath.Join(cache, "engine-versions", fmt.Sprintf("%x", sum[:16]))
}

// cacheDir returns this program's folder in the user's cache, or "" if there is none.
func cacheDir(environ Environ) string {
	dir := environ.Get("XDG_CACHE_HOME")
	if home := environ.Get("HOME"); !filepath.IsAbs(dir) && filepath.IsAbs(home) {
		dir = filepath.Join(home, ".cache")
		if runtime.GOOS == "darwin" {
			dir = filepath.Join(home, "Library", "Caches")
		}
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "hypershift-aws")
}

func isScript(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	start := make([]byte, 2)
	_, err = io.ReadFull(file, start)
	return err == nil && bytes.Equal(start, []byte("#!"))
}

func askVersion(ctx context.Context, path string, environ Environ) (semver.Version, error) {
	cmd := exec.CommandContext(ctx, path, "version")
	cmd.Env = environ.With("PULUMI_SKIP_UPDATE_CHECK", "true")
	out, err := cmd.Output()
	if err != nil {
		return semver.Version{}, err
	}
	version, err := semver.ParseTolerant(strings.TrimSpace(string(out)))
	if err != nil {
		return semver.Version{}, fmt.Errorf("invalid version %q: %w", strings.TrimSpace(string(out)), err)
	}
	return version, nil
}
