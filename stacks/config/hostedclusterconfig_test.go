package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

const withHostedCluster = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    baseDomain: example.com
    oidc: {bucketName: demo-oidc}
    network: {zones: [us-east-1a, us-east-1b]}
    iam: {karpenter: true}
    hostedCluster:
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: ~/pull-secret.json
      sshKey: {env: SSH_KEY}
      autoNode: true
      clusterCIDRs: [10.140.0.0/14]
      capabilities: {disabled: [ImageRegistry]}
      nodePools:
        - {zone: us-east-1b, replicas: 3, taints: [{key: gpu, effect: NoSchedule}]}
        - {name: spot, autoScaling: {min: 1, max: 4}, spot: {}, spec: {nodeDrainTimeout: 10m}}
      spec:
        autoscaling: {maxNodesTotal: 10}
`

func TestAWholeHostedClusterConfigIsDecoded(t *testing.T) {
	t.Parallel()
	file, err := load(t, withHostedCluster)
	require.NoError(t, err)
	settings := As[*Cluster](file).HostedClusterSettings("us-east-1")
	three := 3
	require.Equal(t, []hostedcluster.NodePool{
		{Zone: "us-east-1b", Replicas: &three, Taints: []hostedcluster.Taint{{Key: "gpu", Effect: "NoSchedule"}}},
		{Name: "spot", AutoScaling: &hostedcluster.AutoScaling{Min: 1, Max: 4}, Spot: &hostedcluster.Spot{}, Spec: map[string]any{"nodeDrainTimeout": "10m"}},
	}, settings.NodePools)
	require.Equal(t, map[string]any{"autoscaling": map[string]any{"maxNodesTotal": int64(10)}}, settings.Spec)
	require.True(t, settings.SSHKey)
	require.Equal(t, "~/pull-secret.json", As[*Cluster](file).HostedCluster.PullSecret.File)
}

func TestANewPrivateClusterHasOnePathToItsControlPlaneWhereItsReleaseCan(t *testing.T) {
	t.Parallel()
	const newer = "ocp-release:5.0.2-multi"
	services := "[{service: APIServer, servicePublishingStrategy: {type: LoadBalancer}}"
	for _, service := range []string{"OAuthServer", "Konnectivity", "Ignition"} {
		services += ", {service: " + service + ", servicePublishingStrategy: {type: Route}}"
	}
	services += "]"
	for name, test := range map[string]struct {
		replace [2]string
		outputs map[string]any
		one     bool
	}{
		"new":                 {one: true},
		"an earlier release":  {replace: [2]string{newer, "ocp-release:4.22.3-multi"}},
		"a candidate":         {replace: [2]string{newer, "ocp-release:5.0.0-ec.1-multi"}},
		"also Public":         {replace: [2]string{"Private", "PublicAndPrivate"}},
		"its services":        {replace: [2]string{"autoscaling: {maxNodesTotal: 10}", "services: " + services}},
		"before this version": {outputs: map[string]any{"kind": "cluster"}},
		"a later release": {replace: [2]string{newer, "ocp-release:5.1.0-multi"},
			outputs: map[string]any{"kind": "cluster", "apiServerRoute": true}, one: true},
	} {
		text := strings.NewReplacer("ocp-release:4.19.0-x86_64", newer, "    oidc:", "    endpointAccess: Private\n    oidc:").
			Replace(withHostedCluster)
		if test.replace[0] != "" {
			text = strings.Replace(text, test.replace[0], test.replace[1], 1)
		}
		file, err := load(t, text)
		require.NoError(t, err, name)
		c := As[*Cluster](file)
		require.Equal(t, !test.one, c.ClusterPaths(test.outputs).APIServerLoadBalancer, name)
		c.AfterUpdate(test.outputs)
		byRoute, err := c.HostedClusterSettings("us-east-1").APIServerByRoute()
		require.NoError(t, err)
		require.Equal(t, test.one, byRoute, name)
	}
}

func TestABadHostedClusterIsRefusedWithItsLineItsPathAndTheAPIsMessage(t *testing.T) {
	t.Parallel()
	const at = "hypershift-aws:cluster.hostedCluster"
	for _, test := range []struct{ replace, with, want string }{
		{"      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64\n", "",
			":10: " + at + ".release is missing; set the pull spec"},
		{"pullSecret: ~/pull-secret.json", "namespace: x", at + ".pullSecret is missing"},
		{"{env: SSH_KEY}", "{}", ":13: " + at + ".sshKey requires exactly one of file and env; use one of them"},
		{"    hostedCluster:\n", "    kmsKeyARN: arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab\n" +
			"    hostedCluster:\n      etcdKey: {env: KEY}\n",
			at + ".etcdKey conflicts with kmsKeyARN, which encrypts etcd; set only one of the two"},
		{"{env: SSH_KEY}", "{env: A, file: /b}",
			":13: " + at + ".sshKey requires exactly one of file and env; use one of them"},
		{"{karpenter: true}", "{}", ":14: " + at + ".autoNode needs a role for Karpenter; set iam.karpenter"},
		{"10.140.0.0/14", "10.0.0.0/14", ":15: " + at + `.clusterCIDRs[0]: "10.0.0.0/14" overlaps 10.0.0.0/16, a machine network; use a network that does not overlap it`},
		{"[ImageRegistry]", "[Ingress]", ":16: " + at + ".capabilities.disabled is refused by HyperShift's API: Ingress capability can only be disabled if Console"},
		{"zone: us-east-1b", "zone: us-east-1c", ":18: " + at + `.nodePools[0].zone: "us-east-1c" is not one of the cluster's zones`},
		{"effect: NoSchedule", "effect: Never", ":18: " + at + `.nodePools[0].taints[0].effect: "Never" is refused by HyperShift's API: unsupported value`},
		{"min: 1, max: 4", "min: 5, max: 4", ":19: " + at + ".nodePools[1].autoScaling is refused by HyperShift's API: max must be equal or greater than min"},
		{"spot: {}", "spot: {maxPrice: cheap}", ":19: " + at + `.nodePools[1].spot.maxPrice: "cheap" is refused`},
		{"maxNodesTotal: 10", "maxNodesTotal: -1", ":21: " + at + `.spec.autoscaling.maxNodesTotal: "-1" is refused by HyperShift's API: should be greater than or equal to 0`},
		{"      spec:\n        autoscaling: {maxNodesTotal: 10}", "      spec: [1]",
			":20: " + at + ".spec is a list; expected a mapping"},
		{"replicas: 3", "replicas: 3, instanceType: m5large", ":18: " + at + `.nodePools[0].instanceType: "m5large" is not an instance type of EC2; use a family and a size`},
		{"      release:", "      externalDNSDomain: hcp.example.com.\n      release:", ":11: " + at + `.externalDNSDomain: "hcp.example.com." is not a domain name`},
		{"replicas: 3", "replica: 3", ":18: " + at +
			".nodePools[0].replica is not a key of the config; did you mean replicas?"},
	} {
		t.Run(test.with, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, withHostedCluster, test.replace)
			_, err := load(t, strings.Replace(withHostedCluster, test.replace, test.with, 1))
			require.ErrorContains(t, err, test.want)
		})
	}
}

