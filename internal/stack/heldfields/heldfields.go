// Package heldfields finds the fields of a stack's objects that other clients of the management cluster have changed,
// and takes them back.
package heldfields

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// takeFlag is the flag of `up` and `adopt` with which a user takes a held field back.
const takeFlag = "--take"

// Conflicts are the fields of a stack's objects that other clients of the management cluster hold.
type Conflicts struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	// fields are the fields that this run leaves as they are.
	fields []clusterstatus.FieldConflict
	// adopted are the objects that an adoption imports.
	adopted []clusterstatus.Applied
	// Unpreviewed are the NodePools that a preview does not send to the management cluster.
	Unpreviewed []string
}

// Find finds the fields of the stack's HostedCluster and NodePools that other clients of the management cluster have
// changed. Previews and updates leave them as they are. It does nothing for a stack without such objects, or if the
// management cluster does not answer, which CheckManagementCluster reports.
func (h *Conflicts) Find(ctx context.Context) error {
	h.fields, h.Unpreviewed = nil, nil
	objects, err := h.Applied(ctx)
	if err != nil || len(objects) == 0 || h.Connection.Unanswered || h.Connection.Silent != nil {
		return err
	}
	h.Unpreviewed = clusterstatus.Resizing(objects)
	err = h.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) (err error) {
		h.fields, err = clusterstatus.FindConflicts(ctx, api, objects)
		return err
	})
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case kubeapi.NoAnswer(err):
		h.Connection.Unanswered = true
		return nil
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: "which fields other clients of the management cluster hold was not read: " + err.Error(),
		Remedy: "allow the user of " + binding.KubeconfigKey(h.Stack) + " to get, list and patch HostedClusters and NodePools " +
			"in their namespace, and run the command again", Cause: err,
	}
}

// Report reports the fields that this run leaves as they are, with both values.
func (h *Conflicts) Report() {
	for _, f := range h.fields {
		var then string
		switch {
		case f.Same:
			continue
		case f.Automatic():
			then = "; up takes it over"
		case f.Encrypts():
			then = "; it is left as it is"
		default:
			then = fmt.Sprintf("; it is left as it is: `hypershift-aws up -s %s --take '%s'` takes it back", h.Stack.Name, f.Key)
		}
		h.Stack.Say("%s%s", f, then)
	}
}

// List returns the fields that other clients of the management cluster hold, as found by the last preview.
func (h *Conflicts) List() []clusterstatus.FieldConflict {
	return slices.DeleteFunc(slices.Clone(h.fields), func(f clusterstatus.FieldConflict) bool {
		return f.Same || f.Automatic()
	})
}

// Overwritable returns the keys of the fields that may be taken back, as the management cluster has them now.
func (h *Conflicts) Overwritable(ctx context.Context) ([]string, error) {
	if err := h.Find(ctx); err != nil {
		return nil, h.Stack.Classify(err)
	}
	var keys []string
	for _, f := range h.List() {
		if !f.Encrypts() {
			keys = append(keys, f.Key)
		}
	}
	return keys, nil
}

// CheckOverwrite fails if a key does not name a held field, or if the field may not be taken back. A field that was
// taken back by a run which did not end needs nothing more: its command is repeated.
func (h *Conflicts) CheckOverwrite(ctx context.Context, keys []string) error {
	var held []string
	for _, f := range h.List() {
		held = append(held, f.Key)
	}
	for _, key := range keys {
		i := slices.IndexFunc(h.fields, func(f clusterstatus.FieldConflict) bool { return f.Key == key })
		isHeld := i >= 0 && slices.Contains(held, key)
		if !isHeld && h.Stack.Continues(ctx, takeFlag, key) {
			h.Stack.Say("%s %s has no effect: an earlier run took the field back, and no other client holds it", takeFlag, key)
			continue
		}
		if !isHeld {
			e := &failure.Error{
				Reason:  failure.Refused,
				Problem: fmt.Sprintf("--take %s: no other client of the management cluster holds this field", key),
			}
			if e.Remedy = "omit --take"; len(held) > 0 {
				e.Remedy = "use one of: " + strings.Join(held, ", ")
			}
			return e
		}
		if h.fields[i].Encrypts() {
			return &failure.Error{
				Reason:  failure.Refused,
				Problem: fmt.Sprintf("--take %s: this field decides how etcd is encrypted, and a change can make its data unreadable", key),
				Remedy:  "set the value of the management cluster in the stack's file",
			}
		}
	}
	return nil
}

