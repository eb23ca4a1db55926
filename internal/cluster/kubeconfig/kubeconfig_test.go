package kubeconfig

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
)

// variables returns an environment.
func variables(entries map[string]string) Lookup {
	return func(name string) string { return entries[name] }
}

// write writes a kubeconfig whose contexts, named a and b, have servers of their own; a is the current one.
func write(t *testing.T, path, host string) string {
	t.Helper()
	text := `apiVersion: v1
kind: Config
current-context: a
clusters:
- {name: one, cluster: {server: "https://a.HOST", certificate-authority-data: YQ==}}
- {name: two, cluster: {server: "https://b.HOST"}}
contexts:
- {name: a, context: {cluster: one, user: someone, namespace: clusters}}
- {name: b, context: {cluster: two, user: other}}
users:
- {name: someone, user: {token: secret-of-a}}
- {name: other, user: {token: secret-of-b}}
`
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "HOST", host)), 0o600))
	return path
}

// use changes the current context of a kubeconfig, as `kubectl config use-context` does.
func use(t *testing.T, path, context string) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	config.CurrentContext = context
	require.NoError(t, clientcmd.WriteToFile(*config, path))
}

func TestTheHomeOfAFileIsThatOfTheUserDatabase(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "hypershift-aws-test", "config"), "elsewhere")
	selected, err := Select("~/hypershift-aws-test/config", "", variables(map[string]string{"HOME": elsewhere}))
	require.ErrorIs(t, err, fs.ErrNotExist, "pulumi-kubernetes does not look in $HOME")
	me, err := user.LookupId(strconv.Itoa(os.Getuid()))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(me.HomeDir, "hypershift-aws-test", "config"), selected.File)
}

func TestTheFilesOfTheEnvironmentAreThoseOfTheEngine(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, ".kube", "config"), "home")
	first, second := write(t, filepath.Join(home, "first"), "first"), write(t, filepath.Join(home, "second"), "second")
	list := strings.Join([]string{filepath.Join(home, "missing"), first, second}, string(filepath.ListSeparator))
	for _, test := range []struct {
		file, context string
		environ       map[string]string
		server        string
	}{
		{"", "", map[string]string{"HOME": home}, "https://a.home"},
		{"", "b", map[string]string{"HOME": home}, "https://b.home"},
		{"", "", map[string]string{"HOME": home, Variable: second}, "https://a.second"},
		{"", "b", map[string]string{"HOME": home, Variable: list}, "https://b.first"},
		{second, "", map[string]string{"HOME": home, Variable: first}, "https://a.second"},
		{second, "b", map[string]string{"HOME": home, Variable: first}, "https://b.second"},
	} {
		selected, err := Select(test.file, test.context, variables(test.environ))
		require.NoError(t, err)
		require.Equal(t, test.server, selected.Server)
		config, err := selected.RESTConfig()
		require.NoError(t, err)
		require.Equal(t, test.server, config.Host)
	}
}

func TestAKubeconfigWithoutTheContextIsRefused(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "config"), "one")
	_, err := Select(path, "c", variables(nil))
	require.ErrorContains(t, err, "the kubeconfig "+path+`: context "c" does not exist`)
	use(t, path, "")
	_, err = Select(path, "", variables(nil))
	require.ErrorContains(t, err, "the kubeconfig "+path+": it has no current context")
	home := t.TempDir()
	for list, names := range map[string]string{
		"": "the kubeconfig " + filepath.Join(home, ".kube", "config"), "/no/a:/no/b": "the kubeconfig /no/a:/no/b",
		"::": "the kubeconfig that KUBECONFIG names",
	} {
		_, err = Select("", "", variables(map[string]string{"HOME": home, Variable: list}))
		require.ErrorContains(t, err, names+": it does not exist")
	}
}

