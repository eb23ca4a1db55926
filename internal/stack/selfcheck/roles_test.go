package selfcheck

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pko"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// request is a request to an API server, as its roles name it.
type request struct{ verb, group, resource, namespace, name string }

// requestOf returns the request that a method makes at a path.
func requestOf(method, path string) (r request) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if parts = parts[1:]; strings.HasPrefix(path, "/apis/") {
		r.group, parts = parts[0], parts[1:]
	}
	if parts = parts[1:]; parts[0] == "namespaces" && len(parts) > 2 {
		r.namespace, parts = parts[1], parts[2:]
	}
	r.resource = parts[0]
	r.verb = map[string]string{
		http.MethodGet:    "list",
		http.MethodPatch:  "patch",
		http.MethodPost:   "create",
		http.MethodDelete: "delete",
	}[method]
	if len(parts) > 1 {
		r.name = parts[1]
		if r.verb == "list" {
			r.verb = "get"
		}
	}
	return r
}

// allowed reports whether roles allow a request.
func allowed(objects []map[string]any, r request) bool {
	has := func(values any, value string) bool { return slices.Contains(values.([]any), any(value)) }
	for _, object := range objects {
		rules, _ := object["rules"].([]any)
		if object["kind"] == "Role" && object["metadata"].(map[string]any)["namespace"] != r.namespace {
			continue
		}
		for _, one := range rules {
			rule := one.(map[string]any)
			named := rule["resourceNames"] == nil || r.name != "" && has(rule["resourceNames"], r.name)
			if named && has(rule["apiGroups"], r.group) && has(rule["resources"], r.resource) && has(rule["verbs"], r.verb) {
				return true
			}
		}
	}
	return false
}

