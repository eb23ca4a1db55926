package lease

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// Timing is how a run shows that it is alive. A run that could not show it for Fence ends its engine; one that others
// have not seen alive for Dead has ended. Dead must be so much longer than Fence that an engine has surely ended in
// between.
type Timing struct{ Beat, Fence, Dead time.Duration }

// Times are the times of runs in pods.
func Times() Timing {
	return Timing{Beat: 15 * time.Second, Fence: time.Minute, Dead: 3 * time.Minute}
}

// lookEvery is how often changed files are searched for.
const lookEvery = 200 * time.Millisecond

// Run is the one run that works on a stack, with copies of its files beside the state. End it.
type Run struct {
	stack  *Stack
	timing Timing
	key    string
	mark   mark
	// copies are the files of the run.
	copies copies
	// lost is called once if the run could not show that it is alive.
	lost func(error)
	stop context.CancelFunc
	done chan struct{}

	// mu protects the mark and the copies.
	mu sync.Mutex
}

// mark is the object that shows that a run works on a stack.
type mark struct {
	Host    string        `json:"host"`
	Process state.Process `json:"process"`
	Since   time.Time     `json:"since"`
	Beat    int           `json:"beat"`
}

func (m mark) String() string {
	return fmt.Sprintf("host %s, process %d, since %s", m.Host, m.Process.PID, m.Since.Format(time.RFC3339))
}

// Options configure a run.
type Options struct {
	Timing Timing
	// Dir is the folder of the run's files, and Names those that are kept beside the state.
	Dir   string
	Names []string
	// Tell receives what the run waits for and what it released.
	Tell func(sentence string)
	// Lost is called if the run could not show that it is alive for Timing.Fence: whatever works for it must be killed.
	Lost func(error)
}

// Begin begins a run: no other run and no engine works on the stack, and Dir has the files of the last run. If another
// run is marked, it waits until that run is proved to have ended, or fails with failure.CodeLocked as soon as it is
// seen alive. It releases the lock of an engine only if that engine, or the run that started it, is proved to have
// ended.
func (s *Stack) Begin(ctx context.Context, o Options) (*Run, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("naming a run: %w", err)
	}
	r := &Run{
		stack: s, timing: o.Timing, key: s.files + "runs/" + rand.Text() + ".json", lost: o.Lost, done: make(chan struct{}),
		mark:   mark{Host: host, Process: state.ThisProcess(), Since: time.Now().UTC()},
		copies: copies{stack: s, dir: o.Dir, names: o.Names, stored: map[string][]byte{}},
	}
	if err := r.beat(ctx); err != nil {
		return nil, err
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	go r.keep(working)
	if err := r.claim(ctx, o.Tell); err != nil {
		return nil, errors.Join(err, r.leave(ctx))
	}
	return r, nil
}

