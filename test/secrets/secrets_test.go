package secrets

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestNoSecretOfTheConfigIsPrintedOrStoredInPlainText runs a stack whose config and environment contain secrets,
// correctly and incorrectly, and looks for them in all that it prints and in every file that it leaves.
func TestNoSecretOfTheConfigIsPrintedOrStoredInPlainText(t *testing.T) {
	t.Parallel()
	secrets := []string{"wJalrXUtnFEMISECRETKEY", "FwoGZXIvYXdzSESSIONTOKEN", "correct-horse-battery-PASSPHRASE",
		"pul-ACCESSTOKEN0123"}
	e := harness.NewStack(t)
	e.CLI = e.With("AWS_SECRET_ACCESS_KEY="+secrets[0], "AWS_SESSION_TOKEN="+secrets[1],
		"PULUMI_CONFIG_PASSPHRASE="+secrets[2], "PULUMI_ACCESS_TOKEN="+secrets[3])
	e.Configure(stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String())

	var told strings.Builder
	type run struct {
		rehearsal string
		args      []string
	}
	runs := []run{
		{"{faults: [{call: 5, code: UnauthorizedOperation}]}", []string{"up", "--yes", "-o", "json"}},
		{"{faults: [{call: 5, kill: engine}]}", []string{"up", "--yes"}},
		{"", []string{"up", "--yes", "-o", "json"}},
	}
	if sizes.All() {
		runs = append(runs, run{"", []string{"preview"}}, run{"", []string{"outputs", "-o", "json"}},
			run{"", []string{"refresh"}})
	}
	for _, run := range append(runs, run{"", []string{"destroy", "--yes"}}) {
		stdout, stderr, _ := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS=" + run.rehearsal).Exit(append([]string{"--offline"},
			run.args...)...)
		told.WriteString(stdout + stderr)
	}
	require.Contains(t, told.String(), "UnauthorizedOperation", "the rehearsed failure")
	require.Contains(t, told.String(), "destroy of test succeeded")
	requireNotKept(t, e.Dir, secrets)
	for _, secret := range secrets {
		require.NotContains(t, told.String(), secret)
	}
}

// requireNotKept looks for secrets in every file of a folder. The content of an offline account or cluster is AWS's or
// Kubernetes's and not the program's.
func requireNotKept(t *testing.T, dir string, secrets []string) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && filepath.Base(filepath.Dir(path)) == "offline" && (entry.Name() == "accounts" ||
			entry.Name() == "clusters") {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		for _, secret := range secrets {
			for _, form := range harness.FormsOf(secret) {
				require.NotContains(t, string(text), form, path)
			}
		}
		return err
	}))
	require.Greater(t, files, 10)
}

// TestNoAccessKeyOrKubeconfigIsPrintedOrStoredInPlainText runs a management stack whose operators get access keys, put
// into Secrets of the management cluster, also after an engine was killed while it created them.
func TestNoAccessKeyOrKubeconfigIsPrintedOrStoredInPlainText(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	const token = "sha256~KUBECONFIG-TOKEN-0123456789"
	require.NoError(t, os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\ncurrent-context: management\n"+
		"contexts: [{name: management, context: {cluster: m, user: u}}]\nclusters: [{name: m, cluster: {server: 'https://127.0.0.1:1'}}]\n"+
		"users: [{name: u, user: {token: '"+token+"'}}]\n"), 0o600))
	e.Configure(stackfile.Management(strings.Replace(stackfile.Managements()["kubernetes"], "/etc/management/kubeconfig",
		kubeconfig, 1)))

	var told strings.Builder
	run := func(rehearsal string, args ...string) {
		stdout, stderr, _ := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS=" + rehearsal).Exit(append([]string{"--offline"},
			args...)...)
		told.WriteString(stdout + stderr)
	}
	run("{faults: [{call: 12, kill: engine}]}", "up", "--yes", "-o", "json")
	run("", "up", "--yes", "-o", "json")
	run("{faults: [{call: 3, code: UnauthorizedOperation}]}", "refresh", "-o", "json")
	run("", "preview", "-o", "json")
	run("", "outputs", "-o", "json")
	secrets := []string{token}
	for _, resource := range harness.MadeIn(t, e.OfflineDir()) {
		if secret, ok := resource.Properties["secret"].(string); ok {
			secrets = append(secrets, secret)
		}
	}
	require.GreaterOrEqual(t, len(secrets), 4, "three operators' keys, at least")
	run("", "destroy", "--yes", "-o", "json")
	requireNotKept(t, e.Dir, secrets)
	for _, secret := range secrets {
		require.NotContains(t, told.String(), secret)
	}
}

