package test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// TestAnUpdateContinuesIfAWSReturnsItsResourcesLate: a tag of a shared subnet, a principal of an endpoint service and an endpoint of it
// are refused at first, as by AWS, and the provider does not try again.
func TestAnUpdateContinuesIfAWSReturnsItsResourcesLate(t *testing.T) {
	t.Parallel()
	for name, test := range sizes.Only(t, map[string]struct {
		config string
		says   []string
	}{
		"shared VPC": {sharedVPC(hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, shared: {}", ownerAccount),
			[]string{"empty result", "AWS does not return yet what tag ", " refers to: trying again in 5s (1 of 3)"}},
		"PrivateLink": {link(hypershift.Private, coveredZones()[:1], stackOwned()), []string{
			"InvalidPrincipal", "AWS does not return yet what VPC endpoint service private-link-service refers to: trying again in 5s (1 of 3)",
			"InvalidServiceName", "AWS does not return yet what VPC endpoint private-link refers to: trying again in 15s (2 of 3)",
		}},
	}, "PrivateLink") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := cliStackAt(t, t.TempDir())
			e.configure(test.config)
			_, stderr, code := e.with("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateReferences: 1}").exit("--offline", "up", "--yes")
			require.Equal(t, 0, code, stderr)
			for _, want := range test.says {
				require.Contains(t, stderr, want)
			}
			require.NotContains(t, stderr, "error:")
			e.run("--offline", "up", "--yes", "--expect-no-changes")
			e.requireTrue()
		})
	}
	t.Run("forever", func(t *testing.T) {
		t.Parallel()
		e := cliStackAt(t, t.TempDir())
		e.configure(link(hypershift.Private, coveredZones()[:1], stackOwned()))
		_, stderr, code := e.with("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateReferences: 9}").exit("--offline", "up", "--yes")
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, "trying again in 30s (3 of 3)")
		require.Contains(t, stderr, "InvalidPrincipal")
		require.Contains(t, stderr, "all completed operations are in the state")
		e.run("--offline", "up", "--yes")
		e.requireTrue()
	})
}
