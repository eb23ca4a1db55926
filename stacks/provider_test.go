package stacks

import (
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

type clusterMocks struct {
	noMocks
	inputs chan resource.PropertyMap
}

func (m clusterMocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	m.inputs <- args.Inputs
	return args.Name, args.Inputs, nil
}

// The variables are those that pulumi-kubernetes' SDK has defaults from.
func TestTheProviderOfAManagementClusterHasTheSettingsOfTheFileAlone(t *testing.T) {
	t.Setenv("KUBECONFIG", "/home/someone/.kube/config")
	for _, name := range []string{"DELETE_UNREACHABLE", "SKIP_UPDATE_UNREACHABLE", "ENABLE_SERVER_SIDE_APPLY",
		"ENABLE_PATCH_FORCE", "UPSERT_EXISTING_OBJECTS"} {
		t.Setenv("PULUMI_K8S_"+name, "true")
	}
	always := []resource.PropertyKey{"clusterIdentifier", "enableConfigMapMutable", "enableSecretMutable"}
	for _, test := range []struct {
		kubeconfig config.Kubeconfig
		want       []resource.PropertyKey
	}{
		{config.Kubeconfig{}, always},
		{config.Kubeconfig{Context: "blue"}, append([]resource.PropertyKey{"context"}, always...)},
		{config.Kubeconfig{
			File:    "~/kube",
			Context: "blue",
		}, append([]resource.PropertyKey{"context", "kubeconfig"}, always...)},
	} {
		mocks := clusterMocks{inputs: make(chan resource.PropertyMap, 1)}
		require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
			_, err := placement{}.managementCluster(ctx, &test.kubeconfig)
			return err
		}, pulumi.WithMocks("project", "stack", mocks)))
		inputs := <-mocks.inputs
		require.ElementsMatch(t, test.want, slices.Collect(maps.Keys(inputs)))
		require.Equal(t, test.kubeconfig.File, text(inputs["kubeconfig"]))
	}
}

// text returns a plain string, "" for a value that is missing.
func text(v resource.PropertyValue) string {
	if !v.IsString() {
		return ""
	}
	return v.StringValue()
}
