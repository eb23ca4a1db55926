package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const keyARN = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555"

func TestVolumesThatEC2RefusesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		volume Volume
		want   string
	}{
		{Volume{}, ""},
		{Volume{Type: "gp2", SizeGiB: 120}, ""},
		{Volume{Type: "gp2", IOPS: 4000}, "iops"},
		{Volume{Type: "io1", SizeGiB: 120}, "iops is missing"},
		{Volume{Type: "io1", SizeGiB: 120, IOPS: 6000}, ""},
		{Volume{Type: "io1", SizeGiB: 120, IOPS: 6001}, "too much for 120 GiB"},
		{Volume{Type: "io2", SizeGiB: 120, IOPS: 50}, "not possible"},
		{Volume{Type: "gp3", SizeGiB: 120, IOPS: 100}, "not possible"},
		{Volume{Type: "gp3", SizeGiB: 120, IOPS: 16000}, ""},
		{Volume{Type: "gp3", SizeGiB: 8, IOPS: 5000}, "too much"},
		{Volume{Type: "gp2", Throughput: 500}, "throughput"},
		{Volume{EncryptionKey: keyARN, Region: "us-east-1"}, ""},
		{Volume{EncryptionKey: keyARN}, ""},
		{Volume{EncryptionKey: "alias/nodes", Region: "eu-west-1"}, ""},
		{Volume{EncryptionKey: keyARN, Region: "eu-west-1"}, "is a key of region us-east-1, and the nodes are in eu-west-1"},
		{Volume{EncryptionKey: keyARN, Encrypted: new(bool)}, "is set, but encrypted is false"},
		{Volume{Encrypted: new(bool)}, ""},
		{Volume{Type: "st1"}, "type"},
		{Volume{Type: "gp4"}, "type"},
	} {
		err := CheckVolume(c.volume)
		if c.want == "" {
			require.NoError(t, err, "%v", c.volume)
		} else {
			require.ErrorContains(t, err, c.want, "%v", c.volume)
		}
	}
}

func TestLabelsAndTaintsThatKubernetesRefusesAreRefused(t *testing.T) {
	t.Parallel()
	at := func(key string) string { return "labels." + key }
	require.NoError(t, CheckLabels(map[string]string{"example.com/a": "b", "c": ""}, at))
	require.ErrorContains(t, CheckLabels(map[string]string{"a b": "c"}, at), "labels.a b")
	require.Error(t, CheckLabels(map[string]string{"a": "b c"}, at))
	require.NoError(t, CheckTaints([]Taint{{"a", "x", "NoSchedule"}, {"a", "x", "NoExecute"}}))
	require.ErrorContains(t, CheckTaints([]Taint{{"a", "x", "NoSchedule"}, {"a", "y", "NoSchedule"}}), "[1].key")
	require.ErrorContains(t, CheckTaints([]Taint{{"a b", "", "NoSchedule"}}), "[0].key")
	require.ErrorContains(t, CheckTaints([]Taint{{"a", "b c", "NoSchedule"}}), "[0].value")
}
