package identity

import (
	"context"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Objects returns the object that identifies the stack's management cluster, and others that can do so, all with UIDs
// of the state. The first is the HostedCluster or Cluster. For a stack without one, it is another object if no
// management cluster is recorded: such an object may be created again by others, so that a different UID alone does not
// mean another management cluster. It is nil if there is none.
func Objects(d *state.Deployment) (own *clusterstatus.ObjectKey, others []*clusterstatus.ObjectKey) {
	for _, r := range d.InCloud() {
		key := ObjectOf(r)
		switch {
		case key == nil || key.UID == "":
		case key.IsCluster():
			own = key
		case slices.Contains([]string{"Namespace", "Secret", "ConfigMap"}, key.Kind):
			others = append(others, key)
		}
	}
	if own == nil && len(others) > 0 && clusterstatus.RecordedCluster(d) == "" {
		own, others = others[0], others[1:]
	}
	return own, others
}

// ObjectOf returns the key of a Kubernetes object, nil for other resources.
func ObjectOf(r apitype.ResourceV3) *clusterstatus.ObjectKey {
	if !strings.HasPrefix(string(r.Type), "kubernetes:") {
		return nil
	}
	inputs, outputs := unstructured.Unstructured{Object: r.Inputs}, unstructured.Unstructured{Object: r.Outputs}
	return &clusterstatus.ObjectKey{
		Kind: inputs.GetKind(), Namespace: inputs.GetNamespace(), Name: inputs.GetName(), UID: string(outputs.GetUID()),
		Mark: inputs.GetAnnotations()[hypershift.StackTag],
	}
}

// InState returns what a state records about its management cluster, with the objects that identify it.
func InState(
	d *state.Deployment,
) (recorded gate.Identity, own *clusterstatus.ObjectKey, others []*clusterstatus.ObjectKey) {
	recorded.ManagementCluster = clusterstatus.RecordedCluster(d)
	if own, others = Objects(d); own != nil {
		recorded.Object = own.UID
	}
	return recorded, own, others
}

// Judge asks the identity gate for a program, which has only the stack's state, and which may run for any operation.
// uid is the UID of the management cluster, "" if it may not be read, and former are the stack's former names.
func Judge(
	ctx context.Context,
	api clusterstatus.UIDReader,
	subject gate.Subject,
	uid string,
	d *state.Deployment,
	former []string,
) error {
	if own, _ := Objects(d); own != nil {
		subject.Object = own.String()
	}
	recorded, reading := Read(ctx, api, func(context.Context) (string, error) { return uid, nil }, d,
		func(mark string) bool { return slices.Contains(former, mark) })
	if err := gate.JudgeIdentity(gates.Refresh, subject, recorded, reading).Refused; err != nil {
		return err
	}
	return gate.JudgeNamed(subject, reading)
}

// Read reads which management cluster answers, and for a stack of node pools what it has under their names. former
// reports whether a mark in the state is a former name of the stack.
func Read(
	ctx context.Context, api clusterstatus.UIDReader, clusterUID func(context.Context) (string, error),
	d *state.Deployment, former func(mark string) bool,
) (gate.Identity, gate.Reading) {
	recorded, own, others := InState(d)
	recorded, reading := clusterstatus.ReadIdentity(ctx, api, clusterUID, recorded, own, others)
	pools, owners := namedPools(d)
	if reading.Err != nil || len(pools) == 0 {
		return recorded, reading
	}
	if mark := pools[0].Mark; mark != "" && !slices.Contains(owners, mark) && former(mark) {
		owners = append(owners, mark)
	}
	reading.Named, reading.Err = clusterstatus.ReadNamed(ctx, api, pools, owners)
	return recorded, reading
}

// namedPools returns the node pools of a stack that adds them to the HostedCluster of another owner, and the stack's
// name as their marks have it.
func namedPools(d *state.Deployment) (pools []*clusterstatus.ObjectKey, owners []string) {
	resources := d.InCloud()
	if clusterstatus.FindPools(resources) == nil || clusterstatus.Find(resources) != nil {
		return nil, nil
	}
	for _, r := range resources {
		if key := ObjectOf(r); key != nil && key.Kind == crd.NodePool {
			pools = append(pools, key)
			owners = []string{string(r.URN.Project()) + "/" + string(r.URN.Stack())}
		}
	}
	return pools, owners
}
