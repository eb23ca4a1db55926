package faults

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
)

// Run is a Rehearsal in progress: it counts the calls and applies the settings to them.
type Run struct {
	Rehearsal
	killer  Killer
	Sleep   func(time.Duration)
	Now     func() time.Time
	Buckets map[string]*bucket

	mu    sync.Mutex
	calls int
	// created are the types of which an instance was created, or is about to be.
	created map[string]bool
	// searches counts the searches by tags, per type.
	searches map[string]int
	// references counts the references that came too early, by the referring type and the reference.
	references map[string]int
	// CreatedAt is when a resource that others refer to was created, by ID.
	CreatedAt map[string]time.Time
}

// NewRun starts counting calls. killer may be nil if the settings have no kill.
func NewRun(r Rehearsal, killer Killer) *Run {
	s := &Run{Rehearsal: r, killer: killer, Sleep: time.Sleep, Now: time.Now,
		Buckets: map[string]*bucket{}, created: map[string]bool{}, searches: map[string]int{}, references: map[string]int{},
		CreatedAt: map[string]time.Time{}}
	for service, b := range r.Throttle {
		s.Buckets[service] = NewBucket(b, s.Now())
	}
	return s
}

// Operation is a call of the provider: its service, the resource type, and whether it creates an instance.
type Operation struct {
	Service, Token string
	Creates        bool
	// StopAfter lets a creation end after a number of the requests that follow its first one, by a kill or by the refusal
	// of the next one. May be nil.
	StopAfter func(requests int, refusal error)
}

// Do applies the settings to a call: it may refuse the call or kill a process before it, act is the call itself, and
// afterwards Do waits as long as AWS takes. act returns the ID of the resource.
func (s *Run) Do(op Operation, act func() (string, error)) error {
	if err := s.admit(op.Service); err != nil {
		return err
	}
	n, first := s.next(op)
	for _, f := range s.Faults {
		if !f.at(n, first) {
			continue
		}
		if f.When == Before {
			s.kill(f)
		}
		var refusal error
		if f.Code != "" {
			refusal = awserr.Errorf(f.Code, "%s", cmp.Or(f.Message, "Rehearsed failure of call "+strconv.Itoa(n)+"."))
		}
		switch {
		case f.Requests > 0 && op.StopAfter != nil:
			op.StopAfter(f.Requests-1, refusal)
		case refusal != nil:
			return refusal
		}
	}
	if err := s.settled(op, act); err != nil {
		return err
	}
	for _, f := range s.Faults {
		if f.at(n, first) && f.When != Before {
			s.kill(f)
		}
	}
	if op.Creates && s.Scale > 0 && op.Service != kubernetes { // calls to a cluster use the operators' durations
		s.Sleep(time.Duration(s.CreationSeconds(op.Token) * float64(time.Second)))
	}
	return nil
}

// next returns the number of a call, and the type if the call is its first creation.
func (s *Run) next(op Operation) (n int, first string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if op.Creates && !s.created[op.Token] {
		s.created[op.Token] = true
		first = op.Token
	}
	return s.calls, first
}

// HidesTags reports whether a search for the type by its tags still returns nothing. It counts the searches.
func (s *Run) HidesTags(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searches[token]++
	return s.searches[token] <= s.LateTags
}

// RefusesList returns AWS's error if AWS refuses to list a type, and otherwise nil.
func (s *Run) RefusesList(token string) error {
	for _, f := range s.Faults {
		if f.Lists == token {
			return awserr.Errorf(f.Code, "%s", cmp.Or(f.Message, "Rehearsed refusal of a list."))
		}
	}
	return nil
}

// IsLate reports whether a new resource of the type cannot refer yet to a resource that was created in this run, by its
// ID or by a name that ends with the ID. It counts the references.
func (s *Run) IsLate(token, reference string) bool {
	if s == nil || s.LateReferences == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.CreatedAt {
		if id != "" && strings.HasSuffix(reference, id) {
			key := token + " " + reference
			s.references[key]++
			return s.references[key] <= s.LateReferences
		}
	}
	return false
}

// LateRead reports whether the provider does not find a new resource of the type when it reads it. It counts them.
func (s *Run) LateRead(token string) bool {
	if s == nil || s.LateReads == 0 || token != awstype.NATGateway && token != awstype.InstanceProfile {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.references["read "+token]++
	return s.references["read "+token] <= s.LateReads
}

// Calls returns the number of calls so far.
func (s *Run) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *Run) kill(f Fault) {
	if f.Kill == "" || s.killer == nil {
		return
	}
	s.mu.Lock() // no other call begins
	defer s.mu.Unlock()
	s.Sleep(latency)
	s.killer(f.Kill, cmp.Or(f.Signal, SignalKill))
}

