package hostedcluster_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// certificate returns a self-signed certificate and its key, in PEM.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "test"},
		NotAfter:     time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return pemOf("CERTIFICATE", der), pemOf("PRIVATE KEY", keyDER)
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func signingKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
}

const kubeletConfig = `apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {name: pods}
spec: {kubeletConfig: {maxPods: 500}}
`

// referring returns settings with a reference of every kind.
func referring() *hostedcluster.Settings {
	s := settings()
	s.AdditionalTrustBundle, s.ServiceAccountSigningKey = "ca", "signer"
	s.NodePools = []hostedcluster.NodePool{{Config: []string{"kubelet"}, TuningConfig: []string{"tuning"}}}
	s.Spec = map[string]any{"configuration": map[string]any{
		"apiServer": map[string]any{"servingCerts": map[string]any{"namedCertificates": []any{map[string]any{
			"names": []any{"api.example.org"}, "servingCertificate": map[string]any{"name": "serving"},
		}}}},
		"oauth": map[string]any{"identityProviders": []any{map[string]any{
			"name": "users", "mappingMethod": "claim", "type": "HTPasswd",
			"htpasswd": map[string]any{"fileData": map[string]any{"name": "users"}},
		}}},
	}}
	return s
}

func TestContentsThatTheReferenceToThemCannotUseAreRefused(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	secret := func(name string, data map[string]string) hostedcluster.Referred {
		return hostedcluster.Referred{Name: name, Kind: hostedcluster.SecretKind, Data: pulumi.ToStringMap(data)}
	}
	configMap := func(name string, data map[string]string) hostedcluster.Referred {
		return hostedcluster.Referred{Name: name, Data: pulumi.ToStringMap(data)}
	}
	s := referring()
	s.Referred = []hostedcluster.Referred{
		configMap("ca", map[string]string{"ca-bundle.crt": cert + cert}),
		secret("signer", map[string]string{"key": signingKey(t)}),
		configMap("kubelet", map[string]string{"config": kubeletConfig + "---\n" + kubeletConfig}),
		configMap("tuning", map[string]string{"tuning": "apiVersion: tuned.openshift.io/v1\nkind: Tuned\n"}),
		secret("serving", map[string]string{"tls.crt": cert, "tls.key": key}),
		secret("users", map[string]string{"htpasswd": "ada:$2y$05$abc\nbob:$2a$10$def\n"}),
		configMap("other", map[string]string{"anything": "text"}),
	}
	objects := build(t, s, site())
	assert.Equal(t, "ca", at(objects.HostedCluster, "spec", "additionalTrustBundle", "name"))
	assert.Equal(t, "signer", at(objects.HostedCluster, "spec", "serviceAccountSigningKey", "name"))
	assert.Equal(t, []any{map[string]any{"name": "kubelet"}}, at(objects.NodePools[0], "spec", "config"))

	for _, c := range []struct {
		object              hostedcluster.Referred
		wantPath, wantFault string
	}{
		{configMap("ca", map[string]string{"ca.crt": cert}), "objects[0].data",
			"has no key ca-bundle.crt, which spec.additionalTrustBundle.name reads"},
		{configMap("ca", map[string]string{"ca-bundle.crt": "hunter2"}), "objects[0].data[ca-bundle.crt]",
			"has no certificate"},
		{configMap("ca", map[string]string{
			"ca-bundle.crt": cert + "hunter2",
		}), "objects[0].data[ca-bundle.crt]", "has text after certificate 1"},
		{configMap("ca", map[string]string{"ca-bundle.crt": key}), "objects[0].data[ca-bundle.crt]", "has a PRIVATE KEY"},
		{configMap("ca", map[string]string{
			"ca-bundle.crt": pemOf("CERTIFICATE", []byte("hunter2")),
		}), "objects[0].data[ca-bundle.crt]", "cannot be read"},
		{secret("ca", map[string]string{"ca-bundle.crt": cert}), "objects[0].kind", "refers to a ConfigMap"},
		{secret("signer", map[string]string{"key": key}), "objects[0].data[key]", "is not an RSA private key"},
		{configMap("kubelet", map[string]string{"config": "hunter2"}), "objects[0].data[config]", "is not an object in YAML"},
		{configMap("kubelet", map[string]string{"config": "apiVersion: v1\nkind: Pod\n"}), "objects[0].data[config]", `is an object of kind "Pod"`},
		{configMap("kubelet", map[string]string{"config": "apiVersion: v1\nkind: KubeletConfig\n"}), "objects[0].data[config]", `is a KubeletConfig of apiVersion "v1"`},
		{configMap("kubelet", map[string]string{"config": "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nspec: {config: {}}\n"}),
			"objects[0].data[config]", "without a version of Ignition"},
		{configMap("kubelet", map[string]string{"config": "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nspec: {kubeletConfig: 5}\n"}),
			"objects[0].data[config]", "is not a mapping"},
		{configMap("tuning", map[string]string{"tuning": kubeletConfig}), "objects[0].data[tuning]", `is an object of kind "KubeletConfig"`},
		{secret("serving", map[string]string{"tls.crt": cert}), "objects[0].data", "has no key tls.key"},
		{secret("serving", map[string]string{
			"tls.crt": cert,
			"tls.key": "hunter2",
		}), "objects[0].data[tls.key]", "is not a private key"},
		{secret("users", map[string]string{"htpasswd": "ada:hunter2"}), "objects[0].data[htpasswd]",
			"has no name and bcrypt hash in line 1"},
		{secret("acme-pull-secret", map[string]string{"x": "y"}), "objects[0].name",
			"is the name of a Secret of the cluster itself"},
		{configMap("A_b", map[string]string{"x": "y"}), "objects[0].name", "is not the name of an object"},
		{configMap("empty", nil), "objects[0].data", "is missing"},
		{configMap("key", map[string]string{"a b": "y"}), "objects[0].data[a b]", "is not the name of a key"},
	} {
		s := referring()
		s.Referred = []hostedcluster.Referred{c.object}
		_, err := s.Objects(site())
		faults := fault.In(err)
		require.NotEmpty(t, faults, c.wantFault)
		assert.Equal(t, c.wantPath, faults[0].Path)
		assert.Contains(t, faults[0].Problem, c.wantFault)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestTwoObjectsOfOneKindAndNameAreRefusedAndOfTwoKindsAreNot(t *testing.T) {
	t.Parallel()
	cert, _ := certificate(t)
	s := referring()
	bundle := hostedcluster.Referred{Name: "ca", Data: pulumi.StringMap{"ca-bundle.crt": pulumi.String(cert)}}
	s.Referred = []hostedcluster.Referred{bundle, {
		Name: "ca",
		Kind: hostedcluster.SecretKind,
		Data: pulumi.StringMap{"x": pulumi.String("y")},
	}}
	build(t, s, site())
	s.Referred = append(s.Referred, bundle)
	_, err := s.Objects(site())
	require.Equal(t, "objects[2].name", fault.In(err)[0].Path)
}

func TestAConfigMapThatTheManagementClusterPublishesIsRefused(t *testing.T) {
	t.Parallel()
	data := pulumi.StringMap{"ca.crt": pulumi.String("x")}
	for _, name := range []string{"kube-root-ca.crt", "openshift-service-ca.crt"} {
		s := settings()
		s.Referred = []hostedcluster.Referred{{Name: name, Data: data}}
		_, err := s.Objects(site())
		require.Equal(t, "objects[0].name", fault.In(err)[0].Path, name)
		s.Referred[0].Kind = hostedcluster.SecretKind
		_, err = s.Objects(site())
		require.NoError(t, err, "a Secret may have the name")
	}
}

func TestAPoolsOwnSubnetGroupsProfileImageAndTagsReplaceTheClusters(t *testing.T) {
	t.Parallel()
	encrypted := false
	s, site := settings(), site()
	site.SecurityGroupIDs = []string{"sg-0aaaaaaaaaaaaaaaa"}
	s.NodePools = []hostedcluster.NodePool{{
		SubnetID:        pulumi.String("subnet-0cccccccccccccccc"),
		SecurityGroups:  []pulumi.StringInput{pulumi.String("sg-0bbbbbbbbbbbbbbbb")},
		InstanceProfile: pulumi.String("edge"), AMI: pulumi.String("ami-0123456789abcdef0"), ImageType: "Linux",
		ResourceTags: map[string]string{"team": "edge"}, DrainTimeout: "30m", VolumeDetachTimeout: "1h",
		RootVolume: &hostedcluster.RootVolume{Encrypted: &encrypted},
	}, {Name: "plain"}}
	pools := build(t, s, site).NodePools
	assert.Equal(t, map[string]any{
		"subnet":          map[string]any{"id": "subnet-0cccccccccccccccc"},
		"securityGroups":  []any{map[string]any{"id": "sg-0bbbbbbbbbbbbbbbb"}},
		"instanceProfile": "edge", "ami": "ami-0123456789abcdef0", "imageType": "Linux", "instanceType": "m5.large",
		"resourceTags": []any{map[string]any{"key": "team", "value": "edge"}},
		"rootVolume":   map[string]any{"size": int64(120), "type": "gp3", "encrypted": false},
	}, at(pools[0], "spec", "platform", "aws"))
	assert.Equal(t, "30m0s", at(pools[0], "spec", "nodeDrainTimeout"))
	assert.Equal(t, "1h0m0s", at(pools[0], "spec", "nodeVolumeDetachTimeout"))
	assert.Equal(t, []any{map[string]any{"id": "sg-0aaaaaaaaaaaaaaaa"}},
		at(pools[1], "spec", "platform", "aws", "securityGroups"))

	s.NodePools = []hostedcluster.NodePool{{
		DrainTimeout: "soon", SubnetID: pulumi.String("edge"), SecurityGroups: []pulumi.StringInput{pulumi.String("edge")},
		ImageType: "Plan9",
	}}
	_, err := s.Objects(site)
	var paths []string
	for _, f := range fault.In(err) {
		paths = append(paths, f.Path)
	}
	require.Equal(t, []string{"nodePools[0].drainTimeout", "nodePools[0].subnetID", "nodePools[0].securityGroups[0]"},
		paths)
	s.NodePools[0] = hostedcluster.NodePool{ImageType: "Plan9"}
	_, err = s.Objects(site)
	require.Equal(t, "nodePools[0].imageType", fault.In(err)[0].Path)
}

func TestTheRenderingHasConfigMapsAlwaysAndSecretsWithTheirContents(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Referred = []hostedcluster.Referred{
		{Name: "bundle", Data: pulumi.StringMap{"ca-bundle.crt": pulumi.String("text")}},
		{Name: "known", Kind: hostedcluster.SecretKind, Data: pulumi.StringMap{"key": pulumi.String("text")}},
		{
			Name: "unknown",
			Kind: hostedcluster.SecretKind,
			Data: pulumi.StringMap{"key": pulumi.String("text").ToStringOutput()},
		},
	}
	manifests, err := s.Manifests(site(), nil)
	require.NoError(t, err)
	found := map[string]any{}
	for _, m := range manifests {
		found[m.File] = m.Object["data"]
	}
	assert.Equal(t, map[string]any{"ca-bundle.crt": "text"}, found["10-configmap-bundle.yaml"])
	assert.Equal(t, map[string]any{"key": "dGV4dA=="}, found["10-secret-known.yaml"])
	assert.NotContains(t, found, "10-secret-unknown.yaml")
}
