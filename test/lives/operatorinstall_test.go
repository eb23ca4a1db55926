package lives

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// withoutStoredVersion returns the changes of a render whose NodePools lack the version in which they are stored.
func withoutStoredVersion() []string {
	return []string{"singular: nodepool}\n  preserveUnknownFields: false\n  scope: Namespaced\n  versions:\n  - name: v1beta1",
		"singular: nodepool}\n  preserveUnknownFields: false\n  scope: Namespaced\n  versions:\n  - name: v1beta2"}
}

func TestAnInstalledOperatorIsCreatedStableUpgradedInPlaceAndDestroyed(t *testing.T) {
	t.Parallel()
	stack := harness.NewManagement(t)
	stack.Configure(stackfile.Installer(stackfile.RenderOf(t), ""))
	require.NotEmpty(t, stack.Preview())
	created := stack.Up()
	golden.RequireGraph(t, "operatorinstall/graph", stack.Graph(nil, "install"))
	stack.RequireStable()
	const deployment = "kubernetes:apps/v1:Deployment"
	for _, before := range []string{
		"kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch",
		"kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
		"kubernetes:core/v1:Secret", "kubernetes:core/v1:Service", "kubernetes:core/v1:Namespace",
	} {
		require.True(t, slices.ContainsFunc(created.BegunBefore(apitype.OpCreate, deployment), func(step string) bool {
			return strings.HasPrefix(step, before+" ")
		}),
			"%s is created before the Deployments", before)
	}
	require.Contains(t, credentialsIn(t, stack.Objects(), "external-dns-credentials"),
		"/hypershift-external-dns\ncredential_source = Ec2InstanceMetadata\n")

	stack.Configure(stackfile.Installer(stackfile.RenderOf(t, stackfile.LaterVersion()...), ""))
	upgraded := stack.Up()
	require.Empty(t, upgraded.Replaced())
	require.Empty(t, upgraded.Of(apitype.OpCreate))
	require.ElementsMatch(t, []string{
		deployment + " install-deployment-operator", "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole install-clusterrole-hypershift-operator",
		"kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch install-crd-hostedclusters.hypershift.openshift.io",
	}, upgraded.Of(apitype.OpUpdate))
	require.Equal(t, []string{"kubernetes:monitoring.coreos.com/v1:ServiceMonitor install-servicemonitor-operator"}, upgraded.Of(apitype.OpDelete))
	stack.RequireStable()

	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the account")
	definitions := []string{"CustomResourceDefinition hostedclusters.hypershift.openshift.io",
		"CustomResourceDefinition nodepools.hypershift.openshift.io"}
	require.Equal(t, definitions, names(stack.Objects()), "a hosted cluster never loses its definition")
	stack.Up() // it takes the definitions over
	stack.Destroy()
	require.Equal(t, definitions, names(stack.Objects()))
}

func TestRecordedRendersAreInstalledAndUpgradedInPlace(t *testing.T) {
	t.Parallel()
	stack := harness.NewManagement(t)
	stack.Configure(stackfile.Installer(stackfile.RecordedRender(t, "first"), ""))
	stack.Up()
	if sizes.All() {
		stack.RequireStable() // what follows compares the same objects
	}
	stack.Configure(stackfile.Installer(stackfile.RecordedRender(t, "second"), ""))
	upgraded := stack.Up()
	require.Empty(t, upgraded.Replaced())
	require.Empty(t, upgraded.Of(apitype.OpCreate))
	require.ElementsMatch(t, []string{
		"kubernetes:core/v1:ServiceAccount install-serviceaccount-hypershift-client",
		"kubernetes:rbac.authorization.k8s.io/v1:ClusterRole install-clusterrole-hypershift-client",
		"kubernetes:rbac.authorization.k8s.io/v1:ClusterRole install-clusterrole-hypershift-readers",
		"kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding install-clusterrolebinding-hypershift-client",
		"kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding install-clusterrolebinding-hypershift-readers",
	}, upgraded.Of(apitype.OpDelete))
	definitions := slices.DeleteFunc(upgraded.Of(apitype.OpUpdate), func(step string) bool {
		return !strings.Contains(step, "CustomResourceDefinitionPatch ")
	})
	require.Len(t, definitions, 30)
	require.ElementsMatch(t, []string{
		"kubernetes:apps/v1:Deployment install-deployment-external-dns",
		"kubernetes:apps/v1:Deployment install-deployment-operator",
		"kubernetes:core/v1:Service install-service-operator", "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole install-clusterrole-hypershift-operator",
	}, slices.DeleteFunc(upgraded.Of(apitype.OpUpdate), func(step string) bool {
		return slices.Contains(definitions, step)
	}))
	if sizes.All() {
		stack.RequireStable() // as after the upgrade of a smaller render
	}
	stored := 0
	for _, object := range stack.Objects() {
		if object.Kind == "CustomResourceDefinition" &&
			slices.Equal(props.Map(object.Properties).Object("status").Strings("storedVersions"),
				[]string{"v1beta1", "v1beta2"}) {
			stored++
		}
	}
	require.Equal(t, 12, stored, "Cluster API's definitions have another storage version")

	stack.Destroy()
	for _, name := range names(stack.Objects()) {
		require.True(t, strings.HasPrefix(name, "CustomResourceDefinition "), name)
	}
}

