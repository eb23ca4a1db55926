package account

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// Gather reads something for each item at the same time, and returns what it found in the order of the items, with the
// error of the first item whose read failed. After an error no further read begins. A panic is the caller's.
func Gather[Item, Found any](items []Item, read func(Item) ([]Found, error)) ([]Found, error) {
	parts, errs := make([][]Found, len(items)), make([]error, len(items))
	var reading sync.WaitGroup
	var failed atomic.Bool
	var panicked atomic.Pointer[any]
	for i, item := range items {
		reading.Go(func() {
			if failed.Load() {
				return
			}
			defer func() {
				if why := recover(); why != nil {
					panicked.Store(&why)
					failed.Store(true)
				}
			}()
			if parts[i], errs[i] = read(item); errs[i] != nil {
				failed.Store(true)
			}
		})
	}
	reading.Wait()
	if why := panicked.Load(); why != nil {
		panic(*why)
	}
	for _, err := range errs {
		if err != nil {
			return slices.Concat(parts...), err
		}
	}
	return slices.Concat(parts...), nil
}

// requests is how many requests of one service are sent at the same time. What AWS allows differs by service, account
// and hour: a service that throttles is asked more slowly (see awsconfig), and holds up no other one. A new stack asks
// IAM for 11 names, lists and limits before its first change.
const requests = 16

// pace limits the requests to each service, and remembers how fast each one answers.
type pace struct {
	mutex    sync.Mutex
	slots    map[string]chan struct{}
	retryers map[string]aws.Retryer
}

// limit is an option of all clients.
func (p *pace) limit(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("hypershift-aws/pace", func(
		ctx context.Context,
		in middleware.InitializeInput,
		next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		free := p.slotsOf(awsmiddleware.GetServiceID(ctx))
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
			return next.HandleInitialize(ctx, in)
		case <-ctx.Done():
			return middleware.InitializeOutput{}, middleware.Metadata{}, ctx.Err()
		}
	}), middleware.After)
}

func (p *pace) slotsOf(service string) chan struct{} {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.slots == nil {
		p.slots = map[string]chan struct{}{}
	}
	if p.slots[service] == nil {
		p.slots[service] = make(chan struct{}, requests)
	}
	return p.slots[service]
}

// of returns the configuration of a service's client: all clients of a service have one retryer, which knows that the
// service throttles.
func (p *pace) of(service string, cfg aws.Config) aws.Config {
	fresh := cfg.Retryer
	if fresh == nil {
		return cfg
	}
	cfg.Retryer = func() aws.Retryer {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if p.retryers == nil {
			p.retryers = map[string]aws.Retryer{}
		}
		if p.retryers[service] == nil {
			p.retryers[service] = fresh()
		}
		return p.retryers[service]
	}
	return cfg
}
