package hosted

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// The CLI exports the uses of flags that allowed what is refused. The output still has them after an update by another
// program.
func TestTheConsentsOfAStackStayInItsOutputsWithoutTheCLI(t *testing.T) {
	t.Parallel()
	uses := []any{map[string]any{
		"time": "2026-01-02T03:04:05Z", "stack": "test", "flag": "--allow", "value": "network-vpc", "by": "alice@laptop",
		"version":   "v1.0.0",
		"resources": []any{"network-vpc"},
	}}
	byCLI := func(ctx *pulumi.Context) error {
		if err := stacks.Run(ctx); err != nil {
			return err
		}
		ctx.Export(stacks.ConsentsOutput, pulumi.ToOutput(uses))
		return nil
	}
	embedded := func(ctx *pulumi.Context) error {
		ctx.Export("own", pulumi.String("output"))
		return stacks.Run(ctx)
	}
	for name, c := range sizes.Only(t, map[string]struct {
		config string
		seeds  []offline.Seed
	}{
		"cluster":    {stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String(), stackfile.Seeds()},
		"management": {stackfile.Management(stackfile.Managements()["whole"]), stackfile.ManagementSeeds()},
	}, "cluster") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := enginetest.New(t, byCLI, enginetest.Options{Seeds: c.seeds})
			kept := func() any {
				outputs, err := stack.Outputs(t.Context())
				require.NoError(t, err)
				return outputs[stacks.ConsentsOutput].Value
			}
			stack.Configure(c.config)
			stack.Up()
			require.Equal(t, uses, kept())
			for i, run := range []pulumi.RunFunc{program.Run, embedded, stacks.Run} {
				stack.Run(run)
				stack.Configure(strings.Replace(c.config, "team: platform", "team: platform"+strings.Repeat("s", i+1), 1))
				require.NotEmpty(t, stack.Up())
				require.Equal(t, uses, kept())
				if sizes.All() {
					require.Empty(t, stack.Preview())
				}
			}
			if name == "cluster" {
				stack.Run(program.Run)
				stack.Configure(strings.Replace(c.config, "infraID: demo-x1\n", "infraID: demo-x2\n", 1))
				_, err := stack.UpErr()
				require.ErrorContains(t, err, "would be replaced")
				require.Equal(t, uses, kept(), "a refused update")
			}
		})
	}
}
