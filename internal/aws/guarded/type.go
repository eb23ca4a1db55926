package guarded

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// Type is what the guard knows about a type of resources.
type Type struct {
	// Token is Pulumi's. One of Kubernetes stands for every version of its API.
	Token string
	// Name matches the names of the objects that the entry is for. Default all.
	Name *regexp.Regexp
	awstype.Guard
}

// All returns the types in the order of their tokens. A token has several entries if the names of objects decide.
func All() []Type {
	all := slices.Concat(kubernetesTypes(), unneeded())
	for _, info := range awstype.All() {
		if info.Guard.Needed != "" || info.Guard.Unneeded != "" {
			all = append(all, Type{Token: info.Token, Guard: info.Guard})
		}
	}
	slices.SortStableFunc(all, func(a, b Type) int { return strings.Compare(a.Token, b.Token) })
	return all
}

// byToken has the types by their tokens without versions, built once: they are read for each step of a plan.
var byToken = sync.OnceValue(func() map[string][]Type {
	types := map[string][]Type{}
	for _, t := range All() {
		types[withoutVersion(t.Token)] = append(types[withoutVersion(t.Token)], t)
	}
	return types
})

// versionOf matches the version of the API in the token of a Kubernetes type.
var versionOf = regexp.MustCompile(`^(kubernetes:[^/:]+)/[^:]+:`)

// keyPattern matches the names of Secrets with keys that a cluster's data or tokens depend on.
var keyPattern = regexp.MustCompile(recorded.EtcdKeyPattern.String() + `|-sa-token-issuer-key$`)

func withoutVersion(token string) string { return versionOf.ReplaceAllString(token, "$1:") }

// Lookup returns the entry for a type and, if it is one of Kubernetes, the name of the object. It reports false for a
// type that is not in the list.
func Lookup(token, object string) (Type, bool) {
	types := byToken()[withoutVersion(token)]
	i := slices.IndexFunc(types, func(t Type) bool { return t.Name == nil || t.Name.MatchString(object) })
	if i < 0 {
		return Type{}, false
	}
	return types[i], true
}

// Known reports whether the list has the type.
func Known(token string) bool { return len(byToken()[withoutVersion(token)]) > 0 }

// Any reports whether an instance of the type can be guarded.
func Any(token string) bool {
	return slices.ContainsFunc(byToken()[withoutVersion(token)], func(t Type) bool { return t.Guarded() })
}

// Protects reports whether stacks protect instances of the type, in this way.
func Protects(token string, by awstype.Protection) bool {
	return slices.ContainsFunc(byToken()[withoutVersion(token)], func(t Type) bool { return t.Protected == by })
}

// kubernetesTypes are the types of objects in a management cluster that living clusters depend on.
func kubernetesTypes() []Type {
	object := func(more ...string) []string { return append([]string{"metadata.name", "metadata.namespace"}, more...) }
	const destroy = "the cluster ends with it: `hypershift-aws destroy` deletes the cluster first, and then what it depends on"
	const machines = "add the new machines first, and allow the deletion of the old ones when the new ones are ready and the old ones are no longer needed"
	return []Type{
		{Token: "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", Guard: awstype.Guard{
			Needed: "it is the cluster", Remedy: destroy, Fixed: object(), Protected: awstype.ForCluster,
		}},
		{Token: "kubernetes:hypershift.openshift.io/v1beta1:NodePool", Guard: awstype.Guard{
			Needed: "its nodes are deleted with it, and what runs on them",
			Remedy: "add the new pool first, and wait until its nodes are ready; when nothing runs on the nodes of this one any more, allow its deletion",
			Fixed:  object(), Keys: "nodePools", Losses: storeLosses,
			InputKeys: map[string]string{"metadata.annotations": "nodesPausedSince"},
		}},
		{Token: "kubernetes:core/v1:Namespace", Guard: awstype.Guard{
			Needed: "everything in it is deleted with it: the operator of all hosted clusters, its credentials and its webhooks",
			Fixed:  []string{"metadata.name"}, InputKeys: map[string]string{"metadata.name": operatorNamespace},
			Keys: "kubeconfig",
		}},
		{Token: secret, Name: regexp.MustCompile(`^(hypershift-operator-aws-credentials|hypershift-operator-oidc-provider-s3-credentials|external-dns-credentials)$`), Guard: ofSecret(awstype.Guard{
			Needed: "HyperShift's operator and external-dns read their credentials from it", Remedy: awstype.NewIdentity,
			Fixed: object("type"),
		})},
		{Token: secret, Name: regexp.MustCompile(`-pull-secret$`), Guard: ofSecret(awstype.Guard{
			Needed: "nodes and the control plane pull their images with it", Fixed: object("type"),
		})},
		{Token: secret, Name: keyPattern, Guard: ofSecret(awstype.Guard{
			Needed: "it has the key of what etcd stores, or of the tokens of service accounts", Staged: true,
			Protected: awstype.ForCluster,
		})},
		{Token: "kubernetes:apps/v1:Deployment", Guard: awstype.Guard{
			Needed: "nothing reconciles hosted clusters without it", Fixed: object("spec.selector"), Protected: awstype.ForUsers,
			InputKeys: map[string]string{"metadata.namespace": operatorNamespace, "spec": "operator.install"},
			Keys:      "operator.install or zone", Losses: podLosses,
		}},
		{Token: "kubernetes:cluster.x-k8s.io/v1beta2:Cluster", Guard: awstype.Guard{
			Needed: "it is the cluster", Remedy: destroy, Fixed: object(), Protected: awstype.ForCluster,
		}},
		{Token: "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSCluster", Guard: awstype.Guard{
			Needed: "the cluster's network and load balancers are deleted with it", Remedy: destroy, Fixed: object(),
		}},
		{Token: "kubernetes:controlplane.cluster.x-k8s.io/v1beta2:KubeadmControlPlane", Guard: awstype.Guard{
			Needed: "the machines of the control plane are deleted with it", Remedy: destroy, Fixed: object(),
		}},
		{Token: "kubernetes:cluster.x-k8s.io/v1beta2:MachineDeployment", Guard: awstype.Guard{
			Needed: "its machines are deleted with it, and what runs on them", Remedy: machines, Fixed: object(),
			Keys: "workers",
		}},
	}
}

