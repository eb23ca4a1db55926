package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestTheDigestOfAStacksFileIgnoresWhatTheEngineWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := Open(dir)
	require.NoError(t, err)
	write := func(text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(text), 0o600))
		return p.StackFileDigest("dev")
	}
	require.Empty(t, p.StackFileDigest("dev"))
	first := write("config:\n  aws:region: us-east-1\n")
	require.NotEmpty(t, first)
	require.Equal(t, first, write("encryptionsalt: v1:salt\nconfig:\n  aws:region: us-east-1 # here\n"))
	require.NotEqual(t, first, write("config:\n  aws:region: eu-west-1\n"))
	typed := write("config:\n  aws:useFipsEndpoint: true\n  aws:maxRetries: 5\n")
	require.Equal(t, typed, write("config:\n  aws:useFipsEndpoint: \"true\"\n  aws:maxRetries: \"5\"\n"))
	require.NotEqual(t, typed, write("config:\n  aws:useFipsEndpoint: false\n  aws:maxRetries: 5\n"))
}

// What was judged is what the named files had then too. A kubeconfig may get new credentials.
func TestTheDigestOfAStacksFileHasTheFilesThatItNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := Open(dir)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(p.StackFile("dev"), []byte(`config:
  hypershift-aws:management:
    operator: {install: {manifests: operator.yaml}}
    kubeconfig: {file: ./kubeconfig}
    accounts: {owner: {webIdentityTokenFile: token}}
`), 0o600))
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return p.StackFileDigest("dev")
	}
	none := p.StackFileDigest("dev")
	first := write("operator.yaml", "kind: Deployment")
	require.NotEqual(t, none, first)
	require.Equal(t, first, write("other.yaml", "x"))
	require.Equal(t, first, write("kubeconfig", "x"))
	require.Equal(t, first, write("token", "x"))
	require.NotEqual(t, first, write("operator.yaml", "kind: Service"))
}

func TestAStackWithoutAReadableFileHasAWorkingFolderOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := Open(dir)
	require.NoError(t, err)
	for _, text := range []string{"", "- a list\n", "config: {\n"} {
		require.NoError(t, os.WriteFile(p.StackFile("dev"), []byte(text), 0o600))
		require.False(t, p.HasStackFile("dev"), text)
	}
	require.NoError(t, os.Remove(p.StackFile("dev")))
	work, err := p.MakeWorkDir("dev")
	require.NoError(t, err)
	require.NoError(t, p.WriteStackSettings(work, "dev", map[string]string{"encryptionsalt": "v1:salt"}))
	text, err := os.ReadFile(filepath.Join(work.Engine, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	require.Equal(t, "encryptionsalt: v1:salt\n", string(text))
	settings, err := os.ReadFile(filepath.Join(work.Engine, "Pulumi.yaml"))
	require.NoError(t, err)
	require.NotContains(t, string(settings), "stackConfigDir", "the engine reads and writes the working folder's file")
	require.NoFileExists(t, p.StackFile("dev"))
}

// A reading operation that begins while another one waits must not change what the other one's engine reads.
func TestEachOperationHasAFolderOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*Project) (WorkDir, error){
		"offline": func(p *Project) (WorkDir, error) { return p.MakeOfflineWorkDir("dev") },
		"given":   func(p *Project) (WorkDir, error) { return p.MakeWorkDir("dev") },
	} {
		p, err := Open(t.TempDir())
		require.NoError(t, err)
		write := func(content string) {
			if name == "given" {
				p.supplied.files["dev"] = suppliedFile{text: []byte(content)}
				return
			}
			require.NoError(t, os.WriteFile(p.StackFile("dev"), []byte(content), 0o600))
		}
		read := func(d WorkDir) string {
			text, err := os.ReadFile(filepath.Join(d.Engine, "Pulumi.dev.yaml"))
			require.NoError(t, err)
			return string(text)
		}
		write("config: {a:b: first}\n")
		first, err := make(p)
		require.NoError(t, err)
		require.Equal(t, first.Records, first.Engine)
		require.NoError(t, p.WriteStackSettings(first, "dev", map[string]string{"encryptionsalt": "v1:salt"}))
		before := read(first)

		write("config: {a:b: second}\n")
		second, err := make(p)
		require.NoError(t, err)
		require.Equal(t, first.Records, second.Records)
		require.NotEqual(t, first.Engine, second.Engine)
		require.Equal(t, before, read(first), "%s: the first operation's file", name)
		require.Contains(t, read(second), "second", name)
		require.Contains(t, read(second), "v1:salt", "%s: the secrets of the state stay readable", name)

		second.Close()
		first.Close()
		third, err := make(p)
		require.NoError(t, err)
		require.Equal(t, first.Engine, third.Engine, name)
		third.Close()
	}
}

func TestAProposedFileIsReadAndWrittenLater(t *testing.T) {
	t.Parallel()
	p, err := Open(t.TempDir())
	require.NoError(t, err)
	path := p.StackFile("dev")
	text := func(name string) []byte {
		return []byte("config:\n  hypershift-aws:kind: network\n  aws:region: us-east-1\n  hypershift-aws:network: {name: " + name +
			", infraID: x-1, baseDomain: example.com}\n")
	}
	require.NoError(t, os.WriteFile(path, text("before"), 0o600))
	p.Propose("dev", text("after"))
	_, err = p.LoadStack("dev")
	require.NoError(t, err)
	values, err := p.EngineConfig("dev")
	require.NoError(t, err)
	require.Contains(t, values["hypershift-aws:network"], "after")
	dir, err := p.MakeWorkDir("dev")
	require.NoError(t, err)
	defer dir.Close()
	ran, err := os.ReadFile(filepath.Join(dir.Engine, config.FileName("dev")))
	require.NoError(t, err)
	require.Equal(t, text("after"), ran, "what the engine reads")
	copied, err := p.CopyInto(t.TempDir())
	require.NoError(t, err)
	read, err := copied.ReadStackFile("dev")
	require.NoError(t, err)
	require.Equal(t, text("after"), read, "in a copy of the project")
	copied.Propose("dev", nil)
	now := func() []byte {
		read, err := os.ReadFile(path)
		require.NoError(t, err)
		return read
	}
	require.Equal(t, text("before"), now())

	require.NoError(t, p.WriteProposed("dev", text("before")))
	require.Equal(t, text("after"), now())
	require.ErrorContains(t, p.WriteProposed("dev", text("before")), "was changed by something else meanwhile")
	p.Propose("dev", nil)
	read, err = p.ReadStackFile("dev")
	require.NoError(t, err)
	require.Equal(t, text("after"), read)
}
