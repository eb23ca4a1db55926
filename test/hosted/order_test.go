package hosted

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

const (
	hostedClusterType = "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster"
	nodePoolType      = "kubernetes:hypershift.openshift.io/v1beta1:NodePool"
	natGatewayType    = "aws:ec2/natGateway:NatGateway"
	routeType         = "aws:ec2/route:Route"
)

// besides omits resources that a control plane does not use.
func besides(names []string) []string {
	var others []string
	for _, name := range names {
		if !strings.HasSuffix(name, "-soa") && !strings.HasPrefix(name, natGatewayType) && !strings.HasPrefix(name, routeType+" network-private-") &&
			!strings.HasPrefix(name, "kubernetes:") && strings.Contains(name,
			"aws:") && !strings.Contains(name, "hypershift-aws:") {
			others = append(others, name)
		}
	}
	return others
}

func TestTheHostedClusterIsDeletedBeforeItsDependenciesAndWaitsForNoNATGateway(t *testing.T) {
	t.Parallel()
	for _, access := range sizes.First(1, hypershift.EndpointAccesses()) {
		t.Run(string(access), func(t *testing.T) {
			t.Parallel()
			stack := harness.NewCluster(t)
			config := stackfile.WithHostedCluster(t, "      unprotected: true\n")
			config.Access, config.NAT = access, network.PerZone
			stack.Configure(config.String())
			stack.Up()
			requireStanding(t, stack)
			requireNodes(t, stack)
			changes := stack.Destroy()
			require.Empty(t, besides(changes.BegunBefore(apitype.OpDelete, hostedClusterType)))
			require.True(t, holds(changes.BegunBefore(apitype.OpDelete, hostedClusterType), nodePoolType), "NodePools go first")
			require.Empty(t, stack.Resources(), "neither the stack's nor what the operators made")
		})
	}
}

// requireStanding requires the resources that the HostedCluster and its NodePools depend on.
func requireStanding(t *testing.T, stack *enginetest.Stack) {
	t.Helper()
	held := stack.WaitsFor(hostedClusterType)
	for _, one := range []string{"aws:iam/role:Role", "aws:iam/rolePolicy:RolePolicy",
		"aws:iam/openIdConnectProvider:OpenIdConnectProvider",
		"aws:ec2/internetGateway:InternetGateway", "aws:route53/zone:Zone", "aws:ec2/subnet:Subnet", "aws:ec2/vpc:Vpc"} {
		require.True(t, holds(held, one), "no %s waits for the HostedCluster to go", one)
	}
	for _, r := range stack.Custom() {
		if name := string(r.Type) + " " + r.URN.Name(); len(besides([]string{name})) > 0 {
			require.Contains(t, held, name)
		}
	}
	require.False(t, holds(held, natGatewayType), "a NAT gateway takes a minute and three quarters")
	for _, soa := range []string{"network-private-zone-soa", "network-local-zone-soa"} {
		require.NotContains(t, held, "aws:route53/record:Record "+soa, "an SOA record takes half a minute")
		require.NotContains(t, stack.WaitsFor(nodePoolType), "aws:route53/record:Record "+soa)
	}
	require.True(t, holds(stack.WaitsFor(nodePoolType), natGatewayType))
	require.True(t, holds(stack.WaitsFor(nodePoolType), hostedClusterType))
}

// requireNodes requires that the NodePools have their nodes.
func requireNodes(t *testing.T, stack *enginetest.Stack) {
	t.Helper()
	pools := 0
	for _, object := range stack.Objects() {
		if object.Kind == "NodePool" {
			pools++
			require.Equal(t, object.Properties["spec"].(map[string]any)["replicas"],
				object.Properties["status"].(map[string]any)["replicas"], object.ID)
		}
	}
	require.NotZero(t, pools)
}

func holds(names []string, token string) bool {
	for _, name := range names {
		if strings.HasPrefix(name, token+" ") {
			return true
		}
	}
	return false
}

func TestDestroyWithoutOperatorsStopsAtTheHostedClusterAndDeletesNothingElse(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.WithHostedCluster(t, "      unprotected: true\n").String())
	stack.Up()
	operate(t, stack, offline.Operators{Killed: true})
	changes, err := stack.DestroyErr()
	require.ErrorContains(t, err, "timed out waiting for the condition")
	require.ErrorContains(t, err, "finalizers might be preventing deletion (hypershift.openshift.io/finalizer)")
	require.Empty(t, besides(changes.BegunBefore(apitype.OpDelete, hostedClusterType)))

	operate(t, stack, offline.Operators{})
	stack.Destroy()
	require.Empty(t, stack.Resources())
}

func TestResourcesThatOperatorsLeftBlockTheVPC(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.WithHostedCluster(t, "      unprotected: true\n").String())
	stack.Up()
	operate(t, stack, offline.Operators{Killed: true})
	for _, cluster := range stack.Clusters() {
		for _, object := range enginetest.ObjectsOf(t, cluster) {
			if object.Kind != "NodePool" && object.Kind != "HostedCluster" {
				continue
			}
			metadata := object.Properties["metadata"].(map[string]any)
			require.NoError(t, cluster.Edit(object.Kind, metadata["namespace"].(string), metadata["name"].(string), "somebody",
				func(object map[string]any) { delete(object["metadata"].(map[string]any), "finalizers") }))
		}
	}
	_, err := stack.DestroyErr()
	require.ErrorContains(t, err, "DependencyViolation")
	var left []string
	for _, resource := range stack.Resources() {
		if resource.Operator {
			left = append(left, resource.Type)
		}
	}
	for _, token := range []string{"aws:ec2/instance:Instance", "aws:ec2/securityGroup:SecurityGroup",
		"aws:ec2/vpcEndpoint:VpcEndpoint",
		"aws:lb/loadBalancer:LoadBalancer"} {
		require.Contains(t, left, token)
	}
}

// operate sets the behaviour of the operators in the stack's management cluster.
func operate(t *testing.T, stack *enginetest.Stack, how offline.Operators) {
	t.Helper()
	for _, cluster := range stack.Clusters() {
		require.NoError(t, cluster.SetOperators(how))
	}
}
