package awsresources

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// participating is an account with which another one shares a VPC.
type participating struct{ listing }

func (participating) Place(context.Context) (inventory.Place, error) {
	return inventory.Place{Partition: "aws", Account: "222222222222", Region: "us-east-1"}, nil
}

func TestResidentsOfAVPCAreWhatNeitherTheStackNorTheClusterNorAWSMadeInIt(t *testing.T) {
	t.Parallel()
	own := owning(t, map[string]any{"urn": "urn:pulumi:s::p::" + awstype.VPC + "::vpc", "custom": true, "id": "vpc-1",
		"type": awstype.VPC, "inputs": map[string]any{"tags": map[string]any{"kubernetes.io/cluster/demo": "owned"}},
		"outputs": map[string]any{"defaultRouteTableId": "rtb-main"}},
		map[string]any{"urn": "urn:pulumi:s::p::" + awstype.NATGateway + "::nat", "custom": true, "id": "nat-1",
			"type": awstype.NATGateway, "outputs": map[string]any{"networkInterfaceId": "eni-nat"}})
	in := func(r inventory.Resource) inventory.Resource {
		r.VPC = "vpc-1"
		return r
	}
	tagged := map[string]string{"kubernetes.io/cluster/demo": "owned"}
	participant := participating{listing{found: []inventory.Resource{
		in(inventory.Resource{Type: awstype.Instance, ID: "i-node", Tags: tagged}),
		in(inventory.Resource{Type: awstype.LoadBalancer, ID: "arn:aws:elb:loadbalancer/net/apps/1", Tags: tagged}),
		in(inventory.Resource{Type: awstype.RouteTable, ID: "rtb-of-the-owner"}),
	}}}
	owner := listing{
		found: []inventory.Resource{
			in(inventory.Resource{Type: awstype.Instance, ID: "i-node"}), // the VPC's owner sees no tags of participants
			in(inventory.Resource{Type: awstype.LoadBalancer, ID: "arn:aws:elb:loadbalancer/net/theirs/2"}),
			in(inventory.Resource{Type: awstype.RouteTable, ID: "rtb-main"}),
			in(inventory.Resource{Type: awstype.SecurityGroup, ID: "sg-default", DeletedWith: "its VPC"}),
			{Type: awstype.Instance, ID: "i-elsewhere", VPC: "vpc-2"},
			in(inventory.Resource{Type: awstype.NetworkInterface, ID: "eni-nat"}),
			in(inventory.Resource{Type: awstype.NetworkInterface, ID: "eni-node", UsedBy: []string{"i-node"}}),
			in(inventory.Resource{Type: awstype.NetworkInterface, ID: "eni-apps", Description: "ELB net/apps/1"}),
			in(inventory.Resource{
				Type:        awstype.NetworkInterface,
				ID:          "eni-nat2",
				Description: "Interface for NAT Gateway nat-1",
			}),
			in(inventory.Resource{
				Type:        awstype.NetworkInterface,
				ID:          "eni-efs",
				Description: "EFS mount target for fs-1 (fsmt-1)",
			}),
		},
		denied: map[string]error{awstype.VPCPeering: errors.New("denied")},
	}
	found, unread := Residents(t.Context(), own.Resources[0].ResourceV3, own,
		map[string]account.Account{"": owner, "b": participant})
	theirs, clusters := []string{}, []string{}
	for _, r := range found {
		if r.Cluster {
			clusters = append(clusters, r.ID)
		} else {
			theirs = append(theirs, r.ID)
		}
	}
	require.Equal(t, []string{"arn:aws:elb:loadbalancer/net/theirs/2", "eni-efs"}, theirs)
	require.Equal(t, []string{"i-node", "arn:aws:elb:loadbalancer/net/apps/1"}, clusters)
	require.Len(t, unread, 1)
	require.ErrorContains(t, unread[0], "VPC peering connection")
}