// The API of the management cluster may be newer than the embedded one.
func TestAValueIsLeftToTheManagementClusterOfTheFile(t *testing.T) {
	t.Parallel()
	applied := strings.Replace(withHostedCluster, "    hostedCluster:\n", "    hostedCluster:\n      kubeconfig: {}\n", 1)
	file, err := load(t, applied)
	require.NoError(t, err)
	require.NoError(t, file.Embedded())
	for with, at := range map[string]string{
		"effect: Never":       ".nodePools[0].taints[0].effect",
		"maxNodesTotal: -1":   ".spec.autoscaling.maxNodesTotal",
		"min: 5, max: 4":      ".nodePools[1].autoScaling",
		"maxNodesTotal: true": ".spec.autoscaling.maxNodesTotal",
	} {
		key, _, _ := strings.Cut(with, ":")
		replace := map[string]string{
			"effect": "effect: NoSchedule", "maxNodesTotal": "maxNodesTotal: 10", "min": "min: 1, max: 4",
		}[key]
		file, err := load(t, strings.Replace(applied, replace, with, 1))
		require.NoError(t, err, with)
		faults := fault.In(file.Placed(file.Embedded()))
		require.NotEmpty(t, faults, with)
		require.Equal(t, HostedClusterPath+at, faults[0].Path)
		require.Positive(t, faults[0].Line)
	}
	_, err = load(t, strings.Replace(applied, "replicas: 3", "replicas: 3, instanceType: m5large", 1))
	require.ErrorContains(t, err, "m5large", "what no API of HyperShift decides")
}

