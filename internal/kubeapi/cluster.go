// Package kubeapi reads objects of a real management cluster. It creates none: the engine creates this project's objects. It only writes
// the managers of fields.
package kubeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	capacrd "github.com/hypershift-aws/hypershift-aws/components/capa/crd"
)

// Cluster is a cluster's API.
type Cluster struct {
	client *http.Client
	host   *url.URL
}

// Open leads to the cluster of a kubeconfig's context: file "" is that of KUBECONFIG or else ~/.kube/config, and name ""
// the file's current context.
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
	return New(config)
}

// New returns the API of a client's config.
func New(config *rest.Config) (*Cluster, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing to talk to the management cluster: %w", err)
	}
	host, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("finding the management cluster's address: %w", err)
	}
	return &Cluster{client, host}, nil
}

// Get returns an object, nil if there is none. The kinds are those that stacks create, and Deployment.
func (c *Cluster) Get(ctx context.Context, kind, namespace, name string) (map[string]any, error) {
	path, err := pathOf(kind, namespace, name)
	if err != nil {
		return nil, err
	}
	object, err := c.get(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("reading %s %s/%s in the management cluster: %w", kind, namespace, name, err)
	}
	return object, nil
}

// List returns the objects of a kind in all namespaces.
func (c *Cluster) List(ctx context.Context, kind string) ([]map[string]any, error) {
	format, known := resources()[kind]
	if !known {
		return nil, fmt.Errorf("objects of kind %s are not read", kind)
	}
	list, err := c.get(ctx, strings.Replace(strings.TrimSuffix(format, "/%s"), "/namespaces/%s", "", 1))
	if err != nil {
		return nil, fmt.Errorf("listing objects of kind %s in the management cluster: %w", kind, err)
	}
	items, _ := list["items"].([]any)
	var objects []map[string]any
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

// Infrastructures returns by infra ID the clusters that live with the management cluster: its hosted clusters, as "namespace/name", and
// the management cluster itself, where it is OpenShift. It fails for a cluster without HyperShift.
func (c *Cluster) Infrastructures(ctx context.Context) (map[string]string, error) {
	list, err := c.get(ctx, "/apis/hypershift.openshift.io/v1beta1/hostedclusters")
	if err != nil {
		return nil, fmt.Errorf("listing the hosted clusters of the management cluster: %w", err)
	}
	if list == nil {
		return nil, errors.New("the cluster has no HostedClusters: it is not a management cluster")
	}
	var hosted struct {
		Items []struct {
			Metadata struct{ Namespace, Name string } `json:"metadata"`
			Spec     struct {
				InfraID string `json:"infraID"`
			} `json:"spec"`
		} `json:"items"`
	}
	if err := decode(list, &hosted); err != nil {
		return nil, fmt.Errorf("reading the hosted clusters of the management cluster: %w", err)
	}
	found := map[string]string{}
	for _, item := range hosted.Items {
		found[item.Spec.InfraID] = "HostedCluster " + item.Metadata.Namespace + "/" + item.Metadata.Name
	}
	own, err := c.get(ctx, "/apis/config.openshift.io/v1/infrastructures/cluster")
	if err != nil {
		return nil, fmt.Errorf("reading the infra ID of the management cluster: %w", err)
	}
	var infrastructure struct {
		Status struct {
			InfrastructureName string `json:"infrastructureName"`
		} `json:"status"`
	}
	if err := decode(own, &infrastructure); err != nil {
		return nil, fmt.Errorf("reading the infra ID of the management cluster: %w", err)
	}
	if name := infrastructure.Status.InfrastructureName; name != "" {
		found[name] = "the management cluster itself"
	}
	return found, nil
}

// decode reads a JSON object into a struct.
func decode(object map[string]any, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func (c *Cluster) get(ctx context.Context, path string) (map[string]any, error) {
	return c.ask(ctx, http.MethodGet, path, "", nil)
}

// ask sends a request and returns the response, nil if the object does not exist.
func (c *Cluster) ask(ctx context.Context, method, path, contentType string, body []byte) (map[string]any, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.host.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("%s, and no JSON: %w", response.Status, err)
	}
	message, _ := object["message"].(string)
	switch response.StatusCode {
	case http.StatusOK:
		return object, nil
	case http.StatusNotFound:
		return nil, nil
	}
	return nil, fmt.Errorf("%s: %s", response.Status, message)
}

// Close does nothing: connections end by themselves.
func (c *Cluster) Close() error { return nil }

func pathOf(kind, namespace, name string) (string, error) {
	format, known := resources()[kind]
	if !known {
		return "", fmt.Errorf("objects of kind %s are not read", kind)
	}
	return fmt.Sprintf(format, namespace, name), nil
}

// resources returns the paths of the kinds that are read.
func resources() map[string]string {
	paths := map[string]string{
		"HostedCluster": hypershiftAPI + "/namespaces/%s/hostedclusters/%s",
		"NodePool":      hypershiftAPI + "/namespaces/%s/nodepools/%s",
		"Secret":        "/api/v1/namespaces/%s/secrets/%s",
		"ConfigMap":     "/api/v1/namespaces/%s/configmaps/%s",
		"Namespace":     "/api/v1/namespaces%s/%s",
		"Deployment":    "/apis/apps/v1/namespaces/%s/deployments/%s",
	}
	for _, kind := range capacrd.Set.Kinds() {
		plural := strings.ToLower(kind.Kind) + "s"
		if identity, unplaced := strings.CutSuffix(plural, "ys"); unplaced { // identities are in no namespace
			paths[kind.Kind] = "/apis/" + kind.APIVersion + "/" + identity + "ies%s/%s"
			continue
		}
		paths[kind.Kind] = "/apis/" + kind.APIVersion + "/namespaces/%s/" + plural + "/%s"
	}
	return paths
}
