package offline

import (
	"cmp"
	"errors"
	"strconv"
	"sync"
	"time"
)

// stage is a Rehearsal under way: it counts the calls and does to them what the settings say.
type stage struct {
	Rehearsal
	killer  Killer
	sleep   func(time.Duration)
	now     func() time.Time
	buckets map[string]*bucket

	mu    sync.Mutex
	calls int
	// born is when what others refer to was made, by ID.
	born map[string]time.Time
}

func newStage(r Rehearsal, killer Killer) *stage {
	s := &stage{Rehearsal: r, killer: killer, sleep: time.Sleep, now: time.Now,
		buckets: map[string]*bucket{}, born: map[string]time.Time{}}
	for service, b := range r.Throttle {
		s.buckets[service] = newBucket(b, s.now())
	}
	return s
}

// operation is a call of the provider: the service that it goes to, the type that it is about, and whether it creates one.
type operation struct {
	service, token string
	creates        bool
}

// play takes a call through the settings: before may refuse or end it, act is the call itself, and afterwards it lasts
// as long as AWS takes. act gives the ID of what it was about.
func (s *stage) play(op operation, act func() (string, error)) error {
	if err := s.admit(op.service); err != nil {
		return err
	}
	n := s.next()
	for _, f := range s.Faults {
		if !f.at(n) {
			continue
		}
		if f.When == "before" {
			s.kill(f)
		}
		if f.Code != "" {
			return refuse(f.Code, "%s", cmp.Or(f.Message, "This is the rehearsed failure of call "+strconv.Itoa(n)+"."))
		}
	}
	if err := s.settled(op, act); err != nil {
		return err
	}
	for _, f := range s.Faults {
		if f.at(n) && f.When != "before" {
			s.kill(f)
		}
	}
	if op.creates && s.Scale > 0 {
		s.sleep(time.Duration(s.CreationSeconds(op.token) * float64(time.Second)))
	}
	return nil
}

func (s *stage) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return s.calls
}

// Calls is how many calls there have been.
func (s *stage) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *stage) kill(f Fault) {
	if f.Kill != "" && s.killer != nil {
		s.killer.Kill(f.Kill, cmp.Or(f.Signal, "KILL"))
	}
}

// admit waits for the service's bucket as the provider does, and answers as AWS does when it has waited too often.
func (s *stage) admit(service string) error {
	b := s.buckets[service]
	if b == nil {
		return nil
	}
	for attempt := range throttleAttempts {
		if b.take(s.now()) {
			return nil
		}
		s.sleep(backoff(attempt))
	}
	return throttled(service)
}

// settled makes a call and makes it again while AWS does not see yet what it refers to, as the provider does.
func (s *stage) settled(op operation, act func() (string, error)) error {
	for attempt := 0; ; attempt++ {
		id, err := act()
		var early *settling
		if attempt < settleAttempts && errors.As(err, &early) {
			s.sleep(s.scaled(s.Settle) / 4)
			continue
		}
		if err == nil && op.creates && s.Settle > 0 {
			s.mu.Lock()
			s.born[id] = s.now()
			s.mu.Unlock()
		}
		return err
	}
}

// settleAttempts is how often the provider asks again for what AWS does not see yet.
const settleAttempts = 20

// settling is a refusal that time mends.
type settling struct{ error }

func (s *settling) Unwrap() error { return s.error }

func notYet(refusal error) error { return &settling{refusal} }

// hides is whether calls cannot refer to id yet.
// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
func (s *stage) hides(id string) bool {
	if s == nil || s.Settle == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	born, ok := s.born[id]
	return ok && s.now().Sub(born) < s.scaled(s.Settle)
}
