package test

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
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
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

	"github.com/hypershift-aws/hypershift-aws/internal/image"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/kubelet"
)

const (
	stackImage    = "registry.example.com/hypershift-aws:v1"
	operatorImage = "pulumi/pulumi-kubernetes-operator:"
	stacksIn      = "pulumi-stacks"
	operatorIn    = "pulumi-kubernetes-operator"
)

// operated is a management cluster with the Pulumi Kubernetes Operator, and two stacks of which fleet render-pko has written the objects. The
// accounts of the stacks are in memory.
type operated struct {
	t *testing.T
	*cli
	cloud  *cloudState
	nodes  *kubelet.Kubelet
	client *rest.Config
	env    map[string]string
}

// newOperated starts all of it. The test is skipped without the operator.
func newOperated(t *testing.T) *operated {
	t.Helper()
	pko := filepath.Join(*conformanceBin, "pko")
	o := &operated{t: t, cloud: newCloudState(t), env: map[string]string{}}
	o.cli = newCLI(t, t.TempDir())
	var seeds []offline.Seed
	for _, name := range []string{"Pulumi.yaml", "Pulumi.management.yaml", "Pulumi.demo.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "examples", "complete", name))
		require.NoError(t, err)
		text = regexp.MustCompile(`pullSecret: .*`).ReplaceAll(text, []byte("pullSecret: {env: PULL_SECRET}"))
		if name == "Pulumi.demo.yaml" {
			text = bytes.Replace(text, []byte("    network:\n"), []byte("    network:\n      interfaceEndpoints: []\n"), 1)
			text = bytes.Replace(text, []byte("config:\n"), []byte("config:\n  aws:maxRetries: {secure: \"v1:abc\"} # its plain value is in the Secret demo-config\n"), 1)
		}
		require.NoError(t, os.WriteFile(filepath.Join(o.dir, name), text, 0o600))
	}
	for _, stack := range []string{"management", "demo"} {
		file, err := stacks.LoadFile(o.dir, stack)
		require.NoError(t, err)
		seeds = append(seeds, seedsIn(file)...)
	}
	// Endpoints take two seconds, so that a process can be killed while one is created.
	slow, err := offline.ReadRehearsal(`{scale: 0.001, seconds: {"aws:ec2/vpcEndpoint:VpcEndpoint": 2000}}`)
	require.NoError(t, err)
	account, err := offline.Serve(offline.Options{Dir: o.offlineDir(), Seeds: seeds, Rehearsal: slow})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	for _, variable := range append(o.cloud.env, "PULUMI_DEBUG_PROVIDERS="+account.Providers(), podAccount+"="+o.dir, stateAfterEachStep, `PULL_SECRET={"auths":{}}`) {
		name, value, _ := strings.Cut(variable, "=")
		if name != "PULUMI_BACKEND_URL" { // the Stack's
			o.env[name] = value
		}
	}

	server := apiserver.Start(t, *conformanceBin)
	kubeconfig, err := server.Kubeconfig()
	require.NoError(t, err)
	o.client, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	stacked, operator := &kubelet.Image{Root: t.TempDir(), Copied: []string{"/" + image.Workspace}, Env: imageEnv(t)}, &kubelet.Image{
		Root: pko, Shown: []string{"/agent", "/manager", "/tini"}, Entrypoint: []string{"/tini", "--"}}
	require.NoError(t, image.Assemble(stacked.Root, image.Options{Binary: executable(t), EnginePath: enginetest.EnginePath(t), Project: "hypershift-aws"}))
	group := schema.GroupVersion{Group: "auto.pulumi.com", Version: "v1alpha1"}
	o.nodes = kubelet.Start(t, kubelet.Options{
		Kubeconfig: kubeconfig, CA: server.CA(), Server: server.Address, Shared: []string{o.dir},
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
	o.apply(filepath.Join(o.dir, "objects", "00-namespace.yaml"))
	data := map[string]any{}
	for name, value := range o.env {
		data[name] = value
	}
	o.object(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": stacksIn, "name": "aws"}, "stringData": data})
	o.object(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": stacksIn, "name": "demo-config"},
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
	text, err := os.ReadFile(filepath.Join("..", "Containerfile"))
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
	o.run("fleet", "render-pko", "objects", "--image", stackImage, "--role-arn", "arn:aws:iam::123456789012:role/stacks", "--backend", o.cloud.backend,
		"--secrets-provider", o.cloud.secretsProvider, "--env-secret", "aws")
}

// change changes the file of stack demo, and applies its object.
func (o *operated) change(before, after string) {
	o.t.Helper()
	o.edit("demo", before, after)
	o.render()
	o.apply(filepath.Join(o.dir, "objects", "demo.yaml"))
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
	_, err := o.nodes.Objects().Resource(resource).Namespace(u.GetNamespace()).Apply(o.t.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: "kubectl", Force: true})
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

// status is what a Stack reports.
type status struct {
	Conditions []metav1.Condition
	LastUpdate *struct {
		Name, Type, State, Message string
		Failures                   int
		Generation                 int64
	}
	Outputs map[string]any
}

// stack returns a Stack's status. found is false if the Stack does not exist.
func (o *operated) stack(name string) (s status, generation int64, found bool) {
	o.t.Helper()
	object, err := o.nodes.Objects().Resource(stackResource).Namespace(stacksIn).Get(o.t.Context(), name, metav1.GetOptions{})
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
	_, err := o.nodes.Objects().Resource(stackResource).Namespace(stacksIn).Patch(o.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(o.t, err)
}

// settled waits until the operator has processed the present generation of a Stack, and returns its status.
func (o *operated) settled(name, state string) status {
	o.t.Helper()
	var last status
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
	url := fmt.Sprintf("%s/apis/%s/%s/namespaces/%s/%s", o.client.Host, resource.Group, resource.Version, stacksIn, resource.Resource)
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

func TestThePulumiKubernetesOperatorRunsStacksThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(*conformanceBin, "pko", "manager")); *conformanceBin == "" || err != nil {
		t.Skip("NOT TESTED: stacks run by the Pulumi Kubernetes Operator, which needs its source: make conformance PKO=CHECKOUT")
	}
	if err := kubelet.Supported(); err != nil {
		t.Skipf("NOT TESTED: stacks run by the Pulumi Kubernetes Operator, whose containers this machine refuses: %v", err)
	}
	if runInOwnNetwork(t) {
		return
	}
	o := newOperated(t)
	t.Cleanup(func() {
		if t.Failed() {
			for _, pod := range []string{"controller-manager-0", "management-workspace-0", "demo-workspace-0"} {
				text, _ := os.ReadFile(o.nodes.Log(pod))
				t.Logf("log of %s:\n%s", pod, text[max(0, len(text)-6000):])
			}
		}
	})
	step := func(name string, run func(t *testing.T)) {
		t.Helper()
		if !t.Failed() {
			start := time.Now()
			t.Run(name, func(t *testing.T) {
				o.t, o.cli.t = t, t
				run(t)
				fmt.Printf("%s: %.0f s\n", name, time.Since(start).Seconds())
			})
		}
	}
	step("a cluster waits for its management stack", func(t *testing.T) {
		o.apply(filepath.Join(o.dir, "objects", "demo.yaml"))
		require.Eventually(t, func() bool {
			return strings.HasPrefix(o.table(stackResource), "demo demo <nil> <nil> False PrerequisiteNotSatisfied")
		}, time.Minute, 100*time.Millisecond)
	})
	step("both are created", func(t *testing.T) {
		o.apply(filepath.Join(o.dir, "objects", "management.yaml"))
		o.settled("management", "succeeded")
		s := o.settled("demo", "succeeded")
		require.Equal(t, "hcp.example.com", s.Outputs["externalDNSDomain"], "of the management stack")
		require.Regexp(t, "(?m)^demo demo succeeded <nil> True .*\nmanagement management succeeded <nil> True ", o.table(stackResource))
		state := o.cloud.object(".pulumi/stacks/hypershift-aws/demo.json")
		require.Contains(t, state, o.cloud.secretsProvider)
	})
	endpoint := func(service string) (before int) {
		t.Helper()
		before = len(madeIn(o.t, o.offlineDir()))
		o.change("interfaceEndpoints: [", "interfaceEndpoints: ["+service+", ")
		return before
	}
	step("a change in another pod", func(t *testing.T) {
		before := endpoint("sts")
		o.settled("demo", "succeeded")
		require.Greater(t, len(madeIn(t, o.offlineDir())), before)
		require.Contains(t, o.cloud.object(".pulumi/stacks/hypershift-aws/demo.json"), o.cloud.secretsProvider, "the key stays that of the creation")
	})
	step("a refused change", func(t *testing.T) {
		const other = "        - {zone: us-east-1b, autoScaling: {min: 1, max: 3}}\n"
		before := madeIn(t, o.offlineDir())
		o.edit("demo", other, "")
		o.change("[us-east-1a, us-east-1b]", "[us-east-1a]")
		s := o.settled("demo", "failed")
		require.Contains(t, s.LastUpdate.Message, "this plan replaces or deletes resources that a running cluster depends on; nothing was changed")
		require.Contains(t, s.LastUpdate.Message, "set by   network.zones")
		require.Regexp(t, "(?m)^demo demo failed <nil> False RetryingAfterFailure ", o.table(stackResource))
		require.Equal(t, before, madeIn(t, o.offlineDir()))
		o.edit("demo", "        - {zone: us-east-1a, replicas: 2}\n", "        - {zone: us-east-1a, replicas: 2}\n"+other)
		o.change("[us-east-1a]", "[us-east-1a, us-east-1b]")
		o.settled("demo", "succeeded")
		require.Equal(t, before, madeIn(t, o.offlineDir()))
	})
	for _, victim := range []struct{ name, service, message string }{
		{"container", "ecr.api", "error reading from server: EOF"},
		{"pod", "ecr.dkr", "error reading from server: EOF"},
		{"engine", "ec2", "in progress: creating VPC endpoint network-endpoint-ec2"},
		{"front", "elasticloadbalancing", "signal: killed"},
	} {
		step("an update whose "+victim.name+" is killed", func(t *testing.T) {
			before := endpoint(victim.service)
			require.Eventually(t, func() bool { return len(madeIn(t, o.offlineDir())) > before }, time.Minute, 5*time.Millisecond)
			o.strike(victim.name)
			require.Contains(t, o.settled("demo", "failed").LastUpdate.Message, victim.message)
			o.settled("demo", "succeeded")
			require.Len(t, madeIn(t, o.offlineDir()), before+1, "the endpoint is created once")
			text, err := os.ReadFile(o.nodes.Log("demo-workspace-0"))
			require.NoError(t, err)
			require.Contains(t, string(text), "an earlier run was stopped while creating VPC endpoint network-endpoint-"+victim.service)
			require.NotContains(t, strings.Join(o.cloud.keys(), " "), "/runs/")
		})
	}
	step("drift", func(t *testing.T) {
		o.idle("demo")
		made := madeIn(t, o.offlineDir())
		at := slices.IndexFunc(made, func(r offline.Resource) bool {
			return r.Type == "aws:ec2/vpcEndpoint:VpcEndpoint" && r.Properties["serviceName"] == "com.amazonaws.us-east-1.sts"
		})
		require.GreaterOrEqual(t, at, 0)
		accounts, err := offline.Accounts(o.offlineDir())
		require.NoError(t, err)
		require.Len(t, accounts, 1)
		require.NoError(t, accounts[0].Remove(made[at].ID))
		require.Len(t, madeIn(t, o.offlineDir()), len(made)-1)
		o.reconcile("demo")
		o.settled("demo", "succeeded")
		require.Len(t, madeIn(t, o.offlineDir()), len(made))
	})
	for _, refused := range []struct{ stack, message string }{
		{"demo", "a destroy of stack demo deletes the cluster demo and all that runs on it; nothing was deleted\n  set `unprotected: true` in the stack's section"},
		{"management", "stack management is used by demo; nothing was changed"},
	} {
		step("a refused destroy of "+refused.stack, func(t *testing.T) {
			before := madeIn(t, o.offlineDir())
			o.idle(refused.stack)
			o.patch(refused.stack, `{"spec":{"destroyOnFinalize":true}}`)
			o.settled(refused.stack, "succeeded")
			o.idle(refused.stack)
			require.NoError(t, o.nodes.Objects().Resource(stackResource).Namespace(stacksIn).Delete(t.Context(), refused.stack, metav1.DeleteOptions{}))
			require.Contains(t, o.settled(refused.stack, "failed").LastUpdate.Message, refused.message)
			require.Equal(t, before, madeIn(t, o.offlineDir()))
		})
	}
	step("a destroy with consent", func(t *testing.T) {
		o.patch("demo", `{"spec":{"config":{"hypershift-aws:cluster":{"unprotected":true}}}}`)
		gone := func(name string) {
			require.Eventually(t, func() bool {
				_, _, found := o.stack(name)
				return !found
			}, 2*time.Minute, 300*time.Millisecond)
		}
		gone("demo")
		o.reconcile("management")
		gone("management")
		require.Empty(t, madeIn(t, o.offlineDir()))
		require.Eventually(t, func() bool {
			found, err := o.nodes.Objects().Resource(podResource).Namespace(stacksIn).List(t.Context(), metav1.ListOptions{})
			return err == nil && len(found.Items) == 0
		}, time.Minute, 300*time.Millisecond, "no pod is left")
	})
}

// idle waits until a Stack has no pod. The objects have no new digest in what follows: the operator would use the pod that is being deleted.
func (o *operated) idle(name string) {
	o.t.Helper()
	require.Eventually(o.t, func() bool {
		_, err := o.nodes.Objects().Resource(podResource).Namespace(stacksIn).Get(o.t.Context(), name+"-workspace-0", metav1.GetOptions{})
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
		require.NoError(o.t, pods.Delete(o.t.Context(), "demo-workspace-0", metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}))
		return
	case "container":
		require.NoError(o.t, syscall.Kill(first, syscall.SIGKILL))
		return
	}
	var struck bool
	for _, id := range tree(first) {
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

// keys returns the names of the bucket's objects.
func (c *cloudState) keys() []string {
	c.t.Helper()
	found, err := c.s3.ListObjectsV2(c.t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(stateBucket)})
	require.NoError(c.t, err)
	var keys []string
	for _, object := range found.Contents {
		keys = append(keys, *object.Key)
	}
	return keys
}
