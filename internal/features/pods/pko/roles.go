package pko

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	hypershiftcrd "github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

const rbac = "rbac.authorization.k8s.io"

// oidcConfigMap is the ConfigMap of a management stack, in a namespace that every cluster has.
const (
	oidcConfigMap = "oidc-storage-provider-s3-config"
	kubePublic    = "kube-public"
)

// rules are rules of a Role or ClusterRole.
type rules []any

// add adds what may be done with the objects of some kinds. With names, only objects of these names, except that others
// may be created: the API server does not authorize a creation by its name.
func (r *rules) add(verbs []string, kinds []crd.Kind, names ...string) {
	const create = "create"
	if len(names) > 0 && slices.Contains(verbs, create) {
		r.add([]string{create}, kinds)
		verbs = slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return verb == create })
	}
	for _, kind := range kinds {
		resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind))
		rule := map[string]any{
			"apiGroups": []any{resource.Group},
			"resources": []any{resource.Resource},
			"verbs":     list(verbs),
		}
		if len(names) > 0 {
			rule["resourceNames"] = list(names)
		}
		*r = append(*r, rule)
	}
}

func list(texts []string) []any {
	var all []any
	for _, text := range texts {
		all = append(all, text)
	}
	return all
}

// core returns kinds of Kubernetes' core API.
func core(kinds ...string) []crd.Kind { return kindsIn("v1", kinds...) }

func kindsIn(version string, kinds ...string) []crd.Kind {
	var all []crd.Kind
	for _, kind := range kinds {
		all = append(all, crd.Kind{APIVersion: version, Kind: kind})
	}
	return all
}

// The verbs to read objects, and those that the engine's Kubernetes provider needs to apply and delete them.
func reads() []string  { return []string{"get", "list"} }
func writes() []string { return []string{"get", "list", "watch", "create", "patch", "delete"} }

// access describes what a stack does in the management cluster.
type access struct {
	// anywhere are rules for all namespaces and for objects without one; inside are rules for the namespaces that the
	// stack's objects are in.
	anywhere rules
	inside   map[string]*rules
	// namespaces are those that an administrator creates.
	namespaces []string
}

// in returns the rules of a namespace.
func (a *access) in(namespace string) *rules {
	if a.inside == nil {
		a.inside = map[string]*rules{}
	}
	if a.inside[namespace] == nil {
		a.inside[namespace] = &rules{}
	}
	return a.inside[namespace]
}

// owns allows what a stack does with its own namespace, which an administrator creates: the API server does not
// authorize a creation by its name, and deleting a namespace deletes everything in it.
func (a *access) owns(namespace string) {
	a.namespaces = append(a.namespaces, namespace)
	a.anywhere.add([]string{"get", "list", "watch", "patch"}, core("Namespace"), namespace)
}

// contents allows what a stack does with Secrets and ConfigMaps of its namespace, by their names.
func (a *access) contents(namespace string, secrets, configMaps []string, objects []config.ReferredObject) {
	for _, o := range objects {
		if o.Kind.OrDefault() == hostedcluster.SecretKind {
			secrets = append(secrets, o.Name)
		} else {
			configMaps = append(configMaps, o.Name)
		}
	}
	if len(secrets) > 0 {
		a.in(namespace).add(writes(), core("Secret"), secrets...)
	}
	if len(configMaps) > 0 {
		a.in(namespace).add(writes(), core("ConfigMap"), configMaps...)
	}
}

