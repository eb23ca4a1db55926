// Package kubeapi reads objects of a real management cluster. It creates no objects, which the engine does; it only changes the managers of
// fields.
package kubeapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	capacrd "github.com/hypershift-aws/hypershift-aws/components/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

// Cluster is a cluster's API.
type Cluster struct {
	objects *dynamic.DynamicClient
	// server reads documents that are not objects.
	server rest.Interface
}

// Open returns the cluster of a kubeconfig's context: file "" means KUBECONFIG or else ~/.kube/config, and name "" the file's current
// context.
func Open(file, name string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if rest, home := strings.CutPrefix(file, "~/"); home {
		dir, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("finding the home of %s: %w", file, err)
		}
		file = filepath.Join(dir, rest)
	}
	rules.ExplicitPath = file
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of the management cluster: %w", err)
	}
	config = dynamic.ConfigFor(config)
	config.WarningHandler = rest.NoWarnings{} // the default handler writes to stderr
	config.QPS = -1                           // the server's priority and fairness limits requests; the default is 5 per second
	server, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("using the kubeconfig of the management cluster: %w", err)
	}
	return &Cluster{objects: dynamic.New(server), server: server}, nil
}

// Get returns an object, nil if there is none. The kinds are those that stacks create, and Deployment.
func (c *Cluster) Get(ctx context.Context, kind, namespace, name string) (map[string]any, error) {
	object, err := c.get(ctx, kind, namespace, name)
	if object == nil {
		return nil, err
	}
	return object.Object, err
}

func (c *Cluster) get(ctx context.Context, kind, namespace, name string) (*unstructured.Unstructured, error) {
	resource, err := resourceOf(kind)
	if err != nil {
		return nil, err
	}
	object, err := c.objects.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s/%s in the management cluster: %w", kind, namespace, name, err)
	}
	return object, nil
}

// List returns the objects of a kind in all namespaces; none if the cluster does not have the kind.
func (c *Cluster) List(ctx context.Context, kind string) ([]map[string]any, error) {
	resource, err := resourceOf(kind)
	if err != nil {
		return nil, err
	}
	list, err := c.objects.Resource(resource).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing objects of kind %s in the management cluster: %w", kind, err)
	}
	objects := make([]map[string]any, len(list.Items))
	for i := range list.Items {
		objects[i] = list.Items[i].Object
	}
	return objects, nil
}

// Infrastructures returns by infra ID the clusters of the management cluster: its hosted clusters, as "namespace/name", and the
// management cluster itself if it is OpenShift. It fails for a cluster without HyperShift.
func (c *Cluster) Infrastructures(ctx context.Context) (map[string]string, error) {
	kinds, err := c.Kinds(ctx, crd.APIVersion)
	if err != nil {
		return nil, err
	}
	if len(kinds) == 0 {
		return nil, errors.New("the cluster has no HostedClusters: it is not a management cluster")
	}
	hosted, err := c.List(ctx, crd.HostedCluster)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, object := range hosted {
		cluster := unstructured.Unstructured{Object: object}
		infraID, _, _ := unstructured.NestedString(object, "spec", "infraID")
		found[infraID] = "HostedCluster " + cluster.GetNamespace() + "/" + cluster.GetName()
	}
	own, err := c.Get(ctx, "Infrastructure", "", "cluster")
	if err != nil {
		return nil, fmt.Errorf("reading the infra ID of the management cluster: %w", err)
	}
	if infraID, _, _ := unstructured.NestedString(own, "status", "infrastructureName"); infraID != "" {
		found[infraID] = "the management cluster itself"
	}
	return found, nil
}

// Close does nothing: connections end by themselves.
func (c *Cluster) Close() error { return nil }

// read decodes a document of the server, or leaves into unchanged if the server does not have it.
func (c *Cluster) read(ctx context.Context, path string, into any) error {
	result := c.server.Get().AbsPath(path).Do(ctx)
	if err := result.Error(); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	text, err := result.Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// resourceOf returns the resource of a kind that is read.
func resourceOf(kind string) (schema.GroupVersionResource, error) {
	version, known := map[string]string{
		crd.HostedCluster: crd.APIVersion, crd.NodePool: crd.APIVersion,
		"Secret": "v1", "ConfigMap": "v1", "Namespace": "v1", "Deployment": "apps/v1", "Infrastructure": "config.openshift.io/v1",
	}[kind]
	for _, of := range capacrd.Set.Kinds() {
		if of.Kind == kind {
			version, known = of.APIVersion, true
		}
	}
	if !known {
		return schema.GroupVersionResource{}, fmt.Errorf("objects of kind %s cannot be read", kind)
	}
	resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(version, kind))
	return resource, nil
}
