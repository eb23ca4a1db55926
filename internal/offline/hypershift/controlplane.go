package hypershift

import (
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// The versions of the kinds that the operators create, which no stack creates.
const (
	controlPlaneVersion = crd.APIVersion
	machineVersion      = "cluster.x-k8s.io/v1beta1"
	machineKind         = "Machine"
	poolAnnotation      = "hypershift.openshift.io/nodePool"
)

// controlNamespace returns the namespace of the control plane.
func (g *hostedCluster) controlNamespace() string {
	return crd.ControlPlaneNamespace(g.namespace, g.name)
}

// objectKey returns the key of an object in the control plane's namespace.
func (g *hostedCluster) objectKey(version, kind, name string) store.Key {
	return store.Key{Scope: g.controlNamespace(), Token: "kubernetes:" + version + ":" + kind, ID: g.controlNamespace() + "/" + name}
}

// writeObject writes an object of the operators in the control plane's namespace, if it differs.
func (g *hostedCluster) writeObject(version, kind, name string, annotations, spec, status map[string]any) {
	key := g.objectKey(version, kind, name)
	old := g.Get(key)
	metadata := props.Map{"name": name, "namespace": g.controlNamespace(), "uid": ids.UUID(), "creationTimestamp": ids.Timestamp()}
	if old != nil {
		metadata = old.State.Object("metadata").Clone()
	}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	object := props.Map{"apiVersion": version, "kind": kind, "metadata": map[string]any(metadata), "spec": spec, "status": status}
	if old != nil && props.JSONText(map[string]any(old.State)) == props.JSONText(map[string]any(object)) {
		return
	}
	g.Put(&store.Record{Type: key.Token, ID: key.ID, Scope: key.Scope, Origin: store.ByOperator, CreatedAt: g.now, State: object})
}

// endpointServiceWritten writes the AWSEndpointService of a service, with the conditions of the HostedCluster about it.
func (g *hostedCluster) endpointServiceWritten(service controlService, serviceName, endpoint string) {
	var conditions []any
	for _, name := range []string{"AWSEndpointServiceAvailable", "AWSEndpointAvailable"} {
		if condition := (kubernetes.Conditions{Status: g.status()}).Find(name); condition != nil {
			conditions = append(conditions, map[string]any(condition.Clone()))
		}
	}
	status := map[string]any{"endpointServiceName": serviceName, "conditions": conditions}
	if endpoint != "" {
		status["endpointID"] = endpoint
	}
	g.writeObject(controlPlaneVersion, crd.EndpointService, service.name, nil, map[string]any{"networkLoadBalancerName": service.name}, status)
}

// machinesWritten writes the Machines of a NodePool: one for each instance. Those that are nodes have joined.
func (g *hostedCluster) machinesWritten(pool *store.Record, instances []*store.Record, joined int) {
	name := pool.State.Object("metadata").String("name")
	var names []string
	for i, instance := range instances {
		machine := instance.State.Object("tags").String("Name")
		names = append(names, machine)
		phase, healthy := "Provisioned", "False"
		if i < joined {
			phase, healthy = "Running", "True"
		}
		var conditions []any
		for condition, status := range map[string]string{"Ready": "True", "NodeHealthy": healthy} {
			conditions = append(conditions, map[string]any{"type": condition, "status": status, "reason": "", "message": ""})
		}
		slices.SortFunc(conditions, func(a, b any) int {
			return strings.Compare(props.JSONText(a), props.JSONText(b))
		})
		g.writeObject(machineVersion, machineKind, machine, map[string]any{poolAnnotation: g.namespace + "/" + name},
			map[string]any{"clusterName": g.infraID, "providerID": "aws:///" + instance.State.String("availabilityZone") + "/" + instance.ID},
			map[string]any{"phase": phase, "conditions": conditions})
	}
	for _, machine := range g.List(g.controlNamespace(), "kubernetes:"+machineVersion+":"+machineKind) {
		own := kubernetes.Annotation(machine.State, poolAnnotation) == g.namespace+"/"+name
		if own && !slices.Contains(names, machine.State.Object("metadata").String("name")) {
			g.Delete(machine)
		}
	}
}

// removeObjects deletes the objects in the control plane's namespace.
func (g *hostedCluster) removeObjects() {
	for _, rec := range kubernetes.InNamespace(g.Tx, g.controlNamespace()) {
		g.Delete(rec)
	}
}
