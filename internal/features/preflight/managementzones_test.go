package preflight

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// node returns a node of a management cluster. Without a zone it has no label of one, and with roles their labels.
func node(providerID, zone string, roles ...string) map[string]any {
	labels := map[string]any{}
	if zone != "" {
		labels["topology.kubernetes.io/zone"] = zone
	}
	for _, role := range roles {
		labels["node-role.kubernetes.io/"+role] = ""
	}
	return map[string]any{
		"metadata": map[string]any{"name": "node-" + zone, "labels": labels},
		"spec":     map[string]any{"providerID": providerID},
	}
}

// TestTheManagementClustersVPCHasToCoverTheZonesOfTheRegion: a private hosted cluster in another zone has no endpoint
// of its API server.
func TestTheManagementClustersVPCHasToCoverTheZonesOfTheRegion(t *testing.T) {
	t.Parallel()
	const byHand = "compare the zones of its subnets and of its nodes (`kubectl get nodes -L topology.kubernetes.io/zone`) with those of the region"
	resource := func(token, id, vpc, zone string) inventory.Resource {
		return inventory.Resource{Type: token, ID: id, Properties: map[string]any{"vpcId": vpc, "availabilityZone": zone}}
	}
	// in returns the account of a VPC with subnets in zones, of an instance in each of three zones, and of a VPC that is
	// not the cluster's.
	in := func(zones ...string) parts {
		list := []inventory.Resource{resource(awstype.Subnet, "subnet-other", "vpc-2", "us-east-1c")}
		for _, zone := range zones {
			list = append(list, resource(awstype.Subnet, "subnet-"+zone, "vpc-1", zone))
		}
		return parts{
			fake: fake{zones: []account.Zone{
				{Name: "us-east-1a", ID: "use1-az6", OptedIn: true, Available: true},
				{Name: "us-east-1b", ID: "use1-az1", OptedIn: true, Available: true},
				{Name: "us-east-1c", ID: "use1-az2", OptedIn: true, Available: true},
				{Name: "us-east-1d", ID: "use1-az9", Available: true},
				{Name: "us-east-1-bos-1a", ID: "use1-bos1-az1", OptedIn: true, Available: true},
			}},
			byType: map[string][]inventory.Resource{awstype.Subnet: list, awstype.Instance: {
				resource(awstype.Instance, "i-0a", "vpc-1", ""), resource(awstype.Instance, "i-0b", "vpc-1", ""),
				resource(awstype.Instance, "i-0c", "vpc-1", ""),
				resource(awstype.Instance, "i-0f", "vpc-2", ""),
			}},
		}
	}
	all := in("us-east-1a", "us-east-1b", "us-east-1c")
	a, b, c := node("aws:///us-east-1a/i-0a",
		"us-east-1a"), node("aws:///us-east-1b/i-0b", "us-east-1b", "worker"), node("aws:///us-east-1c/i-0c", "us-east-1c")
	withoutZones, withoutInstances := all, all
	withoutZones.denied = map[string]error{"Zones": accessDenied("EC2", "DescribeAvailabilityZones")}
	withoutInstances.unreadable = awstype.Instance
	for name, test := range map[string]struct {
		account account.Account
		nodes   []map[string]any
		err     error
		want    []string
	}{
		"all zones": {account: all, nodes: []map[string]any{a, b, c},
			want: []string{"passes vpc-1 (111111111111 us-east-1): the management cluster has subnets and workers in all 3 zones of the region"}},
		"a zone without a subnet": {account: in("us-east-1a", "us-east-1b"), nodes: []map[string]any{a, b},
			want: []string{"warns us-east-1c (use1-az2) (111111111111 us-east-1): vpc-1, the management cluster's VPC, has no subnet in it: private hosted clusters in this zone " +
				"get no endpoint of their API server; create a subnet and a worker there, or place no private hosted clusters in use1-az2"}},
		"a zone without a worker": {account: all, nodes: []map[string]any{a, b},
			want: []string{"warns us-east-1c (use1-az2) (111111111111 us-east-1): the management cluster has a subnet, but no worker in it: private hosted clusters in this zone " +
				"may get no endpoint of their API server that works; add a worker there, or place no private hosted clusters in use1-az2"}},
		"a zone with the control plane alone": {account: all, nodes: []map[string]any{
			node("aws:///us-east-1a/i-0a", "us-east-1a", "control-plane"),
			node("aws:///us-east-1b/i-0b", "us-east-1b", "master"),
			node("aws:///us-east-1c/i-0c", "us-east-1c", "control-plane", "master", "worker"),
		}, want: []string{
			"warns us-east-1a (use1-az6) (111111111111 us-east-1): the management cluster has a subnet, but no worker in it: private hosted clusters in this zone " +
				"may get no endpoint of their API server that works; add a worker there, or place no private hosted clusters in use1-az6",
			"warns us-east-1b (use1-az1) (111111111111 us-east-1): the management cluster has a subnet, but no worker in it: private hosted clusters in this zone " +
				"may get no endpoint of their API server that works; add a worker there, or place no private hosted clusters in use1-az1"}},
		"no permission to list nodes": {account: all,
			err: fmt.Errorf("listing: %w", apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", nil)),
			want: []string{"warns subnets and workers (111111111111 us-east-1): not checked: the user of the kubeconfig may not list Nodes; " +
				"allow it to list Nodes, or " + byHand}},
		"no permission to list instances": {account: withoutInstances, nodes: []map[string]any{a, b, c},
			want: []string{"warns subnets and workers (111111111111 us-east-1): not checked: the caller may not call ec2:DescribeVpcs; " +
				"allow ec2:DescribeVpcs, or check it manually; `hypershift-aws permissions --preflight` prints all actions of the checks"}},
		"no permission to list zones": {account: withoutZones, nodes: []map[string]any{a, b, c},
			want: []string{"warns vpc-1 (111111111111 us-east-1): not checked: the caller may not call ec2:DescribeAvailabilityZones; " +
				"allow ec2:DescribeAvailabilityZones, or check it manually; `hypershift-aws permissions --preflight` prints all actions of the checks"}},
		"another platform": {account: all, nodes: []map[string]any{node("gce://project/us-east1-b/one", "us-east1-b")},
			want: []string{`warns subnets and workers (111111111111 us-east-1): not checked: the nodes are not EC2 instances: node-us-east1-b has the provider ID ` +
				`"gce://project/us-east1-b/one"; ` + byHand}},
		"a node that is no instance beside those": {account: all,
			nodes: []map[string]any{node("aws:///us-east-1a/0f/fargate-ip-10-0-0-1", "us-east-1a"), a, b, c},
			want:  []string{"passes vpc-1 (111111111111 us-east-1): the management cluster has subnets and workers in all 3 zones of the region"}},
		"another account": {account: all, nodes: []map[string]any{node("aws:///us-east-1a/i-0d",
			"us-east-1a"), node("aws:///us-east-1b/i-0e", "us-east-1b")},
			want: []string{"warns subnets and workers (111111111111 us-east-1): not checked: the nodes are in another account or region, this one has no instance i-0d; " + byHand}},
		"two VPCs": {account: all, nodes: []map[string]any{a, node("aws:///us-east-1b/i-0f", "us-east-1b")},
			want: []string{"warns subnets and workers (111111111111 us-east-1): not checked: the nodes are in several VPCs: vpc-1, vpc-2; " + byHand}},
		"a node without the label": {account: all, nodes: []map[string]any{a, b, node("aws:///us-east-1c/i-0c", "")},
			want: []string{"passes vpc-1 (111111111111 us-east-1): the management cluster has subnets and workers in all 3 zones of the region"}},
		"a node without any zone": {account: all, nodes: []map[string]any{a, b, node("aws:////i-0c", "")},
			want: []string{"warns subnets and workers (111111111111 us-east-1): not checked: the node node- has no label topology.kubernetes.io/zone; " + byHand}},
		"no nodes":              {account: all},
		"a stack of no account": {nodes: []map[string]any{a}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := fakeCluster{nodes: test.nodes, nodesErr: test.err}
			var lines []string
			for _, f := range CheckCluster(t.Context(), cluster, ClusterPlan{
				CheckIdentity: func(context.Context) error { return nil }, Account: test.account, Place: here,
			}) {
				if f.Check == ManagementZones {
					lines = append(lines, fmt.Sprintf("%s %s", f.Severity.Verdict(), f.String()))
				}
			}
			require.Equal(t, test.want, lines)
		})
	}
}
