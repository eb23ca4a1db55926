// Package ids generates IDs and times in the formats of AWS and Kubernetes.
package ids

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
	"time"
)

// Timestamp returns the time as AWS writes it, RFC 3339 in UTC.
func Timestamp() string { return time.Now().UTC().Format(time.RFC3339) }

// Milliseconds returns the time now as EC2 writes the creation date of an image, by which the newest one is found.
func Milliseconds() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// EC2 returns an EC2 ID: the prefix, a dash and 17 hex digits, the first of which is 0.
func EC2(prefix string) string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return prefix + "-0" + hex.EncodeToString(b)
}

// StableEC2 returns an EC2 ID derived from values: the same values give the same ID.
func StableEC2(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return prefix + "-0" + hex.EncodeToString(sum[:8])
}

// UUID returns a UUID of version 4, the format of KMS and Kubernetes.
func UUID() string {
	hex := func(length int) string { return RandomOf("0123456789abcdef", length) }
	return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-" + RandomOf("89ab", 1) + hex(3) + "-" + hex(12)
}

const upperAlphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// Code returns a code of capitals and digits in the format of IAM and Route 53: "AROA…", "Z…".
func Code(prefix string, length int) string {
	return prefix + RandomOf(upperAlphanumeric, length-len(prefix))
}

// RandomOf returns a random text of that length from an alphabet.
func RandomOf(alphabet string, length int) string {
	var b strings.Builder
	for range length {
		b.WriteByte(alphabet[RandomBelow(len(alphabet))])
	}
	return b.String()
}

// RandomBelow returns a random number from 0 to n-1.
func RandomBelow(n int) int {
	i, _ := rand.Int(rand.Reader, big.NewInt(int64(n))) // never fails
	return int(i.Int64())
}

// Hashcode returns the number that the provider computes of a text for the IDs of routes and endpoint associations.
func Hashcode(text string) string {
	return fmt.Sprint(crc32.ChecksumIEEE([]byte(text)))
}

// StableCode returns a code derived from values: the same values give the same code.
func StableCode(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	var b strings.Builder
	b.WriteString(prefix)
	for _, n := range sum[:13] {
		b.WriteByte(upperAlphanumeric[int(n)%len(upperAlphanumeric)])
	}
	return b.String()
}
