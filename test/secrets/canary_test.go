package secrets

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// canaryLife is a stack with secrets that are found nowhere else.
type canaryLife struct {
	config   string
	environ  []string
	secrets  []string
	destroys []string
	// network is the file of the stack "net" that is created first; empty without one.
	network string
	// kills are the calls of the up at which it is killed, one run after the other.
	kills []int
}

// canaries returns a stack of each kind, with a kubeconfig and, by environment, the credentials and the passphrase.
func canaries(t *testing.T) map[string]canaryLife {
	t.Helper()
	credentials := []string{
		"AWS_ACCESS_KEY_ID=AKIACANARYACCESSKEYID", "AWS_SECRET_ACCESS_KEY=canarySecretAccessKey/0123456789",
		"AWS_SESSION_TOKEN=canarySessionToken0123456789",
		"PULUMI_CONFIG_PASSPHRASE=canary-passphrase-0123456789", "PULUMI_ACCESS_TOKEN=pul-canaryaccesstoken0123456789",
	}
	const token, pull, key, etcd = "sha256~canary-kubeconfig-token", "canary-pull-secret-0123456789", "ssh-ed25519 CANARYSSHKEY0123456789 core", "canary etcd key of 32 bytes .....X"
	const object = "canary-object-0123456789"
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\ncurrent-context: management\n"+
		"contexts: [{name: management, context: {cluster: m, user: u}}]\nclusters: [{name: m, cluster: {server: 'https://127.0.0.1:1'}}]\n"+
		"users: [{name: u, user: {token: '"+token+"'}}]\n"), 0o600))
	secrets := []string{token}
	for _, variable := range credentials {
		_, value, _ := strings.Cut(variable, "=")
		secrets = append(secrets, value)
	}
	cluster := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1),
		More: `    hostedCluster:
      kubeconfig: {file: ` + kubeconfig + `, context: management}
      release: ` + stackfile.Release + `
      pullSecret: {env: CANARY_PULL_SECRET}
      sshKey: {env: CANARY_SSH_KEY}
      etcdKey: {env: CANARY_ETCD_KEY}
      objects: [{name: canary, kind: Secret, env: {key: CANARY_OBJECT}}]
`}.String()
	etcdKey := base64.StdEncoding.EncodeToString([]byte(etcd)[:32])
	parts := stackfile.PartsFiles(false, "Private")
	return map[string]canaryLife{
		"network": {config: parts["net"], environ: credentials, secrets: secrets, kills: []int{3, 30}},
		"iam": {
			config:  parts["roles"],
			network: parts["net"],
			environ: credentials,
			secrets: secrets,
			kills:   []int{3, 20},
		},
		"cluster": {
			config: strings.Replace(cluster, stackfile.KMSKeyARN, "none", 1),
			environ: append([]string{`CANARY_PULL_SECRET={"auths": {"quay.io": {"auth": "` + pull + `"}}}`, "CANARY_SSH_KEY=" + key,
				"CANARY_ETCD_KEY=" + etcdKey, "CANARY_OBJECT=" + object}, credentials...),
			secrets:  append([]string{pull, key, etcd[:32], etcdKey, object}, secrets...),
			destroys: []string{"--cluster", "demo"}, kills: []int{3, 52},
		},
		"management": {
			config: stackfile.Management(strings.Replace(stackfile.Managements()["kubernetes"], "/etc/management/kubeconfig",
				kubeconfig, 1)),
			environ: credentials, secrets: secrets, kills: []int{4, 12},
		},
		"capa": {
			config: strings.Replace(stackfile.Example(t, "capa-public"), "kubeconfig: {}",
				"kubeconfig: {file: "+kubeconfig+", context: management}", 1),
			environ: credentials, secrets: secrets, destroys: []string{"--cluster", "demo"}, kills: []int{20},
		},
	}
}

// TestNoSecretIsLeftAfterAWholeLife runs a whole life of a stack of each kind, interrupted, and looks for its secrets
// in all that it prints, in every file that it leaves, and in the plans, pictures and summaries that it writes. Only
// the user can read what is left.
func TestNoSecretIsLeftAfterAWholeLife(t *testing.T) {
	t.Parallel()
	for name, life := range sizes.Only(t, canaries(t), "cluster") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !sizes.All() {
				life.live(t)
				return
			}
			for call := 1; ; call++ {
				once := life
				once.kills = []int{call}
				if !once.live(t) {
					return
				}
			}
		})
	}
}

