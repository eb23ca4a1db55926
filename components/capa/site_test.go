package capa

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func TestAPlainValueStaysBesideAnyOutput(t *testing.T) {
	t.Parallel()
	nodes := pulumi.String("other").ToStringOutput()
	args := &ClusterArgs{
		Args: Args{
			Name: "demo", KubernetesVersion: "v1.33.4", SSHKeyName: nodes,
			Network: NetworkArgs{Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}}},
		},
		Site: SiteArgs{
			Region: "us-east-1", VPCID: pulumi.String("vpc-0123456789abcdef0"),
			ControlPlaneProfile: pulumi.String("nodes-profile"), NodesProfile: nodes,
			Images: map[string]pulumi.StringInput{"t3.large": pulumi.String("ami-0123456789abcdef0")},
			Zones:  []SiteZoneArgs{{Name: "us-east-1a", PrivateSubnetID: pulumi.String("subnet-0123456789abcdef0")}},
		},
	}
	require.NoError(t, args.Validate())
	in := input.Placeholders{}
	objects, err := args.objects(in)
	require.NoError(t, err)
	profiles := map[string]pulumi.StringInput{}
	for _, o := range objects {
		if profile, found, _ := unstructured.NestedString(o.Object, "spec", "template", "spec", "iamInstanceProfile"); found {
			profiles[o.Part] = in.Text(profile)
		}
	}
	require.Equal(t, map[string]pulumi.StringInput{
		PartControlPlaneTemplate: pulumi.String("nodes-profile"),
		"md-template":            nodes,
	}, profiles)
}
