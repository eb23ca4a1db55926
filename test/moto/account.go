package moto

import (
	"context"
	"encoding/json"
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

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Resource is a resource of a stack's state.
type Resource struct {
	URN, ID, Type string
	Inputs        map[string]any
	Outputs       map[string]any
}

func (r Resource) text(input string) string {
	text, _ := r.Inputs[input].(string)
	return text
}

func (r Resource) texts(input string) []string {
	list, _ := r.Inputs[input].([]any)
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i], _ = item.(string)
	}
	return texts
}

func (r Resource) number(input string) *int32 {
	number, _ := r.Inputs[input].(float64)
	return aws.Int32(int32(number))
}

func (r Resource) flag(input string) *ec2types.AttributeBooleanValue {
	flag, _ := r.Inputs[input].(bool)
	return &ec2types.AttributeBooleanValue{Value: &flag}
}

// optional returns an input, or nil if it is not set.
func (r Resource) optional(input string) *string {
	if text := r.text(input); text != "" {
		return &text
	}
	return nil
}

func (r Resource) tags() map[string]string {
	tags := map[string]string{}
	given, _ := r.Inputs["tags"].(map[string]any)
	for key, value := range given {
		tags[key], _ = value.(string)
	}
	return tags
}

func (r Resource) spec(kind ec2types.ResourceType) []ec2types.TagSpecification {
	var list []ec2types.Tag
	for key, value := range r.tags() {
		list = append(list, ec2types.Tag{Key: &key, Value: &value})
	}
	return []ec2types.TagSpecification{{ResourceType: kind, Tags: list}}
}

// Account is an account of moto, in which the resources of a state are created by AWS's SDK.
type Account struct {
	t   *testing.T
	ctx context.Context
	// config is the SDK's, with the endpoint of every service.
	config aws.Config
	// Compute is a client of EC2.
	Compute *ec2.Client
	// Identities is a client of IAM.
	Identities *iam.Client
	names      *route53.Client
	logs       *cloudwatchlogs.Client
	// Queues and Events are clients of SQS and EventBridge.
	Queues *sqs.Client
	Events *eventbridge.Client
	// renamed are pairs of an ID in the state and the ID in the account.
	renamed []string
}

// NewAccount returns the account that a provider's config refers to.
func NewAccount(t *testing.T, config map[string]any) *Account {
	t.Helper()
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	everywhere := cfg.Copy()
	settings.SetEndpoint("ec2", &everywhere.BaseEndpoint) // moto has all services at one address
	return &Account{
		t: t, ctx: t.Context(), config: everywhere,
		Compute:    ec2.NewFromConfig(cfg, func(o *ec2.Options) { settings.SetEndpoint("ec2", &o.BaseEndpoint) }),
		Identities: iam.NewFromConfig(cfg, func(o *iam.Options) { settings.SetEndpoint("iam", &o.BaseEndpoint) }),
		names:      route53.NewFromConfig(cfg, func(o *route53.Options) { settings.SetEndpoint("route53", &o.BaseEndpoint) }),
		logs: cloudwatchlogs.NewFromConfig(cfg, func(o *cloudwatchlogs.Options) {
			settings.SetEndpoint("logs", &o.BaseEndpoint)
		}),
		Queues: sqs.NewFromConfig(cfg, func(o *sqs.Options) { settings.SetEndpoint("sqs", &o.BaseEndpoint) }),
		Events: eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) {
			settings.SetEndpoint("events", &o.BaseEndpoint)
		}),
	}
}

// Here returns a resource with the account's IDs in the place of those in the state.
func (e *Account) Here(r Resource) Resource {
	e.t.Helper()
	text, err := json.Marshal(r)
	require.NoError(e.t, err)
	var renamed Resource
	require.NoError(e.t, json.Unmarshal([]byte(strings.NewReplacer(e.renamed...).Replace(string(text))), &renamed))
	return renamed
}

// Role creates a role that EC2 instances may assume.
func (e *Account) Role(name string) {
	e.t.Helper()
	trust := `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}]}`
	_, err := e.Identities.CreateRole(e.ctx, &iam.CreateRoleInput{RoleName: &name, AssumeRolePolicyDocument: &trust})
	require.NoError(e.t, err)
}

// Zone creates a public zone.
func (e *Account) Zone(name string) {
	e.t.Helper()
	_, err := e.names.CreateHostedZone(e.ctx, &route53.CreateHostedZoneInput{Name: &name, CallerReference: &name})
	require.NoError(e.t, err)
}

