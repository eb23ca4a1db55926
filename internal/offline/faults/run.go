package faults

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
)

// Run is a Rehearsal under way: it counts the calls and does to them what the settings say.
type Run struct {
	Rehearsal
	killer  Killer
	Sleep   func(time.Duration)
	Now     func() time.Time
	Buckets map[string]*bucket

	mu    sync.Mutex
	calls int
	// created has the types of which one was created, or is about to be.
	created map[string]bool
	// searches is how often each type was searched for by its tags.
	searches map[string]int
	// references is how often each reference was too early, by the type that refers and what it refers to.
	references map[string]int
	// Born is when what others refer to was made, by ID.
	Born map[string]time.Time
}

// NewRun begins to count calls. killer may be nil where the settings kill nothing.
func NewRun(r Rehearsal, killer Killer) *Run {
	s := &Run{Rehearsal: r, killer: killer, Sleep: time.Sleep, Now: time.Now,
		Buckets: map[string]*bucket{}, created: map[string]bool{}, searches: map[string]int{}, references: map[string]int{}, Born: map[string]time.Time{}}
	for service, b := range r.Throttle {
		s.Buckets[service] = NewBucket(b, s.Now())
	}
	return s
}

// Operation is a call of the provider: the service that it goes to, the type that it is about, and whether it creates one.
type Operation struct {
	Service, Token string
	Creates        bool
}

// Do takes a call through the settings: before may refuse or end it, act is the call itself, and afterwards it lasts
// as long as AWS takes. act gives the ID of what it was about.
func (s *Run) Do(op Operation, act func() (string, error)) error {
	if err := s.admit(op.Service); err != nil {
		return err
	}
	n, first := s.next(op)
	for _, f := range s.Faults {
		if !f.at(n, first) {
			continue
		}
		if f.When == "before" {
			s.kill(f)
		}
		if f.Code != "" {
			return awserr.Errorf(f.Code, "%s", cmp.Or(f.Message, "This is the rehearsed failure of call "+strconv.Itoa(n)+"."))
		}
	}
	if err := s.settled(op, act); err != nil {
		return err
	}
	for _, f := range s.Faults {
		if f.at(n, first) && f.When != "before" {
			s.kill(f)
		}
	}
	if op.Creates && s.Scale > 0 && op.Service != kubernetes { // the cluster takes the operators' times
		s.Sleep(time.Duration(s.CreationSeconds(op.Token) * float64(time.Second)))
	}
	return nil
}

// next numbers a call, and gives the type of which it is the first creation.
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

// HidesTags is whether a search for the type by its tags shows nothing yet. It counts the searches.
func (s *Run) HidesTags(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searches[token]++
	return s.searches[token] <= s.LateTags
}

// IsLate is whether AWS does not show yet, to a resource of the type, what was created in this run and is referred to by its ID, or by a name
// that ends with it. It counts the references.
func (s *Run) IsLate(token, reference string) bool {
	if s == nil || s.LateReferences == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.Born {
		if id != "" && strings.HasSuffix(reference, id) {
			key := token + " " + reference
			s.references[key]++
			return s.references[key] <= s.LateReferences
		}
	}
	return false
}

// Calls is how many calls there have been.
func (s *Run) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *Run) kill(f Fault) {
	if f.Kill != "" && s.killer != nil {
		s.killer.Kill(f.Kill, cmp.Or(f.Signal, "KILL"))
	}
}

// admit waits for the service's bucket as the provider does, and answers as AWS does when it has waited too often.
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

// settled makes a call and makes it again while AWS does not see yet what it refers to, as the provider does.
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
			s.Born[id] = s.Now()
			s.mu.Unlock()
		}
		return err
	}
}

// settleAttempts is how often the provider asks again for what AWS does not see yet.
const settleAttempts = 20

// settling is an error that goes away by itself.
type settling struct{ error }

func (s *settling) Unwrap() error { return s.error }

// NotYetVisible marks a refusal that ends once what was just created can be seen.
func NotYetVisible(refusal error) error { return &settling{refusal} }

// Hides is whether calls cannot refer to id yet.
// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
func (s *Run) Hides(id string) bool {
	if s == nil || s.Settle == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	born, ok := s.Born[id]
	return ok && s.Now().Sub(born) < s.scaled(s.Settle)
}
