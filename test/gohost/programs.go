package gohost

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Programs builds Go programs, each source once: linking one takes most of a run's time, and the examples' programs
// are the same but for one.
type Programs struct {
	dir string

	mu    sync.Mutex
	built map[string]func() error
}

// NewPrograms builds into dir.
func NewPrograms(dir string) *Programs {
	return &Programs{dir: dir, built: map[string]func() error{}}
}

// build returns the executable of the main.go in folder, which contains no other source.
func (p *Programs) build(folder string) (string, error) {
	source, err := os.ReadFile(filepath.Join(folder, "main.go"))
	if err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	sum := sha256.Sum256(source)
	executable := filepath.Join(p.dir, hex.EncodeToString(sum[:8]))
	p.mu.Lock()
	once := p.built[executable]
	if once == nil {
		once = sync.OnceValue(func() error {
			command := exec.Command("go", "build", "-ldflags=-s -w", "-o", executable, ".")
			command.Dir = folder
			if output, err := command.CombinedOutput(); err != nil {
				return fmt.Errorf("building %s: %w\n%s", folder, err, output)
			}
			return nil
		})
		p.built[executable] = once
	}
	p.mu.Unlock()
	return executable, once()
}
