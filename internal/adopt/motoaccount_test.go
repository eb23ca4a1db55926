package adopt

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// recordedStack is the folder of a cluster stack's file and state.
var recordedStack = filepath.Join("..", "..", "test", "testdata", "states", "cluster")

// recorded is a resource of a state.
type recorded struct {
	URN, ID, Type string
	Inputs        map[string]any
	Outputs       map[string]any
}

func (r recorded) text(input string) string {
	text, _ := r.Inputs[input].(string)
	return text
}

func (r recorded) texts(input string) []string {
	list, _ := r.Inputs[input].([]any)
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i], _ = item.(string)
	}
	return texts
}

func (r recorded) number(input string) *int32 {
	number, _ := r.Inputs[input].(float64)
	return aws.Int32(int32(number))
}

// optional returns an input, or nil if it is not set.
func (r recorded) optional(input string) *string {
	if text := r.text(input); text != "" {
		return &text
	}
	return nil
}

func (r recorded) tags() map[string]string {
	tags := map[string]string{}
	given, _ := r.Inputs["tags"].(map[string]any)
	for key, value := range given {
		tags[key], _ = value.(string)
	}
	return tags
}

func (r recorded) spec(kind ec2types.ResourceType) []ec2types.TagSpecification {
	var list []ec2types.Tag
	for key, value := range r.tags() {
		list = append(list, ec2types.Tag{Key: &key, Value: &value})
	}
	return []ec2types.TagSpecification{{ResourceType: kind, Tags: list}}
}

// readRecorded returns the AWS resources of the recorded stack in the order of their creation.
func readRecorded(t *testing.T) []recorded {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recordedStack, "state.json"))
	require.NoError(t, err)
	var file struct {
		Deployment struct{ Resources []recorded }
	}
	require.NoError(t, json.Unmarshal(text, &file))
	var found []recorded
	for _, r := range file.Deployment.Resources {
		if strings.HasPrefix(r.Type, "aws:") {
			found = append(found, r)
		}
	}
	require.NotEmpty(t, found)
	return found
}

// motoAccount is an account of moto, in which the resources of a state are created by AWS's SDK.
type motoAccount struct {
	t          *testing.T
	ctx        context.Context
	compute    *ec2.Client
	identities *iam.Client
	names      *route53.Client
	logs       *cloudwatchlogs.Client
	queues     *sqs.Client
	events     *eventbridge.Client
	// renamed are pairs of an ID in the state and the ID in the account.
	renamed []string
}

func newMotoAccount(t *testing.T, config map[string]any) *motoAccount {
	t.Helper()
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	return &motoAccount{
		t: t, ctx: t.Context(),
		compute:    ec2.NewFromConfig(cfg, func(o *ec2.Options) { settings.SetEndpoint("ec2", &o.BaseEndpoint) }),
		identities: iam.NewFromConfig(cfg, func(o *iam.Options) { settings.SetEndpoint("iam", &o.BaseEndpoint) }),
		names:      route53.NewFromConfig(cfg, func(o *route53.Options) { settings.SetEndpoint("route53", &o.BaseEndpoint) }),
		logs:       cloudwatchlogs.NewFromConfig(cfg, func(o *cloudwatchlogs.Options) { settings.SetEndpoint("logs", &o.BaseEndpoint) }),
		queues:     sqs.NewFromConfig(cfg, func(o *sqs.Options) { settings.SetEndpoint("sqs", &o.BaseEndpoint) }),
		events:     eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) { settings.SetEndpoint("events", &o.BaseEndpoint) }),
	}
}

// here returns a resource with the account's IDs in the place of those in the state.
func (e *motoAccount) here(r recorded) recorded {
	e.t.Helper()
	text, err := json.Marshal(r)
	require.NoError(e.t, err)
	var renamed recorded
	require.NoError(e.t, json.Unmarshal([]byte(strings.NewReplacer(e.renamed...).Replace(string(text))), &renamed))
	return renamed
}

// create creates a resource, and notes its ID.
func (e *motoAccount) create(r recorded) {
	e.t.Helper()
	id, err := e.created(e.here(r))
	require.NoError(e.t, err, r.URN)
	if id != "" && id != r.ID {
		e.renamed = append(e.renamed, r.ID, id)
	}
}

