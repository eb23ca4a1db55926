package orphan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/route53"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// realAccount is an AWS account, accessed with the credentials of a provider's settings.
type realAccount struct {
	values map[string]any

	once     sync.Once
	settings *awsconfig.Settings
	config   aws.Config
	err      error

	placing sync.Mutex
	// place is the account's once AWS has answered, otherwise nil.
	place *Place
}

var _ Account = (*realAccount)(nil)

// NewAWS returns the account of a provider with those settings, accessed as the provider does: see package awsconfig. It makes no request
// before the first call. The calls need sts:GetCallerIdentity and the actions that the records of package awstype list for the search of
// each type.
func NewAWS(settings map[string]any) Account { return &realAccount{values: settings} }

// load gets credentials, once.
func (a *realAccount) load(ctx context.Context) (aws.Config, error) {
	a.once.Do(func() {
		if a.settings, a.err = awsconfig.Parse(a.values); a.err == nil {
			a.config, a.err = a.settings.Load(ctx)
		}
	})
	return a.config.Copy(), a.err
}

// Place implements Account. It calls AWS once.
func (a *realAccount) Place(ctx context.Context) (Place, error) {
	a.placing.Lock()
	defer a.placing.Unlock()
	if a.place != nil {
		return *a.place, nil
	}
	cfg, err := a.load(ctx)
	if err != nil {
		return Place{}, err
	}
	who, err := a.settings.Identify(ctx, cfg)
	if err != nil {
		return Place{}, err
	}
	a.place = &Place{Partition: who.Partition, Account: who.Account, Region: who.Region}
	return *a.place, nil
}

// Find implements Account.
func (a *realAccount) Find(ctx context.Context, q Query) ([]Found, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	if q.Type == awstype.HostedZone {
		return byAttributes(q)(findZones(ctx, a.route53(cfg), q))
	}
	find := q.find()
	switch {
	case find.Tags.EC2 != "":
		place, err := a.Place(ctx)
		if err != nil {
			return nil, err
		}
		switch q.Type {
		case awstype.NATGateway:
			return findNATGateways(ctx, a.ec2(cfg), place, q.Tags())
		case awstype.ElasticIP:
			return findElasticIPs(ctx, a.ec2(cfg), place, q.Tags())
		}
		return findEC2(ctx, a.ec2(cfg), place, q.Type, q.Tags())
	case find.Tags.Tagging != "":
		return findARNs(ctx, a.tagging(cfg, find.Tags.Region), []awstype.Type{{Token: q.Type, Find: find}}, q.Tags())
	}
	switch q.Type {
	case awstype.MainRouteTableAssociation:
		return byAttributes(q)(findMainAssociation(ctx, a.ec2(cfg), q))
	case awstype.SecondaryCIDR:
		return byAttributes(q)(findSecondaryCIDR(ctx, a.ec2(cfg), q))
	case awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule:
		return byAttributes(q)(findRule(ctx, a.ec2(cfg), q))
	}
	return nil, fmt.Errorf("resources of type %s cannot be searched for", q.Type)
}

// Exists implements Account.
func (a *realAccount) Exists(ctx context.Context, q Query) (bool, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return false, err
	}
	switch q.Type {
	case awstype.RouteTableAssociation:
		return isAssociated(ctx, a.ec2(cfg), q)
	case awstype.DHCPOptionsAssociation:
		return usesOptions(ctx, a.ec2(cfg), q)
	}
	return false, fmt.Errorf("resources of type %s cannot be looked up", q.Type)
}

// Tagged implements Account. EC2 lists the tags of its own types; the tagging API lists the others, some of them in one region only.
func (a *realAccount) Tagged(ctx context.Context, tags map[string]string) ([]Found, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	place, err := a.Place(ctx)
	if err != nil {
		return nil, err
	}
	all, err := findEC2(ctx, a.ec2(cfg), place, "", tags)
	if err != nil {
		return nil, err
	}
	regions := map[string][]awstype.Type{}
	for _, record := range awstype.All() {
		if record.Find.Tags.Tagging != "" {
			region := cmp.Or(record.Find.Tags.Region, cfg.Region)
			regions[region] = append(regions[region], record)
		}
	}
	for region, types := range regions {
		found, err := findARNs(ctx, a.tagging(cfg, region), types, tags)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	sortFound(all)
	return all, nil
}

func sortFound(found []Found) {
	slices.SortFunc(found, func(a, b Found) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID)) })
}

// byAttributes converts the IDs of a search to results.
func byAttributes(q Query) func(ids []string, err error) ([]Found, error) {
	return func(ids []string, err error) ([]Found, error) {
		var found []Found
		for _, id := range ids {
			found = append(found, Found{Type: q.Type, ID: id})
		}
		sortFound(found)
		return found, err
	}
}

func (a *realAccount) ec2(cfg aws.Config) *ec2.Client {
	return ec2.NewFromConfig(cfg, func(o *ec2.Options) { a.settings.SetEndpoint("ec2", &o.BaseEndpoint) })
}

func (a *realAccount) route53(cfg aws.Config) *route53.Client {
	return route53.NewFromConfig(cfg, func(o *route53.Options) { a.settings.SetEndpoint("route53", &o.BaseEndpoint) })
}

// tagging returns the tagging API of a region; "" is the provider's region.
func (a *realAccount) tagging(cfg aws.Config, region string) *tagging.Client {
	return tagging.NewFromConfig(cfg, func(o *tagging.Options) {
		a.settings.SetEndpoint("resourcegroupstaggingapi", &o.BaseEndpoint)
		o.Region = cmp.Or(region, o.Region)
	})
}
