package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// needsFiles reports whether the operation leaves out stacks without a file: what they should be is not known, or
// another program decides it.
func (o Options) needsFiles() bool {
	return o.Operation != status && o.Operation != gates.Drift
}

// noStack refuses to run a fleet without stacks.
func noStack(problem string, in Folder) error {
	return &failure.Error{
		Reason: failure.Refused, Problem: fmt.Sprintf(problem, in.Dir),
		Remedy: "create them with `hypershift-aws fleet new -f clusters.csv`",
	}
}

// withoutFiles returns the stacks with resources that have no file in the folders, as their states describe them. If
// they cannot be listed, that is said, and the stacks whose states are needed report the reason.
func (f *fleet) withoutFiles(ctx context.Context, folders []Folder) ([]fleetrun.Member, error) {
	var found []fleetrun.Member
	supplied := map[string]bool{} // by backend and project, which folders of a fleet may share
	key := func(s *workspace.Session, stack string) string {
		return strings.Join([]string{s.Environment.Backend().URL, s.Project.Name(), stack}, " ")
	}
	for _, folder := range folders {
		session, err := f.session(ctx, folder.Dir)
		if err != nil {
			return nil, err
		}
		for _, stack := range session.Project.Stacks() {
			supplied[key(session, stack)] = true
		}
	}
	for _, folder := range folders {
		session, err := f.session(ctx, folder.Dir)
		if err != nil {
			return nil, err
		}
		list, err := session.List(ctx)
		if err != nil {
			f.say("warning: stacks without a file are not known: %s", err)
			continue
		}
		for _, info := range list {
			if info.HasFile || info.Resources == 0 || supplied[key(session, info.Name)] {
				continue
			}
			supplied[key(session, info.Name)] = true // once, if folders share a backend
			deployment, err := session.StateOf(ctx, info.Name)
			if err != nil || deployment == nil {
				f.say("warning: stack %s has no file, and its state cannot be read: %v", info.Name, err)
				continue
			}
			m := ByState(folder, session.Project.Name(), info.Name, deployment)
			found = append(found, m)
			if f.needsFiles() {
				f.leftOut = append(f.leftOut, m.ID)
				f.say("stack %s has resources and no file: fleet %s leaves it out, and they stay; "+
					"`hypershift-aws destroy -s %s` deletes them without the file", m.ID, f.Operation, m.Stack)
			}
		}
	}
	return found, nil
}

// exists reports whether the management stack that a stack names has a state, though it has no file.
func (f *fleet) exists(ctx context.Context, m fleetrun.Member, lists map[string][]backend.Stack) (bool, error) {
	list, known := lists[m.Dir]
	if !known {
		session, err := f.session(ctx, m.Dir)
		if err != nil {
			return false, err
		}
		if list, err = session.List(ctx); err != nil {
			return false, err
		}
		lists[m.Dir] = list
	}
	return slices.ContainsFunc(list, func(info backend.Stack) bool {
		return info.Name == filepath.Base(m.Management) && info.HasState
	}), nil
}
