package conformance

import (
	"os"
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

func TestMain(m *testing.M) {
	if command := os.Getenv(killableVariable); command != "" {
		os.Exit(runKillable(command))
	}
	os.Exit(harness.Main(m))
}
