package pods_test

import (
	"os"
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/kubelet"
)

func TestMain(m *testing.M) {
	kubelet.Main()
	os.Exit(harness.Main(m))
}
