package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	quotatypes "github.com/aws/aws-sdk-go-v2/service/servicequotas/types"

	"github.com/hypershift-aws/hypershift-aws/internal/account"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// lists are the answers that several quotas are counted from.
type lists struct {
	vpcs      once[[]ec2types.Vpc]
	endpoints once[[]ec2types.VpcEndpoint]
	nats      once[[]ec2types.NatGateway]
	subnets   once[[]ec2types.Subnet]
	instances once[[]ec2types.Instance]
	summary   once[map[string]int32]
	zones     once[[2]int]
	issuers   once[[]string]
}

// Limit implements Account.
func (a *realAccount) Limit(ctx context.Context, q awstype.Quota) (int, error) {
	switch q.Name {
	case "elasticIPs":
		return a.elasticIPLimit(ctx)
	case "hostedZones":
		counts, err := a.hostedZones(ctx)
		return counts[0], err
	case "roles", "instanceProfiles":
		return a.summary(ctx, summaryKeys[q.Name]+"Quota")
	}
	who, err := a.Identity(ctx)
	if err != nil {
		return 0, err
	}
	client, err := a.quotas(ctx, q.Region(who.Partition, who.Region))
	if err != nil {
		return 0, err
	}
	applied, err := client.GetServiceQuota(ctx, &servicequotas.GetServiceQuotaInput{ServiceCode: &q.Service, QuotaCode: &q.Code})
	var none *quotatypes.NoSuchResourceException
	if errors.As(err, &none) { // nothing was ever applied for
		def, err := client.GetAWSDefaultServiceQuota(ctx, &servicequotas.GetAWSDefaultServiceQuotaInput{ServiceCode: &q.Service, QuotaCode: &q.Code})
		if err != nil {
			return 0, err
		}
		return quotaValue(def.Quota)
	}
	if err != nil {
		return 0, err
	}
	return quotaValue(applied.Quota)
}

func quotaValue(q *quotatypes.ServiceQuota) (int, error) {
	if q == nil || q.Value == nil {
		return 0, errors.New("AWS gave no value for the quota")
	}
	return int(*q.Value), nil
}

func (a *realAccount) elasticIPLimit(ctx context.Context) (int, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return 0, err
	}
	answer, err := client.DescribeAccountAttributes(ctx, &ec2.DescribeAccountAttributesInput{
		AttributeNames: []ec2types.AccountAttributeName{"vpc-max-elastic-ips"},
	})
	if err != nil {
		return 0, err
	}
	for _, attribute := range answer.AccountAttributes {
		if aws.ToString(attribute.AttributeName) == "vpc-max-elastic-ips" && len(attribute.AttributeValues) > 0 {
			return strconv.Atoi(aws.ToString(attribute.AttributeValues[0].AttributeValue))
		}
	}
	return 0, errors.New("AWS does not return the limit of elastic IPs")
}

// hostedZones returns the limit of hosted zones and their number.
func (a *realAccount) hostedZones(ctx context.Context) ([2]int, error) {
	client, err := a.route53(ctx)
	if err != nil {
		return [2]int{}, err
	}
	return a.lists.zones.get(func() ([2]int, error) {
		answer, err := client.GetAccountLimit(ctx, &route53.GetAccountLimitInput{Type: route53types.AccountLimitTypeMaxHostedZonesByOwner})
		if err != nil || answer.Limit == nil {
			return [2]int{}, err
		}
		return [2]int{int(aws.ToInt64(answer.Limit.Value)), int(answer.Count)}, nil
	})
}

// summaryKeys are the keys of IAM's summary by the names of quotas; with the suffix Quota they are the limits.
var summaryKeys = map[string]string{"roles": "Roles", "instanceProfiles": "InstanceProfiles"}

func (a *realAccount) summary(ctx context.Context, key string) (int, error) {
	client, err := a.iam(ctx)
	if err != nil {
		return 0, err
	}
	all, err := a.lists.summary.get(func() (map[string]int32, error) {
		answer, err := client.GetAccountSummary(ctx, &iam.GetAccountSummaryInput{})
		if err != nil {
			return nil, err
		}
		return answer.SummaryMap, nil
	})
	if err != nil {
		return 0, err
	}
	count, known := all[key]
	if !known {
		return 0, fmt.Errorf("IAM's account summary has no %s", key)
	}
	return int(count), nil
}

