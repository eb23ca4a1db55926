package automation

import (
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/operation/fleet/savedplan"
)

// describe returns a saved plan of the stack as it is now, without the values that only a preview has. To compare it with another plan, use that
// plan's salt.
func (r *run) describe(salt []byte) (*savedplan.File, error) {
	text, err := r.session.Project.ReadStackFile(r.Stack.Name)
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
		Project: r.session.Project.Name(), Stack: r.Stack.Name, Offline: r.session.Environment.Label() != "", Backend: r.Stack.Backend.URL,
		Made: time.Now().UTC().Truncate(time.Second), Config: config,
	}, err
}

// savePlan writes a plan for a later update.
func (r *run) savePlan(path string, p *changes.Plan, drift []changes.Difference) error {
	file, err := r.describe(savedplan.NewSalt())
	if err != nil {
		return err
	}
	file.Engine, file.Drift = p.Engine, drift
	return savedplan.Write(path, file)
}

// readPlan reads a saved plan, and refuses it if it belongs to another stack or config. It returns nil for path "".
func (r *run) readPlan(path string) (*savedplan.File, error) {
	if path == "" {
		return nil, nil
	}
	file, err := savedplan.Read(path)
	if err != nil {
		return nil, err
	}
	now, err := r.describe(file.Salt)
	if err != nil {
		return nil, err
	}
	return file, file.CheckFor(now)
}
