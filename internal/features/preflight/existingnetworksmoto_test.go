package preflight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	ownprops "github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// motoNetwork is a network in an account of moto, created from the one in the offline account.
type motoNetwork struct {
	*moto.Account
	t *testing.T
	// ids maps the offline account's IDs to moto's.
	ids map[string]string
}

// TestAnExistingNetworkIsJudgedUsedAndLeftAsItWasThroughAWSsAPI: each network of the matrix exists in an account of
// moto, where this program's own clients read it. Preflight's comparison and paths report there what they report
// offline, the tags that up sets offline are all that is missing there, and without them the network is what it was.
// The stack's resources themselves are created by Pulumi's provider, which is not part of this test.
func TestAnExistingNetworkIsJudgedUsedAndLeftAsItWasThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	provider := moto.Config(moto.Serve(t, "given networks through AWS's SDK"), "ec2", "sts")
	provider["maxRetries"] = 5
	for name, given := range sizes.Only(t, existingNetworks(), "subnets that get tags") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := given.config()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, text)})
			stack.Configure(text)
			_, _ = stack.PreviewErr(optpreview.Message("the provider's first use creates the seeds"))
			if given.change != nil {
				require.NoError(t, stack.Accounts()[0].Transact(func(tx *aws.Tx) error { given.change(tx); return nil }))
			}
			offline, real := stack.Account(map[string]any{"region": stackfile.SeededRegion}), account.NewAWS(provider)
			m := &motoNetwork{Account: moto.NewAccount(t, provider), t: t, ids: map[string]string{}}
			m.create(offline, readNetwork(t, offline, stackfile.OwnersVPC))
			vpc, private, public := m.ids[stackfile.OwnersVPC], m.ids[stackfile.SeededPrivate], m.ids[stackfile.SeededPublic]

			require.Equal(t, differencesIn(t, offline, text), m.back(differencesIn(t, real, m.here(text))))
			before := readNetwork(t, real, vpc)
			path := wayOut(t, readNetwork(t, offline, stackfile.OwnersVPC), stackfile.OwnersVPC, stackfile.SeededPrivate,
				stackfile.SeededPublic)
			require.Equal(t, []string{path}, m.back([]string{wayOut(t, before, vpc, private, public)}))
			if given.refused == "" {
				require.True(t, strings.HasPrefix(path, given.path), path)
			}

			// What up sets and destroy removes, as Pulumi's provider calls AWS.
			for _, tag := range given.tags {
				id, key, _ := strings.Cut(tag, " ")
				m.tag(m.ids[id], key)
			}
			if len(given.tags) > 0 {
				require.NotContains(t, strings.Join(differencesIn(t, real,
					m.here(strings.Replace(text, ", tagSubnets: true", "", 1))), "\n"), "no tag")
				require.NotEqual(t, before, readNetwork(t, real, vpc))
			}
			for _, tag := range given.tags {
				id, key, _ := strings.Cut(tag, " ")
				_, err := m.Compute.DeleteTags(t.Context(), &ec2.DeleteTagsInput{
					Resources: []string{m.ids[id]},
					Tags:      []ec2types.Tag{{Key: &key}},
				})
				require.NoError(t, err)
			}
			require.Equal(t, before, readNetwork(t, real, vpc))
		})
	}
}

// here returns a text with moto's IDs, and back texts with the offline account's.
func (m *motoNetwork) here(text string) string {
	for offline, here := range m.ids {
		text = strings.ReplaceAll(text, offline, here)
	}
	return text
}

func (m *motoNetwork) back(texts []string) []string {
	changed := slices.Clone(texts)
	for i := range changed {
		for offline, here := range m.ids {
			changed[i] = strings.ReplaceAll(changed[i], here, offline)
		}
	}
	slices.Sort(changed)
	return changed
}

func (m *motoNetwork) tag(id, key string) {
	m.t.Helper()
	_, err := m.Compute.CreateTags(m.t.Context(), &ec2.CreateTagsInput{
		Resources: []string{id},
		Tags:      []ec2types.Tag{{Key: &key, Value: sdk.String("1")}},
	})
	require.NoError(m.t, err)
}

// answered returns the answer of a call that cannot fail.
func answered[T any](t *testing.T) func(T, error) T {
	return func(answer T, err error) T {
		t.Helper()
		require.NoError(t, err)
		return answer
	}
}

