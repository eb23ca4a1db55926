package pods_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/image"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/cloudstate"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/kubelet"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

const (
	stackImage    = "registry.example.com/hypershift-aws:v1"
	operatorImage = "pulumi/pulumi-kubernetes-operator:"
	stacksIn      = "pulumi-stacks"
	operatorIn    = "pulumi-kubernetes-operator"
)

// operated is a management cluster with the Pulumi Kubernetes Operator, and two stacks of which render pko has written
// the objects. The accounts of the stacks are in memory.
type operated struct {
	t *testing.T
	*harness.CLI
	cloud  *cloudstate.Bucket
	nodes  *kubelet.Kubelet
	client *rest.Config
	env    map[string]string
}

// newOperated starts all of it. The test is skipped without the operator.
func newOperated(t *testing.T) *operated {
	t.Helper()
	pko := filepath.Join(*apiserver.Folder, "pko")
	o := &operated{t: t, cloud: cloudstate.NewBucket(t), env: map[string]string{}}
	o.CLI = harness.NewCLI(t, t.TempDir())
	var seeds []offline.Seed
	for _, name := range []string{"Pulumi.yaml", "Pulumi.management.yaml", "Pulumi.demo.yaml"} {
		text, err := os.ReadFile(repo.Path("examples", "complete", name))
		require.NoError(t, err)
		text = regexp.MustCompile(`pullSecret: .*`).ReplaceAll(text, []byte("pullSecret: {env: PULL_SECRET}"))
		if name == "Pulumi.demo.yaml" {
			text = bytes.Replace(text, []byte("    network:\n"), []byte("    network:\n      interfaceEndpoints: []\n"), 1)
			text = bytes.Replace(text, []byte("config:\n"), []byte("config:\n  aws:maxRetries: {secure: \"v1:abc\"} # its plain value is in the Secret demo-config\n"), 1)
		}
		require.NoError(t, os.WriteFile(filepath.Join(o.Dir, name), text, 0o600))
	}
	for _, stack := range []string{"management", "demo"} {
		file, err := stacks.LoadFile(o.Dir, stack)
		require.NoError(t, err)
		seeds = append(seeds, stackfile.SeedsIn(file)...)
	}
	// Endpoints take two seconds, so that a process can be killed while one is created.
	slow, err := offline.ReadRehearsal(`{scale: 0.001, seconds: {"aws:ec2/vpcEndpoint:VpcEndpoint": 2000}}`)
	require.NoError(t, err)
	account, err := offline.Serve(offline.Options{Dir: o.OfflineDir(), Seeds: seeds, Rehearsal: slow})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	own := []string{
		"PULUMI_DEBUG_PROVIDERS=" + account.Providers(), podstack.PodAccount + "=" + o.Dir,
		harness.StateAfterEachStep, "PULUMI_SKIP_CHECKPOINTS=false", `PULL_SECRET={"auths":{}}`,
	}
	for _, variable := range append(o.cloud.Env, own...) {
		name, value, _ := strings.Cut(variable, "=")
		if name != "PULUMI_BACKEND_URL" { // the Stack's
			o.env[name] = value
		}
	}

	server := apiserver.Start(t, *apiserver.Folder)
	kubeconfig, err := server.Kubeconfig()
	require.NoError(t, err)
	o.client, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	stacked, operator := &kubelet.Image{
		Root:   t.TempDir(),
		Copied: []string{"/" + image.Workspace},
		Env:    imageEnv(t),
	}, &kubelet.Image{
		Root: pko, Shown: []string{"/agent", "/manager", "/tini"}, Entrypoint: []string{"/tini", "--"}}
	require.NoError(t, image.Assemble(stacked.Root, withPlugins(t)))
	group := schema.GroupVersion{Group: "auto.pulumi.com", Version: "v1alpha1"}
	o.nodes = kubelet.Start(t, kubelet.Options{
		Kubeconfig: kubeconfig, CA: server.CA(), Server: server.Address, Shared: []string{o.Dir},
		Image: func(reference string) *kubelet.Image {
			switch {
			case reference == stackImage:
				return stacked
			case strings.HasPrefix(reference, operatorImage):
				return operator
			}
			return nil
		},
		Arguments: func(args []string, address string) []string {
			if len(args) > 1 && args[1] == "/share/agent" {
				return []string{"--host", address}
			}
			return nil
		},
		Owned: []schema.GroupVersionResource{group.WithResource("updates"), group.WithResource("workspaces"), stackResource},
	})
	operator.Env = []string{"HTTPS_PROXY=" + o.nodes.Resolver()}
	o.apply(filepath.Join(pko, "install.yaml"))
	o.render()
	o.apply(filepath.Join(o.Dir, "objects", "00-namespace.yaml"))
	data := map[string]any{}
	for name, value := range o.env {
		data[name] = value
	}
	o.object(map[string]any{
		"apiVersion": "v1",
		"kind":       "Secret",
		"metadata":   map[string]any{"namespace": stacksIn, "name": "aws"},
		"stringData": data,
	})
	o.object(map[string]any{"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"namespace": stacksIn, "name": "demo-config"},
		"stringData": map[string]any{"aws.maxRetries": "7"}})
	return o
}

