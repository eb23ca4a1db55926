package clusterstatus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

func TestWhatAControlPlaneWaitsForIsNamedWhileItIsNotAvailable(t *testing.T) {
	t.Parallel()
	part := func(kind, name string, fields map[string]any) map[string]any {
		o := object(kind, "clusters-demo", name)
		for key, value := range fields {
			o[key] = value
		}
		return o
	}
	refusal := func(severity string) map[string]any {
		return map[string]any{"conditions": []any{map[string]any{"type": "InstanceReady", "status": "False",
			"severity": severity, "reason": "InstanceProvisionFailed", "message": "InsufficientInstanceCapacity"}}}
	}
	service := func(ingress ...any) map[string]any {
		return map[string]any{"spec": map[string]any{"type": "LoadBalancer"},
			"status": map[string]any{"loadBalancer": map[string]any{"ingress": ingress}}}
	}
	parts := []map[string]any{
		part("PersistentVolumeClaim", "data-etcd-0", map[string]any{"spec": map[string]any{"storageClassName": "gp3"},
			"status": map[string]any{"phase": "Pending"}}),
		part("PersistentVolumeClaim", "data-etcd-1", map[string]any{"status": map[string]any{"phase": "Lost"}}),
		part("PersistentVolumeClaim", "data-etcd-2", map[string]any{"status": map[string]any{"phase": "Bound"}}),
		part("StatefulSet", "etcd", map[string]any{"spec": map[string]any{"replicas": int64(3)},
			"status": map[string]any{"readyReplicas": int64(1)}}),
		part("StatefulSet", "catalog", map[string]any{"spec": map[string]any{"replicas": int64(0)}}),
		part("Service", "private-router", service()),
		part("Service", "kube-apiserver", map[string]any{"spec": map[string]any{"type": "ClusterIP"}}),
		part("Service", "router", service(map[string]any{"hostname": "lb.example.com"})),
		part("Route", "oauth", map[string]any{"status": map[string]any{"ingress": []any{map[string]any{
			"conditions": []any{map[string]any{"type": "Admitted", "status": "False", "reason": "HostAlreadyClaimed"}}}}}}),
		part("Route", "ignition", nil),
		part("MachineSet", "demo", map[string]any{"status": refusal("Warning")}),
		part("AWSMachine", "demo-1", map[string]any{"status": refusal("Error")}),
		part("AWSMachine", "demo-2", map[string]any{"status": map[string]any{"failureMessage": "no such AMI"}}),
	}
	for available, want := range map[string][]string{
		"True": nil,
		"False": {
			"PersistentVolumeClaim clusters-demo/data-etcd-0: is Pending: it has no volume of storage class gp3",
			"PersistentVolumeClaim clusters-demo/data-etcd-1: is Lost: it has no volume of the default storage class",
			"StatefulSet clusters-demo/etcd: 1 of 3 pods are ready",
			"Service clusters-demo/private-router: has no load balancer in AWS yet",
			"Route clusters-demo/oauth: Admitted is False (HostAlreadyClaimed)",
			"AWSMachine clusters-demo/demo-1: InstanceReady is False (InstanceProvisionFailed): InsufficientInstanceCapacity",
			"AWSMachine clusters-demo/demo-2: failed: no such AMI",
		},
	} {
		reading, api, cluster := demo(condition("Available", available, ""))
		for _, p := range parts {
			api[p["kind"].(string)+" "+textAt(p, "metadata", "name")] = p //nolint:forcetypeassert // above
		}
		reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
		var said []string
		for _, f := range reading.Findings {
			said = append(said, f.Subject+": "+f.Problem)
		}
		require.Equal(t, want, said, available)
	}
}
