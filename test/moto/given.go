package moto

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	balancertypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

// Give creates what exists before any stack, as the account in memory has it. Text replaces its IDs.
func (e *Account) Give(seeds []seed.Seed) {
	e.t.Helper()
	for _, given := range seeds {
		id, err := e.give(given)
		require.NoError(e.t, err, given.String())
		if id != "" && id != given.Name {
			e.Rename(given.Name, id)
		}
	}
}

// Text returns a text with the account's IDs in the place of those that Give and Create have replaced.
func (e *Account) Text(text string) string { return strings.NewReplacer(e.renamed...).Replace(text) }

// Former returns a text with the IDs that Give and Create have replaced in the place of the account's.
func (e *Account) Former(text string) string {
	pairs := slices.Clone(e.renamed)
	slices.Reverse(pairs)
	return strings.NewReplacer(pairs...).Replace(text)
}

// give creates what a seed describes, and returns the name that it has here.
func (e *Account) give(given seed.Seed) (string, error) {
	vpc := aws.String(e.Text(given.VPC))
	switch given.Kind {
	case seed.VPC, seed.ClientVPC:
		return e.giveVPC()
	case seed.ClientSubnet: // every balancer is in this zone
		given.Kind, given.Zone = seed.PrivateSubnet, "us-east-1a"
		return e.giveSubnet(given, *vpc)
	case seed.PrivateSubnet, seed.PublicSubnet, seed.MainTableSubnet:
		return e.giveSubnet(given, *vpc)
	case seed.SecurityGroup, seed.ClientGroup:
		out, err := e.Compute.CreateSecurityGroup(e.ctx,
			&ec2.CreateSecurityGroupInput{GroupName: aws.String("there before any stack: " + given.Name),
				Description: aws.String("any"), VpcId: vpc})
		return idOf(out, err, func() *string { return out.GroupId })
	case seed.ElasticIP:
		out, err := e.Compute.AllocateAddress(e.ctx, &ec2.AllocateAddressInput{Domain: ec2types.DomainTypeVpc})
		return idOf(out, err, func() *string { return out.AllocationId })
	case seed.TransitGateway:
		out, err := e.Compute.CreateTransitGateway(e.ctx, &ec2.CreateTransitGatewayInput{})
		return idOf(out, err, func() *string { return out.TransitGateway.TransitGatewayId })
	case seed.PublicZone:
		return "", e.givePublicZone(given.Name)
	case seed.PrivateZone:
		return e.givePrivateZone(given, vpc)
	case seed.KMSKey:
		out, err := kms.NewFromConfig(e.config).CreateKey(e.ctx, &kms.CreateKeyInput{
			KeyUsage: kmstypes.KeyUsageTypeEncryptDecrypt,
		})
		return idOf(out, err, func() *string { return out.KeyMetadata.Arn })
	case seed.Bucket:
		_, err := s3.NewFromConfig(e.config, func(o *s3.Options) {
			o.UsePathStyle = true
		}).CreateBucket(e.ctx, &s3.CreateBucketInput{Bucket: &given.Name})
		return "", err
	case seed.LoadBalancer:
		arn, err := e.giveBalancer(balancertypes.LoadBalancerTypeEnumNetwork, strings.Split(given.Name, "/")[2])
		return strings.Replace(arn, "loadbalancer/app/", "loadbalancer/net/", 1), err // as the proxy writes it
	case seed.EndpointService, seed.FirewallService:
		return e.giveService(given)
	case seed.Image:
		found, err := e.Compute.DescribeImages(e.ctx, &ec2.DescribeImagesInput{
			Filters: []ec2types.Filter{{Name: aws.String("architecture"), Values: []string{"x86_64"}}},
		})
		return idOf(found, err, func() *string { return found.Images[0].ImageId })
	case seed.Role, seed.InstanceProfile, seed.Policy, seed.OIDCProvider:
		return "", e.giveIdentity(given)
	case seed.IPAMPool, seed.PublicIPv4Pool:
		return "", nil // the proxy answers for them
	case seed.DefaultVPC, seed.AWSService, seed.KeyPair, seed.PublicIPAMPool, seed.Listed:
	}
	return "", fmt.Errorf("the test has no way to create a %s", given.Kind)
}

