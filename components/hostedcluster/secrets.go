package hostedcluster

import "github.com/hypershift-aws/hypershift-aws/components/iam"

// SecretValue is a secret that a hosted cluster is given.
type SecretValue string

const (
	// PullSecret is the text of a .dockerconfigjson with what the release is pulled by.
	PullSecret SecretValue = "pullSecret"
	// SSHKey is the line of a public key for the nodes' user core.
	SSHKey SecretValue = "sshKey"
	// EtcdKey is 32 random bytes in base 64 that encrypt secrets in etcd.
	EtcdKey SecretValue = "etcdKey"
)

// EtcdKeyBytes is the length of the key of EtcdKey before it is in base 64. Source: HyperShift's AESCBC.
const EtcdKeyBytes = 32

// Secret is a Secret of a hosted cluster, without its content.
type Secret struct {
	// Value is what it holds.
	Value SecretValue
	// Name is the object's name, and Key the content's.
	Name, Key string
	// Encoded says that the value is in base 64 already.
	Encoded bool
}

// Secrets are those that a cluster has, in the order in which HyperShift's CLI makes them.
func (s *Settings) Secrets(site *Site) []Secret {
	secrets := []Secret{{Value: PullSecret, Name: s.pullSecretName(), Key: ".dockerconfigjson"}}
	if s.SSHKey {
		secrets = append(secrets, Secret{Value: SSHKey, Name: s.sshKeyName(), Key: "id_rsa.pub"})
	}
	if site.Roles[iam.RoleKMSProvider] == "" {
		secrets = append(secrets, Secret{Value: EtcdKey, Name: s.etcdKeyName(), Key: "key", Encoded: true})
	}
	return secrets
}

func (s *Settings) pullSecretName() string { return s.Cluster.Name + "-pull-secret" }
func (s *Settings) sshKeyName() string     { return s.Cluster.Name + "-ssh-key" }
func (s *Settings) etcdKeyName() string    { return s.Cluster.Name + "-etcd-encryption-key" }
func (s *Settings) proxyCAName() string    { return s.Cluster.Name + "-proxy-ca" }

// goesWithCluster is the label that lets HyperShift delete a Secret together with the cluster.
func goesWithCluster() map[string]string {
	return map[string]string{"hypershift.openshift.io/safe-to-delete-with-cluster": "true"}
}

// proxyCAKey is where a ConfigMap with certificates has them. Source: HyperShift's ProxySpec.
const proxyCAKey = "ca-bundle.crt"
