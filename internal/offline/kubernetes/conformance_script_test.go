package kubernetes

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// step is one request of the script, to objects of a kind.
type step struct {
	name string
	kind *ObjectKind
	do   func(judged) answer
}

const (
	ours   = "hypershift-aws"
	theirs = "hypershift-operator-manager"
)

// within returns an object with a value set in it; nil takes the value away.
func within(object props.Map, value any, path ...string) props.Map {
	object = object.Clone()
	at := object
	for _, key := range path[:len(path)-1] {
		if !at.Has(key) {
			at[key] = map[string]any{}
		}
		at = at.Object(key)
	}
	if at[path[len(path)-1]] = value; value == nil {
		delete(at, path[len(path)-1])
	}
	return object
}

func named(apiVersion, kind, namespace, name string, more props.Map) props.Map {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	object := props.Map{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	for key, value := range more {
		object[key] = value
	}
	return object
}

func tag(key, value string) map[string]any { return map[string]any{"key": key, "value": value} }

// scriptCluster returns a HostedCluster as a stack makes it.
func scriptCluster() props.Map {
	role := func(name string) string { return "arn:aws:iam::123456789012:role/demo-x1-" + name }
	strategy := func(service, kind string) map[string]any {
		return map[string]any{"service": service, "servicePublishingStrategy": map[string]any{"type": kind}}
	}
	return named("hypershift.openshift.io/v1beta1", "HostedCluster", "clusters", "demo", props.Map{"spec": map[string]any{
		"infraID": "demo-x1", "issuerURL": "https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1",
		"controllerAvailabilityPolicy": "SingleReplica",
		"dns":                          map[string]any{"baseDomain": "example.com"},
		"etcd": map[string]any{"managementType": "Managed",
			"managed": map[string]any{"storage": map[string]any{"type": "PersistentVolume",
				"persistentVolume": map[string]any{"size": "8Gi"}}}},
		"networking": map[string]any{
			"clusterNetwork": []any{map[string]any{"cidr": "10.132.0.0/14"}},
			"machineNetwork": []any{map[string]any{"cidr": "10.0.0.0/16"}},
			"serviceNetwork": []any{map[string]any{"cidr": "172.31.0.0/16"}}, "networkType": "OVNKubernetes"},
		"platform": map[string]any{"type": "AWS", "aws": map[string]any{
			"region": "us-east-1", "endpointAccess": "Public", "resourceTags": []any{tag("team", "platform")},
			"cloudProviderConfig": map[string]any{
				"vpc":    "vpc-0123456789abcdef0",
				"zone":   "us-east-1a",
				"subnet": map[string]any{"id": "subnet-0123456789abcdef0"},
			},
			"rolesRef": map[string]any{
				"controlPlaneOperatorARN": role("control-plane-operator"), "nodePoolManagementARN": role("node-pool"),
				"imageRegistryARN": role("a"), "ingressARN": role("b"), "kubeCloudControllerARN": role("c"),
				"networkARN": role("d"), "storageARN": role("e")}}},
		"pullSecret": map[string]any{"name": "demo-pull-secret"}, "sshKey": map[string]any{"name": ""},
		"release": map[string]any{"image": "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"},
		"services": []any{strategy("APIServer",
			"LoadBalancer"), strategy("OAuthServer", "Route"), strategy("Konnectivity", "Route"), strategy("Ignition", "Route")},
	}})
}

func scriptPool() props.Map {
	return named("hypershift.openshift.io/v1beta1", "NodePool", "clusters", "demo-us-east-1a",
		props.Map{"spec": map[string]any{
			"clusterName": "demo", "replicas": 1.0, "nodeDrainTimeout": "10m", "arch": "amd64",
			"management": map[string]any{"upgradeType": "Replace"},
			"platform": map[string]any{"type": "AWS",
				"aws": map[string]any{"instanceType": "m5.large", "instanceProfile": "demo-x1-worker",
					"subnet": map[string]any{"id": "subnet-0123456789abcdef0"}}},
			"release": map[string]any{"image": "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"},
		}})
}

// script returns the requests to both APIs, in this order.
func script() []step {
	kinds := ObjectKinds()
	namespaces, patches := kinds[NamespaceToken], kinds[NamespacePatchToken]
	secrets, maps := kinds["kubernetes:core/v1:Secret"], kinds["kubernetes:core/v1:ConfigMap"]
	clusters, pools := kinds[HostedClusterToken], kinds[NodePoolToken]
	create := func(name string, k *ObjectKind, object props.Map) step {
		return step{name, k, func(api judged) answer { return api.create(k, object.Clone()) }}
	}
	apply := func(name string, k *ObjectKind, object props.Map, manager string, force bool) step {
		return step{name, k, func(api judged) answer { return api.apply(k, object.Clone(), manager, force) }}
	}
	edit := func(name string, k *ObjectKind, namespace, of, manager string, change func(props.Map)) step {
		return step{name, k, func(api judged) answer {
			return api.edit(k, namespace, of, manager, func(object map[string]any) { change(object) })
		}}
	}
	dry := func(name string, k *ObjectKind, object props.Map, manager string) step {
		return step{name, k, func(api judged) answer { return api.dryApply(k, object.Clone(), manager) }}
	}
	get := func(name string, k *ObjectKind, namespace, of string) step {
		return step{name, k, func(api judged) answer { return api.get(k, namespace, of) }}
	}
	remove := func(name string, k *ObjectKind, namespace, of string) step {
		return step{name, k, func(api judged) answer { return api.remove(k, namespace, of) }}
	}
	spec := func(object map[string]any, path ...string) props.Map {
		at := props.Map(object).Object("spec")
		for _, key := range path {
			at = at.Object(key)
		}
		return at
	}

	namespace := named("v1", "Namespace", "", "clusters", props.Map{
		"metadata": map[string]any{"name": "clusters", "labels": map[string]any{"a": "b"}},
	})
	patch := func(labels props.Map) props.Map {
		return props.Map{
			"apiVersion": "v1",
			"kind":       "Namespace",
			"metadata":   map[string]any{"name": "clusters", "labels": map[string]any(labels)},
		}
	}
	cluster, pool := scriptCluster(), scriptPool()
	fresh := within(pool, "demo-us-east-1b", "metadata", "name")
	scaling := within(within(fresh, nil, "spec", "replicas"), map[string]any{"min": 1.0, "max": 3.0}, "spec",
		"autoScaling")
	retagged := within(cluster, []any{tag("team", "network")}, "spec", "platform", "aws", "resourceTags")
	settings := named("v1", "ConfigMap", "clusters", "oidc", props.Map{"data": map[string]any{"name": "demo-oidc"}})
	return []step{
		create("create a Namespace", namespaces, namespace),
		create("create it again", namespaces, namespace),
		get("read a Namespace that does not exist", namespaces, "", "none"),
		apply("apply a label to it (NamespacePatch)", patches, patch(props.Map{"c": "d"}), ours, false),
		apply("apply another label instead", patches, patch(props.Map{"e": "f"}), ours, false),
		apply("apply no label", patches, patch(nil), ours, false),

		create("create a Secret in a namespace that does not exist", secrets, named("v1", "Secret", "none", "aws", nil)),
		create("create a Secret from text", secrets, named("v1", "Secret", "clusters", "aws", props.Map{
			"stringData": map[string]any{"credentials": "[default]"},
		})),
		create("create the Secret again", secrets, named("v1", "Secret", "clusters", "aws", nil)),
		create("create a ConfigMap", maps, settings),
		remove("delete a ConfigMap that does not exist", maps, "clusters", "none"),
		remove("delete the ConfigMap in the foreground", maps, "clusters", "oidc"),
		get("read it while it is deleted", maps, "clusters", "oidc"),
		create("create it while it is deleted", maps, settings),
		edit("remove the finalizer, as the garbage collector does", maps, "clusters", "oidc", "kube-controller-manager",
			func(object props.Map) {
				delete(object.Object("metadata"), "finalizers")
			}),
		get("read it after its deletion", maps, "clusters", "oidc"),

		create("create a HostedCluster with a value that is not in an enum", clusters,
			within(cluster, "Sometimes", "spec", "controllerAvailabilityPolicy")),
		create("create a HostedCluster without a required field", clusters, within(cluster, nil, "spec", "release", "image")),
		create("create a HostedCluster that violates a rule (CEL)", clusters, within(cluster, "-x", "spec", "infraID")),
		create("create a HostedCluster with a value of a wrong type", clusters, within(cluster, "no", "spec", "fips")),
		create("create a HostedCluster, with defaults", clusters, cluster),
		create("create the HostedCluster again", clusters, cluster),
		get("read it, with the creator's managed fields", clusters, "clusters", "demo"),
		apply("apply a change", clusters, within(cluster, "quay.io/openshift-release-dev/ocp-release:4.19.1-x86_64", "spec",
			"release", "image"), ours, false),
		apply("apply the same again", clusters,
			within(cluster, "quay.io/openshift-release-dev/ocp-release:4.19.1-x86_64", "spec", "release", "image"), ours, false),
		apply("apply an immutable field", clusters, within(cluster, "other", "spec", "infraID"), ours, false),
		apply("apply a value that is not in an enum", clusters,
			within(cluster, "Sometimes", "spec", "controllerAvailabilityPolicy"), ours, false),
		edit("update: an operator adds a finalizer, an ID and a tag", clusters, "clusters", "demo", theirs,
			func(object props.Map) {
				object.Object("metadata")["finalizers"] = props.List("hypershift.openshift.io/finalizer")
				spec(object)["clusterID"] = "9b7ba1a3-3c1f-4f7c-9ad4-6d1f6d2c0a11"
				aws := spec(object, "platform", "aws")
				aws["resourceTags"] = append(aws["resourceTags"].([]any), tag("kubernetes.io/cluster/demo-x1", "owned"))
			}),
		apply("apply the tags that the operator has changed: a conflict", clusters, retagged, ours, false),
		apply("apply them by force", clusters, retagged, ours, true),
		apply("apply a field of another manager's with its own value", clusters,
			named("hypershift.openshift.io/v1beta1", "HostedCluster", "clusters", "demo", props.Map{
				"spec": map[string]any{"clusterID": "9b7ba1a3-3c1f-4f7c-9ad4-6d1f6d2c0a11"},
			}),
			"third", false),
		apply("apply another value of a field that two have: a conflict with both", clusters,
			within(named("hypershift.openshift.io/v1beta1", "HostedCluster", "clusters", "demo", nil),
				"00000000-3c1f-4f7c-9ad4-6d1f6d2c0a11", "spec", "clusterID"), "fourth", false),
		apply("apply a label", clusters, within(retagged, map[string]any{"stage": "dev"}, "metadata", "labels"), ours, false),
		apply("apply less than before: the label is removed", clusters, retagged, ours, false),
		apply("apply without an immutable field", clusters, within(retagged, nil, "spec", "controllerAvailabilityPolicy"),
			ours, false),
		edit("update: an immutable field", clusters, "clusters", "demo", theirs, func(object props.Map) {
			spec(object)["infraID"] = "other"
		}),

		edit("update: an operator writes an empty map, and the server its defaults", clusters, "clusters", "demo", theirs,
			func(object props.Map) {
				spec(object)["autoscaling"] = map[string]any{}
			}),
		apply("apply another value of a default that the operator manages: a conflict", clusters,
			within(retagged, "ScaleUpOnly", "spec", "autoscaling", "scaling"), ours, false),

		create("create a NodePool", pools, pool),
		edit("update: an operator writes a duration in its own form", pools, "clusters", "demo-us-east-1a", theirs,
			func(object props.Map) {
				spec(object)["nodeDrainTimeout"] = "10m0s"
			}),
		apply("apply the duration as it was written: a conflict", pools, within(pool, 2.0, "spec", "replicas"), ours, false),
		apply("apply the duration in the operator's form", pools,
			within(within(pool, 2.0, "spec", "replicas"), "10m0s", "spec", "nodeDrainTimeout"), ours, false),
		edit("update: the autoscaler sets the replicas", pools, "clusters", "demo-us-east-1a", "cluster-autoscaler",
			func(object props.Map) {
				spec(object)["replicas"] = 5.0
			}),
		apply("apply without the replicas", pools,
			within(within(pool, nil, "spec", "replicas"), "10m0s", "spec", "nodeDrainTimeout"), ours, false),
		{"scale the NodePool by its subresource", pools, func(api judged) answer {
			return api.scale(pools, "clusters", "demo-us-east-1a", 6)
		}},
		apply("apply other replicas: a conflict with the subresource", pools,
			within(within(pool, 2.0, "spec", "replicas"), "10m0s", "spec", "nodeDrainTimeout"), ours, false),
		apply("apply the replicas of the subresource: shared", pools,
			within(within(pool, 6.0, "spec", "replicas"), "10m0s", "spec", "nodeDrainTimeout"), ours, false),
		edit("update: kubectl edit sets the replicas", pools, "clusters", "demo-us-east-1a", "kubectl-edit",
			func(object props.Map) {
				spec(object)["replicas"] = 7.0
			}),
		dry("dry run of other replicas: a conflict with kubectl edit", pools,
			within(within(pool, 2.0, "spec", "replicas"), "10m0s", "spec", "nodeDrainTimeout"), ours),
		apply("apply other replicas, after kubectl edit's fields were taken over", pools,
			within(within(pool, 2.0, "spec", "replicas"), "10m0s", "spec", "nodeDrainTimeout"),
			ours, false),
		create("create another NodePool", pools, fresh),
		dry("dry run from replicas to autoScaling: the replicas of the creation stay", pools, scaling, ours),
		apply("apply autoScaling instead of replicas", pools, scaling, ours, false),

		remove("delete the HostedCluster, which a finalizer blocks", clusters, "clusters", "demo"),
		remove("delete it again", clusters, "clusters", "demo"),
		edit("update: a new finalizer while it is deleted", clusters, "clusters", "demo", theirs, func(object props.Map) {
			metadata := object.Object("metadata")
			metadata["finalizers"] = append(metadata["finalizers"].([]any), "example.com/late")
		}),
		edit("remove the finalizers", clusters, "clusters", "demo", theirs, func(object props.Map) {
			delete(object.Object("metadata"), "finalizers")
		}),
		get("read the HostedCluster after its deletion", clusters, "clusters", "demo"),
		remove("delete the NodePool in the foreground", pools, "clusters", "demo-us-east-1a"),
	}
}
