package adopt

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

// withBastion returns the account of a cluster with a bastion. profile is its instance profile, key its key pair.
func withBastion(profile, key string, sshFrom ...string) *fakeAccount {
	a, name := ofHyperShift(), infraID+"-bastion"
	tags := func(name string) map[string]string {
		return map[string]string{"kubernetes.io/cluster/" + infraID: "owned", "Name": name}
	}
	a.add(awstype.Instance, "i-1", tags(name), map[string]any{
		"vpcId":              "vpc-1",
		"subnetId":           "private-us-east-1a",
		"iamInstanceProfile": profile,
		"keyName":            key,
	})
	a.add(awstype.Instance, "i-2", tags("a node"), map[string]any{"vpcId": "vpc-1"})
	a.add(awstype.SecurityGroup, "sg-bastion", tags(name+"-sg"), map[string]any{"vpcId": "vpc-1", "name": name + "-sg"})
	for _, cidr := range sshFrom {
		a.add(awstype.SecurityGroupIngressRule, "sgr-"+cidr, nil, map[string]any{"securityGroupId": "sg-bastion",
			"ipProtocol": "tcp", "fromPort": 22.0, "toPort": 22.0,
			"cidrIpv4": cidr})
	}
	a.add(awstype.KeyPair, name, nil, map[string]any{"keyName": name, "publicKey": publicKey + " " + name + "\n"})
	return a
}

func TestABastionOfAStackIsDescribedWithItsNetworksAndItsKey(t *testing.T) {
	t.Parallel()
	name := infraID + "-bastion"
	_, c, err := look(withBastion(name, ""), documents.Search{})
	require.NoError(t, err)
	require.Equal(t, &network.Bastion{}, c.Network.Bastion)
	require.Contains(t, c.File(takeover.Credentials{}, takeover.Credentials{}), "      bastion: {}\n")

	_, c, err = look(withBastion(name, name, "203.0.113.0/24", "198.51.100.0/24"), documents.Search{})
	require.NoError(t, err)
	require.Equal(t, &network.Bastion{
		SSHCIDRs: []string{"198.51.100.0/24", "203.0.113.0/24"},
		SSHKey:   pulumi.String(publicKey + " " + name),
	}, c.Network.Bastion)
	require.Contains(t, c.File(takeover.Credentials{}, takeover.Credentials{}), `      bastion:
        sshCIDRs: [198.51.100.0/24, 203.0.113.0/24]
        sshKey: `+publicKey+" "+name+"\n")

	_, c, err = look(withBastion(name, name, "0.0.0.0/0"), documents.Search{})
	require.NoError(t, err)
	require.Empty(t, c.Network.Bastion.SSHCIDRs)
	require.Contains(t, c.Unsure["bastion"], "security group sg-bastion also allows SSH from 0.0.0.0/0")
}

func TestABastionOfHyperShiftsCLIIsLeftAloneWithTheReason(t *testing.T) {
	t.Parallel()
	s, c, err := look(withBastion("", infraID+"-bastion", "0.0.0.0/0"), documents.Search{})
	require.NoError(t, err)
	require.Nil(t, c.Network.Bastion)
	require.NotContains(t, c.File(takeover.Credentials{}, takeover.Credentials{}), "bastion")
	require.Len(t, s.Left(), 2)
	for id, label := range map[string]string{"i-1": awstype.Instance, "sg-bastion": awstype.SecurityGroup} {
		require.Equal(t, label, s.Left()[id].Type)
		require.Contains(t, s.Left()[id].Why, "`hypershift destroy bastion aws` deletes it, and network.bastion creates the stack's")
	}
}

func TestAKeyPairIsRecordedWithThePublicKeyOfTheFile(t *testing.T) {
	t.Parallel()
	name := infraID + "-bastion"
	found := inventory.Resource{Type: awstype.KeyPair, ID: name, Tags: map[string]string{"team": "platform"},
		Properties: map[string]any{
			"keyName":   name,
			"publicKey": publicKey + " " + name,
			"keyPairId": "key-1",
			"keyType":   "ed25519",
		}}
	query := func(key string) account.Query {
		return account.Query{Type: awstype.KeyPair, Inputs: map[string]any{"keyName": name, "publicKey": key}}
	}
	f := writtenMatch(t.Context(), ofHyperShift(), query(publicKey+" operator"), found)
	require.Empty(t, f.Refused, "AWS replaces the comment")
	require.Equal(t, publicKey+" operator", f.Outputs["publicKey"])
	require.Equal(t, map[string]any{"team": "platform"}, f.Outputs["tags"])
	require.Equal(t, "key-1", f.Outputs["keyPairId"])

	f = writtenMatch(t.Context(), ofHyperShift(), query("ssh-ed25519 AAAA operator"), found)
	require.Equal(t, `key pair demo-x7k2p-bastion has another public key than sshKey, and AWS cannot change it: set sshKey to "`+publicKey+" "+name+`"`, f.Refused)
}

func TestAVPCWithoutItsFirstRouteTableIsRefused(t *testing.T) {
	t.Parallel()
	q := account.Query{
		Type:   awstype.MainRouteTableAssociation,
		Inputs: map[string]any{"vpcId": "vpc-1", "routeTableId": "rtb-public"},
	}
	a := ofHyperShift()
	f := writtenMatch(t.Context(), a, q, inventory.Resource{ID: "rtbassoc-1"})
	require.Equal(t, "rtb-first", f.Outputs["originalRouteTableId"])
	require.Empty(t, f.Refused)

	for i, r := range a.resources {
		if r.ID == "rtb-first" {
			a.resources[i].Tags = map[string]string{"Name": "someone's"}
		}
	}
	f = writtenMatch(t.Context(), a, q, inventory.Resource{ID: "rtbassoc-1"})
	require.Equal(t, "VPC vpc-1 has no route table without tags and associations, which `destroy` would make its main one again: "+
		"create one with `aws ec2 create-route-table --vpc-id vpc-1`", f.Refused)
}
