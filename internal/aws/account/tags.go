package account

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	taggingtypes "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Tagged implements Account. EC2 lists the tags of its own types; the tagging API lists the others, some of them in one
// region only.
func (a *realAccount) Tagged(ctx context.Context, tags map[string]string) ([]inventory.Resource, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	regions := map[string][]awstype.Type{}
	for _, info := range awstype.All() {
		if info.Find.Tags.Tagging != "" {
			region := cmp.Or(info.Find.Tags.Region, c.place.Region)
			regions[region] = append(regions[region], info)
		}
	}
	// "" stands for EC2.
	all, err := Gather(append(slices.Collect(maps.Keys(regions)), ""), func(region string) ([]inventory.Resource, error) {
		if region == "" {
			return findEC2(ctx, c, "", tags)
		}
		return findARNs(ctx, c.tagging(region), regions[region], tags)
	})
	if err != nil {
		return nil, err
	}
	sortResources(all)
	return all, nil
}

func sortResources(found []inventory.Resource) {
	slices.SortFunc(found, func(a, b inventory.Resource) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
	})
}

// taggedListers list aliases of keys, and resources that only the tagging API lists.
func taggedListers() map[string]lister {
	byTags := lister{list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
		if len(q.Owner()) == 0 {
			return nil, ErrNotListed
		}
		info, _ := awstype.Lookup(q.Type)
		found, err := findARNs(ctx, c.tagging(info.Find.Tags.Region), []awstype.Type{info}, q.Owner())
		for i := range found {
			found[i].Properties = map[string]any{"arn": found[i].ARN}
		}
		return found, err
	}}
	// A part of a resource that exists exists too.
	assumed := lister{list: func(_ context.Context, _ *clients, q Query) ([]inventory.Resource, error) {
		return []inventory.Resource{{Properties: q.Inputs}}, nil
	}}
	return map[string]lister{
		awstype.KMSAlias: {list: func(ctx context.Context, c *clients, _ Query) ([]inventory.Resource, error) {
			return each(ctx, c.kms.ListAliases, &kms.ListAliasesInput{},
				func(p *kms.ListAliasesOutput) []kmstypes.AliasListEntry { return p.Aliases },
				func(a kmstypes.AliasListEntry) inventory.Resource {
					return named(aws.ToString(a.AliasName), map[string]any{"name": a.AliasName, "targetKeyId": a.TargetKeyId})
				})
		}},
		awstype.KMSKey: byTags, awstype.Distribution: byTags, awstype.ResourceShare: byTags,
		awstype.ResourceAssociation: assumed, awstype.PrincipalAssociation: assumed,
	}
}

func taggingPair(t taggingtypes.Tag) (key, value *string) { return t.Key, t.Value }

// orLost returns a lister of a type that is listed by its names. Without a name it lists what has the owner's tags, and
// is still there: the tagging API also shows for a while what was deleted.
func orLost(named lister) lister {
	byName := named.list
	named.list = func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
		if len(namesOf(q, "name")) > 0 {
			return byName(ctx, c, q)
		}
		info, _ := awstype.Lookup(q.Type)
		if len(q.Owner()) == 0 {
			return nil, ErrNotListed
		}
		info.Find.Tags = info.Lost.Tags
		tagged, err := findARNs(ctx, c.tagging(""), []awstype.Type{info}, q.Owner())
		if err != nil {
			return nil, err
		}
		return Gather(tagged, func(one inventory.Resource) ([]inventory.Resource, error) {
			found, err := byName(ctx, c, Query{Type: q.Type, Inputs: map[string]any{"name": one.ID}})
			if gone(err) {
				return nil, nil
			}
			for i := range found {
				found[i].Tags = one.Tags
			}
			return found, err
		})
	}
	return named
}

// findARNs searches the tagging API for resources of the types that have all the tags. The API shows a new resource
// within seconds.
func findARNs(
	ctx context.Context,
	client *tagging.Client,
	types []awstype.Type,
	tags map[string]string,
) ([]inventory.Resource, error) {
	input := &tagging.GetResourcesInput{}
	for key, value := range tags {
		input.TagFilters = append(input.TagFilters, taggingtypes.TagFilter{Key: aws.String(key), Values: []string{value}})
	}
	for _, t := range types {
		input.ResourceTypeFilters = append(input.ResourceTypeFilters, t.Find.Tags.Tagging)
	}
	found, err := each(ctx, client.GetResources, input,
		func(p *tagging.GetResourcesOutput) []taggingtypes.ResourceTagMapping { return p.ResourceTagMappingList },
		func(m taggingtypes.ResourceTagMapping) inventory.Resource {
			for _, t := range types {
				if id, is := t.Find.Tags.ID(aws.ToString(m.ResourceARN)); is {
					return inventory.Resource{
						Type: t.Token,
						ID:   id,
						ARN:  aws.ToString(m.ResourceARN),
						Tags: tagsOf(m.Tags, taggingPair),
					}
				}
			}
			return inventory.Resource{}
		})
	sortResources(found)
	return found, explained("tagged resources", err)
}

