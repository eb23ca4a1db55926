// Package rights lists what a stack does in its management cluster, as rules of Kubernetes' roles: for the roles of
// pods, and for those of users. It is the only such list.
package rights

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	hypershiftcrd "github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Group is the group of Roles and ClusterRoles.
const Group = "rbac.authorization.k8s.io"

// oidcConfigMap is the ConfigMap of a management stack, in a namespace that every cluster has.
const (
	oidcConfigMap = "oidc-storage-provider-s3-config"
	kubePublic    = "kube-public"
)

// kubeSystem identifies a management cluster, and supportedVersions has the releases that its operator supports.
const (
	kubeSystem        = "kube-system"
	supportedVersions = "supported-versions"
)

// resourceQuota limits the number of objects in a namespace.
const resourceQuota = "ResourceQuota"

// Rule is what may be done with the objects of a kind.
type Rule struct {
	Verbs []string
	Kind  crd.Kind
	// Names are the names of the objects; none for all.
	Names []string
}

// Rules are the rules of a Role or ClusterRole.
type Rules []Rule

// Objects returns the rules as a Role has them.
func (r Rules) Objects() []any {
	var all []any
	for _, rule := range r {
		resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(rule.Kind.APIVersion, rule.Kind.Kind))
		object := map[string]any{
			"apiGroups": []any{resource.Group},
			"resources": []any{resource.Resource},
			"verbs":     list(rule.Verbs),
		}
		if len(rule.Names) > 0 {
			object["resourceNames"] = list(rule.Names)
		}
		all = append(all, object)
	}
	return all
}

