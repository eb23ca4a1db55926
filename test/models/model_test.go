package models

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// inheritedStack is the management stack from which prod inherits its key, its issuer and its domain.
const inheritedStack = "mgmt"

// modelManagement is its file.
const modelManagement = `config:
  aws:region: us-east-1
  hypershift-aws:kind: management
  hypershift-aws:management:
    unprotected: true
    oidcBucket: {name: model-oidc}
    operator: {identity: AccessKeys}
    zone: {domain: hcp.example.com}
    etcdKey: {alias: model}
    kubeconfig: {context: blue}
`

// modelCluster is a living cluster of a model, which commands must not harm.
type modelCluster struct {
	stack, kind, name, infraID string
	// management is the folder of its management cluster.
	management string
	// tool is true if another tool applies or made the cluster: its object is in no stack's state.
	tool bool
}

// modelClusters are the clusters of each model. Two have the same name in different management clusters.
var modelClusters = []modelCluster{
	{stack: "prod", kind: "HostedCluster", name: "demo", infraID: "prod-x1", management: "blue"},
	{stack: "staging", kind: "HostedCluster", name: "demo", infraID: "staging-x1", management: "green"},
	{stack: "gitops", kind: "HostedCluster", name: "web", infraID: "gitops-x1", management: "blue", tool: true},
	{stack: "byhand", kind: "HostedCluster", name: "hand", infraID: "byhand-x1", management: "blue", tool: true},
	{stack: "self", kind: "Cluster", name: "mars", infraID: "mars", management: "blue"},
}

// model is a project with two management clusters and the clusters in them, and what each living cluster stood on when
// it was last looked at.
type model struct {
	*harness.CLI
	t *testing.T
	// holds maps a stack to what its living cluster needs.
	holds map[string]holdings
	// objects are the UIDs of the living clusters' objects in the states of their stacks.
	objects map[string]string
	// named are the stacks whose cluster a command has named for its deletion: a process that is killed then leaves it
	// without protection.
	named map[string]bool
	// lost are the keys of the holdings that others have deleted.
	lost map[string]bool
	// stdout is what the last command has printed.
	stdout string
	// log is the sequence so far.
	log []string
}

func (m *model) offlineDir() string { return filepath.Join(m.Dir, ".hypershift-aws", "offline") }

func (m *model) path(of ...string) string { return filepath.Join(append([]string{m.Dir}, of...)...) }

