package hostedcluster_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// newer is an API that allows a value which the embedded one refuses, and refuses the others.
type newer struct{}

func (newer) Validate(object map[string]any) error {
	spec, _ := object["spec"].(map[string]any)
	if value, set := spec["upgradeStyle"]; set && value != "Eager" {
		return fault.Faults{{Path: "spec.upgradeStyle", Value: value, Problem: "is refused by the management cluster's API"}}
	}
	return nil
}

func (n newer) ValidateUpdate(object, _ map[string]any) error { return n.Validate(object) }

// The objects of programs, plugins and pods are judged by the component.
func TestTheAPIOfTheManagementClusterJudgesTheObjectsOfComponents(t *testing.T) {
	t.Parallel()
	pools := func(live *hostedcluster.Live, spec map[string]any) *hostedcluster.NodePoolsArgs {
		return &hostedcluster.NodePoolsArgs{
			HostedCluster: hostedcluster.ExistingCluster{
				Name: "acme", InfraID: "acme-x1", Release: settings().Release, SubnetID: pulumi.String("subnet-0aaaaaaaaaaaaaaaa"),
			},
			NodePools: []hostedcluster.NodePool{{Name: "a", Spec: spec}}, Live: live,
		}
	}
	installed := &hostedcluster.Live{API: newer{}}
	refused := map[string]any{"nodeDrainTimeout": true}
	require.ErrorContains(t, pools(nil, refused).Validate(), "nodePools[0].spec.nodeDrainTimeout")
	require.ErrorContains(t, pools(&hostedcluster.Live{}, refused).Validate(), "nodePools[0].spec.nodeDrainTimeout")
	require.NoError(t, pools(installed, refused).Validate())
	require.NoError(t, pools(nil, map[string]any{"upgradeStyle": "Late"}).Validate(), "a field that it does not know")
	require.NoError(t, pools(installed, map[string]any{"upgradeStyle": "Eager"}).Validate())
	require.ErrorContains(t, pools(installed, map[string]any{"upgradeStyle": "Late"}).Validate(),
		"is refused by the management cluster's API")
}
