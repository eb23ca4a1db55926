package guarded

import "regexp"

// newIdentity is how the operator gets other credentials: an update creates the new ones before it deletes the old ones.
const newIdentity = "allow the change of every credential in one update, and directly after it run `hypershift install` with the new output installArgs or, " +
	"with operator.install, restart the Deployments operator and external-dns: until then they cannot call AWS"

// kubernetesTypes are the types of objects in a management cluster that living clusters depend on.
func kubernetesTypes() []Type {
	object := func(more ...string) []string { return append([]string{"metadata.name", "metadata.namespace"}, more...) }
	const destroy = "the cluster ends with it: `hypershift-aws destroy` deletes the cluster first, and then what it depends on"
	const machines = "add the new machines first, and allow the deletion of the old ones when the new ones are ready and the old ones are no longer needed"
	return []Type{
		{Token: "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", Needed: "it is the cluster", Remedy: destroy, Fixed: object(), Protected: ForCluster},
		{Token: "kubernetes:hypershift.openshift.io/v1beta1:NodePool", Needed: "its nodes are deleted with it, and what runs on them",
			Remedy: "add the new pool first, and wait until its nodes are ready; when nothing runs on the nodes of this one any more, allow its deletion", Fixed: object()},
		{Token: "kubernetes:core/v1:Namespace", Needed: "everything in it is deleted with it: the operator of all hosted clusters, its credentials and its webhooks",
			Fixed: []string{"metadata.name"}},
		{Token: secret, Name: regexp.MustCompile(`^(hypershift-operator-aws-credentials|hypershift-operator-oidc-provider-s3-credentials|external-dns-credentials)$`),
			Needed: "HyperShift's operator and external-dns read their credentials from it", Remedy: newIdentity, Fixed: object("type")},
		{Token: secret, Name: regexp.MustCompile(`-pull-secret$`), Needed: "nodes and the control plane pull their images with it", Fixed: object("type")},
		{Token: secret, Name: regexp.MustCompile(`-etcd-encryption-key(-[0-9a-f]+)?$|-sa-token-issuer-key$`),
			Needed: "it has the key of what etcd stores, or of the tokens of service accounts", Staged: true, Protected: ForCluster},
		{Token: "kubernetes:apps/v1:Deployment", Needed: "nothing reconciles hosted clusters without it", Fixed: object("spec.selector"), Protected: ForUsers},
		{Token: "kubernetes:cluster.x-k8s.io/v1beta2:Cluster", Needed: "it is the cluster", Remedy: destroy, Fixed: object(), Protected: ForCluster},
		{Token: "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSCluster", Needed: "the cluster's network and load balancers are deleted with it",
			Remedy: destroy, Fixed: object()},
		{Token: "kubernetes:controlplane.cluster.x-k8s.io/v1beta2:KubeadmControlPlane", Needed: "the machines of the control plane are deleted with it",
			Remedy: destroy, Fixed: object()},
		{Token: "kubernetes:cluster.x-k8s.io/v1beta2:MachineDeployment", Needed: "its machines are deleted with it, and what runs on them", Remedy: machines, Fixed: object()},
	}
}

const secret = "kubernetes:core/v1:Secret"