// modelFile returns the stack file of a cluster, without a management cluster if another tool applies its objects.
func modelFile(c modelCluster, management string) string {
	if c.kind == "Cluster" {
		return "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: capa\n  hypershift-aws:capa:\n    name: " + c.name +
			"\n    kubernetesVersion: v1.33.4\n    topology: Public\n    network: {zones: [us-east-1a]}\n    kubeconfig: {context: " + c.management + "}\n"
	}
	text := fmt.Sprintf(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: %s
    infraID: %s
    baseDomain: %s.example.com
    endpointAccess: %s
    tags: {team: platform}
    network: {zones: [us-east-1a], nat: Single}
`, c.name, c.infraID, c.stack, cmp.Or(map[string]string{"staging": "Public"}[c.stack], "PublicAndPrivate"))
	if c.stack == "prod" {
		text += "    management: " + inheritedStack + "\n"
	} else {
		text += "    oidc: {bucketName: " + c.stack + "-oidc, bucketRegion: us-east-1}\n    kmsKeyARN: none\n"
	}
	if management != "" {
		text += "    hostedCluster:\n      kubeconfig: {context: " + management + "}\n      release: " + stackfile.Release +
			"\n      pullSecret: pull-secret.json\n"
	}
	if management != "" && c.stack == "staging" {
		text += "      etcdKey: etcd.key\n"
	}
	return text
}

func (m *model) write(stack, text string) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(m.path("Pulumi."+stack+".yaml"), []byte(text), 0o600))
}

var modelOnce sync.Once

// modelDir returns the folder of a project with all clusters, which no test may change. The first test that asks for it
// creates it.
func modelDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(harness.Dir, "model")
	modelOnce.Do(func() { createModel(t, dir) })
	require.FileExists(t, filepath.Join(dir, "complete"), "the test that created the model failed")
	return dir
}

func createModel(t *testing.T, dir string) {
	t.Helper()
	m := &model{CLI: harness.NewCLI(t, dir), t: t}
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(m.path("pull-secret.json"), []byte(`{"auths":{}}`), 0o600))
	m.writeEtcdKey("an etcd key of thirty-two bytes!")
	m.write(inheritedStack, modelManagement)
	m.Run("--offline", "-s", inheritedStack, "up", "--yes")
	for _, c := range modelClusters {
		m.write(c.stack, modelFile(c, ""))
		if c.tool {
			m.Run("--offline", "-s", c.stack, "up", "--yes")
		}
		network, _ := os.ReadFile(m.stateFile(c.stack))
		m.write(c.stack, modelFile(c, c.management))
		m.Run("--offline", "-s", c.stack, "up", "--yes")
		switch {
		case c.stack == "byhand": // no stack has it
			require.NoError(t, os.RemoveAll(m.stateFile(c.stack)))
			require.NoError(t, os.RemoveAll(m.path(".hypershift-aws", "offline", "work", c.stack)))
		case c.tool:
			require.NoError(t, os.WriteFile(m.stateFile(c.stack), network, 0o600))
			m.write(c.stack, modelFile(c, ""))
		}
	}
	require.NoError(t, os.WriteFile(m.path("complete"), nil, 0o600))
}

func (m *model) writeEtcdKey(text string) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(m.path("etcd.key"), []byte(base64.StdEncoding.EncodeToString([]byte(text))), 0o600))
}

// copyModel returns a copy of the project in dir.
func copyModel(t *testing.T, dir string) *model {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return &model{
		CLI:     harness.NewCLI(t, to),
		t:       t,
		holds:   map[string]holdings{},
		objects: map[string]string{},
		named:   map[string]bool{},
		lost:    map[string]bool{},
	}
}

// firstLook is the look at the first copy. All copies are equal.
var firstLook struct {
	sync.Mutex
	holds   map[string]holdings
	objects map[string]string
}

// newModel returns a copy of the project in dir, whose clusters have been looked at.
func newModel(t *testing.T, dir string) *model {
	t.Helper()
	m := copyModel(t, dir)
	firstLook.Lock()
	defer firstLook.Unlock()
	if firstLook.holds == nil {
		world := m.world()
		for _, c := range modelClusters {
			_, m.objects[c.stack] = m.inState(c.stack)
			m.holds[c.stack] = m.holdingsOf(c, world)
			require.Greater(t, len(m.holds[c.stack]), 30, c.stack)
		}
		firstLook.holds, firstLook.objects = m.holds, m.objects
	}
	m.objects = maps.Clone(firstLook.objects)
	m.holds = map[string]holdings{}
	for stack, held := range firstLook.holds {
		m.holds[stack] = maps.Clone(held)
	}
	return m
}

func (m *model) stateFile(stack string) string {
	return m.path(".hypershift-aws", "offline", "state", ".pulumi", "stacks", "hypershift-aws", stack+".json")
}

// clusterOf opens the management cluster that has a cluster, wherever its folder is.
func (m *model) clusterOf(c modelCluster, act func(*kubernetes.Cluster)) {
	m.t.Helper()
	cluster, err := offline.OpenCluster(m.offlineDir(), "", m.folderOf(c.management))
	require.NoError(m.t, err)
	act(cluster)
	require.NoError(m.t, cluster.Close())
}

// folderOf returns the folder in which a management cluster is: the contexts may be exchanged.
func (m *model) folderOf(management string) string {
	if !m.exchanged() {
		return management
	}
	return map[string]string{"blue": "green", "green": "blue"}[management]
}

func (m *model) exchanged() bool {
	_, err := os.Stat(m.path("exchanged"))
	return err == nil
}

// exchange exchanges the two management clusters, as a kubeconfig whose contexts select others would.
func (m *model) exchange() {
	m.t.Helper()
	clusters := filepath.Join(m.offlineDir(), "clusters")
	for _, move := range [][2]string{{"blue", "other"}, {"green", "blue"}, {"other", "green"}} {
		require.NoError(m.t, os.Rename(filepath.Join(clusters, move[0]), filepath.Join(clusters, move[1])))
	}
	if m.exchanged() {
		require.NoError(m.t, os.Remove(m.path("exchanged")))
	} else {
		require.NoError(m.t, os.WriteFile(m.path("exchanged"), nil, 0o600))
	}
	m.log = append(m.log, "the contexts are exchanged")
}

// do runs a command and then looks at every living cluster: see call.
func (m *model) do(deletes []string, env []string, args ...string) (stderr string, code int) {
	m.t.Helper()
	stderr, code, mayDie := m.call(deletes, env, args...)
	m.look(mayDie)
	return stderr, code
}

// call runs a command. deletes are the stacks whose clusters the command names: such a cluster may die if its
// stack's state has it and the kubeconfig selects its own management cluster.
func (m *model) call(deletes []string, env []string, args ...string) (stderr string, code int, mayDie map[string]bool) {
	m.t.Helper()
	mayDie = map[string]bool{}
	for _, stack := range deletes {
		_, object := m.inState(stack)
		mayDie[stack] = object != "" && !m.exchanged()
		m.named[stack] = true
	}
	m.log = append(m.log, strings.Join(append(slices.Clone(env), args...), " "))
	m.stdout, stderr, code = m.With(env...).Exit(append([]string{"--offline"}, args...)...)
	m.log[len(m.log)-1] += fmt.Sprintf(" -> %d", code)
	if slices.Contains(args, "forget") {
		clear(m.objects)
	}
	return stderr, code, mayDie
}

// operators sets how a management cluster answers.
func (m *model) operators(management string, o offline.Operators) {
	m.t.Helper()
	cluster, err := offline.OpenCluster(m.offlineDir(), "", m.folderOf(management))
	require.NoError(m.t, err)
	require.NoError(m.t, cluster.SetOperators(o))
	require.NoError(m.t, cluster.Close())
	m.log = append(m.log, fmt.Sprintf("management cluster %s: %+v", management, o))
}

// records is edited, and requires that something was.
func (m *model) records(change func(*store.Entry) bool) {
	m.t.Helper()
	require.NotZero(m.t, m.edited(change))
}

// edited replaces each resource of the accounts that change has changed, as a user of AWS would; change gets a copy,
// and reports whether it has changed it. It returns how many it has changed.
func (m *model) edited(change func(*store.Entry) bool) int {
	m.t.Helper()
	changed := 0
	accounts, err := offline.Accounts(m.offlineDir())
	require.NoError(m.t, err)
	for _, account := range accounts {
		require.NoError(m.t, account.Folder.Transact(func(t *store.Tx) error {
			for of := range t.Store.Records {
				for _, rec := range t.Store.List(of.Scope, of.Token) {
					edited := rec.Clone()
					if change(edited) {
						t.Put(edited)
						changed++
					}
				}
			}
			return nil
		}))
		require.NoError(m.t, account.Close())
	}
	return changed
}

// stop stops the nodes of a cluster, as hibernation does.
func (m *model) stop(c modelCluster) {
	m.t.Helper()
	require.NotZero(m.t, m.stopNodes(c))
}

// stopNodes is stop for a cluster that may have no nodes; it returns how many there are.
func (m *model) stopNodes(c modelCluster) int {
	m.t.Helper()
	stopped := m.edited(func(rec *store.Entry) bool {
		if rec.Type != awstype.Instance || !strings.Contains(fmt.Sprint(rec.State), c.infraID) {
			return false
		}
		rec.State["instanceState"] = "stopped"
		return true
	})
	m.again(c, "the nodes of "+c.stack+" are stopped")
	return stopped
}

// scaleToZero removes the nodes of a hosted cluster.
func (m *model) scaleToZero(c modelCluster) {
	m.t.Helper()
	m.clusterOf(c, func(cluster *kubernetes.Cluster) {
		for _, o := range enginetest.ObjectsOf(m.t, cluster) {
			if _, name, _ := strings.Cut(o.ID, "/"); o.Kind == "NodePool" && strings.HasPrefix(name, c.name+"-") {
				require.NoError(m.t, cluster.Scale("NodePool", "clusters", name, 0))
			}
		}
	})
	m.again(c, "the cluster of "+c.stack+" is scaled to zero")
}

// again records what a cluster needs after a change outside of the commands.
func (m *model) again(c modelCluster, what string) {
	m.log = append(m.log, what)
	if m.holds[c.stack] != nil {
		delete(m.holds, c.stack)
		m.holds[c.stack] = m.holdingsOf(c, m.world())
	}
}

func modelClusterOf(stack string) modelCluster {
	return modelClusters[slices.IndexFunc(modelClusters, func(c modelCluster) bool { return c.stack == stack })]
}
