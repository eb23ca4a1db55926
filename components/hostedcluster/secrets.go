package hostedcluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// SecretValue is a secret value of a hosted cluster.
type SecretValue string

const (
	// PullSecret is a .dockerconfigjson with the credentials for the release image.
	PullSecret SecretValue = "pullSecret"
	// SSHKey is the public key for the nodes' user core, one line.
	SSHKey SecretValue = "sshKey"
	// EtcdKey is 32 random bytes in base 64, the key that encrypts secrets in etcd.
	EtcdKey SecretValue = "etcdKey"
	// SigningKey is the RSA private key in PEM, of PKCS #1, that signs the tokens of service accounts.
	SigningKey SecretValue = "signingKey"
	// formerEtcdKey is a key that etcd may still need while it is replaced.
	formerEtcdKey SecretValue = "formerEtcdKey"
)

// EtcdKeyBytes is the length of the decoded EtcdKey. Source: HyperShift's AESCBC.
const EtcdKeyBytes = 32

// Secret describes a Secret of a hosted cluster, without its content.
type Secret struct {
	// Value is the kind of its content.
	Value SecretValue
	// Name is the object's name, and Key the key of the content.
	Name, Key string
	// Encoded is true if the value is already in base 64.
	Encoded bool
	// unused is true if no existing cluster mentions the Secret, so that nothing is lost with it.
	unused bool
}

// Secrets returns the cluster's Secrets, in the order in which HyperShift's CLI creates them.
func (s *Settings) Secrets(site *Site) []Secret {
	var secrets []Secret
	if s.ExistingPullSecret() == "" {
		secrets = append(secrets, Secret{Value: PullSecret, Name: s.pullSecretName(), Key: ".dockerconfigjson"})
	}
	if s.SSHKey || s.GenerateSSHKey {
		secrets = append(secrets, Secret{Value: SSHKey, Name: s.sshKeyName(), Key: "id_rsa.pub"})
	}
	if site.Roles[iam.RoleKMSProvider] == "" {
		secrets = append(secrets, Secret{Value: EtcdKey, Name: s.etcdKeyName(), Key: "key", Encoded: true})
	}
	if s.SigningKey {
		secrets = append(secrets, Secret{Value: SigningKey, Name: s.signingKeyName(), Key: "key"})
	}
	return secrets
}

// ExistingPullSecret returns the name of the Secret in spec.pullSecret that something else creates in the namespace of
// the HostedCluster; "" if the stack creates one.
func (s *Settings) ExistingPullSecret() string {
	name, _ := within(s.Spec, "pullSecret")["name"].(string)
	if name == s.pullSecretName() {
		return ""
	}
	return name
}

// OwnNames returns the names of the Secrets and the ConfigMaps that a stack may create for a cluster, besides those in
// Settings.Referred. The Secret of another AES key, during and after its replacement, has a name that ends with the
// key's hash, and is not among them.
func OwnNames(cluster string) (secrets, configMaps []string) {
	s := &Settings{Cluster: hypershift.Cluster{Name: cluster}}
	return []string{s.pullSecretName(), s.sshKeyName(), s.etcdKeyName(), s.signingKeyName()}, []string{s.proxyCAName()}
}

func (s *Settings) pullSecretName() string { return s.Cluster.Name + "-pull-secret" }
func (s *Settings) sshKeyName() string     { return s.Cluster.Name + "-ssh-key" }
func (s *Settings) etcdKeyName() string    { return recorded.EtcdKey(s.Cluster.Name) }
func (s *Settings) signingKeyName() string { return signingKeyName(s.Cluster.Name) }
func (s *Settings) proxyCAName() string    { return s.Cluster.Name + "-proxy-ca" }

// signingKeyName returns the name of the Secret with a cluster's own signing key. Source: SATokenIssuerSecret of
// HyperShift's CLI.
func signingKeyName(cluster string) string { return cluster + "-sa-token-issuer-key" }

// goesWithCluster returns the label that lets HyperShift delete a Secret together with the cluster.
func goesWithCluster() map[string]string {
	return map[string]string{"hypershift.openshift.io/safe-to-delete-with-cluster": "true"}
}

// privateSSHKey is the key of a generated private SSH key, as in HyperShift's CLI.
const privateSSHKey = "id_rsa"

// proxyCAKey is the key of the certificates in a ConfigMap. Source: HyperShift's ProxySpec.
const proxyCAKey = "ca-bundle.crt"

// newSSHKey generates a pair of keys for SSH: the public one in OpenSSH's format, and the private one in PEM. ECDSA is
// allowed in FIPS mode.
func newSSHKey() (public, private string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return "", "", fmt.Errorf("generating the SSH key: %w", err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		return "", "", fmt.Errorf("encoding the SSH key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return "", "", fmt.Errorf("encoding the SSH key: %w", err)
	}
	// Source of the format: RFC 5656, section 3.1.
	const algorithm, curve = "ecdsa-sha2-nistp384", "nistp384"
	var wire []byte
	for _, part := range [][]byte{[]byte(algorithm), []byte(curve), point} {
		wire = append(binary.BigEndian.AppendUint32(wire, uint32(len(part))), part...)
	}
	public = algorithm + " " + base64.StdEncoding.EncodeToString(wire) + "\n"
	return public, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})), nil
}
