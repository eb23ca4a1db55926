package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// TestNoSecretOfTheConfigIsToldOrKeptInThePlain runs a stack whose config and environment hold secrets, well and badly,
// and looks for them in all that it prints and in every file that it leaves.
func TestNoSecretOfTheConfigIsToldOrKeptInThePlain(t *testing.T) {
	t.Parallel()
	secrets := []string{"wJalrXUtnFEMISECRETKEY", "FwoGZXIvYXdzSESSIONTOKEN", "correct-horse-battery-PASSPHRASE", "pul-ACCESSTOKEN0123"}
	e := newEstate(t)
	e.cli = e.with("AWS_SECRET_ACCESS_KEY="+secrets[0], "AWS_SESSION_TOKEN="+secrets[1],
		"PULUMI_CONFIG_PASSPHRASE="+secrets[2], "PULUMI_ACCESS_TOKEN="+secrets[3])
	e.configure(clusterConfig{access: hypershift.Public, nat: network.Single, zones: zoneNames(1)}.String())

	var told strings.Builder
	for _, run := range []struct {
		rehearsal string
		args      []string
	}{
		{"{faults: [{call: 5, code: UnauthorizedOperation}]}", []string{"up", "--yes", "-o", "json"}},
		{"{faults: [{call: 5, strike: engine}]}", []string{"up", "--yes"}},
		{"", []string{"up", "--yes", "-o", "json"}},
		{"", []string{"preview"}},
		{"", []string{"outputs", "-o", "json"}},
		{"", []string{"refresh"}},
		{"", []string{"destroy", "--yes"}},
	} {
		stdout, stderr, _ := e.with("HYPERSHIFT_AWS_OFFLINE_FAULTS=" + run.rehearsal).exit(append([]string{"--offline"}, run.args...)...)
		told.WriteString(stdout + stderr)
	}
	require.Contains(t, told.String(), "UnauthorizedOperation", "the rehearsed failure")
	require.Contains(t, told.String(), "destroy of test succeeded")
	files := 0
	require.NoError(t, filepath.WalkDir(e.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		for _, secret := range secrets {
			require.NotContains(t, string(text), secret, path)
		}
		return err
	}))
	require.Greater(t, files, 10)
	for _, secret := range secrets {
		require.NotContains(t, told.String(), secret)
	}
}