// Used implements Account.
func (a *realAccount) Used(ctx context.Context, q awstype.Quota, of string) (int, error) {
	switch q.Name {
	case "roles", "instanceProfiles":
		return a.summary(ctx, summaryKeys[q.Name])
	case "hostedZones":
		counts, err := a.hostedZones(ctx)
		return counts[1], err
	case "oidcProviders":
		issuers, err := a.issuers(ctx)
		return len(issuers), err
	case "networkLoadBalancers":
		return a.networkLoadBalancers(ctx)
	case awstype.StandardVCPUs, awstype.SpotVCPUs:
		return a.vCPUsInUse(ctx, q.Name == awstype.SpotVCPUs)
	}
	return a.inEC2(ctx, q.Name, of)
}

// inEC2 counts the items of EC2's lists.
func (a *realAccount) inEC2(ctx context.Context, name, of string) (int, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return 0, err
	}
	who, err := a.Identity(ctx)
	if err != nil {
		return 0, err
	}
	inVPC := []ec2types.Filter{filter("vpc-id", of)}
	switch name {
	case "vpcs":
		vpcs, err := a.vpcs(ctx)
		return count(vpcs, func(v ec2types.Vpc) bool { return aws.ToString(v.OwnerId) == who.Account }), err
	case "internetGateways":
		pages := account.NewPages(client.DescribeInternetGateways, &ec2.DescribeInternetGatewaysInput{})
		found, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeInternetGatewaysOutput) []ec2types.InternetGateway { return p.InternetGateways })
		return count(found, func(g ec2types.InternetGateway) bool { return aws.ToString(g.OwnerId) == who.Account }), err
	case "elasticIPs":
		found, err := client.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{})
		if err != nil {
			return 0, err
		}
		return count(found.Addresses, func(x ec2types.Address) bool { return x.Domain == ec2types.DomainTypeVpc }), nil
	case "natGatewaysPerZone":
		return a.natGatewaysIn(ctx, of)
	case "gatewayEndpoints":
		found, err := a.endpoints(ctx)
		return count(found, isGateway), err
	case "interfaceEndpointsPerVPC":
		found, err := a.endpoints(ctx)
		return count(found, func(e ec2types.VpcEndpoint) bool { return !isGateway(e) && aws.ToString(e.VpcId) == of }), err
	case "securityGroups":
		pages := account.NewPages(client.DescribeSecurityGroups, &ec2.DescribeSecurityGroupsInput{MaxResults: aws.Int32(1000)})
		found, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeSecurityGroupsOutput) []ec2types.SecurityGroup { return p.SecurityGroups })
		return count(found, func(g ec2types.SecurityGroup) bool { return aws.ToString(g.OwnerId) == who.Account }), err
	case "subnetsPerVPC":
		pages := account.NewPages(client.DescribeSubnets, &ec2.DescribeSubnetsInput{Filters: inVPC})
		found, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeSubnetsOutput) []ec2types.Subnet { return p.Subnets })
		return len(found), err
	case "routeTablesPerVPC":
		pages := account.NewPages(client.DescribeRouteTables, &ec2.DescribeRouteTablesInput{Filters: inVPC})
		found, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeRouteTablesOutput) []ec2types.RouteTable { return p.RouteTables })
		return len(found), err
	}
	return 0, fmt.Errorf("how much of the quota %s is used is not known", name)
}

func (a *realAccount) vpcs(ctx context.Context) ([]ec2types.Vpc, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return nil, err
	}
	return a.lists.vpcs.get(func() ([]ec2types.Vpc, error) {
		pages := account.NewPages(client.DescribeVpcs, &ec2.DescribeVpcsInput{})
		return all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeVpcsOutput) []ec2types.Vpc { return p.Vpcs })
	})
}

func (a *realAccount) endpoints(ctx context.Context) ([]ec2types.VpcEndpoint, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return nil, err
	}
	return a.lists.endpoints.get(func() ([]ec2types.VpcEndpoint, error) {
		pages := account.NewPages(client.DescribeVpcEndpoints, &ec2.DescribeVpcEndpointsInput{})
		return all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeVpcEndpointsOutput) []ec2types.VpcEndpoint { return p.VpcEndpoints })
	})
}

// isGateway reports whether an endpoint is a gateway endpoint, EC2's default.
func isGateway(e ec2types.VpcEndpoint) bool {
	return e.VpcEndpointType == "" || strings.EqualFold(string(e.VpcEndpointType), string(ec2types.VpcEndpointTypeGateway))
}

