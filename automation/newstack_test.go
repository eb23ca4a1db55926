package automation_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// content is that of stackFile, as a value.
func content() config.Content {
	return config.Content{
		Account: config.Account{Region: "us-east-1"},
		Section: &config.Cluster{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
			EndpointAccess: hypershift.Private,
			Network: network.GuestNetworkArgs{
				Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}, NAT: network.Single},
			},
			OIDC: config.OIDC{
				OIDCProviderArgs: iam.OIDCProviderArgs{
					BucketName:   pulumi.String("demo-oidc"),
					BucketRegion: pulumi.String("us-east-1"),
				},
			},
		},
	}
}

func TestAStackWithoutAFilePlansWhatTheSameFileDoes(t *testing.T) {
	t.Parallel()
	p, dir := project(t, nil)
	given, err := p.NewStack("given", content())
	require.NoError(t, err)
	var plans [2][]string
	for i, stack := range []*automation.Stack{p.Stack("dev"), given} {
		result, err := stack.Preview(t.Context(), automation.PreviewOptions{})
		require.NoError(t, err)
		for _, step := range result.Plan.Changed() {
			plans[i] = append(plans[i], string(step.Change)+" "+step.Type+" "+step.Name)
		}
		slices.Sort(plans[i])
	}
	require.NotEmpty(t, plans[0])
	require.Equal(t, plans[0], plans[1])
	files, err := filepath.Glob(filepath.Join(dir, "Pulumi.*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "Pulumi.dev.yaml")}, files,
		"the content is outside of the project's files")
}

func TestAStackWithoutAFileLivesInItsState(t *testing.T) {
	t.Parallel()
	p, dir := project(t, nil)
	stack, err := p.NewStack("given", content())
	require.NoError(t, err)
	_, err = stack.Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
	again, err := openOffline(dir, nil) // another process
	require.NoError(t, err)
	t.Cleanup(again.Close)
	stack, err = again.NewStack("given", content())
	require.NoError(t, err)
	result, err := stack.Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true})
	require.NoError(t, err)
	require.False(t, result.Plan.HasChanges)
	require.Equal(t, []string{"dev", "given"}, again.Stacks())
	listed, err := again.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []bool{true, false}, []bool{listed[0].HasFile, listed[1].HasFile})

	_, err = again.Stack("given").Destroy(t.Context(), automation.DestroyOptions{Decide: automation.Approve, RemoveState: true})
	require.NoError(t, err)
}

func TestAContentHasTheFaultsOfAFileWithoutLines(t *testing.T) {
	t.Parallel()
	p, _ := project(t, nil)
	wrong := content()
	wrong.Section.(*config.Cluster).Network.VPCCIDR = "10.0.0.1/16"
	_, err := p.NewStack("given", wrong)
	faults := fault.In(err)
	require.Len(t, faults, 1)
	require.Equal(t, "hypershift-aws:cluster.network.vpcCIDR", faults[0].Path)
	require.Empty(t, faults[0].File)
	require.Zero(t, faults[0].Line)
	_, err = p.NewStack("dev", content())
	require.Equal(t, automation.Refused, automation.ReasonOf(err), "its file exists")

	absent := content()
	absent.Section.(*config.Cluster).Management = "nosuch"
	stack, err := p.NewStack("given", absent)
	require.NoError(t, err)
	_, err = stack.Preview(t.Context(), automation.PreviewOptions{})
	require.ErrorContains(t, err, `hypershift-aws:cluster.management: "nosuch" names a stack that does not exist`)
	require.NotContains(t, err.Error(), "Pulumi.given.yaml", "no such file exists")
}