// create creates the network's resources, those first to which others refer.
func (m *motoNetwork) create(offline account.Account, resources []ownprops.Resource) {
	m.t.Helper()
	ctx, of := m.t.Context(), map[string][]ownprops.Resource{}
	for _, r := range resources {
		of[r.Type] = append(of[r.Type], r)
	}
	vpc := of[awstype.VPC][0]
	made := answered[*ec2.CreateVpcOutput](m.t)(m.Compute.CreateVpc(ctx, &ec2.CreateVpcInput{
		CidrBlock: sdk.String(vpc.String("cidrBlock")),
	})).Vpc.VpcId
	m.ids[vpc.ID] = *made
	support, hostnames, err := offline.VPCAttributes(ctx, vpc.ID)
	require.NoError(m.t, err)
	for _, attribute := range []*ec2.ModifyVpcAttributeInput{{
		EnableDnsSupport: &ec2types.AttributeBooleanValue{Value: &support},
	},
		{EnableDnsHostnames: &ec2types.AttributeBooleanValue{Value: &hostnames}}} {
		attribute.VpcId = made
		_, err := m.Compute.ModifyVpcAttribute(ctx, attribute)
		require.NoError(m.t, err)
	}
	m.dhcp(offline, vpc, made)
	for _, r := range of[awstype.Subnet] {
		input := &ec2.CreateSubnetInput{
			VpcId:            made,
			CidrBlock:        sdk.String(r.String("cidrBlock")),
			AvailabilityZone: sdk.String(r.String("availabilityZone")),
		}
		m.ids[r.ID] = *answered[*ec2.CreateSubnetOutput](m.t)(m.Compute.CreateSubnet(ctx, input)).Subnet.SubnetId
	}
	for _, r := range of[awstype.InternetGateway] {
		m.ids[r.ID] = *answered[*ec2.CreateInternetGatewayOutput](m.t)(m.Compute.CreateInternetGateway(ctx,
			&ec2.CreateInternetGatewayInput{})).InternetGateway.InternetGatewayId
		_, err := m.Compute.AttachInternetGateway(ctx, &ec2.AttachInternetGatewayInput{
			InternetGatewayId: sdk.String(m.ids[r.ID]),
			VpcId:             made,
		})
		require.NoError(m.t, err)
	}
	for _, r := range of[awstype.TransitGatewayAttachment] {
		gateway := answered[*ec2.CreateTransitGatewayOutput](m.t)(m.Compute.CreateTransitGateway(ctx,
			&ec2.CreateTransitGatewayInput{})).TransitGateway.TransitGatewayId
		m.ids[r.String("transitGatewayId")] = *gateway
		input := &ec2.CreateTransitGatewayVpcAttachmentInput{
			TransitGatewayId: gateway,
			VpcId:            made,
			SubnetIds:        m.all(r.Strings("subnetIds")),
		}
		attachment := answered[*ec2.CreateTransitGatewayVpcAttachmentOutput](m.t)(
			m.Compute.CreateTransitGatewayVpcAttachment(ctx, input)).TransitGatewayVpcAttachment
		m.ids[r.ID] = *attachment.TransitGatewayAttachmentId
	}
	for _, r := range of[awstype.PrefixList] {
		input := &ec2.CreateManagedPrefixListInput{
			PrefixListName: &r.ID,
			MaxEntries:     sdk.Int32(5),
			AddressFamily:  sdk.String("IPv4"),
		}
		for _, entry := range r.Strings("entries") {
			input.Entries = append(input.Entries, ec2types.AddPrefixListEntry{Cidr: &entry})
		}
		m.ids[r.ID] = *answered[*ec2.CreateManagedPrefixListOutput](m.t)(m.Compute.CreateManagedPrefixList(ctx,
			input)).PrefixList.PrefixListId
	}
	for _, r := range of[awstype.VPCEndpoint] {
		m.endpoint(r, made)
	}
	for _, r := range of[awstype.RouteTable] {
		m.routes(r, made)
	}
	for _, r := range of[awstype.NetworkACL] {
		m.acl(r, made)
	}
}

// all returns moto's IDs of the resources.
func (m *motoNetwork) all(ids []string) []string {
	here := make([]string, len(ids))
	for i, id := range ids {
		here[i] = m.ids[id]
	}
	return here
}

