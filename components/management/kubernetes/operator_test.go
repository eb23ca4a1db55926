package kubernetes

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/management"
)

// operatorArgs returns args for the render in testdata, changed by replacing pairs of texts in it.
func operatorArgs(t *testing.T, pairs ...string) *OperatorArgs {
	t.Helper()
	text, err := os.ReadFile("testdata/render.yaml")
	require.NoError(t, err)
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, string(text), pairs[i])
	}
	return &OperatorArgs{
		Manifests: strings.NewReplacer(pairs...).Replace(string(text)), BucketName: "demo-oidc", Region: "us-east-1",
		ZoneDomain: "clusters.example.com", TXTOwnerID: "mgmt",
		EC2RoleARN: pulumi.String("ec2"), OIDCS3RoleARN: pulumi.String("s3"), ExternalDNSRoleARN: pulumi.String("dns"),
	}
}

// containerOf returns the container of a Deployment of a render, with its volumes.
func containerOf(t *testing.T, r *rendered, name string) *container {
	t.Helper()
	object := r.find(func(o unstructured.Unstructured) bool { return isDeployment(o, name) })
	require.NotNil(t, object)
	return newContainer(r, object)
}

func TestARenderWithoutFlagsGetsTheValuesOfTheStack(t *testing.T) {
	t.Parallel()
	args := operatorArgs(t)
	args.ScaleFromZero = true
	r, err := args.render("hypershift")
	require.NoError(t, err)
	operator := containerOf(t, r, "operator")
	require.Equal(t, []any{
		"run", "--namespace=$(MY_NAMESPACE)", "--private-platform=AWS", "--cert-dir=/var/run/secrets/serving-cert",
		"--oidc-storage-provider-s3-bucket-name=demo-oidc", "--oidc-storage-provider-s3-region=us-east-1",
		"--oidc-storage-provider-s3-credentials=/etc/oidc-storage-provider-s3-creds/credentials",
		"--scale-from-zero-provider=aws", "--scale-from-zero-creds=/etc/scale-from-zero-creds/credentials",
	}, operator.list("args"))
	for name, value := range map[string]string{
		"AWS_SHARED_CREDENTIALS_FILE": "/etc/provider/credentials", "AWS_REGION": "us-east-1", "AWS_SDK_LOAD_CONFIG": "1",
		"CERT_ROTATION_SCALE": "24h0m0s",
	} {
		require.Equal(t, value, named(operator.list("env"), name)["value"], name)
	}
	for volume, secret := range map[string]string{
		"credentials": management.EC2Secret, "oidc-storage-provider-s3-creds": management.OIDCS3Secret,
		"scale-from-zero-creds": management.EC2Secret,
	} {
		require.NotNil(t, named(operator.list("volumeMounts"), volume), volume)
		got, _, _ := unstructured.NestedString(named(operator.volumes, volume), "secret", "secretName")
		require.Equal(t, secret, got, volume)
	}
	require.NotNil(t, named(operator.volumes, "token"))
	require.NotNil(t, named(operator.volumes, "serving-cert"))

	dns := containerOf(t, r, "external-dns")
	require.Contains(t, dns.list("args"), any("--txt-owner-id=mgmt"),
		"an ID that the CLI generated is not kept: it is another one in each render")
	require.NotNil(t, named(dns.volumes, "token"))
}

func TestTheStackKeepsItsOwnObjectsAndTakesTheLabelsOfTheNamespace(t *testing.T) {
	t.Parallel()
	r, err := operatorArgs(t, "kind: ServiceAccount\nmetadata: {name: operator,",
		"kind: Secret\nmetadata: {name: "+management.EC2Secret+",").render("hypershift")
	require.NoError(t, err)
	var names []string
	for _, object := range r.objects {
		names = append(names, describe(object))
		require.NotContains(t, object.Object, "status")
	}
	require.Equal(t, []string{
		"CustomResourceDefinition hostedclusters.hypershift.openshift.io",
		"CustomResourceDefinition nodepools.hypershift.openshift.io",
		"PriorityClass hypershift-operator", "ClusterRole hypershift-operator", "ClusterRoleBinding hypershift-operator",
		"Service hypershift/operator",
		"ConfigMap hypershift/feature-gate", "ServiceMonitor hypershift/operator", "Deployment hypershift/operator",
		"Deployment hypershift/external-dns",
	}, names)
	require.Equal(t, map[string]string{
		"hypershift.openshift.io/component":  "operator",
		"hypershift.openshift.io/monitoring": "true",
	}, r.namespaceLabels())
}

