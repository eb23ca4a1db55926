package hostedcluster

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// The checks of contents return a fault without the content, which may be secret.

// checkCertificates returns a fault unless the text is one or more certificates in PEM.
func checkCertificates(text string) error {
	rest := []byte(text)
	for n := 1; ; n++ {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		switch {
		case block == nil && n == 1:
			return &fault.Fault{Problem: "has no certificate in PEM", Remedy: "use text with -----BEGIN CERTIFICATE-----"}
		case block == nil && len(bytes.TrimSpace(rest)) > 0:
			return &fault.Fault{
				Problem: fmt.Sprintf("has text after certificate %d that is not in PEM", n-1),
				Remedy:  "use certificates only, each with its first and last line",
			}
		case block == nil:
			return nil
		case block.Type != "CERTIFICATE":
			return &fault.Fault{
				Problem: "has a " + block.Type + " in PEM instead of a certificate",
				Remedy:  "use certificates only",
			}
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return &fault.Fault{
				Problem: fmt.Sprintf("has a certificate that cannot be read, number %d: %v", n, err),
				Remedy:  "use a certificate of X.509",
			}
		}
	}
}

// privateKeyIn returns the private key in PEM of a text; nil if there is none.
func privateKeyIn(text string) any {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return key
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key
	}
	return nil
}

func checkPrivateKey(text string) error {
	if privateKeyIn(text) == nil {
		return &fault.Fault{
			Problem: "is not a private key in PEM",
			Remedy:  "use a key of PKCS #1, PKCS #8 or SEC 1 without a password",
		}
	}
	return nil
}

// checkSigningKey returns a fault unless the text is an RSA key that HyperShift can read. HyperShift signs the tokens
// of service accounts with it.
// Source: HyperShift's PemToPrivateKey, support/certs.
func checkSigningKey(text string) error {
	if _, err := iam.ReadSigningKey(text); err != nil {
		return err
	}
	if block, _ := pem.Decode([]byte(text)); block.Type != "RSA PRIVATE KEY" {
		return &fault.Fault{
			Problem: "is an RSA private key of PKCS #8, and HyperShift reads PKCS #1 only",
			Remedy:  "convert it: openssl rsa -traditional -in sa-signer.key -out sa-signer.pkcs1.key, or use oidc.signingKey, which accepts both",
		}
	}
	return nil
}

// checkHtpasswd returns a fault unless each line is a user's name and a hash.
func checkHtpasswd(text string) error {
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if user, hash, ok := strings.Cut(strings.TrimSpace(line), ":"); !ok || user == "" || !strings.HasPrefix(hash, "$2") {
			return &fault.Fault{
				Problem: fmt.Sprintf("has no name and bcrypt hash in line %d", i+1),
				Remedy:  "write it with htpasswd -B",
			}
		}
	}
	return nil
}

// nodeConfigKinds returns the API versions of the objects that NodePools apply to their nodes. Source:
// defaultAndValidateConfigManifest in HyperShift's hypershift-operator/controllers/nodepool/config.go.
func nodeConfigKinds() map[string]string {
	return map[string]string{
		"MachineConfig": "machineconfiguration.openshift.io/v1", "KubeletConfig": "machineconfiguration.openshift.io/v1",
		"ContainerRuntimeConfig":   "machineconfiguration.openshift.io/v1",
		"ImageContentSourcePolicy": "operator.openshift.io/v1alpha1",
		"ImageDigestMirrorSet":     "config.openshift.io/v1", "ClusterImagePolicy": "config.openshift.io/v1",
	}
}

func checkNodeConfig(text string) error { return checkObjects(text, nodeConfigKinds()) }

func checkTuning(text string) error {
	return checkObjects(text, map[string]string{
		"Tuned":              "tuned.openshift.io/v1",
		"PerformanceProfile": "performance.openshift.io/v2",
	})
}

// checkObjects returns a fault unless the text is objects in YAML or JSON, of one of the kinds, with their API
// versions.
func checkObjects(text string, kinds map[string]string) error {
	names := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var object struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string `yaml:"kind"`
			Spec       map[string]any
		}
		err := decoder.Decode(&object)
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return &fault.Fault{Problem: "is not an object in YAML", Remedy: "use an object of one of the kinds " + names}
		case kinds[object.Kind] == "":
			return &fault.Fault{
				Problem: fmt.Sprintf("is an object of kind %q", object.Kind),
				Remedy:  "use an object of one of the kinds " + names,
			}
		case kinds[object.Kind] != object.APIVersion:
			return &fault.Fault{
				Problem: fmt.Sprintf("is a %s of apiVersion %q", object.Kind, object.APIVersion),
				Remedy:  "use apiVersion " + kinds[object.Kind],
			}
		}
		if err := checkSpec(object.Kind, object.Spec); err != nil {
			return err
		}
	}
}

// checkSpec returns a fault for an object whose spec the nodes could not use.
func checkSpec(kind string, spec map[string]any) error {
	for _, required := range []struct{ kind, field string }{
		{"MachineConfig", "config"}, {"KubeletConfig", "kubeletConfig"}, {"ContainerRuntimeConfig", "containerRuntimeConfig"},
	} {
		value, given := spec[required.field]
		if _, isMap := value.(map[string]any); required.kind == kind && given && !isMap {
			return &fault.Fault{
				Problem: fmt.Sprintf("is a %s whose spec.%s is not a mapping", kind, required.field),
				Remedy:  "use a mapping of the fields",
			}
		}
	}
	if config, ok := spec["config"].(map[string]any); ok && kind == "MachineConfig" {
		if ignition, _ := config["ignition"].(map[string]any); !strings.HasPrefix(fmt.Sprint(ignition["version"]), "3.") {
			return &fault.Fault{
				Problem: "is a MachineConfig without a version of Ignition",
				Remedy:  "set spec.config.ignition.version, such as 3.2.0",
			}
		}
	}
	return nil
}
