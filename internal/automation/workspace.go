package automation

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
)

// stackWorkspace is the Automation API's workspace with two differences: it selects no stack, because every command
// names its stack, and it reads outputs only on demand, not after each update.
type stackWorkspace struct{ auto.Workspace }

// SelectStack implements auto.Workspace.
func (stackWorkspace) SelectStack(context.Context, string) error { return nil }

// StackOutputs implements auto.Workspace.
func (stackWorkspace) StackOutputs(context.Context, string) (auto.OutputMap, error) { return nil, nil }
