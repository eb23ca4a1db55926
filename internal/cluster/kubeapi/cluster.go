// Package kubeapi reads objects of a real management cluster. It creates no objects, which the engine does; it only
// changes the managers of fields.
package kubeapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Cluster is a cluster's API.
type Cluster struct {
	objects *dynamic.DynamicClient
	// server reads documents that are not objects.
	server rest.Interface
	// noted has errors that the client does not return, because it tries again until its time is up.
	noted *notes
	// tell tells the user what the client waits for, and stop is closed when the user wants to stop.
	tell func(sentence string)
	stop <-chan struct{}
	// address is the server's URL, and its CA or the CA's file.
	address string
	// schemas are those that Schemas has read, nil before.
	schemas struct {
		mu   sync.Mutex
		read map[string]map[string]any
	}
	// rules are what the caller may do.
	rules userRules
	// expired returns why the client's certificate is not valid now, nil if it is or if there is none.
	expired func() error
}

// answered adds what the server had answered so far to the error of a read that timed out, to that of a user whom the
// server does not know that the user's certificate is not valid, and to that of a request without TLS that it has none.
func (c *Cluster) answered(ctx context.Context, err error) error {
	if apierrors.IsUnauthorized(err) {
		return errors.Join(err, c.expired())
	}
	if host, _, _ := strings.Cut(c.address, "\n"); apierrors.IsBadRequest(err) && !strings.HasPrefix(host, "https://") {
		return fmt.Errorf("%w; the server of the kubeconfig is %s, and most API servers are at https:// alone", err, host)
	}
	if ctx.Err() == nil {
		return err
	}
	if status := int(c.noted.status.Load()); status != 0 {
		return errors.Join(err, apierrors.NewGenericServerResponse(status, "get", schema.GroupResource{}, "", "", 0, true))
	}
	if broken := c.noted.broken.Load(); broken != nil {
		return errors.Join(err, broken)
	}
	return err
}

// Open returns the cluster of a kubeconfig's context, as kubeconfig.Select selects it for the environment of this
// process.
func Open(file, context string) (*Cluster, error) {
	selected, err := kubeconfig.Select(file, context, os.Getenv)
	if err != nil {
		return nil, err
	}
	return OpenSelected(selected)
}

// OpenSelected returns the cluster of a context.
func OpenSelected(selected kubeconfig.Selected) (*Cluster, error) {
	config, err := selected.RESTConfig()
	if err != nil {
		return nil, err
	}
	config = dynamic.ConfigFor(config)
	// the server's priority and fairness limits requests; the default is 5 per second
	config.QPS = -1
	proxy := config.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	c := &Cluster{
		noted: &notes{}, tell: func(string) {},
		address: strings.Join([]string{config.Host, config.CAFile, string(config.CAData)}, "\n"),
		expired: func() error { return expired(config) },
	}
	config.WarningHandlerWithContext = warnings{c, &sync.Map{}} // the default handler writes to stderr
	busy := sync.OnceFunc(func() {
		c.tell("the API server of the management cluster is too busy: it is asked again after the time that it names")
	})
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return noting{inner, c.noted, proxy, busy} })
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, selected.Unusable(err)
	}
	if plugin := credentialsPlugin(config); plugin != "" {
		client.Transport = waiting{client.Transport, plugin, installHint(config), c}
	}
	if config.ExecProvider != nil || config.AuthProvider != nil || config.BearerTokenFile != "" || config.CertFile != "" {
		client.Transport = renewing{client.Transport, config.BearerTokenFile}
	}
	server, err := rest.UnversionedRESTClientForConfigAndClient(config, client)
	if err != nil {
		return nil, selected.Unusable(err)
	}
	c.objects, c.server = dynamic.New(server), server
	return c, nil
}

// credentialsPlugin returns the name of what gets the credentials of a client while it sends a request: a plugin, or an
// auth provider, which asks an issuer; "" if the kubeconfig has them.
func credentialsPlugin(config *rest.Config) string {
	switch {
	case config.ExecProvider != nil:
		return config.ExecProvider.Command
	case config.AuthProvider != nil:
		return "auth-provider " + config.AuthProvider.Name
	}
	return ""
}

