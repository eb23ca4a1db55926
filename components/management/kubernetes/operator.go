package kubernetes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// installer registers the objects of a render, in waves: each waits until those before it are ready.
type installer struct {
	ctx       *pulumi.Context
	name      string
	parent    *InstallObjects
	render    *rendered
	marks     pulumi.StringMap
	namespace pulumi.Resource
}

// install registers the definitions, then what the operators run with, and then their Deployments, after the objects
// that before has. pulumi-kubernetes waits until a definition is established and until a Deployment is available. A
// destroy deletes in the reverse order, and keeps the definitions: the API server deletes all objects of a kind with
// its definition.
func (i *installer) install(before []pulumi.Resource) error {
	secrets, err := i.roleSecrets()
	if err != nil {
		return err
	}
	before = append(before, secrets...)
	for _, wave := range []func(unstructured.Unstructured) bool{
		isDefinition,
		func(o unstructured.Unstructured) bool { return !isDefinition(o) && !isWorkload(o) },
		isWorkload,
	} {
		var registered []pulumi.Resource
		for _, object := range i.render.objects {
			if !wave(object) {
				continue
			}
			resource, err := i.register(object, before)
			if err != nil {
				return err
			}
			registered = append(registered, resource)
		}
		before = append(slices.Clone(before), registered...)
	}
	return nil
}

// isWorkload reports whether an object runs pods.
func isWorkload(object unstructured.Unstructured) bool { return object.GetKind() == "Deployment" }

// roleSecrets creates the Secrets with the credentials files of the roles, as `hypershift install` does: none with
// access keys.
func (i *installer) roleSecrets() ([]pulumi.Resource, error) {
	args := i.render.args
	source := "web_identity_token_file = /var/run/secrets/openshift/serviceaccount/token"
	switch args.Identity.OrDefault() {
	case management.AccessKeys:
		return nil, nil
	case management.InstanceRole:
		source = "credential_source = Ec2InstanceMetadata"
	case management.WebIdentity:
	}
	var secrets []pulumi.Resource
	for _, credentials := range []struct {
		secret string
		role   pulumi.StringInput
	}{{management.EC2Secret, args.EC2RoleARN}, {management.OIDCS3Secret, args.OIDCS3RoleARN},
		{management.ExternalDNSSecret, args.ExternalDNSRoleARN}} {
		if credentials.secret == management.ExternalDNSSecret && args.ZoneDomain == "" || !input.IsSet(credentials.role) {
			continue
		}
		secret, err := kube.NewSecret(i.ctx, i.name+"-"+credentials.secret, &kube.SecretArgs{
			Metadata: kube.Metadata{
				Name:        pulumi.String(credentials.secret),
				Namespace:   i.parent.Namespace,
				Annotations: i.marks,
			},
			StringData: pulumi.StringMap{
				credentialsKey: pulumi.Sprintf("[default]\nrole_arn = %s\n%s\n", credentials.role, source),
			},
		}, pulumi.Parent(i.parent), pulumi.DependsOn([]pulumi.Resource{i.namespace}))
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// The annotations of pulumi-kubernetes. Fields belong to the manager of `hypershift install`, so that objects that the
// CLI applied are taken over without a conflict, and that fields that a later render does not have are removed.
// Definitions take fields from other managers, as the CLI does.
const (
	patchManager = "pulumi.com/patchFieldManager"
	patchForce   = "pulumi.com/patchForce"
	waitFor      = "pulumi.com/waitFor"
	skipAwait    = "pulumi.com/skipAwait"
	cliManager   = "hypershift"
)

// register registers an object of the render. A definition is a patch, because it may exist: a destroyed stack leaves
// it.
func (i *installer) register(object unstructured.Unstructured, before []pulumi.Resource) (pulumi.Resource, error) {
	opts := []pulumi.ResourceOption{pulumi.Parent(i.parent), pulumi.DependsOn(before)}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[patchManager] = cliManager
	suffix := ""
	switch kind := object.GetKind(); {
	case isDefinition(object):
		suffix = "Patch"
		annotations[patchForce], annotations[waitFor] = "true", "condition=Established"
		opts = append(opts, pulumi.RetainOnDelete(true))
	case isDeployment(object, operatorName):
		opts = append(opts, pulumi.Protect(!i.render.args.Unprotected))
	case kind == "Service":
		// pulumi-kubernetes waits until a Service has pods. A later wave creates them.
		annotations[skipAwait] = "true"
	}
	if suffix == "" {
		annotations[hypershift.StackTag] = string(i.marks[hypershift.StackTag].(pulumi.String))
	}
	object.SetAnnotations(annotations)
	inputs, err := inputsOf(object)
	if err != nil {
		return nil, err
	}
	return kube.NewObject(i.ctx, i.name+"-"+i.logicalName(object), object.GetAPIVersion(), object.GetKind()+suffix, inputs, opts...)
}

// logicalName returns the name of an object in the program: its kind and name, with its namespace if that is not the
// operator's.
func (i *installer) logicalName(object unstructured.Unstructured) string {
	kind := strings.ToLower(object.GetKind())
	if isDefinition(object) {
		kind = "crd"
	}
	if namespace := object.GetNamespace(); namespace != "" && namespace != i.render.namespace {
		return kind + "-" + namespace + "-" + object.GetName()
	}
	return kind + "-" + object.GetName()
}

// inputsOf returns an object as the inputs of a resource. The content of a Secret is secret.
func inputsOf(object unstructured.Unstructured) (pulumi.Map, error) {
	text, err := json.Marshal(object.Object) // numbers become those of JSON
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", describe(object), err)
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, fmt.Errorf("reading %s: %w", describe(object), err)
	}
	inputs := input.Placeholders{}.In(content).(pulumi.Map)
	for _, key := range []string{"data", "stringData"} {
		if value := inputs[key]; value != nil && object.GetKind() == "Secret" {
			inputs[key] = pulumi.ToSecret(value)
		}
	}
	return inputs, nil
}
