package conformance

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// inputsFile has, for each life, the digest of the inputs of which its requests are recorded. It is written together
// with the requests.
var inputsFile = filepath.Join("testdata", "awsrequests.sum")

// assigned matches the addresses that the offline account assigns by lot.
var assigned = regexp.MustCompile(`\b198\.1[89]\.\d+\.\d+|\b2001:db8:[0-9a-f:]*`)

// digestOf returns the digest of the inputs of all resources in a life's stacks. It needs neither the engine nor a
// provider.
func digestOf(t *testing.T, life providerLife) string {
	t.Helper()
	digest := sha256.New()
	for _, config := range life.configs {
		text := graph.Directly(t, stacks.Run, offline.Options{
			Dir:   t.TempDir(),
			Seeds: givenTo(t, life),
		}, stackfile.Settings(t, config), nil)
		_, _ = digest.Write([]byte(assigned.ReplaceAllString(text, "…")))
	}
	return fmt.Sprintf("%x", digest.Sum(nil))[:16]
}

// recordedInputs returns the content of inputsFile.
func recordedInputs(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(inputsFile)
	require.NoError(t, err)
	digests := map[string]string{}
	for line := range strings.Lines(string(text)) {
		digest, life, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		digests[life] = digest
	}
	return digests
}

// recordInputs writes the digests of lives whose requests have been recorded.
func recordInputs(t *testing.T, lives []providerLife, recorded map[string]lived) {
	t.Helper()
	digests, text := recordedInputs(t), ""
	for _, life := range lives {
		if _, ran := recorded[life.name]; ran {
			digests[life.name] = digestOf(t, life)
		}
	}
	for _, life := range slices.Sorted(maps.Keys(digests)) {
		text += digests[life] + "  " + life + "\n"
	}
	require.NoError(t, os.WriteFile(inputsFile, []byte(text), 0o644))
}

// TestTheRecordedRequestsAreThoseOfTodaysInputs names the recorded requests that a change of a component has made
// stale, without a provider.
func TestTheRecordedRequestsAreThoseOfTodaysInputs(t *testing.T) {
	t.Parallel()
	recorded := recordedInputs(t)
	lives := providerLives(t)
	assert.Len(t, recorded, len(lives), "lives without recorded requests, or requests without a life")
	for _, life := range lives {
		t.Run(life.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, recorded[life.name], digestOf(t, life),
				"%s is stale, because the inputs of its resources have changed: "+
					"record it with `make aws-plugin` and `go test ./test/conformance -run TheAccountInMemoryIsLikeTheAWSProvider -aws-plugin $PWD/bin/plugins/aws -update`",
				requestsPath(life.name))
		})
	}
}
