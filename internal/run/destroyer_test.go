package run

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// A process cannot be started with arguments of any length: the engine of a larger stack gets none.
func TestADestroyNamesWhatItDeletesAsFarAsArgumentsGo(t *testing.T) {
	t.Parallel()
	urn := resource.URN("urn:pulumi:dev::project::aws:ec2/vpc:Vpc::" + strings.Repeat("v", 80))
	const windows = 32767 // the longest command line of Windows, with the program and the engine's other arguments
	for _, c := range []struct {
		system    string
		resources int
		names     bool
	}{
		{"linux", 1, true}, {"linux", 100, true}, {"linux", 2000, true}, {"linux", 20000, false},
		{"windows", 1, true}, {"windows", 100, true}, {"windows", 200, false}, {"windows", 2000, false},
	} {
		resources := make([]*state.Resource, c.resources)
		for i := range resources {
			resources[i] = &state.Resource{ResourceV3: apitype.ResourceV3{URN: urn}}
		}
		options := named(resources, c.system)
		require.Equal(t, c.names, len(options) == 1, "%s, %d resources", c.system, c.resources)
		if c.names && c.system == "windows" {
			var set optdestroy.Options
			options[0].ApplyOption(&set)
			require.Less(t, len(`--target "`+strings.Join(set.Target, `" --target "`)+`"`)+4096, windows)
		}
	}
}
