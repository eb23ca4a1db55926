// Package kubelet takes the place of what turns objects of an API server into processes, for tests without a container
// engine: the controllers of StatefulSets, Deployments and owner references, the kubelet, and the DNS of Services.
// Containers are processes with their own mounts, process IDs and user on this machine, whose network they share: each
// pod has its own address of the loopback interface. It needs no root.
package kubelet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
)

// Options describe a node.
type Options struct {
	// Kubeconfig is an administrator's, CA the file of the API server's certificate, Server its address.
	Kubeconfig, CA, Server string
	// Image returns an image by its reference, nil if there is none.
	Image func(reference string) *Image
	// Shared are folders of this machine that every container can write to, under their own paths.
	Shared []string
	// Arguments returns what is added to a program's arguments because its pod has an address, and no network of its own.
	// May be nil.
	Arguments func(args []string, address string) []string
	// Owned are the resources besides the built-in ones whose objects are deleted with their owners.
	Owned []schema.GroupVersionResource
}

// Kubelet runs the pods of an API server.
type Kubelet struct {
	Options
	t       *testing.T
	ctx     context.Context
	objects dynamic.Interface
	// dir has the pods' files and logs.
	dir string
	// resolver is the address of an HTTP proxy for what dials Services by their names.
	resolver string

	mu        sync.Mutex
	pods      map[types.UID]*pod
	addresses int
}

var (
	podsResource         = corev1.SchemeGroupVersion.WithResource("pods")
	secretsResource      = corev1.SchemeGroupVersion.WithResource("secrets")
	servicesResource     = corev1.SchemeGroupVersion.WithResource("services")
	configMapsResource   = corev1.SchemeGroupVersion.WithResource("configmaps")
	accountsResource     = corev1.SchemeGroupVersion.WithResource("serviceaccounts")
	statefulSetsResource = appsv1.SchemeGroupVersion.WithResource("statefulsets")
	deploymentsResource  = appsv1.SchemeGroupVersion.WithResource("deployments")
)

// Start runs the pods of an API server until the test ends.
func Start(t *testing.T, o Options) *Kubelet {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	require.NoError(t, err)
	config.QPS, config.Burst = 200, 400
	ctx, cancel := context.WithCancel(context.Background())
	k := &Kubelet{Options: o, t: t, ctx: ctx, dir: t.TempDir(), pods: map[types.UID]*pod{}}
	k.objects, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	k.serveNames()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			k.tick()
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, p := range k.pods {
			p.kill()
			<-p.ended
		}
	})
	return k
}

// Objects returns a client of the API server.
func (k *Kubelet) Objects() dynamic.Interface { return k.objects }

// Resolver returns the address of an HTTP proxy that connects to Services by their names: a client in a container that
// is given no proxy finds none, because this machine's names are those of the containers.
func (k *Kubelet) Resolver() string { return k.resolver }

// Log returns the file with what the containers of pods of a name have printed.
func (k *Kubelet) Log(pod string) string { return filepath.Join(k.dir, pod+".log") }

// Process returns the ID of the first process of a pod's container, 0 if it does not run.
func (k *Kubelet) Process(namespace, name string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.pods {
		if p.object.Namespace != namespace || p.object.Name != name {
			continue
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.running {
			return c.Process.Pid
		}
	}
	return 0
}

// tick makes one round of what controllers and the kubelet do. What fails is done by a later round.
func (k *Kubelet) tick() {
	k.report("collecting garbage", k.collect())
	k.report("StatefulSets", k.statefulSets())
	k.report("Deployments", k.deployments())
	k.report("pods", k.syncPods())
}

func (k *Kubelet) report(what string, err error) {
	if err != nil && k.ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) &&
		!apierrors.IsAlreadyExists(err) {
		fmt.Fprintf(os.Stderr, "kubelet: %s: %v\n", what, err)
	}
}