// natGatewaysIn counts the NAT gateways of a zone. One that is being deleted still counts.
func (a *realAccount) natGatewaysIn(ctx context.Context, zone string) (int, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return 0, err
	}
	states := []ec2types.NatGatewayState{ec2types.NatGatewayStatePending, ec2types.NatGatewayStateAvailable, ec2types.NatGatewayStateDeleting}
	gateways, err := a.lists.nats.get(func() ([]ec2types.NatGateway, error) {
		pages := account.NewPages(client.DescribeNatGateways, &ec2.DescribeNatGatewaysInput{})
		return all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeNatGatewaysOutput) []ec2types.NatGateway { return p.NatGateways })
	})
	if err != nil {
		return 0, err
	}
	gateways = slices.DeleteFunc(slices.Clone(gateways), func(g ec2types.NatGateway) bool { return !slices.Contains(states, g.State) })
	if len(gateways) == 0 {
		return 0, nil
	}
	subnets, err := a.lists.subnets.get(func() ([]ec2types.Subnet, error) {
		pages := account.NewPages(client.DescribeSubnets, &ec2.DescribeSubnetsInput{})
		return all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeSubnetsOutput) []ec2types.Subnet { return p.Subnets })
	})
	if err != nil {
		return 0, err
	}
	zones := map[string]string{}
	for _, s := range subnets {
		zones[aws.ToString(s.SubnetId)] = aws.ToString(s.AvailabilityZone)
	}
	return count(gateways, func(g ec2types.NatGateway) bool { return zones[aws.ToString(g.SubnetId)] == zone }), nil
}

func (a *realAccount) networkLoadBalancers(ctx context.Context) (int, error) {
	client, err := a.elbv2(ctx)
	if err != nil {
		return 0, err
	}
	pages := account.NewPages(client.DescribeLoadBalancers, &elbv2.DescribeLoadBalancersInput{})
	found, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *elbv2.DescribeLoadBalancersOutput) []elbtypes.LoadBalancer { return p.LoadBalancers })
	return count(found, func(b elbtypes.LoadBalancer) bool { return b.Type == elbtypes.LoadBalancerTypeEnumNetwork }), err
}

// vCPUsInUse returns the vCPUs of the running standard instances, spot or on demand.
func (a *realAccount) vCPUsInUse(ctx context.Context, spot bool) (int, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return 0, err
	}
	instances, err := a.lists.instances.get(func() ([]ec2types.Instance, error) {
		pages := account.NewPages(client.DescribeInstances, &ec2.DescribeInstancesInput{
			Filters: []ec2types.Filter{filter("instance-state-name", "pending", "running")},
		})
		return all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeInstancesOutput) []ec2types.Instance {
			var found []ec2types.Instance
			for _, reservation := range p.Reservations {
				found = append(found, reservation.Instances...)
			}
			return found
		})
	})
	if err != nil {
		return 0, err
	}
	used, unknown := 0, map[string]int{}
	for _, i := range instances {
		if !awstype.StandardInstance(string(i.InstanceType)) || spot != (i.InstanceLifecycle == ec2types.InstanceLifecycleTypeSpot) {
			continue
		}
		if cpu := i.CpuOptions; cpu != nil && aws.ToInt32(cpu.CoreCount) > 0 {
			used += int(aws.ToInt32(cpu.CoreCount) * max(1, aws.ToInt32(cpu.ThreadsPerCore)))
			continue
		}
		unknown[string(i.InstanceType)]++
	}
	if len(unknown) == 0 {
		return used, nil
	}
	var types []string
	for instanceType := range unknown {
		types = append(types, instanceType)
	}
	vCPUs, err := a.VCPUs(ctx, unique(types))
	for instanceType, n := range unknown {
		used += n * vCPUs[instanceType]
	}
	return used, err
}

// typesAtOnce is the maximum number of values in a filter of EC2.
const typesAtOnce = 200

// VCPUs implements Account.
func (a *realAccount) VCPUs(ctx context.Context, instanceTypes []string) (map[string]int, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for some := range slices.Chunk(instanceTypes, typesAtOnce) {
		// A filter leaves out a type that does not exist, where the list of types would be refused.
		pages := account.NewPages(client.DescribeInstanceTypes, &ec2.DescribeInstanceTypesInput{Filters: []ec2types.Filter{filter("instance-type", some...)}})
		found, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *ec2.DescribeInstanceTypesOutput) []ec2types.InstanceTypeInfo { return p.InstanceTypes })
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			if t.VCpuInfo != nil {
				counts[string(t.InstanceType)] = int(aws.ToInt32(t.VCpuInfo.DefaultVCpus))
			}
		}
	}
	return counts, nil
}

func filter(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: &name, Values: values}
}

func count[T any](list []T, counts func(T) bool) int {
	n := 0
	for _, item := range list {
		if counts(item) {
			n++
		}
	}
	return n
}

// all reads every page of a list.
func all[Page, Item, Options any](
	ctx context.Context, more func() bool, next func(context.Context, ...func(*Options)) (*Page, error), items func(*Page) []Item,
) ([]Item, error) {
	var list []Item
	for more() {
		page, err := next(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, items(page)...)
	}
	return list, nil
}