// TestAKubeconfigThatCannotBeUsedNamesWhatIsWrongWhere: the libraries' errors name no file, or no field.
func TestAKubeconfigThatCannotBeUsedNamesWhatIsWrongWhere(t *testing.T) {
	t.Parallel()
	const good = `{"clusters": [{"name": "c", "cluster": {"server": "https://c"}}], "current-context": "x",
		"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
		"users": [{"name": "u", "user": {"token": "t"}}]}`
	for name, c := range map[string]struct{ from, to, says string }{
		"a user that is not there":    {`"user": "u"`, `"user": "other"`, `PATH: context "x" has no user: "other" does not exist`},
		"a cluster that is not there": {`"cluster": "c", "user"`, `"cluster": "d", "user"`, `PATH: context "x" has no cluster: "d" does not exist`},
		"a key that is not base64": {`"token": "t"`, `"client-key-data": "@@"`,
			"client-certificate-data and client-key-data have to be base64"},
		"an authority that is not there": {`"server"`, `"certificate-authority": "/no/ca.crt", "server"`,
			"PATH: certificate-authority: open /no/ca.crt: "},
		"no server":              {`"https://c"`, `""`, "context x of the kubeconfig PATH: invalid configuration: no server found"},
		"a proxy without scheme": {`"server"`, `"proxy-url": "proxy:1", "server"`, "context x of the kubeconfig PATH: invalid configuration: invalid 'proxy-url'"},
		"a plugin without mode": {`"token": "t"`, `"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "x"}`,
			"context x of the kubeconfig PATH: invalid configuration: interactiveMode must be specified for u"},
	} {
		path := filepath.Join(t.TempDir(), "config")
		require.Contains(t, good, c.from, name)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(good, c.from, c.to, 1)), 0o600), name)
		selected, err := Select(path, "", variables(nil))
		if err == nil {
			_, err = selected.RESTConfig()
		}
		require.ErrorContains(t, err, strings.ReplaceAll(c.says, "PATH", path), name)
		require.NotContains(t, err.Error(), "\n", name)
	}
}

func TestAContextOfTheEnvironmentStaysSelected(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "config"), "one")
	environ := variables(map[string]string{Variable: path})
	selected, err := Select("", "", environ)
	require.NoError(t, err)
	use(t, path, "b")
	again, err := selected.Again()
	require.NoError(t, err, "the engine gets a copy of the context that was selected")
	require.Equal(t, "https://a.one", again.Server)

	now, err := Select("", "", environ)
	require.NoError(t, err)
	require.ErrorContains(t, selected.Changed(now), "it now selects the context b instead of a")
}

func TestAFileThatSelectsAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "config"), "one")
	current, err := Select(path, "", variables(nil))
	require.NoError(t, err)
	named, err := Select(path, "a", variables(nil))
	require.NoError(t, err)

	replace := func(old, new string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, new)), 0o600))
	}
	replace("secret-of-a", "renewed")
	again, err := current.Again()
	require.NoError(t, err, "credentials are no identity")
	config, err := again.RESTConfig()
	require.NoError(t, err)
	require.Equal(t, "renewed", config.BearerToken)

	use(t, path, "b")
	_, err = current.Again()
	require.ErrorContains(t, err, "the context b instead of a")
	_, err = named.Again()
	require.NoError(t, err)

	replace("https://a.one", "https://c.one")
	_, err = named.Again()
	require.ErrorContains(t, err, "the API server https://c.one instead of https://a.one")
	replace("https://c.one", "https://a.one")
	replace("certificate-authority-data: YQ==", "certificate-authority-data: Yg==")
	_, err = named.Again()
	require.ErrorContains(t, err, "other settings of TLS")
}

func TestNoOtherPackageReadsAKubeconfigOrCreatesAClient(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	allowed := map[string][]string{
		"internal/cluster/kubeconfig": {"k8s.io/client-go/tools/clientcmd", "k8s.io/client-go/tools/clientcmd/api",
			"k8s.io/client-go/rest", "k8s.io/client-go/plugin/pkg/client/auth"},
		"internal/cluster/kubeapi": {"k8s.io/client-go/dynamic", "k8s.io/client-go/rest"},
	}
	seen := 0
	for _, top := range []string{"automation", "cmd", "components", "internal", "plugin", "program", "stacks"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			folder, err := filepath.Rel(root, filepath.Dir(path))
			for _, imported := range file.Imports {
				name, _ := strconv.Unquote(imported.Path.Value)
				if strings.HasPrefix(name, "k8s.io/client-go/") {
					seen++
					require.Contains(t, allowed[filepath.ToSlash(folder)], name, path)
				}
			}
			return err
		}))
	}
	require.Positive(t, seen)
}
