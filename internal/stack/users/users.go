// Package users finds which stacks use another one, and what they took from it.
package users

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// IsReferred reports whether other stacks may use this one, by the kind in its state or its file.
func IsReferred(s *workspace.Stack) bool {
	inState := kind.ByName(config.Kind(s.State.Outputs().String("kind")))
	return inState.Referred || s.File != nil && kind.ByName(s.File.Kind).Referred
}

// Refers reports whether a file of the project names this stack.
func Refers(s *workspace.Stack, file *config.File) bool {
	project := s.Session.Project.Name()
	return slices.ContainsFunc(config.References(file), func(name string) bool {
		return config.Refers(name, project, s.Name)
	})
}

// isReadBy reports whether the last update of a stack, in any project, referred to this one: by its outputs or, if it
// did not complete, by the references among its resources.
func isReadBy(s *workspace.Stack, other state.OfStack) bool {
	own := s.Session.Project.Name()
	refers := func(name string) bool { return config.RefersFrom(other.Project, name, own, workspace.BaseName(s.Name)) }
	outputs := other.Deployment.Outputs()
	if slices.ContainsFunc([]string{"management", "networkStack", "iamStack"}, func(key string) bool {
		return refers(outputs.String(key))
	}) {
		return true
	}
	return slices.ContainsFunc(other.Deployment.Resources, func(r *state.Resource) bool {
		name, _ := r.Inputs["name"].(string)
		return r.Type == "pulumi:pulumi:StackReference" && refers(name)
	})
}

// hasPoolsOf reports whether a state without a HostedCluster has node pools of the one in this stack's state. What
// either state does not record is no difference.
func hasPoolsOf(s *workspace.Stack, other *state.Deployment) bool {
	resources := other.InCloud()
	own, pools := clusterstatus.Find(s.State.InCloud()), clusterstatus.FindPools(resources)
	if own == nil || pools == nil || clusterstatus.Find(resources) != nil || pools.Name != own.Name ||
		pools.Namespace != own.Namespace {
		return false
	}
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return !differ(clusterstatus.RecordedCluster(s.State), clusterstatus.RecordedCluster(other)) &&
		!differ(s.State.Outputs().String("infraID"), other.Outputs().String("hostedCluster", "infraID"))
}

// users are the stacks with resources that use a stack, or may use it, each with the reason, in alphabetical order.
type users struct{ Names, Unread []string }

// find lists the stacks of the backend with resources whose file or last update names this one, or that have node pools
// of its HostedCluster.
func find(ctx context.Context, s *workspace.Stack) (found users, err error) {
	named := map[string]bool{}
	for _, name := range s.Session.Project.Stacks() {
		file, _ := s.Session.Project.LoadStack(name) // without the file, the state tells what the stack uses
		named[name] = Refers(s, file)
	}
	words := []string{workspace.BaseName(s.Name)}
	if own := clusterstatus.Find(s.State.InCloud()); own != nil {
		words = append(words, own.Name)
	}
	has := state.Mentions(words...)
	mention := func(project, stack string, text []byte) bool {
		return has == nil || named[stack] && project == s.Session.Project.Name() || has(project, stack, text)
	}
	err = s.Session.EachMention(ctx, s.Name, mention, func(other state.OfStack) {
		switch {
		case other.Err != nil:
			found.Unread = append(found.Unread, fmt.Sprintf("stack %s: its state cannot be read: %v", other.Stack, other.Err))
		case !other.Deployment.Empty() && (named[other.Stack] || isReadBy(s, other) ||
			hasPoolsOf(s, other.Deployment)):
			found.Names = append(found.Names, other.Stack)
		}
	})
	slices.Sort(found.Names)
	slices.Sort(found.Unread)
	return found, err
}

