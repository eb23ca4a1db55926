package operation

import (
	"context"
	"path/filepath"
	"slices"

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