// created creates a resource and returns its ID, "" where it has the state's.
func (e *motoAccount) created(r recorded) (string, error) {
	switch r.Type {
	case awstype.Role, awstype.RolePolicy, "aws:iam/rolePolicyAttachment:RolePolicyAttachment", awstype.InstanceProfile, awstype.OIDCProvider:
		return "", e.identity(r)
	case awstype.RouteTable, awstype.Route, awstype.RouteTableAssociation, awstype.MainRouteTableAssociation, awstype.NATGateway, awstype.InternetGateway, awstype.ElasticIP:
		return e.routing(r)
	case awstype.SecurityGroup, awstype.SecurityGroupEgressRule, awstype.SecurityGroupIngressRule, awstype.KeyPair, awstype.Instance:
		return e.host(r)
	case awstype.VPC:
		out, err := e.compute.CreateVpc(e.ctx, &ec2.CreateVpcInput{CidrBlock: r.optional("cidrBlock"), TagSpecifications: r.spec(ec2types.ResourceTypeVpc)})
		return idOf(out, err, func() *string { return out.Vpc.VpcId })
	case awstype.DHCPOptions:
		out, err := e.compute.CreateDhcpOptions(e.ctx, &ec2.CreateDhcpOptionsInput{TagSpecifications: r.spec(ec2types.ResourceTypeDhcpOptions),
			DhcpConfigurations: []ec2types.NewDhcpConfiguration{{Key: aws.String("domain-name"), Values: []string{r.text("domainName")}},
				{Key: aws.String("domain-name-servers"), Values: r.texts("domainNameServers")}}})
		if err == nil { // moto leaves the tags of the request out
			_, err = e.compute.CreateTags(e.ctx, &ec2.CreateTagsInput{Resources: []string{*out.DhcpOptions.DhcpOptionsId}, Tags: r.spec("")[0].Tags})
		}
		return idOf(out, err, func() *string { return out.DhcpOptions.DhcpOptionsId })
	case awstype.DHCPOptionsAssociation:
		_, err := e.compute.AssociateDhcpOptions(e.ctx, &ec2.AssociateDhcpOptionsInput{DhcpOptionsId: r.optional("dhcpOptionsId"), VpcId: r.optional("vpcId")})
		return "", err
	case awstype.Subnet:
		out, err := e.compute.CreateSubnet(e.ctx, &ec2.CreateSubnetInput{VpcId: r.optional("vpcId"), CidrBlock: r.optional("cidrBlock"),
			AvailabilityZone: r.optional("availabilityZone"), TagSpecifications: r.spec(ec2types.ResourceTypeSubnet)})
		return idOf(out, err, func() *string { return out.Subnet.SubnetId })
	case awstype.VPCEndpoint:
		out, err := e.compute.CreateVpcEndpoint(e.ctx, &ec2.CreateVpcEndpointInput{VpcId: r.optional("vpcId"), ServiceName: r.optional("serviceName"),
			VpcEndpointType: ec2types.VpcEndpointType(r.text("vpcEndpointType")), SubnetIds: r.texts("subnetIds"), RouteTableIds: r.texts("routeTableIds"),
			SecurityGroupIds: r.texts("securityGroupIds"), TagSpecifications: r.spec(ec2types.ResourceTypeVpcEndpoint)})
		return idOf(out, err, func() *string { return out.VpcEndpoint.VpcEndpointId })
	case awstype.LogGroup:
		_, err := e.logs.CreateLogGroup(e.ctx, &cloudwatchlogs.CreateLogGroupInput{LogGroupName: r.optional("name"), Tags: r.tags()})
		if err == nil {
			_, err = e.logs.PutRetentionPolicy(e.ctx, &cloudwatchlogs.PutRetentionPolicyInput{LogGroupName: r.optional("name"), RetentionInDays: r.number("retentionInDays")})
		}
		return "", err
	case awstype.FlowLog:
		out, err := e.compute.CreateFlowLogs(e.ctx, &ec2.CreateFlowLogsInput{ResourceIds: []string{r.text("vpcId")}, ResourceType: ec2types.FlowLogsResourceTypeVpc,
			TrafficType: ec2types.TrafficType(r.text("trafficType")), LogDestinationType: ec2types.LogDestinationType(r.text("logDestinationType")),
			LogGroupName: aws.String(logGroupName(r.text("logDestination"))), DeliverLogsPermissionArn: r.optional("iamRoleArn"),
			TagSpecifications: r.spec(ec2types.ResourceTypeVpcFlowLog)})
		return idOf(out, err, func() *string { return &out.FlowLogIds[0] })
	case awstype.HostedZone:
		return e.zone(r)
	case awstype.DefaultSecurityGroup, awstype.Record: // AWS creates them with the VPC and the zone
		return "", nil
	}
	e.t.Fatalf("the test has no way to create a resource of type %s", r.Type)
	return "", nil
}