func TestRendersThatHyperShiftsCLIPrintedAreAccepted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"first", "second"} {
		text, err := os.ReadFile("../../../test/stackfile/testdata/operatorrenders/" + name + ".yaml.gz")
		require.NoError(t, err)
		args := operatorArgs(t)
		args.Manifests = string(text)
		r, err := args.render("hypershift")
		require.NoError(t, err)
		operator := containerOf(t, r, "operator")
		require.Contains(t, operator.list("args"), any("--private-platform=AWS"))
		require.Contains(t, operator.list("args"), any("--oidc-storage-provider-s3-bucket-name=demo-oidc"))
		require.Contains(t, containerOf(t, r, "external-dns").list("args"), any("--txt-owner-id=mgmt"))
		require.Len(t, args.Definitions(), 30)
	}
}

func TestExternalDNSHasNoTokenUnlessItAssumesARoleWithIt(t *testing.T) {
	t.Parallel()
	args := operatorArgs(t)
	args.Identity = management.AccessKeys
	r, err := args.render("hypershift")
	require.NoError(t, err)
	require.Nil(t, named(containerOf(t, r, "external-dns").volumes, "token"))
}

func TestARenderIsReadInEachForm(t *testing.T) {
	t.Parallel()
	args := operatorArgs(t)
	want, err := ReadManifests(args.Manifests)
	require.NoError(t, err)
	require.Len(t, want, 13)

	var items []any
	for _, object := range want {
		items = append(items, object.Object)
	}
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	require.NoError(t, err)
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	_, err = writer.Write([]byte(args.Manifests))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	for name, text := range map[string]string{"a List in JSON": string(list), "compressed YAML": zipped.String()} {
		got, err := ReadManifests(text)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
}

func TestARenderThatContradictsTheStackIsRefused(t *testing.T) {
	t.Parallel()
	const oidc = "--private-platform=None\n        - --oidc-storage-provider-s3-"
	env := func(name string) []string {
		return []string{"- {name: CERT_ROTATION_SCALE, value: 24h0m0s}", "- {name: " + name + ", value: other}"}
	}
	for name, test := range map[string]struct {
		change []string
		value  string
	}{
		"another platform": {[]string{"--private-platform=None", "--private-platform=Azure"},
			"--private-platform=Azure"},
		"another bucket": {[]string{"--private-platform=None", oidc + "bucket-name=other"},
			"--oidc-storage-provider-s3-bucket-name=other"},
		"another region of the bucket": {[]string{"--private-platform=None", oidc + "region=eu-west-1"},
			"--oidc-storage-provider-s3-region=eu-west-1"},
		"another key of the Secret": {[]string{"--private-platform=None", oidc + "credentials=/x"},
			"--oidc-storage-provider-s3-credentials=/x"},
		"another region":                  {env("AWS_REGION"), "AWS_REGION=other"},
		"another credentials file":        {env("AWS_SHARED_CREDENTIALS_FILE"), "AWS_SHARED_CREDENTIALS_FILE=other"},
		"another bucket of the documents": {[]string{"data: {name: demo-oidc", "data: {name: other"}, "other"},
		"scale-from-zero": {[]string{"--private-platform=None",
			"--private-platform=AWS\n        - --scale-from-zero-provider=aws"}, "--scale-from-zero-provider=aws"},
		"another zone": {[]string{"--domain-filter=clusters.", "--domain-filter=other."},
			"--domain-filter=other.example.com"},
		"another DNS provider":           {[]string{"--provider=aws", "--provider=azure"}, "--provider=azure"},
		"another owner of the records":   {[]string{"3f0b8a52-6a0e-4d3e-9d8f-8a1f6c1d2e3f", "east"}, "--txt-owner-id=east"},
		"another Secret of external-dns": {[]string{"secretName: external-dns-credentials", "secretName: other"}, "other"},
		"another namespace": {[]string{"{name: operator, namespace: hypershift}\nspec",
			"{name: operator, namespace: other}\nspec"}, "other"},
		"a Template": {[]string{"kind: ServiceAccount", "kind: Template"}, "Template"},
		"the same object twice": {[]string{
			"kind: ServiceAccount\nmetadata: {name: operator, namespace: hypershift}",
			"kind: Namespace\nmetadata: {name: hypershift}",
		}, "Namespace hypershift"},
		"no definition of HostedClusters": {[]string{"  name: hostedclusters.", "  name: other."}, ""},
		"an object without a name": {[]string{"metadata: {name: operator, namespace: hypershift}\n---",
			"metadata: {namespace: hypershift}\n---"}, ""},
		"no Deployment of the operator": {[]string{"kind: Deployment\nmetadata: {name: operator",
			"kind: Job\nmetadata: {name: operator"}, ""},
		"no container of the operator": {[]string{"- name: operator\n        args", "- name: other\n        args"},
			"operator"},
		"no external-dns": {[]string{"kind: Deployment\nmetadata: {name: external-dns",
			"kind: Job\nmetadata: {name: external-dns"}, ""},
		"another mount of the credentials": {[]string{"mountPath: /etc/provider", "mountPath: /other"}, "/other"},
		"no YAML":                          {[]string{"kind: ServiceAccount", "kind: ["}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults := fault.In(operatorArgs(t, test.change...).validate("hypershift"))
			require.Len(t, faults, 1, "%v", faults)
			require.Equal(t, "manifests", faults[0].Path)
			require.NotEmpty(t, faults[0].Remedy)
			if test.value != "" {
				require.Equal(t, test.value, faults[0].Value)
			}
		})
	}
}

