package capi

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/webhookcases"
)

// Cluster API's own webhooks accept every object that components/capa builds, and their answers to changes are those of
// the file, with which components/capa compares its rules.
func TestTheWebhooksOfClusterAPIAnswerAsTheFileSaysThroughAWSsAPI(t *testing.T) {
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the webhooks of Cluster API on the objects of stacks of kind capa, which make conformance builds and runs")
	}
	const root = "../.."
	objects := webhookcases.Objects(t, root)
	var built []webhookcases.Case
	for file, of := range objects {
		for _, object := range of {
			built = append(built, webhookcases.Case{Name: file, Object: object}, webhookcases.Case{
				Name:   file + " again",
				Object: object,
				Old:    object,
			})
		}
	}
	for i, message := range admitted(t, built) {
		require.Empty(t, message, "%s: %s", built[i].Name, built[i].Object["kind"])
	}
	cases := webhookcases.Cases(t, root)
	var verdicts strings.Builder
	for i, message := range admitted(t, cases) {
		verdicts.WriteString(cases[i].Name + " -> " + strings.ReplaceAll(message, "\n", " ") + "\n")
	}
	golden.Require(t, filepath.Join(root, webhookcases.Verdicts), verdicts.String())
}

// admitted returns why the webhooks refuse each case, "" for what they accept.
func admitted(t *testing.T, cases []webhookcases.Case) []string {
	t.Helper()
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, c := range cases {
		require.NoError(t, encoder.Encode(map[string]any{"object": c.Object, "old": c.Old}))
	}
	admit := exec.Command(filepath.Join(*apiserver.Folder, "capi", "admit"))
	admit.Stdin = &in
	out, err := admit.Output()
	require.NoError(t, err)
	var messages []string
	for line := range slices.Values(strings.Split(strings.TrimSpace(string(out)), "\n")) {
		var answer struct{ Message string }
		require.NoError(t, json.Unmarshal([]byte(line), &answer))
		messages = append(messages, answer.Message)
	}
	require.Len(t, messages, len(cases))
	return messages
}
