package stacks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatHasNoEffectIsNamedWithWhatWouldGiveItOne tries the combinations of keys in which a valid key has no effect,
// and their counterparts.
func TestWhatHasNoEffectIsNamedWithWhatWouldGiveItOne(t *testing.T) {
	t.Parallel()
	const (
		cluster = "cluster: {name: demo, baseDomain: example.com, network: {zones: [us-east-1a]}, oidc: {bucketName: demo-oidc}, "
		capa    = "capa: {name: demo, kubernetesVersion: v1.33.4, network: {zones: [us-east-1a]}, image: {id: ami-00000000000000001}"
		manage  = "management: {oidcBucket: {name: demo-oidc}, operator: {identity: AccessKeys"
		hosted  = "release: 'quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64', pullSecret: {env: PULL_SECRET}"
	)
	for text, want := range map[string][]string{
		cluster + "}": nil,
		cluster + "hostedCluster: {" + hosted + "}}":                 {"hypershift-aws:cluster.hostedCluster"},
		cluster + "hostedCluster: {kubeconfig: {}, " + hosted + "}}": nil,
		cluster + "hostedCluster: {kubeconfig: {}, serviceCIDRs: [172.32.0.0/16], " + hosted + "}}": {
			"hypershift-aws:cluster.hostedCluster.serviceCIDRs[0]",
		},
		cluster + "hostedCluster: {kubeconfig: {}, clusterCIDRs: [100.96.0.0/14], " + hosted + "}}": nil,
		cluster + "hostedCluster: {kubeconfig: {}, spec: {networking: {clusterNetwork: [{cidr: 11.0.0.0/14}]}}, " + hosted + "}}": {
			"hypershift-aws:cluster.hostedCluster.spec.networking.clusterNetwork[0]",
		},
		cluster + "hostedCluster: {kubeconfig: {context: x}, " + hosted + "}}":    nil,
		cluster + "privateLink: {managementVPC: vpc-1}}":                          {"hypershift-aws:cluster.privateLink"},
		cluster + "endpointAccess: Private, privateLink: {managementVPC: vpc-1}}": nil,
		cluster + "hostedCluster: {kubeconfig: {}, additionalAllowedPrincipals: ['arn:aws:iam::111111111111:root'], " + hosted + "}}": {
			"hypershift-aws:cluster.hostedCluster.additionalAllowedPrincipals",
		},
		cluster + "endpointAccess: PublicAndPrivate, hostedCluster: {kubeconfig: {}, additionalAllowedPrincipals: ['arn:aws:iam::111111111111:root'], " + hosted + "}}": nil,
		capa + "}":                             {"hypershift-aws:capa"},
		capa + ", kubeconfig: {}}":             nil,
		manage + "}}":                          nil,
		manage + ", existingNamespace: true}}": {"hypershift-aws:management.operator.existingNamespace"},
		manage + ", existingNamespace: true}, kubeconfig: {}}": nil,
	} {
		kind, _, _ := strings.Cut(text, ":")
		file, err := Kinds().ParseFile("Pulumi.dev.yaml", "dev",
			[]byte("config:\n  aws:region: us-east-1\n  hypershift-aws:kind: "+kind+"\n  hypershift-aws:"+text+"\n"))
		require.NoError(t, err, text)
		var paths []string
		for _, f := range file.NoEffect() {
			paths = append(paths, f.Path)
			assert.NotEmpty(t, f.Remedy)
		}
		assert.Equal(t, want, paths, text)
	}
}
