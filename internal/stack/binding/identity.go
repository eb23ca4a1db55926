package binding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// CheckIdentity asks the identity gate: it fails if the operation would act on another management cluster, or on
// another object, than the recorded one. A warning is reported. It returns what the gate checked, and does nothing for
// a stack without a management cluster.
func (c *Connection) CheckIdentity(
	ctx context.Context,
	operation gates.Operation,
) (gate.Reading, gate.Identity, error) {
	reading, identity, warnings, err := c.AskIdentity(ctx, operation)
	for _, warning := range warnings {
		c.Stack.Say("warning: %s", warning)
	}
	return reading, identity, err
}

// AskIdentity is CheckIdentity, and returns the warnings.
func (c *Connection) AskIdentity(
	ctx context.Context,
	operation gates.Operation,
) (gate.Reading, gate.Identity, []string, error) {
	if err := c.Stack.CurrentState(ctx); err != nil {
		return gate.Reading{}, gate.Identity{}, nil, err
	}
	if err := c.Stack.Providers.Attach(); err != nil {
		return gate.Reading{}, gate.Identity{}, nil, err
	}
	c.Silent = nil
	of := gate.Subject{Stack: c.Stack.Name, Key: KubeconfigKey(c.Stack)}
	own, _ := identity.Objects(c.Stack.State)
	if own != nil {
		of.Object = own.String()
	}
	recorded, reading := c.readIdentity(ctx, operation)
	if c.Silences++; !reading.NoAnswer {
		c.Silences = 0
	}
	answer := gate.JudgeIdentity(operation, of, recorded, reading)
	err := c.Stack.Session.Gates.Refusal(gate.IdentityGate(), answer.Refused)
	c.Unanswered = reading.Err != nil || err != nil
	if !c.Unanswered {
		answer.Warnings = append(answer.Warnings, c.unreadable(ctx, operation)...)
	}
	if c.Lost && recorded.OtherCluster(reading) != "" {
		err = nil // gate.Deletion judges it
	}
	if own != nil && !own.IsCluster() {
		reading.Object, recorded.Object = "", "" // they are those of a HostedCluster or Cluster
	}
	return reading, recorded, answer.Warnings, err
}

// silenceEvery is how often an address is asked at which nothing answers, and silences how often in a row, so that it
// takes a minute: an API server that restarts or whose machine is moved is not one that no longer exists.
const (
	silenceEvery = 5 * time.Second
	silences     = 13
)

// AskUntilSure is AskIdentity for a user who asserts that the management cluster no longer exists: it is not believed
// before nothing has answered for a minute.
func (c *Connection) AskUntilSure(ctx context.Context, operation gates.Operation) (gate.Reading, gate.Identity, error) {
	var reading gate.Reading
	var recorded gate.Identity
	var err error
	waited := untilSure(ctx, c.Stack.Session.Environment.Timing().Wait, c.Stack.Say, func() int {
		reading, recorded, _, err = c.AskIdentity(ctx, operation) // Resolve reports the warnings
		if err != nil {
			return 0
		}
		return c.Silences
	})
	return reading, recorded, errors.Join(err, waited)
}

// untilSure asks a management cluster until it answers, or until nothing has answered for a minute. ask returns how
// often in a row nothing has, 0 after an answer. The error is that of wait.
func untilSure(
	ctx context.Context,
	wait func(context.Context, time.Duration) error,
	say func(string, ...any),
	ask func() (silent int),
) error {
	for {
		silent := ask()
		if silent == 0 || silent >= silences {
			return nil
		}
		if silent == 1 {
			say("the management cluster does not answer; it is asked for a minute")
		}
		if err := wait(ctx, silenceEvery); err != nil {
			return err
		}
	}
}

// IsSilent reports whether nothing answers at the address of a management cluster; ask returns the error of a read.
// With long, a user asserts that it no longer exists: it is not believed before nothing has answered for a minute.
func IsSilent(
	ctx context.Context,
	long bool,
	wait func(context.Context, time.Duration) error,
	say func(string, ...any),
	ask func() error,
) bool {
	times := 0
	read := func() int {
		if times++; !kubeapi.NoAnswer(ask()) {
			times = 0
		}
		return times
	}
	if !long {
		return read() > 0
	}
	return untilSure(ctx, wait, say, read) == nil && times > 0
}

// identityIn returns what a state records about its management cluster, and about its HostedCluster or Cluster.
func identityIn(d *state.Deployment) gate.Identity {
	recorded := gate.Identity{ManagementCluster: clusterstatus.RecordedCluster(d)}
	if own, _ := identity.Objects(d); own != nil && own.IsCluster() {
		recorded.Object = own.UID
	}
	return recorded
}

