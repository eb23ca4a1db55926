package kubeconfig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

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
		require.NoError(t, selected.CheckFile())
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
		require.ErrorContains(t, named.CheckFile(), "refers to ca.crt", "pulumi-kubernetes does not read it beside the file")
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