// live runs the life, and reports whether each kill met a call.
func (life canaryLife) live(t *testing.T) bool {
	t.Helper()
	e := harness.StackAt(t, t.TempDir())
	e.CLI = e.With(life.environ...)
	e.Configure(life.config)
	var told strings.Builder
	run := func(rehearsal string, args ...string) int {
		stdout, stderr, code := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS=" + rehearsal).
			Exit(append([]string{"--offline", "-s", "test"}, args...)...)
		told.WriteString(stdout + stderr)
		return code
	}
	if life.network != "" {
		require.NoError(t, os.WriteFile(filepath.Join(e.Dir, "Pulumi.net.yaml"), []byte(life.network), 0o600))
		_, stderr, code := e.Exit("--offline", "-s", "net", "up", "--yes")
		require.Zero(t, code, stderr)
	}
	kill := func(call int) string { return fmt.Sprintf("{faults: [{call: %d, kill: engine}]}", call) }
	met := true
	for _, call := range life.kills {
		met = run(kill(call), "up", "--yes", "-o", "json") != 0 && met
	}
	run("{faults: [{call: 2, code: UnauthorizedOperation}]}", "up", "--yes")
	e.UntilFree("--offline", "-s", "test", "up", "--yes")
	written := filepath.Join(e.Dir, "written")
	require.NoError(t, os.Mkdir(written, 0o755))
	for _, args := range [][]string{
		{"preview", "--save-plan", filepath.Join(written,
			"plan.json"), "--picture", filepath.Join(written, "plan.html"), "--markdown=" + filepath.Join(written, "plan.md")},
		{"drift", "-o", "json"}, {"refresh"}, {"outputs", "-o", "json"}, {"preflight", "-o", "json"},
	} {
		require.Zero(t, run("", args...), "%s\n%s", args, told.String())
	}
	requirePrivate(t, filepath.Join(e.Dir, ".hypershift-aws"))
	destroy := append([]string{"destroy", "--yes", "-o", "json"}, life.destroys...)
	run(kill(life.kills[0]), destroy...)
	// An access key whose creation was interrupted has no secret, so that it is in no state, and blocks the deletion of
	// its user.
	for code := 4; code == 4; time.Sleep(100 * time.Millisecond) {
		code = run("", destroy...)
		require.True(t, code == 0 || code == 4 || strings.Contains(told.String(), "api error DeleteConflict"), told.String())
	}
	requirePrivate(t, filepath.Join(e.Dir, ".hypershift-aws"))
	requireNoCanary(t, e.Dir, told.String(), life.secrets)
	return met
}

// requirePrivate fails if others can read a file, or enter a folder, in a folder.
func requirePrivate(t *testing.T, dir string) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files++
		switch mode := info.Mode().Perm(); {
		case entry.IsDir() || mode&0o100 != 0:
			require.Equal(t, fs.FileMode(0o700), mode, path)
		default:
			require.Equal(t, fs.FileMode(0o600), mode, path)
		}
		return nil
	}))
	require.Greater(t, files, 10)
}

// requireNoCanary looks for secrets, in each form in which a file may have them, in a folder and in a text.
func requireNoCanary(t *testing.T, dir, told string, secrets []string) {
	t.Helper()
	requireNotKept(t, dir, secrets)
	for _, secret := range secrets {
		for _, form := range harness.FormsOf(secret) {
			require.NotContains(t, told, form)
		}
	}
}

func TestASecretIsFoundInEachForm(t *testing.T) {
	t.Parallel()
	const secret = "canary-0123456789"
	for before := range 5 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("{", before) + secret + "}"))
		found := false
		for _, form := range harness.FormsOf(secret) {
			found = found || strings.Contains(text, form)
		}
		require.True(t, found, text)
	}
}

// TestAKillDuringAnImportOfTheStateLeavesNoSecret kills the program while the engine reads the state that a recovery
// imports, which has the content of a Secret in clear text. The next run recovers.
func TestAKillDuringAnImportOfTheStateLeavesNoSecret(t *testing.T) {
	t.Parallel()
	life := canaries(t)["cluster"]
	e := harness.StackAt(t, t.TempDir())
	e.CLI = e.With(life.environ...)
	e.Configure(life.config)
	_, stderr, code := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: \"kubernetes:core/v1:Secret\", kill: engine}]}").
		Exit("--offline", "-s", "test", "up", "--yes")
	require.Equal(t, 1, code, stderr)

	// This engine ends the program that started it once it has read the whole state.
	killing, temporary, imported := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "imported")
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' stack import '*) cat >'%s'; kill -9 $PPID; exit 1;; esac\nexec '%s' \"$@\"\n",
		imported, enginetest.EnginePath(t))
	require.NoError(t, os.WriteFile(filepath.Join(killing, "pulumi"), []byte(script), 0o700)) //nolint:gosec // a program
	_, _, code = e.With("TMPDIR="+temporary,
		"PATH="+killing+string(os.PathListSeparator)+os.Getenv("PATH")).Exit("--offline", "-s", "test", "up", "--yes")
	require.Equal(t, -1, code, "killed")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
	text, err := os.ReadFile(imported)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(life.secrets, func(secret string) bool {
		return slices.ContainsFunc(harness.FormsOf(secret), func(form string) bool {
			return strings.Contains(string(text), form)
		})
	}), "the state that is imported has a secret in clear text")
	requireNotKept(t, e.Dir, life.secrets)
	e.UntilFree("--offline", "-s", "test", "up", "--yes")
	e.Run("--offline", "-s", "test", "up", "--yes", "--expect-no-changes")
}
