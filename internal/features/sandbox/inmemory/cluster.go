package inmemory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Cluster is a management cluster in memory. It must be closed.
type Cluster struct{ *offline.Cluster }

var (
	_ clusterstatus.ManagementCluster = Cluster{}
)

// Get implements ManagementCluster. The cluster has no pods: a deployment of an operator is available unless the
// operators were killed, also if no stack has installed it; then it has no metadata.
func (c Cluster) Get(_ context.Context, kind, namespace, name string) (map[string]any, error) {
	if err := c.Answers(); err != nil {
		return nil, err
	}
	if kind == "ConfigMap" && namespace == "hypershift" && name == "supported-versions" {
		return map[string]any{"data": map[string]any{"supported-versions": hypershift.SupportedVersionsJSON()}}, nil
	}
	if kind == crd.BackupStorageLocation {
		return kubernetes.BackupStorage(namespace, name), nil
	}
	object, err := c.Cluster.Get(kind, namespace, name)
	if err != nil || object == nil && kind != "Deployment" {
		return nil, err
	}
	whole, err := kubernetes.ToUnstructured(object)
	if err != nil || kind != "Deployment" {
		return whole.Object, err
	}
	operators, err := c.Operators()
	if err != nil {
		return nil, err
	}
	switch {
	case object == nil && operators.Killed:
		return map[string]any{"status": map[string]any{"availableReplicas": int64(0)}}, nil
	case object == nil:
		return map[string]any{"status": map[string]any{"availableReplicas": int64(1)}}, nil
	case operators.Killed:
		unstructured.RemoveNestedField(whole.Object, "status", "availableReplicas")
	}
	return whole.Object, nil
}

// ClusterUID returns the UID of namespace kube-system, "" if the rehearsal says that it may not be read.
func (c Cluster) ClusterUID(context.Context) (string, error) {
	uid, err := c.UID()
	if apierrors.IsForbidden(err) {
		return "", nil
	}
	return uid, err
}

// Address returns the cluster's name and, in place of a CA, what tells it from one of that name in another folder.
func (c Cluster) Address() string { return c.Name() + "\n" + c.Mark() }

// Kinds returns the kinds of this program's own definitions.
func (c Cluster) Kinds(_ context.Context, apiVersion string) ([]string, error) {
	return offline.Kinds(apiVersion), c.Answers()
}

// List implements ManagementCluster.
func (c Cluster) List(_ context.Context, kind, namespace string) ([]map[string]any, error) {
	if err := c.Answers(); err != nil {
		return nil, err
	}
	var objects []map[string]any
	all, err := c.Objects()
	for _, object := range all {
		if of, _, _ := strings.Cut(object.ID, "/"); object.Kind == kind && (namespace == "" || of == namespace) {
			whole, err := kubernetes.ToUnstructured(object.Properties)
			if err != nil {
				return nil, err
			}
			objects = append(objects, whole.Object)
		}
	}
	return objects, err
}

// Schemas implements ManagementCluster. The cluster has the kinds of this program's own definitions.
func (c Cluster) Schemas(context.Context) (map[string]map[string]any, error) {
	return map[string]map[string]any{crd.HostedCluster: nil, crd.NodePool: nil}, c.Answers()
}

// Infrastructures lists the HostedClusters by their infra IDs, and the Clusters of Cluster API by their names.
func (c Cluster) Infrastructures(context.Context) (map[string]string, error) {
	if err := c.Answers(); err != nil {
		return nil, err
	}
	found := map[string]string{}
	all, err := c.Objects()
	for _, object := range all {
		if _, name, _ := strings.Cut(object.ID, "/"); object.Kind == "Cluster" {
			found[name] = "Cluster " + object.ID
		}
		if infraID, _, _ := unstructured.NestedString(object.Properties, "spec",
			"infraID"); object.Kind == "HostedCluster" && infraID != "" {
			found[infraID] = "HostedCluster " + object.ID
		}
	}
	return found, err
}

// Disown implements ManagementCluster.
func (c Cluster) Disown(_ context.Context, kind, namespace, name, manager string, field ...string) (bool, error) {
	object, err := c.Cluster.Get(kind, namespace, name)
	if err != nil {
		return false, err
	}
	if changed, err := kubeapi.RemoveManager(&unstructured.Unstructured{Object: object}, manager, field...); err != nil ||
		len(changed) == 0 {
		return false, err
	}
	return true, c.Edit(kind, namespace, name, "hypershift-aws", func(object map[string]any) {
		_, _ = kubeapi.RemoveManager(&unstructured.Unstructured{Object: object}, manager, field...) // it has not failed above
	})
}