// Overwrite takes the fields with these keys back: the next Up gives them the values of the stack's file. Each is
// recorded before.
func (h *Conflicts) Overwrite(ctx context.Context, keys []string) error {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		return !slices.ContainsFunc(h.fields, func(f clusterstatus.FieldConflict) bool { return f.Key == key })
	})
	if len(keys) == 0 {
		return nil
	}
	use := workspace.Use{Flag: takeFlag, Value: strings.Join(keys, ","), Resources: keys}
	if err := h.Stack.AddUse(use); err != nil {
		return err
	}
	taken := func(f clusterstatus.FieldConflict) bool { return slices.Contains(keys, f.Key) }
	err := h.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, f := range h.fields {
			if !taken(f) {
				continue
			}
			if err := api.OverwriteField(ctx, f.Kind, f.Namespace, f.Name, f.File, f.Path...); err != nil {
				return err
			}
			h.Stack.Say("took %s back from %s", f.Key, f.Manager)
		}
		return nil
	})
	h.fields = slices.DeleteFunc(h.fields, taken)
	return err
}

// Paths returns the paths of the held fields by kind and name of their objects.
func (h *Conflicts) Paths() map[string][]string {
	paths := map[string][]string{}
	for _, f := range h.fields {
		of := f.Object()
		paths[of] = append(paths[of], strings.Join(f.Path, "."))
		if f.Kind == crd.NodePool && f.File == nil {
			// Replicas and autoScaling exclude each other: if the file has the other one, that isn't set either.
			paths[of] = append(paths[of], "spec.autoScaling", "spec.replicas")
		}
	}
	for of, list := range paths {
		slices.Sort(list)
		paths[of] = slices.Compact(list)
	}
	return paths
}

// Applied returns the HostedCluster and the NodePools in the stack's state as its file describes them now, or as they
// were applied last if the file needs AWS resources that do not exist yet. A stack that applies no objects has none.
func (h *Conflicts) Applied(ctx context.Context) ([]clusterstatus.Applied, error) {
	if pools := config.As[*config.NodePools](h.Stack.File); pools != nil {
		return h.appliedPools(ctx, pools)
	}
	cluster := h.described()
	if cluster == nil || cluster.HostedCluster.Kubeconfig == nil {
		return nil, nil
	}
	resources, err := h.Stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	inState := objectsIn(resources)
	applied := slices.DeleteFunc(slices.Clone(h.adopted), func(a clusterstatus.Applied) bool {
		_, exists := inState[a.Kind()+"/"+NameOf(a.Object)]
		return exists
	})
	if _, exists := inState[crd.HostedCluster+"/"+cluster.Name]; !exists && cluster.HostedCluster.SSHKey == nil {
		applied = append(applied, withoutSSHKey(cluster))
	}
	if len(inState) == 0 {
		return applied, nil
	}
	objects := h.describedObjects()
	if len(objects) == 0 {
		for _, of := range slices.Sorted(maps.Keys(inState)) {
			objects = append(objects, inState[of].Inputs)
		}
	}
	keys := configKeys(h.Stack.File, objects)
	for i, object := range objects {
		applied = appendApplied(applied, inState, object, keys[i])
	}
	return applied, nil
}

