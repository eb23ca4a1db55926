package kubeconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// files are a kubeconfig beside the files that it refers to.
func files(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(path, []byte(`apiVersion: v1
kind: Config
current-context: files
clusters: [{name: c, cluster: {server: "https://c", certificate-authority: ca.crt}}]
contexts:
- {name: files, context: {cluster: c, user: files}}
- {name: plugin, context: {cluster: c, user: plugin}}
- {name: path, context: {cluster: c, user: path}}
users:
- {name: files, user: {tokenFile: token}}
- {name: plugin, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, interactiveMode: Never}}}
- {name: path, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: login, interactiveMode: Never}}}
`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ca.crt"), []byte("authority"), 0o600))
	return dir, path
}

func TestACopyHasTheSelectedContextAlone(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "config"), "one")
	selected, err := Select("", "", variables(map[string]string{Variable: path}))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "kubeconfigs")
	pinned, err := Pin(dir, selected)
	require.NoError(t, err)
	require.Equal(t, Variable+"="+pinned.Path, pinned.Environ())
	for name, want := range map[string]os.FileMode{dir: 0o700, pinned.Path: 0o600} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm())
	}

	text, err := os.ReadFile(pinned.Path)
	require.NoError(t, err)
	require.Contains(t, string(text), "secret-of-a")
	require.NotContains(t, string(text), "secret-of-b")

	for _, context := range []string{"", "a"} {
		engine, err := Select("", context, variables(map[string]string{Variable: pinned.Path}))
		require.NoError(t, err)
		require.NoError(t, selected.Changed(engine))
		require.Equal(t, "clusters", engine.config.Contexts["a"].Namespace)
	}
	pinned.Close()
	require.NoFileExists(t, pinned.Path)
}

func TestACopyRefersToFilesOfCredentialsByAbsolutePaths(t *testing.T) {
	t.Parallel()
	dir, path := files(t)
	for context, want := range map[string]string{
		"files":  filepath.Join(dir, "token"),
		"plugin": filepath.Join(dir, "bin", "login"),
		"path":   "login",
	} {
		selected, err := Select("", context, variables(map[string]string{Variable: path}))
		require.NoError(t, err)
		require.NoError(t, selected.CheckEngine())
		pinned, err := Pin(t.TempDir(), selected)
		require.NoError(t, err)
		config, err := clientcmd.LoadFromFile(pinned.Path)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, "ca.crt"), config.Clusters[context].CertificateAuthority)
		require.Empty(t, config.Clusters[context].CertificateAuthorityData)
		user := config.AuthInfos[context]
		if context == "files" {
			require.Equal(t, want, user.TokenFile)
			require.Empty(t, user.Token, "the token is read anew")
		} else {
			require.Equal(t, want, user.Exec.Command)
		}
		pinned.Close()

		named, err := Select(path, context, variables(nil))
		require.NoError(t, err)
		require.ErrorContains(t, named.CheckEngine(), "refers to ca.crt", "pulumi-kubernetes does not read it beside the file")
		require.Equal(t, selected.CADigest, named.CADigest)
	}
}

func TestACopyOfTwoContextsKeepsThemApart(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "config"), "one")
	environ := variables(map[string]string{Variable: path})
	a, err := Select("", "a", environ)
	require.NoError(t, err)
	b, err := Select("", "b", environ)
	require.NoError(t, err)
	pinned, err := Pin(t.TempDir(), b, a)
	require.NoError(t, err)
	defer pinned.Close()
	for context, want := range map[string]string{"": "https://b.one", "a": "https://a.one", "b": "https://b.one"} {
		engine, err := Select("", context, variables(map[string]string{Variable: pinned.Path}))
		require.NoError(t, err)
		require.Equal(t, want, engine.Server)
	}
}

func TestACopyWithoutAContextSelectsNoCluster(t *testing.T) {
	t.Parallel()
	pinned, err := Pin(t.TempDir())
	require.NoError(t, err)
	defer pinned.Close()
	_, err = Select("", "", variables(map[string]string{Variable: pinned.Path}))
	require.ErrorContains(t, err, `context "unavailable" does not exist`)
}

func TestTheCopyOfAKilledProcessIsRemovedByTheNext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	abandoned := filepath.Join(dir, "1234.yaml")
	require.NoError(t, os.WriteFile(abandoned, nil, 0o600))
	others := t.TempDir()
	for _, name := range []string{"one.yaml", "12a.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(others, name), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(others, "12.yaml"), nil, 0o600))
	link := filepath.Join(t.TempDir(), "kubeconfigs")
	require.NoError(t, os.Symlink(others, link))
	require.NoError(t, RemoveAbandoned(link))
	require.FileExists(t, filepath.Join(others, "12.yaml"), "the folder is a link")
	require.NoError(t, RemoveAbandoned(others))
	require.FileExists(t, filepath.Join(others, "one.yaml"))
	require.FileExists(t, filepath.Join(others, "12a.yaml"))
	used, err := Pin(dir)
	require.NoError(t, err)
	require.NoFileExists(t, abandoned)

	second, err := Pin(dir)
	require.NoError(t, err)
	require.FileExists(t, used.Path, "an engine uses it")
	_, err = atomicfile.Lock(used.Path)
	require.ErrorIs(t, err, atomicfile.ErrLocked)
	used.Close()
	second.Close()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// reached is a kubeconfig with all that says how a cluster is reached, and as whom.
const reached = `apiVersion: v1
kind: Config
current-context: x
clusters:
- name: c
  cluster:
    server: https://c
    proxy-url: socks5://proxy:1080
    tls-server-name: api.example.com
    disable-compression: true
    insecure-skip-tls-verify: true
    extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: management}}]
users:
- name: u
  user:
    as: alice
    as-uid: "7"
    as-groups: [admins, developers]
    as-user-extra: {reason: [change-7]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: login
      args: [--cluster, c]
      env: [{name: REGION, value: us-east-1}]
      interactiveMode: IfAvailable
      provideClusterInfo: true
contexts: [{name: x, context: {cluster: c, user: u}}]
`

func TestACopyKeepsHowTheClusterIsReachedAndAsWhom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(path, []byte(reached), 0o600))
	selected, err := Select("", "", variables(map[string]string{Variable: path}))
	require.NoError(t, err)
	pinned, err := Pin(t.TempDir(), selected)
	require.NoError(t, err)
	defer pinned.Close()
	before, err := clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	after, err := clientcmd.LoadFromFile(pinned.Path)
	require.NoError(t, err)
	cluster, user := after.Clusters["x"], after.AuthInfos["x"]
	cluster.LocationOfOrigin, user.LocationOfOrigin = path, path
	require.Equal(t, before.Clusters["c"], cluster)
	require.Equal(t, before.AuthInfos["u"], user)
}

