package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// writeNetwork writes a stack's file with the lines of its network into dir.
func writeNetwork(t *testing.T, dir, lines string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName("dev")), []byte(withNetwork("Public", lines)), 0o600))
}

func TestATextMayBeInASeparateFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "keys"), 0o700))
	key := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl operator"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys", "operator.pub"), []byte(key+"\n"), 0o600))
	for _, name := range []string{"keys/operator.pub", filepath.Join(dir, "keys", "operator.pub")} {
		writeNetwork(t, dir, "bastion: {sshKeyFile: "+name+"}")
		file, err := kinds().LoadFile(dir, "dev")
		require.NoError(t, err)
		require.Equal(t, pulumi.String(key+"\n"), As[*Cluster](file).Network.Bastion.SSHKey)
	}
}

func TestAnUnsuitableFileIsReportedWithItsKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text"), []byte("no key\n"), 0o600))
	for lines, want := range map[string]string{
		"bastion: {sshKeyFile: none.pub, sshCIDRs: [203.0.113.0/24]}": `network.bastion.sshKeyFile: "none.pub" cannot be read: no such file or directory; use a path`,
		"bastion: {sshKeyFile: text}":                                 `network.bastion.sshKeyFile: "text" is not a public key that EC2 supports`,
		"bastion: {sshKeyFile: text, sshKey: ssh-ed25519 AAAA}":       `network.bastion.sshKeyFile: "text" conflicts with sshKey; set only one of the two`,
		"proxy: {httpAddress: 'http://proxy:3128', caFile: .}":        `network.proxy.caFile: "." cannot be read: is a directory`,
		"proxy: {httpAddress: 'http://proxy:3128', caFile: text}":     `network.proxy.caFile: "text" is not a PEM bundle of certificates`,
	} {
		writeNetwork(t, dir, lines)
		_, err := kinds().LoadFile(dir, "dev")
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1, "%v", err)
	}
}
