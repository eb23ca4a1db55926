package program

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

// noResources is a monitor of a program that must not register anything.
type noResources struct{ t *testing.T }

func (m noResources) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	require.Equal(m.t, "pulumi:pulumi:Stack", args.TypeToken)
	return args.Name, args.Inputs, nil
}

func (m noResources) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	require.Fail(m.t, args.Token)
	return nil, nil
}

func TestTheProgramRefusesVariablesThatChangeWhatTheProviderDeletes(t *testing.T) {
	t.Setenv("PULUMI_K8S_DELETE_UNREACHABLE", "true")
	err := pulumi.RunErr(Run, pulumi.WithMocks("hypershift-aws", "dev", noResources{t}))
	require.ErrorContains(t, err, "PULUMI_K8S_DELETE_UNREACHABLE is set")
}