// add adds what may be done with the objects of some kinds. With names, only objects of these names, except that others
// may be created: the API server does not authorize a creation by its name.
func (r *Rules) add(verbs []string, kinds []crd.Kind, names ...string) {
	const create = "create"
	if len(names) > 0 && slices.Contains(verbs, create) {
		r.add([]string{create}, kinds)
		verbs = slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return verb == create })
	}
	for _, kind := range kinds {
		*r = append(*r, Rule{Verbs: verbs, Kind: kind, Names: names})
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

// Rights are what a stack does in its management cluster.
type Rights struct {
	// Anywhere are rules for all namespaces and for objects without one; Inside are rules for the namespaces that the
	// stack's objects are in.
	Anywhere Rules
	Inside   map[string]Rules
	// Namespaces are those that an administrator creates.
	Namespaces []string
}

// in adds rules for a namespace.
func (a *Rights) in(namespace string, verbs []string, kinds []crd.Kind, names ...string) {
	if a.Inside == nil {
		a.Inside = map[string]Rules{}
	}
	rules := a.Inside[namespace]
	rules.add(verbs, kinds, names...)
	a.Inside[namespace] = rules
}

// owns allows what a stack does with its own namespace, which an administrator creates: the API server does not
// authorize a creation by its name, and deleting a namespace deletes everything in it.
func (a *Rights) owns(namespace string) {
	a.Namespaces = append(a.Namespaces, namespace)
	a.Anywhere.add([]string{"get", "list", "watch", "patch"}, core("Namespace"), namespace)
}

// contents allows what a stack does with Secrets and ConfigMaps of its namespace, by their names.
func (a *Rights) contents(namespace string, secrets, configMaps []string, objects []config.ReferredObject) {
	for _, o := range objects {
		if o.Kind.OrDefault() == hostedcluster.SecretKind {
			secrets = append(secrets, o.Name)
		} else {
			configMaps = append(configMaps, o.Name)
		}
	}
	if len(secrets) > 0 {
		a.in(namespace, writes(), core("Secret"), secrets...)
	}
	if len(configMaps) > 0 {
		a.in(namespace, writes(), core("ConfigMap"), configMaps...)
	}
}

// install adds what a stack does to install HyperShift's operator. The operator has more rights than the pods, which
// therefore may escalate theirs: the API server refuses a role with others, and a binding to it, without these verbs.
func (r *Rules) install() {
	r.add([]string{"get", "list", "watch", "create", "patch"},
		kindsIn("apiextensions.k8s.io/v1", "CustomResourceDefinition"))
	r.add(append(writes(), "bind", "escalate"), kindsIn(Group+"/v1", "ClusterRole", "Role"))
	r.add(writes(), slices.Concat(
		kindsIn(Group+"/v1", "ClusterRoleBinding", "RoleBinding"), core("ConfigMap", "Service", "ServiceAccount"),
		kindsIn("apps/v1", "Deployment"),
		kindsIn("scheduling.k8s.io/v1", "PriorityClass"),
		kindsIn("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
		kindsIn("monitoring.coreos.com/v1", "PodMonitor", "PrometheusRule", "ServiceMonitor"),
	))
}

// Of returns what a stack with a section does in its management cluster, by all commands together.
func Of(section config.Section) Rights {
	var a Rights
	a.Anywhere.add([]string{"get"}, core("Namespace"), kubeSystem) // its UID identifies the management cluster
	a.Anywhere.add([]string{"get"}, kindsIn("config.openshift.io/v1", "Infrastructure"))
	switch s := section.(type) {
	case *config.Cluster:
		if s.HostedCluster == nil {
			break
		}
		namespace := s.HostedCluster.NamespaceOrDefault()
		a.owns(namespace)
		a.in(namespace, []string{"get", "list", "watch", "create"},
			kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster))
		a.in(namespace, []string{"patch", "delete"}, kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster),
			s.Name)
		a.in(namespace, writes(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.NodePool))
		secrets, configMaps := hostedcluster.OwnNames(s.Name)
		a.contents(namespace, secrets, configMaps, s.HostedCluster.Objects)
		a.readsHosted()
		// A destroy names what stays of backups. Whose a Schedule is, no role can tell: an administrator deletes it.
		a.Anywhere.add([]string{"list"}, kindsIn(hypershiftcrd.VeleroAPIVersion, hypershiftcrd.Schedule, hypershiftcrd.Backup))
	case *config.NodePools:
		namespace := s.NamespaceOrDefault()
		a.Anywhere.add([]string{"get"}, core("Namespace"), namespace) // whether it is being deleted
		a.in(namespace, writes(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.NodePool))
		a.contents(namespace, nil, nil, s.Objects)
		a.readsHosted()
	case *config.CAPA:
		namespace := cmp.Or(s.Namespace, capa.DefaultNamespace)
		a.owns(namespace)
		kinds := capacrd.Set.Kinds()
		slices.SortFunc(kinds, func(a, b crd.Kind) int { return strings.Compare(a.Kind, b.Kind) })
		for _, kind := range kinds {
			a.Anywhere.add(reads(), []crd.Kind{kind})
			if namespaced, err := capacrd.Set.Namespaced(kind); err == nil && !namespaced {
				if kind.Kind == string(s.Identity.Kind) && s.Identity.Name != "" {
					a.Anywhere.add(writes(), []crd.Kind{kind}, s.Identity.Name)
				}
				continue
			}
			a.in(namespace, writes(), []crd.Kind{kind})
		}
		a.Anywhere.add(reads(), kindsIn("cluster.x-k8s.io/v1beta1", "Machine"))
		a.Anywhere.add([]string{"get"}, kindsIn("apps/v1", "Deployment"))
	case *config.Management:
		namespace, secrets := s.Operator.NamespaceOrDefault(), s.SecretNames()
		if s.Operator.Install != nil {
			a.Anywhere.install()
			secrets = []string{management.EC2Secret, management.OIDCS3Secret, management.ExternalDNSSecret}
		}
		a.owns(namespace)
		a.contents(namespace, secrets, nil, nil)
		a.contents(kubePublic, nil, []string{oidcConfigMap}, nil)
		a.Anywhere.add([]string{"get"}, core("Namespace"), kubePublic) // whether it is being deleted
		a.Anywhere.add(reads(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster))
	}
	for namespace := range a.Inside {
		a.in(namespace, []string{"list"}, core(resourceQuota)) // whether it has room for all new objects
	}
	return a
}

// readsHosted adds what is read of a hosted cluster: it is found by its infra ID, and its control plane is in a
// namespace that HyperShift creates.
func (a *Rights) readsHosted() {
	a.Anywhere.add(reads(), kindsIn(hypershiftcrd.APIVersion, hypershiftcrd.HostedCluster, hypershiftcrd.NodePool,
		hypershiftcrd.HostedControlPlane,
		hypershiftcrd.EndpointService))
	a.Anywhere.add([]string{"get"}, kindsIn("apps/v1", "Deployment"))
	a.Anywhere.add([]string{"get"}, core("ConfigMap"), supportedVersions)
	a.Anywhere.add(reads(), kindsIn("cluster.x-k8s.io/v1beta1", "Machine"))
}
