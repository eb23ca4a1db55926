package permissions

import (
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
)

// KubernetesOptions configure Kubernetes.
type KubernetesOptions struct {
	// Command selects what one command needs, such as "up". Default: all commands.
	Command string
}

// KubernetesCommands lists the values of Command.
func KubernetesCommands() []string {
	var names []string
	for _, command := range rights.Commands() {
		names = append(names, string(command))
	}
	return names
}

// KubernetesRoles are what the user of a kubeconfig needs.
type KubernetesRoles struct {
	// Roles are a ClusterRole and Roles.
	Roles []map[string]any
	// Namespaces exist before the roles are used.
	Namespaces []string
}

// Kubernetes returns what the user of a stack's kubeconfig needs in the management cluster.
func Kubernetes(s *run.Stack, o KubernetesOptions) (*KubernetesRoles, error) {
	command := rights.Command(o.Command)
	if found := fault.In(command.Validate()); len(found) > 0 {
		return nil, &failure.Error{
			Reason: failure.Refused, Problem: "--command " + o.Command + " " + found[0].Problem, Remedy: found[0].Remedy,
		}
	}
	file, err := s.Load("")
	if err != nil {
		return nil, err
	}
	if file.ManagementCluster() == nil {
		return nil, &failure.Error{
			Reason: failure.Refused, Problem: "stack " + s.Name + " uses no management cluster",
			Remedy: "set " + kind.ByName(kind.OrCluster(file.Kind)).KubeconfigKey + " in its file",
		}
	}
	needed := rights.For(file.Section, command)
	return &KubernetesRoles{Roles: needed.Roles("hypershift-aws-" + s.Name), Namespaces: needed.Namespaces}, nil
}
