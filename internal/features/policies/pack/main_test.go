package pack_test

import (
	"os"
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m))
}