// dhcp creates the VPC's DHCP options if they are not AWS's.
func (m *motoNetwork) dhcp(offline account.Account, vpc ownprops.Resource, made *string) {
	m.t.Helper()
	found, err := offline.List(m.t.Context(), account.Query{
		Type: awstype.DHCPOptions,
		IDs:  []string{vpc.String("dhcpOptionsId")},
	})
	if err != nil || len(found) == 0 || slices.Equal(account.Texts(found[0], "domainNameServers"),
		[]string{"AmazonProvidedDNS"}) {
		return
	}
	options := answered[*ec2.CreateDhcpOptionsOutput](m.t)(m.Compute.CreateDhcpOptions(m.t.Context(),
		&ec2.CreateDhcpOptionsInput{DhcpConfigurations: []ec2types.NewDhcpConfiguration{
			{
				Key:    sdk.String("domain-name-servers"),
				Values: account.Texts(found[0], "domainNameServers"),
			}}})).DhcpOptions.DhcpOptionsId
	_, err = m.Compute.AssociateDhcpOptions(m.t.Context(), &ec2.AssociateDhcpOptionsInput{
		DhcpOptionsId: options,
		VpcId:         made,
	})
	require.NoError(m.t, err)
}

func (m *motoNetwork) endpoint(r ownprops.Resource, vpc *string) {
	m.t.Helper()
	input := &ec2.CreateVpcEndpointInput{VpcId: vpc, ServiceName: sdk.String(r.String("serviceName")),
		VpcEndpointType: ec2types.VpcEndpointType(r.String("vpcEndpointType")),
		SubnetIds:       m.all(r.Strings("subnetIds"))}
	for key, value := range r.Object("tags") {
		input.TagSpecifications = []ec2types.TagSpecification{{
			ResourceType: ec2types.ResourceTypeVpcEndpoint,
			Tags:         []ec2types.Tag{{Key: &key, Value: sdk.String(fmt.Sprint(value))}},
		}}
	}
	m.ids[r.ID] = *answered[*ec2.CreateVpcEndpointOutput](m.t)(m.Compute.CreateVpcEndpoint(m.t.Context(),
		input)).VpcEndpoint.VpcEndpointId
}

// routes creates a route table with its routes, or adds the routes to the VPC's main table.
func (m *motoNetwork) routes(r ownprops.Resource, vpc *string) {
	m.t.Helper()
	ctx := m.t.Context()
	main := slices.ContainsFunc(r.Objects("associations"), func(a ownprops.Map) bool { return a.Bool("main") })
	var table *string
	if main {
		table = answered[*ec2.DescribeRouteTablesOutput](m.t)(m.Compute.DescribeRouteTables(ctx,
			&ec2.DescribeRouteTablesInput{Filters: []ec2types.Filter{
				{Name: sdk.String("vpc-id"), Values: []string{*vpc}},
				{Name: sdk.String("association.main"), Values: []string{"true"}}}})).RouteTables[0].RouteTableId
	} else {
		table = answered[*ec2.CreateRouteTableOutput](m.t)(m.Compute.CreateRouteTable(ctx,
			&ec2.CreateRouteTableInput{VpcId: vpc})).RouteTable.RouteTableId
	}
	m.ids[r.ID] = *table
	for _, association := range r.Objects("associations") {
		if subnet := association.String("subnetId"); subnet != "" {
			_, err := m.Compute.AssociateRouteTable(ctx, &ec2.AssociateRouteTableInput{
				RouteTableId: table,
				SubnetId:     sdk.String(m.ids[subnet]),
			})
			require.NoError(m.t, err)
		}
	}
	for _, route := range r.Objects("routes") {
		if route.String("gatewayId") == "local" {
			continue
		}
		input := &ec2.CreateRouteInput{RouteTableId: table}
		if cidr := route.String("destinationCidrBlock"); cidr != "" {
			input.DestinationCidrBlock = &cidr
		} else {
			input.DestinationPrefixListId = sdk.String(m.ids[route.String("destinationPrefixListId")])
		}
		m.target(input, route, vpc)
		_, err := m.Compute.CreateRoute(ctx, input)
		require.NoError(m.t, err)
	}
}

