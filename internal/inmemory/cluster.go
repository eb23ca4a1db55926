package inmemory

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Cluster is a management cluster in memory. It must be closed.
type Cluster struct{ *offline.Cluster }

var (
	_ clusterstatus.ManagementCluster = Cluster{}
	_ preflight.Cluster               = Cluster{}
)

// Get implements ManagementCluster. The cluster has no pods: a deployment of an operator is available unless the operators were killed.
func (c Cluster) Get(_ context.Context, kind, namespace, name string) (map[string]any, error) {
	if err := c.Answers(); err != nil {
		return nil, err
	}
	if kind != "Deployment" {
		object, err := c.Cluster.Get(kind, namespace, name)
		if err != nil {
			return nil, err
		}
		whole, err := kubernetes.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		return whole.Object, nil
	}
	operators, err := c.Operators()
	if err != nil {
		return nil, err
	}
	available := int64(1)
	if operators.Killed {
		available = 0
	}
	return map[string]any{"status": map[string]any{"availableReplicas": available}}, nil
}

// Kinds returns the kinds of this program's own definitions.
func (c Cluster) Kinds(_ context.Context, apiVersion string) ([]string, error) {
	return offline.Kinds(apiVersion), c.Answers()
}

// List implements ManagementCluster.
func (c Cluster) List(_ context.Context, kind string) ([]map[string]any, error) {
	if err := c.Answers(); err != nil {
		return nil, err
	}
	var objects []map[string]any
	for _, object := range c.Objects() {
		if object.Kind == kind {
			objects = append(objects, object.Properties)
		}
	}
	return objects, nil
}

// Schemas implements ManagementCluster. The cluster has the kinds of this program's own definitions.
func (c Cluster) Schemas(context.Context) (map[string]map[string]any, error) {
	return map[string]map[string]any{crd.HostedCluster: nil, crd.NodePool: nil}, c.Answers()
}

// Infrastructures lists the HostedClusters by their infra IDs.
func (c Cluster) Infrastructures(context.Context) (map[string]string, error) {
	if err := c.Answers(); err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, object := range c.Objects() {
		if infraID, _, _ := unstructured.NestedString(object.Properties, "spec", "infraID"); object.Kind == "HostedCluster" && infraID != "" {
			found[infraID] = "HostedCluster " + object.ID
		}
	}
	return found, nil
}

// Disown implements ManagementCluster.
func (c Cluster) Disown(_ context.Context, kind, namespace, name, manager string, field ...string) (bool, error) {
	object, err := c.Cluster.Get(kind, namespace, name)
	if err != nil {
		return false, err
	}
	if changed, err := kubeapi.RemoveManager(&unstructured.Unstructured{Object: object}, manager, field...); err != nil || len(changed) == 0 {
		return false, err
	}
	return true, c.Edit(kind, namespace, name, "hypershift-aws", func(object map[string]any) {
		_, _ = kubeapi.RemoveManager(&unstructured.Unstructured{Object: object}, manager, field...) // it has not failed above
	})
}

// OpenCluster opens the cluster of a kubeconfig, in a folder of offline accounts and clusters.
func OpenCluster(dir, file, context string) (Cluster, error) {
	cluster, err := offline.OpenCluster(dir, file, context)
	return Cluster{cluster}, err
}
