package offline

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
)

// newID is an EC2 ID: the prefix, a dash and 17 hex digits, the first of which is 0.
func newID(prefix string) string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return prefix + "-0" + hex.EncodeToString(b)
}

// stableID is an EC2 ID that follows from what it is for.
func stableID(prefix string, of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\n")))
	return prefix + "-0" + hex.EncodeToString(sum[:8])
}

// newUID is a UUID such as KMS and Kubernetes use.
func newUID() string {
	var groups []string
	for _, length := range []int{8, 4, 4, 4, 12} {
		groups = append(groups, randomOf("0123456789abcdef", length))
	}
	return strings.Join(groups, "-")
}

const upperAlphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// newCode is a code in capitals and digits such as IAM and Route 53 use: "AROA…", "Z…".
func newCode(prefix string, length int) string {
	return prefix + randomOf(upperAlphanumeric, length-len(prefix))
}

func randomOf(alphabet string, length int) string {
	var b strings.Builder
	for range length {
		b.WriteByte(alphabet[randomBelow(len(alphabet))])
	}
	return b.String()
}

func randomBelow(n int) int {
	i, _ := rand.Int(rand.Reader, big.NewInt(int64(n))) // never fails
	return int(i.Int64())
}

// hashcode is the number that the provider makes of a text in the IDs of routes and endpoint associations.
func hashcode(text string) string {
	return fmt.Sprint(crc32.ChecksumIEEE([]byte(text)))
}

// stableCode is a code that follows from what it is for.
func stableCode(prefix string, of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\n")))
	var b strings.Builder
	b.WriteString(prefix)
	for _, n := range sum[:13] {
		b.WriteByte(upperAlphanumeric[int(n)%len(upperAlphanumeric)])
	}
	return b.String()
}
