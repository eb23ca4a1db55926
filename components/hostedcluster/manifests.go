package hostedcluster

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Manifest is an object in a file.
type Manifest struct {
	// File is the file's name; the objects can be applied in the order of these names.
	File string
	// Object is the API object, without a status.
	Object map[string]any
}

// Manifests returns the cluster's objects as files, in the order in which they can be applied. They include the Secrets
// whose contents are in secrets. It fails as Objects does.
func (s *Settings) Manifests(site *Site, secrets map[SecretValue]string) ([]Manifest, error) {
	return s.ManifestsFor(EmbeddedAPI(), site, secrets)
}

// ManifestsFor is Manifests for the API server that judges the objects.
func (s *Settings) ManifestsFor(api API, site *Site, secrets map[SecretValue]string) ([]Manifest, error) {
	objects, err := s.objectsFor(site, api)
	if err != nil {
		return nil, err
	}
	manifests := []Manifest{{"00-namespace.yaml", map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": s.NamespaceOrDefault()},
	}}}
	if ca := input.Text(s.TrustedCA); ca != "" {
		manifests = append(manifests, Manifest{"10-configmap-" + s.proxyCAName() + ".yaml", map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": s.metadata(s.proxyCAName()),
			"data": map[string]any{proxyCAKey: ca},
		}})
	}
	for _, secret := range objects.Secrets {
		if value, given := secrets[secret.Value]; given {
			manifests = append(manifests, Manifest{"10-secret-" + secret.Name + ".yaml", s.secret(secret, value)})
		}
	}
	for _, r := range s.Referred {
		if manifest, plain := s.referredManifest(r); plain {
			manifests = append(manifests, manifest)
		}
	}
	manifests = append(manifests, Manifest{"20-hostedcluster-" + s.Cluster.Name + ".yaml", objects.HostedCluster})
	for _, pool := range objects.NodePools {
		name := textAt(pool, "metadata", "name")
		manifests = append(manifests, Manifest{"30-nodepool-" + name + ".yaml", pool})
	}
	return manifests, nil
}

// referredManifest returns a ConfigMap or Secret of the settings, and false if its contents are not plain.
func (s *Settings) referredManifest(r Referred) (Manifest, bool) {
	kind, data := string(r.Kind.OrDefault()), map[string]any{}
	for key, value := range r.Data {
		text, plain := input.Plain(value)
		if !plain {
			return Manifest{}, false
		}
		if r.Kind.OrDefault() == SecretKind {
			text = base64.StdEncoding.EncodeToString([]byte(text))
		}
		data[key] = text
	}
	object := map[string]any{"apiVersion": "v1", "kind": kind, "metadata": s.metadata(r.Name), "data": data}
	if r.Kind.OrDefault() == SecretKind {
		object["type"] = "Opaque"
	}
	return Manifest{"10-" + strings.ToLower(kind) + "-" + r.Name + ".yaml", object}, true
}

func (s *Settings) metadata(name string) map[string]any {
	return map[string]any{"name": name, "namespace": s.NamespaceOrDefault()}
}

func (s *Settings) secret(secret Secret, value string) map[string]any {
	if !secret.Encoded {
		value = base64.StdEncoding.EncodeToString([]byte(value))
	}
	metadata, labels := s.metadata(secret.Name), map[string]any{}
	for key, value := range goesWithCluster() {
		labels[key] = value
	}
	metadata["labels"] = labels
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque",
		"data": map[string]any{secret.Key: value},
	}
}

// YAML returns the object in YAML, with sorted keys, so that renderings can be compared.
func (m Manifest) YAML() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(m.Object); err != nil {
		return nil, fmt.Errorf("writing %s: %w", m.File, err)
	}
	return out.Bytes(), nil
}