// MayShare returns why the cluster with an infra ID may be that of another stack of the backend, which has resources of
// a cluster with that ID or cannot be read; "" if no other stack has any.
func MayShare(ctx context.Context, s *workspace.Stack, infraID string) (why string, err error) {
	err = s.Session.EachMention(ctx, s.Name, state.Mentions(infraID), func(other state.OfStack) {
		switch {
		case why != "":
		case other.Err != nil:
			why = fmt.Sprintf("the state of stack %s, which may have it, cannot be read (%v); if it does not, name it with %s", other.Stack, other.Err, gate.UnreadFlag)
		case !other.Deployment.Empty() && len(other.Deployment.InCloud()) > 0:
			if has := binding.InState(other.Deployment,
				nil); kind.ByName(has.Kind).OwnsHostedCluster() && has.InfraID == infraID {
				why = fmt.Sprintf("stack %s has resources of a cluster with the infra ID %s", other.Stack, infraID)
			}
		}
	})
	return why, err
}

// Forgotten returns which stack of the backend has forgotten the cluster with an infra ID in a management cluster that
// was not read; "" if none has. read are the UIDs of those that were, and do not have the cluster.
func Forgotten(ctx context.Context, s *workspace.Stack, infraID string, read map[string]bool) (why string, err error) {
	err = s.Session.EachMention(ctx, s.Name, state.Mentions(infraID), func(other state.OfStack) {
		if why != "" || other.Err != nil || !other.Deployment.Empty() {
			return
		}
		uid := clusterstatus.RecordedCluster(other.Deployment)
		if uid != "" && !read[uid] && other.Deployment.Outputs().String("infraID") == infraID {
			why = fmt.Sprintf("stack %s has forgotten it in a management cluster that is not read here: the UID of its namespace kube-system is %s",
				other.Stack, uid)
		}
	})
	return why, err
}

// unreadStacks returns the refusal of an operation because stacks that cannot be read may use what it changes.
func unreadStacks(stack string, unread []string) error {
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("stack %s may be used by stacks that cannot be read; nothing was changed:\n  %s", stack,
			strings.Join(unread, "\n  ")),
		Remedy: "make them readable, or name each that does not use it with " + gate.UnreadFlag,
	}
}

// UnusedGate describes the gate of CheckUnused.
func UnusedGate() gates.Gate {
	return gates.Gate{
		Name: "users",
		Refuses: "to delete or forget a stack of kind management, network, or iam that stacks with resources refer " +
			"to, in any project of the backend, or to delete a HostedCluster while another stack has node pools of it; a " +
			"stack that cannot be read may be such a stack",
		WayOn:      "destroy or forget the other stacks first; `--unread-stack` for one that cannot be read",
		Operations: []gates.Operation{gates.Forget, gates.Destroy},
		Cost:       gates.CostStates,
	}
}

// CheckUnused refuses to delete a stack that others of the same backend use, or that one which cannot be read may use:
// those that have resources, and whose file or last update names it or that have node pools of its HostedCluster. With
// release the resources stay, and only the state is emptied: node pools need the HostedCluster, not its stack.
func CheckUnused(ctx context.Context, s *workspace.Stack, release bool) error {
	if !IsReferred(s) && (release || clusterstatus.Find(s.State.InCloud()) == nil) {
		return nil
	}
	found, err := find(ctx, s)
	switch {
	case err != nil:
		return err
	case len(found.Names) == 0 && len(found.Unread) > 0:
		return unreadStacks(s.Name, found.Unread)
	case len(found.Names) == 0:
		return nil
	}
	remedy, users := "destroy %s first: `hypershift-aws destroy -s %s`", "it"
	if release {
		remedy = "forget %s first: `hypershift-aws forget -s %s`"
	}
	if len(found.Names) > 1 {
		users = "them"
	}
	remedy = fmt.Sprintf(remedy, users, workspace.BaseName(found.Names[0]))
	if strings.Contains(found.Names[0], "/") {
		remedy += " in its project"
	}
	return &failure.Error{
		Reason: failure.Refused, Remedy: remedy,
		Problem: fmt.Sprintf("stack %s is used by %s; nothing was changed", s.Name, strings.Join(found.Names, ", ")),
	}
}
