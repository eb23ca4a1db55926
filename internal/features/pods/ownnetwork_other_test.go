//go:build !linux

package pods_test

import (
	"testing"
)

func startInOwnNetwork(t *testing.T) bool {
	t.Helper()
	t.Log("NOT TESTED: without network: only Linux has network namespaces")
	return false
}

func raiseLoopback(*testing.T) {}

func mountReadOnly(string, string) (func(), error) { return func() {}, nil }
