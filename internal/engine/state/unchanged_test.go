package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// storedIn writes the file of a state with that many resources, and returns it.
func storedIn(tb testing.TB, resources int) (File, string) {
	tb.Helper()
	folder := tb.TempDir()
	path := filepath.Join(folder, ".pulumi", "stacks", "project", "dev.json")
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
	var list []string
	for i := range resources {
		list = append(list, fmt.Sprintf(`{"urn": "urn:pulumi:dev::project::aws:ec2/subnet:Subnet::subnet-%[1]d", "custom": true,
			"id": "subnet-%[1]d", "type": "aws:ec2/subnet:Subnet", "inputs": {"vpcId": "vpc-1", "cidrBlock": "10.0.0.0/24",
			"tags": {"Name": "subnet-%[1]d", "kubernetes.io/cluster/demo": "owned"}}, "outputs": {"vpcId": "vpc-1",
			"arn": "arn:aws:ec2:us-east-1:123456789012:subnet/subnet-%[1]d", "cidrBlock": "10.0.0.0/24"}}`, i))
	}
	text := fmt.Sprintf(`{"version": 3, "checkpoint": {"stack": "dev", "latest": {"manifest": {"time": "2026-01-02T03:04:05.1Z"},
		"resources": [%s]}}}`, strings.Join(list, ","))
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return NewFile(folder, "project", "dev"), text
}

func TestAFileHoldsTheStateThatWasReadUntilItIsWritten(t *testing.T) {
	t.Parallel()
	file, text := storedIn(t, 2)
	d, err := file.Read()
	require.NoError(t, err)
	require.True(t, file.Holds(d))
	written := time.Date(2026, 1, 2, 3, 4, 5, 100_000_000, time.UTC)
	require.Equal(t, written, d.Written())
	require.Equal(t, written, CheckpointWritten([]byte(text)))

	d.Drop(d.Resources[0])
	require.True(t, file.Holds(d), "what is changed here is not in the file")
	for name, changed := range map[string]string{
		"a resource":     strings.Replace(text, "subnet-1", "subnet-9", 1),
		"the time":       strings.Replace(text, "03:04:05.1", "03:04:06", 1),
		"the version":    strings.Replace(text, `"version": 3`, `"version": 4`, 1),
		"only the start": text[:len(text)/2],
		"another format": `{"version": 1}`,
	} {
		require.NoError(t, os.WriteFile(file.Path(), []byte(changed), 0o600))
		require.False(t, file.Holds(d), name)
	}
	require.NoError(t, os.Remove(file.Path()))
	require.False(t, file.Holds(d), "it is gone")
	require.Zero(t, CheckpointWritten([]byte(text[:len(text)/2])))
	require.Zero(t, CheckpointWritten([]byte(`{"version": 3, "checkpoint": {"latest": {"manifest": {"time": "never"}}}}`)))
}

// BenchmarkALargeState asks whether a file still has the state that was read: by what it is made of, and byte by byte.
func BenchmarkALargeState(b *testing.B) {
	for _, resources := range []int{200, 2000} {
		file, _ := storedIn(b, resources)
		d, err := file.Read()
		require.NoError(b, err)
		b.Run(fmt.Sprintf("%d resources, decoded", resources), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				now, err := file.Read()
				require.NoError(b, err)
				now.read = append(now.read, ' ') // as another engine may write it
				same, err := d.SameRead(now)
				require.NoError(b, err)
				require.True(b, same)
			}
		})
		b.Run(fmt.Sprintf("%d resources, as written", resources), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.True(b, file.Holds(d))
			}
		})
	}
}