func logGroupName(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }

// idOf returns the ID in an answer.
func idOf[T any](_ T, err error, id func() *string) (string, error) {
	if err != nil {
		return "", err
	}
	return aws.ToString(id()), nil
}

func (e *motoAccount) zone(r recorded) (string, error) {
	vpcs, _ := r.Inputs["vpcs"].([]any)
	vpc, _ := vpcs[0].(map[string]any)
	id, _ := vpc["vpcId"].(string)
	out, err := e.names.CreateHostedZone(e.ctx, &route53.CreateHostedZoneInput{Name: r.optional("name"), CallerReference: &r.URN,
		VPC: &route53types.VPC{VPCId: &id, VPCRegion: "us-east-1"}, HostedZoneConfig: &route53types.HostedZoneConfig{PrivateZone: true}})
	return idOf(out, err, func() *string { return aws.String(strings.TrimPrefix(aws.ToString(out.HostedZone.Id), "/hostedzone/")) })
}

func (e *motoAccount) identity(r recorded) error {
	var err error
	switch r.Type {
	case awstype.Role:
		_, err = e.identities.CreateRole(e.ctx, &iam.CreateRoleInput{RoleName: r.optional("name"), Path: r.optional("path"),
			AssumeRolePolicyDocument: r.optional("assumeRolePolicy")})
	case awstype.RolePolicy:
		_, err = e.identities.PutRolePolicy(e.ctx, &iam.PutRolePolicyInput{RoleName: r.optional("role"), PolicyName: r.optional("name"), PolicyDocument: r.optional("policy")})
	case awstype.InstanceProfile:
		if _, err = e.identities.CreateInstanceProfile(e.ctx, &iam.CreateInstanceProfileInput{InstanceProfileName: r.optional("name"), Path: r.optional("path")}); err == nil {
			_, err = e.identities.AddRoleToInstanceProfile(e.ctx, &iam.AddRoleToInstanceProfileInput{InstanceProfileName: r.optional("name"), RoleName: r.optional("role")})
		}
	case awstype.OIDCProvider:
		_, err = e.identities.CreateOpenIDConnectProvider(e.ctx, &iam.CreateOpenIDConnectProviderInput{Url: r.optional("url"), ClientIDList: r.texts("clientIdLists"),
			ThumbprintList: r.texts("thumbprintLists")})
	default:
		_, err = e.identities.AttachRolePolicy(e.ctx, &iam.AttachRolePolicyInput{RoleName: r.optional("role"), PolicyArn: r.optional("policyArn")})
	}
	return err
}

