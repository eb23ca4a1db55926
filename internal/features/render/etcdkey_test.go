package render

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

const renderedFile = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: acme
    baseDomain: example.com
    endpointAccess: Private
    hostedCluster:
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: pull-secret.json
`

const infraDocument = `{"region":"us-east-1","infraID":"acme-x7k2p","machineCIDR":"10.0.0.0/16","vpcID":"vpc-0123456789abcdef0",
"zones":[{"name":"us-east-1a","subnetID":"subnet-0aaaaaaaaaaaaaaaa"}],"Name":"acme","baseDomain":"example.com",
"privateZoneID":"Z000000PRIVATE","localZoneID":"Z0000000LOCAL"}`

const iamDocument = `{"region":"us-east-1","profileName":"acme-x7k2p-worker","infraID":"acme-x7k2p",
"issuerURL":"https://acme-oidc.s3.us-east-1.amazonaws.com/acme-x7k2p",
"roles":{"ingressARN":"arn:aws:iam::123456789012:role/ingress","imageRegistryARN":"arn:aws:iam::123456789012:role/image-registry",
"storageARN":"arn:aws:iam::123456789012:role/storage","networkARN":"arn:aws:iam::123456789012:role/network",
"kubeCloudControllerARN":"arn:aws:iam::123456789012:role/cloud-controller","nodePoolManagementARN":"arn:aws:iam::123456789012:role/node-pool",
"controlPlaneOperatorARN":"arn:aws:iam::123456789012:role/control-plane-operator"}}`

// A second key would make what the cluster's etcd stores unreadable.
func TestTheKeyOfEtcdIsRenderedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.acme.yaml"), []byte(renderedFile), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pull-secret.json"), []byte(`{"auths": {}}`), 0o600))
	p, err := project.Open(dir)
	require.NoError(t, err)
	infra, iam, err := documents.Read([]byte(infraDocument), []byte(iamDocument))
	require.NoError(t, err)
	options := Options{Infra: &infra, IAM: &iam}

	// key renders, and returns the text of the Secret with the key, nil if it is not rendered.
	key := func(o Options) ([]byte, error) {
		manifests, err := Run(t.Context(), &run.Stack{Name: "acme", Project: p}, o)
		for _, m := range manifests {
			if m.File == infra.EtcdKeyFile() {
				return m.YAML()
			}
		}
		return nil, err
	}
	text, err := key(options)
	require.NoError(t, err)
	require.Empty(t, text)

	options.Secrets, options.Folder = true, t.TempDir()
	_, err = key(options)
	require.Equal(t, failure.Refused, failure.ReasonOf(err), "%v", err)
	options.NewEtcdKey = true
	first, err := key(options)
	require.NoError(t, err)
	require.NotEmpty(t, first)

	require.NoError(t, os.WriteFile(filepath.Join(options.Folder, infra.EtcdKeyFile()), first, 0o600))
	second, err := key(options)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
}