// install adds what a stack does to install HyperShift's operator. The operator has more rights than the pods, which
// therefore may escalate theirs: the API server refuses a role with others, and a binding to it, without these verbs.
func (r *rules) install() {
	r.add([]string{"get", "list", "watch", "create", "patch"},
		kindsIn("apiextensions.k8s.io/v1", "CustomResourceDefinition"))
	r.add(append(writes(), "bind", "escalate"), kindsIn(rbac+"/v1", "ClusterRole", "Role"))
	r.add(writes(), slices.Concat(
		kindsIn(rbac+"/v1", "ClusterRoleBinding", "RoleBinding"), core("ConfigMap", "Service", "ServiceAccount"),
		kindsIn("apps/v1", "Deployment"),
		kindsIn("scheduling.k8s.io/v1", "PriorityClass"),
		kindsIn("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
		kindsIn("monitoring.coreos.com/v1", "PodMonitor", "PrometheusRule", "ServiceMonitor"),
	))
}

// accessOf returns what a stack does in its management cluster.
func accessOf(section config.Section) access {
	var a access
	a.anywhere.add([]string{"get"}, core("Namespace"), "kube-system") // its UID identifies the management cluster
	a.anywhere.add([]string{"get"}, kindsIn("config.openshift.io/v1", "Infrastructure"))
	switch s := section.(type) {
	case *config.Cluster:
		namespace := s.HostedCluster.NamespaceOrDefault()
		a.owns(namespace)
		a.in(namespace).add([]string{"get", "list", "watch", "create"},
			kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster))
		a.in(namespace).add([]string{"patch", "delete"}, kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster),
			s.Name)
		a.in(namespace).add(writes(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.NodePool))
		secrets, configMaps := hostedcluster.OwnNames(s.Name)
		a.contents(namespace, secrets, configMaps, s.HostedCluster.Objects)
		a.readsHosted()
		// A destroy names what stays of backups. Whose a Schedule is, no role can tell: an administrator deletes it.
		a.anywhere.add([]string{"list"}, kindsIn(hypershiftcrd.VeleroAPIVersion, hypershiftcrd.Schedule, hypershiftcrd.Backup))
	case *config.NodePools:
		namespace := s.NamespaceOrDefault()
		a.anywhere.add([]string{"get"}, core("Namespace"), namespace) // whether it is being deleted
		a.in(namespace).add(writes(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.NodePool))
		a.contents(namespace, nil, nil, s.Objects)
		a.readsHosted()
	case *config.CAPA:
		namespace := cmp.Or(s.Namespace, capa.DefaultNamespace)
		a.owns(namespace)
		kinds := capacrd.Set.Kinds()
		slices.SortFunc(kinds, func(a, b crd.Kind) int { return strings.Compare(a.Kind, b.Kind) })
		for _, kind := range kinds {
			a.anywhere.add(reads(), []crd.Kind{kind})
			if namespaced, err := capacrd.Set.Namespaced(kind); err == nil && !namespaced {
				if kind.Kind == string(s.Identity.Kind) && s.Identity.Name != "" {
					a.anywhere.add(writes(), []crd.Kind{kind}, s.Identity.Name)
				}
				continue
			}
			a.in(namespace).add(writes(), []crd.Kind{kind})
		}
		a.anywhere.add(reads(), kindsIn("cluster.x-k8s.io/v1beta1", "Machine"))
		a.anywhere.add([]string{"get"}, kindsIn("apps/v1", "Deployment"))
	case *config.Management:
		namespace, secrets := s.Operator.NamespaceOrDefault(), s.SecretNames()
		if s.Operator.Install != nil {
			a.anywhere.install()
			secrets = []string{management.EC2Secret, management.OIDCS3Secret, management.ExternalDNSSecret}
		}
		a.owns(namespace)
		a.contents(namespace, secrets, nil, nil)
		a.contents(kubePublic, nil, []string{oidcConfigMap}, nil)
		a.anywhere.add([]string{"get"}, core("Namespace"), kubePublic) // whether it is being deleted
		a.anywhere.add(reads(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster))
	}
	return a
}

// readsHosted adds what is read of a hosted cluster: it is found by its infra ID, and its control plane is in a
// namespace that HyperShift creates.
func (a *access) readsHosted() {
	a.anywhere.add(reads(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster, hypershiftcrd.NodePool,
		hypershiftcrd.HostedControlPlane,
		hypershiftcrd.EndpointService))
	a.anywhere.add([]string{"get"}, kindsIn("apps/v1", "Deployment"))
	a.anywhere.add([]string{"get"}, core("ConfigMap"), "supported-versions")
	a.anywhere.add(reads(), kindsIn("cluster.x-k8s.io/v1beta1", "Machine"))
}

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
	a := accessOf(s.Section)
	name := o.Namespace + "-" + s.Name
	roles = o.bound(s, "ClusterRole", map[string]any{"name": name, "labels": labels()}, a.anywhere)
	for _, namespace := range slices.Sorted(maps.Keys(a.inside)) {
		roles = append(roles, o.bound(s, "Role", map[string]any{
			"name":      name,
			"namespace": namespace,
			"labels":    labels(),
		}, *a.inside[namespace])...)
	}
	return roles, a.namespaces, nil
}

// bound returns a role, and its binding to the service account of the stack's pods.
func (o Options) bound(s Stack, kind string, metadata map[string]any, rules rules) []map[string]any {
	return []map[string]any{
		{"apiVersion": rbac + "/v1", "kind": kind, "metadata": metadata, "rules": []any(rules)},
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
