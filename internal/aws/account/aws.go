package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// realAccount is an AWS account.
type realAccount struct {
	*access
	// lists are the lists of a snapshot; nil for an account that asks AWS each time.
	lists *lists
}

// access is the access to an account with the credentials of a provider's settings.
type access struct {
	values map[string]any

	loading  sync.Mutex
	settings *awsconfig.Settings
	// config is nil until the credentials were got.
	config *aws.Config
	pace   pace

	placing sync.Mutex
	// identity caches the owner of the credentials; nil until the first successful call. principal is the ARN with its
	// policies.
	identity  *awsconfig.Identity
	principal string
}

var _ Account = (*realAccount)(nil)

// NewAWS returns the account of a provider with those settings, accessed as the provider does: see package awsconfig.
// It makes no request before the first call. The calls need sts:GetCallerIdentity and the actions of package awstype:
// those that the records list for the search of a type, those of Sweeps, and those of Life.
func NewAWS(settings map[string]any) Account {
	return &realAccount{access: &access{values: settings}}
}

// Snapshot implements Account.
func (a *realAccount) Snapshot() Account {
	if a.lists != nil {
		return a
	}
	return &realAccount{a.access, newLists()}
}

// load gets credentials, once. After an error, the next call tries again.
func (a *access) load(ctx context.Context) (aws.Config, error) {
	a.loading.Lock()
	defer a.loading.Unlock()
	if a.config == nil {
		var err error
		if a.settings, err = awsconfig.Parse(a.values); err != nil {
			return aws.Config{}, err
		}
		config, err := a.settings.Load(ctx)
		if err != nil {
			return aws.Config{}, err
		}
		config.APIOptions = append(config.APIOptions, refuseChanges, logged, a.pace.limit)
		a.config = &config
	}
	return a.config.Copy(), nil
}

// Place implements Account.
func (a *access) Place(ctx context.Context) (inventory.Place, error) {
	who, err := a.Identity(ctx)
	return who.Place, err
}

// Identity implements Facts. It calls AWS once.
func (a *access) Identity(ctx context.Context) (awsconfig.Identity, error) {
	a.placing.Lock()
	defer a.placing.Unlock()
	if a.identity != nil {
		return *a.identity, nil
	}
	cfg, err := a.load(ctx)
	if err != nil {
		return awsconfig.Identity{}, err
	}
	who, err := a.settings.Identify(ctx, cfg)
	if err != nil {
		return awsconfig.Identity{}, err
	}
	a.identity = &who
	return who, nil
}

// clients are the clients of the services, and the account that they belong to.
type clients struct {
	ec2     *ec2.Client
	elb     *elb.Client
	elbv2   *elbv2.Client
	events  *eventbridge.Client
	iam     *iam.Client
	kms     *kms.Client
	logs    *cloudwatchlogs.Client
	route53 *route53.Client
	s3      *s3.Client
	sqs     *sqs.Client
	// tagging returns the tagging API of a region; "" is the provider's region.
	tagging func(region string) *tagging.Client
	// quotas returns Service Quotas in a region.
	quotas func(region string) *servicequotas.Client
	place  inventory.Place
	// list is List of the account.
	list func(context.Context, Query) ([]inventory.Resource, error)
}

// attempts is how often a throttled request is sent.
const attempts = 8

func (a *realAccount) clients(ctx context.Context) (*clients, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	place, err := a.Place(ctx)
	if err != nil {
		return nil, err
	}
	cfg.RetryMaxAttempts = max(cfg.RetryMaxAttempts, attempts)
	of := func(service string) aws.Config { return a.pace.of(service, cfg) }
	// endpoint sets the address of a service, for which the provider's settings may have several names.
	endpoint := func(base **string, names ...string) {
		for _, name := range names {
			a.settings.SetEndpoint(name, base)
		}
	}
	return &clients{
		place: place, list: a.List,
		ec2:   ec2.NewFromConfig(of("ec2"), func(o *ec2.Options) { endpoint(&o.BaseEndpoint, "ec2") }),
		elb:   elb.NewFromConfig(of("elb"), func(o *elb.Options) { endpoint(&o.BaseEndpoint, "elb") }),
		elbv2: elbv2.NewFromConfig(of("elbv2"), func(o *elbv2.Options) { endpoint(&o.BaseEndpoint, "elbv2") }),
		events: eventbridge.NewFromConfig(of("eventbridge"), func(o *eventbridge.Options) {
			endpoint(&o.BaseEndpoint, "eventbridge", "cloudwatchevents", "events")
		}),
		iam: iam.NewFromConfig(of("iam"), func(o *iam.Options) { endpoint(&o.BaseEndpoint, "iam") }),
		kms: kms.NewFromConfig(of("kms"), func(o *kms.Options) { endpoint(&o.BaseEndpoint, "kms") }),
		logs: cloudwatchlogs.NewFromConfig(of("cloudwatchlogs"), func(o *cloudwatchlogs.Options) {
			endpoint(&o.BaseEndpoint, "cloudwatchlogs", "cloudwatchlog", "logs")
		}),
		route53: route53.NewFromConfig(of("route53"), func(o *route53.Options) { endpoint(&o.BaseEndpoint, "route53") }),
		sqs:     sqs.NewFromConfig(of("sqs"), func(o *sqs.Options) { endpoint(&o.BaseEndpoint, "sqs") }),
		s3: s3.NewFromConfig(of("s3"), func(o *s3.Options) {
			endpoint(&o.BaseEndpoint, "s3")
			o.UsePathStyle = o.BaseEndpoint != nil // a custom endpoint has no hostname per bucket
		}),
		tagging: func(region string) *tagging.Client {
			return tagging.NewFromConfig(of("tagging"), func(o *tagging.Options) {
				endpoint(&o.BaseEndpoint, "resourcegroupstaggingapi")
				if region != "" {
					o.Region = region
				}
			})
		},
		quotas: func(region string) *servicequotas.Client {
			return servicequotas.NewFromConfig(of("servicequotas"), func(o *servicequotas.Options) {
				endpoint(&o.BaseEndpoint, "servicequotas")
				o.Region = region
			})
		},
	}, nil
}