// Rename lets Here replace an ID of the state.
func (e *Account) Rename(state, here string) { e.renamed = append(e.renamed, state, here) }

// Create creates a resource, and notes its ID.
func (e *Account) Create(r Resource) {
	e.t.Helper()
	id, err := e.created(e.Here(r))
	require.NoError(e.t, err, r.URN)
	if id != "" && id != r.ID {
		e.Rename(r.ID, id)
	}
}

// created creates a resource and returns its ID, "" where it has the state's.
func (e *Account) created(r Resource) (string, error) {
	switch r.Type {
	case awstype.Role, awstype.RolePolicy, "aws:iam/rolePolicyAttachment:RolePolicyAttachment", awstype.InstanceProfile,
		awstype.OIDCProvider:
		return "", e.identity(r)
	case awstype.RouteTable, awstype.Route, awstype.RouteTableAssociation, awstype.MainRouteTableAssociation,
		awstype.NATGateway, awstype.InternetGateway, awstype.ElasticIP:
		return e.routing(r)
	case awstype.SecurityGroup, awstype.SecurityGroupEgressRule, awstype.SecurityGroupIngressRule, awstype.KeyPair,
		awstype.Instance:
		return e.host(r)
	case awstype.VPC:
		out, err := e.Compute.CreateVpc(e.ctx, &ec2.CreateVpcInput{
			CidrBlock:         r.optional("cidrBlock"),
			TagSpecifications: r.spec(ec2types.ResourceTypeVpc),
		})
		if err != nil {
			return "", err
		}
		for _, attribute := range []*ec2.ModifyVpcAttributeInput{{
			EnableDnsSupport: r.flag("enableDnsSupport"),
		}, {EnableDnsHostnames: r.flag("enableDnsHostnames")}} {
			attribute.VpcId = out.Vpc.VpcId
			if _, err := e.Compute.ModifyVpcAttribute(e.ctx, attribute); err != nil {
				return "", err
			}
		}
		return *out.Vpc.VpcId, nil
	case awstype.DHCPOptions:
		out, err := e.Compute.CreateDhcpOptions(e.ctx,
			&ec2.CreateDhcpOptionsInput{TagSpecifications: r.spec(ec2types.ResourceTypeDhcpOptions),
				DhcpConfigurations: []ec2types.NewDhcpConfiguration{{
					Key:    aws.String("domain-name"),
					Values: []string{r.text("domainName")},
				},
					{Key: aws.String("domain-name-servers"), Values: r.texts("domainNameServers")}}})
		if err == nil { // moto leaves the tags of the request out
			_, err = e.Compute.CreateTags(e.ctx, &ec2.CreateTagsInput{
				Resources: []string{*out.DhcpOptions.DhcpOptionsId},
				Tags:      r.spec("")[0].Tags,
			})
		}
		return idOf(out, err, func() *string { return out.DhcpOptions.DhcpOptionsId })
	case awstype.DHCPOptionsAssociation:
		_, err := e.Compute.AssociateDhcpOptions(e.ctx, &ec2.AssociateDhcpOptionsInput{
			DhcpOptionsId: r.optional("dhcpOptionsId"),
			VpcId:         r.optional("vpcId"),
		})
		return "", err
	case awstype.Subnet:
		out, err := e.Compute.CreateSubnet(e.ctx, &ec2.CreateSubnetInput{VpcId: r.optional("vpcId"),
			CidrBlock:        r.optional("cidrBlock"),
			AvailabilityZone: r.optional("availabilityZone"), TagSpecifications: r.spec(ec2types.ResourceTypeSubnet)})
		return idOf(out, err, func() *string { return out.Subnet.SubnetId })
	case awstype.VPCEndpoint:
		out, err := e.Compute.CreateVpcEndpoint(e.ctx, &ec2.CreateVpcEndpointInput{VpcId: r.optional("vpcId"),
			ServiceName:     r.optional("serviceName"),
			VpcEndpointType: ec2types.VpcEndpointType(r.text("vpcEndpointType")), SubnetIds: r.texts("subnetIds"),
			RouteTableIds:    r.texts("routeTableIds"),
			SecurityGroupIds: r.texts("securityGroupIds"), TagSpecifications: r.spec(ec2types.ResourceTypeVpcEndpoint)})
		if entries, _ := r.Outputs["dnsEntries"].([]any); err == nil && len(entries) > 0 && len(out.VpcEndpoint.DnsEntries) > 0 {
			e.Rename(entries[0].(map[string]any)["dnsName"].(string), *out.VpcEndpoint.DnsEntries[0].DnsName)
		}
		return idOf(out, err, func() *string { return out.VpcEndpoint.VpcEndpointId })
	case awstype.VPCEndpointService:
		out, err := e.Compute.CreateVpcEndpointServiceConfiguration(e.ctx,
			&ec2.CreateVpcEndpointServiceConfigurationInput{AcceptanceRequired: aws.Bool(false),
				NetworkLoadBalancerArns: r.texts("networkLoadBalancerArns"),
				TagSpecifications:       r.spec(ec2types.ResourceTypeVpcEndpointService)})
		if err != nil {
			return "", err
		}
		e.Rename(r.Outputs["serviceName"].(string), *out.ServiceConfiguration.ServiceName)
		return *out.ServiceConfiguration.ServiceId, nil
	case "aws:ec2/vpcEndpointServiceAllowedPrinciple:VpcEndpointServiceAllowedPrinciple":
		_, err := e.Compute.ModifyVpcEndpointServicePermissions(e.ctx, &ec2.ModifyVpcEndpointServicePermissionsInput{
			ServiceId: r.optional("vpcEndpointServiceId"), AddAllowedPrincipals: []string{r.text("principalArn")}})
		return "", err
	case awstype.LogGroup:
		_, err := e.logs.CreateLogGroup(e.ctx, &cloudwatchlogs.CreateLogGroupInput{
			LogGroupName: r.optional("name"),
			Tags:         r.tags(),
		})
		if err == nil {
			_, err = e.logs.PutRetentionPolicy(e.ctx, &cloudwatchlogs.PutRetentionPolicyInput{
				LogGroupName:    r.optional("name"),
				RetentionInDays: r.number("retentionInDays"),
			})
		}
		return "", err
	case awstype.FlowLog:
		out, err := e.Compute.CreateFlowLogs(e.ctx, &ec2.CreateFlowLogsInput{ResourceIds: []string{r.text("vpcId")},
			ResourceType:             ec2types.FlowLogsResourceTypeVpc,
			TrafficType:              ec2types.TrafficType(r.text("trafficType")),
			LogDestinationType:       ec2types.LogDestinationType(r.text("logDestinationType")),
			LogGroupName:             aws.String(logGroupName(r.text("logDestination"))),
			DeliverLogsPermissionArn: r.optional("iamRoleArn"),
			TagSpecifications:        r.spec(ec2types.ResourceTypeVpcFlowLog)})
		return idOf(out, err, func() *string { return &out.FlowLogIds[0] })
	case awstype.HostedZone:
		return e.zone(r)
	case awstype.Record:
		return "", e.record(r)
	case awstype.DefaultSecurityGroup: // AWS creates it with the VPC
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

func (e *Account) zone(r Resource) (string, error) {
	vpcs, _ := r.Inputs["vpcs"].([]any)
	vpc, _ := vpcs[0].(map[string]any)
	id, _ := vpc["vpcId"].(string)
	out, err := e.names.CreateHostedZone(e.ctx, &route53.CreateHostedZoneInput{Name: r.optional("name"),
		CallerReference:  &r.URN,
		VPC:              &route53types.VPC{VPCId: &id, VPCRegion: "us-east-1"},
		HostedZoneConfig: &route53types.HostedZoneConfig{PrivateZone: true}})
	return idOf(out, err, func() *string {
		return aws.String(strings.TrimPrefix(aws.ToString(out.HostedZone.Id), "/hostedzone/"))
	})
}

// record creates a CNAME. AWS creates the other records of a zone, which a state may have, with the zone.
func (e *Account) record(r Resource) error {
	if r.text("type") != "CNAME" {
		return nil
	}
	var values []route53types.ResourceRecord
	for _, value := range r.texts("records") {
		values = append(values, route53types.ResourceRecord{Value: &value})
	}
	ttl, _ := r.Inputs["ttl"].(float64)
	_, err := e.names.ChangeResourceRecordSets(e.ctx,
		&route53.ChangeResourceRecordSetsInput{HostedZoneId: r.optional("zoneId"),
			ChangeBatch: &route53types.ChangeBatch{Changes: []route53types.Change{{Action: route53types.ChangeActionUpsert,
				ResourceRecordSet: &route53types.ResourceRecordSet{
					Name: r.optional("name"), Type: route53types.RRTypeCname, TTL: aws.Int64(int64(ttl)), ResourceRecords: values}}}}})
	return err
}

func (e *Account) identity(r Resource) error {
	var err error
	switch r.Type {
	case awstype.Role:
		_, err = e.Identities.CreateRole(e.ctx, &iam.CreateRoleInput{RoleName: r.optional("name"), Path: r.optional("path"),
			AssumeRolePolicyDocument: r.optional("assumeRolePolicy")})
	case awstype.RolePolicy:
		_, err = e.Identities.PutRolePolicy(e.ctx, &iam.PutRolePolicyInput{
			RoleName:       r.optional("role"),
			PolicyName:     r.optional("name"),
			PolicyDocument: r.optional("policy"),
		})
	case awstype.InstanceProfile:
		if _, err = e.Identities.CreateInstanceProfile(e.ctx, &iam.CreateInstanceProfileInput{
			InstanceProfileName: r.optional("name"),
			Path:                r.optional("path"),
		}); err == nil {
			_, err = e.Identities.AddRoleToInstanceProfile(e.ctx, &iam.AddRoleToInstanceProfileInput{
				InstanceProfileName: r.optional("name"),
				RoleName:            r.optional("role"),
			})
		}
	case awstype.OIDCProvider:
		_, err = e.Identities.CreateOpenIDConnectProvider(e.ctx, &iam.CreateOpenIDConnectProviderInput{Url: r.optional("url"),
			ClientIDList:   r.texts("clientIdLists"),
			ThumbprintList: r.texts("thumbprintLists")})
	default:
		_, err = e.Identities.AttachRolePolicy(e.ctx, &iam.AttachRolePolicyInput{
			RoleName:  r.optional("role"),
			PolicyArn: r.optional("policyArn"),
		})
	}
	return err
}

func (e *Account) routing(r Resource) (string, error) {
	switch r.Type {
	case awstype.RouteTable:
		out, err := e.Compute.CreateRouteTable(e.ctx, &ec2.CreateRouteTableInput{
			VpcId:             r.optional("vpcId"),
			TagSpecifications: r.spec(ec2types.ResourceTypeRouteTable),
		})
		return idOf(out, err, func() *string { return out.RouteTable.RouteTableId })
	case awstype.Route:
		_, err := e.Compute.CreateRoute(e.ctx, &ec2.CreateRouteInput{RouteTableId: r.optional("routeTableId"),
			DestinationCidrBlock: r.optional("destinationCidrBlock"),
			GatewayId:            r.optional("gatewayId"), NatGatewayId: r.optional("natGatewayId")})
		return "", err
	case awstype.RouteTableAssociation:
		out, err := e.Compute.AssociateRouteTable(e.ctx, &ec2.AssociateRouteTableInput{
			RouteTableId: r.optional("routeTableId"),
			SubnetId:     r.optional("subnetId"),
		})
		return idOf(out, err, func() *string { return out.AssociationId })
	case awstype.MainRouteTableAssociation:
		tables, err := e.Compute.DescribeRouteTables(e.ctx, &ec2.DescribeRouteTablesInput{Filters: []ec2types.Filter{
			{Name: aws.String("vpc-id"), Values: []string{r.text("vpcId")}},
			{Name: aws.String("association.main"), Values: []string{"true"}}}})
		require.NoError(e.t, err)
		require.Len(e.t, tables.RouteTables, 1)
		out, err := e.Compute.ReplaceRouteTableAssociation(e.ctx,
			&ec2.ReplaceRouteTableAssociationInput{RouteTableId: r.optional("routeTableId"),
				AssociationId: tables.RouteTables[0].Associations[0].RouteTableAssociationId})
		return idOf(out, err, func() *string { return out.NewAssociationId })
	case awstype.ElasticIP:
		out, err := e.Compute.AllocateAddress(e.ctx, &ec2.AllocateAddressInput{
			Domain:            ec2types.DomainTypeVpc,
			TagSpecifications: r.spec(ec2types.ResourceTypeElasticIp),
		})
		return idOf(out, err, func() *string { return out.AllocationId })
	case awstype.NATGateway:
		out, err := e.Compute.CreateNatGateway(e.ctx, &ec2.CreateNatGatewayInput{SubnetId: r.optional("subnetId"),
			AllocationId:      r.optional("allocationId"),
			TagSpecifications: r.spec(ec2types.ResourceTypeNatgateway)})
		return idOf(out, err, func() *string { return out.NatGateway.NatGatewayId })
	}
	out, err := e.Compute.CreateInternetGateway(e.ctx, &ec2.CreateInternetGatewayInput{
		TagSpecifications: r.spec(ec2types.ResourceTypeInternetGateway),
	})
	if err != nil {
		return "", err
	}
	id := out.InternetGateway.InternetGatewayId
	_, err = e.Compute.AttachInternetGateway(e.ctx, &ec2.AttachInternetGatewayInput{
		InternetGatewayId: id,
		VpcId:             r.optional("vpcId"),
	})
	return aws.ToString(id), err
}

func (e *Account) host(r Resource) (string, error) {
	rule := []ec2types.IpPermission{{
		IpProtocol: r.optional("ipProtocol"),
		FromPort:   r.number("fromPort"),
		ToPort:     r.number("toPort"),
	}}
	if r.Inputs["fromPort"] == nil {
		rule[0].FromPort, rule[0].ToPort = nil, nil
		if r.text("ipProtocol") != "-1" { // moto fails without ports of a protocol that has none
			rule[0].FromPort, rule[0].ToPort = aws.Int32(-1), aws.Int32(-1)
		}
	}
	if group := r.optional("referencedSecurityGroupId"); group != nil {
		rule[0].UserIdGroupPairs = []ec2types.UserIdGroupPair{{GroupId: group, Description: r.optional("description")}}
	} else {
		rule[0].IpRanges = []ec2types.IpRange{{CidrIp: r.optional("cidrIpv4"), Description: r.optional("description")}}
	}
	switch r.Type {
	case awstype.SecurityGroup:
		out, err := e.Compute.CreateSecurityGroup(e.ctx, &ec2.CreateSecurityGroupInput{GroupName: r.optional("name"),
			Description: r.optional("description"),
			VpcId:       r.optional("vpcId"), TagSpecifications: r.spec(ec2types.ResourceTypeSecurityGroup)})
		if err != nil {
			return "", err
		}
		// As the provider does: AWS lets a new group reach everything.
		_, err = e.Compute.RevokeSecurityGroupEgress(e.ctx, &ec2.RevokeSecurityGroupEgressInput{GroupId: out.GroupId,
			IpPermissions: []ec2types.IpPermission{{
				IpProtocol: aws.String("-1"), IpRanges: []ec2types.IpRange{{CidrIp: aws.String("0.0.0.0/0")}}}}})
		return *out.GroupId, err
	case awstype.SecurityGroupEgressRule:
		out, err := e.Compute.AuthorizeSecurityGroupEgress(e.ctx, &ec2.AuthorizeSecurityGroupEgressInput{
			GroupId:       r.optional("securityGroupId"),
			IpPermissions: rule,
		})
		return idOf(out, err, func() *string { return out.SecurityGroupRules[0].SecurityGroupRuleId })
	case awstype.SecurityGroupIngressRule:
		out, err := e.Compute.AuthorizeSecurityGroupIngress(e.ctx, &ec2.AuthorizeSecurityGroupIngressInput{
			GroupId:       r.optional("securityGroupId"),
			IpPermissions: rule,
		})
		return idOf(out, err, func() *string { return out.SecurityGroupRules[0].SecurityGroupRuleId })
	case awstype.KeyPair:
		_, err := e.Compute.ImportKeyPair(e.ctx, &ec2.ImportKeyPairInput{KeyName: r.optional("keyName"),
			PublicKeyMaterial: []byte(r.text("publicKey")),
			TagSpecifications: r.spec(ec2types.ResourceTypeKeyPair)})
		return "", err
	}
	images, err := e.Compute.DescribeImages(e.ctx, &ec2.DescribeImagesInput{Owners: []string{"amazon"}})
	require.NoError(e.t, err)
	out, err := e.Compute.RunInstances(e.ctx, &ec2.RunInstancesInput{ImageId: images.Images[0].ImageId,
		InstanceType: "t3.micro", MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
		SubnetId: r.optional("subnetId"), SecurityGroupIds: r.texts("vpcSecurityGroupIds"), KeyName: r.optional("keyName"),
		IamInstanceProfile: &ec2types.IamInstanceProfileSpecification{Name: r.optional("iamInstanceProfile")},
		TagSpecifications:  r.spec(ec2types.ResourceTypeInstance)})
	return idOf(out, err, func() *string { return out.Instances[0].InstanceId })
}
