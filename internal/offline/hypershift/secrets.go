package hypershift

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// writeAccess writes the kubeconfig and the password of the cluster into Secrets in its namespace. They are deleted
// with the cluster.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/manifests/manifests.go
func (g hostedClusterController) writeAccess() {
	status := g.status()
	kubeconfig, password := g.name+"-admin-kubeconfig", g.name+"-kubeadmin-password"
	g.writeSecret(kubeconfig, "kubeconfig", g.kubeconfig())
	status["kubeconfig"] = map[string]any{"name": kubeconfig}
	if g.spec.Object("configuration").Object("oauth") != nil {
		delete(status, "kubeadminPassword")
		return
	}
	groups := make([]string, 4)
	for i := range groups {
		groups[i] = ids.RandomOf("abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789", 5)
	}
	g.writeSecret(password, "password", strings.Join(groups, "-"))
	status["kubeadminPassword"] = map[string]any{"name": password}
}

// writeSecret creates a Secret with one key, unless there is one of that name.
func (g hostedClusterController) writeSecret(name, data, text string) {
	key := g.secretKey(name)
	if g.Get(key) != nil {
		return
	}
	g.Put(&store.Entry{Type: key.Token, ID: key.ID, Scope: key.Scope, Origin: store.ByOperator, CreatedAt: time.Now(),
		State: props.Map{
			"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
			"metadata": map[string]any{
				"name": name, "namespace": g.namespace, "uid": ids.UUID(), "creationTimestamp": ids.Timestamp(),
				"resourceVersion": "1",
				"ownerReferences": []any{map[string]any{"apiVersion": crd.APIVersion, "kind": crd.HostedCluster, "name": g.name,
					"uid": g.rec.State.Object("metadata").String("uid"), "controller": true, "blockOwnerDeletion": true}},
			},
			"data": map[string]any{data: base64.StdEncoding.EncodeToString([]byte(text))},
		}})
}

// kubeconfig returns a kubeconfig for the cluster's API, with a placeholder certificate.
func (g hostedClusterController) kubeconfig() string {
	endpoint := props.Map(g.apiServer())
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: cluster
  cluster:
    server: https://%s:%v
    certificate-authority-data: %[3]s
users:
- name: admin
  user:
    client-certificate-data: %[3]s
    client-key-data: %[3]s
contexts:
- name: admin
  context:
    cluster: cluster
    user: admin
    namespace: default
current-context: admin
`, endpoint.String("host"), endpoint.Number("port"), base64.StdEncoding.EncodeToString([]byte("offline")))
}

// parsed returns a time in the format of Kubernetes objects; the zero time if text is not one.
func parsed(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text)
	return t
}
