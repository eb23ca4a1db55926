package orphan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// NewSweepable returns the account of a provider with those settings, as in NewAWS. The calls need the actions of awstype.Sweeps.
func NewSweepable(settings map[string]any) Sweepable {
	return &sweptAccount{realAccount: &realAccount{values: settings}}
}

// sweptAccount lists and deletes in an AWS account what clusters left.
type sweptAccount struct{ *realAccount }

var _ Sweepable = (*sweptAccount)(nil)

// clients are the clients of the services that a sweep covers.
type clients struct {
	ec2     *ec2.Client
	elb     *elb.Client
	elbv2   *elbv2.Client
	iam     *iam.Client
	route53 *route53.Client
	s3      *s3.Client
	tagging *tagging.Client
	place   Place
}

// sweepAttempts is how often a throttled request is sent.
const sweepAttempts = 8

func (a *sweptAccount) clients(ctx context.Context) (*clients, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	place, err := a.Place(ctx)
	if err != nil {
		return nil, err
	}
	cfg.RetryMaxAttempts = max(cfg.RetryMaxAttempts, sweepAttempts)
	s := a.settings
	return &clients{
		ec2: a.ec2(cfg), route53: a.route53(cfg), tagging: a.tagging(cfg, ""), place: place,
		elb:   elb.NewFromConfig(cfg, func(o *elb.Options) { s.SetEndpoint("elb", &o.BaseEndpoint) }),
		elbv2: elbv2.NewFromConfig(cfg, func(o *elbv2.Options) { s.SetEndpoint("elbv2", &o.BaseEndpoint) }),
		iam:   iam.NewFromConfig(cfg, func(o *iam.Options) { s.SetEndpoint("iam", &o.BaseEndpoint) }),
		s3: s3.NewFromConfig(cfg, func(o *s3.Options) {
			s.SetEndpoint("s3", &o.BaseEndpoint)
			o.UsePathStyle = o.BaseEndpoint != nil // a custom endpoint has no hostname per bucket
		}),
	}, nil
}

// sweepKind is how a type is listed and deleted. list lists the resources with the given IDs, all for none; release may be nil.
type sweepKind struct {
	token   string
	list    func(context.Context, *clients, []string) ([]Leftover, error)
	release func(context.Context, *clients, Leftover) error
	remove  func(context.Context, *clients, Leftover) error
}

func sweepKinds() []sweepKind {
	return []sweepKind{
		{awstype.Instance, listInstances, nil, terminateInstance},
		{awstype.VPCEndpoint, listEndpoints, nil, deleteEndpoint},
		{awstype.VPCEndpointService, listEndpointServices, nil, deleteEndpointService},
		{awstype.LoadBalancer, listLoadBalancers, nil, deleteLoadBalancer},
		{awstype.ClassicLoadBalancer, listClassicLoadBalancers, nil, deleteClassicLoadBalancer},
		{awstype.TargetGroup, listTargetGroups, nil, deleteTargetGroup},
		{awstype.NATGateway, listNATGateways, nil, deleteNATGateway},
		{awstype.Volume, listVolumes, nil, deleteVolume},
		{awstype.Snapshot, listSnapshots, nil, deleteSnapshot},
		{awstype.ElasticIP, listAddresses, nil, releaseAddress},
		{awstype.NetworkInterface, listInterfaces, nil, deleteInterface},
		{awstype.SecurityGroup, listGroups, revokeGroupRules, deleteGroup},
		{awstype.RouteTable, listRouteTables, nil, deleteRouteTable},
		{awstype.InternetGateway, listInternetGateways, nil, deleteInternetGateway},
		{awstype.Subnet, listSubnets, nil, deleteSubnet},
		{awstype.HostedZone, listZones, nil, deleteZone},
		{awstype.VPC, listVPCs, nil, deleteVPC},
		{awstype.DHCPOptions, listDHCPOptions, nil, deleteDHCPOptions},
		{awstype.OIDCProvider, listOIDCProviders, nil, deleteOIDCProvider},
		{awstype.InstanceProfile, listInstanceProfiles, nil, deleteInstanceProfile},
		{awstype.Role, listRoles, nil, deleteRole},
		{awstype.Bucket, listBuckets, nil, deleteBucket},
		{awstype.Record, nil, nil, deleteRecord},
	}
}

func sweepKindOf(token string) (sweepKind, error) {
	kinds := sweepKinds()
	i := slices.IndexFunc(kinds, func(k sweepKind) bool { return k.token == token })
	if i < 0 {
		return sweepKind{}, fmt.Errorf("resources of type %s cannot be swept", token)
	}
	return kinds[i], nil
}

