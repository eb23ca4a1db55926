package conformance

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pko"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// podsAccount is the service account of the pods of stack "test".
const podsAccount = "hypershift-aws-test"

const podAccountName = "system:serviceaccount:pulumi-stacks:" + podsAccount

// auditPolicy has the API server write each request of the pods' account.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules: [{level: Metadata, users: ["` + podAccountName + `"], omitStages: [RequestReceived]}]
`

// rolesOf returns what `render pko --roles` writes for an administrator to apply: the namespaces of a stack's objects,
// and its roles.
func rolesOf(t *testing.T, dir string) []map[string]any {
	t.Helper()
	file, err := stacks.LoadFile(dir, "test")
	require.NoError(t, err)
	files, err := pko.Render([]pko.Stack{{Name: "test", Text: []byte("config: {}"), Section: file.Section}}, pko.Options{
		Image: "i", RoleARN: "r", Backend: "https://api.pulumi.com", Roles: true,
	})
	require.NoError(t, err)
	var objects []map[string]any
	for _, file := range files[2:] {
		objects = append(objects, file.Objects...)
	}
	return append(objects, slices.DeleteFunc(files[1].Objects, func(o map[string]any) bool {
		return !strings.Contains(o["kind"].(string), "Role")
	})...)
}

// podOf is a real API server with the account of pods, and what that account may do.
type podOf struct {
	*realCluster
	// as sends requests as the account.
	as  *apiserver.Server
	log string
}

// newPodOf returns an API server with the roles of the stack in a folder, whose kubeconfig is that of the pods' account
// from now on.
func newPodOf(t *testing.T, dir, text string, install func(*realCluster)) *podOf {
	t.Helper()
	policy, log := filepath.Join(t.TempDir(), "policy.yaml"), filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(policy, []byte(auditPolicy), 0o600))
	p := &podOf{realCluster: startRealCluster(t, "--audit-policy-file", policy, "--audit-log-path", log), log: log}
	for _, name := range []string{"pulumi-stacks", "default"} {
		code, answer, err := p.Try(http.MethodPost, "/api/v1/namespaces", "application/json",
			object("v1", "Namespace", "", name, nil))
		require.NoError(t, err)
		require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, code, "%s", answer)
	}
	install(p.realCluster)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.test.yaml"),
		[]byte(strings.ReplaceAll(text, "KUBECONFIG", path)), 0o600))
	const accounts = "/api/v1/namespaces/pulumi-stacks/serviceaccounts"
	p.send(http.MethodPost, accounts, object("v1", "ServiceAccount", "pulumi-stacks", podsAccount, nil))
	for _, role := range rolesOf(t, dir) {
		p.send(http.MethodPost, installedPath(role), role)
	}
	token := p.send(http.MethodPost, accounts+"/"+podsAccount+"/token",
		object("authentication.k8s.io/v1", "TokenRequest", "", podsAccount, map[string]any{"spec": map[string]any{}}))
	p.as = p.As(token.Object("status").String("token"))
	require.NoError(t, p.as.WriteKubeconfig(path))
	p.kubeconfig = path
	return p
}

// requests returns the requests of the account, of each verb whether one was refused.
func (p *podOf) requests() (made map[string]int, refused []string) {
	p.t.Helper()
	text, err := os.ReadFile(p.log)
	require.NoError(p.t, err)
	made = map[string]int{}
	for line := range strings.Lines(string(text)) {
		var event struct {
			Verb, RequestURI string
			ResponseStatus   struct{ Code int }
		}
		require.NoError(p.t, json.Unmarshal([]byte(line), &event))
		made[event.Verb]++
		if event.ResponseStatus.Code == http.StatusForbidden {
			refused = append(refused, event.Verb+" "+event.RequestURI)
		}
	}
	return made, refused
}

// may reports whether the API server allows the account a verb.
func (p *podOf) may(verb string, kind schema.GroupVersionKind, namespace, name string) bool {
	p.t.Helper()
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	code, text, err := p.as.Try(http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		"application/json",
		object("authorization.k8s.io/v1", "SelfSubjectAccessReview", "", "",
			map[string]any{"spec": map[string]any{"resourceAttributes": map[string]any{
				"verb": verb, "group": resource.Group, "version": resource.Version, "resource": resource.Resource,
				"namespace": namespace, "name": name,
			}}}))
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusCreated, code, "%s", text)
	var answer props.Map
	require.NoError(p.t, json.Unmarshal(text, &answer))
	return answer.Object("status").Bool("allowed")
}

// readDefinition reads a definition of a custom resource, whose file may be compressed.
func readDefinition(t *testing.T, path string) (definition map[string]any) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	var text io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		text, err = gzip.NewReader(file)
		require.NoError(t, err)
	}
	require.NoError(t, json.NewDecoder(text).Decode(&definition))
	require.NoError(t, file.Close())
	return definition
}

// capaDefinitions returns the definitions of Cluster API's kinds.
func capaDefinitions(t *testing.T) (definitions []map[string]any) {
	t.Helper()
	paths, err := filepath.Glob(repo.Path("internal", "value", "capa", "crd", "*.json.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		definitions = append(definitions, readDefinition(t, path))
	}
	return definitions
}

// TestARealAPIServerAllowsPodsWhatTheyDoByTheirRolesAndNoMore lives the life of stacks with the account of their pods
// and exactly the roles that `render pko --roles` writes. The API server's own record of requests has none that was
// refused.
func TestARealAPIServerAllowsPodsWhatTheyDoByTheirRolesAndNoMore(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the roles of pods by a real API server, which make conformance builds and starts")
	}
	kubeconfig := "{file: KUBECONFIG}"
	for name, c := range map[string]struct {
		text          string
		before, after string
		install       func(*realCluster)
	}{
		"hosted cluster": {
			text: strings.Replace(stackfile.Cluster{Access: hypershift.Public, NAT: network.Single,
				Zones: stackfile.ZoneNames(1),
				More:  stackfile.HostedCluster(t, "      nodePools: [{name: a, replicas: 1, zone: us-east-1a}]\n")}.String(),
				"{context: management}", kubeconfig, 1),
			before: "replicas: 1", after: "replicas: 2",
			install: func(c *realCluster) { c.install(`"4.20","4.19"`) },
		},
		"management": {
			text: strings.Replace(stackfile.InNamespaceOfOthers(stackfile.Management(stackfile.Managements()["kubernetes"])),
				"{file: /etc/management/kubeconfig, context: management}", kubeconfig, 1),
			before: "team: platform", after: "team: network",
			install: func(c *realCluster) {
				c.define(definitionIn(t, "hostedclusters.json"), definitionIn(t, "nodepools.json"))
			},
		},
		"capa": {
			text:   strings.Replace(stackfile.Example(t, "capa-private"), "kubeconfig: {}", "kubeconfig: "+kubeconfig, 1),
			before: "    topology: Private\n", after: "    topology: Private\n    tags: {team: network}\n",
			install: func(c *realCluster) { c.define(capaDefinitions(t)...) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pod := newPodOf(t, dir, c.text, c.install)
			files, err := projects.Open(dir)
			require.NoError(t, err)
			memory, err := sandbox.InMemory(environment.Options{Project: files, Environ: os.Environ()})
			require.NoError(t, err)
			p, err := automation.Open(automationtest.WithEnvironment(automation.ProjectOptions{
				Dir: dir, Offline: true, EngineDirs: []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))},
				Events: func(e automation.Event) {
					if d, is := e.(*automation.DiagnosticEvent); is && d.Severity == "error" {
						t.Log(d.Message)
					}
				},
			}, realClusters{memory, serveObjects(t, map[string]*apiserver.Server{pod.kubeconfig: pod.as})}))
			require.NoError(t, err)
			t.Cleanup(p.Close)
			stack := p.Stack("test")
			up := func() {
				t.Helper()
				_, err := stack.Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
				require.NoError(t, err)
			}
			up()
			state := harness.StackAt(t, dir).State()
			path := filepath.Join(dir, "Pulumi.test.yaml")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(text), c.before)
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), c.before, c.after, 1)), 0o600))
			_, err = stack.Preview(t.Context(), automation.PreviewOptions{Drift: true})
			require.NoError(t, err)
			up()
			_, err = stack.Refresh(t.Context(), automation.RefreshOptions{})
			require.NoError(t, err)
			_, err = stack.Destroy(t.Context(), automation.DestroyOptions{Decide: automation.Approve, Cluster: "demo"})
			require.NoError(t, err)
			made, refused := pod.requests()
			require.Empty(t, refused)
			for _, verb := range []string{"get", "patch", "delete"} {
				require.Positive(t, made[verb], verb)
			}
			t.Logf("requests of the pods' account: %v", made)

			objects := 0
			for _, r := range state {
				if !strings.HasPrefix(string(r.Type), "kubernetes:") {
					continue
				}
				objects++
				metadata := props.Map(r.Outputs).Object("metadata")
				kind := schema.FromAPIVersionAndKind(props.Map(r.Outputs).String("apiVersion"), props.Map(r.Outputs).String("kind"))
				verbs := []string{"get", "list", "watch", "create", "patch"}
				if kind.Kind == "Namespace" {
					verbs = []string{"get", "list", "watch", "patch"}
				}
				for _, verb := range verbs {
					require.True(t, pod.may(verb, kind, metadata.String("namespace"), metadata.String("name")), "%s %s", verb, r.URN)
				}
			}
			require.Positive(t, objects)
			secrets, clusters := schema.GroupVersionKind{Version: "v1", Kind: "Secret"},
				schema.FromAPIVersionAndKind("hypershift.openshift.io/v1beta1", "HostedCluster")
			for _, denied := range []struct {
				verb            string
				kind            schema.GroupVersionKind
				namespace, name string
			}{
				{"get", secrets, "kube-system", "any"},
				{"list", secrets, "", ""},
				{"create", secrets, "kube-system", "any"},
				{"create", schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", "any"},
				{"patch", schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", "kube-system"},
				{"delete", schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", "clusters"},
				{"delete", clusters, "others", "other"},
				{"patch", clusters, "others", "other"},
				{"create", schema.GroupVersionKind{
					Group:   "rbac.authorization.k8s.io",
					Version: "v1",
					Kind:    "ClusterRoleBinding",
				}, "", "any"},
				{"create", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "clusters", "any"},
			} {
				require.False(t, pod.may(denied.verb, denied.kind, denied.namespace, denied.name), fmt.Sprint(denied))
			}
			code, answer, err := pod.as.Try(http.MethodGet, "/api/v1/namespaces/kube-system/secrets/any", "", nil)
			require.NoError(t, err)
			require.Equal(t, http.StatusForbidden, code, "%s", answer)
			_, refused = pod.requests()
			require.Len(t, refused, 1, "the record has what is refused")
		})
	}
}

// The operator's roles have rights that its pods do not have themselves.
func TestARealAPIServerLetsPodsInstallTheOperator(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the roles of pods that install HyperShift's operator by a real API server, which make conformance builds and starts")
	}
	offline := harness.NewManagement(t)
	text := stackfile.InNamespaceOfOthers(stackfile.Installer(stackfile.RecordedRender(t, "first"), ""))
	offline.Configure(text)
	offline.Up()
	pod := newPodOf(t, t.TempDir(), strings.Replace(text, "{context: management}", "{file: KUBECONFIG}", 1),
		func(*realCluster) {})
	applied := map[string]int{}
	for _, r := range offline.Custom() {
		object := props.Map(r.Inputs)
		group, _, _ := strings.Cut(object.String("apiVersion"), "/")
		// whose definitions no test installs
		if !strings.HasPrefix(string(r.Type), "kubernetes:") || group == "monitoring.coreos.com" {
			continue
		}
		path := installedPath(object) + "/" + object.Object("metadata").
			String("name") + "?force=true&fieldManager=pulumi-kubernetes"
		code, text, err := pod.as.Try(http.MethodPatch, path, "application/apply-patch+yaml", object)
		require.NoError(t, err)
		require.Less(t, code, 300, "%s: %s", r.URN, text)
		applied[object.String("kind")]++
	}
	for _, kind := range []string{"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Deployment",
		"Namespace", "Secret"} {
		require.Positive(t, applied[kind], kind)
	}
	_, refused := pod.requests()
	require.Empty(t, refused)
}
