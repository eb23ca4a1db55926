package orphan

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	taggingtypes "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// realAccount is an AWS account, reached with the credentials of a provider's configuration.
type realAccount struct {
	settings settings
	environ  func(name string) (string, bool)
}

var _ Account = (*realAccount)(nil)

// NewAWS is the account that a provider of that configuration reaches: its profile, keys, roles, region and endpoints,
// as the engine's state has them, and for what they leave open the environment, as in the provider. Nothing is asked
// before the first call. The calls need sts:GetCallerIdentity, ec2:DescribeTags, ec2:DescribeRouteTables, ec2:DescribeVpcs,
// ec2:DescribeSecurityGroupRules, tag:GetResources, route53:ListHostedZonesByName and route53:GetHostedZone.
func NewAWS(config map[string]any, environ func(name string) (string, bool)) Account {
	return &realAccount{settings: settingsOf(config), environ: environ}
}

// Place implements Account.
func (a *realAccount) Place(ctx context.Context) (Place, error) {
	cfg, err := a.settings.load(ctx, a.environ)
	if err != nil {
		return Place{}, err
	}
	who, err := sts.NewFromConfig(cfg, func(o *sts.Options) { o.BaseEndpoint = a.settings.endpoint("sts") }).
		GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return Place{}, fmt.Errorf("asking AWS whose credentials these are: %w", err)
	}
	// arn:PARTITION:sts::ACCOUNT:…
	partition := strings.SplitN(aws.ToString(who.Arn), ":", 3)
	if len(partition) < 3 {
		return Place{}, fmt.Errorf("asking AWS whose credentials these are: %q is no ARN", aws.ToString(who.Arn))
	}
	return Place{Partition: partition[1], Account: aws.ToString(who.Account), Region: cfg.Region}, nil
}

// Find implements Account.
func (a *realAccount) Find(ctx context.Context, trace Trace) ([]string, error) {
	cfg, err := a.settings.load(ctx, a.environ)
	if err != nil {
		return nil, err
	}
	if trace.Type == hostedZone {
		return findZones(ctx, route53.NewFromConfig(cfg, func(o *route53.Options) { o.BaseEndpoint = a.settings.endpoint("route53") }), trace)
	}
	how := searches()[trace.Type]
	if how.tagged != "" {
		if how.region != "" {
			cfg.Region = how.region
		}
		client := tagging.NewFromConfig(cfg, func(o *tagging.Options) { o.BaseEndpoint = a.settings.endpoint("resourcegroupstaggingapi") })
		return findARNs(ctx, client, how, trace)
	}
	client := ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.BaseEndpoint = a.settings.endpoint("ec2") })
	switch trace.Type {
	case MainAssociation:
		return findMainAssociation(ctx, client, trace)
	case secondaryCIDR:
		return findSecondaryCIDR(ctx, client, trace)
	case ingressRule, egressRule:
		return findRule(ctx, client, trace)
	}
	return findTagged(ctx, client, how, trace)
}

// findARNs asks the tagging API for what has all the tags. It learns of a new resource within seconds.
func findARNs(ctx context.Context, client *tagging.Client, how search, trace Trace) ([]string, error) {
	var filters []taggingtypes.TagFilter
	for key, value := range trace.Tags() {
		filters = append(filters, taggingtypes.TagFilter{Key: aws.String(key), Values: []string{value}})
	}
	pages := tagging.NewGetResourcesPaginator(client, &tagging.GetResourcesInput{ResourceTypeFilters: []string{how.tagged}, TagFilters: filters})
	var ids []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing what is tagged: %w", err)
		}
		for _, resource := range page.ResourceTagMappingList {
			ids = append(ids, how.id(aws.ToString(resource.ResourceARN)))
		}
	}
	return ids, nil
}