// List implements Account.
func (a *realAccount) List(ctx context.Context, q Query) ([]inventory.Resource, error) {
	how, known := listers()[q.Type]
	if !known {
		return nil, ErrNotListed
	}
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	q.filters = filtersOf(q, how.narrow)
	found, err := listed(a.lists, q, how, func() ([]inventory.Resource, error) {
		found, err := how.list(ctx, c, q)
		if gone(err) {
			return nil, nil
		}
		for i := range found {
			found[i].Type = q.Type
		}
		return found, err
	})
	if err != nil && !errors.Is(err, ErrNotListed) {
		err = fmt.Errorf("listing instances of %s: %w", label(q.Type), err)
	}
	return q.Narrowed(found), err
}

// label returns the name of a type in messages.
func label(token string) string {
	record, _ := awstype.Lookup(token)
	if swept, _ := awstype.SweepOf(token); record.Label == "" {
		return swept.Label
	}
	return record.Label
}

// Find implements Account.
func (a *realAccount) Find(ctx context.Context, q Query) ([]inventory.Resource, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	record, _ := awstype.Lookup(q.Type)
	match := awstype.Adoption{Match: record.Find.Attributes}
	tags := map[string]string{}
	switch {
	case q.Type == awstype.NATGateway, q.Type == awstype.ElasticIP:
		// Types that are billed by the hour are read by their own requests, which return the resources and their states.
		// EC2's list of tags is separate: it may lag behind, and contains the tags of deleted resources.
		tags = q.Tags()
	case record.Find.Tags.EC2 != "":
		return findEC2(ctx, c, q.Type, q.Tags())
	case len(match.Match) > 0:
	case record.Find.Tags.Tagging != "":
		return findARNs(ctx, c.tagging(record.Find.Tags.Region), []awstype.Type{record}, q.Tags())
	default:
		return nil, fmt.Errorf("resources of type %s cannot be searched for", q.Type)
	}
	found, err := a.List(ctx, q)
	found = Select(found, q, match)
	found = slices.DeleteFunc(found, func(r inventory.Resource) bool { return len(tags) > 0 && !CarriesAll(r.Tags, tags) })
	for i, r := range found {
		if record.Find.Tags.EC2 != "" {
			found[i].ARN = record.Find.Tags.ResourceARN(r.ID, c.place.Partition, c.place.Region, c.place.Account)
		}
	}
	return found, err
}

// Dated reports whether AWS returns when instances of the type were created.
func Dated(token string) bool { return listers()[token].dated }

// denials are the codes of AWS's errors for requests that the credentials do not allow.
var denials = []string{"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError"}

// Created implements Account.
func (a *realAccount) Created(ctx context.Context, r inventory.Resource) (at time.Time, exists bool, err error) {
	how := listers()[r.Type]
	if !how.dated {
		return time.Time{}, true, nil
	}
	c, err := a.clients(ctx)
	if err != nil {
		return time.Time{}, false, err
	}
	var created *time.Time
	if how.created != nil {
		created, err = how.created(ctx, c, r.ID)
	} else {
		var found []inventory.Resource
		found, err = a.List(ctx, Query{Type: r.Type, IDs: []string{r.ID}})
		if len(found) > 0 {
			created = &found[0].Created
		}
	}
	switch {
	case gone(err), code(err) == "AWS.SimpleQueueService.NonExistentQueue", err == nil && created == nil:
		return time.Time{}, false, nil
	case slices.Contains(denials, code(err)):
		return time.Time{}, true, nil
	case err != nil:
		return time.Time{}, false, fmt.Errorf("reading when %s was created: %w", r.ID, err)
	}
	return *created, true, nil
}

// Release implements Account.
func (a *realAccount) Release(ctx context.Context, r inventory.Resource) error {
	if listers()[r.Type].release == nil {
		return nil
	}
	return a.change(ctx, r, listers()[r.Type].release)
}

// Delete implements Account.
func (a *realAccount) Delete(ctx context.Context, r inventory.Resource) error {
	return a.change(ctx, r, listers()[r.Type].remove)
}

func (a *realAccount) change(
	ctx context.Context,
	r inventory.Resource,
	change func(context.Context, *clients, inventory.Resource) error,
) error {
	if change == nil {
		return fmt.Errorf("resources of type %s cannot be swept", r.Type)
	}
	c, err := a.clients(ctx)
	if err != nil {
		return err
	}
	a.lists.forget()
	if err := change(ctx, c, r); err != nil && !gone(err) {
		return err
	}
	return nil
}
