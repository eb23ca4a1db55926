package harness

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// NewCluster returns a stack whose account has what stackfile.Cluster refers to.
func NewCluster(t *testing.T) *enginetest.Stack {
	t.Helper()
	return enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds()})
}

// NewManagement returns a stack whose account has stackfile.ManagementSeeds, and more.
func NewManagement(t *testing.T, seeds ...offline.Seed) *enginetest.Stack {
	t.Helper()
	return enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(stackfile.ManagementSeeds(), seeds...)})
}