// findTagged asks EC2 for what has all the tags. EC2 lists tags, not resources: a resource is one that has them all.
func findTagged(ctx context.Context, client *ec2.Client, how search, trace Trace) ([]string, error) {
	tags := trace.Tags()
	keys := make([]string, 0, len(tags))
	for key := range tags {
		keys = append(keys, key)
	}
	pages := ec2.NewDescribeTagsPaginator(client, &ec2.DescribeTagsInput{Filters: []ec2types.Filter{
		{Name: aws.String("resource-type"), Values: []string{how.ec2}},
		{Name: aws.String("key"), Values: keys},
	}})
	matches := map[string]int{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing EC2's tags: %w", err)
		}
		for _, tag := range page.Tags {
			if tags[aws.ToString(tag.Key)] == aws.ToString(tag.Value) {
				matches[aws.ToString(tag.ResourceId)]++
			}
		}
	}
	var ids []string
	for id, n := range matches {
		if n == len(tags) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// findMainAssociation finds the association that makes the trace's table the main one of its VPC.
func findMainAssociation(ctx context.Context, client *ec2.Client, trace Trace) ([]string, error) {
	found, err := client.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{Filters: []ec2types.Filter{
		{Name: aws.String("vpc-id"), Values: []string{trace.Text("vpcId")}},
		{Name: aws.String("association.main"), Values: []string{"true"}},
	}})
	if err != nil {
		return nil, fmt.Errorf("looking for the main route table of %s: %w", trace.Text("vpcId"), err)
	}
	var ids []string
	for _, table := range found.RouteTables {
		for _, association := range table.Associations {
			if aws.ToBool(association.Main) && aws.ToString(table.RouteTableId) == trace.Text("routeTableId") {
				ids = append(ids, aws.ToString(association.RouteTableAssociationId))
			}
		}
	}
	return ids, nil
}

// findSecondaryCIDR finds the association of the trace's CIDR with its VPC.
func findSecondaryCIDR(ctx context.Context, client *ec2.Client, trace Trace) ([]string, error) {
	found, err := client.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{Filters: []ec2types.Filter{
		{Name: aws.String("vpc-id"), Values: []string{trace.Text("vpcId")}},
	}})
	if err != nil {
		return nil, fmt.Errorf("looking for the CIDRs of %s: %w", trace.Text("vpcId"), err)
	}
	var ids []string
	for _, vpc := range found.Vpcs {
		for _, block := range vpc.CidrBlockAssociationSet {
			gone := block.CidrBlockState != nil && block.CidrBlockState.State == ec2types.VpcCidrBlockStateCodeDisassociated
			if aws.ToString(block.CidrBlock) == trace.Text("cidrBlock") && !gone {
				ids = append(ids, aws.ToString(block.AssociationId))
			}
		}
	}
	return ids, nil
}

// findZones finds private zones by name and VPC. A zone gets its tags only once it is there, so that one whose creation
// was cut off may have none; AWS allows one of a name in a VPC. Of a public zone's name there may be any number: none of
// them is taken without its tags.
func findZones(ctx context.Context, client *route53.Client, trace Trace) ([]string, error) {
	name := strings.TrimSuffix(trace.Text("name"), ".")
	vpcs, _ := trace.Inputs["vpcs"].([]any)
	found, err := client.ListHostedZonesByName(ctx, &route53.ListHostedZonesByNameInput{DNSName: aws.String(name)})
	if err != nil {
		return nil, fmt.Errorf("listing the hosted zones called %s: %w", name, err)
	}
	var ids []string
	for _, zone := range found.HostedZones {
		private := zone.Config != nil && zone.Config.PrivateZone
		if strings.TrimSuffix(aws.ToString(zone.Name), ".") != name || private != (len(vpcs) > 0) {
			continue
		}
		if private {
			full, err := client.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: zone.Id})
			if err != nil {
				return nil, fmt.Errorf("reading the hosted zone %s: %w", aws.ToString(zone.Id), err)
			}
			in := false
			for _, vpc := range full.VPCs {
				in = in || strings.Contains(texts(vpcs), `"`+aws.ToString(vpc.VPCId)+`"`)
			}
			if !in {
				continue
			}
		}
		ids = append(ids, strings.TrimPrefix(aws.ToString(zone.Id), "/hostedzone/"))
	}
	return ids, nil
}

func texts(v any) string {
	text, _ := json.Marshal(v) // plain JSON values always marshal
	return string(text)
}
