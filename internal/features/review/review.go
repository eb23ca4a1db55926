// Package review lets a person review a plan before it is carried out.
// needs: forecast
//
// A preview saves the plan, and an update carries it out exactly, or not at all.
package review

import (
	"context"
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/features/review/savedplan"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Feature saves the plan of a preview, or limits an update to a saved plan.
type Feature struct {
	run.NoFeature

	// Save is the file for the plan of a preview, and Plan the file of the plan of an update; "" for none.
	Save, Plan string
	read       *savedplan.File
}

var _ run.Feature = (*Feature)(nil)

// Begin reads the saved plan, and refuses it if it belongs to another stack or config.
func (f *Feature) Begin(_ context.Context, r *run.Operation) error {
	if f.Plan == "" {
		return nil
	}
	read, err := savedplan.Read(f.Plan)
	if err != nil {
		return err
	}
	now, err := describe(r, read.Salt)
	if err != nil {
		return err
	}
	f.read = read
	return read.CheckFor(now)
}

// Planned limits the first stage of an update to the saved plan.
func (f *Feature) Planned(_ context.Context, _ *run.Operation, p *run.Planned) error {
	if f.read != nil {
		p.Reviewed = f.read.Engine
	}
	return nil
}

// Gates returns the gate that compares the saved plan with what the update would do now.
func (f *Feature) Gates(r *run.Operation, p *run.Planned) []gate.Gate {
	if f.read == nil {
		return nil
	}
	return []gate.Gate{gate.New(savedplan.Gate(), gate.Refuses(func(ctx context.Context) error {
		found, err := r.Engine.Drift(ctx)
		if err != nil {
			return err
		}
		return f.read.CheckAgainst(&savedplan.File{
			Stack: r.Stack.Name, Engine: p.Plan.Engine, Drift: r.Differences(found),
		})
	}))}
}

// Ended saves the plan of a preview. A further stage of an update has a plan of its own, which nobody has reviewed.
func (f *Feature) Ended(_ context.Context, r *run.Operation, p *run.Planned, err error) error {
	f.read = nil
	if err != nil || f.Save == "" {
		return err
	}
	file, err := describe(r, savedplan.NewSalt())
	if err != nil {
		return err
	}
	file.Engine, file.Drift = p.Plan.Engine, p.Drift
	if err := savedplan.Write(f.Save, file); err != nil {
		return err
	}
	p.Saved = true
	return nil
}

// describe returns a saved plan of the stack as it is now, without the values that only a preview has. To compare it
// with another plan, use that plan's salt.
func describe(r *run.Operation, salt []byte) (*savedplan.File, error) {
	text, err := r.Session.Project.ReadStackFile(r.Stack.Name)
	if err != nil {
		return nil, fmt.Errorf("reading the config of the plan: %w", err)
	}
	config, err := savedplan.ReadDigests(r.Stack.File.Path, text)
	if err != nil {
		return nil, err
	}
	secrets, err := r.Stack.File.Secrets()
	return &savedplan.File{
		Secrets: savedplan.SecretDigests(salt, secrets), Salt: salt,
		Project: r.Session.Project.Name(), Stack: r.Stack.Name, Offline: r.Session.Environment.Label() != "",
		Backend: r.Stack.Backend.URL,
		Made:    time.Now().UTC().Truncate(time.Second), Version: stacks.Version, Config: config,
	}, err
}
