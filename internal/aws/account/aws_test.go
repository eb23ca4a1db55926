package account

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// throughMoto returns an account whose API moto serves, its clients, and moto's address.
func throughMoto(t *testing.T) (*realAccount, *clients, string) {
	t.Helper()
	address := moto.Serve(t, "the search of a real account")
	account := NewAWS(moto.Config(address, "ec2", "elb", "elbv2", "events", "iam", "kms", "logs", "route53", "s3", "sqs",
		"sts", "resourcegroupstaggingapi")).(*realAccount)
	clients, err := account.clients(t.Context())
	require.NoError(t, err)
	return account, clients, address
}

// TestListsSendNoOtherRequestsThanTheirRecordsDeclareThroughAWSsAPI: the policies for preflight and sweep consist of
// what records declare.
func TestListsSendNoOtherRequestsThanTheirRecordsDeclareThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	account, clients, _ := throughMoto(t)
	_, err := clients.elbv2.CreateTargetGroup(t.Context(), &elbv2.CreateTargetGroupInput{
		Name: aws.String("demo"), TargetType: "lambda"})
	require.NoError(t, err)
	_, err = clients.iam.CreateRole(t.Context(), &iam.CreateRoleInput{
		RoleName:                 aws.String("demo"),
		AssumeRolePolicyDocument: aws.String("{}"),
	})
	require.NoError(t, err)
	_, err = clients.iam.CreateInstanceProfile(t.Context(), &iam.CreateInstanceProfileInput{
		InstanceProfileName: aws.String("demo"),
	})
	require.NoError(t, err)
	_, err = clients.iam.CreateOpenIDConnectProvider(t.Context(), &iam.CreateOpenIDConnectProviderInput{
		Url: aws.String("https://issuer.example.com/demo"), ThumbprintList: []string{strings.Repeat("a", 40)}})
	require.NoError(t, err)
	zone, err := clients.route53.CreateHostedZone(t.Context(), &route53.CreateHostedZoneInput{
		Name:            aws.String("example.com"),
		CallerReference: aws.String("demo"),
	})
	require.NoError(t, err)

	var sent []string
	account.config.APIOptions = append(account.config.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("test/sent",
			func(
				ctx context.Context,
				in middleware.InitializeInput,
				next middleware.InitializeHandler,
			) (middleware.InitializeOutput, middleware.Metadata, error) {
				sent = append(sent, actionOf(awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)))
				return next.HandleInitialize(ctx, in)
			}), middleware.After)
	})
	for token := range listers() {
		reads := awstype.ReadsOf(token)
		if len(reads.List) == 0 { // a part of another type, or a type that is only looked up by its name
			continue
		}
		var inputs map[string]any
		if token == awstype.Record {
			inputs = map[string]any{"zoneId": zoneID(zone.HostedZone.Id)}
		}
		sent = nil
		_, err := account.List(t.Context(), Query{Type: token, Inputs: inputs})
		require.NoError(t, err, token)
		require.NotEmpty(t, sent, token)
		require.Subset(t, reads.List, sent, token)
		sent = nil
		_, err = account.List(t.Context(), Query{Type: token, Inputs: inputs, Complete: true})
		require.NoError(t, err, token)
		require.Subset(t, reads.Lists(), sent, token)
	}
	for token, input := range map[string]string{
		awstype.Bucket: "bucket", awstype.Role: "name", awstype.InstanceProfile: "name", awstype.User: "name",
		awstype.KMSAlias: "name", awstype.HostedZone: "name",
		awstype.OIDCProvider: "url",
	} {
		sent = nil
		_, err := account.List(t.Context(), Query{Type: token, Inputs: map[string]any{input: "demo"}})
		require.NoError(t, err, token)
		require.Subset(t, awstype.ReadsOf(token).Named, sent, token)
	}
}

// actionOf returns the IAM action of a request.
func actionOf(service, operation string) string {
	prefix := map[string]string{"Elastic Load Balancing": "elasticloadbalancing",
		"Elastic Load Balancing v2":   "elasticloadbalancing",
		"Resource Groups Tagging API": "tag", "Route 53": "route53"}[service]
	operation = cmp.Or(map[string]string{
		"ListBuckets": "ListAllMyBuckets",
		"HeadBucket":  "ListBucket",
	}[operation], operation)
	return cmp.Or(prefix, strings.ToLower(service)) + ":" + operation
}

