package kubernetes

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// DefinitionToken is the Pulumi type of custom resource definitions.
const DefinitionToken = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"

// installedKinds returns the kinds of the objects that install HyperShift's operator. The cluster keeps their fields as
// they are: it has no scheduler, and checks only the versions of definitions.
func installedKinds() []*ObjectKind {
	var kinds []*ObjectKind
	for _, api := range []struct {
		apiVersion string
		kinds      []string
		namespaced bool
	}{
		{"v1", []string{"ServiceAccount", "Service"}, true},
		{"apps/v1", []string{"Deployment"}, true},
		{"rbac.authorization.k8s.io/v1", []string{"Role", "RoleBinding"}, true},
		{"rbac.authorization.k8s.io/v1", []string{"ClusterRole", "ClusterRoleBinding"}, false},
		{"scheduling.k8s.io/v1", []string{"PriorityClass"}, false},
		{"admissionregistration.k8s.io/v1", []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"},
			false},
		{"monitoring.coreos.com/v1", []string{"ServiceMonitor", "PodMonitor", "PrometheusRule"}, true},
		{"apiextensions.k8s.io/v1", []string{"CustomResourceDefinition"}, false},
	} {
		group, _, _ := strings.Cut(api.apiVersion, "/")
		token := api.apiVersion
		if group == api.apiVersion {
			group, token = "", "core/"+api.apiVersion
		}
		for _, kind := range api.kinds {
			plural := strings.ToLower(kind) + "s"
			if strings.HasSuffix(kind, "Class") {
				plural = strings.ToLower(kind) + "es"
			}
			kinds = append(kinds, &ObjectKind{token: "kubernetes:" + token + ":" + kind, apiVersion: api.apiVersion, kind: kind,
				plural: strings.TrimSuffix(plural+"."+group, "."), namespaced: api.namespaced, installed: true,
				complete: completions[kind],
				replaces: replacements[kind]})
		}
	}
	return append(kinds, &ObjectKind{token: DefinitionToken + "Patch", patches: DefinitionToken,
		apiVersion: "apiextensions.k8s.io/v1",
		kind:       "CustomResourceDefinition", plural: "customresourcedefinitions.apiextensions.k8s.io", installed: true,
		complete: completeDefinition,
		refuses:  losesStored})
}

// replacements are the inputs whose change replaces an object, by kind.
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/provider/diff.go (forceNew)
var replacements = map[string][]string{
	"Deployment": {"spec.selector"}, "RoleBinding": {"roleRef"}, "ClusterRoleBinding": {"roleRef"},
	"Service": {"spec.clusterIP"},
}

// completions set the status that the cluster's controllers set, by kind.
var completions = map[string]func(props.Map){
	"Deployment":               completeDeployment,
	"CustomResourceDefinition": completeDefinition,
}

// completeDeployment sets the status of a Deployment, whose pods are available at once.
func completeDeployment(o props.Map) {
	replicas := 1.0
	if spec := o.Object("spec"); spec.Has("replicas") {
		replicas = spec.Number("replicas")
	}
	metadata := o.Object("metadata")
	metadata["generation"] = metadata.Number("generation") + 1
	o["status"] = map[string]any{
		"observedGeneration": metadata["generation"], "replicas": replicas, "updatedReplicas": replicas,
		"readyReplicas": replicas, "availableReplicas": replicas,
		"conditions": []any{map[string]any{"type": "Available", "status": "True"}},
	}
}

// completeDefinition sets the status of a definition: it is established, and objects are stored in its storage version
// and in those that were storage versions before.
func completeDefinition(o props.Map) {
	stored := o.Object("status").Strings("storedVersions")
	for _, version := range o.Object("spec").Objects("versions") {
		if name := version.String("name"); version.Bool("storage") && !slices.Contains(stored, name) {
			stored = append(stored, name)
		}
	}
	status := StatusOf(o)
	status["storedVersions"] = props.List(stored...)
	status["conditions"] = []any{map[string]any{"type": "Established", "status": "True"}}
}

// losesStored: the API server refuses a definition without a version in which it stores objects.
// Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation,
// ValidateCustomResourceDefinitionStoredVersions.
func losesStored(was, is props.Map) error {
	for i, version := range was.Object("status").Strings("storedVersions") {
		if !slices.ContainsFunc(is.Object("spec").Objects("versions"), func(v props.Map) bool {
			return v.String("name") == version
		}) {
			kind := &ObjectKind{apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition"}
			return apierrors.NewInvalid(kind.group(), is.Object("metadata").String("name"), field.ErrorList{
				field.Invalid(field.NewPath("status", "storedVersions").Index(i), version, "missing from spec.versions; "+version+
					" was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in "+
					version+" and removes "+version+" from status.storedVersions"),
			})
		}
	}
	return nil
}

// veleroNamespace is the namespace in which OADP's documentation installs Velero.
const veleroNamespace = "openshift-adp"

// BackupStorage returns the BackupStorageLocation of the OADP that every offline cluster has, nil for others.
func BackupStorage(namespace, name string) map[string]any {
	if namespace != veleroNamespace || name != crd.BackupDefaultLocation {
		return nil
	}
	return map[string]any{
		"apiVersion": crd.VeleroAPIVersion, "kind": crd.BackupStorageLocation,
		"metadata": map[string]any{"namespace": namespace, "name": name}, "status": map[string]any{"phase": "Available"},
	}
}
