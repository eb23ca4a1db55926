package config

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
)

func TestTheKeysThatAreSetAreWrittenWithTheirComments(t *testing.T) {
	t.Parallel()
	slot := 0
	c := Cluster{
		BaseDomain: "example.com",
		KMSKeyARN:  pulumi.String("none"),
		Accounts:   Accounts{VPCOwner: &Account{Profile: "yes"}},
	}
	c.Tags = map[string]string{"version": "1.10", "on": "yes"}
	c.Network.Zones = []network.Zone{{Name: "us-east-1a", Slot: &slot}, {Name: "us-east-1b"}}
	c.Network.FlowLogs, c.Network.KeepDefaultSecurityGroup = &network.FlowLogs{}, true
	c.Network.ElasticIPs = map[string]pulumi.StringInput{"us-east-1a": pulumi.String("eipalloc-1")}
	c.Network.Existing = &network.ExistingVPC{
		Subnets: []network.ExistingSubnets{{Zone: "us-east-1a", Private: pulumi.String("subnet-1")}},
	}
	c.IAM.Existing = &iam.Existing{Roles: map[iam.RoleName]pulumi.StringInput{iam.RoleIngress: pulumi.String("arn:x")}}
	text, err := yaml.Marshal(configfield.Encode(c, func(key string) string {
		return map[string]string{"flowLogs": "Not certain."}[key]
	}, nil))
	require.NoError(t, err)
	require.Equal(t, `tags:
    "on": "yes"
    version: "1.10"
baseDomain: example.com
network:
    zones: [{name: us-east-1a, slot: 0}, us-east-1b]
    elasticIPs:
        us-east-1a: eipalloc-1
    # Not certain.
    flowLogs: {}
    keepDefaultSecurityGroup: true
    existing:
        subnets:
            - {zone: us-east-1a, private: subnet-1}
kmsKeyARN: none
iam:
    existing:
        roles:
            ingressARN: arn:x
accounts:
    vpcOwner:
        profile: "yes"
`, string(text))
	require.Nil(t, configfield.Encode(Cluster{}, nil, nil))
}