// TestNoSecretOfAHostedClusterIsPrintedOrStoredInPlainText runs a stack that creates a hosted cluster, with given
// secrets and a generated key for etcd, also after an engine was killed while it created them.
func TestNoSecretOfAHostedClusterIsPrintedOrStoredInPlainText(t *testing.T) {
	t.Parallel()
	const pull, key = "PULL-SECRET-AUTH-0123456789", "ssh-ed25519 SSHKEY0123456789 core"
	for name, test := range sizes.Only(t, map[string]struct{ etcdKey, config string }{
		"the key given": {base64.StdEncoding.EncodeToString([]byte("an etcd key of thirty-two bytes!")),
			"      etcdKey: {env: TEST_ETCD_KEY}\n"},
		"the key made": {},
	}, "the key given") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := harness.StackAt(t, t.TempDir())
			signing := iam.SigningKeyPEM(harness.Signer(t, filepath.Join(t.TempDir(), "signer.key")))
			e.CLI = e.With("TEST_PULL_SECRET="+`{"auths": {"quay.io": {"auth": "`+pull+`"}}}`, "TEST_SSH_KEY="+key, "TEST_ETCD_KEY="+test.etcdKey, "TEST_SIGNING_KEY="+signing)
			config := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1),
				More: `    hostedCluster:
      kubeconfig: {context: management}
      release: ` + stackfile.Release + `
      pullSecret: {env: TEST_PULL_SECRET}
      sshKey: {env: TEST_SSH_KEY}
` + test.config}.String()
			e.Configure(strings.NewReplacer(stackfile.KMSKeyARN, "none", "bucketRegion: us-east-1}",
				"bucketRegion: us-east-1, signingKey: {env: TEST_SIGNING_KEY}}").Replace(config))

			var told strings.Builder
			run := func(rehearsal string, args ...string) {
				stdout, stderr, _ := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS=" + rehearsal).Exit(append([]string{"--offline"},
					args...)...)
				told.WriteString(stdout + stderr)
			}
			run("{faults: [{call: 52, kill: engine}]}", "up", "--yes", "-o", "json")
			run("", "up", "--yes", "-o", "json", "--wait")
			run("", "preview", "-o", "json")
			run("", "outputs", "-o", "json")
			run("", "console", "-o", "json")
			run("{faults: [{call: 3, code: UnauthorizedOperation}]}", "refresh", "-o", "json")
			secrets := append([]string{pull, key}, contentsOfSecrets(t, e.OfflineDir())...)
			require.GreaterOrEqual(t, len(secrets), 7, "the pull secret, the keys, the kubeconfig and the password, at least")
			if test.etcdKey != "" {
				require.Contains(t, secrets, "an etcd key of thirty-two bytes!")
				require.Contains(t, secrets, signing)
				// the first lines have the modulus, which is public
				secrets = append(secrets, strings.Split(signing, "\n")[7:26]...)
				secrets = append(secrets, test.etcdKey)
			}
			run("", "destroy", "--yes", "--cluster", "demo", "-o", "json")
			require.Contains(t, told.String(), "is available, and its node pools have all nodes")
			requireNotKept(t, e.Dir, secrets)
			for _, secret := range secrets {
				require.NotContains(t, told.String(), secret)
				require.NotContains(t, told.String(), base64.StdEncoding.EncodeToString([]byte(secret)))
			}
		})
	}
}

// contentsOfSecrets returns the contents of the Secrets of an offline cluster.
func contentsOfSecrets(t *testing.T, dir string) []string {
	t.Helper()
	cluster, err := offline.OpenCluster(dir, "", "management")
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	objects, err := cluster.List("Secret", "clusters")
	require.NoError(t, err)
	var contents []string
	for _, object := range objects {
		data, _ := object["data"].(map[string]any)
		for _, value := range data {
			text, err := base64.StdEncoding.DecodeString(value.(string))
			require.NoError(t, err)
			contents = append(contents, string(text))
		}
	}
	return contents
}
