package conformance

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// providerDifferences are the properties that may differ between a life offline and by a provider, from a file in
// testdata. Lives may use it at the same time.
type providerDifferences struct {
	file string
	mu   sync.Mutex
	// used has each property that may differ, and whether a life has the difference. What is drawn by lot has it already:
	// two draws can be equal.
	used map[string]bool
}

// readDifferences reads a file. A line has a type, "in" or "out" with a property, and the reason. Those of the base and
// of the mapping are for a provider that was built from public sources.
func readDifferences(t *testing.T, file string, built bool) *providerDifferences {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	d := &providerDifferences{file: file, used: map[string]bool{}}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && !strings.HasPrefix(line, "#") && (built || fields[2] != "base" && fields[2] != "mapping:") {
			d.used[fields[0]+" "+fields[1]] = fields[2] == "lot"
		}
	}
	return d
}

// requireEqual compares the properties of a life offline with those by a provider. Their keys are "CONFIG TYPE NAME
// in.PROPERTY".
func (d *providerDifferences) requireEqual(t *testing.T, offline, real lived) {
	t.Helper()
	both := maps.Clone(offline.properties)
	maps.Copy(both, real.properties)
	text := &strings.Builder{}
	for _, key := range slices.Sorted(maps.Keys(both)) {
		memory, provider := offline.properties[key], real.properties[key]
		if memory != provider && !d.allows(key) {
			fmt.Fprintf(text, "%s\n  memory   %s\n  provider %s\n", key, memory, provider)
		}
	}
	assert.Empty(t, text.String(), "differences")
}

// allows reports whether a property may differ, and remembers that it does.
func (d *providerDifferences) allows(key string) bool {
	words := strings.Fields(key)
	token := slices.IndexFunc(words, func(word string) bool { return strings.Count(word, ":") == 2 })
	if token < 0 {
		return false
	}
	property := words[token] + " " + words[len(words)-1]
	d.mu.Lock()
	defer d.mu.Unlock()
	_, allowed := d.used[property]
	if allowed {
		d.used[property] = true
	}
	return allowed
}

// requireUsed fails for each property that no life needs.
func (d *providerDifferences) requireUsed(t *testing.T) {
	t.Helper()
	for property, used := range d.used {
		assert.True(t, used, "no life has the difference %s of testdata/%s", property, d.file)
	}
}
