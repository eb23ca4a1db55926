package run

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// The name of each key of etcd but the first tells which key it is, so that a replaced one is found without the state's
// passphrase.
func TestALaterKeyOfEtcdIsRecognizedByTheNameOfItsSecret(t *testing.T) {
	t.Parallel()
	key, other := []byte("0123456789abcdef0123456789abcdef"), []byte("fedcba9876543210fedcba9876543210")
	name := recorded.LaterEtcdKey(recorded.EtcdKey("demo"), fmt.Sprintf("%x", sha256.Sum256(key)))
	require.Regexp(t, "^demo-etcd-encryption-key-[0-9a-f]{10}$", name)
	base64Of := base64.StdEncoding.EncodeToString
	require.False(t, isOtherKey(name, base64Of(key)))
	require.True(t, isOtherKey(name, base64Of(other)))
	require.True(t, isOtherKey(name, "no base64!"))
	require.False(t, isOtherKey("demo-etcd-encryption-key", base64Of(other)), "the name of the first key tells nothing")
	require.False(t, isOtherKey("demo-ssh-key", base64Of(other)))
}
