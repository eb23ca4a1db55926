// Package relocate continues a stack with its hosted cluster as it was restored from a backup, in another management
// cluster.
package relocate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Finder finds the restored hosted cluster of a stack.
type Finder struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
}

// Restoration is what a state takes over, together with the objects that were found.
type Restoration struct {
	takeover.Restored
	kubeconfig config.Kubeconfig
	// objects are those that exist, by the URNs of their resources.
	objects map[string]map[string]any
}

// identifying returns the paths of the fields of a HostedCluster that no update changes: a restored one with other
// values is another cluster.
func identifying() [][]string {
	return [][]string{
		{"spec", "infraID"},
		{"spec", "clusterID"},
		{"spec", "issuerURL"},
		{"spec", "secretEncryption", "type"},
		{"spec", "platform", "aws", "region"},
		{"spec", "platform", "aws", "rolesRef"},
		{"spec", "platform", "aws", "cloudProviderConfig", "vpc"},
	}
}

// Gate describes the gate of Find.
func Gate() gates.Gate {
	return gates.Gate{
		Name: "restored",
		Refuses: "to continue with a HostedCluster that is another cluster, that was restored without its node " +
			"pools, whose release the installed operator does not support, whose etcd is encrypted with a key in another " +
			"account, or that the former management cluster still runs",
		WayOn: "correct what differs; `--management-cluster-gone` for a former management cluster that does not " +
			"answer",
		Operations: []gates.Operation{gates.Relocate},
		Cost:       gates.CostManagementCluster,
	}
}

// Find compares the HostedCluster of the stack's state with the one in the management cluster that the stack's file
// selects. It fails if that is another cluster, or incomplete, or if the recorded management cluster still runs it;
// what was found of such a one is returned too. gone asserts that the recorded management cluster no longer exists
// where it cannot be asked.
func (f *Finder) Find(ctx context.Context, gone bool) (*Restoration, error) {
	if err := f.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	own, _ := identity.Objects(f.Stack.State)
	selected := binding.AppliedBy(f.Stack.File)
	switch {
	case (own == nil || own.Kind != crd.HostedCluster) && binding.RefuseWithoutHostedCluster(f.Stack) != nil:
		return nil, binding.RefuseWithoutHostedCluster(f.Stack)
	case own == nil || own.Kind != crd.HostedCluster:
		return nil, binding.Refused("the state of stack "+f.Stack.Name+" has no HostedCluster that could have been restored",
			fmt.Sprintf("run `hypershift-aws up -s %s`, or `hypershift-aws adopt -s %[1]s` for one that exists", f.Stack.Name))
	case selected == nil:
		return nil, binding.Refused("the file of stack "+f.Stack.Name+" selects no management cluster",
			"set "+binding.KubeconfigKey(f.Stack)+" to the one in which the cluster was restored")
	}
	identity, reading := f.Connection.ReadIdentity(ctx, *selected)
	switch {
	case reading.Err != nil:
		return nil, &failure.Error{
			Reason: failure.Failed, Problem: fmt.Sprintf("the management cluster in which %s was restored does not answer: %s",
				own, reading.Err),
			Remedy: "check " + binding.KubeconfigKey(f.Stack) + ", the network and the credentials in it", Cause: reading.Err,
		}
	case identity.Other(reading) == "" && reading.Object != "":
		return &Restoration{Restored: takeover.Restored{
			Cluster: own.Name, Object: own.String(), From: identity.ManagementCluster, To: reading.ManagementCluster, Done: true,
		}}, nil
	}
	found := &Restoration{
		Restored: takeover.Restored{
			Cluster: own.Name,
			Object:  own.String(),
			From:    identity.ManagementCluster,
			To:      reading.ManagementCluster,
		},
		kubeconfig: *selected, objects: map[string]map[string]any{},
	}
	api, err := f.Connection.OpenCluster(*selected)
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	if reading.Object == "" {
		return nil, f.notRestored(ctx, api, own)
	}
	if err := f.readRestored(ctx, api, found); err != nil {
		return found, err
	}
	return found, f.checkFormer(ctx, own, found, gone)
}