func TestExternalDNSWithoutAZoneIsRefused(t *testing.T) {
	t.Parallel()
	args := operatorArgs(t)
	args.ZoneDomain, args.TXTOwnerID, args.ExternalDNSRoleARN = "", "", nil
	faults := fault.In(args.validate("hypershift"))
	require.Len(t, faults, 1)
	require.Contains(t, faults[0].Remedy, "--external-dns-provider")
}

func TestEverythingThatTheOperatorLacksIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	args := &InstallObjectsArgs{
		Namespace: "hypershift", BucketName: pulumi.String("demo-oidc"), BucketRegion: pulumi.String("us-east-1"),
		Operator: &OperatorArgs{Identity: "Other", ZoneDomain: "example.com"},
	}
	var paths []string
	for _, f := range fault.In(args.Validate()) {
		paths = append(paths, f.Path)
		require.NotEmpty(t, f.Remedy, f.Path)
	}
	require.Equal(t, []string{
		"operator.manifests", "operator.bucketName", "operator.region", "operator.identity", "operator.txtOwnerID",
		"operator.ec2RoleARN", "operator.oidcS3RoleARN", "operator.externalDNSRoleARN",
	}, paths)
}

func TestADefinitionWithoutAVersionThatTheClusterStoresIsRefused(t *testing.T) {
	t.Parallel()
	args := operatorArgs(t)
	require.NoError(t, args.Check("hypershift"))
	require.Equal(t, []string{"hostedclusters.hypershift.openshift.io", "nodepools.hypershift.openshift.io"},
		args.Definitions())
	require.NoError(t, args.CheckStored(map[string][]string{
		"hostedclusters.hypershift.openshift.io": {"v1alpha1", "v1beta1"},
		"others.example.com":                     {"v1"},
	}))
	faults := fault.In(args.CheckStored(map[string][]string{"nodepools.hypershift.openshift.io": {"v1alpha1", "v1beta1"}}))
	require.Len(t, faults, 1)
	require.Equal(t, "nodepools.hypershift.openshift.io v1alpha1", faults[0].Value)
	require.NotEmpty(t, faults[0].Remedy)
}