// credentialsIn returns the credentials in a Secret.
func credentialsIn(t *testing.T, objects []offline.Object, name string) string {
	t.Helper()
	i := slices.IndexFunc(objects, func(o offline.Object) bool { return o.ID == "hypershift/"+name })
	require.GreaterOrEqual(t, i, 0, name)
	text, err := base64.StdEncoding.DecodeString(props.Map(objects[i].Properties).Object("data").String("credentials"))
	require.NoError(t, err)
	return string(text)
}

func TestARenderOfAnotherBucketIsRefusedWithItsKeyAndNothingIsCreated(t *testing.T) {
	t.Parallel()
	stack := harness.NewManagement(t)
	stack.Configure(stackfile.Installer(stackfile.RenderOf(t, "{name: demo-oidc,", "{name: other-oidc,"), ""))
	_, err := stack.UpErr()
	require.ErrorContains(t, err, `hypershift-aws:management.operator.install.manifests: "other-oidc" in ConfigMap kube-public/oidc-storage-provider-s3-config `+
		`is not the stack's, demo-oidc; render with`)
	require.Empty(t, stack.Resources())
}

// installer is a project with a management stack that installs the operator, and the stack "test" of a hosted cluster
// in its management cluster.
type installer struct{ *harness.Stack }

func (e installer) manage(text string) {
	e.T.Helper()
	require.NoError(e.T, os.WriteFile(filepath.Join(e.Dir, "Pulumi.management.yaml"), []byte(text), 0o600))
}

// refused runs a command with the management stack, which must fail with an exit code, and returns what it printed.
func (e installer) refused(code int, args ...string) string {
	e.T.Helper()
	stdout, stderr, got := e.Exit(append([]string{"--offline", "-s", "management"}, args...)...)
	require.Equal(e.T, code, got, "%s%s", stdout, stderr)
	return stdout + stderr
}

// installed returns the Deployment of the operator and the definition of NodePools in the management cluster.
func (e installer) installed() (operator, definition map[string]any) {
	e.T.Helper()
	clusters, err := offline.Clusters(filepath.Join(e.Dir, ".hypershift-aws", "offline"))
	require.NoError(e.T, err)
	require.Len(e.T, clusters, 1)
	defer func() { require.NoError(e.T, clusters[0].Close()) }()
	operator, err = clusters[0].Get("Deployment", "hypershift", "operator")
	require.NoError(e.T, err)
	definition, err = clusters[0].Get("CustomResourceDefinition", "", "nodepools.hypershift.openshift.io")
	require.NoError(e.T, err)
	return operator, definition
}

func TestALivingHostedClusterKeepsItsOperatorAndItsDefinitions(t *testing.T) {
	t.Parallel()
	e := installer{harness.StackAt(t, t.TempDir())}
	first := stackfile.Installer(stackfile.RenderOf(t), "")
	e.manage(first)
	e.Run("--offline", "-s", "management", "up", "--yes")
	e.Configure(stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
		More:   stackfile.HostedCluster(t, ""),
	}.String())
	e.Run("--offline", "-s", "test", "up", "--yes")
	operator, _ := e.installed()

	e.manage(stackfile.Installer(stackfile.RenderOf(t, stackfile.LaterVersion()...), ""))
	e.Run("--offline", "-s", "management", "up", "--yes")
	later, definition := e.installed()
	require.Equal(t, props.Map(operator).Object("metadata").String("uid"),
		props.Map(later).Object("metadata").String("uid"), "upgraded in place")
	require.NotEqual(t, props.Map(operator)["spec"], props.Map(later)["spec"])

	e.manage(stackfile.Installer(stackfile.RenderOf(t, withoutStoredVersion()...), ""))
	for _, command := range [][]string{{"preview"}, {"up", "--yes"}} {
		require.Contains(t, e.refused(1, command...), `operator.install.manifests: "nodepools.hypershift.openshift.io v1beta1" is a version in which the management `+
			"cluster stores objects")
	}
	e.manage(strings.Replace(first, "      install:", "      # install:", 1))
	require.Contains(t, e.refused(2, "up", "--yes"), "--allow install-deployment-external-dns,install-deployment-operator")
	e.manage(first)
	require.Contains(t, e.refused(2, "destroy", "--yes"), "HostedCluster")
	kept, still := e.installed()
	require.Equal(t, later, kept)
	require.Equal(t, definition, still)

	e.Run("--offline", "-s", "test", "destroy", "--yes", "--cluster", "demo")
	e.Run("--offline", "-s", "management", "destroy", "--yes")
	operator, definition = e.installed()
	require.Nil(t, operator)
	require.NotNil(t, definition)
}