// notRestored returns why the management cluster does not have the HostedCluster: it may lack HyperShift.
func (f *Finder) notRestored(ctx context.Context, api workspace.Cluster, own *clusterstatus.ObjectKey) error {
	ctx, cancel := binding.Within(ctx)
	defer cancel()
	kinds, err := api.Kinds(ctx, crd.APIVersion)
	switch {
	case err != nil:
		return err
	case !slices.Contains(kinds, crd.HostedCluster):
		return binding.Refused(fmt.Sprintf("the management cluster of %s has no kind %s of %s",
			binding.KubeconfigKey(f.Stack), crd.HostedCluster, crd.APIVersion),
			"install HyperShift's operator of a version with that kind there, and restore the cluster from its backup; or correct the key")
	}
	return binding.Refused(fmt.Sprintf("the management cluster of %s has no %s", binding.KubeconfigKey(f.Stack), own),
		"restore it there from its backup first, or correct the key")
}

// readRestored reads the stack's objects in the management cluster in which they were restored.
func (f *Finder) readRestored(ctx context.Context, api clusterstatus.LiveReader, found *Restoration) error {
	ctx, cancel := binding.Within(ctx)
	defer cancel()
	var lost []string
	var other error
	for _, r := range f.Stack.State.InCloud() {
		key := identity.ObjectOf(r)
		if key == nil || key.Name == "" {
			continue
		}
		live, err := api.Get(ctx, key.Kind, key.Namespace, key.Name)
		switch {
		case err != nil:
			return &failure.Error{
				Reason: failure.Failed, Problem: fmt.Sprintf("%s cannot be read where it was restored: %s", key, err),
				Remedy: "allow the user of " + binding.KubeconfigKey(f.Stack) + " to get it", Cause: err,
			}
		case live == nil && (key.Kind == crd.NodePool ||
			key.Kind == "Secret" && clusterstatus.HasEtcdKey(f.Stack.State.InCloud(), key.Name)):
			lost = append(lost, key.String())
		case live == nil:
			found.Created = append(found.Created, key.String())
		default:
			if key.Kind == crd.HostedCluster {
				if other = f.checkSame(key, props.Map(r.Outputs), props.Map(live)); other == nil {
					other = f.checkOperator(ctx, api, key)
				}
			}
			found.objects[string(r.URN)] = live
			found.Taken = append(found.Taken, key.String())
		}
	}
	if other != nil {
		return other
	}
	if len(lost) > 0 {
		return binding.Refused("the backup was restored incompletely: the management cluster has no "+strings.Join(lost,
			", "),
			"restore it too: an update would create new nodes instead of those that run, and another key instead of the one that etcd is encrypted with")
	}
	return nil
}

// checkSame fails unless a restored HostedCluster is the one in the state.
func (f *Finder) checkSame(key *clusterstatus.ObjectKey, recorded, restored props.Map) error {
	if restored.Object("metadata")["deletionTimestamp"] != nil {
		return binding.Refused(key.String()+" is being deleted where it was restored", "restore it again after its deletion")
	}
	for _, path := range identifying() {
		was, is := recorded.At(path...), restored.At(path...)
		if was != nil && !reflect.DeepEqual(was, is) {
			return binding.Refused(fmt.Sprintf("the restored %s is another cluster: its %s is %s, and %s in the state of stack %s",
				key, strings.Join(path, "."), inJSON(is), inJSON(was), f.Stack.Name), "restore the backup of this stack's cluster")
		}
	}
	return checkKeyAccount(key, recorded, restored)
}

// checkKeyAccount fails if the etcd of a restored HostedCluster is encrypted with a KMS key in another account than the
// state's key. The role and the key policy are for the state's key.
func checkKeyAccount(key *clusterstatus.ObjectKey, recorded, restored props.Map) error {
	path := []string{"spec", "secretEncryption", "kms", "aws", "activeKey", "arn"}
	was, wasErr := arn.Parse(recorded.String(path...))
	is, isErr := arn.Parse(restored.String(path...))
	if wasErr != nil || isErr != nil || was.AccountID == is.AccountID {
		return nil
	}
	return binding.Refused(fmt.Sprintf("the etcd of the restored %s is encrypted with %s, a key in account %s; the stack's key is %s, in account %s",
		key, is, is.AccountID, was, was.AccountID), "restore a backup that was made with the stack's key")
}

