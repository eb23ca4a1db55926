package recovery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestAnUpdateContinuesIfAWSReturnsItsResourcesLate: a tag of a shared subnet, a principal of an endpoint service and
// an endpoint of it are refused at first, as by AWS, and the provider does not try again.
func TestAnUpdateContinuesIfAWSReturnsItsResourcesLate(t *testing.T) {
	t.Parallel()
	for name, test := range sizes.Only(t, map[string]struct {
		config string
		says   []string
	}{
		"shared VPC": {stackfile.SharedVPC(hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, shared: {}",
			stackfile.OwnerAccount),
			[]string{"empty result", "AWS does not return yet what tag ", " refers to: trying again in 5s (1 of 3)"}},
		"PrivateLink": {stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.StackOwned()), []string{
			"InvalidPrincipal", "AWS does not return yet what VPC endpoint service private-link-service refers to: trying again in 5s (1 of 3)",
			"InvalidServiceName", "AWS does not return yet what VPC endpoint private-link refers to: trying again in 15s (2 of 3)",
		}},
	}, "PrivateLink") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := harness.StackAt(t, t.TempDir())
			e.Configure(test.config)
			_, stderr, code := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateReferences: 1}").Exit("--offline", "up", "--yes")
			require.Equal(t, 0, code, stderr)
			for _, want := range test.says {
				require.Contains(t, stderr, want)
			}
			require.NotContains(t, stderr, "error:")
			e.Run("--offline", "up", "--yes", "--expect-no-changes")
			e.RequireTrue()
		})
	}
	t.Run("lists that lag", func(t *testing.T) {
		t.Parallel()
		e := harness.StackAt(t, t.TempDir())
		e.Configure(stackfile.Network(hypershift.Public, "zones: [us-east-1a], nat: Single"))
		_, stderr, code := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateReads: 1}").Exit("--offline", "up", "--yes")
		require.Equal(t, 0, code, stderr)
		require.Contains(t, stderr, "AWS does not list yet the new ")
		require.Regexp(t, `new .*NAT gateway network-nat-us-east-1a.*: trying again in `, stderr)
		require.NotContains(t, stderr, "error:")
		e.Run("--offline", "up", "--yes", "--expect-no-changes")
		e.RequireTrue()
	})
	t.Run("forever", func(t *testing.T) {
		t.Parallel()
		e := harness.StackAt(t, t.TempDir())
		e.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.StackOwned()))
		_, stderr, code := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateReferences: 9}").Exit("--offline", "up", "--yes")
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, "trying again in 30s (3 of 3)")
		require.Contains(t, stderr, "InvalidPrincipal")
		require.Contains(t, stderr, "all completed operations are in the state")
		e.Run("--offline", "up", "--yes")
		e.RequireTrue()
	})
}
