package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/test/race"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// EnginePath returns the engine that `make engine` builds.
func EnginePath(t testing.TB) string {
	t.Helper()
	race.SkipEngine(t)
	path := repo.Path("bin", "pulumi")
	_, err := os.Stat(path)
	require.NoError(t, err, "there is no engine: run `make engine`")
	return path
}

// Engine returns the engine that `make engine` builds, for the Automation API.
func Engine(t testing.TB) auto.PulumiCommand {
	t.Helper()
	engine, err := engineAt(filepath.Dir(filepath.Dir(EnginePath(t))))
	require.NoError(t, err)
	return engine
}

// engineAt reads the engine's version, once.
var engineAt = func() func(root string) (auto.PulumiCommand, error) {
	var once sync.Once
	var command auto.PulumiCommand
	var err error
	return func(root string) (auto.PulumiCommand, error) {
		once.Do(func() {
			command, err = auto.NewPulumiCommand(&auto.PulumiCommandOptions{Root: root})
			command = engine.WithoutHistory(command) // no test reads it
		})
		return command, err
	}
}()

// quietWorkspace is the Automation API's workspace without the engine processes that no test needs: a stack is not
// selected, since every command names it, and its outputs are read when a test requests them.
type quietWorkspace struct{ auto.Workspace }

// SelectStack implements auto.Workspace.
func (quietWorkspace) SelectStack(context.Context, string) error { return nil }

// StackOutputs implements auto.Workspace.
func (quietWorkspace) StackOutputs(context.Context, string) (auto.OutputMap, error) { return nil, nil }
