package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// TestEachCommandEndsItsJSONWithItsResult runs each command with -o json: in a folder without stacks, with a file that
// has faults, and with a flag and an argument that it does not have.
func TestEachCommandEndsItsJSONWithItsResult(t *testing.T) {
	t.Parallel()
	empty, faulty := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(faulty, "Pulumi.dev.yaml"),
		[]byte("config:\n  hypershift-aws:kind: cluster\n  hypershift-aws:cluster: {name: 1, infraId: x}\n"), 0o600))
	ran := 0
	eachCommand(Command(features.All()), func(cmd *cobra.Command) {
		if !cmd.Runnable() || strings.Contains(cmd.CommandPath(), "completion") || cmd.Name() == "help" {
			return
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		for _, args := range [][]string{
			{"-C", empty, "--offline"}, {"-C", faulty, "--offline"}, {"--no-such-flag"}, {"a", "b", "c", "d"},
		} {
			ran++
			requireResult(t, slices.Concat([]string{"-o", "json"}, path, args))
		}
	})
	require.Greater(t, ran, 150)
}

func requireResult(t *testing.T, args []string) {
	t.Helper()
	var out, text bytes.Buffer
	code := Run(invocation.Streams{
		In: strings.NewReader(""), Out: &out, Err: &text,
		Environ: engine.Environ{"PATH=/nonexistent", "HOME=/nonexistent", "AWS_REGION=us-east-1"},
	}, features.All(), args)
	command := strings.Join(args, " ")
	var last struct {
		Type, Reason, Result string
		ExitCode             int
	}
	for line := range strings.Lines(out.String()) {
		if code == 0 && !strings.HasPrefix(line, `{"type":`) {
			return // one document
		}
		require.NoError(t, json.Unmarshal([]byte(line), &last), "%s: %s", command, line)
	}
	if code == 0 {
		assert.Equal(t, "summary", last.Type, "%s\n%s%s", command, out.String(), text.String())
		return
	}
	assert.Equal(t, "error", last.Type, "%s\n%s%s", command, out.String(), text.String())
	assert.Equal(t, code, last.ExitCode, command)
	assert.Equal(t, failure.ReasonByExitCode(code).String(), last.Reason, command)
}

// TestTheDocumentOfTheCommandLineHasEveryExitCode compares the table of docs/commands/README.md with the reasons.
func TestTheDocumentOfTheCommandLineHasEveryExitCode(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/commands/README.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(document), "## Exit codes")
	table, _, _ = strings.Cut(table, "## ")
	var documented []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
	}
	codes := []string{"0", strconv.Itoa(invocation.ExitCode(invocation.RefusedPlans("dev")))}
	for reason := failure.Failed; reason <= failure.Interrupted; reason++ {
		codes = append(codes, strconv.Itoa(invocation.ExitCode(&failure.Error{Reason: reason})))
	}
	assert.ElementsMatch(t, codes, documented)
}