// configKeys returns, for each of a cluster's objects, the function that returns the config key of a field.
func configKeys(file *config.File, objects []map[string]any) []func(path string) string {
	settings, pools := config.As[*config.Cluster](file).HostedClusterSettings(file.Region), 0
	var keys []func(string) string
	for _, object := range objects {
		pool := -1
		if object["kind"] == crd.NodePool {
			named := func(p hostedcluster.NodePool) bool { return p.Name == NameOf(object) }
			if pool = slices.IndexFunc(settings.NodePools, named); pool < 0 {
				pool = pools
			}
			pools++
		}
		keys = append(keys, func(path string) string {
			return strings.TrimPrefix(config.HostedClusterPath, "hypershift-aws:") + "." + settings.ConfigKey(pool, path)
		})
	}
	return keys
}

// AddAdopted adds the HostedCluster and the NodePools that a plan, which may have failed, imports. It reports whether
// there are new ones: the next preview leaves what others hold of them.
func (h *Conflicts) AddAdopted(p *changes.Plan) bool {
	if h.described() == nil {
		return false
	}
	var objects []map[string]any
	for _, step := range p.Steps {
		if kind := props.Map(step.New).String("kind"); step.Change == changes.Import && (kind == crd.HostedCluster || kind == crd.NodePool) {
			objects = append(objects, step.New)
		}
	}
	before := len(h.adopted)
	for i, key := range configKeys(h.Stack.File, objects) {
		known := slices.ContainsFunc(h.adopted, func(a clusterstatus.Applied) bool {
			return a.Kind() == objects[i]["kind"] && NameOf(a.Object) == NameOf(objects[i])
		})
		if !known {
			h.adopted = append(h.adopted, clusterstatus.Applied{Object: objects[i], Key: key})
		}
	}
	return len(h.adopted) > before
}

// CheckDecided fails if other clients of the management cluster hold fields with another value than the file, and keys
// does not take them. An adoption must end with a preview without changes, so the user has to decide first.
func (h *Conflicts) CheckDecided(keys []string) error {
	var undecided []string
	for _, f := range h.List() {
		if !slices.Contains(keys, f.Key) {
			undecided = append(undecided, f.String())
		}
	}
	if len(undecided) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: "other clients of the management cluster have set fields to other values than the stack's file:\n  " + strings.Join(undecided, "\n  "),
		Remedy:  "put these values into the stack's file, or use --take with the key of each field that gets the file's value",
	}
}

// appendApplied adds an object that the state has, with the config keys of its fields.
func appendApplied(
	applied []clusterstatus.Applied, inState map[string]apitype.ResourceV3, object props.Map, key func(path string) string,
) []clusterstatus.Applied {
	r, exists := inState[object.String("kind")+"/"+NameOf(object)]
	if !exists {
		return applied
	}
	sent, _ := r.Outputs["__inputs"].(map[string]any)
	return append(applied, clusterstatus.Applied{Object: object, Inputs: r.Inputs, Sent: sent, Key: key})
}

// objectsIn returns the HostedCluster and the NodePools among resources, by kind and name.
func objectsIn(resources []apitype.ResourceV3) map[string]apitype.ResourceV3 {
	found := map[string]apitype.ResourceV3{}
	for _, r := range resources {
		if kind, _ := r.Inputs["kind"].(string); (kind == crd.HostedCluster || kind == crd.NodePool) && !r.Delete {
			found[kind+"/"+NameOf(r.Inputs)] = r
		}
	}
	return found
}

// appliedPools returns the NodePools in the state of a stack of kind nodePools, as its file describes them for the
// HostedCluster of the last update.
func (h *Conflicts) appliedPools(ctx context.Context, pools *config.NodePools) ([]clusterstatus.Applied, error) {
	resources, err := h.Stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	inState, outputs := objectsIn(resources), h.Stack.State.Outputs()
	manifests, err := pools.RenderManifests(h.Stack.File, outputs)
	if err != nil {
		return nil, nil //nolint:nilerr // the program reports it
	}
	args := hostedcluster.NodePoolsArgs{NodePools: pools.NodePools}
	var applied []clusterstatus.Applied
	for i, pool := range args.NodePools {
		at := slices.IndexFunc(manifests, func(m hostedcluster.Manifest) bool {
			return m.Object["kind"] == crd.NodePool && NameOf(m.Object) == pool.Name
		})
		if at >= 0 {
			applied = appendApplied(applied, inState, manifests[at].Object, func(path string) string {
				return string(h.Stack.File.Kind) + "." + args.ConfigKey(i, path)
			})
		}
	}
	return applied, nil
}

