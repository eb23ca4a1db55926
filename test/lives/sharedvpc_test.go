package lives

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestASharedVPCIsCreatedInItsAccountsAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, test := range sizes.Named(t, stackfile.SharedVPCOptions(), func(o stackfile.SharedVPCOption) string {
		return o.Name
	}, "owner-zones") {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			config := test.Config()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
			stack.Configure(config)
			stack.Up()
			common := stackfile.CommonTags()
			golden.RequireGraph(t, "sharedvpc/"+test.Name, stack.Graph(common,
				"network", "network-vpc-owner", "shared-vpc-roles", "shared-vpc-roles-vpc-owner"))
			for _, account := range stack.Accounts() {
				for _, resource := range account.Resources() {
					if want := accountOf(resource, test.Zones); !resource.Seed && want != "" {
						require.Equal(t, want, account.ID(), "%s %s", resource.Type, resource.ID)
					}
				}
			}
			stack.RequireStable()
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the accounts")
		})
	}
}

// accountOf returns the account that a resource of a cluster in a shared VPC belongs to, or "" for both.
func accountOf(resource offline.Resource, zones string) string {
	name, _ := resource.Properties["name"].(string)
	switch {
	case resource.Type == "aws:ec2/vpc:Vpc":
		return "" // if zones are in the cluster's account, they are created with a VPC
	case resource.Type == "aws:ec2/tag:Tag",
		resource.Type == "aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization":
		return stackfile.ClusterAccount
	case resource.Type == "aws:route53/zone:Zone", resource.Type == "aws:route53/record:Record":
		return zones
	case strings.HasPrefix(resource.Type, "aws:iam/"):
		return accountOfRole(resource, name, zones)
	}
	return stackfile.OwnerAccount
}

func accountOfRole(resource offline.Resource, name, zones string) string {
	if role, _ := resource.Properties["role"].(string); role != "" &&
		resource.Type != "aws:iam/instanceProfile:InstanceProfile" {
		name = role
	}
	switch {
	case strings.HasSuffix(name, "-shared-vpc-route53"):
		return zones
	case strings.HasSuffix(name, "-shared-vpc-endpoint"), strings.HasSuffix(name, "-flow-logs"),
		strings.HasSuffix(name, "-bastion"):
		return stackfile.OwnerAccount
	}
	return stackfile.ClusterAccount
}

func TestHyperShiftReadsTheSharedVPC(t *testing.T) {
	t.Parallel()
	config := stackfile.SharedVPC(hypershift.PublicAndPrivate, "shared: {}", stackfile.OwnerAccount)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	stack.Configure(config)
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	infra, iam := outputs["infra"].Value.(map[string]any), outputs["iam"].Value.(map[string]any)
	require.Equal(t, stackfile.OwnerAccount, infra["vpcCreatorAccountID"])
	require.Equal(t, stackfile.ClusterAccount, infra["clusterAccountID"])
	require.Equal(t, "arn:aws:iam::"+stackfile.OwnerAccount+":role/demo-x1-shared-vpc-route53",
		iam["sharedIngressRoleARN"])
	require.Equal(t, "arn:aws:iam::"+stackfile.OwnerAccount+":role/demo-x1-shared-vpc-endpoint",
		iam["sharedControlPlaneRoleARN"])
}

func TestABoundaryMissingInTheOwnersAccountIsRefused(t *testing.T) {
	t.Parallel()
	config := stackfile.SharedVPC(hypershift.Private,
		"zones: [us-east-1a], shared: {permissionsBoundary: '"+stackfile.OwnersBoundaryARN+"'}", stackfile.OwnerAccount)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{})
	stack.Configure(config)
	_, err := stack.UpErr()
	require.ErrorContains(t, err, `shared.permissionsBoundary: "`+stackfile.OwnersBoundaryARN+`" cannot be looked up`)
	require.Empty(t, stack.Resources())
}

func TestAVPCIsNotSharedWithItsOwnAccount(t *testing.T) {
	t.Parallel()
	config := stackfile.SharedVPC(hypershift.Public, "shared: {}", stackfile.ClusterAccount)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	stack.Configure(config)
	_, err := stack.UpErr()
	require.ErrorContains(t, err, `shared: "123456789012" is the cluster's own account`)
	require.Empty(t, stack.Resources())
}

func TestNetworkFaultsFoundInAWSAreReportedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	config := stackfile.Network(hypershift.Private, "existing: {vpcID: vpc-0123456789abcdef0, subnets: ["+
		"{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0}, {zone: us-east-1b, private: subnet-0bbbbbbbbbbbbbbb0}]}, "+
		"securityGroups: [sg-0123456789abcdef0]")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: []offline.Seed{
		{Kind: offline.SeedVPC, Name: "vpc-0123456789abcdef0"},
		{Kind: offline.SeedVPC, Name: "vpc-0eeeeeeeeeeeeeee0"},
		{Kind: offline.SeedPrivateSubnet, Name: "subnet-0aaaaaaaaaaaaaaa0", Zone: "us-east-1c", VPC: "vpc-0123456789abcdef0"},
		{Kind: offline.SeedPrivateSubnet, Name: "subnet-0bbbbbbbbbbbbbbb0", Zone: "us-east-1b", VPC: "vpc-0eeeeeeeeeeeeeee0"},
	}})
	stack.Configure(config)
	_, err := stack.UpErr()
	require.ErrorContains(t, err, `existing.subnets[0].private: "subnet-0aaaaaaaaaaaaaaa0" is in zone us-east-1c`)
	require.ErrorContains(t, err, `existing.subnets[1].private: "subnet-0bbbbbbbbbbbbbbb0" is in vpc-0eeeeeeeeeeeeeee0`)
	require.ErrorContains(t, err, `securityGroups[0]: "sg-0123456789abcdef0" cannot be looked up`)
	require.Empty(t, stack.Resources())
}

func TestAnElasticIPThatIsInUseIsRefused(t *testing.T) {
	t.Parallel()
	config := stackfile.Network(hypershift.Public,
		"zones: [us-east-1a], elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	stack.Configure(config)
	stack.Up()
	stack.Configure(strings.ReplaceAll(config, "us-east-1a", "us-east-1b"))
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, `elasticIPs[us-east-1b]: "eipalloc-0123456789abcdef0" is in use`)
}