// Allowed implements ManagementCluster: the offline cluster has one user, who may do everything unless a rehearsal
// restricts it to reading.
func (c Cluster) Allowed(_ context.Context, p clusterstatus.Permission) (bool, error) {
	how, err := c.Operators()
	if err == nil {
		err = c.Answers()
	}
	return !how.ReadOnly || slices.Contains([]string{"get", "list", "watch"}, p.Verb), err
}

// DryDelete implements ManagementCluster: no webhook of the offline cluster refuses a deletion.
func (c Cluster) DryDelete(_ context.Context, kind, namespace, name string) error {
	object, err := c.Cluster.Get(kind, namespace, name)
	if err == nil && object == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, name)
	}
	return err
}

// DryApply implements ManagementCluster.
func (c Cluster) DryApply(_ context.Context, manager string, object map[string]any) error {
	return c.Cluster.DryApply(manager, object)
}

// Apply implements ManagementCluster.
func (c Cluster) Apply(_ context.Context, manager string, object map[string]any) error {
	if err := c.Answers(); err != nil {
		return err
	}
	return c.Cluster.Apply(manager, object)
}

// OverwriteField implements ManagementCluster.
func (c Cluster) OverwriteField(_ context.Context, kind, namespace, name string, value any, field ...string) error {
	var failed error
	err := c.Edit(kind, namespace, name, kubeapi.Creator, func(object map[string]any) {
		if value != nil {
			failed = unstructured.SetNestedField(object, value, field...)
		} else {
			failed = kubeapi.GiveToCreator(&unstructured.Unstructured{Object: object}, field...)
		}
	})
	return errors.Join(failed, err)
}

// LeaveFields implements ManagementCluster.
func (c Cluster) LeaveFields(
	_ context.Context,
	of, applied, former map[string]any,
	makers ...string,
) ([]string, error) {
	manifest := unstructured.Unstructured{Object: of}
	kind, namespace, name := manifest.GetKind(), manifest.GetNamespace(), manifest.GetName()
	object, err := c.Cluster.Get(kind, namespace, name)
	if err != nil || object == nil {
		return nil, err
	}
	changed, left, err := kubeapi.LeaveFields(&unstructured.Unstructured{Object: object}, applied, former, makers...)
	if err != nil || !changed {
		return nil, err
	}
	return left, c.Edit(kind, namespace, name, kubeapi.Others, func(object map[string]any) {
		// it has not failed above
		_, _, _ = kubeapi.LeaveFields(&unstructured.Unstructured{Object: object}, applied, former, makers...)
	})
}

// Delete implements ManagementCluster.
func (c Cluster) Delete(_ context.Context, kind, namespace, name, uid string) error {
	return c.Cluster.Delete(kind, namespace, name, uid)
}

// RemoveFinalizer implements ManagementCluster.
func (c Cluster) RemoveFinalizer(_ context.Context, kind, namespace, name, uid, finalizer string) error {
	found := false
	err := c.Edit(kind, namespace, name, kubeapi.Creator, func(object map[string]any) {
		now := unstructured.Unstructured{Object: object}
		if found = string(now.GetUID()) == uid; found {
			now.SetFinalizers(slices.DeleteFunc(now.GetFinalizers(), func(one string) bool { return one == finalizer }))
		}
	})
	if err == nil && !found {
		err = fmt.Errorf("removing the finalizer %s from %s %s/%s: the object has been deleted since it was read", finalizer, kind, namespace, name)
	}
	return err
}

// OpenCluster opens the cluster of a kubeconfig, in a folder of offline accounts and clusters. As when a provider uses
// the cluster, a rehearsal in the environment sets how its operators behave.
func OpenCluster(dir, file, context string, environ engine.Environ) (Cluster, error) {
	rehearsal, err := ReadRehearsal(environ)
	if err != nil {
		return Cluster{}, err
	}
	cluster, err := offline.OpenCluster(dir, file, context)
	if err == nil {
		err = cluster.Rehearse(rehearsal)
	}
	return Cluster{cluster}, err
}