// withoutSSHKey returns the part of a HostedCluster that an adoption applies in another form than its manager: the API
// server adds an empty name to the empty reference to the SSH key.
func withoutSSHKey(cluster *config.Cluster) clusterstatus.Applied {
	return clusterstatus.Applied{
		Object: map[string]any{
			"apiVersion": crd.APIVersion, "kind": crd.HostedCluster,
			"metadata": map[string]any{"name": cluster.Name, "namespace": cluster.HostedCluster.NamespaceOrDefault()},
			"spec":     map[string]any{"sshKey": map[string]any{}},
		},
		Key: func(path string) string { return path },
	}
}

// DropAutomatic drops the fields that TakeOverTags has taken over.
func (h *Conflicts) DropAutomatic() {
	h.fields = slices.DeleteFunc(h.fields, clusterstatus.FieldConflict.Automatic)
}

// ShareSame makes the stack a manager of the held fields that have the value of its file in another form: nothing but
// their managers changes.
func (h *Conflicts) ShareSame(ctx context.Context) error {
	var same []clusterstatus.FieldConflict
	for _, f := range h.fields {
		if f.Same && !f.Encrypts() {
			same = append(same, f)
		}
	}
	if len(same) == 0 {
		return nil
	}
	err := h.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, f := range same {
			if err := api.OverwriteField(ctx, f.Kind, f.Namespace, f.Name, nil, f.Path...); err != nil {
				return err
			}
		}
		return nil
	})
	h.fields = slices.DeleteFunc(h.fields, func(f clusterstatus.FieldConflict) bool { return f.Same && !f.Encrypts() })
	return err
}

// described returns the section of the stack's file if it describes a hosted cluster, otherwise nil.
func (h *Conflicts) described() *config.Cluster {
	if c := config.As[*config.Cluster](h.Stack.File); c != nil && c.HostedCluster != nil {
		return c
	}
	return nil
}

// describedObjects returns the HostedCluster and the NodePools of the stack's file with the AWS resources of its state,
// none if they do not fit together.
func (h *Conflicts) describedObjects() []map[string]any {
	outputs := h.Stack.State.Outputs()
	infra, iam, err := documents.Read(outputs["infra"], outputs["iam"])
	if err != nil {
		return nil
	}
	domain := ""
	if h.Stack.Management != nil {
		domain = h.Stack.Management.ZoneDomain
	}
	manifests, err := documents.Described(h.Stack.File, infra, iam, domain)
	if err != nil {
		return nil
	}
	var objects []map[string]any
	for _, m := range manifests {
		if kind := m.Object["kind"]; kind == crd.HostedCluster || kind == crd.NodePool {
			objects = append(objects, m.Object)
		}
	}
	return objects
}

// NameOf returns the name in the metadata of an object.
func NameOf(object props.Map) string { return object.String("metadata", "name") }

// TakeOverTags takes over the resource tags of a HostedCluster that an earlier version created: HyperShift's operator
// owns that field since then, and a change would fail with a conflict. It writes to the management cluster, so that it
// comes after the confirmation.
func (h *Conflicts) TakeOverTags(ctx context.Context) error {
	cluster, err := h.Stack.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return err
	}
	return h.Connection.CallIfChecked(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		taken, err := clusterstatus.TakeOverTags(ctx, api, cluster)
		if taken && err == nil {
			h.Stack.Say("hosted cluster %s: took its resource tags over from HyperShift's operator, "+
				"which had added its own tag to them", cluster.Name)
		}
		return err
	})
}