// resourceIDs is how many IDs one request can name.
const resourceIDs = 200

// findEC2 searches EC2 for resources of a type (all types for "") that have all the tags. EC2 lists tags, not
// resources: a resource matches if all its tags are listed. EC2 lists the tags of deleted NAT gateways, endpoints and
// instances for about an hour: these are left out.
func findEC2(ctx context.Context, c *clients, token string, tags map[string]string) ([]inventory.Resource, error) {
	types := map[string]awstype.Type{}
	for _, info := range awstype.All() {
		if name := info.Find.Tags.EC2; name != "" && (token == "" || info.Token == token) {
			types[name] = info
		}
	}
	filters := []ec2types.Filter{{Name: aws.String("key")}, {Name: aws.String("value")}}
	for key, value := range tags {
		filters[0].Values, filters[1].Values = append(filters[0].Values, key), append(filters[1].Values, value)
	}
	if token != "" {
		info, _ := awstype.Lookup(token)
		filters = append(filters, ec2types.Filter{Name: aws.String("resource-type"), Values: []string{info.Find.Tags.EC2}})
	}
	matches := map[string]int{}
	if err := eachTag(ctx, c.ec2, filters, func(tag ec2types.TagDescription) {
		if value, wanted := tags[aws.ToString(tag.Key)]; wanted && value == aws.ToString(tag.Value) {
			matches[aws.ToString(tag.ResourceId)]++
		}
	}); err != nil {
		return nil, err
	}
	var ids []string
	for id, n := range matches {
		if n == len(tags) {
			ids = append(ids, id)
		}
	}
	byID := map[string]*inventory.Resource{}
	for some := range slices.Chunk(ids, resourceIDs) {
		if err := eachTag(ctx, c.ec2, []ec2types.Filter{{
			Name:   aws.String("resource-id"),
			Values: some,
		}}, func(tag ec2types.TagDescription) {
			info, known := types[string(tag.ResourceType)]
			if !known {
				return
			}
			id := aws.ToString(tag.ResourceId)
			if byID[id] == nil {
				byID[id] = &inventory.Resource{Type: info.Token, ID: id, Tags: map[string]string{},
					ARN: info.Find.Tags.ResourceARN(id, c.place.Partition, c.place.Region, c.place.Account)}
			}
			byID[id].Tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
		}); err != nil {
			return nil, err
		}
	}
	return living(ctx, c, byID)
}

func eachTag(
	ctx context.Context,
	client *ec2.Client,
	filters []ec2types.Filter,
	do func(ec2types.TagDescription),
) error {
	err := eachPage(ctx, NewPages(client.DescribeTags, &ec2.DescribeTagsInput{Filters: filters}),
		func(page *ec2.DescribeTagsOutput) {
			for _, tag := range page.Tags {
				do(tag)
			}
		})
	return explained("EC2's tags", err)
}

// living adds the creation times that EC2 returns, and removes deleted resources. If a request is denied, the list
// stays as it is: a stack's policies allow reading only the stack's own types, and operators create resources of other
// types for a cluster.
func living(ctx context.Context, c *clients, byID map[string]*inventory.Resource) ([]inventory.Resource, error) {
	ids := map[string][]string{}
	for id, found := range byID {
		ids[found.Type] = append(ids[found.Type], id)
	}
	for _, token := range []string{awstype.NATGateway, awstype.VPCEndpoint, awstype.Instance} {
		for some := range slices.Chunk(ids[token], resourceIDs) {
			found, err := c.list(ctx, Query{Type: token, IDs: some, Complete: true})
			if code(err) == "UnauthorizedOperation" {
				break
			}
			if err != nil {
				return nil, err
			}
			for _, id := range some {
				i := slices.IndexFunc(found, func(r inventory.Resource) bool {
					return r.ID == id && (!Leaving(r) || token == awstype.Instance || r.State == "failed")
				})
				if i < 0 {
					delete(byID, id)
					continue
				}
				byID[id].Created = found[i].Created
			}
		}
	}
	var found []inventory.Resource
	for _, r := range byID {
		found = append(found, *r)
	}
	sortResources(found)
	return found, nil
}