// TestResourcesAreFoundByTagsNamesAndVPCsThroughAWSsAPI runs against moto, because it tests against AWS's API.
func TestResourcesAreFoundByTagsNamesAndVPCsThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	account, clients, address := throughMoto(t)
	compute, names := clients.ec2, clients.route53

	place, err := account.Place(t.Context())
	require.NoError(t, err)
	require.Equal(t, inventory.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"}, place)

	vpc := func(tags ...string) string {
		var list []ec2types.Tag
		for i := 0; i < len(tags); i += 2 {
			list = append(list, ec2types.Tag{Key: &tags[i], Value: &tags[i+1]})
		}
		made, err := compute.CreateVpc(t.Context(), &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16"),
			TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeVpc, Tags: list}}})
		require.NoError(t, err)
		return aws.ToString(made.Vpc.VpcId)
	}
	ours := vpc("Name", "demo-vpc", "infra-id", "demo-x1", "more", "than asked for")
	vpc("Name", "demo-vpc", "infra-id", "other")
	vpc("Name", "demo-vpc")

	query := Query{
		Type:   "aws:ec2/vpc:Vpc",
		Inputs: map[string]any{"tags": map[string]any{"Name": "demo-vpc", "infra-id": "demo-x1"}},
	}
	found, err := account.Find(t.Context(), query)
	require.NoError(t, err)
	require.Equal(t, []string{ours}, IDs(found))

	subnet := query
	subnet.Type = "aws:ec2/subnet:Subnet"
	found, err = account.Find(t.Context(), subnet)
	require.NoError(t, err)
	require.Empty(t, found, "tags of another type")

	block, err := compute.AssociateVpcCidrBlock(t.Context(), &ec2.AssociateVpcCidrBlockInput{
		VpcId:     &ours,
		CidrBlock: aws.String("10.1.0.0/16"),
	})
	require.NoError(t, err)
	found, err = account.Find(t.Context(), Query{
		Type:   awstype.SecondaryCIDR,
		Inputs: map[string]any{"vpcId": ours, "cidrBlock": "10.1.0.0/16"},
	})
	require.NoError(t, err)
	require.Equal(t, []string{aws.ToString(block.CidrBlockAssociation.AssociationId)}, IDs(found))

	group, err := compute.CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{
		GroupName:   aws.String("g"),
		Description: aws.String("g"),
		VpcId:       &ours,
	})
	require.NoError(t, err)
	var rules []string
	for _, port := range []int32{443, 6443} {
		made, err := compute.AuthorizeSecurityGroupIngress(t.Context(),
			&ec2.AuthorizeSecurityGroupIngressInput{GroupId: group.GroupId,
				IpPermissions: []ec2types.IpPermission{{IpProtocol: aws.String("tcp"), FromPort: &port, ToPort: &port,
					IpRanges: []ec2types.IpRange{{CidrIp: aws.String("10.0.0.0/16")}}}}})
		require.NoError(t, err)
		rules = append(rules, aws.ToString(made.SecurityGroupRules[0].SecurityGroupRuleId))
	}
	found, err = account.Find(t.Context(), Query{Type: awstype.SecurityGroupIngressRule,
		Inputs: map[string]any{"securityGroupId": aws.ToString(group.GroupId),
			"ipProtocol": "tcp", "fromPort": 6443.0, "toPort": 6443.0, "cidrIpv4": "10.0.0.0/16"}})
	require.NoError(t, err)
	require.Equal(t, rules[1:], IDs(found))

	key := taggedKey(t, address)
	found, err = account.Find(t.Context(), Query{
		Type:   "aws:kms/key:Key",
		Inputs: map[string]any{"tags": map[string]any{"infra-id": "demo-x1"}},
	})
	require.NoError(t, err)
	require.Equal(t, []string{key}, IDs(found))

	zone := func(in string) string {
		made, err := names.CreateHostedZone(t.Context(), &route53.CreateHostedZoneInput{Name: aws.String("demo.example.com"),
			CallerReference: aws.String(in), VPC: &route53types.VPC{VPCId: &in, VPCRegion: "us-east-1"},
			HostedZoneConfig: &route53types.HostedZoneConfig{PrivateZone: true}})
		require.NoError(t, err)
		return aws.ToString(made.HostedZone.Id)[len("/hostedzone/"):]
	}
	id := zone(ours)
	zone(vpc())
	found, err = account.Find(t.Context(), Query{Type: awstype.HostedZone, Inputs: map[string]any{
		"name": "demo.example.com", "vpcs": []any{map[string]any{"vpcId": ours}}}})
	require.NoError(t, err)
	require.Equal(t, []string{id}, IDs(found), "the zone without tags in our VPC")

	tables, err := compute.DescribeRouteTables(t.Context(), &ec2.DescribeRouteTablesInput{
		Filters: []ec2types.Filter{{Name: aws.String("vpc-id"), Values: []string{ours}}}})
	require.NoError(t, err)
	main := tables.RouteTables[0]
	found, err = account.Find(t.Context(), Query{Type: awstype.MainRouteTableAssociation, Inputs: map[string]any{
		"vpcId": ours, "routeTableId": aws.ToString(main.RouteTableId)}})
	require.NoError(t, err)
	require.Equal(t, []string{aws.ToString(main.Associations[0].RouteTableAssociationId)}, IDs(found))
}

