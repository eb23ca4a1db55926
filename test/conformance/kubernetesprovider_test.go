package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

// kubernetesPlugin is the Kubernetes provider that judges the offline cluster.
var kubernetesPlugin = flag.String("kubernetes-plugin", "", "a folder that has pulumi-resource-kubernetes, for the tests that compare the offline cluster with it")

// objectLife is the life of a stack with objects in a management cluster, its own resources in the account in memory.
type objectLife struct {
	name  string
	seeds []offline.Seed
	// owner is the config of another stack, which has the HostedCluster of a life of node pools. Default: none.
	owner string
	// installs are files of custom resource definitions that the API server has before; the offline cluster always has
	// them.
	installs []string
	steps    []objectStep
}

// objectStep is an update with a config, or what another client or an operator does to an object, followed by an
// update.
type objectStep struct {
	name   string
	config string
	edit   *objectEdit
	// failing is how the API server fails during the preview and the update: refusesConnections, or one of the offline
	// cluster's failures.
	failing string
}

// objectEdit is an update of an object by another client.
type objectEdit struct {
	kind, namespace, name, manager string
	change                         func(object props.Map)
	// whileDeleted makes the change once the object is being deleted, during the deletion of the stack.
	whileDeleted bool
}

// objectCluster is a cluster as another client sees it.
type objectCluster interface {
	// change updates an object as another client.
	change(edit objectEdit) error
	// get returns an object, nil if there is none.
	get(kind, namespace, name string) (props.Map, error)
	// fail makes the API server fail in a way; "" ends it.
	fail(t *testing.T, how string)
}

// refusesConnections is how an API server fails that is not there.
const refusesConnections = "refused"

// inMemoryCluster is the offline cluster of a stack.
type inMemoryCluster struct{ *enginetest.Stack }

func (c inMemoryCluster) change(edit objectEdit) error {
	return c.Clusters()[0].Edit(edit.kind, edit.namespace, edit.name, edit.manager, func(object map[string]any) {
		edit.change(object)
	})
}

func (c inMemoryCluster) get(kind, namespace, name string) (props.Map, error) {
	return c.Clusters()[0].Get(kind, namespace, name)
}

func (c inMemoryCluster) fail(t *testing.T, how string) {
	t.Helper()
	operators := offline.Operators{Unreachable: how != "", Failure: strings.TrimPrefix(how, refusesConnections)}
	require.NoError(t, c.Clusters()[0].SetOperators(operators))
}

// TestTheOfflineClusterIsLikeTheKubernetesProvider compares a life with objects in the offline cluster with the same
// life by pulumi-kubernetes on a real API server: what the engine did, what was refused, what the next preview and
// refresh would change, and each input and output in the state. What may differ is in testdata/kubernetesprovider.txt,
// with the reason.
func TestTheOfflineClusterIsLikeTheKubernetesProvider(t *testing.T) {
	t.Parallel()
	if *kubernetesPlugin == "" || *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the offline cluster against pulumi-kubernetes on a real API server: make conformance KUBERNETES_PLUGIN=FOLDER, which make kubernetes-plugin downloads or make kubernetes-provider builds")
	}
	_, err := os.Stat(filepath.Join(*kubernetesPlugin, "pulumi-resource-kubernetes"))
	require.NoError(t, err)
	resolved, err := filepath.EvalSymlinks(*kubernetesPlugin)
	require.NoError(t, err)
	built, err := os.ReadFile(filepath.Join(resolved, "VERSION"))
	if err != nil { // make kubernetes-plugin leaves a folder whose name has the version
		built = []byte(filepath.Base(resolved))
	}
	t.Logf("the provider is pulumi-kubernetes %s", built)
	allowed := readDifferences(t, "kubernetesprovider.txt", false)
	lives := objectLives(t)
	var compared atomic.Int32
	t.Run("lives", func(t *testing.T) {
		for _, life := range lives {
			t.Run(life.name, func(t *testing.T) {
				t.Parallel()
				double := liveWithObjects(t, life, false)
				real := liveWithObjects(t, life, true)
				for _, step := range slices.Sorted(maps.Keys(real.steps)) {
					assert.Equal(t, double.steps[step], real.steps[step],
						"%s: expected is the offline cluster's, actual the provider's", step)
				}
				allowed.requireEqual(t, double, real)
				compared.Add(1)
			})
		}
	})
	if int(compared.Load()) == len(lives) { // otherwise -run has selected some
		allowed.requireUsed(t)
	}
}

// engineErrors matches the errors in the engine's output.
var engineErrors = regexp.MustCompile(`(?m)^ +error: .*$`)

