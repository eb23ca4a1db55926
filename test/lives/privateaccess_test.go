package lives

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// accessIDs returns the IDs in AWS of what lets other VPCs reach the control plane, by the names of its resources.
func accessIDs(stack *enginetest.Stack) map[string]string {
	found := map[string]string{}
	for _, made := range stack.Custom() {
		if name := made.URN.Name(); strings.HasPrefix(name, "private-access") {
			found[string(made.Type)+" "+name] = string(made.ID)
		}
	}
	return found
}

func TestAPrivateControlPlaneIsReachedFromVPCsOfAThirdAccount(t *testing.T) {
	t.Parallel()
	config := stackfile.AccessibleByStack()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	stack.Configure(stackfile.WithoutAccess(config))
	stack.Up()
	link := linkIDs(stack)

	stack.Configure(config)
	changes := stack.Up()
	require.Empty(t, changes.Replaced())
	require.Empty(t, changes.Of(apitype.OpDelete))
	for name, id := range link {
		require.Equal(t, id, linkIDs(stack)[name], name)
	}
	golden.RequireGraph(t, "privatelink/access", stack.Graph(nil, "private-link", "private-link-service", "private-access",
		"private-access-hub", "private-access-zone-"+stackfile.SpokeVPC))
	require.Equal(t, []string{"aws:route53/zone:Zone network-local-zone"}, stack.Refresh().Of(apitype.OpUpdate),
		"it sees the zone's further VPC")
	require.Empty(t, stack.Up(), "an update after a refresh")
	stack.RequireStable()
	made := accessIDs(stack)
	require.Len(t, made, 11)
	for _, account := range stack.Accounts() {
		for _, resource := range account.Resources() {
			for name, id := range made {
				if resource.ID != id || !strings.HasPrefix(name, resource.Type+" ") {
					continue
				}
				want := stackfile.HubAccount
				if strings.Contains(name, "VpcAssociationAuthorization") {
					want = "123456789012"
				}
				require.Equal(t, want, account.ID(), name)
			}
		}
	}
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]any{"hub": made[endpointType+" private-access-hub"]},
		outputs["consumerEndpointIDs"].Value)

	stack.Configure(stackfile.WithoutAccess(config))
	err = plan.Guard(planOf(t, stack), enginetest.StackName, nil, nil)
	require.ErrorContains(t, err, "private-access-hub", "clients lose the control plane")
	stack.Configure(config)
	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the accounts")
}

// HyperShift's operator allows the consumers' accounts that the HostedCluster names, adds its rules to the group with
// the stack's, and rejects the consumers' connections before it deletes its endpoint service.
func TestConsumersOfAnOperatorsServiceFollowIt(t *testing.T) {
	t.Parallel()
	config := stackfile.Accessible("owner: operator") +
		stackfile.HostedCluster(t, "      unprotected: true\n      externalDNSDomain: hcp.example.com\n")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(stackfile.SeedsFor(t, config), offline.Seed{
		Kind: offline.SeedBucket, Name: "demo-oidc", Account: stackfile.ManagementAccount,
	})})
	stack.Configure(config)
	stack.Up()
	require.NotContains(t, accessIDs(stack), endpointType+" private-access-hub", "the operator has no service yet")
	require.Contains(t, accessIDs(stack), "aws:route53/zoneAssociation:ZoneAssociation private-access-zone-"+stackfile.SpokeVPC)

	changes := stack.Up()
	require.Empty(t, changes.Replaced())
	require.Empty(t, changes.Of(apitype.OpDelete))
	made := accessIDs(stack)
	require.Contains(t, made, endpointType+" private-access-hub")
	rules := ids(stack, "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
	require.Contains(t, rules, "private-link-allowed-10.101.0.0/16")
	principals := []any{}
	for _, r := range stack.Resources() {
		if r.Type == endpointServiceType {
			principals = append(principals, r.Properties["allowedPrincipals"].([]any)...)
		}
	}
	require.Contains(t, principals, "arn:aws:iam::"+stackfile.HubAccount+":root")
	require.Empty(t, stack.Up(), "a third up")
	require.Equal(t, made, accessIDs(stack))

	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the accounts")
}

// A hub in the cluster's own account has no local zone: HyperShift's operator would take it for the cluster's.
func TestASecondLocalZoneInTheClustersAccountIsRefused(t *testing.T) {
	t.Parallel()
	config := strings.ReplaceAll(stackfile.AccessibleByStack(), "account: hub\n", "\n")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	stack.Configure(config)
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, "privateLink.consumers[0].localZoneID is missing, but in the cluster's own account 123456789012")

	config = strings.Replace(config, "          hostNames:", "          localZoneID: none\n          hostNames:", 1)
	stack.Configure(config)
	stack.Up()
	require.Len(t, ids(stack, "aws:route53/zone:Zone"), 3, "the cluster's two, and that of the host name")
	stack.Destroy()
	require.Empty(t, stack.Resources())
}

// What AWS would refuse in the middle of an update is refused before it.
func TestAConsumerThatAWSWouldRefuseIsRefusedInAPreview(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, want string }{
		"another VPC's subnet": {"subnetIDs: [" + stackfile.HubSubnet + "]", "subnetIDs: [subnet-0123456789abcdef9]",
			`privateLink.consumers[0].subnetIDs[0]: "subnet-0123456789abcdef9" is not a subnet of account 333333333333 in us-east-1`},
		"the nodes' own CIDR": {"allowedCIDRs: [10.101.0.0/16]", "allowedCIDRs: [10.0.0.0/16]",
			`hypershift-aws:cluster.privateLink.allowedCIDRs[0]: "10.0.0.0/16" is a machine CIDR, which may connect already`},
		"no VPC": {"vpcID: " + stackfile.HubVPC, "vpcID: vpc-0123456789abcdef9",
			`privateLink.consumers[0].vpcID: "vpc-0123456789abcdef9" is not a VPC of account 333333333333 in us-east-1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := stackfile.AccessibleByStack()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
			stack.Configure(strings.Replace(config, test.from, test.to, 1))
			_, err := stack.PreviewErr()
			require.ErrorContains(t, err, test.want)
		})
	}
}