func (e *motoAccount) routing(r recorded) (string, error) {
	switch r.Type {
	case awstype.RouteTable:
		out, err := e.compute.CreateRouteTable(e.ctx, &ec2.CreateRouteTableInput{VpcId: r.optional("vpcId"), TagSpecifications: r.spec(ec2types.ResourceTypeRouteTable)})
		return idOf(out, err, func() *string { return out.RouteTable.RouteTableId })
	case awstype.Route:
		_, err := e.compute.CreateRoute(e.ctx, &ec2.CreateRouteInput{RouteTableId: r.optional("routeTableId"), DestinationCidrBlock: r.optional("destinationCidrBlock"),
			GatewayId: r.optional("gatewayId"), NatGatewayId: r.optional("natGatewayId")})
		return "", err
	case awstype.RouteTableAssociation:
		out, err := e.compute.AssociateRouteTable(e.ctx, &ec2.AssociateRouteTableInput{RouteTableId: r.optional("routeTableId"), SubnetId: r.optional("subnetId")})
		return idOf(out, err, func() *string { return out.AssociationId })
	case awstype.MainRouteTableAssociation:
		tables, err := e.compute.DescribeRouteTables(e.ctx, &ec2.DescribeRouteTablesInput{Filters: []ec2types.Filter{
			{Name: aws.String("vpc-id"), Values: []string{r.text("vpcId")}}, {Name: aws.String("association.main"), Values: []string{"true"}}}})
		require.NoError(e.t, err)
		require.Len(e.t, tables.RouteTables, 1)
		out, err := e.compute.ReplaceRouteTableAssociation(e.ctx, &ec2.ReplaceRouteTableAssociationInput{RouteTableId: r.optional("routeTableId"),
			AssociationId: tables.RouteTables[0].Associations[0].RouteTableAssociationId})
		return idOf(out, err, func() *string { return out.NewAssociationId })
	case awstype.ElasticIP:
		out, err := e.compute.AllocateAddress(e.ctx, &ec2.AllocateAddressInput{Domain: ec2types.DomainTypeVpc, TagSpecifications: r.spec(ec2types.ResourceTypeElasticIp)})
		return idOf(out, err, func() *string { return out.AllocationId })
	case awstype.NATGateway:
		out, err := e.compute.CreateNatGateway(e.ctx, &ec2.CreateNatGatewayInput{SubnetId: r.optional("subnetId"), AllocationId: r.optional("allocationId"),
			TagSpecifications: r.spec(ec2types.ResourceTypeNatgateway)})
		return idOf(out, err, func() *string { return out.NatGateway.NatGatewayId })
	}
	out, err := e.compute.CreateInternetGateway(e.ctx, &ec2.CreateInternetGatewayInput{TagSpecifications: r.spec(ec2types.ResourceTypeInternetGateway)})
	if err != nil {
		return "", err
	}
	id := out.InternetGateway.InternetGatewayId
	_, err = e.compute.AttachInternetGateway(e.ctx, &ec2.AttachInternetGatewayInput{InternetGatewayId: id, VpcId: r.optional("vpcId")})
	return aws.ToString(id), err
}

func (e *motoAccount) host(r recorded) (string, error) {
	rule := []ec2types.IpPermission{{IpProtocol: r.optional("ipProtocol"), FromPort: r.number("fromPort"), ToPort: r.number("toPort"),
		IpRanges: []ec2types.IpRange{{CidrIp: r.optional("cidrIpv4"), Description: r.optional("description")}}}}
	if r.text("ipProtocol") == "-1" {
		rule[0].FromPort, rule[0].ToPort = nil, nil
	}
	switch r.Type {
	case awstype.SecurityGroup:
		out, err := e.compute.CreateSecurityGroup(e.ctx, &ec2.CreateSecurityGroupInput{GroupName: r.optional("name"), Description: r.optional("description"),
			VpcId: r.optional("vpcId"), TagSpecifications: r.spec(ec2types.ResourceTypeSecurityGroup)})
		return idOf(out, err, func() *string { return out.GroupId })
	case awstype.SecurityGroupEgressRule:
		out, err := e.compute.AuthorizeSecurityGroupEgress(e.ctx, &ec2.AuthorizeSecurityGroupEgressInput{GroupId: r.optional("securityGroupId"), IpPermissions: rule})
		return idOf(out, err, func() *string { return out.SecurityGroupRules[0].SecurityGroupRuleId })
	case awstype.SecurityGroupIngressRule:
		out, err := e.compute.AuthorizeSecurityGroupIngress(e.ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: r.optional("securityGroupId"), IpPermissions: rule})
		return idOf(out, err, func() *string { return out.SecurityGroupRules[0].SecurityGroupRuleId })
	case awstype.KeyPair:
		_, err := e.compute.ImportKeyPair(e.ctx, &ec2.ImportKeyPairInput{KeyName: r.optional("keyName"), PublicKeyMaterial: []byte(r.text("publicKey")),
			TagSpecifications: r.spec(ec2types.ResourceTypeKeyPair)})
		return "", err
	}
	images, err := e.compute.DescribeImages(e.ctx, &ec2.DescribeImagesInput{Owners: []string{"amazon"}})
	require.NoError(e.t, err)
	out, err := e.compute.RunInstances(e.ctx, &ec2.RunInstancesInput{ImageId: images.Images[0].ImageId, InstanceType: "t3.micro", MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
		SubnetId: r.optional("subnetId"), SecurityGroupIds: r.texts("vpcSecurityGroupIds"), KeyName: r.optional("keyName"),
		IamInstanceProfile: &ec2types.IamInstanceProfileSpecification{Name: r.optional("iamInstanceProfile")}, TagSpecifications: r.spec(ec2types.ResourceTypeInstance)})
	return idOf(out, err, func() *string { return out.Instances[0].InstanceId })
}
