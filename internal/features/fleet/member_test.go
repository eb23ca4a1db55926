package fleet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// write writes files into a folder of their own.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

const eastFile = `config:
  aws:region: us-east-1
  aws:assumeRole: {roleArn: "arn:aws:iam::222222222222:role/deployer"}
  aws:defaultTags: {tags: {env: prod, team: core}}
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    {name: east, infraID: east-x1, baseDomain: example.com, tags: {team: east}, management: mgmt, network: {zones: [us-east-1a], secondaryCIDR: 10.1.0.0/16}}
`

func TestAStackIsDescribedByItsFile(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"Pulumi.east.yaml": eastFile,
		"Pulumi.bad.yaml":  "config: {hypershift-aws:kind: none}",
	})
	members, faulty, err := Load([]Folder{{Dir: dir}})
	require.NoError(t, err)
	require.Len(t, members, 2)
	require.NotEmpty(t, faulty["bad"])
	east := members[1]
	assert.Len(t, east.Digest, 64)
	east.Digest = ""
	assert.Equal(t, fleetrun.Member{
		ID: "east", Dir: dir, Project: "hypershift-aws", Stack: "east", Path: filepath.Join(dir, "Pulumi.east.yaml"),
		Kind: string(config.KindCluster), Region: "us-east-1",
		Account: "222222222222", VPCAccount: "222222222222", InfraID: "east-x1",
		Issuer: "management stack mgmt of project hypershift-aws",
		CIDRs:  []string{"10.0.0.0/16", "10.1.0.0/16"}, Management: "mgmt",
		Tags: map[string]string{"env": "prod", "team": "east"},
	}, east)
}

func TestStacksOfSeveralFoldersAreNamedByTheirFolders(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"a/prod/Pulumi.east.yaml": eastFile,
		"b/prod/Pulumi.east.yaml": eastFile,
		"b/dev/Pulumi.east.yaml":  eastFile,
		"b/none/x":                "",
	})
	folders, err := Folders([]string{filepath.Join(dir, "a",
		"prod"), filepath.Join(dir, "b", "*"), filepath.Join(dir, "a", "prod")})
	require.NoError(t, err)
	members, _, err := Load(folders)
	require.NoError(t, err)
	var ids []string
	for _, m := range members {
		ids = append(ids, m.ID)
	}
	assert.Equal(t, []string{"a/prod/east", "dev/east", "b/prod/east"}, ids)
	_, err = Folders([]string{filepath.Join(dir, "x*")})
	assert.ErrorContains(t, err, "no folder with stack files matches it")
}

func TestTheAccountIsReadFromTheProvidersSettings(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string]map[string]any{
		"111111111111":        {"assumeRole": map[string]any{"roleArn": "arn:aws:iam::111111111111:role/x"}, "profile": "p"},
		"222222222222":        {"assumeRole": `{"roleArn":"arn:aws:iam::222222222222:role/x"}`},
		"333333333333":        {"allowedAccountIds": []any{"333333333333"}},
		"profile p":           {"profile": "p"},
		"default credentials": {"region": "us-east-1"},
	} {
		assert.Equal(t, want, selectedAccount(settings))
	}
}