// claim proves that no other run works on the stack, fetches the files, and releases the locks of engines that have
// ended.
func (r *Run) claim(ctx context.Context, tell func(string)) error {
	dead, err := r.others(ctx, tell)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.stack.fetch(ctx, r.copies.dir, r.copies.names); err != nil {
		return err
	}
	for _, name := range r.copies.names {
		if text, err := os.ReadFile(filepath.Join(r.copies.dir, name)); err == nil {
			r.copies.stored[name] = text
		}
	}
	if err := r.release(ctx, tell, func(lock state.Lock) bool {
		if lock.Dead {
			return true
		}
		for _, other := range dead {
			// An engine of a run is killed with it. The record tells it from the engines that others have started on the host.
			if lock.Recorded && lock.Host == other.Host && lock.Since.After(other.Since) {
				return true
			}
		}
		return false
	}); err != nil {
		return err
	}
	for key := range dead {
		if err := r.stack.remove(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// others returns the marks of other runs, which are all proved to have ended.
func (r *Run) others(ctx context.Context, tell func(string)) (map[string]mark, error) {
	keys, err := r.stack.list(ctx, r.stack.files+"runs/")
	if err != nil {
		return nil, err
	}
	dead := map[string]mark{}
	for _, key := range keys {
		if key == r.key {
			continue
		}
		text, err := r.stack.read(ctx, key)
		if err != nil {
			return nil, err
		}
		if text == nil {
			continue
		}
		var other mark
		if err := json.Unmarshal(text, &other); err != nil {
			return nil, fmt.Errorf("reading %s beside the state of stack %s: %w", key, r.stack.name, err)
		}
		if !other.Process.Dead() {
			ended, err := r.await(ctx, key, text, other, tell)
			if err != nil {
				return nil, err
			}
			if !ended {
				continue
			}
		}
		dead[key] = other
	}
	return dead, nil
}

// await waits until a run is proved to have ended: it has not changed its mark for Timing.Dead. It returns false if the
// run has ended by itself meanwhile.
func (r *Run) await(ctx context.Context, key string, text []byte, other mark, tell func(string)) (bool, error) {
	if other.Process.Runs() {
		return false, r.stack.locked(other.String())
	}
	tell(fmt.Sprintf("another run of stack %s may work (%s): waiting for %s for a sign of life", r.stack.name, other,
		r.timing.Dead))
	for deadline := time.Now().Add(r.timing.Dead); time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(r.timing.Beat):
		}
		now, err := r.stack.read(ctx, key)
		if err != nil || now == nil {
			return false, err
		}
		if !bytes.Equal(now, text) {
			return false, r.stack.locked(other.String())
		}
	}
	tell(fmt.Sprintf("the run of stack %s has ended (%s)", r.stack.name, other))
	return true, nil
}

// release removes the engines' locks for which ended is true, and fails if there is another.
func (r *Run) release(ctx context.Context, tell func(string), ended func(state.Lock) bool) error {
	keys, err := r.stack.list(ctx, r.stack.locks)
	if err != nil {
		return err
	}
	engines, err := state.NewProcesses(r.copies.dir).Read()
	if err != nil {
		return err
	}
	var unproved error
	for _, key := range keys {
		text, err := r.stack.read(ctx, key)
		if err != nil {
			return err
		}
		if text == nil {
			continue // released in the meantime
		}
		lock, err := state.ParseLock(text, engines)
		if err != nil {
			return fmt.Errorf("reading the lock %s: %w", key, err)
		}
		if !ended(lock) {
			unproved = r.stack.locked(lock.String())
			continue
		}
		if err := r.stack.remove(ctx, key); err != nil {
			return err
		}
		tell(fmt.Sprintf("released the lock of an interrupted run (%s)", lock))
	}
	return unproved
}

// locked is the error of a stack on which something else may work. The Automation API and the Pulumi Kubernetes
// Operator recognize it by the words of the engine and of Pulumi Cloud.
func (s *Stack) locked(by string) error {
	return &failure.Error{
		Reason: failure.Conflict, Code: failure.CodeLocked,
		Problem: fmt.Sprintf("[409] Conflict: Another update is currently in progress. Stack %s: the stack is currently locked by %s", s.name, by),
		Remedy:  fmt.Sprintf("wait for it to end; if you know that it no longer runs, `hypershift-aws cancel -s %s` releases the lock", s.name),
	}
}

// beat shows that the run is alive.
func (r *Run) beat(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark.Beat++
	text, err := json.Marshal(r.mark)
	if err == nil {
		err = r.stack.bucket.WriteAll(ctx, r.key, text, nil)
	}
	if err != nil {
		return fmt.Errorf("marking the run of stack %s beside its state: %w", r.stack.name, err)
	}
	return nil
}

// Store writes the changed files to the bucket now.
func (r *Run) Store(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.copies.store(ctx)
}

// keep stores changed files and shows that the run is alive, until ctx ends.
func (r *Run) keep(ctx context.Context) {
	defer close(r.done)
	shown, lost := time.Now(), false
	next := shown.Add(r.timing.Beat)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(lookEvery, r.timing.Beat)):
		}
		within, cancel := context.WithTimeout(ctx, r.timing.Fence/2)
		err := r.Store(within)
		if time.Now().After(next) && err == nil {
			if err = r.beat(within); err == nil {
				shown = time.Now()
				next = shown.Add(r.timing.Beat)
			}
		}
		cancel()
		// The wall clock also counts the time in which the machine was stopped.
		if since := time.Now().Round(0).Sub(shown.Round(0)); since > r.timing.Fence && !lost && ctx.Err() == nil {
			lost = true
			r.lost(fmt.Errorf("the run of stack %s could not show for %s that it is alive: %w", r.stack.name,
				since.Round(time.Second), err))
		}
	}
}

// leave ends the run without its files.
func (r *Run) leave(ctx context.Context) error {
	r.stop()
	<-r.done
	return r.stack.remove(context.WithoutCancel(ctx), r.key)
}

// End stores the files, releases the locks of the run's own engines that were killed, and removes the run's mark.
func (r *Run) End(ctx context.Context, tell func(string)) error {
	ctx = context.WithoutCancel(ctx)
	r.stop()
	<-r.done
	if err := r.Store(ctx); err != nil {
		return err // with the mark, the next run waits and then reads what was stored
	}
	err := r.release(ctx, tell, func(lock state.Lock) bool { return lock.Dead })
	if failure.ReasonOf(err) == failure.Conflict {
		err = nil // another has taken the lock since
	}
	return errors.Join(err, r.stack.remove(ctx, r.key))
}
