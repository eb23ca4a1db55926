package stacks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestFaultsFoundInAWSHaveTheirPositionInTheFile(t *testing.T) {
	t.Parallel()
	const text = `config:
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    baseDomain: example.com
    network:
      existing:
        vpcID: vpc-0123456789abcdef0
`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName("dev")), []byte(text), 0o600))
	var found fault.Faults
	found.Add("existing.vpcID", "vpc-0123456789abcdef0", "does not exist", "use another")
	found.Add("baseDomain", "example.com", "has no zone", "make one")
	err := readOrigin(dir, "dev").refused(fmt.Errorf("guest network: %w", found), config.KindCluster, "network")
	path := filepath.Join(dir, config.FileName("dev"))
	require.EqualError(t, err, path+`:8: hypershift-aws:cluster.network.existing.vpcID: "vpc-0123456789abcdef0" does not exist; use another`+"\n"+
		path+`:5: hypershift-aws:cluster.baseDomain: "example.com" has no zone; make one`)
}

func TestOtherErrorsAreReturnedUnchanged(t *testing.T) {
	t.Parallel()
	cause := errors.New("no credentials")
	require.Equal(t, cause, readOrigin(t.TempDir(), "dev").refused(cause, config.KindCluster, "network"))
}

func TestFilesAreRelativeToTheFolderOfTheStackFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.Equal(t, root, stackDir(root), "no Pulumi.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(root, "Pulumi.yaml"), []byte("name: fleet\n"), 0o600))
	require.Equal(t, root, stackDir(root))
	require.NoError(t, os.WriteFile(filepath.Join(root, "Pulumi.yaml"),
		[]byte("name: fleet\nstackConfigDir: stacks/prod\n"), 0o600))
	require.Equal(t, filepath.Join(root, "stacks", "prod"), stackDir(root))
}
