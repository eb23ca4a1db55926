package recorded_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

func TestTheNameOfASecretTellsWhichKeyOfEtcdItHas(t *testing.T) {
	t.Parallel()
	key, other := []byte("0123456789abcdef0123456789abcdef"), []byte("fedcba9876543210fedcba9876543210")
	first := recorded.EtcdKey("demo")
	later := recorded.LaterEtcdKey(first, fmt.Sprintf("%x", sha256.Sum256(key)))
	require.Equal(t, "demo-etcd-encryption-key", first)
	require.True(t, recorded.IsEtcdKey(later, key))
	require.False(t, recorded.IsEtcdKey(later, other))
	require.True(t, recorded.IsEtcdKey(first, other), "the first one's name tells nothing")
	require.False(t, recorded.IsEtcdKey("demo-ssh-key", key))
	for name, is := range map[string]bool{
		first: true, later: true, first + "-old": false, later + "0": false, "b-etcd-encryption-key": false, "demo": false,
	} {
		require.Equal(t, is, recorded.IsEtcdKeyBeside(first, name), name)
	}
	require.True(t, recorded.IsFirstEtcdKey(first))
	require.False(t, recorded.IsFirstEtcdKey(later))
}
