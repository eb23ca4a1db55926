package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/environment"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// isReferred reports whether other stacks may use this one, by the kind in its state or its file.
func isReferred(s *Stack) bool {
	referred := []config.Kind{config.KindManagement, config.KindNetwork, config.KindIAM}
	return slices.Contains(referred, config.Kind(s.state.Outputs().String("kind"))) || s.file != nil && slices.Contains(referred, s.file.Kind)
}

// refers reports whether a file of the project names this stack.
func refers(s *Stack, file *config.File) bool {
	project := s.session.Project.Name()
	return slices.ContainsFunc(config.References(file), func(name string) bool { return config.Refers(name, project, s.Name) })
}

// isReadBy reports whether the last update of a stack, in any project, referred to this one: by its outputs or, if it did not complete, by the
// references among its resources.
func isReadBy(s *Stack, other state.OfStack) bool {
	own := s.session.Project.Name()
	refers := func(name string) bool { return config.RefersFrom(other.Project, name, own, stackFileName(s.Name)) }
	outputs := other.Deployment.Outputs()
	if slices.ContainsFunc([]string{"management", "networkStack", "iamStack"}, func(key string) bool { return refers(outputs.String(key)) }) {
		return true
	}
	return slices.ContainsFunc(other.Deployment.Resources, func(r *state.Resource) bool {
		name, _ := r.Inputs["name"].(string)
		return r.Type == "pulumi:pulumi:StackReference" && refers(name)
	})
}

// users are the stacks with resources that use a stack, and those of which that is not known, each with the reason, in alphabetical order.
type users struct{ names, unread []string }

// findUsers lists the stacks of the backend with resources whose file or last update names this one.
func findUsers(ctx context.Context, s *Stack) (found users, err error) {
	named := map[string]bool{}
	for _, name := range s.session.Project.Stacks() {
		file, _ := s.session.Project.LoadStack(name) // without the file, the state tells what the stack uses
		named[name] = refers(s, file)
	}
	err = s.session.eachState(ctx, s.Name, func(other state.OfStack) {
		switch {
		case other.Err != nil:
			found.unread = append(found.unread, fmt.Sprintf("stack %s: its state cannot be read: %v", other.Stack, other.Err))
		case len(other.Deployment.Resources) > 0 && (named[other.Stack] || isReadBy(s, other)):
			found.names = append(found.names, other.Stack)
		}
	})
	slices.Sort(found.names)
	slices.Sort(found.unread)
	return found, err
}

// unreadStacks returns the refusal of an operation because stacks that cannot be read may use what it changes.
func unreadStacks(stack string, unread []string) error {
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("stack %s may be used by stacks that cannot be read; nothing was changed:\n  %s", stack, strings.Join(unread, "\n  ")),
		Remedy:  "make them readable, or name each that does not use it with " + gate.UnreadFlag,
	}
}

// CheckUnused refuses to delete a stack that others of the same backend use: those that have resources, and whose file or last update names it.
// With release the resources stay, and only the state is emptied.
func CheckUnused(ctx context.Context, s *Stack, release bool) error {
	if !isReferred(s) {
		return nil
	}
	found, err := findUsers(ctx, s)
	switch {
	case err != nil:
		return err
	case len(found.names) == 0 && len(found.unread) > 0:
		return unreadStacks(s.Name, found.unread)
	case len(found.names) == 0:
		return nil
	}
	remedy := "destroy them first: `hypershift-aws destroy -s %s`"
	if release {
		remedy = "release them first: `hypershift-aws release -s %s`"
	}
	remedy = fmt.Sprintf(remedy, stackFileName(found.names[0]))
	if strings.Contains(found.names[0], "/") {
		remedy += " in its project"
	}
	return &failure.Error{
		Reason: failure.Refused, Remedy: remedy,
		Problem: fmt.Sprintf("stack %s is used by %s; nothing was changed", s.Name, strings.Join(found.names, ", ")),
	}
}

// usersLife decides whether a cluster that uses this stack is alive, although no state of the backend has it: it was released, its state was lost, or
// another tool created it. The clusters are those of the files that name the stack, and those with its infra ID in the management clusters of all
// files; for a management stack, the HostedClusters of its management cluster.
func (s *Stack) usersLife(ctx context.Context, d dependentCluster, reading gate.Reading, gone bool) (life gate.Life, evidence string, err error) {
	life, evidence = gate.Gone, "no stack uses it"
	kubeconfigs := map[config.Kubeconfig]bool{}
	s.session.eachFile(s.Name, func(name string, file *config.File, unread error) {
		switch {
		case life != gate.Gone || err != nil:
			return
		case unread != nil:
			life, evidence = gate.Unknown, fmt.Sprintf("the file of stack %s, which may use it, cannot be read (%v); if it does not, name it with %s", name, unread, gate.UnreadFlag)
			return
		}
		if k := file.ManagementCluster(); k != nil {
			kubeconfigs[*k] = true
		}
		if file.Cluster != nil && refers(s, file) {
			life, evidence, err = s.userLife(ctx, name, file, gone)
		}
	})
	if life != gate.Gone || err != nil {
		return life, evidence, err
	}
	if d.infraID != "" {
		for k := range kubeconfigs {
			// A management cluster that only files of others name may be unreachable.
			alive, _ := askCluster(ctx, s, k, func(ctx context.Context, api environment.Cluster) (map[string]string, error) {
				return api.Infrastructures(ctx)
			})
			if object := alive[d.infraID]; object != "" {
				return gate.Alive, object + " is in a management cluster of the project", nil
			}
		}
	}
	if d.kind != "" || !reading.Configured {
		return life, evidence, nil
	}
	return s.hostedLife(ctx, reading)
}

// userLife decides whether the cluster of another stack of the project is alive, which has no resources in its state.
func (s *Stack) userLife(ctx context.Context, name string, file *config.File, gone bool) (gate.Life, string, error) {
	other := s.session.stack(name, file)
	other.state, other.stateRead = &state.Deployment{}, true
	deletion, err := other.CheckDeletion(ctx, gone, "")
	other.Close()
	switch {
	case err != nil && (deletion == nil || deletion.Evidence == ""):
		return gate.Unknown, "", fmt.Errorf("reading whether the cluster of stack %s, which uses stack %s, is alive: %w", name, s.Name, err)
	case err != nil:
		return deletion.Life, fmt.Sprintf("cluster %s of stack %s: %s", deletion.Cluster, name, deletion.Evidence), nil
	}
	return gate.Gone, "the clusters of the stacks that use it are gone", nil
}

// hostedLife decides whether the management cluster of a management stack has HostedClusters.
func (s *Stack) hostedLife(ctx context.Context, reading gate.Reading) (gate.Life, string, error) {
	err := reading.Err
	var hosted []map[string]any
	if err == nil {
		err = s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) (err error) {
			hosted, err = api.List(ctx, crd.HostedCluster, "")
			return err
		})
	}
	switch {
	case err != nil:
		return gate.Unknown, fmt.Sprintf("its management cluster cannot be read for HostedClusters (%v)", err), nil
	case len(hosted) > 0:
		one := unstructured.Unstructured{Object: hosted[0]}
		return gate.Alive, fmt.Sprintf("its management cluster has HostedCluster %s/%s", one.GetNamespace(), one.GetName()), nil
	}
	return gate.Gone, "its management cluster has no HostedCluster", nil
}