// installHint returns how the plugin of a kubeconfig is installed, in one line, "" if it does not say.
func installHint(config *rest.Config) string {
	if config.ExecProvider == nil {
		return ""
	}
	return strings.Join(strings.Fields(config.ExecProvider.InstallHint), " ")
}

// Attend sets what tells the user what the client waits for, and the channel that is closed when the user wants to
// stop; it then no longer waits for a plugin. It must be called before the first request.
func (c *Cluster) Attend(tell func(sentence string), stop <-chan struct{}) {
	c.tell, c.stop = tell, stop
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
	resource, err := resourceFor(kind)
	if err != nil {
		return nil, err
	}
	return c.getAs(ctx, resource, kind, namespace, name)
}

// getAs returns an object of an API resource, nil if there is none.
func (c *Cluster) getAs(
	ctx context.Context,
	resource schema.GroupVersionResource,
	kind, namespace, name string,
) (*unstructured.Unstructured, error) {
	var object *unstructured.Unstructured
	err := c.whileServed(ctx, resource, func() (err error) {
		object, err = c.objects.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && object.GetKind() != kind {
			err = errNoServer
		}
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		of := clusterstatus.ObjectKey{Kind: kind, Namespace: namespace, Name: name}
		return nil, fmt.Errorf("reading %s in the management cluster: %w", &of, c.answered(ctx, err))
	}
	return object, nil
}

// List returns the objects of a kind in a namespace, "" for all namespaces; none if the cluster does not have the kind.
func (c *Cluster) List(ctx context.Context, kind, namespace string) ([]map[string]any, error) {
	resource, err := resourceFor(kind)
	if err != nil {
		return nil, err
	}
	var list *unstructured.UnstructuredList
	err = c.whileServed(ctx, resource, func() (err error) {
		list, err = c.objects.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err == nil && !strings.HasSuffix(list.GetKind(), "List") {
			err = errNoServer
		}
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing objects of kind %s in the management cluster: %w", kind, c.answered(ctx, err))
	}
	objects := make([]map[string]any, len(list.Items))
	for i := range list.Items {
		objects[i] = list.Items[i].Object
	}
	return objects, nil
}

// clusterAPIVersions are the versions of Cluster API's Clusters that a management cluster may serve. HyperShift's may
// serve only the older.
var clusterAPIVersions = [...]string{capacrd.CoreVersion, "cluster.x-k8s.io/v1beta1"}

// Infrastructures returns by infra ID the clusters of the management cluster: its Clusters of Cluster API, by whose
// names AWS's resources are tagged, its hosted clusters, and the management cluster itself if it is OpenShift. It fails
// for a cluster that has neither kind.
func (c *Cluster) Infrastructures(ctx context.Context) (map[string]string, error) {
	found := map[string]string{}
	managed := false
	for _, version := range clusterAPIVersions {
		list, err := c.objects.Resource(schema.FromAPIVersionAndKind(version,
			"").GroupVersion().WithResource("clusters")).List(ctx, metav1.ListOptions{})
		if isUnknown(err) {
			if _, none := c.groups(ctx); none != nil {
				return nil, none
			}
		}
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing Clusters of %s in the management cluster: %w", version, err)
		}
		managed = true
		for _, cluster := range list.Items {
			found[cluster.GetName()] = "Cluster " + cluster.GetNamespace() + "/" + cluster.GetName()
		}
	}
	kinds, err := c.Kinds(ctx, crd.APIVersion)
	if err != nil {
		return nil, err
	}
	if len(kinds) == 0 && !managed {
		return nil, errors.New("the cluster has neither HostedClusters nor Clusters: it is not a management cluster")
	}
	hosted, err := c.List(ctx, crd.HostedCluster, "")
	if err != nil {
		return nil, err
	}
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

// read decodes a document of the server, or leaves into unchanged if the server does not have it. It fails if what
// answers is no API server.
func (c *Cluster) read(ctx context.Context, path string, into any) error {
	result := c.server.Get().AbsPath(path).Do(ctx)
	err := result.Error()
	if isUnknown(err) && path != groupsPath {
		_, err = c.groups(ctx)
		return err
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := result.Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// installedKinds are the API versions of the further kinds in the render of HyperShift's operator.
var installedKinds = map[string]string{
	"CustomResourceDefinition": "apiextensions.k8s.io/v1", "PriorityClass": "scheduling.k8s.io/v1", "ServiceAccount": "v1",
	"Service":     "v1",
	"ClusterRole": "rbac.authorization.k8s.io/v1", "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
	"Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1",
	"MutatingWebhookConfiguration":   "admissionregistration.k8s.io/v1",
	"ValidatingWebhookConfiguration": "admissionregistration.k8s.io/v1",
	"ServiceMonitor":                 "monitoring.coreos.com/v1", "PodMonitor": "monitoring.coreos.com/v1",
	"PrometheusRule": "monitoring.coreos.com/v1",
}

// resourceFor returns the API resource for a kind; it supports only the kinds that this program reads.
func resourceFor(kind string) (schema.GroupVersionResource, error) {
	version, known := map[string]string{
		crd.HostedCluster: crd.APIVersion, crd.NodePool: crd.APIVersion,
		crd.HostedControlPlane: crd.APIVersion, crd.EndpointService: crd.APIVersion, "Machine": "cluster.x-k8s.io/v1beta1",
		crd.BackupStorageLocation: crd.VeleroAPIVersion,
		"Secret":                  "v1", "ConfigMap": "v1", "Namespace": "v1", "Node": "v1", "Deployment": "apps/v1",
		"ResourceQuota":  "v1",
		"Infrastructure": "config.openshift.io/v1",
	}[kind]
	if installed := installedKinds[kind]; installed != "" {
		version, known = installed, true
	}
	for _, of := range slices.Concat(clusterstatus.ControlPlaneKinds(), capacrd.Set.Kinds(), crd.Velero.Kinds()) {
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

// Delete implements ManagementCluster.
func (c *Cluster) Delete(ctx context.Context, kind, namespace, name, uid string) error {
	resource, err := resourceFor(kind)
	if err != nil {
		return err
	}
	err = c.whileServed(ctx, resource, func() error {
		return c.objects.Resource(resource).Namespace(namespace).Delete(ctx, name, metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(uid),
		})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s %s/%s in the management cluster: %w", kind, namespace, name, c.answered(ctx, err))
	}
	return nil
}

// DryDelete implements ManagementCluster.
func (c *Cluster) DryDelete(ctx context.Context, kind, namespace, name string) error {
	resource, err := resourceFor(kind)
	if err != nil {
		return err
	}
	return c.objects.Resource(resource).Namespace(namespace).Delete(ctx, name, metav1.DeleteOptions{
		DryRun: []string{metav1.DryRunAll},
	})
}

// RemoveFinalizer implements ManagementCluster. The request tests the UID and the finalizers that it was made from, so
// that one that another client adds at the same time stays; what else changes in the object, such as its status, does
// not matter.
func (c *Cluster) RemoveFinalizer(ctx context.Context, kind, namespace, name, uid, finalizer string) error {
	object, err := c.get(ctx, kind, namespace, name)
	if err != nil {
		return err
	}
	doing := fmt.Sprintf("removing the finalizer %s from %s %s/%s in the management cluster", finalizer, kind, namespace,
		name)
	if object == nil || string(object.GetUID()) != uid {
		return fmt.Errorf("%s: the object has been deleted since it was read", doing)
	}
	now := object.GetFinalizers()
	if !slices.Contains(now, finalizer) {
		return nil
	}
	body, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": uid},
		{"op": "test", "path": "/metadata/finalizers", "value": now},
		{"op": "replace", "path": "/metadata/finalizers", "value": slices.DeleteFunc(slices.Clone(now), func(one string) bool { return one == finalizer })},
	})
	if err != nil {
		return err
	}
	resource, _ := resourceFor(kind) // an object of the kind was read
	_, err = c.objects.Resource(resource).Namespace(namespace).Patch(ctx, name, types.JSONPatchType, body,
		metav1.PatchOptions{FieldManager: Creator})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