// list returns the objects of a resource as the type that they have.
func list[T any](k *Kubelet, resource schema.GroupVersionResource) ([]T, error) {
	found, err := k.objects.Resource(resource).List(k.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", resource.Resource, err)
	}
	all := make([]T, len(found.Items))
	for i, item := range found.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &all[i]); err != nil {
			return nil, fmt.Errorf("reading %s %s: %w", resource.Resource, item.GetName(), err)
		}
	}
	return all, nil
}

// collect deletes objects whose owners no longer exist.
func (k *Kubelet) collect() error {
	all := map[schema.GroupVersionResource][]unstructured.Unstructured{}
	alive := map[types.UID]bool{}
	resources := append([]schema.GroupVersionResource{podsResource, secretsResource, servicesResource,
		statefulSetsResource, deploymentsResource}, k.Owned...)
	for _, resource := range resources { // owners are listed after what they own: none is missing that exists
		found, err := k.objects.Resource(resource).List(k.ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		all[resource] = found.Items
		for _, item := range found.Items {
			alive[item.GetUID()] = true
		}
	}
	for resource, items := range all {
		for _, item := range items {
			orphan := len(item.GetOwnerReferences()) > 0
			for _, owner := range item.GetOwnerReferences() {
				orphan = orphan && !alive[owner.UID]
			}
			if orphan && item.GetDeletionTimestamp() == nil {
				uid := item.GetUID()
				err := k.objects.Resource(resource).Namespace(item.GetNamespace()).Delete(k.ctx, item.GetName(),
					metav1.DeleteOptions{
						Preconditions: &metav1.Preconditions{UID: &uid},
					})
				k.report("deleting "+resource.Resource+" "+item.GetName(), err)
			}
		}
	}
	return nil
}

// statefulSets creates the one pod of each StatefulSet, replaces it if the template has changed, and reports it.
func (k *Kubelet) statefulSets() error {
	sets, err := list[appsv1.StatefulSet](k, statefulSetsResource)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if set.DeletionTimestamp != nil {
			continue
		}
		template, err := json.Marshal(set.Spec.Template)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(template)
		revision := set.Name + "-" + hex.EncodeToString(sum[:5])
		p, err := k.pod(set.Namespace, set.Name+"-0")
		if err != nil {
			return err
		}
		status := appsv1.StatefulSetStatus{
			ObservedGeneration: set.Generation,
			UpdateRevision:     revision,
			CurrentRevision:    set.Status.CurrentRevision,
		}
		if status.CurrentRevision == "" {
			status.CurrentRevision = revision
		}
		switch {
		case p == nil:
			k.report("creating a pod", k.create(set.Namespace, set.Name+"-0", set.Spec.Template, map[string]string{
				appsv1.ControllerRevisionHashLabelKey: revision, appsv1.StatefulSetPodNameLabel: set.Name + "-0",
			}, metav1.OwnerReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: set.Name, UID: set.UID, Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true)}))
		case p.Labels[appsv1.ControllerRevisionHashLabelKey] != revision:
			status.Replicas = 1
			if p.DeletionTimestamp == nil {
				k.report("replacing a pod", k.objects.Resource(podsResource).Namespace(p.Namespace).Delete(k.ctx, p.Name, metav1.DeleteOptions{}))
			}
		default:
			status.Replicas = 1
			if ready(p) {
				status.ReadyReplicas, status.AvailableReplicas, status.CurrentRevision = 1, 1, revision
			}
		}
		k.report("the status of a StatefulSet", k.setStatus(statefulSetsResource, set.Namespace, set.Name, &set.Status, &status))
	}
	return nil
}

