package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestDestroyUsesTheCredentialsOfTodaysFileAndRefusesThoseOfAnotherAccount: the parts of a cluster are created with one
// role and destroyed with another one of the same account. With a role of another account nothing is deleted, refreshed
// or planned, because that account has none of the resources.
func TestDestroyUsesTheCredentialsOfTodaysFileAndRefusesThoseOfAnotherAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	configure := func(role string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: go\n"),
			0o600))
		for name, text := range stackfile.PartsFiles(false, "PublicAndPrivate") {
			if name != "dev" {
				text = strings.Replace(text, "config:\n", "config:\n  aws:assumeRole: {roleArn: 'arn:aws:iam::"+role+"'}\n", 1)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi."+name+".yaml"), []byte(text), 0o600))
			}
		}
	}
	account := filepath.Join(dir, ".hypershift-aws", "offline")
	c := harness.NewCLI(t, dir)
	configure(stackfile.ClusterAccount + ":role/creator")
	c.Run("--offline", "-s", "net", "up", "--yes")
	c.Run("--offline", "-s", "roles", "up", "--yes")
	before := harness.Described(t, harness.MadeIn(t, account))
	require.NotEmpty(t, before)

	configure(stackfile.OwnerAccount + ":role/creator")
	for _, name := range []string{"roles", "net"} {
		for _, verb := range []string{"destroy --yes", "refresh", "drift", "repair", "up --yes", "preview"} {
			if name == "net" && verb == "destroy --yes" { // the roles use it
				continue
			}
			_, stderr, code := c.Exit(append([]string{"--offline", "-s", name}, strings.Fields(verb)...)...)
			require.Equal(t, 2, code, "%s %s: %s", name, verb, stderr)
			require.Contains(t, stderr, "stack "+name+" has resources in account "+stackfile.ClusterAccount+
				", and the credentials of aws: are of account "+stackfile.OwnerAccount)
		}
	}
	// What deletes and shows existing resources ignores faults of the file, and not its credentials.
	file := filepath.Join(dir, "Pulumi.roles.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "hypershift-aws:iam:\n",
		"hypershift-aws:iam:\n    noSuchKey: 1\n", 1)), 0o600))
	for _, verb := range []string{"destroy --yes", "drift", "repair"} {
		_, stderr, code := c.Exit(append([]string{"--offline", "-s", "roles"}, strings.Fields(verb)...)...)
		require.Equal(t, 2, code, "%s: %s", verb, stderr)
		require.Contains(t, stderr, "stack roles has resources in account "+stackfile.ClusterAccount+
			", and the credentials of aws: are of account "+stackfile.OwnerAccount)
	}
	require.Equal(t, before, harness.Described(t, harness.MadeIn(t, account)))

	configure(stackfile.ClusterAccount + ":role/remover")
	for _, name := range []string{"roles", "net"} {
		c.Run("--offline", "-s", name, "destroy", "--yes")
	}
	accounts, err := offline.Accounts(account)
	require.NoError(t, err)
	require.NotEmpty(t, accounts)
	require.Empty(t, harness.MadeIn(t, account), "what destroy left in the account")
}