// The program asks and patches the management cluster with the account of its pod, which has the roles of `render pko
// --roles`.
func TestTheRolesOfPodsAllowTheRequestsOfTheProgram(t *testing.T) {
	t.Parallel()
	object := func(version, kind, namespace, name string) props.Map {
		return props.Map{
			"apiVersion": version,
			"kind":       kind,
			"metadata":   map[string]any{"namespace": namespace, "name": name, "uid": "1"},
		}
	}
	const hypershiftAPI = "hypershift.openshift.io/v1beta1"
	hub := func(install *management.InstallArgs) *config.Management {
		return &config.Management{PrerequisitesArgs: management.PrerequisitesArgs{
			Operator: management.OperatorArgs{Identity: management.AccessKeys, ExistingNamespace: true, Install: install},
		}}
	}
	for name, c := range map[string]struct {
		kind    config.Kind
		section config.Section
		use     func(config.Section, *config.Kubeconfig)
		objects []props.Map
	}{
		"hosted cluster": {config.KindCluster,
			&config.Cluster{Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, HostedCluster: &config.HostedCluster{
				Settings: hostedcluster.Settings{Namespace: "hosted"}, Objects: []config.ReferredObject{{Name: "bundle"}},
			}}, func(s config.Section, k *config.Kubeconfig) { s.(*config.Cluster).HostedCluster.Kubeconfig = k }, []props.Map{
				object(hypershiftAPI, "HostedCluster", "hosted", "demo"), object(hypershiftAPI, "NodePool", "hosted", "demo-a"),
				object("v1", "Secret", "hosted", "demo-pull-secret"), object("v1", "ConfigMap", "hosted", "bundle"),
			}},
		"node pools": {config.KindNodePools, &config.NodePools{Name: "demo", Namespace: "hosted"},
			func(s config.Section, k *config.Kubeconfig) { s.(*config.NodePools).Kubeconfig = k },
			[]props.Map{object(hypershiftAPI, "NodePool", "hosted", "spare")}},
		"capa": {config.KindCAPA, &config.CAPA{Args: capa.Args{Name: "mars", Namespace: "capa"}},
			func(s config.Section, k *config.Kubeconfig) { s.(*config.CAPA).Kubeconfig = k }, []props.Map{
				object("cluster.x-k8s.io/v1beta2", "Cluster", "capa", "mars"),
				object("infrastructure.cluster.x-k8s.io/v1beta2", "AWSCluster", "capa", "mars"),
			}},
		"management": {config.KindManagement, hub(nil), func(s config.Section, k *config.Kubeconfig) { s.(*config.Management).Kubeconfig = k }, []props.Map{
			object("v1", "Secret", "hypershift", management.EC2Secret),
			object("v1", "ConfigMap", "kube-public", "oidc-storage-provider-s3-config"),
		}},
		"management with the operator": {config.KindManagement, hub(&management.InstallArgs{}),
			func(s config.Section, k *config.Kubeconfig) { s.(*config.Management).Kubeconfig = k }, []props.Map{
				object("apps/v1", "Deployment", "hypershift", "operator"),
				object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "hypershift-operator"),
			}},
	} {
		var requests []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.HasPrefix(r.URL.Path, "/openapi/") || r.URL.Path == "/apis/"+hypershiftAPI {
				_, _ = w.Write([]byte("{}")) // every authenticated user may read these documents
				return
			}
			requests = append(requests, r.Method+" "+r.URL.Path)
			of := requestOf(r.Method, r.URL.Path)
			answer := map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{}}
			if of.verb != "list" {
				kinds := []string{"Cluster", "ConfigMap", "CustomResourceDefinition", "Deployment", "HostedCluster",
					"HostedControlPlane", "NodePool", "Secret"}
				for _, o := range c.objects {
					kinds = append(kinds, o.String("kind"))
				}
				kind := "Namespace"
				if i := slices.IndexFunc(kinds, func(one string) bool {
					return slices.Contains(strings.Split(r.URL.Path, "/"), strings.ToLower(one)+"s")
				}); i >= 0 {
					kind = kinds[i]
				}
				answer = map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{
					"namespace": of.namespace, "name": of.name, "uid": "1", "resourceVersion": "7",
					"managedFields": []any{map[string]any{
						"manager": "kubectl-edit", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
						"fieldsV1": map[string]any{"f:metadata": map[string]any{"f:labels": map[string]any{"f:team": map[string]any{}}}},
					}},
				}}
			}
			_ = json.NewEncoder(w).Encode(answer)
		}))
		t.Cleanup(server.Close)
		k := kubeconfigFor(t, server.URL)
		c.use(c.section, &config.Kubeconfig{})
		files, err := pko.Render([]pko.Stack{{Name: "dev", Text: []byte("config: {}"), Section: c.section}}, pko.Options{
			Image: "i", RoleARN: "r", Backend: "https://api.pulumi.com", Roles: true,
		})
		require.NoError(t, err, name)
		c.use(c.section, k)

		r := &reader{open: OpenSelected}
		uid, err := r.clusterUID(t.Context(), *k)
		require.NoError(t, err, name)
		guard := &foreignGuard{
			Guard: allowing{}, reader: r, kubeconfig: *k, say: func(string) {}, former: map[string]props.Map{},
			applied: map[string]props.Map{},
		}
		last := map[string]map[string]any{}
		for i, o := range c.objects {
			token := fmt.Sprintf("kubernetes:%s:%s", o.String("apiVersion"), o.String("kind"))
			urn := fmt.Sprintf("urn:pulumi:dev::hypershift-aws::%s::object-%d", token, i)
			last[urn] = o
			guard.AddPrior(urn, map[string]any{"__inputs": map[string]any(o)})
			guard.AddResource(stacks.Registered{
				Token:  token,
				Name:   fmt.Sprintf("object-%d", i),
				Inputs: map[string]any{"apiVersion": o["apiVersion"]},
			})
		}
		_ = r.identified(t.Context(), *k, uid, stacks.LastState{Stack: "dev", Kind: c.kind, Outputs: last})
		require.NoError(t, guard.Prepare("dev"), name)
		switch name {
		case "hosted cluster", "node pools":
			_, err = r.live(t.Context(), *k, "hosted", "demo")
		case "management with the operator":
			_, err = r.storedVersions(t.Context(), *k, []string{"hostedclusters.hypershift.openshift.io"})
		}
		require.NoError(t, err, name)
		if c.kind != config.KindManagement {
			r.alive(t.Context(), stacks.Dependent{Kind: c.kind, Section: c.section, Name: "demo", ManagementCluster: "1"})
		}
		require.GreaterOrEqual(t, len(requests), 1+2*len(c.objects), name)
		for _, made := range requests {
			method, path, _ := strings.Cut(made, " ")
			require.True(t, allowed(files[1].Objects, requestOf(method, path)), "%s: the roles do not allow %s", name, made)
			require.True(t, allowed(rights.For(c.section, "up").Roles("dev"), requestOf(method, path)),
				"%s: the roles of a user of up do not allow %s", name, made)
		}
	}
}