// asHyperShiftsCLI changes the objects in the management cluster to what `hypershift install` of an earlier version
// left: none has the stack's annotation, and the operator has another image, and neither the stack's bucket nor its
// credentials. It returns the UIDs of the objects.
func (e installer) asHyperShiftsCLI() map[string]string {
	e.T.Helper()
	uids := map[string]string{}
	e.inCluster(func(cluster *kubernetes.Cluster, object kubernetes.Object) {
		id, namespaced := object.ID, strings.Contains(object.ID, "/")
		namespace, name := "", id
		if namespaced {
			namespace, name, _ = strings.Cut(id, "/")
		}
		uids[object.Kind+" "+id] = props.Map(object.Properties).Object("metadata").String("uid")
		if object.Kind == "Namespace" || namespace == "kube-public" {
			return // the stack has them without an installed operator
		}
		require.NoError(e.T, cluster.Edit(object.Kind, namespace, name, "hypershift", func(content map[string]any) {
			metadata := props.Map(content).Object("metadata")
			delete(metadata.Object("annotations"), hypershift.StackTag)
			if object.Kind == "Deployment" && name == "operator" {
				container := props.Map(content).Object("spec").Object("template").Object("spec").Objects("containers")[0]
				container["image"], container["args"], container["env"] = "quay.io/hypershift/hypershift-operator:earlier",
					[]any{"run", "--namespace=$(MY_NAMESPACE)"}, []any{}
			}
		}))
	})
	return uids
}

// inCluster calls f with each object in the management cluster.
func (e installer) inCluster(f func(cluster *kubernetes.Cluster, object kubernetes.Object)) {
	e.T.Helper()
	clusters, err := offline.Clusters(e.OfflineDir())
	require.NoError(e.T, err)
	require.Len(e.T, clusters, 1)
	defer func() { require.NoError(e.T, clusters[0].Close()) }()
	objects, err := clusters[0].Objects()
	require.NoError(e.T, err)
	for _, object := range objects {
		f(clusters[0], object)
	}
}

func TestAnOperatorThatHyperShiftsCLIInstalledIsTakenOverInPlace(t *testing.T) {
	t.Parallel()
	e := installer{harness.StackAt(t, t.TempDir())}
	text := stackfile.Installer(stackfile.RenderOf(t), "")
	e.Configure(strings.Replace(text, "      install:", "      # install:", 1))
	e.Run("--offline", "up", "--yes")
	states := filepath.Join(e.OfflineDir(), "state")
	kept := t.TempDir()
	require.NoError(t, os.CopyFS(kept, os.DirFS(states)))
	e.Configure(text)
	e.Run("--offline", "up", "--yes")
	want, _ := e.installed()
	before := e.asHyperShiftsCLI()
	require.NoError(t, os.RemoveAll(states)) // the stack has installed nothing
	require.NoError(t, os.RemoveAll(filepath.Join(e.OfflineDir(), "work")))
	require.NoError(t, os.CopyFS(states, os.DirFS(kept)))
	earlier, _ := e.installed()
	require.NotEqual(t, props.Map(want)["spec"], props.Map(earlier)["spec"])

	stdout, stderr, code := e.Exit("--offline", "up", "--yes")
	require.Equal(t, 2, code, "%s%s", stdout, stderr)
	require.Contains(t, stderr, "Deployment hypershift/operator")
	require.Contains(t, stderr, "if they are this stack's, or those of `hypershift install`, adopt them: `hypershift-aws")
	still, _ := e.installed()
	require.Equal(t, earlier, still)

	shown := e.Run("--offline", "adopt", "--yes")
	require.Contains(t, shown, "created (2)\n  custom resource definition patch install-crd-hostedclusters.hypershift.openshift.io  [it sets values that the object has]")
	require.Contains(t, shown, "2 created, 0 imported, 13 updated, 0 unchanged, 0 not adopted")
	after := map[string]string{}
	e.inCluster(func(_ *kubernetes.Cluster, object kubernetes.Object) {
		after[object.Kind+" "+object.ID] = props.Map(object.Properties).Object("metadata").String("uid")
	})
	require.Equal(t, before, after, "nothing is replaced or deleted")
	now, _ := e.installed()
	require.Equal(t, props.Map(want)["spec"], props.Map(now)["spec"])
	e.Run("--offline", "preview", "--expect-no-changes")
}
