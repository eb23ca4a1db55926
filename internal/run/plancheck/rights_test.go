package plancheck

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// user is a management cluster whose user has some rights.
type user struct {
	olderCluster
	rights rights.Rights
}

func (u user) Allowed(_ context.Context, p clusterstatus.Permission) (bool, error) {
	for _, rule := range append(slices.Clone(u.rights.Anywhere), u.rights.Inside[p.Namespace]...) {
		named := len(rule.Names) == 0 || slices.Contains(rule.Names, p.Name)
		if rule.Kind.Kind == p.Kind && named && slices.Contains(rule.Verbs, p.Verb) {
			return true, nil
		}
	}
	return false, nil
}

func (user) DryDelete(context.Context, string, string, string) error { return nil }

// without returns rights without a verb of a rule in a namespace, "" for those of all namespaces.
func without(all rights.Rights, namespace string, i int, verb string) rights.Rights {
	drop := func(rules rights.Rules) rights.Rules {
		rules = slices.Clone(rules)
		rules[i].Verbs = slices.DeleteFunc(slices.Clone(rules[i].Verbs), func(v string) bool { return v == verb })
		return rules
	}
	less := rights.Rights{Anywhere: all.Anywhere, Inside: map[string]rights.Rules{}}
	for name, rules := range all.Inside {
		less.Inside[name] = rules
	}
	if namespace == "" {
		less.Anywhere = drop(all.Anywhere)
	} else {
		less.Inside[namespace] = drop(all.Inside[namespace])
	}
	return less
}

// With the roles that `permissions --kubernetes` prints, each step of a stack's life is allowed, and without any single
// right to change something that a step needs, the step is refused before it changes anything.
func TestEachRightToChangeSomethingIsAskedForBeforeAnythingIsChanged(t *testing.T) {
	t.Parallel()
	s := deployed(t, olderCluster{})
	section := config.As[*config.Cluster](s.File)
	const api = "hypershift.openshift.io/v1beta1"
	step := func(change changes.Change, token, version, kind, namespace, name string) *changes.Step {
		object := map[string]any{
			"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name, "namespace": namespace},
		}
		made := &changes.Step{Custom: true, Change: change, Type: "kubernetes:" + token, URN: token + name, Old: object}
		if change != changes.Delete {
			made.New = object
		}
		return made
	}
	plan := func(change changes.Change) *changes.Plan {
		p := &changes.Plan{Steps: []*changes.Step{
			step(change, "core/v1:NamespacePatch", "v1", "Namespace", "", "clusters"),
			step(change, api+":HostedCluster", api, "HostedCluster", "clusters", "demo"),
			step(change, api+":NodePool", api, "NodePool", "clusters", "demo-a"),
		}}
		for _, secret := range []string{"demo-pull-secret", "demo-ssh-key", "demo-etcd-encryption-key",
			"demo-sa-token-issuer-key"} {
			p.Steps = append(p.Steps, step(change, "core/v1:Secret", "v1", "Secret", "clusters", secret))
		}
		p.Steps = append(p.Steps, step(change, "core/v1:ConfigMap", "v1", "ConfigMap", "clusters", "demo-proxy-ca"))
		return p
	}
	for _, c := range []struct {
		command rights.Command
		changes []changes.Change
		verbs   []string
	}{
		{"up", []changes.Change{changes.Create, changes.Update, changes.Delete}, []string{"create", "patch", "delete"}},
		{"destroy", []changes.Change{changes.Delete}, []string{"delete"}},
	} {
		all := rights.For(section, c.command)
		refused := func(r rights.Rights) string {
			s := deployed(t, user{rights: r})
			text := ""
			for _, change := range c.changes {
				if err := checker(s).CheckDestroy(t.Context(), plan(change)); err != nil {
					text += err.Error()
				}
			}
			return text
		}
		require.Empty(t, refused(all), c.command)
		tried := 0
		for namespace, rules := range all.Inside {
			for i, rule := range rules {
				for _, verb := range rule.Verbs {
					if slices.Contains(c.verbs, verb) {
						tried++
						require.Contains(t, refused(without(all, namespace, i, verb)),
							fmt.Sprintf("may not %s objects of kind %s in namespace %s", verb, rule.Kind.Kind, namespace))
					}
				}
			}
		}
		require.GreaterOrEqual(t, tried, 4*len(c.verbs), c.command)
	}
}