// liveWithObjects runs a life, by the provider on an API server of its own if provided is true, else in the offline
// cluster.
func liveWithObjects(t *testing.T, life objectLife, provided bool) lived {
	t.Helper()
	options := enginetest.Options{Seeds: life.seeds}
	var cluster objectCluster
	var live stacks.Live
	if provided {
		served := serveManagementCluster(t, life.installs)
		plugin, err := filepath.Abs(*kubernetesPlugin)
		require.NoError(t, err)
		options.Kubernetes, cluster = &enginetest.Kubernetes{Plugin: plugin, Kubeconfig: served.kubeconfig}, served
		live = served.live
	}
	stack := enginetest.New(t, stacks.Run, options)
	if life.owner != "" {
		stack.Configure(life.owner)
		stack.Up()
		if live == nil {
			live = harness.LiveOf(stack, nil)
		}
		options.Project, options.Beside = "pools", stack
		stack = enginetest.New(t, stacks.Options{Live: live}.Run, options)
	}
	if cluster == nil {
		cluster = inMemoryCluster{stack}
	}
	became := lived{steps: map[string][]string{}, properties: map[string]string{}}
	record := func(at string, changes enginetest.Changes, err error) {
		became.steps[at] = stepsOf(changes)
		if err != nil {
			became.steps[at] = append(became.steps[at], "refused")
			t.Logf("refused, by the provider %t: %s: %s", provided, at,
				strings.Join(engineErrors.FindAllString(err.Error(), -1), "\n"))
		}
	}
	var late []objectEdit
	for i, step := range life.steps {
		at := fmt.Sprintf("%02d %s", i+1, step.name)
		if step.config != "" {
			stack.Configure(step.config)
		}
		if step.edit != nil && step.edit.whileDeleted {
			late = append(late, *step.edit)
			continue
		}
		if step.edit != nil {
			require.NoError(t, cluster.change(*step.edit), "%s: provided %t", at, provided)
		}
		if step.failing != "" {
			cluster.fail(t, step.failing)
		}
		changes, err := stack.PreviewErr()
		record(at+", previewed before", changes, err)
		changes, err = stack.UpErr()
		record(at, changes, err)
		if i == 0 {
			require.NoError(t, err)
		}
		if step.failing != "" {
			cluster.fail(t, "")
			continue
		}
		if err == nil {
			became.steps[at+", refreshed"] = stepsOf(stack.Refresh())
			changes, err = stack.PreviewErr()
			record(at+", previewed", changes, err)
		}
		for key, value := range objectPropertiesOf(t, stack.State()) {
			became.properties[at+" "+key] = value
		}
	}
	ended := make(chan struct{})
	var editing sync.WaitGroup
	for _, edit := range late {
		editing.Go(func() { editOnceDeleted(t, cluster, edit, ended) })
	}
	stack.Unhook()
	changes, err := stack.DestroyErr(optdestroy.ContinueOnError())
	close(ended)
	editing.Wait()
	record("destroyed", changes, err)
	return became
}

// objectPropertiesOf returns the inputs and outputs of the objects, without those that are not set, what each API
// server makes for itself, and the status, which is its operators'.
func objectPropertiesOf(t *testing.T, state []apitype.ResourceV3) map[string]string {
	t.Helper()
	var pairs []string
	for _, r := range state {
		if r.Custom && strings.HasPrefix(string(r.Type), "aws:") && len(r.ID) > 8 {
			pairs = append(pairs, string(r.ID), "<"+r.URN.Name()+">")
		}
	}
	names := strings.NewReplacer(pairs...)
	found := map[string]string{}
	for _, r := range state {
		if !r.Custom || !strings.HasPrefix(string(r.Type), "kubernetes:") {
			continue
		}
		found[fmt.Sprintf("%s %s id", r.Type, r.URN.Name())] = string(r.ID)
		for where, properties := range map[string]map[string]any{"in": r.Inputs, "out": r.Outputs} {
			for name, value := range properties {
				if strings.HasPrefix(name, "__") || name == "id" || name == "status" || unset(value) {
					continue
				}
				if name == "metadata" {
					value = ownMetadata(t, value)
				}
				found[fmt.Sprintf("%s %s %s.%s", r.Type, r.URN.Name(), where, name)] = canonical(t, value, names)
			}
		}
	}
	return found
}

// ownMetadata returns an object's metadata without what the API server and the controllers of a cluster add.
func ownMetadata(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var metadata props.Map
	require.NoError(t, json.Unmarshal(text, &metadata))
	for _, key := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
		"finalizers"} {
		delete(metadata, key)
	}
	if annotations := metadata.Object("annotations"); annotations != nil {
		delete(annotations, "deployment.kubernetes.io/revision")
		metadata["annotations"] = map[string]any(annotations)
	}
	return map[string]any(metadata)
}