// checkOperator fails if HyperShift's operator does not support the release of a restored HostedCluster.
func (f *Finder) checkOperator(ctx context.Context, api clusterstatus.LiveReader, key *clusterstatus.ObjectKey) error {
	live, err := clusterstatus.ReadLive(ctx, api, key.Namespace, key.Name)
	if err != nil {
		return &failure.Error{
			Reason: failure.Failed, Problem: fmt.Sprintf("%s cannot be read where it was restored: %s", key, err),
			Remedy: "allow the user of " + binding.KubeconfigKey(f.Stack) + " to get it", Cause: err,
		}
	}
	if err := live.JudgeOperator(); err != nil {
		return &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf("the restored %s: %s", key, err), Cause: err}
	}
	return nil
}

// checkFormer fails if the recorded management cluster still runs the HostedCluster: two control planes would change
// the same resources in AWS.
func (f *Finder) checkFormer(ctx context.Context, own *clusterstatus.ObjectKey, found *Restoration, gone bool) error {
	// created again in the same management cluster, which has no other of that name
	if found.From != "" && found.From == found.To {
		return nil
	}
	former := binding.ProviderKubeconfig(f.Stack.State)
	if former == nil || *former == found.kubeconfig {
		found.Unproved = "the stack's state and its file have the same kubeconfig and context"
	}
	var running []string
	var readErr error
	if found.Unproved == "" {
		running, readErr = f.readFormer(ctx, *former, own, found)
	}
	switch {
	case len(running) > 0:
		return binding.Refused(fmt.Sprintf("the recorded management cluster still runs %s: two control planes would change the same resources in AWS",
			strings.Join(running, ", ")),
			`set spec.pausedUntil of the HostedCluster and of each of its NodePools there to "true", and scale the control plane down to zero; see docs/disaster-recovery.md`)
	case readErr != nil && !kubeapi.NoAnswer(readErr):
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("whether the recorded management cluster still runs %s is unknown: %s", own, readErr),
			Remedy:  "make it readable by the kubeconfig in the stack's state: something answers at its address", Cause: readErr,
		}
	case found.Unproved != "" && !gone:
		return binding.Refused(fmt.Sprintf("whether the recorded management cluster still runs %s is unknown: %s", own,
			found.Unproved),
			"if it no longer exists, assert that with "+gate.GoneFlag)
	}
	return nil
}

// readFormer returns what the recorded management cluster runs of the HostedCluster, and notes why that is unknown.
func (f *Finder) readFormer(
	ctx context.Context,
	former config.Kubeconfig,
	own *clusterstatus.ObjectKey,
	found *Restoration,
) ([]string, error) {
	identity, reading := f.Connection.ReadIdentity(ctx, former)
	switch {
	case reading.Err != nil:
		found.Unproved = reading.Err.Error()
		return nil, reading.Err
	case identity.ManagementCluster != "" && reading.ManagementCluster != "" &&
		identity.ManagementCluster != reading.ManagementCluster:
		found.Unproved = "the kubeconfig in the state selects another management cluster now"
		return nil, nil
	case reading.Object == "" && !identity.Proved(reading):
		found.Unproved = "the kubeconfig in the state selects a management cluster that cannot be identified"
		return nil, nil
	case reading.Object != own.UID:
		return nil, nil
	}
	api, err := f.Connection.OpenCluster(former)
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	running, err := clusterstatus.Running(ctx, api, own.Namespace, own.Name)
	if err != nil {
		found.Unproved = err.Error()
	}
	return running, err
}

// Unfinished is what an interrupted run left behind in a stack.
type Unfinished interface {
	// Unseen fails if an update may be running whose lock the backend does not show.
	Unseen() error
	// Keep keeps the pending operations of a state for the next recovery.
	Keep(d *state.Deployment) error
}

