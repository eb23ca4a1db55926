package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	awspermissions "github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/features/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight/registry"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Outputs returns the outputs of the last update; the map is empty if the stack is not deployed. Secrets are "[secret]" unless showSecrets
// is set.
func (s *Stack) Outputs(ctx context.Context, showSecrets bool) (map[string]any, error) {
	ctx, r, err := s.begin(ctx, gates.Preview, opening{mode: run.MustExist, anyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	return r.Stack.Outputs(ctx, showSecrets)
}

// Preflight checks whether AWS and the management cluster will accept what Up creates: credentials, permissions, quotas, zones, names, networks, DNS.
// It only reads. A failed check is not an error. If the stack cannot be previewed, that is an error, and the only finding.
func (s *Stack) Preflight(ctx context.Context) ([]Finding, error) {
	ctx, r, err := s.begin(ctx, gates.Preview, opening{mode: run.MayCreate})
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := r.stopAt(ctx, r.inherited()); err != nil {
		return nil, err
	}
	planned, err := r.Engine.Preview(ctx)
	if err != nil {
		return unplanned(err), err
	}
	report, err := r.preflight().Preflight(ctx, planned)
	if err != nil {
		return nil, err
	}
	return report.Findings, nil
}

// preflight returns the preflight checks of the stack's plans.
func (r *operation) preflight() *preflight.Checker {
	needs := func(ctx context.Context) ([]awspermissions.Need, error) {
		return permissions.Needs(ctx, &r.session, r.Stack.Name, r.Stack.File, "")
	}
	return &preflight.Checker{Checker: r.Checker, Needs: needs, Registry: registry.Remote{}}
}

// unplanned reports a stack that cannot be previewed as a finding: AWS refuses a lookup or the credentials. It returns nil for other errors.
func unplanned(err error) []Finding {
	var known *failure.Error
	if !errors.As(err, &known) || failure.ReasonOf(err) != failure.Failed {
		return nil
	}
	var found []Finding
	reported := known.Reported
	if len(reported) == 0 {
		reported = []string{known.Problem}
	}
	for _, problem := range reported {
		found = append(found, Finding{
			Check: preflight.Preview, Severity: finding.Error, Subject: "the stack cannot be previewed",
			Problem: strings.Join(strings.Fields(problem), " "), Remedy: cmp.Or(known.Remedy, "correct it, and run preflight again: the other checks need a preview"),
		})
	}
	return found
}

// Part is a part of a cluster that a separate team may run.
type Part = policy.Part

// PermissionsOptions configure Permissions.
type PermissionsOptions struct {
	// Part selects the policies for a part of a stack of kind cluster: "network" or "iam". Default: the whole stack.
	Part Part
}

// Permissions returns the minimal IAM policies that a user needs to run the stack, from its first Up to its Destroy. They are derived from the
// stack's file by a preview in an account in memory: AWS is not called.
func (s *Stack) Permissions(ctx context.Context, o PermissionsOptions) ([]Policy, error) {
	file, err := s.load("")
	if err != nil {
		return nil, err
	}
	ctx, r, err := s.start(ctx, gates.Preview)
	if err != nil {
		return nil, err
	}
	defer r.close()
	needs, err := permissions.Needs(ctx, &r.session, s.Name, file, o.Part)
	if err != nil {
		return nil, err
	}
	policies, err := awspermissions.Policies(needs)
	if err != nil {
		return nil, fmt.Errorf("writing the policies for stack %s: %w", s.Name, err)
	}
	return policies, nil
}

// GuardedNames returns the resources in the stack's state that Up replaces or deletes only if UpOptions.Allow names them.
func (s *Stack) GuardedNames(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *operation) ([]string, error) {
		resources, err := r.Stack.Resources(ctx)
		var names []string
		for _, resource := range resources {
			metadata, _ := resource.Inputs["metadata"].(map[string]any)
			object, _ := metadata["name"].(string)
			if record, _ := guarded.Lookup(string(resource.Type), object); record.Guarded() {
				names = append(names, resource.URN.Name())
			}
		}
		slices.Sort(names)
		return slices.Compact(names), err
	})
}

// HeldKeys returns the config keys of fields that other clients of the management cluster hold, and that UpOptions.Take gives the file's values.
func (s *Stack) HeldKeys(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *operation) ([]string, error) { return r.Held.Takeable(ctx) })
}

// Candidates returns the IDs in AWS between which RepairOptions.Take decides.
func (s *Stack) Candidates(ctx context.Context) ([]string, error) {
	return s.names(ctx, func(ctx context.Context, r *operation) ([]string, error) { return r.Recovery.Candidates(ctx) })
}

// names returns names that a stack has. It changes nothing.
func (s *Stack) names(ctx context.Context, read func(context.Context, *operation) ([]string, error)) ([]string, error) {
	ctx, r, err := s.begin(ctx, gates.Preview, opening{mode: run.MustExist, anyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	return read(ctx, r)
}
