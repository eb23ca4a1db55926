package test

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
)

const (
	clusterAccount = "123456789012"
	ownerAccount   = "210987654321"
	// ownersBoundaryARN is a policy of the owner's account.
	ownersBoundaryARN = "arn:aws:iam::210987654321:policy/owners-boundary"
)

// sharedVPC returns the config of a cluster in a VPC that another account owns.
func sharedVPC(access hypershift.EndpointAccess, network, owner string) string {
	return withNetwork(access, network) + `    accounts:
      vpcOwner: {assumeRole: {roleArn: "arn:aws:iam::` + owner + `:role/network"}}
`
}

// sharedVPCOption is a way to share a VPC.
type sharedVPCOption struct {
	name   string
	access hypershift.EndpointAccess
	// zones is whose account the private zones are in, and more are further keys of the cluster.
	network, zones, more string
}

func (o sharedVPCOption) config() string {
	return sharedVPC(o.access, o.network, ownerAccount) + o.more
}

func sharedVPCOptions() []sharedVPCOption {
	return []sharedVPCOption{
		{"owner-zones", hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, shared: {}", ownerAccount, ""},
		{"cluster-zones", hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, shared: {privateZonesIn: Cluster}", clusterAccount, ""},
		{"private", hypershift.Private, twoZones + ", nat: Single, secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts], " +
			"flowLogs: {}, bastion: {}, shared: {}", ownerAccount, ""},
		{"boundaries", hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, flowLogs: {}, " +
			"shared: {privateZonesIn: Cluster, permissionsBoundary: '" + ownersBoundaryARN + "'}", clusterAccount,
			"    iam: {path: /team/, permissionsBoundary: '" + boundaryARN + "'}\n"},
	}
}

func TestASharedVPCIsCreatedInItsAccountsAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, test := range sizes.Named(t, sharedVPCOptions(), func(o sharedVPCOption) string { return o.name }, "owner-zones") {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := test.config()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
			stack.Configure(config)
			stack.Up()
			common := (hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}).EC2Tags("")
			golden.Require(t, "testdata/sharedvpc/"+test.name+".txt", stack.Graph(common,
				"network", "network-vpc-owner", "shared-vpc-roles", "shared-vpc-roles-vpc-owner"))
			for _, account := range stack.Accounts() {
				for _, resource := range account.Resources() {
					if want := accountOf(resource, test.zones); !resource.Seed && want != "" {
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
	case resource.Type == "aws:ec2/tag:Tag", resource.Type == "aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization":
		return clusterAccount
	case resource.Type == "aws:route53/zone:Zone", resource.Type == "aws:route53/record:Record":
		return zones
	case strings.HasPrefix(resource.Type, "aws:iam/"):
		return accountOfRole(resource, name, zones)
	}
	return ownerAccount
}

func accountOfRole(resource offline.Resource, name, zones string) string {
	if role, _ := resource.Properties["role"].(string); role != "" && resource.Type != "aws:iam/instanceProfile:InstanceProfile" {
		name = role
	}
	switch {
	case strings.HasSuffix(name, "-shared-vpc-route53"):
		return zones
	case strings.HasSuffix(name, "-shared-vpc-endpoint"), strings.HasSuffix(name, "-flow-logs"), strings.HasSuffix(name, "-bastion"):
		return ownerAccount
	}
	return clusterAccount
}

func TestHyperShiftReadsTheSharedVPC(t *testing.T) {
	t.Parallel()
	config := sharedVPC(hypershift.PublicAndPrivate, "shared: {}", ownerAccount)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
	stack.Configure(config)
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	infra, iam := outputs["infra"].Value.(map[string]any), outputs["iam"].Value.(map[string]any)
	require.Equal(t, ownerAccount, infra["vpcCreatorAccountID"])
	require.Equal(t, clusterAccount, infra["clusterAccountID"])
	require.Equal(t, "arn:aws:iam::"+ownerAccount+":role/demo-x1-shared-vpc-route53", iam["sharedIngressRoleARN"])
	require.Equal(t, "arn:aws:iam::"+ownerAccount+":role/demo-x1-shared-vpc-endpoint", iam["sharedControlPlaneRoleARN"])
}

func TestABoundaryMissingInTheOwnersAccountIsRefused(t *testing.T) {
	t.Parallel()
	config := sharedVPC(hypershift.Private, "zones: [us-east-1a], shared: {permissionsBoundary: '"+ownersBoundaryARN+"'}", ownerAccount)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{})
	stack.Configure(config)
	_, err := stack.UpErr()
	require.ErrorContains(t, err, `shared.permissionsBoundary: "`+ownersBoundaryARN+`" cannot be looked up`)
	require.Empty(t, stack.Resources())
}

func TestAVPCIsNotSharedWithItsOwnAccount(t *testing.T) {
	t.Parallel()
	config := sharedVPC(hypershift.Public, "shared: {}", clusterAccount)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
	stack.Configure(config)
	_, err := stack.UpErr()
	require.ErrorContains(t, err, `shared: "123456789012" is the cluster's own account`)
	require.Empty(t, stack.Resources())
}

func TestNetworkFaultsFoundInAWSAreReportedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	config := withNetwork(hypershift.Private, "existing: {vpcID: vpc-0123456789abcdef0, subnets: ["+
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
	config := withNetwork(hypershift.Public, "zones: [us-east-1a], elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
	stack.Configure(config)
	stack.Up()
	stack.Configure(strings.ReplaceAll(config, "us-east-1a", "us-east-1b"))
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, `elasticIPs[us-east-1b]: "eipalloc-0123456789abcdef0" is in use`)
}
