package pko

import (
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

const rbac = rights.Group

// roles returns the roles of a stack that uses the service account of its pods in the operator's cluster, bound to that
// account, and the namespaces that exist before them; none for other stacks.
func (o Options) roles(s Stack) (roles []map[string]any, namespaces []string, err error) {
	if !o.Roles || s.Section == nil || s.Section.ManagementCluster() == nil {
		return nil, nil, nil
	}
	if selected := s.Section.ManagementCluster(); selected.Context != "" {
		return nil, nil, &fault.Fault{
			File: s.Path, Path: "kubeconfig.context", Value: selected.Context,
			Problem: "is a context of a kubeconfig, whose user has the rights of the pods",
			Remedy:  "render this stack without --roles, or remove `context`: with kubeconfig: {} pods use their service account",
		}
	}
	if m, is := s.Section.(*config.Management); is && !m.Operator.ExistingNamespace {
		return nil, nil, &fault.Fault{
			File: s.Path, Path: "operator.existingNamespace", Problem: "is not set, and pods cannot create namespaces: that right would be for all namespaces",
			Remedy: "set it to true before the first up, and apply the rendered namespaces; render a stack that has created the namespace without --roles",
		}
	}
	a := rights.Of(s.Section)
	name := o.Namespace + "-" + s.Name
	roles = o.bound(s, "ClusterRole", map[string]any{"name": name, "labels": labels()}, a.Anywhere)
	for _, namespace := range slices.Sorted(maps.Keys(a.Inside)) {
		roles = append(roles, o.bound(s, "Role", map[string]any{
			"name":      name,
			"namespace": namespace,
			"labels":    labels(),
		}, a.Inside[namespace])...)
	}
	return roles, a.Namespaces, nil
}

// bound returns a role, and its binding to the service account of the stack's pods.
func (o Options) bound(s Stack, kind string, metadata map[string]any, rules rights.Rules) []map[string]any {
	return []map[string]any{
		{"apiVersion": rbac + "/v1", "kind": kind, "metadata": metadata, "rules": rules.Objects()},
		o.binding(s, kind, kind+"Binding", metadata, metadata["name"]),
	}
}

// binding returns the binding of a role to the service account of the stack's pods.
func (o Options) binding(s Stack, kind, bindingKind string, metadata map[string]any, role any) map[string]any {
	return map[string]any{
		"apiVersion": rbac + "/v1", "kind": bindingKind, "metadata": metadata,
		"roleRef":  map[string]any{"apiGroup": rbac, "kind": kind, "name": role},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": o.accountOf(s), "namespace": o.Namespace}},
	}
}

// accountOf returns the name of the service account of a stack's pods. Each stack has its own, so that its pods have no
// rights of others.
func (o Options) accountOf(s Stack) string { return o.ServiceAccount + "-" + s.Name }

// account returns the service account of a stack's pods.
func (o Options) account(s Stack) []map[string]any {
	name := o.accountOf(s)
	delegator := map[string]any{"name": o.Namespace + "-" + name + "-auth-delegator", "labels": labels()}
	return []map[string]any{
		{
			"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{
				"name": name, "namespace": o.Namespace, "labels": labels(),
				"annotations": map[string]any{"eks.amazonaws.com/role-arn": o.RoleARN},
			},
		},
		// The agent in the pod reviews a caller's access at the API server.
		o.binding(s, "ClusterRole", "ClusterRoleBinding", delegator, "system:auth-delegator"),
	}
}
