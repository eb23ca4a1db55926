package account

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

func TestWhatFiltersPacketsIsListedThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	address := moto.Serve(t, "the network ACLs, attachments and prefix lists of a real account")
	config := moto.Config(address, "ec2", "sts")
	account := NewAWS(config)
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	client := ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.BaseEndpoint = &address })
	vpc, err := client.CreateVpc(t.Context(), &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
	require.NoError(t, err)
	id := vpc.Vpc.VpcId
	subnet, err := client.CreateSubnet(t.Context(), &ec2.CreateSubnetInput{
		VpcId:     id,
		CidrBlock: aws.String("10.0.0.0/24"),
	})
	require.NoError(t, err)

	acls, err := account.List(t.Context(), Query{Type: awstype.NetworkACL, Inputs: map[string]any{"vpcId": *id}})
	require.NoError(t, err)
	require.Len(t, acls, 1)
	require.Equal(t, []string{*subnet.Subnet.SubnetId}, Texts(acls[0], "subnetIds"))
	_, err = client.CreateNetworkAclEntry(t.Context(), &ec2.CreateNetworkAclEntryInput{NetworkAclId: &acls[0].ID,
		RuleNumber: aws.Int32(90), Egress: aws.Bool(true),
		Protocol: aws.String("6"), RuleAction: ec2types.RuleActionDeny, CidrBlock: aws.String("8.8.8.0/24"),
		PortRange: &ec2types.PortRange{From: aws.Int32(443), To: aws.Int32(443)}})
	require.NoError(t, err)
	acls, err = account.List(t.Context(), Query{Type: awstype.NetworkACL, Inputs: map[string]any{"vpcId": *id}})
	require.NoError(t, err)
	require.Contains(t, acls[0].Properties["rules"], map[string]any{"egress": true, "number": 90.0, "action": "deny",
		"protocol": "6", "cidrBlock": "8.8.8.0/24",
		"fromPort": 443.0, "toPort": 443.0})

	gateway, err := client.CreateTransitGateway(t.Context(), &ec2.CreateTransitGatewayInput{})
	require.NoError(t, err)
	_, err = client.CreateTransitGatewayVpcAttachment(t.Context(),
		&ec2.CreateTransitGatewayVpcAttachmentInput{TransitGatewayId: gateway.TransitGateway.TransitGatewayId,
			VpcId: id, SubnetIds: []string{*subnet.Subnet.SubnetId}})
	require.NoError(t, err)
	attachments, err := account.List(t.Context(), Query{
		Type:   awstype.TransitGatewayAttachment,
		Inputs: map[string]any{"vpcId": *id},
	})
	require.NoError(t, err)
	require.Len(t, attachments, 1)
	require.Equal(t, *gateway.TransitGateway.TransitGatewayId, attachments[0].Text("transitGatewayId"))
	require.Equal(t, []string{*subnet.Subnet.SubnetId}, Texts(attachments[0], "subnetIds"))
	require.Equal(t, "available", attachments[0].State)

	list, err := client.CreateManagedPrefixList(t.Context(),
		&ec2.CreateManagedPrefixListInput{PrefixListName: aws.String("offices"), MaxEntries: aws.Int32(5),
			AddressFamily: aws.String("IPv4"), Entries: []ec2types.AddPrefixListEntry{{Cidr: aws.String("192.0.2.0/24")}}})
	require.NoError(t, err)
	lists, err := account.List(t.Context(), Query{Type: awstype.PrefixList, IDs: []string{*list.PrefixList.PrefixListId}})
	require.NoError(t, err)
	require.Equal(t, []string{"192.0.2.0/24"}, Texts(lists[0], "entries"))
}
