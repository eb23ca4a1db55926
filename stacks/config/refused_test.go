package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestFaultsFoundInAWSHaveTheirPositionInTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName("dev")), []byte(withNetwork("Public", existingLines)), 0o600))
	var found fault.Faults
	found.Add("existing.vpcID", "vpc-0123456789abcdef0", "does not exist", "use another")
	found.Add("baseDomain", "example.com", "has no zone", "make one")
	err := OriginOf(dir, "dev").Refused(fmt.Errorf("guest network: %w", found), KindCluster, "network")
	path := filepath.Join(dir, FileName("dev"))
	require.EqualError(t, err, path+`:11: hypershift-aws:cluster.network.existing.vpcID: "vpc-0123456789abcdef0" does not exist; use another`+"\n"+
		path+`:6: hypershift-aws:cluster.baseDomain: "example.com" has no zone; make one`)
}

func TestOtherErrorsAreReturnedUnchanged(t *testing.T) {
	t.Parallel()
	cause := errors.New("no credentials")
	require.Equal(t, cause, OriginOf(t.TempDir(), "dev").Refused(cause, KindCluster, "network"))
}