// Use changes the state to that of the restored HostedCluster: the management cluster, its kubeconfig, and the UIDs of
// the objects. Objects that were not restored leave the state. Nothing in AWS or in a management cluster changes. What
// an interrupted run left stays in the journal: a recovery settles it, which reads the restored objects.
func (f *Finder) Use(ctx context.Context, found *Restoration, unfinished Unfinished) error {
	release, err := f.Stack.Exclude()
	if err != nil {
		return err
	}
	defer release()
	if lock, err := f.Stack.Lock(); err != nil || lock != nil {
		return errors.Join(err, workspace.LockedBy(f.Stack.Name, lock))
	}
	if err := unfinished.Unseen(); err != nil {
		return err
	}
	use := workspace.Use{
		Flag: "relocate --cluster", Value: found.Cluster, Resources: found.Taken,
		Evidence: fmt.Sprintf("restored in management cluster %s, formerly in %s", found.To, found.From),
	}
	if found.Unproved != "" {
		use.Flag, use.Evidence = use.Flag+" "+gate.GoneFlag, use.Evidence+"; "+found.Unproved
	}
	if err := f.Stack.AddUse(use); err != nil {
		return err
	}
	err = f.Stack.Rewrite(ctx, true, func(d *state.Deployment) error {
		if err := found.apply(d); err != nil {
			return err
		}
		return unfinished.Keep(f.Stack.State)
	})
	if err != nil {
		return err
	}
	f.Stack.StateChanged()
	f.Stack.Say("stack %s continues with %s as it was restored: %s in its state",
		f.Stack.Name, found.Object, report.Number(len(found.Taken), "object"))
	return nil
}

// apply changes a state to that of the restored cluster.
func (r *Restoration) apply(d *state.Deployment) error {
	forgotten := map[string]bool{}
	for _, res := range d.Resources {
		var err error
		key := identity.ObjectOf(res.ResourceV3)
		switch {
		case recorded.IsManagementCluster(string(res.Type), res.URN.Name()):
			if r.To == "" {
				forgotten[string(res.URN)] = true // the next update records it
				break
			}
			err = set(res, map[string]any{"input": r.To}, map[string]any{"input": r.To, "output": r.To})
		case res.Type == "pulumi:providers:kubernetes":
			selected := map[string]any{"kubeconfig": given(r.kubeconfig.File), "context": given(r.kubeconfig.Context)}
			err = set(res, selected, selected)
		case key == nil || key.Name == "":
		case r.objects[string(res.URN)] == nil:
			forgotten[string(res.URN)] = true
		default:
			err = renew(res, r.objects[string(res.URN)])
		}
		if err != nil {
			return err
		}
	}
	d.Resources = slices.DeleteFunc(d.Resources, func(res *state.Resource) bool { return forgotten[string(res.URN)] })
	for _, res := range d.Resources {
		if err := res.Detach(d); err != nil {
			return err
		}
	}
	return nil
}

// set changes inputs and outputs of a resource in the state; a nil value removes one.
func set(res *state.Resource, inputs, outputs map[string]any) error {
	for field, change := range map[string]struct{ values, changes map[string]any }{
		"inputs":  {res.Inputs, inputs},
		"outputs": {res.Outputs, outputs},
	} {
		if change.values == nil {
			continue
		}
		for key, value := range change.changes {
			if value == nil {
				delete(change.values, key)
			} else {
				change.values[key] = value
			}
		}
		if err := res.Set(field, change.values); err != nil {
			return err
		}
	}
	return nil
}

// given returns a text that was set, nil for "".
func given(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// renew replaces what identifies an object in the state.
func renew(res *state.Resource, live map[string]any) error {
	metadata, is := props.Map(res.Outputs).Object("metadata"), props.Map(live).Object("metadata")
	if metadata == nil {
		return nil
	}
	for _, key := range []string{"uid", "resourceVersion", "creationTimestamp", "generation"} {
		if is[key] != nil {
			metadata[key] = is[key]
		}
	}
	return set(res, nil, map[string]any{"metadata": map[string]any(metadata)})
}

func inJSON(value any) string {
	text, _ := json.Marshal(value) // it was decoded from JSON
	return string(text)
}