func TestAPluginThatNeedsATerminalIsRefusedForTheEngine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	for mode, refused := range map[string]bool{"IfAvailable": false, "Never": false, "Always": true} {
		text := strings.Replace(reached, "IfAvailable", mode, 1)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		for _, file := range []string{"", path} {
			selected, err := Select(file, "", variables(map[string]string{Variable: path}))
			require.NoError(t, err)
			err = selected.CheckEngine()
			if !refused {
				require.NoError(t, err, mode)
				continue
			}
			require.ErrorContains(t, err, "gets its credentials from login with interactiveMode: Always")
		}
	}
}

func TestFilesOfTheEnvironmentAreOneKubeconfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name, "config")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("apiVersion: v1\nkind: Config\n"+text), 0o600))
		return path
	}
	contexts := write("contexts", "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n")
	clusters := write("clusters", "clusters: [{name: c, cluster: {server: 'https://first', certificate-authority: ca.crt}}]\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "clusters", "ca.crt"), []byte("authority"), 0o600))
	users := write("users", "current-context: other\nclusters: [{name: c, cluster: {server: 'https://second'}}]\n"+
		"users: [{name: u, user: {tokenFile: token, exec: null}}]\n")
	list := strings.Join([]string{filepath.Join(dir, "missing"), contexts, "", clusters, users, clusters},
		string(filepath.ListSeparator))
	selected, err := Select("", "", variables(map[string]string{Variable: list}))
	require.NoError(t, err)
	require.Equal(t, "x", selected.Context, "the first file that says it")
	require.Equal(t, "https://first", selected.Server)
	require.NotEmpty(t, selected.CADigest)
	require.NoError(t, selected.CheckEngine())
	pinned, err := Pin(t.TempDir(), selected)
	require.NoError(t, err)
	defer pinned.Close()
	config, err := clientcmd.LoadFromFile(pinned.Path)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "clusters", "ca.crt"), config.Clusters["x"].CertificateAuthority)
	require.Equal(t, filepath.Join(dir, "users", "token"), config.AuthInfos["x"].TokenFile)
}

// An auth provider in the engine refreshes its tokens while an update runs, and writes them to the engine's kubeconfig.
func TestTokensThatTheEngineRefreshesAreKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile, kept string
	}{
		"refreshed":                     {"first", "second"},
		"another login in the meantime": {"another", "another"},
	} {
		config := clientcmdapi.NewConfig()
		login := func(config *clientcmdapi.Config, of, token string) {
			config.AuthInfos[of] = &clientcmdapi.AuthInfo{AuthProvider: &clientcmdapi.AuthProviderConfig{
				Name: "oidc", Config: map[string]string{"client-id": "kubernetes", "refresh-token": token},
			}}
		}
		login(config, "u", "first")
		config.Clusters["c"] = &clientcmdapi.Cluster{Server: "https://example.com"}
		config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
		config.CurrentContext = "x"
		path, other := filepath.Join(t.TempDir(), "config"), filepath.Join(t.TempDir(), "other")
		require.NoError(t, clientcmd.WriteToFile(*config, path), name)
		require.NoError(t, clientcmd.WriteToFile(*clientcmdapi.NewConfig(), other), name)
		list := other + string(filepath.ListSeparator) + path
		selected, err := Select("", "", variables(map[string]string{Variable: list}))
		require.NoError(t, err, name)
		pinned, err := Pin(t.TempDir(), selected)
		require.NoError(t, err, name)

		engines, err := clientcmd.LoadFromFile(pinned.Path)
		require.NoError(t, err, name)
		login(engines, "x", "second")
		require.NoError(t, clientcmd.WriteToFile(*engines, pinned.Path), name)
		login(config, "u", c.meanwhile)
		require.NoError(t, clientcmd.WriteToFile(*config, path), name)

		pinned.Close()
		require.NoFileExists(t, pinned.Path, name)
		after, err := clientcmd.LoadFromFile(path)
		require.NoError(t, err, name)
		require.Equal(t, map[string]string{"client-id": "kubernetes", "refresh-token": c.kept},
			after.AuthInfos["u"].AuthProvider.Config, name)
		require.Equal(t, "x", after.CurrentContext, name)
	}
}