// TestResourcesWithUnreliableImportsAreLookedUpThroughAWSsAPI: the provider imports DHCP options of any kind for a VPC,
// and associations that do not exist.
func TestResourcesWithUnreliableImportsAreLookedUpThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	account, clients, _ := throughMoto(t)
	compute := clients.ec2
	owned := func(resource ec2types.ResourceType) []ec2types.TagSpecification {
		return []ec2types.TagSpecification{{ResourceType: resource, Tags: []ec2types.Tag{
			{Key: aws.String("kubernetes.io/cluster/demo-x1"), Value: aws.String("owned")}}}}
	}
	vpc, err := compute.CreateVpc(t.Context(), &ec2.CreateVpcInput{
		CidrBlock:         aws.String("10.0.0.0/16"),
		TagSpecifications: owned("vpc"),
	})
	require.NoError(t, err)
	subnet, err := compute.CreateSubnet(t.Context(), &ec2.CreateSubnetInput{VpcId: vpc.Vpc.VpcId,
		CidrBlock:         aws.String("10.0.0.0/20"),
		TagSpecifications: owned("subnet")})
	require.NoError(t, err)
	table, err := compute.CreateRouteTable(t.Context(), &ec2.CreateRouteTableInput{VpcId: vpc.Vpc.VpcId})
	require.NoError(t, err)
	options, err := compute.CreateDhcpOptions(t.Context(),
		&ec2.CreateDhcpOptionsInput{DhcpConfigurations: []ec2types.NewDhcpConfiguration{
			{Key: aws.String("domain-name"), Values: []string{"demo.example.com"}}}})
	require.NoError(t, err)
	run, err := compute.RunInstances(t.Context(), &ec2.RunInstancesInput{ImageId: aws.String("ami-12c6146b"),
		MinCount: aws.Int32(1),
		MaxCount: aws.Int32(1), SubnetId: subnet.Subnet.SubnetId, TagSpecifications: owned("instance")})
	require.NoError(t, err)
	instance := aws.ToString(run.Instances[0].InstanceId)

	endpoint, err := compute.CreateVpcEndpoint(t.Context(), &ec2.CreateVpcEndpointInput{VpcId: vpc.Vpc.VpcId,
		ServiceName: aws.String("com.amazonaws.us-east-1.s3"), VpcEndpointType: ec2types.VpcEndpointTypeGateway,
		TagSpecifications: owned("vpc-endpoint")})
	require.NoError(t, err)

	association := Query{Type: awstype.RouteTableAssociation, Inputs: map[string]any{
		"subnetId": aws.ToString(subnet.Subnet.SubnetId), "routeTableId": aws.ToString(table.RouteTable.RouteTableId)}}
	dhcp := Query{Type: awstype.DHCPOptionsAssociation, Inputs: map[string]any{
		"vpcId": aws.ToString(vpc.Vpc.VpcId), "dhcpOptionsId": aws.ToString(options.DhcpOptions.DhcpOptionsId)}}
	exist := func(want bool) {
		t.Helper()
		for _, q := range []Query{association, dhcp} {
			exists, err := Exists(t.Context(), account, q)
			require.NoError(t, err)
			require.Equal(t, want, exists, q.Type)
		}
	}
	exist(false)
	_, err = compute.AssociateRouteTable(t.Context(), &ec2.AssociateRouteTableInput{
		SubnetId: subnet.Subnet.SubnetId, RouteTableId: table.RouteTable.RouteTableId})
	require.NoError(t, err)
	_, err = compute.AssociateDhcpOptions(t.Context(), &ec2.AssociateDhcpOptionsInput{
		VpcId: vpc.Vpc.VpcId, DhcpOptionsId: options.DhcpOptions.DhcpOptionsId})
	require.NoError(t, err)
	exist(true)

	all, err := account.Tagged(t.Context(), OwnedBy("demo-x1"))
	require.NoError(t, err)
	require.Equal(t, []string{instance, aws.ToString(subnet.Subnet.SubnetId), aws.ToString(vpc.Vpc.VpcId),
		aws.ToString(endpoint.VpcEndpoint.VpcEndpointId)}, IDs(all))
	require.Equal(t, "arn:aws:ec2:us-east-1:123456789012:vpc/"+aws.ToString(vpc.Vpc.VpcId), all[2].ARN)
	require.Equal(t, "owned", all[2].Tags["kubernetes.io/cluster/demo-x1"])
	require.False(t, all[0].Created.IsZero(), "AWS says when an instance was started")

	_, err = compute.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{instance}})
	require.NoError(t, err)
	all, err = account.Tagged(t.Context(), OwnedBy("demo-x1"))
	require.NoError(t, err)
	require.Len(t, all, 3, "a terminated instance keeps its tags for an hour")
}