// podLosses finds a Deployment that no longer has pods, or whose pods run as another service account: roles are bound
// to the one until now.
func podLosses(before, after map[string]any) (lost []awstype.Loss) {
	was, is := props.Map(before).Object("spec"), props.Map(after).Object("spec")
	if count, given := is["replicas"].(float64); given && count == 0 && was["replicas"] != is["replicas"] {
		lost = append(lost, awstype.Loss{Input: "spec.replicas", What: "it would have no pods"})
	}
	account := func(spec props.Map) string { return spec.String("template", "spec", "serviceAccountName") }
	if account(was) != "" && len(is) > 0 && account(is) != account(was) {
		lost = append(lost, awstype.Loss{
			Input: "spec.template.spec.serviceAccountName", What: "its pods would no longer run as " + account(was),
			Remedy: "use a complete render of the operator, or allow the change if the other service account has the same permissions",
		})
	}
	return lost
}

const secret = "kubernetes:core/v1:Secret"

// operatorNamespace is the config key of the namespace of HyperShift's operator.
const operatorNamespace = "operator.namespace"

// ofSecret adds the config keys that decide about the Secrets of the operator.
func ofSecret(g awstype.Guard) awstype.Guard {
	g.InputKeys = map[string]string{"metadata.namespace": operatorNamespace}
	g.Keys = "operator.identity, zone or kubeconfig"
	return g
}

// unneeded are the types of objects that no living cluster depends on, each with the reason. A plan may replace and
// delete their instances.
func unneeded() []Type {
	const byRender = "the guard refuses its deletion while an object that stays needs it"
	const unused = "no object that stays needs it: the guard refuses its deletion otherwise"
	types := []Type{{Token: secret, Guard: ofSecret(awstype.Guard{Unneeded: unused})}}
	for why, tokens := range map[string][]string{
		"it adds to a namespace, which it leaves": {"kubernetes:core/v1:NamespacePatch"},
		unused: {"kubernetes:core/v1:ConfigMap"},
		"the definition stays: the API server deletes all objects of a kind with it": {
			"kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch",
		},
		"machines keep theirs: it stays until the Cluster is deleted": {"kubernetes:bootstrap.cluster.x-k8s.io/v1beta2:KubeadmConfigTemplate",
			"kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachineTemplate"},
		byRender: {"kubernetes:core/v1:Service", "kubernetes:core/v1:ServiceAccount",
			"kubernetes:monitoring.coreos.com/v1:ServiceMonitor",
			"kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding",
			"kubernetes:rbac.authorization.k8s.io/v1:Role", "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
			"kubernetes:scheduling.k8s.io/v1:PriorityClass"},
	} {
		for _, token := range tokens {
			types = append(types, Type{Token: token, Guard: awstype.Guard{Unneeded: why}})
		}
	}
	return types
}
