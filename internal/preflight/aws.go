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

// NewAWS returns the account that a provider of those settings reaches, as the provider accesses it: see package awsconfig. No request is
// sent before the first call, and results that several checks need are cached. It calls the operations of Reads and no others.
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

// once caches the answer to a request that several checks make.
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

// The clients have the settings' endpoint for their service, under the provider's name of it. No function is generic over them: a
// client in a dictionary of types is linked with every request of its service.

func (a *realAccount) ec2(ctx context.Context) (*ec2.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return ec2.NewFromConfig(cfg, func(o *ec2.Options) { a.settings.SetEndpoint("ec2", &o.BaseEndpoint) }), nil
}

func (a *realAccount) elbv2(ctx context.Context) (*elbv2.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return elbv2.NewFromConfig(cfg, func(o *elbv2.Options) { a.settings.SetEndpoint("elbv2", &o.BaseEndpoint) }), nil
}

func (a *realAccount) iam(ctx context.Context) (*iam.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return iam.NewFromConfig(cfg, func(o *iam.Options) { a.settings.SetEndpoint("iam", &o.BaseEndpoint) }), nil
}

func (a *realAccount) kms(ctx context.Context) (*kms.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return kms.NewFromConfig(cfg, func(o *kms.Options) { a.settings.SetEndpoint("kms", &o.BaseEndpoint) }), nil
}

func (a *realAccount) route53(ctx context.Context) (*route53.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return route53.NewFromConfig(cfg, func(o *route53.Options) { a.settings.SetEndpoint("route53", &o.BaseEndpoint) }), nil
}

func (a *realAccount) s3(ctx context.Context) (*s3.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = a.settings.HasEndpoint("s3") // a custom endpoint has no hostname per bucket
		a.settings.SetEndpoint("s3", &o.BaseEndpoint)
	}), nil
}

// quotas returns Service Quotas in a region.
func (a *realAccount) quotas(ctx context.Context, region string) (*servicequotas.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return servicequotas.NewFromConfig(cfg, func(o *servicequotas.Options) {
		o.Region = region
		a.settings.SetEndpoint("servicequotas", &o.BaseEndpoint)
	}), nil
}
