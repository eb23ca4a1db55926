package pko

import (
	"embed"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

//go:embed testdata/stacks.json.gz
var schemas embed.FS

// options returns the options of a fleet whose state is in S3.
func options() Options {
	return Options{
		Image: "registry.example.com/hypershift-aws:v1", RoleARN: "arn:aws:iam::123456789012:role/hypershift-aws-stacks",
		Backend: "s3://demo-state?region=us-east-1", SecretsProvider: "awskms://alias/pulumi?region=us-east-1",
		EnvSecret: "pull-secret",
	}
}

func stacks() []Stack {
	return []Stack{
		{Name: "prod-b", Path: "Pulumi.prod-b.yaml", Management: "mgmt", Parts: []string{"prod-b-network", "mgmt"},
			Text: []byte(`config:
  aws:region: eu-west-1
  aws:secretKey: {secure: v1:abc}
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: prod-b
    baseDomain: example.com
    management: mgmt
    network: {zones: [eu-west-1a, {name: eu-west-1c, slot: 2}], nat: Single}
    hostedCluster: {pullSecret: {env: PULL_SECRET}}
`)},
		{Name: "mgmt", Path: "Pulumi.mgmt.yaml", Text: []byte("config:\n  aws:region: us-east-1\n  hypershift-aws:kind: management\n  hypershift-aws:management:\n    oidcBucket: {name: demo-oidc}\n")},
	}
}

func TestTheObjectsAreThoseOfTheGoldenFilesAndPassTheOperatorsSchema(t *testing.T) {
	t.Parallel()
	set := crd.NewSet("the Pulumi Kubernetes Operator's API", schemas, map[crd.Kind]string{
		{APIVersion: "pulumi.com/v1", Kind: "Stack"}: "testdata/stacks.json.gz",
	})
	files, err := Render(stacks(), options())
	require.NoError(t, err)
	require.Len(t, files, 3)
	for i, file := range files {
		// kubectl applies a folder's files in this order, and needs the namespace first.
		require.Equal(t, i > 0, file.Name > files[0].Name, file.Name)
		for _, object := range file.Objects {
			if object["kind"] == "Stack" {
				asJSON, err := json.Marshal(object)
				require.NoError(t, err)
				var plain map[string]any
				require.NoError(t, json.Unmarshal(asJSON, &plain))
				require.NoError(t, set.Validate(plain), file.Name)
			}
		}
		text, err := file.YAML()
		require.NoError(t, err)
		golden.Require(t, filepath.Join("testdata", file.Name), string(text))
	}
}

func TestAnObjectDestroysItsStackOnlyIfThatIsWanted(t *testing.T) {
	t.Parallel()
	for _, wanted := range []bool{false, true} {
		o := options()
		o.DestroyOnFinalize = wanted
		files, err := Render(stacks(), o)
		require.NoError(t, err)
		for _, file := range files[1:] {
			require.Equal(t, wanted, file.Objects[0]["spec"].(map[string]any)["destroyOnFinalize"], file.Name)
		}
	}
}

// The operator may use the pod of a former update, with its config, unless the template of the pod differs.
func TestAPodOfAnotherConfigIsAnotherPod(t *testing.T) {
	t.Parallel()
	template := func(text string) string {
		files, err := Render([]Stack{{Name: "a", Text: []byte(text)}}, options())
		require.NoError(t, err)
		spec := files[1].Objects[0]["spec"].(map[string]any)["workspaceTemplate"].(map[string]any)["spec"].(map[string]any)
		asJSON, err := json.Marshal(spec["podTemplate"])
		require.NoError(t, err)
		return string(asJSON)
	}
	const one, same = "config: {a:b: 1, 'c:d': {e: 2}}", "config:\n  c:d: {e: 2}\n  a:b: 1\n"
	require.Equal(t, template(one), template(same))
	require.NotEqual(t, template(one), template("config: {a:b: 1, 'c:d': {e: 3}}"))
	require.NotEqual(t, template(one), template("config: {a:b: 1, 'c:d': {secure: x}}"))
}

func TestNothingSecretAndNothingOfThisMachineIsRendered(t *testing.T) {
	t.Parallel()
	files, err := Render(stacks(), options())
	require.NoError(t, err)
	text, err := json.Marshal(files)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "v1:abc")
	for _, c := range []struct{ name, config, path, problem string }{
		{"nested secret", "hypershift-aws:cluster: {hostedCluster: {pullSecret: {secure: v1:abc}}}",
			"hypershift-aws:cluster.hostedCluster.pullSecret", "is encrypted"},
		{"file", "hypershift-aws:cluster: {hostedCluster: {sshKey: [{file: id.pub}]}}",
			"hypershift-aws:cluster.hostedCluster.sshKey[0]", "is a file on this machine"},
		{"path", "hypershift-aws:cluster: {hostedCluster: {pullSecret: pull-secret.json}}",
			"hypershift-aws:cluster.hostedCluster.pullSecret", "is a file on this machine"},
		{"kubeconfig", "hypershift-aws:cluster: {hostedCluster: {kubeconfig: {file: /k, context: c}}}",
			"hypershift-aws:cluster.hostedCluster.kubeconfig.file",
			"is a file on this machine"},
		{"manifests", "hypershift-aws:management: {operator: {install: {manifests: hypershift.yaml}}}",
			"hypershift-aws:management.operator.install.manifests",
			"is a file on this machine"},
		{"kubeconfig alone", "hypershift-aws:management: {kubeconfig: {file: /k}}",
			"hypershift-aws:management.kubeconfig.file", "is a file on this machine"},
	} {
		_, err := Render([]Stack{{
			Name: "a",
			Path: "Pulumi.a.yaml",
			Text: []byte("config:\n  " + c.config + "\n"),
		}}, options())
		faults := fault.In(err)
		require.Len(t, faults, 1, c.name)
		assert.Equal(t, c.path, faults[0].Path, c.name)
		assert.Contains(t, faults[0].Problem, c.problem, c.name)
		assert.Equal(t, "Pulumi.a.yaml", faults[0].File, c.name)
	}
}

func TestOptionsAndNamesThatTheOperatorCannotUseAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", nameLimit+1)
	for _, c := range []struct {
		name   string
		change func(*Options)
		stack  string
		want   string
	}{
		{"no image", func(o *Options) { o.Image = "" }, "a", "--image"},
		{"no role", func(o *Options) { o.RoleARN = "" }, "a", "--role-arn"},
		{"no backend", func(o *Options) { o.Backend = "" }, "a", "--backend"},
		{"a folder", func(o *Options) { o.Backend = "file:///state" }, "a", "--backend"},
		{"no secrets provider", func(o *Options) { o.SecretsProvider = "" }, "a", "--secrets-provider"},
		{"a short resync", func(o *Options) { o.Resync = 60 }, "a", "--resync"},
		{"a wrong namespace", func(o *Options) { o.Namespace = "A_b" }, "a", "--namespace"},
		{"a long name", func(*Options) {}, long, "Pulumi.x.yaml"},
	} {
		o := options()
		c.change(&o)
		_, err := Render([]Stack{{Name: c.stack, Path: "Pulumi.x.yaml", Text: []byte("config: {}")}}, o)
		faults := fault.In(err)
		require.Len(t, faults, 1, c.name)
		assert.Equal(t, c.want, faults[0].Path, c.name)
		assert.NotEmpty(t, faults[0].Remedy, c.name)
	}
	_, err := Render([]Stack{{Name: "a"}}, Options{Backend: "https://api.pulumi.com", Image: "i", RoleARN: "r"})
	require.NoError(t, err, "a Pulumi Cloud keeps secrets itself")
}