// taggedKey makes a KMS key in us-east-1 with the tag infra-id=demo-x1, and another without it.
func taggedKey(t *testing.T, address string) string {
	t.Helper()
	id := ""
	for _, infraID := range []string{"other", "demo-x1"} {
		body := fmt.Sprintf(`{"Tags":[{"TagKey":"infra-id","TagValue":%q}]}`, infraID)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("X-Amz-Target", "TrentService.CreateKey")
		request.Header.Set("Content-Type", "application/x-amz-json-1.1")
		request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/kms/aws4_request, SignedHeaders=host, Signature=none")
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		var made struct {
			KeyMetadata struct {
				KeyID string `json:"KeyId"`
			}
		}
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&made))
		require.NoError(t, answer.Body.Close())
		id = made.KeyMetadata.KeyID
	}
	require.NotEmpty(t, id)
	return id
}

// TestNATGatewaysAndElasticIPsAreFoundThroughAWSsAPI, which return deleted gateways: EC2's list of tags does not.
func TestNATGatewaysAndElasticIPsAreFoundThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	account, clients, _ := throughMoto(t)
	compute := clients.ec2
	tagged := func(resource ec2types.ResourceType, name string) []ec2types.TagSpecification {
		return []ec2types.TagSpecification{{ResourceType: resource, Tags: []ec2types.Tag{
			{Key: aws.String("kubernetes.io/cluster/demo-x1"), Value: aws.String("owned")},
			{Key: aws.String("Name"), Value: &name}}}}
	}
	vpc, err := compute.CreateVpc(t.Context(), &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
	require.NoError(t, err)
	subnet, err := compute.CreateSubnet(t.Context(), &ec2.CreateSubnetInput{
		VpcId:     vpc.Vpc.VpcId,
		CidrBlock: aws.String("10.0.0.0/20"),
	})
	require.NoError(t, err)
	var addresses, gateways []string
	for _, name := range []string{"demo-a", "demo-b", "demo-a"} {
		ip, err := compute.AllocateAddress(t.Context(), &ec2.AllocateAddressInput{Domain: ec2types.DomainTypeVpc,
			TagSpecifications: tagged(ec2types.ResourceTypeElasticIp, name)})
		require.NoError(t, err)
		addresses = append(addresses, aws.ToString(ip.AllocationId))
		gateway, err := compute.CreateNatGateway(t.Context(), &ec2.CreateNatGatewayInput{SubnetId: subnet.Subnet.SubnetId,
			AllocationId: ip.AllocationId, TagSpecifications: tagged(ec2types.ResourceTypeNatgateway, name)})
		require.NoError(t, err)
		gateways = append(gateways, aws.ToString(gateway.NatGateway.NatGatewayId))
	}
	_, err = compute.DeleteNatGateway(t.Context(), &ec2.DeleteNatGatewayInput{NatGatewayId: &gateways[2]})
	require.NoError(t, err)

	find := func(token, name string) []string {
		found, err := account.Find(t.Context(), Query{Type: token, Inputs: map[string]any{
			"tags": map[string]any{"kubernetes.io/cluster/demo-x1": "owned", "Name": name}}})
		require.NoError(t, err)
		for _, f := range found {
			require.Contains(t, f.ARN, f.ID)
			require.Equal(t, name, f.Tags["Name"])
		}
		return IDs(found)
	}
	require.Equal(t, gateways[:1], find(awstype.NATGateway, "demo-a"), "and not the deleted one")
	require.ElementsMatch(t, []string{addresses[0], addresses[2]}, find(awstype.ElasticIP, "demo-a"))
	require.Empty(t, find(awstype.ElasticIP, "demo-*"))
}

func TestEC2ListsTagsOfATypeUnderTheNameThatItsAPIHas(t *testing.T) {
	t.Parallel()
	names := ec2types.ResourceType("").Values()
	for _, info := range awstype.All() {
		if name := info.Find.Tags.EC2; name != "" {
			require.Contains(t, names, ec2types.ResourceType(name), info.Token)
		}
	}
}
