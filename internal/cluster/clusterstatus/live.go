package clusterstatus

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// LiveReader reads objects of a management cluster.
type LiveReader interface {
	// Get and List have the signatures of ManagementCluster's.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
	List(ctx context.Context, kind, namespace string) ([]map[string]any, error)
	// Schemas has the signature of ManagementCluster's.
	Schemas(ctx context.Context) (map[string]map[string]any, error)
}

// ReadLive reads a hosted cluster, and the versions that the installed operator supports. What the caller may not read
// of the control plane and of the operator is left out.
func ReadLive(ctx context.Context, api LiveReader, namespace, name string) (*hostedcluster.Live, error) {
	live := &hostedcluster.Live{NodePools: map[string]map[string]any{}}
	var err error
	if live.HostedCluster, err = api.Get(ctx, crd.HostedCluster, namespace, name); err != nil {
		return nil, err
	}
	if live.SupportedVersions, err = supportedVersions(ctx, api); err != nil {
		return nil, err
	}
	if live.API, err = publishedAPI(ctx, api); err != nil {
		return nil, err
	}
	if live.HostedCluster == nil {
		return live, nil
	}
	live.ControlPlane, err = api.Get(ctx, crd.HostedControlPlane, crd.ControlPlaneNamespace(namespace, name), name)
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, err
	}
	live.APIServer, err = api.Get(ctx, "Deployment", crd.ControlPlaneNamespace(namespace, name), "kube-apiserver")
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, err
	}
	pools, err := api.List(ctx, crd.NodePool, namespace)
	if err != nil {
		return nil, err
	}
	for _, pool := range pools {
		if textAt(pool, "spec", "clusterName") == name {
			live.NodePools[textAt(pool, "metadata", "name")] = pool
		}
	}
	return live, nil
}

// publishedAPI returns the API that the server publishes, nil if it does not publish all of it, or if the caller may
// not read it.
func publishedAPI(ctx context.Context, api LiveReader) (hostedcluster.API, error) {
	published, err := api.Schemas(ctx)
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, err
	}
	server := NewServer(published)
	for _, kind := range []string{crd.HostedCluster, crd.NodePool} {
		if server.published(kind) == nil {
			return nil, nil //nolint:nilnil // the embedded API judges
		}
	}
	return server, nil
}

// supportedVersions reads the ConfigMap that HyperShift's operator publishes.
// Source: HyperShift's support/supportedversion, GetSupportedOCPVersions.
func supportedVersions(ctx context.Context, api LiveReader) ([]string, error) {
	published, err := api.Get(ctx, "ConfigMap", "hypershift", "supported-versions")
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, err
	}
	var list struct {
		Versions []string `json:"versions"`
	}
	if json.Unmarshal([]byte(textAt(published, "data", "supported-versions")), &list) != nil {
		return nil, nil
	}
	return list.Versions, nil
}

// StoredVersions reads the versions in which the API server stores objects of custom resources, by the names of their
// definitions. A definition that it does not have is left out.
func StoredVersions(ctx context.Context, api LiveReader, definitions []string) (map[string][]string, error) {
	stored := map[string][]string{}
	for _, name := range definitions {
		object, err := api.Get(ctx, "CustomResourceDefinition", "", name)
		if err != nil {
			return nil, err
		}
		if versions, _, _ := unstructured.NestedStringSlice(object, "status", "storedVersions"); len(versions) > 0 {
			stored[name] = versions
		}
	}
	return stored, nil
}

// Running returns the objects of a hosted cluster that HyperShift's operators act on: the HostedCluster and its
// NodePools, unless they are paused. A NodePool is not paused with its HostedCluster. It is empty if there is no such
// cluster.
func Running(ctx context.Context, api LiveReader, namespace, name string) ([]string, error) {
	cluster, err := api.Get(ctx, crd.HostedCluster, namespace, name)
	if err != nil || cluster == nil {
		return nil, err
	}
	pools, err := api.List(ctx, crd.NodePool, namespace)
	if err != nil {
		return nil, err
	}
	var running []string
	add := func(kind string, object map[string]any) {
		until, set, _ := unstructured.NestedString(object, "spec", "pausedUntil")
		if paused(until) {
			return
		}
		text := kind + " " + namespace + "/" + textAt(object, "metadata", "name")
		if set {
			text += fmt.Sprintf(" with spec.pausedUntil: %q", until)
		}
		running = append(running, text)
	}
	add(crd.HostedCluster, cluster)
	for _, pool := range pools {
		if textAt(pool, "spec", "clusterName") == name {
			add(crd.NodePool, pool)
		}
	}
	return running, nil
}

// paused reports whether HyperShift's operators leave an object alone for good that has this spec.pausedUntil: a
// boolean, as strconv.ParseBool reads it. A date ends the pause, by the clock of the operators, which nothing here can
// read, so an object with a date counts as one that runs. The operators ignore any other value.
// Source: HyperShift's support/util, ProcessPausedUntilField.
func paused(until string) bool {
	yes, err := strconv.ParseBool(until)
	return err == nil && yes
}
