package rights

import (
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	hypershiftcrd "github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
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
		"adopt":   {"get", "list", "watch", "create", "patch", "bind", "escalate"},
		"pause":   {"get", "list", "watch", "patch"},
		"resume":  {"get", "list", "watch", "patch"},
		"destroy": {"get", "list", "watch", "patch", "delete"},
		"refresh": reads, "drift": reads, "status": reads, "diagnose": reads,
		"kubeconfig": {"get"}, "console": {"get"}, "backup": {"get"},
	}
}

// readsAs returns the command whose reads a command has.
func (c Command) readsAs() Command {
	switch c {
	case "pause", "resume": // an update with another file
		return "up"
	case "adopt": // a preview before its imports
		return "preview"
	}
	return c
}

// readBy returns the commands that read objects of a kind, nil if all do.
func readBy(kind string, names []string) []Command {
	engine := []Command{"preview", "up", "destroy", "refresh", "drift"}
	switch kind {
	case "Namespace":
		if slices.Contains(names, kubeSystem) {
			return nil
		}
		return engine
	case "ConfigMap":
		if slices.Contains(names, supportedVersions) {
			return []Command{"preview", "up"}
		}
		return engine
	case "Secret":
		return engine
	case "Deployment", hypershiftcrd.HostedControlPlane:
		return []Command{"preview", "up", "status", "diagnose"}
	case "Machine", hypershiftcrd.EndpointService:
		return []Command{"up", "status", "diagnose"} // up with --wait
	case resourceQuota:
		return []Command{"preview", "up"}
	case "Infrastructure":
		return []Command{} // a sweep asks whose resources are the management cluster's own
	case hypershiftcrd.Schedule, hypershiftcrd.Backup:
		return []Command{"destroy"}
	default:
		return nil
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
	some := Of(section)
	if command != "" {
		some.Anywhere = some.Anywhere.of(command)
		for namespace, rules := range some.Inside {
			if some.Inside[namespace] = rules.of(command); len(some.Inside[namespace]) == 0 {
				delete(some.Inside, namespace)
			}
		}
	}
	of := config.IdentityOf(section)
	if of.Object != hypershiftcrd.HostedCluster || of.Namespace == "" {
		return some
	}
	if command == "" || slices.Contains([]Command{"up", "status", "diagnose"}, command.readsAs()) {
		// the namespace of the control plane is HyperShift's
		some.Anywhere.add([]string{"list"}, clusterstatus.ControlPlaneKinds())
	}
	if of.Relation != config.OwnsCluster {
		return some
	}
	if command == "" || command == "kubeconfig" || command == "console" {
		some.in(of.Namespace, []string{"get"}, core("Secret"), of.Name+"-admin-kubeconfig", of.Name+"-kubeadmin-password")
	}
	if command == "" || command == "backup" { // in the namespace of OADP, which a flag names
		some.Anywhere.add([]string{"get"}, kindsIn(hypershiftcrd.VeleroAPIVersion, hypershiftcrd.BackupStorageLocation))
		some.Anywhere.add([]string{"get", "create", "patch"},
			kindsIn(hypershiftcrd.VeleroAPIVersion, hypershiftcrd.Backup, hypershiftcrd.Schedule))
	}
	return some
}

// of returns the rules that a command needs.
func (r Rules) of(command Command) Rules {
	var some Rules
	for _, rule := range r {
		by := readBy(rule.Kind.Kind, rule.Names)
		rule.Verbs = slices.DeleteFunc(slices.Clone(rule.Verbs), func(verb string) bool {
			return !slices.Contains(verbs()[command], verb) ||
				isRead(verb) && by != nil && !slices.Contains(by, command.readsAs())
		})
		if len(rule.Verbs) > 0 {
			some = append(some, rule)
		}
	}
	return some
}

// isRead reports whether a verb changes nothing.
func isRead(verb string) bool { return slices.Contains([]string{"get", "list", "watch"}, verb) }

// Read is what a command reads: objects of a kind in a namespace, "" for all, or one of them.
type Read struct {
	Verb            string
	Kind            crd.Kind
	Namespace, Name string
}

// Reads returns what is read.
func (a Rights) Reads() []Read {
	var all []Read
	add := func(namespace string, rules Rules) {
		for _, rule := range rules {
			names := rule.Names
			if len(names) == 0 {
				names = []string{""}
			}
			for _, verb := range rule.Verbs {
				for _, name := range names {
					if isRead(verb) {
						all = append(all, Read{verb, rule.Kind, namespace, name})
					}
				}
			}
		}
	}
	add("", a.Anywhere)
	for _, namespace := range slices.Sorted(maps.Keys(a.Inside)) {
		add(namespace, a.Inside[namespace])
	}
	return all
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
