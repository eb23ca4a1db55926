package preflight

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/smithy-go/middleware"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
)

// NewAWS is the account that a provider of those settings reaches, as the provider reaches it: see package awsconfig. Nothing is asked
// before the first call, and what several checks need is asked once. It calls the operations of Reads and no others.
func NewAWS(settings map[string]any) Account { return &realAccount{values: settings} }

// realAccount is an AWS account, reached with the credentials of a provider's settings.
type realAccount struct {
	values map[string]any

	loaded   once[struct{}]
	settings *awsconfig.Settings
	config   aws.Config

	identity  once[Identity]
	principal once[string]
	lists     lists
}

var _ Account = (*realAccount)(nil)

// once keeps the answer to a question that several checks ask.
type once[T any] struct {
	mu    sync.Mutex
	asked bool
	value T
	err   error
}

func (o *once[T]) get(ask func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.asked {
		o.value, o.err = ask()
		o.asked = true
	}
	return o.value, o.err
}

// load obtains credentials, once.
func (a *realAccount) load(ctx context.Context) (aws.Config, error) {
	_, err := a.loaded.get(func() (struct{}, error) {
		var err error
		if a.settings, err = awsconfig.Parse(a.values); err == nil {
			a.config, err = a.settings.Load(ctx)
		}
		a.config.APIOptions = append(a.config.APIOptions, guard)
		return struct{}{}, err
	})
	return a.config.Copy(), err
}

// guard refuses, before it is sent, every operation that is not among Reads.
func guard(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("hypershift-aws/reads",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			service, operation := awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)
			if !reads(service, operation) {
				return middleware.InitializeOutput{}, middleware.Metadata{}, fmt.Errorf("preflight may not call %s %s: it only reads", service, operation)
			}
			return next.HandleInitialize(ctx, in)
		}), middleware.After)
}

// Identity implements Account.
func (a *realAccount) Identity(ctx context.Context) (Identity, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return Identity{}, err
	}
	return a.identity.get(func() (Identity, error) {
		who, err := a.settings.Identify(ctx, cfg)
		return Identity(who), err
	})
}

// client makes a service's client with the settings' endpoint for it, under the provider's name of the service.
func client[Options, Client any](
	ctx context.Context, a *realAccount, service string, make func(aws.Config, ...func(*Options)) *Client, base func(*Options) **string,
) (*Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return make(cfg, func(o *Options) { a.settings.SetEndpoint(service, base(o)) }), nil
}

func (a *realAccount) ec2(ctx context.Context) (*ec2.Client, error) {
	return client(ctx, a, "ec2", ec2.NewFromConfig, func(o *ec2.Options) **string { return &o.BaseEndpoint })
}

func (a *realAccount) elbv2(ctx context.Context) (*elbv2.Client, error) {
	return client(ctx, a, "elbv2", elbv2.NewFromConfig, func(o *elbv2.Options) **string { return &o.BaseEndpoint })
}

func (a *realAccount) iam(ctx context.Context) (*iam.Client, error) {
	return client(ctx, a, "iam", iam.NewFromConfig, func(o *iam.Options) **string { return &o.BaseEndpoint })
}

func (a *realAccount) kms(ctx context.Context) (*kms.Client, error) {
	return client(ctx, a, "kms", kms.NewFromConfig, func(o *kms.Options) **string { return &o.BaseEndpoint })
}

func (a *realAccount) route53(ctx context.Context) (*route53.Client, error) {
	return client(ctx, a, "route53", route53.NewFromConfig, func(o *route53.Options) **string { return &o.BaseEndpoint })
}

func (a *realAccount) s3(ctx context.Context) (*s3.Client, error) {
	return client(ctx, a, "s3", s3.NewFromConfig, func(o *s3.Options) **string {
		o.UsePathStyle = a.settings.HasEndpoint("s3") // an endpoint of one's own has no names by bucket
		return &o.BaseEndpoint
	})
}

// quotas is Service Quotas in a region.
func (a *realAccount) quotas(ctx context.Context, region string) (*servicequotas.Client, error) {
	return client(ctx, a, "servicequotas", servicequotas.NewFromConfig, func(o *servicequotas.Options) **string {
		o.Region = region
		return &o.BaseEndpoint
	})
}