// Leftovers implements Sweepable.
func (a *sweptAccount) Leftovers(ctx context.Context, wanted func(awstype.Sweep) bool) ([]Leftover, []Missing) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, []Missing{{Err: err}}
	}
	var all []Leftover
	var missing []Missing
	for _, kind := range sweepKinds() {
		if record, _ := awstype.SweepOf(kind.token); kind.list == nil || !wanted(record) {
			continue
		}
		found, err := kind.list(ctx, c, nil)
		if err != nil {
			missing = append(missing, Missing{Type: kind.token, Err: err})
		}
		for _, l := range found {
			l.Type = kind.token
			if len(l.Clusters()) > 0 || l.Type == awstype.Instance || l.Type == awstype.NetworkInterface {
				all = append(all, l)
			}
		}
	}
	tellInterfaces(all)
	slices.SortFunc(all, func(a, b Leftover) int { return strings.Compare(a.Type+" "+a.ID, b.Type+" "+b.ID) })
	return all, missing
}

// tellInterfaces assigns to load balancers the network interfaces that AWS created for them: only the interface's description names the
// load balancer.
func tellInterfaces(all []Leftover) {
	by := map[string]*Leftover{}
	for i := range all {
		switch all[i].Type {
		case awstype.LoadBalancer:
			_, name, _ := strings.Cut(all[i].ARN, ":loadbalancer/")
			by["ELB "+name] = &all[i]
		case awstype.ClassicLoadBalancer:
			by["ELB "+all[i].ID] = &all[i]
		}
	}
	for i := range all {
		if balancer := by[all[i].Description]; balancer != nil && all[i].Type == awstype.NetworkInterface {
			balancer.Interfaces = append(balancer.Interfaces, all[i].ID)
		}
	}
}

// Describe implements Sweepable.
func (a *sweptAccount) Describe(ctx context.Context, l Leftover) (*Leftover, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	kind, err := sweepKindOf(l.Type)
	if err != nil {
		return nil, err
	}
	var found []Leftover
	if l.Type == awstype.Record {
		found, err = recordsOf(ctx, c.route53, l.Zone(), strings.TrimPrefix(l.Name(), "*."))
	} else {
		found, err = kind.list(ctx, c, []string{l.ID})
	}
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		if one.ID == l.ID {
			one.Type = l.Type
			if len(one.Interfaces) == 0 {
				one.Interfaces = l.Interfaces
			}
			return &one, nil
		}
	}
	return nil, nil
}

// Release implements Sweepable.
func (a *sweptAccount) Release(ctx context.Context, l Leftover) error {
	kind, err := sweepKindOf(l.Type)
	if err != nil || kind.release == nil {
		return err
	}
	c, err := a.clients(ctx)
	if err != nil {
		return err
	}
	if err := kind.release(ctx, c, l); err != nil && !gone(err) {
		return err
	}
	return nil
}

// Delete implements Sweepable.
func (a *sweptAccount) Delete(ctx context.Context, l Leftover) error {
	kind, err := sweepKindOf(l.Type)
	if err != nil {
		return err
	}
	c, err := a.clients(ctx)
	if err != nil {
		return err
	}
	if err := kind.remove(ctx, c, l); err != nil && !gone(err) {
		return err
	}
	return nil
}

// code returns AWS's code of an error, or "" for others.
func code(err error) string {
	var api interface{ ErrorCode() string }
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// gone reports whether AWS's error means that there is no such resource.
func gone(err error) bool {
	c := code(err)
	return strings.Contains(c, "NotFound") || strings.HasPrefix(c, "NoSuch")
}

// Depended reports whether AWS refuses a deletion because of another resource, so that it may succeed later.
func Depended(err error) bool {
	c := code(err)
	return strings.Contains(c, "InUse") || c == "DependencyViolation" || c == "DeleteConflict" || c == "ExistingVpcEndpointConnections" ||
		c == "InvalidParameterValue" || c == "AuthFailure"
}

// one returns a resource with its tags, for any service's type of tags.
func one[T any](id string, tags []T, pair func(T) (key, value *string)) Leftover {
	l := Leftover{Found: Found{ID: id, Tags: make(map[string]string, len(tags))}}
	for _, tag := range tags {
		key, value := pair(tag)
		l.Tags[aws.ToString(key)] = aws.ToString(value)
	}
	return l
}

// paginator is a list that AWS gives page by page.
type paginator[Page, Options any] interface {
	HasMorePages() bool
	NextPage(ctx context.Context, options ...func(*Options)) (Page, error)
}

// eachPage reads all pages of a list.
func eachPage[Page, Options any](ctx context.Context, list paginator[Page, Options], do func(Page)) error {
	for list.HasMorePages() {
		page, err := list.NextPage(ctx)
		if err != nil {
			return err
		}
		do(page)
	}
	return nil
}

// listed lists the items on all pages of a list, without those that AWS still shows after their deletion.
func listed[Page, Options, Item any](
	ctx context.Context, what string, pages paginator[Page, Options], items func(Page) []Item, leftover func(Item) Leftover,
) (found []Leftover, err error) {
	err = eachPage(ctx, pages, func(page Page) {
		for _, item := range items(page) {
			if l := leftover(item); !strings.EqualFold(l.State, "deleted") {
				found = append(found, l)
			}
		}
	})
	return found, explained(what, err)
}

// send sends a request whose response has no content that matters.
func send[Input, Options, Output any](
	ctx context.Context, request func(context.Context, *Input, ...func(*Options)) (*Output, error), input *Input,
) error {
	_, err := request(ctx, input)
	return err
}
