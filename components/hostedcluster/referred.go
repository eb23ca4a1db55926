package hostedcluster

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Referred is a ConfigMap or Secret that the HostedCluster or a NodePool refers to by its name. It is created before
// them and deleted after them.
type Referred struct {
	// Name is the name of the object. Required.
	Name string `yaml:"-" pulumi:"name"`
	// Kind is ConfigMap or Secret. Default ConfigMap.
	Kind ReferredKind `yaml:"-" pulumi:"kind,optional"`
	// Data maps each key of the object to its content. The contents of a Secret are secrets in the stack's state.
	// Required.
	Data map[string]pulumi.StringInput `yaml:"-" pulumi:"data"`
}

// ReferredKind is the kind of an object that a hosted cluster refers to.
type ReferredKind string

const (
	// ConfigMap is not secret. It is the default.
	ConfigMap ReferredKind = "ConfigMap"
	// SecretKind is a Secret.
	SecretKind ReferredKind = "Secret"
)

// OrDefault returns k, or ConfigMap for the zero value.
func (k ReferredKind) OrDefault() ReferredKind {
	if k == "" {
		return ConfigMap
	}
	return k
}

// Validate returns a fault for an unknown kind; "" is the default.
func (k ReferredKind) Validate() error {
	return enum.Validate(k, "is not a kind of object that a hosted cluster refers to", ConfigMap, SecretKind)
}

// reference is a field with the name of an object, and what HyperShift reads of the object.
type reference struct {
	// field is the path of the field: "[]" is each item of a list, and "*" each field.
	field string
	kind  ReferredKind
	// key is the key that is read; "" for several or any.
	key string
	// check returns a fault for a content that cannot be used; nil if any text can be.
	check func(string) error
}

// clusterReferences returns the references of a HostedCluster. Source: the comments of the fields in HyperShift's and
// OpenShift's API.
func clusterReferences() []reference {
	const (
		config    = "spec.configuration."
		providers = config + "oauth.identityProviders[].*."
		serving   = config + "apiServer.servingCerts.namedCertificates[].servingCertificate.name"
	)
	return []reference{
		{"spec.additionalTrustBundle.name", ConfigMap, "ca-bundle.crt", checkCertificates},
		{"spec.serviceAccountSigningKey.name", SecretKind, "key", checkSigningKey},
		{"spec.auditWebhook.name", SecretKind, "webhook-kubeconfig", nil},
		{"spec.secretEncryption.aescbc.backupKey.name", SecretKind, "key", nil},
		{serving, SecretKind, "tls.crt", checkCertificates},
		{serving, SecretKind, "tls.key", checkPrivateKey},
		{config + "apiServer.clientCA.name", ConfigMap, "ca-bundle.crt", checkCertificates},
		{config + "proxy.trustedCA.name", ConfigMap, "ca-bundle.crt", checkCertificates},
		{config + "image.additionalTrustedCA.name", ConfigMap, "", checkCertificates},
		{config + "authentication.oidcProviders[].issuer.issuerCertificateAuthority.name", ConfigMap, "ca-bundle.crt",
			checkCertificates},
		{config + "authentication.oidcProviders[].oidcClients[].clientSecret.name", SecretKind, "clientSecret", nil},
		{providers + "ca.name", ConfigMap, "ca.crt", checkCertificates},
		{providers + "clientSecret.name", SecretKind, "clientSecret", nil},
		{providers + "fileData.name", SecretKind, "htpasswd", checkHtpasswd},
		{providers + "bindPassword.name", SecretKind, "bindPassword", nil},
		{providers + "tlsClientCert.name", SecretKind, "tls.crt", checkCertificates},
		{providers + "tlsClientKey.name", SecretKind, "tls.key", checkPrivateKey},
		{config + "oauth.templates.login.name", SecretKind, "login.html", nil},
		{config + "oauth.templates.error.name", SecretKind, "errors.html", nil},
		{config + "oauth.templates.providerSelection.name", SecretKind, "providers.html", nil},
	}
}

// poolReferences returns the references of a NodePool.
func poolReferences() []reference {
	return []reference{
		{"spec.config[].name", ConfigMap, "config", checkNodeConfig},
		{"spec.tuningConfig[].name", ConfigMap, "tuning", checkTuning},
	}
}

// namesAt returns the texts at a path of an object, in which "[]" is each item of a list and "*" each field.
func namesAt(value any, path []string) []string {
	if len(path) == 0 {
		if text, ok := value.(string); ok && text != "" {
			return []string{text}
		}
		return nil
	}
	fields, _ := value.(map[string]any)
	name, items := strings.CutSuffix(path[0], "[]")
	var next []any
	switch {
	case name == "*":
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			next = append(next, fields[key])
		}
	case items:
		next, _ = fields[name].([]any)
	default:
		next = []any{fields[name]}
	}
	var names []string
	for _, inner := range next {
		names = append(names, namesAt(inner, path[1:])...)
	}
	return names
}

// references returns what the cluster's objects read of the ConfigMaps and Secrets, by their names.
func (o *Objects) references() map[string][]reference {
	found := map[string][]reference{}
	add := func(object map[string]any, references []reference) {
		for _, r := range references {
			for _, name := range namesAt(object, strings.Split(r.field, ".")) {
				found[name] = append(found[name], r)
			}
		}
	}
	add(o.HostedCluster, clusterReferences())
	for _, pool := range o.NodePools {
		add(pool, poolReferences())
	}
	return found
}