// latency is less than AWS takes to answer, and more than the engine's event about an operation takes to the CLI: when
// AWS has created a resource, the CLI's journal has its creation. In memory an answer takes less.
const latency = 200 * time.Millisecond

// admit waits for a token of the service's bucket as the provider does, and returns AWS's error after too many
// attempts.
func (s *Run) admit(service string) error {
	b := s.Buckets[service]
	if b == nil {
		return nil
	}
	for attempt := range ThrottleAttempts {
		if b.take(s.Now()) {
			return nil
		}
		s.Sleep(backoff(attempt))
	}
	return throttled(service)
}

// settled makes a call, and retries it as the provider does while a resource that it refers to is not visible yet.
func (s *Run) settled(op Operation, act func() (string, error)) error {
	for attempt := 0; ; attempt++ {
		id, err := act()
		var early *settling
		if attempt < settleAttempts && errors.As(err, &early) {
			s.Sleep(s.scaled(s.Settle) / 4)
			continue
		}
		if err == nil && op.Creates && (s.Settle > 0 || s.LateReferences > 0) {
			s.mu.Lock()
			s.CreatedAt[id] = s.Now()
			s.mu.Unlock()
		}
		return err
	}
}

// settleAttempts is how often the provider retries a call that refers to a resource that is not visible yet.
const settleAttempts = 20

// settling is a temporary error.
type settling struct{ error }

func (s *settling) Unwrap() error { return s.error }

// NotYetVisible marks an error that ends once a new resource is visible.
func NotYetVisible(refusal error) error { return &settling{refusal} }

// Hides reports whether calls cannot refer to id yet.
// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
func (s *Run) Hides(id string) bool {
	if s == nil || s.Settle == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	born, ok := s.CreatedAt[id]
	return ok && s.Now().Sub(born) < s.scaled(s.Settle)
}

// kubernetes is the service name of calls to a cluster's API server.
const kubernetes = "Kubernetes"

// Intercept applies the settings to the calls of the kubernetes provider: like those of AWS, they count, and can be
// refused or end in a kill.
func (s *Run) Intercept(
	ctx context.Context,
	req any,
	_ *grpc.UnaryServerInfo,
	handle grpc.UnaryHandler,
) (answer any, err error) {
	op := Operation{Service: kubernetes}
	switch r := req.(type) {
	case *pulumirpc.CreateRequest:
		if r.GetPreview() {
			return handle(ctx, req)
		}
		op.Token, op.Creates = r.GetType(), true
	case *pulumirpc.UpdateRequest:
		if r.GetPreview() {
			return handle(ctx, req)
		}
		op.Token = r.GetType()
	case *pulumirpc.ReadRequest:
		op.Token = r.GetType()
	case *pulumirpc.DeleteRequest:
		op.Token = r.GetType()
	default:
		return handle(ctx, req)
	}
	err = s.Do(op, func() (string, error) {
		var err error
		answer, err = handle(ctx, req)
		return "", err
	})
	return answer, err
}

// ThrottleAttempts is how often the provider tries a throttled call before it fails.
const ThrottleAttempts = 25

// bucket is a Bucket in use.
type bucket struct {
	Bucket

	mu     sync.Mutex
	tokens float64
	filled time.Time
}

// NewBucket returns a full bucket.
func NewBucket(b Bucket, now time.Time) *bucket {
	return &bucket{Bucket: b, tokens: b.Burst, filled: now}
}

// take removes one token for a call, if there is one.
func (b *bucket) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.Burst, b.tokens+now.Sub(b.filled).Seconds()*b.PerSecond)
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// throttled returns AWS's error for a throttled call.
// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
func throttled(service string) error {
	if service == "EC2" {
		return awserr.Errorf("RequestLimitExceeded", "Request limit exceeded.")
	}
	return awserr.Errorf("Throttling", "Rate exceeded")
}

// backoff returns how long the provider waits before it retries a call: doubled each time, up to 20 s.
func backoff(attempt int) time.Duration {
	return min(20*time.Second, 50*time.Millisecond<<min(attempt, 10))
}

// Process is a process that a fault kills.
type Process string

// The processes.
const (
	Engine Process = "engine"
	CLI    Process = "cli"
	Both   Process = "both"
)

// Moment is when a fault kills a process: before or after the call takes effect.
type Moment string

// The moments.
const (
	Before Moment = "before"
	After  Moment = "after"
)

// Signal is the signal that a fault sends.
type Signal string

// The signals.
const (
	SignalKill Signal = "KILL"
	SignalTerm Signal = "TERM"
)

// Killer ends processes during a rehearsal. It is called while a call is in progress.
type Killer func(process Process, signal Signal)