// readIdentity reads which management cluster an operation would act on. Refresh, Drift, and Destroy use the settings
// of the provider in the state, and the other operations the settings in the stack's file. If they differ, Destroy's
// other calls use the file's, so both are read.
func (c *Connection) readIdentity(ctx context.Context, operation gates.Operation) (gate.Identity, gate.Reading) {
	inFile, inState := AppliedBy(c.Stack.File), ProviderKubeconfig(c.Stack.State)
	first, second := inFile, inState
	if operation == gates.Refresh || operation == gates.Drift || operation == gates.Destroy {
		first, second = inState, inFile
	}
	switch {
	case first == nil && second == nil:
		return identityIn(c.Stack.State), gate.Reading{}
	case first == nil:
		first, second = second, nil
	case second == nil || *first == *second || operation != gates.Destroy:
		second = nil
	}
	identity, reading := c.ReadIdentity(ctx, *first)
	if second == nil || reading.Err != nil || identity.Other(reading) != "" {
		return identity, reading
	}
	if of, other := c.ReadIdentity(ctx, *second); of.Other(other) != "" {
		return of, other
	}
	return identity, reading
}

// ReadIdentity reads which management cluster a kubeconfig selects.
func (c *Connection) ReadIdentity(ctx context.Context, k config.Kubeconfig) (gate.Identity, gate.Reading) {
	api, err := c.OpenCluster(k)
	if err != nil {
		recorded, _, _ := identity.InState(c.Stack.State)
		return recorded, gate.Reading{Configured: true, Err: err}
	}
	defer func() { _ = api.Close() }()
	within, cancel := kubeapi.Within(ctx, kubeapi.IdentityWithin)
	defer cancel()
	clusterUID := func(ctx context.Context) (string, error) { return c.readClusterUID(ctx, api) }
	formerly := func(mark string) bool { return c.isFormerName(ctx, mark) }
	recorded, reading := identity.Read(within, api, clusterUID, c.Stack.State, formerly)
	reading.NoAnswer, reading.Address = kubeapi.NoAnswer(reading.Err), api.Address()
	if reading.Err != nil && within.Err() != nil {
		c.Silent = reading.Err
	}
	return recorded, reading
}

// isFormerName reports whether the backend has no stack with the name in a mark that the stack's state has: the stack
// was renamed.
func (c *Connection) isFormerName(ctx context.Context, mark string) bool {
	name, own := strings.CutPrefix(mark, c.Stack.Session.Project.Name()+"/")
	if !own {
		name = "organization/" + mark
	}
	found, err := c.Stack.Session.StateOf(ctx, name)
	return err == nil && found == nil
}

// readClusterUID reads which management cluster it is. Before the target is bound, a fleet's run may have read it
// for another stack.
func (c *Connection) readClusterUID(ctx context.Context, api identified) (string, error) {
	if c.Target != nil {
		return api.ClusterUID(ctx)
	}
	return ClusterUID(ctx, c.Stack.Session, api)
}

// ProgramClusterUID returns the UID that the stack's program compares with the recorded one, and records for the first
// time: it is read anew in each run. Where the namespace may not be read, the recorded UID stays: CheckIdentity has
// identified the management cluster by its objects.
func (c *Connection) ProgramClusterUID(ctx context.Context, k config.Kubeconfig) (string, error) {
	api, err := c.OpenCluster(k)
	if err != nil {
		return "", err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := kubeapi.Within(ctx, kubeapi.IdentityWithin)
	defer cancel()
	uid, err := api.ClusterUID(ctx)
	if err == nil && uid == "" {
		uid = clusterstatus.RecordedCluster(c.Stack.State)
	}
	return uid, err
}

// AnswersVariable names the folder in which the processes of a fleet run keep which management cluster answers at an
// address, so that the run asks each one once instead of once per stack. The folder is the run's own.
const AnswersVariable = "HYPERSHIFT_AWS_FLEET_ANSWERS"

// believedFor is how long an answer in that folder is believed.
const believedFor = 10 * time.Minute

// identified is a management cluster that has an address.
type identified interface {
	// ClusterUID returns the UID of namespace kube-system, "" if the caller may not read it.
	ClusterUID(ctx context.Context) (string, error)
	// Address identifies the API server: its URL and the CA that it is trusted by, but no name of a context.
	Address() string
}

// ClusterUID reads which management cluster it is. The key of an answer is the address instead of the kubeconfig: a
// kubeconfig whose current context changes during the run has another answer. Errors are not kept.
func ClusterUID(ctx context.Context, s *workspace.Session, api identified) (string, error) {
	dir := s.Environ.Get(AnswersVariable)
	if dir == "" {
		return api.ClusterUID(ctx)
	}
	sum := sha256.Sum256([]byte(api.Address()))
	path := filepath.Join(dir, hex.EncodeToString(sum[:]))
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < believedFor {
		if text, err := atomicfile.ReadInput(path); err == nil {
			return string(text), nil
		}
	}
	uid, err := api.ClusterUID(ctx)
	if err != nil || uid == "" {
		return uid, err
	}
	_ = atomicfile.Write(path, []byte(uid)) // the next process asks again
	return uid, nil
}
