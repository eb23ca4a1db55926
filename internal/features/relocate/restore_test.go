package relocate

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// hostedCluster returns a HostedCluster whose field at a path has a value; "" changes none.
func hostedCluster(path string, value any) props.Map {
	object := map[string]any{
		"metadata": map[string]any{"name": "demo"},
		"spec": map[string]any{
			"infraID": "demo-x1", "clusterID": "1", "issuerURL": "https://issuer.example.com",
			"secretEncryption": map[string]any{
				"type": "kms", "kms": map[string]any{
					"aws": map[string]any{"activeKey": map[string]any{"arn": "arn:aws:kms:us-east-1:111111111111:key/a"}},
				},
			},
			"platform": map[string]any{"aws": map[string]any{
				"region": "us-east-1", "rolesRef": map[string]any{"ingressARN": "a"},
				"cloudProviderConfig": map[string]any{"vpc": "vpc-1"},
			}},
		},
	}
	parts := strings.Split(path, ".")
	at := object
	for _, part := range parts[:len(parts)-1] {
		at = at[part].(map[string]any)
	}
	if path != "" {
		at[parts[len(parts)-1]] = value
	}
	return object
}

func TestARestoredClusterIsTheStacksOnlyIfEachFieldThatNeverChangesIsTheSame(t *testing.T) {
	t.Parallel()
	finder := &Finder{Stack: &workspace.Stack{Name: "dev"}}
	key := &clusterstatus.ObjectKey{Kind: "HostedCluster", Namespace: "clusters", Name: "demo"}
	recorded := hostedCluster("", nil)
	require.NoError(t, finder.checkSame(key, recorded, hostedCluster("", nil)))
	require.NoError(t, finder.checkSame(key, recorded, hostedCluster("spec.release", "another release")),
		"a field that updates change")
	require.NoError(t, finder.checkSame(key, recorded,
		hostedCluster("spec.secretEncryption.kms.aws.activeKey.arn", "arn:aws:kms:us-east-1:111111111111:key/b")),
		"another key of the account")
	others := map[string]any{
		"metadata.deletionTimestamp":                  "2026-01-02T03:04:05Z",
		"spec.secretEncryption.kms.aws.activeKey.arn": "arn:aws:kms:us-east-1:222222222222:key/a",
		"spec.platform.aws.rolesRef":                  map[string]any{"ingressARN": "b"},
	}
	for _, path := range identifying() {
		if path := strings.Join(path, "."); others[path] == nil {
			others[path] = "another"
		}
	}
	for path, other := range others {
		err := finder.checkSame(key, recorded, hostedCluster(path, other))
		assert.Equal(t, failure.Refused, failure.ReasonOf(err), "%s: %v", path, err)
	}
}

// export is a stack's state: its provider of Kubernetes, its management cluster, and objects in it, of which one was
// not restored.
const export = `{"version": 3, "deployment": {"resources": [
	{"urn": "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev", "type": "pulumi:pulumi:Stack"},
	{"urn": "urn:pulumi:dev::p::pulumi:providers:kubernetes::management-cluster", "type": "pulumi:providers:kubernetes", "id": "1", "custom": true,
	 "inputs": {"kubeconfig": "old", "context": "old"}, "outputs": {"kubeconfig": "old", "context": "old"}},
	%s,
	%s]}}`

func object(kind, name, uid string) string {
	const provider = "urn:pulumi:dev::p::pulumi:providers:kubernetes::management-cluster::1"
	return fmt.Sprintf(`{"urn": "urn:pulumi:dev::p::kubernetes:hypershift.openshift.io/v1beta1:%[1]s::%[2]s", "custom": true, "id": "clusters/%[2]s",
	"type": "kubernetes:hypershift.openshift.io/v1beta1:%[1]s", "provider": %[4]q,
	"inputs": {"kind": %[1]q, "metadata": {"name": %[2]q, "namespace": "clusters"}},
	"outputs": {"kind": %[1]q, "metadata": {"name": %[2]q, "namespace": "clusters", "uid": %[3]q}}}`, kind, name, uid, provider)
}

func TestTheStateContinuesWithTheRestoredObjectsAndForgetsWhatWasNotRestored(t *testing.T) {
	t.Parallel()
	d, err := state.ParseExport(fmt.Appendf(nil, export, object("HostedCluster", "demo", "old"),
		object("ConfigMap", "lost", "old")))
	require.NoError(t, err)
	cluster := "urn:pulumi:dev::p::kubernetes:hypershift.openshift.io/v1beta1:HostedCluster::demo"
	found := &Restoration{
		Restored: takeover.Restored{Cluster: "demo", To: "new"}, kubeconfig: config.Kubeconfig{File: "new"},
		objects: map[string]map[string]any{cluster: {"metadata": map[string]any{"uid": "new", "generation": 7}}},
	}
	require.NoError(t, found.apply(d))
	kept := map[string]*state.Resource{}
	for _, r := range d.Resources {
		kept[r.URN.Name()] = r
	}
	require.Len(t, kept, 3)
	assert.NotContains(t, kept, "lost")
	assert.Equal(t, map[string]any{"kubeconfig": "new"}, maps.Clone(kept["management-cluster"].Inputs),
		"the context is the file's own")
	metadata := props.Map(kept["demo"].Outputs).Object("metadata")
	assert.Equal(t, "new", metadata["uid"])
	assert.EqualValues(t, 7, metadata["generation"])
	assert.Equal(t, "clusters", metadata["namespace"], "what the restore does not change")
}