var (
	stackResource = schema.GroupVersionResource{Group: "pulumi.com", Version: "v1", Resource: "stacks"}
	podResource   = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// imageEnv returns the environment that the Containerfile gives the image.
func imageEnv(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(repo.Path("Containerfile"))
	require.NoError(t, err)
	stages := strings.Split(string(text), "\nFROM ")
	var environ []string
	for line := range strings.Lines(stages[len(stages)-1]) {
		if variables, is := strings.CutPrefix(line, "ENV "); is {
			environ = append(environ, strings.Fields(variables)...)
		}
	}
	require.NotEmpty(t, environ)
	return environ
}

// render writes the objects of the stacks.
func (o *operated) render() {
	o.t.Helper()
	o.Run("render", "pko", "objects", "--image", stackImage, "--role-arn", "arn:aws:iam::123456789012:role/stacks",
		"--backend", o.cloud.Backend,
		"--secrets-provider", o.cloud.SecretsProvider, "--env-secret", "aws")
}

// change changes the file of stack demo, and applies its object.
func (o *operated) change(before, after string) {
	o.t.Helper()
	o.Edit("demo", before, after)
	o.render()
	o.apply(filepath.Join(o.Dir, "objects", "demo.yaml"))
}

// apply applies the objects of a file, as kubectl does.
func (o *operated) apply(path string) {
	o.t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(o.t, err)
	for _, part := range bytes.Split(text, []byte("\n---\n")) {
		var object map[string]any
		require.NoError(o.t, yaml.Unmarshal(part, &object))
		if object != nil {
			o.object(object)
		}
	}
}

// object applies an object. A definition of a resource is awaited.
func (o *operated) object(object map[string]any) {
	o.t.Helper()
	u := &unstructured.Unstructured{Object: object}
	resource, _ := meta.UnsafeGuessKindToResource(u.GroupVersionKind())
	_, err := o.nodes.Objects().Resource(resource).Namespace(u.GetNamespace()).Apply(o.t.Context(), u.GetName(), u,
		metav1.ApplyOptions{
			FieldManager: "kubectl",
			Force:        true,
		})
	require.NoError(o.t, err, "%s %s", u.GetKind(), u.GetName())
	if u.GetKind() == "CustomResourceDefinition" {
		require.Eventually(o.t, func() bool {
			found, err := o.nodes.Objects().Resource(resource).Get(o.t.Context(), u.GetName(), metav1.GetOptions{})
			if err != nil {
				return false
			}
			conditions, _, _ := unstructured.NestedSlice(found.Object, "status", "conditions")
			return strings.Contains(fmt.Sprint(conditions), "status:True type:Established")
		}, time.Minute, 100*time.Millisecond)
	}
}

// reportedStatus is what a Stack reports.
type reportedStatus struct {
	Conditions []metav1.Condition
	LastUpdate *struct {
		Name, Type, State, Message string
		Failures                   int
		Generation                 int64
	}
	Outputs map[string]any
}

// stack returns a Stack's status. found is false if the Stack does not exist.
func (o *operated) stack(name string) (s reportedStatus, generation int64, found bool) {
	o.t.Helper()
	object, err := o.nodes.Objects().Resource(stackResource).Namespace(stacksIn).Get(o.t.Context(), name,
		metav1.GetOptions{})
	if err != nil {
		return s, 0, false
	}
	text, err := json.Marshal(object.Object["status"])
	require.NoError(o.t, err)
	require.NoError(o.t, json.Unmarshal(text, &s))
	return s, object.GetGeneration(), true
}

// patch changes a Stack by a merge patch.
func (o *operated) patch(name, patch string) {
	o.t.Helper()
	_, err := o.nodes.Objects().Resource(stackResource).Namespace(stacksIn).Patch(o.t.Context(), name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(o.t, err)
}

// settled waits until the operator has processed the present generation of a Stack, and returns its status.
func (o *operated) settled(name, state string) reportedStatus {
	o.t.Helper()
	var last reportedStatus
	require.Eventually(o.t, func() bool {
		s, generation, found := o.stack(name)
		last = s
		return found && s.LastUpdate != nil && s.LastUpdate.Generation == generation && s.LastUpdate.State == state
	}, 2*time.Minute, 100*time.Millisecond, "stack %s is not %s", name, state)
	return last
}

// table returns what `kubectl get -o wide` prints of a resource, but for the ages.
func (o *operated) table(resource schema.GroupVersionResource) string {
	o.t.Helper()
	client, err := rest.HTTPClientFor(o.client)
	require.NoError(o.t, err)
	url := fmt.Sprintf("%s/apis/%s/%s/namespaces/%s/%s", o.client.Host, resource.Group, resource.Version, stacksIn,
		resource.Resource)
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	require.NoError(o.t, err)
	request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	answer, err := client.Do(request)
	require.NoError(o.t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(o.t, err)
	require.NoError(o.t, answer.Body.Close())
	var table metav1.Table
	require.NoError(o.t, json.Unmarshal(text, &table))
	var lines []string
	for _, row := range table.Rows {
		var cells []string
		for i, cell := range row.Cells {
			if table.ColumnDefinitions[i].Type != "date" {
				cells = append(cells, fmt.Sprint(cell))
			}
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return strings.Join(lines, "\n")
}

// idle waits until a Stack has no pod. The objects have no new digest in what follows: the operator would use the pod
// that is being deleted.
func (o *operated) idle(name string) {
	o.t.Helper()
	require.Eventually(o.t, func() bool {
		_, err := o.nodes.Objects().Resource(podResource).Namespace(stacksIn).Get(o.t.Context(), name+"-workspace-0",
			metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, time.Minute, 100*time.Millisecond)
}

// reconcile requests an update of a Stack that has not changed, and waits until it has begun.
func (o *operated) reconcile(name string) {
	o.t.Helper()
	before, _, _ := o.stack(name)
	o.patch(name, fmt.Sprintf(`{"metadata":{"annotations":{"pulumi.com/reconciliation-request":"%d"}}}`, time.Now().Unix()))
	require.Eventually(o.t, func() bool {
		s, _, found := o.stack(name)
		return !found || s.LastUpdate.Name != before.LastUpdate.Name
	}, 2*time.Minute, 100*time.Millisecond)
}

// strike kills the engine, the program in front of it, the agent's container or the pod of stack demo.
func (o *operated) strike(victim string) {
	o.t.Helper()
	first := o.nodes.Process(stacksIn, "demo-workspace-0") // of the container
	require.NotZero(o.t, first)
	switch victim {
	case "pod":
		pods := o.nodes.Objects().Resource(podResource).Namespace(stacksIn)
		require.NoError(o.t, pods.Delete(o.t.Context(), "demo-workspace-0", metav1.DeleteOptions{
			GracePeriodSeconds: ptr.To(int64(0)),
		}))
		return
	case "container":
		require.NoError(o.t, syscall.Kill(first, syscall.SIGKILL))
		return
	}
	var struck bool
	for _, id := range podstack.Tree(first) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
		executable, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", id))
		name, rest, _ := strings.Cut(string(line), "\x00")
		isFront := filepath.Base(name) == "pulumi" && filepath.Base(executable) == "hypershift-aws"
		isEngine := filepath.Base(executable) == "pulumi" && strings.Contains(rest, "up")
		if victim == "front" && isFront || victim == "engine" && isEngine {
			require.NoError(o.t, syscall.Kill(id, syscall.SIGKILL))
			struck = true
		}
	}
	require.True(o.t, struck, "no %s runs", victim)
}
