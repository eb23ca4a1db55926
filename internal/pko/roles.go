package pko

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	capacrd "github.com/hypershift-aws/hypershift-aws/components/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/components/crd"
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	hypershiftcrd "github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/components/management"
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

// add adds what may be done with the objects of some kinds. With names, only objects of these names, except that others may be created: the API
// server does not authorize a creation by its name.
func (r *rules) add(verbs []string, kinds []crd.Kind, names ...string) {
	const create = "create"
	if len(names) > 0 && slices.Contains(verbs, create) {
		r.add([]string{create}, kinds)
		verbs = slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return verb == create })
	}
	for _, kind := range kinds {
		resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind))
		rule := map[string]any{"apiGroups": []any{resource.Group}, "resources": []any{resource.Resource}, "verbs": list(verbs)}
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
func core(kinds ...string) []crd.Kind { return of("v1", kinds...) }

func of(version string, kinds ...string) []crd.Kind {
	var all []crd.Kind
	for _, kind := range kinds {
		all = append(all, crd.Kind{APIVersion: version, Kind: kind})
	}
	return all
}

// The verbs with which objects are read, and with which the engine's Kubernetes provider applies and deletes them.
func reads() []string  { return []string{"get", "list"} }
func writes() []string { return []string{"get", "list", "watch", "create", "patch", "delete"} }

// access is what a stack does in the management cluster.
type access struct {
	// anywhere are rules for all namespaces and for objects without one; inside are rules for the namespace.
	anywhere, inside rules
	namespace        string
}

// install adds what a stack does to install HyperShift's operator. The operator has more rights than the pods, which therefore may escalate theirs:
// the API server refuses a role with others, and a binding to it, without these verbs.
func (r *rules) install() {
	r.add([]string{"get", "list", "watch", "create", "patch"}, of("apiextensions.k8s.io/v1", "CustomResourceDefinition"))
	r.add(append(writes(), "bind", "escalate"), of(rbac+"/v1", "ClusterRole", "Role"))
	r.add(writes(), slices.Concat(
		of(rbac+"/v1", "ClusterRoleBinding", "RoleBinding"), core("ConfigMap", "Service", "ServiceAccount"), of("apps/v1", "Deployment"),
		of("scheduling.k8s.io/v1", "PriorityClass"), of("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
		of("monitoring.coreos.com/v1", "PodMonitor", "PrometheusRule", "ServiceMonitor"),
	))
}

// accessOf returns what a stack does in its management cluster.
func accessOf(section config.Section) access {
	var a access
	switch s := section.(type) {
	case *config.Cluster:
		a.namespace = s.HostedCluster.NamespaceOrDefault()
		own := of(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster, hypershiftcrd.NodePool)
		a.inside.add(writes(), append(own, core("Secret", "ConfigMap")...))
		a.readsHosted()
		a.anywhere.add([]string{"get", "list", "watch", "create", "patch"}, core("Namespace"))
	case *config.NodePools:
		a.namespace = s.NamespaceOrDefault()
		a.inside.add(writes(), append(of(hypershiftcrd.APIVersion, hypershiftcrd.NodePool), core("Secret", "ConfigMap")...))
		a.readsHosted()
		a.anywhere.add([]string{"get"}, core("Namespace"), "kube-system") // its UID identifies the management cluster
	case *config.CAPA:
		a.namespace = cmp.Or(s.Namespace, "default")
		a.inside.add(writes(), core("Secret", "ConfigMap"))
		kinds := capacrd.Set.Kinds()
		slices.SortFunc(kinds, func(a, b crd.Kind) int { return strings.Compare(a.Kind, b.Kind) })
		for _, kind := range kinds {
			if namespaced, err := capacrd.Set.Namespaced(kind); err == nil && !namespaced {
				a.anywhere.add(writes(), []crd.Kind{kind})
				continue
			}
			a.inside.add(writes(), []crd.Kind{kind})
			a.anywhere.add(reads(), []crd.Kind{kind})
		}
		a.anywhere.add(reads(), of("cluster.x-k8s.io/v1beta1", "Machine"))
		a.anywhere.add([]string{"get"}, of("apps/v1", "Deployment"))
		a.anywhere.add([]string{"get", "list", "watch", "create", "patch"}, core("Namespace"))
	case *config.Management:
		// The operator's namespace does not exist yet, so a Role cannot be in it: the stack creates it, and the API server does not authorize the creation
		// of Secrets by their names.
		secrets := s.SecretNames()
		if s.Operator.Install != nil {
			a.anywhere.install()
			secrets = []string{management.EC2Secret, management.OIDCS3Secret, management.ExternalDNSSecret}
		}
		if len(secrets) > 0 {
			a.anywhere.add(writes(), core("Secret"), secrets...)
		}
		a.namespace = kubePublic
		a.inside.add(writes(), core("ConfigMap"), oidcConfigMap)
		a.anywhere.add(writes(), core("Namespace"))
		a.anywhere.add(reads(), of(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster))
	}
	a.anywhere.add([]string{"get"}, of("config.openshift.io/v1", "Infrastructure"))
	return a
}

// readsHosted adds what is read of a hosted cluster: it is found by its infra ID, and its control plane is in a namespace that HyperShift creates.
func (a *access) readsHosted() {
	a.anywhere.add(reads(), of(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster, hypershiftcrd.NodePool, hypershiftcrd.HostedControlPlane,
		hypershiftcrd.EndpointService))
	a.anywhere.add([]string{"get"}, of("apps/v1", "Deployment"))
	a.anywhere.add([]string{"get"}, core("ConfigMap"), "supported-versions")
	a.anywhere.add(reads(), of("cluster.x-k8s.io/v1beta1", "Machine"))
}

// roles returns the roles of a stack that uses the service account of its pods in the operator's cluster, bound to that account; none for other stacks.
func (o Options) roles(s Stack) ([]map[string]any, error) {
	if !o.Roles || s.Section == nil || s.Section.ManagementCluster() == nil {
		return nil, nil
	}
	if selected := s.Section.ManagementCluster(); selected.Context != "" {
		return nil, &fault.Fault{
			File: s.Path, Path: "kubeconfig.context", Value: selected.Context, Problem: "is a context of a kubeconfig, whose user has the rights of the pods",
			Remedy: "render this stack without --roles, or remove `context`: with kubeconfig: {} pods use their service account",
		}
	}
	a := accessOf(s.Section)
	name := o.Namespace + "-" + s.Name
	objects := o.bound("ClusterRole", map[string]any{"name": name, "labels": labels()}, a.anywhere)
	if len(a.inside) > 0 {
		objects = append(objects, o.bound("Role", map[string]any{"name": name, "namespace": a.namespace, "labels": labels()}, a.inside)...)
	}
	return objects, nil
}

// bound returns a role, and its binding to the service account of the pods.
func (o Options) bound(kind string, metadata map[string]any, rules rules) []map[string]any {
	return []map[string]any{
		{"apiVersion": rbac + "/v1", "kind": kind, "metadata": metadata, "rules": []any(rules)},
		{
			"apiVersion": rbac + "/v1", "kind": kind + "Binding", "metadata": metadata,
			"roleRef":  map[string]any{"apiGroup": rbac, "kind": kind, "name": metadata["name"]},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": o.ServiceAccount, "namespace": o.Namespace}},
		},
	}
}