// deployments creates the one pod of each Deployment.
func (k *Kubelet) deployments() error {
	all, err := list[appsv1.Deployment](k, deploymentsResource)
	if err != nil {
		return err
	}
	for _, d := range all {
		p, err := k.pod(d.Namespace, d.Name+"-0")
		if err != nil {
			return err
		}
		if p == nil && d.DeletionTimestamp == nil {
			k.report("creating a pod", k.create(d.Namespace, d.Name+"-0", d.Spec.Template, nil,
				metav1.OwnerReference{
					APIVersion: "apps/v1",
					Kind:       "Deployment",
					Name:       d.Name,
					UID:        d.UID,
					Controller: ptr.To(true),
				}))
		}
	}
	return nil
}

// setStatus writes a status if it differs from the present one.
func (k *Kubelet) setStatus(resource schema.GroupVersionResource, namespace, name string, before, after any) error {
	var old, status map[string]any
	for value, fields := range map[any]*map[string]any{before: &old, after: &status} {
		text, err := json.Marshal(value)
		if err == nil {
			err = json.Unmarshal(text, fields)
		}
		if err != nil {
			return err
		}
	}
	if reflect.DeepEqual(old, status) {
		return nil
	}
	for name := range old {
		if _, kept := status[name]; !kept {
			status[name] = nil
		}
	}
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = k.objects.Resource(resource).Namespace(namespace).Patch(k.ctx, name, types.MergePatchType, patch,
		metav1.PatchOptions{}, "status")
	return err
}

// pod returns a pod, nil if there is none.
func (k *Kubelet) pod(namespace, name string) (*corev1.Pod, error) {
	found, err := k.objects.Resource(podsResource).Namespace(namespace).Get(k.ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p corev1.Pod
	return &p, runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, &p)
}

// create creates a pod on this node. The API server completes it.
func (k *Kubelet) create(
	namespace, name string,
	template corev1.PodTemplateSpec,
	labels map[string]string,
	owner metav1.OwnerReference,
) error {
	if err := k.publishCA(namespace); err != nil {
		return err
	}
	p := corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{}, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: template.Spec,
	}
	maps.Copy(p.Labels, template.Labels)
	maps.Copy(p.Labels, labels)
	p.Spec.NodeName, p.Spec.Hostname = "node", name
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&p)
	if err != nil {
		return err
	}
	_, err = k.objects.Resource(podsResource).Namespace(namespace).Create(k.ctx,
		&unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	return err
}

// publishCA creates the ConfigMap with the API server's certificate that pods mount.
func (k *Kubelet) publishCA(namespace string) error {
	text, err := os.ReadFile(k.CA)
	if err != nil {
		return err
	}
	_, err = k.objects.Resource(configMapsResource).Namespace(namespace).Create(k.ctx,
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "kube-root-ca.crt", "namespace": namespace},
			"data":     map[string]any{"ca.crt": string(text)},
		}}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func ready(p *corev1.Pod) bool {
	for _, condition := range p.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue && p.DeletionTimestamp == nil
		}
	}
	return false
}

// serveNames serves an HTTP proxy that connects to the ready pod of a Service, by the Service's name:
// NAME.NAMESPACE:PORT.
func (k *Kubelet) serveNames() {
	server := newProxy(func(host, port string) (string, error) {
		name, rest, _ := strings.Cut(host, ".")
		namespace, _, _ := strings.Cut(rest, ".")
		found, err := k.objects.Resource(servicesResource).Namespace(namespace).Get(k.ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", fmt.Errorf("no such host: %w", err)
		}
		selector, _, err := unstructured.NestedStringMap(found.Object, "spec", "selector")
		if err != nil {
			return "", err
		}
		pods, err := list[corev1.Pod](k, podsResource)
		if err != nil {
			return "", err
		}
		for _, p := range pods {
			if p.Namespace == namespace && ready(&p) && matches(p.Labels, selector) {
				return p.Status.PodIP + ":" + port, nil
			}
		}
		return "", fmt.Errorf("service %s has no ready pod", host)
	})
	k.resolver = server.URL
	k.t.Cleanup(server.Close)
}

func matches(labels, selector map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return true
}