// giveVPC creates a VPC with an internet gateway and a gateway endpoint of S3.
func (e *Account) giveVPC() (string, error) {
	made, err := e.Compute.CreateVpc(e.ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
	if err != nil {
		return "", err
	}
	vpc := made.Vpc.VpcId
	hostnames := &ec2.ModifyVpcAttributeInput{
		VpcId:              vpc,
		EnableDnsHostnames: &ec2types.AttributeBooleanValue{Value: aws.Bool(true)},
	}
	if _, err := e.Compute.ModifyVpcAttribute(e.ctx, hostnames); err != nil {
		return "", err
	}
	gateway, err := e.Compute.CreateInternetGateway(e.ctx, &ec2.CreateInternetGatewayInput{})
	if err != nil {
		return "", err
	}
	if _, err := e.Compute.AttachInternetGateway(e.ctx, &ec2.AttachInternetGatewayInput{
		InternetGatewayId: gateway.InternetGateway.InternetGatewayId,
		VpcId:             vpc,
	}); err != nil {
		return "", err
	}
	options, err := e.Compute.CreateDhcpOptions(e.ctx,
		&ec2.CreateDhcpOptionsInput{DhcpConfigurations: []ec2types.NewDhcpConfiguration{
			// AWS gives a VPC the region's default options
			{Key: aws.String("domain-name-servers"), Values: []string{"AmazonProvidedDNS"}}}})
	if err != nil {
		return "", err
	}
	if _, err := e.Compute.AssociateDhcpOptions(e.ctx, &ec2.AssociateDhcpOptionsInput{
		DhcpOptionsId: options.DhcpOptions.DhcpOptionsId,
		VpcId:         vpc,
	}); err != nil {
		return "", err
	}
	_, err = e.Compute.CreateVpcEndpoint(e.ctx, &ec2.CreateVpcEndpointInput{VpcId: vpc,
		ServiceName:     aws.String("com.amazonaws.us-east-1.s3"),
		VpcEndpointType: ec2types.VpcEndpointTypeGateway})
	return *vpc, err
}

// giveSubnet creates a subnet whose table has a route to a transit gateway or, if it is public, to the VPC's internet
// gateway, and one to S3 through the VPC's gateway endpoint.
func (e *Account) giveSubnet(given seed.Seed, vpc string) (string, error) {
	filter := []ec2types.Filter{{Name: aws.String("vpc-id"), Values: []string{vpc}}}
	before, err := e.Compute.DescribeSubnets(e.ctx, &ec2.DescribeSubnetsInput{Filters: filter})
	if err != nil {
		return "", err
	}
	made, err := e.Compute.CreateSubnet(e.ctx, &ec2.CreateSubnetInput{VpcId: &vpc, AvailabilityZone: &given.Zone,
		CidrBlock: aws.String(fmt.Sprintf("10.0.%d.0/20", 16*len(before.Subnets)))})
	if err != nil {
		return "", err
	}
	table, err := e.Compute.CreateRouteTable(e.ctx, &ec2.CreateRouteTableInput{VpcId: &vpc})
	if err != nil {
		return "", err
	}
	route := &ec2.CreateRouteInput{
		RouteTableId:         table.RouteTable.RouteTableId,
		DestinationCidrBlock: aws.String("0.0.0.0/0"),
	}
	if given.Kind == seed.PrivateSubnet {
		transit, err := e.Compute.CreateTransitGateway(e.ctx, &ec2.CreateTransitGatewayInput{})
		if err != nil {
			return "", err
		}
		route.TransitGatewayId = transit.TransitGateway.TransitGatewayId
	} else {
		gateways, err := e.Compute.DescribeInternetGateways(e.ctx,
			&ec2.DescribeInternetGatewaysInput{Filters: []ec2types.Filter{
				{Name: aws.String("attachment.vpc-id"), Values: []string{vpc}}}})
		if err != nil {
			return "", err
		}
		route.GatewayId = gateways.InternetGateways[0].InternetGatewayId
	}
	if _, err := e.Compute.CreateRoute(e.ctx, route); err != nil {
		return "", err
	}
	if _, err := e.Compute.AssociateRouteTable(e.ctx, &ec2.AssociateRouteTableInput{
		RouteTableId: route.RouteTableId,
		SubnetId:     made.Subnet.SubnetId,
	}); err != nil {
		return "", err
	}
	endpoints, err := e.Compute.DescribeVpcEndpoints(e.ctx, &ec2.DescribeVpcEndpointsInput{Filters: filter})
	if err != nil {
		return "", err
	}
	for _, endpoint := range endpoints.VpcEndpoints { // the gateway endpoint of S3
		if _, err := e.Compute.ModifyVpcEndpoint(e.ctx, &ec2.ModifyVpcEndpointInput{
			VpcEndpointId: endpoint.VpcEndpointId, AddRouteTableIds: []string{*route.RouteTableId},
		}); err != nil {
			return "", err
		}
	}
	return *made.Subnet.SubnetId, nil
}

// giveBalancer creates an internal load balancer in all zones of a VPC of its own.
func (e *Account) giveBalancer(kind balancertypes.LoadBalancerTypeEnum, name string) (string, error) {
	vpc, err := e.Compute.CreateVpc(e.ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.200.0.0/16")})
	if err != nil {
		return "", err
	}
	var subnets []string
	for i, zone := range []string{"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1e", "us-east-1f"} {
		subnet, err := e.Compute.CreateSubnet(e.ctx, &ec2.CreateSubnetInput{
			VpcId:            vpc.Vpc.VpcId,
			AvailabilityZone: &zone,
			CidrBlock:        aws.String(fmt.Sprintf("10.200.%d.0/20", 16*i)),
		})
		if err != nil {
			return "", err
		}
		subnets = append(subnets, *subnet.Subnet.SubnetId)
	}
	input := &elasticloadbalancingv2.CreateLoadBalancerInput{Name: &name, Subnets: subnets, Type: kind}
	if kind == balancertypes.LoadBalancerTypeEnumNetwork {
		input.Scheme = balancertypes.LoadBalancerSchemeEnumInternal
	}
	out, err := elasticloadbalancingv2.NewFromConfig(e.config).CreateLoadBalancer(e.ctx, input)
	return idOf(out, err, func() *string { return out.LoadBalancers[0].LoadBalancerArn })
}

// giveService creates the endpoint service of a load balancer, of a Gateway Load Balancer for a firewall, in the
// account itself.
func (e *Account) giveService(given seed.Seed) (string, error) {
	kind := balancertypes.LoadBalancerTypeEnumNetwork
	if given.Kind == seed.FirewallService {
		kind = balancertypes.LoadBalancerTypeEnumGateway
	}
	balancer, err := e.giveBalancer(kind, "given-"+string(kind))
	if err != nil {
		return "", err
	}
	input := &ec2.CreateVpcEndpointServiceConfigurationInput{
		AcceptanceRequired:      aws.Bool(false),
		NetworkLoadBalancerArns: []string{balancer},
	}
	if given.Kind == seed.FirewallService {
		input.NetworkLoadBalancerArns, input.GatewayLoadBalancerArns = nil, []string{balancer}
	}
	out, err := e.Compute.CreateVpcEndpointServiceConfiguration(e.ctx, input)
	return idOf(out, err, func() *string { return out.ServiceConfiguration.ServiceName })
}

func (e *Account) giveIdentity(given seed.Seed) error {
	const all = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`
	_, name, _ := strings.Cut(given.Name, "/")
	path := "/"
	if i := strings.LastIndex(name, "/"); i >= 0 {
		path, name = "/"+name[:i+1], name[i+1:]
	}
	var err error
	switch given.Kind {
	case seed.Role:
		_, err = e.Identities.CreateRole(e.ctx, &iam.CreateRoleInput{
			RoleName:                 &name,
			Path:                     &path,
			AssumeRolePolicyDocument: &given.Document,
		})
	case seed.Policy:
		_, err = e.Identities.CreatePolicy(e.ctx, &iam.CreatePolicyInput{
			PolicyName:     &name,
			Path:           &path,
			PolicyDocument: aws.String(all),
		})
	case seed.InstanceProfile:
		e.Role(given.Name)
		if _, err = e.Identities.CreateInstanceProfile(e.ctx, &iam.CreateInstanceProfileInput{
			InstanceProfileName: &given.Name,
		}); err == nil {
			_, err = e.Identities.AddRoleToInstanceProfile(e.ctx, &iam.AddRoleToInstanceProfileInput{
				InstanceProfileName: &given.Name,
				RoleName:            &given.Name,
			})
		}
	default:
		_, err = e.Identities.CreateOpenIDConnectProvider(e.ctx, &iam.CreateOpenIDConnectProviderInput{
			Url:          &given.Name,
			ClientIDList: []string{"openshift", "sts.amazonaws.com"},
		})
	}
	return err
}

// givePublicZone creates a public zone, to which the zone of its parent domain delegates if there is one.
func (e *Account) givePublicZone(name string) error {
	made, err := e.names.CreateHostedZone(e.ctx, &route53.CreateHostedZoneInput{Name: &name, CallerReference: &name})
	if err != nil {
		return err
	}
	_, domain, _ := strings.Cut(name, ".")
	parents, err := e.names.ListHostedZonesByName(e.ctx, &route53.ListHostedZonesByNameInput{DNSName: &domain})
	if err != nil || len(parents.HostedZones) == 0 || strings.TrimSuffix(*parents.HostedZones[0].Name, ".") != domain {
		return err
	}
	records := &route53types.ResourceRecordSet{Name: &name, Type: route53types.RRTypeNs, TTL: aws.Int64(300)}
	for _, server := range made.DelegationSet.NameServers {
		records.ResourceRecords = append(records.ResourceRecords, route53types.ResourceRecord{Value: &server})
	}
	_, err = e.names.ChangeResourceRecordSets(e.ctx,
		&route53.ChangeResourceRecordSetsInput{HostedZoneId: parents.HostedZones[0].Id,
			ChangeBatch: &route53types.ChangeBatch{
				Changes: []route53types.Change{{Action: route53types.ChangeActionCreate, ResourceRecordSet: records}},
			}})
	return err
}

// givePrivateZone creates private zones until one has an ID of AWS's form, which begins with Z.
func (e *Account) givePrivateZone(given seed.Seed, vpc *string) (string, error) {
	for i := 0; ; i++ {
		made, err := e.names.CreateHostedZone(e.ctx, &route53.CreateHostedZoneInput{Name: &given.Domain,
			CallerReference:  aws.String(fmt.Sprint(given.Name, i)),
			VPC:              &route53types.VPC{VPCId: vpc, VPCRegion: "us-east-1"},
			HostedZoneConfig: &route53types.HostedZoneConfig{PrivateZone: true}})
		if err != nil {
			return "", err
		}
		id := strings.TrimPrefix(*made.HostedZone.Id, "/hostedzone/")
		if strings.HasPrefix(id, "Z") {
			return id, nil
		}
		if _, err := e.names.DeleteHostedZone(e.ctx, &route53.DeleteHostedZoneInput{Id: &id}); err != nil {
			return "", err
		}
	}
}

// Zones returns the names of the hosted zones, in alphabetical order.
func (e *Account) Zones() []string {
	e.t.Helper()
	zones, err := e.names.ListHostedZones(e.ctx, &route53.ListHostedZonesInput{})
	require.NoError(e.t, err)
	names := make([]string, len(zones.HostedZones))
	for i, zone := range zones.HostedZones {
		names[i] = *zone.Name
	}
	slices.Sort(names)
	return names
}

// Group returns the ID of the security group with that name in the VPC of a cluster, "" if there is none.
func (e *Account) Group(name string) string {
	groups, err := e.Compute.DescribeSecurityGroups(e.ctx, &ec2.DescribeSecurityGroupsInput{
		Filters: []ec2types.Filter{{Name: aws.String("group-name"), Values: []string{name}}},
	})
	vpcs, failed := e.Compute.DescribeVpcs(e.ctx, &ec2.DescribeVpcsInput{
		Filters: []ec2types.Filter{{Name: aws.String("is-default"), Values: []string{"false"}}},
	})
	if err != nil || failed != nil {
		return ""
	}
	for _, group := range groups.SecurityGroups {
		if slices.ContainsFunc(vpcs.Vpcs, func(vpc ec2types.Vpc) bool { return *vpc.VpcId == *group.VpcId }) {
			return *group.GroupId
		}
	}
	return ""
}
