package state

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// Forget removes the resources from a state. What says whose the stack's cluster is and in which management cluster it
// lives stays: the record of the management cluster, if there is one, and the outputs kind, name, and infraID.
func (d *Deployment) Forget() {
	kept := map[string]bool{}
	for _, r := range d.Resources {
		if r.Delete || !recorded.IsManagementCluster(string(r.Type), r.URN.Name()) {
			continue
		}
		kept[string(r.URN)] = true
		for _, needed := range r.needs() {
			kept[needed] = true
		}
	}
	d.Pending = nil
	d.Resources = slices.DeleteFunc(d.Resources, func(r *Resource) bool { return !kept[string(r.URN)] })
	for i, r := range d.Resources {
		if r.Type != "pulumi:pulumi:Stack" {
			continue
		}
		root := &Resource{ResourceV3: apitype.ResourceV3{URN: r.URN, Type: r.Type, Outputs: map[string]any{}}}
		for _, key := range []string{"kind", "name", "infraID"} {
			if value, has := r.Outputs[key]; has {
				root.Outputs[key] = value
			}
		}
		d.Resources[i] = root
	}
}

// Empty reports whether a state has no resources, or nothing but what Forget leaves.
func (d *Deployment) Empty() bool {
	if !slices.ContainsFunc(d.Resources, func(r *Resource) bool {
		return recorded.IsManagementCluster(string(r.Type), r.URN.Name())
	}) {
		return len(d.Resources) == 0
	}
	return !slices.ContainsFunc(d.Resources, func(r *Resource) bool {
		return r.Type != "pulumi:pulumi:Stack" && r.Type != "pulumi:providers:pulumi" &&
			!recorded.IsManagementCluster(string(r.Type), r.URN.Name())
	})
}
