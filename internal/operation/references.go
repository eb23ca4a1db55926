package operation

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// checkManagement refuses a stack whose file names an unsuitable management stack, as a fault of the file, and returns
// the management stack's outputs; nil if the file names none. If its state cannot be read here, the engine reports the
// error.
func (s *Session) checkManagement(ctx context.Context, file *config.File) (*config.ManagementOutputs, error) {
	if file == nil || file.Cluster == nil || file.Cluster.Management == "" {
		return nil, nil
	}
	outputs, err := s.outputsOf(ctx, file.Cluster.Management)
	if err != nil {
		return nil, nil //nolint:nilerr // the engine reports what is wrong with the backend or the state
	}
	if outputs == nil && slices.Contains(s.Project.Stacks(), file.Cluster.Management) {
		outputs = map[string]any{} // it has a file, and no state yet
	}
	management, err := config.ReadManagement(file.Cluster.Management, outputs)
	return management, file.Placed(err)
}

// resolveParts makes a file use the network and the roles of the stacks that it names, as the program does, and refuses an unsuitable stack as a
// fault of the file. If a state cannot be read here, the engine reports the error.
func (s *Session) resolveParts(ctx context.Context, file *config.File) error {
	if file == nil {
		return nil
	}
	read := func(name string) (outputs map[string]any, ok bool) {
		outputs, err := s.outputsOf(ctx, name)
		if outputs == nil && slices.Contains(s.Project.Stacks(), name) {
			outputs = map[string]any{} // it has a file, and no state yet
		}
		return outputs, err == nil
	}
	switch c, i := file.Cluster, file.IAM; {
	case c != nil:
		if outputs, ok := read(c.NetworkStack); ok && c.NetworkStack != "" {
			n, err := config.ReadNetwork(config.ClusterKey+".networkStack", c.NetworkStack, outputs)
			if err == nil {
				err = c.UseNetwork(n, file.Region, "")
			}
			if err != nil {
				return file.Placed(err)
			}
		}
		if outputs, ok := read(c.IAMStack); ok && c.IAMStack != "" {
			o, err := config.ReadIAM(c.IAMStack, outputs)
			if err == nil {
				err = c.UseIAM(o, "")
			}
			return file.Placed(err)
		}
	case i != nil:
		if outputs, ok := read(i.NetworkStack); ok {
			n, err := config.ReadNetwork(config.KindIAM.Key()+".networkStack", i.NetworkStack, outputs)
			if err == nil {
				err = i.UseNetwork(n, "")
			}
			return file.Placed(err)
		}
	}
	return nil
}

// outputsOf reads the outputs of any stack, nil if there is no such stack.
func (s *Session) outputsOf(ctx context.Context, name string) (map[string]any, error) {
	stack, err := s.stackToRead(name)
	if stack == nil || err != nil {
		return nil, err
	}
	if err := stack.readState(ctx); err != nil {
		if noSuchStack(err) {
			return nil, nil
		}
		return nil, err
	}
	return stack.state.Outputs(), nil
}

// listWorkDir creates the folder in which the engine reads several stacks; no stack can have its name.
func (s *Session) listWorkDir() (string, error) {
	dir := filepath.Join(s.Environment.Folder(), "work", ".list")
	return dir, s.Project.WriteWorkDir(dir, "")
}

// isReferred reports whether other stacks may use a stack of the kind.
func isReferred(kind config.Kind) bool {
	return slices.Contains([]config.Kind{config.KindManagement, config.KindNetwork, config.KindIAM}, kind)
}

// CheckUnused refuses to delete a stack that others of the same backend and project use: those that have resources, and
// whose file or last update names it. With release the resources stay, and only the state is emptied.
func (s *Stack) CheckUnused(ctx context.Context, release bool) error {
	if kind := s.state.Outputs().String("kind"); !isReferred(config.Kind(kind)) && (s.file == nil || !isReferred(s.file.Kind)) {
		return nil
	}
	users, err := s.users(ctx)
	if err != nil || len(users) == 0 {
		return err
	}
	remedy := "destroy them first: `hypershift-aws destroy -s %s`"
	if release {
		remedy = "release them first: `hypershift-aws release -s %s`"
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("stack %s is used by %s; nothing was changed", s.Name, strings.Join(users, ", ")),
		Remedy:  fmt.Sprintf(remedy, users[0]),
	}
}

// usersLife decides whether a cluster that uses this management stack is alive, although no state of the backend has it: it was released, its
// state was lost, or another tool created it. The clusters are those of the stacks' files and the HostedClusters of the management cluster.
func (s *Stack) usersLife(ctx context.Context, reading gate.Reading) (gate.Life, string, error) {
	project := s.session.Project
	for _, name := range project.Stacks() {
		file, _ := project.LoadStack(name) // faults of the other stack's file do not matter here
		if file == nil || file.Cluster == nil || !config.Refers(file.Cluster.Management, project.Name(), s.Name) {
			continue
		}
		other := s.session.stack(name, file)
		other.state, other.stateRead = &state.Deployment{}, true
		deletion, err := other.CheckDeletion(ctx, DestroyOptions{})
		other.Close()
		if err != nil && (deletion == nil || deletion.Evidence == "") {
			return gate.Unknown, "", fmt.Errorf("reading whether the cluster of stack %s, which uses stack %s, is alive: %w", name, s.Name, err)
		}
		if err != nil {
			return deletion.Life, fmt.Sprintf("cluster %s of stack %s: %s", deletion.Cluster, name, deletion.Evidence), nil
		}
	}
	if !reading.Configured {
		return gate.Gone, "no stack uses it", nil
	}
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

// users lists the stacks with resources that use this one, in alphabetical order.
func (s *Stack) users(ctx context.Context) ([]string, error) {
	all, err := s.session.List(ctx)
	if err != nil {
		return nil, err
	}
	var users []string
	for _, other := range all {
		if other.Name == s.Name || other.Resources == 0 {
			continue
		}
		uses, err := s.isUsedBy(ctx, other)
		if err != nil {
			return nil, err
		}
		if uses {
			users = append(users, other.Name)
		}
	}
	return users, nil
}

func (s *Stack) isUsedBy(ctx context.Context, other StackInfo) (bool, error) {
	project := s.session.Project
	if other.HasFile {
		// Faults of the other stack's file do not matter here.
		file, _ := project.LoadStack(other.Name)
		for _, name := range config.References(file) {
			if config.Refers(name, project.Name(), s.Name) {
				return true, nil
			}
		}
	}
	outputs, err := s.session.outputsOf(ctx, other.Name)
	if err != nil {
		return false, fmt.Errorf("reading whether stack %s uses %s: %w", other.Name, s.Name, err)
	}
	for _, key := range []string{"management", "networkStack", "iamStack"} {
		if name, _ := outputs[key].(string); config.Refers(name, project.Name(), s.Name) {
			return true, nil
		}
	}
	return false, nil
}
