package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// transcript is what a command writes, for a test that waits for a text.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *transcript) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(text)
}

func (w *transcript) has(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.text.String(), text)
}

// hostedStack is the file of a stack with a protected HostedCluster.
const hostedStack = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    endpointAccess: Private
    network: {zones: [us-east-1a], nat: Single}
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
    hostedCluster:
      kubeconfig: {context: management}
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: pull-secret.json
`

// TestDestroyChangesNothingWhileItAsks: a process that is killed at a question leaves the state as it was.
func TestDestroyChangesNothingWhileItAsks(t *testing.T) {
	t.Parallel()
	found := script.FindEngine(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.demo.yaml"), []byte(hostedStack), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pull-secret.json"), []byte(`{"auths": {}}`), 0o600))
	home := filepath.Join(dir, "home")
	require.NoError(t, engine.HomeWithoutLogs(home))
	streams := invocation.System()
	streams.Environ = streams.Environ.With("PULUMI_HOME", home).With("PULUMI_CONFIG_PASSPHRASE", "x").
		With("PATH", streams.Environ.Get("PATH")+string(os.PathListSeparator)+filepath.Dir(found))
	streams.Dir, streams.Out, streams.Asks = dir, io.Discard, true
	said := &transcript{}
	streams.Err = said
	require.Zero(t, runAll(streams, []string{"-C", dir, "--offline", "-s", "demo", "up", "--yes"}), said.text.String())
	state := filepath.Join(dir, ".hypershift-aws", "offline", "state", ".pulumi", "stacks", "hypershift-aws", "demo.json")
	before, err := os.ReadFile(state)
	require.NoError(t, err)
	require.Contains(t, string(before), `"protect"`)

	answers, answer := io.Pipe()
	streams.In = answers
	ended := make(chan int)
	go func() { ended <- runAll(streams, []string{"-C", dir, "--offline", "-s", "demo", "destroy"}) }()
	for _, question := range []struct{ text, answer string }{{"Enter its name: ", "other\n"}} {
		require.Eventually(t, func() bool { return said.has(question.text) }, time.Minute, 10*time.Millisecond)
		now, err := os.ReadFile(state)
		require.NoError(t, err)
		require.Equal(t, string(before), string(now), "while it asks: %s", question.text)
		_, err = io.WriteString(answer, question.answer)
		require.NoError(t, err)
	}
	require.Equal(t, 1, <-ended)
	require.Regexp(t, `(?s)\d+ to delete\n.*Enter its name: `, said.text.String(), "the plan is before the question")
	require.NotContains(t, said.text.String(), "[y/N", "the name is the only question")
	now, err := os.ReadFile(state)
	require.NoError(t, err)
	require.Equal(t, string(before), string(now))
}
