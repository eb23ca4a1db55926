package run

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// A process cannot be started with arguments of any length: the engine of a larger stack gets none.
func TestADestroyNamesWhatItDeletesAsFarAsArgumentsGo(t *testing.T) {
	t.Parallel()
	urn := resource.URN("urn:pulumi:dev::project::aws:ec2/vpc:Vpc::" + strings.Repeat("v", 80))
	for resources, named := range map[int]bool{1: true, 100: true, 20000: false} {
		d := &Destroyer{Stack: &workspace.Stack{State: &state.Deployment{}}}
		for range resources {
			d.Stack.State.Resources = append(d.Stack.State.Resources,
				&state.Resource{ResourceV3: apitype.ResourceV3{URN: urn}})
		}
		require.Equal(t, named, len(d.named()) == 1, "%d resources", resources)
	}
}