func TestWithoutConfiguredZonesThoseOfThePoolsAreUsed(t *testing.T) {
	t.Parallel()
	_, err := load(t, strings.NewReplacer("    network: {zones: [us-east-1a, us-east-1b]}\n", "", "us-east-1",
		"eu-west-1").Replace(withHostedCluster))
	require.NoError(t, err)
}

func TestASecretIsReadFromItsFileOrItsVariableAndValidatedWithoutBeingShown(t *testing.T) {
	dir, files := t.TempDir(), 0
	write := func(content string) *SecretSource {
		files++
		path := filepath.Join(dir, fmt.Sprint(files))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return &SecretSource{File: path}
	}
	inDir := write(`{"auths":{}}`)
	inDir.File = filepath.Base(inDir.File)
	_, err := (&HostedCluster{PullSecret: inDir, dir: dir}).Secrets()
	require.NoError(t, err, "a file is found from the stack's own")
	t.Setenv("THE_SECRET", `{"auths":{}}`)
	for _, source := range []*SecretSource{write(`{"auths":{}}`), {Env: "THE_SECRET"}} {
		secrets, err := (&HostedCluster{PullSecret: source}).Secrets()
		require.NoError(t, err)
		require.Equal(t, map[hostedcluster.SecretValue]string{hostedcluster.PullSecret: `{"auths":{}}`}, secrets)
	}
	for _, c := range []struct {
		config HostedCluster
		want   string
	}{
		{HostedCluster{PullSecret: &SecretSource{File: "/does/not/exist"}}, `pullSecret.file: "/does/not/exist" cannot be read`},
		{HostedCluster{PullSecret: &SecretSource{Env: "NOT_SET_ANYWHERE"}}, `pullSecret.env: "NOT_SET_ANYWHERE" is not set in the environment`},
		{HostedCluster{PullSecret: write("hunter2")}, "pullSecret is not a pull secret"},
		{HostedCluster{EtcdKey: write("aHVudGVyMg==")}, "etcdKey is not 32 bytes in base 64"},
		{HostedCluster{EtcdKey: write("")}, "is empty"},
	} {
		_, err := c.config.Secrets()
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestAFaultOfAnObjectNamesTheKeyOfItsContent(t *testing.T) {
	t.Parallel()
	const at = "hypershift-aws:cluster.hostedCluster"
	for objects, want := range map[string]string{
		"{name: ca, text: {a: x}}":                             "",
		"{name: ca, kind: Secret, env: {a: NOT_SET_ANYWHERE}}": "",
		"{name: ca, kind: Pod, text: {a: x}}":                  at + `.objects[0].kind: "Pod" is not a kind`,
		"{name: ca, files: {a: nowhere.pem}}":                  at + `.objects[0].files[a]: "nowhere.pem" cannot be read`,
		"{name: ca, env: {a: NOT_SET_ANYWHERE}}":               at + `.objects[0].env[a]: "NOT_SET_ANYWHERE" is not set`,
		"{name: ca, kind: Secret, text: {a: hunter2}}":         at + ".objects[0].text[a] is a secret in the stack's file",
		"{name: ca, text: {a: x}, kind: Secret, env: {a: X}}":  at + ".objects[0].text[a] conflicts with env[a]",
		"{name: ca}": at + ".objects[0] is missing",
		"{name: bundle, text: {ca-bundle.crt: no certificate}}":   at + ".objects[0].text[ca-bundle.crt] has no certificate",
		"{name: bundle, text: {other: x}}":                        at + ".objects[0] has no key ca-bundle.crt",
		"{name: bundle, kind: Secret, text: {ca-bundle.crt: ''}}": at + ".objects[0].kind",
	} {
		_, err := load(t, strings.Replace(withHostedCluster, "      autoNode: true\n",
			"      autoNode: true\n      additionalTrustBundle: bundle\n      objects: ["+objects+"]\n", 1))
		if want == "" {
			require.NoError(t, err, objects)
			continue
		}
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestAGeneratedSSHKeyNeedsAManagementClusterAndNoOtherKey(t *testing.T) {
	t.Parallel()
	_, err := load(t, strings.Replace(withHostedCluster, "      autoNode: true\n",
		"      autoNode: true\n      generateSSHKey: true\n", 1))
	require.ErrorContains(t, err, "hostedCluster.generateSSHKey requires kubeconfig")
	_, err = load(t, strings.Replace(withHostedCluster, "      autoNode: true\n",
		"      autoNode: true\n      generateSSHKey: true\n      kubeconfig: {}\n", 1))
	require.ErrorContains(t, err, "hostedCluster.generateSSHKey conflicts with sshKey")
}