// target sets the target of a route, which is created unless it is part of the network.
func (m *motoNetwork) target(input *ec2.CreateRouteInput, route ownprops.Map, vpc *string) {
	m.t.Helper()
	ctx := m.t.Context()
	gateway := route.String("gatewayId") + route.String("vpcEndpointId")
	switch id := gateway + route.String("transitGatewayId") + route.String("vpcPeeringConnectionId") +
		route.String("networkInterfaceId"); {
	case strings.HasPrefix(id, "vgw-"):
		m.ids[id] = *answered[*ec2.CreateVpnGatewayOutput](m.t)(m.Compute.CreateVpnGateway(ctx, &ec2.CreateVpnGatewayInput{
			Type: ec2types.GatewayTypeIpsec1,
		})).VpnGateway.VpnGatewayId
		_, err := m.Compute.AttachVpnGateway(ctx, &ec2.AttachVpnGatewayInput{VpcId: vpc, VpnGatewayId: sdk.String(m.ids[id])})
		require.NoError(m.t, err)
		input.GatewayId = sdk.String(m.ids[id])
	case gateway != "": // AWS shows an endpoint as the gateway of a route
		input.GatewayId = sdk.String(m.ids[id])
	case strings.HasPrefix(id, "tgw-"):
		input.TransitGatewayId = sdk.String(m.ids[id])
	case strings.HasPrefix(id, "pcx-"):
		peer := answered[*ec2.CreateVpcOutput](m.t)(m.Compute.CreateVpc(ctx, &ec2.CreateVpcInput{
			CidrBlock: sdk.String("192.168.0.0/16"),
		})).Vpc.VpcId
		connection := &ec2.CreateVpcPeeringConnectionInput{VpcId: vpc, PeerVpcId: peer}
		m.ids[id] = *answered[*ec2.CreateVpcPeeringConnectionOutput](m.t)(m.Compute.CreateVpcPeeringConnection(ctx,
			connection)).VpcPeeringConnection.VpcPeeringConnectionId
		input.VpcPeeringConnectionId = sdk.String(m.ids[id])
	case strings.HasPrefix(id, "eni-"):
		side := &ec2.CreateNetworkInterfaceInput{SubnetId: sdk.String(m.ids[stackfile.SeededPublic])}
		m.ids[id] = *answered[*ec2.CreateNetworkInterfaceOutput](m.t)(m.Compute.CreateNetworkInterface(ctx,
			side)).NetworkInterface.NetworkInterfaceId
		input.NetworkInterfaceId = sdk.String(m.ids[id])
	default:
		require.Fail(m.t, "the test has no way to create the target of a route", "%v", route)
	}
}

// acl creates a network ACL with its rules for its subnets. Those of the default one are the same in each account.
func (m *motoNetwork) acl(r ownprops.Resource, vpc *string) {
	m.t.Helper()
	ctx := m.t.Context()
	own := answered[*ec2.DescribeNetworkAclsOutput](m.t)(m.Compute.DescribeNetworkAcls(ctx,
		&ec2.DescribeNetworkAclsInput{Filters: []ec2types.Filter{
			{Name: sdk.String("vpc-id"), Values: []string{*vpc}}}})).NetworkAcls
	if r.ID != stackfile.GivenACL {
		i := slices.IndexFunc(own, func(a ec2types.NetworkAcl) bool { return sdk.ToBool(a.IsDefault) })
		m.ids[r.ID] = *own[i].NetworkAclId
		return
	}
	made := answered[*ec2.CreateNetworkAclOutput](m.t)(m.Compute.CreateNetworkAcl(ctx,
		&ec2.CreateNetworkAclInput{VpcId: vpc})).NetworkAcl.NetworkAclId
	m.ids[r.ID] = *made
	for _, rule := range r.Objects("rules") {
		_, err := m.Compute.CreateNetworkAclEntry(ctx, &ec2.CreateNetworkAclEntryInput{NetworkAclId: made,
			RuleNumber: sdk.Int32(int32(rule.Number("number"))),
			Egress:     sdk.Bool(rule.Bool("egress")), Protocol: sdk.String(rule.String("protocol")),
			RuleAction: ec2types.RuleAction(rule.String("action")),
			CidrBlock:  sdk.String(rule.String("cidrBlock")),
			PortRange: &ec2types.PortRange{
				From: sdk.Int32(int32(rule.Number("fromPort"))),
				To:   sdk.Int32(int32(rule.Number("toPort"))),
			}})
		require.NoError(m.t, err)
	}
	for _, subnet := range m.all(r.Strings("subnetIds")) {
		for _, acl := range own {
			for _, association := range acl.Associations {
				if sdk.ToString(association.SubnetId) == subnet {
					_, err := m.Compute.ReplaceNetworkAclAssociation(ctx, &ec2.ReplaceNetworkAclAssociationInput{
						AssociationId: association.NetworkAclAssociationId,
						NetworkAclId:  made,
					})
					require.NoError(m.t, err)
				}
			}
		}
	}
}
