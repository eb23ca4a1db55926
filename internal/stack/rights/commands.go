package rights

import (
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Command is a command that uses the management cluster.
type Command string

// verbs returns the verbs of the commands. Dry runs, by which a preview finds what the management cluster would refuse,
// need the verbs of what they try.
func verbs() map[Command][]string {
	reads := []string{"get", "list", "watch"}
	return map[Command][]string{
		"preview": {"get", "list", "watch", "create", "patch", "delete", "bind", "escalate"},
		"up":      {"get", "list", "watch", "create", "patch", "delete", "bind", "escalate"},
		"destroy": {"get", "list", "watch", "patch", "delete"},
		"refresh": reads, "drift": reads, "status": reads, "diagnose": reads,
		"kubeconfig": {"get"}, "console": {"get"},
	}
}

// Commands lists the commands.
func Commands() []Command { return slices.Sorted(maps.Keys(verbs())) }

// Validate returns a fault for an unknown command; "" is all commands.
func (c Command) Validate() error {
	return enum.Validate(c, "is not a command that uses the management cluster", Commands()...)
}

// For returns what a command does in the management cluster of a stack with a section; "" is all commands.
func For(section config.Section, command Command) Rights {
	all := Of(section)
	if cluster, is := section.(*config.Cluster); is && (command == "" || command == "kubeconfig" || command == "console") {
		all.in(cluster.HostedCluster.NamespaceOrDefault(), []string{"get"}, core("Secret"),
			cluster.Name+"-admin-kubeconfig", cluster.Name+"-kubeadmin-password")
	}
	if command == "" {
		return all
	}
	allowed := verbs()[command]
	some := Rights{Anywhere: all.Anywhere.only(allowed), Namespaces: all.Namespaces}
	for namespace, rules := range all.Inside {
		if rest := rules.only(allowed); len(rest) > 0 {
			if some.Inside == nil {
				some.Inside = map[string]Rules{}
			}
			some.Inside[namespace] = rest
		}
	}
	return some
}

// only returns the rules with none but some verbs.
func (r Rules) only(verbs []string) Rules {
	var some Rules
	for _, rule := range r {
		rule.Verbs = slices.DeleteFunc(slices.Clone(rule.Verbs), func(verb string) bool {
			return !slices.Contains(verbs, verb)
		})
		if len(rule.Verbs) > 0 {
			some = append(some, rule)
		}
	}
	return some
}

// Roles returns the ClusterRole and the Roles with a name.
func (a Rights) Roles(name string) []map[string]any {
	role := func(kind string, metadata map[string]any, rules Rules) map[string]any {
		return map[string]any{"apiVersion": Group + "/v1", "kind": kind, "metadata": metadata, "rules": rules.Objects()}
	}
	roles := []map[string]any{role("ClusterRole", map[string]any{"name": name}, a.Anywhere)}
	for _, namespace := range slices.Sorted(maps.Keys(a.Inside)) {
		roles = append(roles, role("Role", map[string]any{"name": name, "namespace": namespace}, a.Inside[namespace]))
	}
	return roles
}
