package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
)

// currentConfig returns the aws: keys of the stack's config as they are now. The engine reads them only if it has to
// decrypt some of them, or to open environments.
func (s *Stack) currentConfig(ctx context.Context) (auto.ConfigMap, error) {
	own, err := s.Session.Project.AWSConfig(s.Name)
	if err != nil {
		return nil, err
	}
	if texts, known := own.Texts(); known {
		values := auto.ConfigMap{}
		for name, text := range texts {
			values["aws:"+name] = auto.ConfigValue{Value: text}
		}
		return values, nil
	}
	values, err := s.Auto.GetAllConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the config of stack %s: %w", s.Name, s.Classify(err))
	}
	return values, nil
}

// Import writes a state. It is the only way in which this program does that: the engine locks the state during the
// import alone, and compares nothing, so the state is read again and compared first.
func (s *Stack) Import(ctx context.Context, d *state.Deployment) error {
	d, err := d.Copy() // settings that are decrypted for the import must not reach the journal
	if err != nil {
		return err
	}
	for _, res := range d.Resources {
		if !identity.IsOwnProvider(string(res.URN)) {
			continue
		}
		config, err := s.currentConfig(ctx)
		if err != nil {
			return err
		}
		for field, settings := range map[string]map[string]any{"inputs": res.Inputs, "outputs": res.Outputs} {
			if settings == nil {
				continue
			}
			if err := res.Set(field, renewed(settings, config, awsconfig.Secret)); err != nil {
				return err
			}
		}
	}
	if err := s.Unchanged(ctx, d); err != nil {
		return err
	}
	untyped, err := d.Encode()
	if err != nil {
		return err
	}
	text, err := json.Marshal(untyped)
	if err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	s.StateChanged()
	// The Automation API's Import would write the decrypted settings to a file, which a kill leaves behind.
	if _, err := s.runWith(ctx, s.Command, bytes.NewReader(text), "stack", "import", "--stack", s.Name); err != nil {
		return s.Classify(err)
	}
	return nil
}

// Rewrite changes a copy of the state, and imports it. With keep, a copy of the state before is kept as before an
// operation of the engine.
func (s *Stack) Rewrite(ctx context.Context, keep bool, change func(*state.Deployment) error) error {
	if keep {
		if _, err := s.Session.Copies(s.StateFile(), s.WorkDir).Keep(); err != nil {
			return err
		}
	}
	d, err := s.State.Copy()
	if err != nil {
		return err
	}
	if err := change(d); err != nil {
		return err
	}
	return s.Import(ctx, d)
}

// Unchanged fails if the state in the backend has changed since d was read, or if another run is writing it.
func (s *Stack) Unchanged(ctx context.Context, d *state.Deployment) error {
	lock, err := s.Lock()
	if err != nil || lock != nil {
		return errors.Join(err, LockedBy(s.Name, lock))
	}
	if s.StateFile().Holds(d) {
		return nil
	}
	now, err := s.storedState(ctx)
	if err != nil {
		return s.Classify(err)
	}
	same, err := d.SameRead(now)
	if err != nil || same {
		return err
	}
	return &failure.Error{
		Reason: failure.Conflict,
		Problem: fmt.Sprintf("the state of stack %s was changed by another run at %s, after this one had read it; this run changed nothing there", s.Name,
			now.Written().UTC().Format(time.RFC3339)),
		Remedy: "run the command again",
	}
}