// validateReferred returns the faults of the ConfigMaps and Secrets, as far as their contents are plain text.
func (o objectBuilder) validateReferred(objects *Objects) error {
	var faults fault.Faults
	references := objects.references()
	own := map[string]bool{string(ConfigMap) + "/" + o.proxyCAName(): input.IsSet(o.TrustedCA)}
	for _, secret := range o.Secrets(o.site) {
		own[string(SecretKind)+"/"+secret.Name] = true
	}
	for i, r := range o.Referred {
		path := fmt.Sprintf("objects[%d]", i)
		faults.Join(path, r.validate())
		id := string(r.Kind.OrDefault()) + "/" + r.Name
		if own[id] {
			faults.Add(path+".name", r.Name, "is the name of a "+string(r.Kind.OrDefault())+
				" of the cluster itself, or of another of objects", "use another name")
		}
		own[id] = true
		for _, reference := range references[r.Name] {
			if slices.ContainsFunc(o.Referred, func(other Referred) bool {
				return other.Name == r.Name && other.Kind.OrDefault() == reference.kind
			}) {
				faults.Join(path, r.fit(reference))
			} else {
				faults.Add(path+".kind", r.Kind.OrDefault(),
					fmt.Sprintf("does not fit %s, which refers to a %s", reference.field, reference.kind),
					"set kind: "+string(reference.kind))
			}
		}
	}
	return faults.Err()
}

// publishedConfigMaps are the ConfigMaps with the CAs of the management cluster that each of its namespaces has, and
// that control planes mount: by Kubernetes' root CA publisher, and by OpenShift's service CA operator.
func publishedConfigMaps() []string { return []string{"kube-root-ca.crt", "openshift-service-ca.crt"} }

func (r *Referred) validate() error {
	var faults fault.Faults
	faults.Join("kind", r.Kind.Validate())
	if wrong := validation.IsDNS1123Subdomain(r.Name); len(wrong) > 0 {
		faults.Add("name", r.Name, "is not the name of an object",
			"use at most 253 of a-z, 0-9, -, and ., and begin and end with a letter or digit")
	}
	if r.Kind.OrDefault() == ConfigMap && slices.Contains(publishedConfigMaps(), r.Name) {
		faults.Add("name", r.Name, "is a ConfigMap that Kubernetes or OpenShift publishes in each namespace, with their own CA",
			"use another name")
	}
	if len(r.Data) == 0 {
		faults.Add("data", nil, "is missing", "set the content of at least one key")
	}
	for _, key := range slices.Sorted(maps.Keys(r.Data)) {
		if len(validation.IsConfigMapKey(key)) > 0 {
			faults.Add("data["+key+"]", nil, "is not the name of a key", "use letters, digits, -, _ and .")
		}
	}
	return faults.Err()
}

// fit returns a fault if the object lacks what a reference to it reads.
func (r *Referred) fit(reference reference) error {
	var faults fault.Faults
	if reference.kind != r.Kind.OrDefault() {
		return nil // there is another object of this name, of the right kind
	}
	if reference.key != "" && !input.IsSet(r.Data[reference.key]) {
		faults.Add("data", nil, fmt.Sprintf("has no key %s, which %s reads", reference.key, reference.field),
			"set the content of "+reference.key)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Data)) {
		if reference.reads(key) {
			faults.Join("data["+key+"]", input.IfPlain(r.Data[key], reference.check))
		}
	}
	return faults.Err()
}

// reads reports whether the content of a key is checked.
func (r reference) reads(key string) bool { return r.check != nil && (r.key == "" || r.key == key) }

// referred registers a ConfigMap or Secret, and checks the contents that are outputs.
func (b *builder) referred(
	index int,
	r Referred,
	references []reference,
	first []pulumi.Resource,
) (pulumi.Resource, error) {
	data := pulumi.StringMap{}
	for key, value := range r.Data {
		data[key] = value.ToStringOutput().ApplyT(func(text string) (string, error) {
			var faults fault.Faults
			for _, reference := range references {
				if reference.kind == r.Kind.OrDefault() && reference.reads(key) {
					faults.Join(fmt.Sprintf("objects[%d].data[%s]", index, key), reference.check(text))
				}
			}
			if r.Kind.OrDefault() == SecretKind {
				text = base64.StdEncoding.EncodeToString([]byte(text))
			}
			return text, faults.Err()
		}).(pulumi.StringOutput)
	}
	metadata := b.metadata(kube.Metadata{
		Name: pulumi.String(r.Name), Namespace: pulumi.String(b.args.Settings.NamespaceOrDefault()),
	})
	opts := []pulumi.ResourceOption{pulumi.Parent(b.parent), pulumi.DependsOn(first)}
	name := b.name + "-" + strings.ToLower(string(r.Kind.OrDefault())) + "-" + r.Name
	if r.Kind.OrDefault() == SecretKind {
		return kube.NewSecret(b.ctx, name, &kube.SecretArgs{Metadata: metadata, Data: data}, opts...)
	}
	return kube.NewConfigMap(b.ctx, name, &kube.ConfigMapArgs{Metadata: metadata, Data: data}, opts...)
}
