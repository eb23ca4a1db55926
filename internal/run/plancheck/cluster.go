// Package plancheck checks whether AWS and the management cluster will accept what a plan of a stack creates.
package plancheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/heldfields"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Checker checks a stack's plans.
type Checker struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	Conflicts  *heldfields.Conflicts
	// server are the kinds and schemas of the management cluster, nil until they are read.
	server *clusterstatus.Server
}

// readServer reads the kinds and schemas of the management cluster, once per operation.
func (c *Checker) readServer(
	ctx context.Context,
	api clusterstatus.ManagementCluster,
) (_ *clusterstatus.Server, err error) {
	if c.server == nil {
		c.server, err = clusterstatus.ReadServer(ctx, api, binding.KubeconfigKey(c.Stack))
	}
	return c.server, err
}

// ServerGate describes the gate of CheckManagementCluster.
func ServerGate() gates.Gate {
	return gates.Gate{
		Name: "server",
		Refuses: "a HostedCluster for a management cluster that does not answer, does not have HyperShift's kinds or " +
			"a field that the file sets, or is deleting the cluster: the update would fail halfway",
		WayOn:      "correct the kubeconfig, or upgrade HyperShift",
		Operations: []gates.Operation{gates.Up, gates.Preview},
		Cost:       gates.CostManagementCluster,
	}
}

// CheckManagementCluster fails if the hosted cluster's objects cannot be applied to the management cluster: its API
// server does not answer, does not have HyperShift's kinds or a field that the file sets, or is deleting the stack's
// HostedCluster. It changes nothing, and does nothing for a stack without such objects. CheckIdentity compares which
// management cluster it is.
func (c *Checker) CheckManagementCluster(ctx context.Context) error {
	return c.Connection.CallIfChecked(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		server, err := c.readServer(ctx, api)
		c.Connection.Unanswered = err != nil
		if err != nil {
			return err
		}
		if err := c.checkFileFields(ctx, server); err != nil {
			return err
		}
		cluster, err := c.Stack.HostedCluster(ctx)
		if err != nil || cluster == nil {
			return err
		}
		return clusterstatus.CheckNotDeleted(ctx, api, cluster, c.Stack.Name)
	})
}

// ObjectsGate describes the gate of CheckPlan.
func ObjectsGate() gates.Gate {
	return gates.Gate{
		Name: "objects",
		Refuses: "a plan that creates what AWS already has with the stack's tags: its state has lost it; a plan whose " +
			"objects the management cluster would not accept: it has one of that name already, does not have a field, deletes " +
			"their namespace, refuses it by a webhook, a policy or a quota, or does not allow the user of the kubeconfig to " +
			"apply it; a plan or a destroy that deletes a cluster or its nodes, if the management cluster would refuse one of " +
			"the deletions: node pools would be deleted, and the cluster not; and a new HostedCluster with the infra ID of " +
			"another stack's cluster, or a new cluster or network for a cluster of which AWS shows signs of life: it is in " +
			"another management cluster",
		WayOn:      "`adopt` what exists, or correct the file, its kubeconfig or the permissions",
		Operations: []gates.Operation{gates.Up, gates.Preview, gates.Adopt, gates.Destroy},
		Cost:       gates.CostManagementCluster,
	}
}

// CheckPlan fails if the management cluster's version of HyperShift does not support a field that the plan would set,
// if the kubeconfig's user may not do there what the plan does, if the management cluster or AWS already has what the
// plan would create, if it refuses one by a dry run, or if it deletes a namespace of the plan.
func (c *Checker) CheckPlan(ctx context.Context, p *changes.Plan) error {
	if err := c.CheckFields(ctx, p); err != nil {
		return err
	}
	if err := c.checkAccess(ctx, p); err != nil {
		return err
	}
	if err := c.checkNamespaces(ctx, p); err != nil {
		return err
	}
	if err := c.CheckNewObjects(ctx, p); err != nil {
		return err
	}
	if err := c.checkCreations(ctx, p); err != nil {
		return err
	}
	if err := c.checkDeletions(ctx, p); err != nil {
		return err
	}
	if err := c.checkNewCluster(ctx, p); err != nil {
		return err
	}
	return c.checkNewResources(ctx, p)
}

// checkNewCluster fails if the plan creates the object of a cluster that may exist already, in the stack of another
// user or in another management cluster: each of the two control planes would change and delete what the other one has
// in AWS. States and AWS are read only for such a plan. What AWS shows of a creation that was interrupted is left to
// Recover.
func (c *Checker) checkNewCluster(ctx context.Context, p *changes.Plan) error {
	of := kind.ByName(c.Stack.File.Kind).Cluster
	if of == nil {
		return nil
	}
	listed := plan.Listed(p)
	i := slices.IndexFunc(listed, func(step *changes.Step) bool {
		return step.Change == changes.Create && strings.HasPrefix(step.Type,
			"kubernetes:") && strings.HasSuffix(step.Type, ":"+of.Object)
	})
	if i < 0 {
		return c.checkNewNetwork(ctx, p)
	}
	cluster, err := binding.FindDependent(ctx, c.Stack)
	if err != nil {
		return err
	}
	if of.Object == crd.HostedCluster {
		if why, err := users.MayShare(ctx, c.Stack, cluster.InfraID); err != nil || why != "" {
			return cmp.Or(err, binding.Refused("the infra ID "+cluster.InfraID+" may be that of another cluster: "+why,
				"use another infraID, or let that stack have the HostedCluster"))
		}
	}
	if begun, err := c.begun(ctx); err != nil || begun[listed[i].URN] {
		return err
	}
	own := &state.Deployment{}
	for _, r := range p.Existing() {
		own.Resources = append(own.Resources, &state.Resource{ResourceV3: r})
	}
	found := life.InAWS(ctx, c.Stack, own, cluster.Tag)
	if found.Err != nil {
		return fmt.Errorf("searching AWS for another cluster with the tag %s: %w", cluster.Tag, found.Err)
	}
	shown := slices.Concat(found.Signs, found.Traces)
	if len(shown) == 0 {
		return nil
	}
	remedy := "correct the kubeconfig if that cluster is in another management cluster; otherwise use another name"
	if of.Object == crd.HostedCluster {
		remedy = "correct the kubeconfig if that cluster is in another management cluster; if it is lost, `hypershift-aws sweep --infra-id " + cluster.InfraID +
			"` finds what it left; otherwise use another infraID"
	}
	return binding.Refused(fmt.Sprintf("the plan creates %s %s, but AWS has what only a running cluster with the tag %s has: %s", of.Object, cluster.Name, cluster.Tag,
		strings.Join(shown, ", ")), remedy)
}

// checkNewNetwork fails if the first update of a stack without the cluster's object creates a second network for a
// cluster that is running elsewhere: the stack could not be destroyed as long as that cluster is alive. What operators
// of a cluster that is gone have left is not its sign of life.
func (c *Checker) checkNewNetwork(ctx context.Context, p *changes.Plan) error {
	isVPC := func(step *changes.Step) bool { return step.Change == changes.Create && step.Type == awstype.VPC }
	if len(p.Existing()) > 0 || !slices.ContainsFunc(p.Steps, isVPC) {
		return nil
	}
	cluster, err := binding.FindDependent(ctx, c.Stack)
	if err != nil || cluster.Tag == "" {
		return err
	}
	found := life.InAWS(ctx, c.Stack, &state.Deployment{}, cluster.Tag)
	if len(found.Signs) == 0 { // a list that AWS refuses keeps nobody from a network
		return nil
	}
	return binding.Refused(fmt.Sprintf("the plan creates a VPC, but AWS has what only a running cluster with the tag %s has: %s",
		cluster.Tag, strings.Join(found.Signs, ", ")),
		"use the infra ID or the name of another cluster; if the network of that one is this stack's, and its state is lost, "+
			"take it back: `hypershift-aws adopt -s "+c.Stack.Name+" --preview`")
}

// checkNamespaces fails if the management cluster is deleting a namespace of objects that the plan creates or updates:
// it refuses new objects there, after the AWS resources that come before them. A namespace that cannot be read is not
// checked.
func (c *Checker) checkNamespaces(ctx context.Context, p *changes.Plan) error {
	var namespaces []string
	for _, step := range plan.Listed(p) {
		if !strings.HasPrefix(step.Type, "kubernetes:") || step.Change == changes.Delete {
			continue
		}
		name := props.Map(step.New).String("metadata", "namespace")
		if props.Map(step.New).String("kind") == "Namespace" {
			name = heldfields.NameOf(step.New)
		}
		if name != "" && !strings.Contains(name, changes.UnknownValue) && !slices.Contains(namespaces, name) {
			namespaces = append(namespaces, name)
		}
	}
	if len(namespaces) == 0 || binding.AppliedBy(c.Stack.File) == nil {
		return nil
	}
	slices.Sort(namespaces)
	return c.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, name := range namespaces {
			if err := clusterstatus.CheckNamespace(ctx, api, name, c.Stack.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

// CheckFields fails if the definitions in the management cluster lack fields of the objects in a plan, or if its
// operator was installed for another region than a HostedCluster needs.
func (c *Checker) CheckFields(ctx context.Context, p *changes.Plan) error {
	return c.Connection.CallIfChecked(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		var server *clusterstatus.Server
		for _, step := range plan.Listed(p) {
			if kind := props.Map(step.New).String("kind"); kind != crd.HostedCluster && kind != crd.NodePool {
				continue
			}
			if server == nil {
				var err error
				if server, err = c.readServer(ctx, api); err != nil {
					return err
				}
			}
			if err := server.CheckFields(step.New, nil); err != nil {
				return err
			}
			if err := server.CheckValues(step.New, step.Old, changes.UnknownValue, nil); err != nil {
				return err
			}
			if err := clusterstatus.CheckOperatorRegion(ctx, api, step.New); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkAccess fails if the user of the kubeconfig may not do in the management cluster what the plan does.
func (c *Checker) checkAccess(ctx context.Context, p *changes.Plan) error {
	needed := neededAccess(p)
	if len(needed) == 0 || binding.AppliedBy(c.Stack.File) == nil {
		return nil
	}
	return c.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		return clusterstatus.CheckAccess(ctx, api, kind.ByName(c.Stack.File.Kind).KubeconfigKey, needed)
	})
}

// Explain returns the error of the engine's preview, which sends the changes of objects to the management cluster as
// dry runs. Of one that the API server forbids, it returns what the user of the kubeconfig may not do with the objects
// of the stack: all that is missing, and not the first request alone.
func (c *Checker) Explain(ctx context.Context, failed error) error {
	text := failed.Error()
	if reported := (*failure.Error)(nil); errors.As(failed, &reported) {
		text += strings.Join(reported.Reported, "\n") // the engine's own messages
	}
	if !strings.Contains(text, "is forbidden: User") && !strings.Contains(text, "cannot patch resource") {
		return failed
	}
	resources, err := c.Stack.Resources(ctx)
	if err != nil || binding.AppliedBy(c.Stack.File) == nil {
		return failed
	}
	var needed []clusterstatus.Permission
	for _, r := range resources {
		object := props.Map(r.Inputs)
		if !strings.HasPrefix(string(r.Type), "kubernetes:") || r.Delete || object.String("kind") == "" {
			continue
		}
		for _, verb := range []string{"get", "patch"} {
			needed = append(needed, clusterstatus.Permission{
				Verb: verb, Kind: object.String("kind"), Namespace: object.String("metadata", "namespace"),
				Name: object.String("metadata", "name"),
			})
		}
	}
	var missing *failure.Error
	err = c.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		return clusterstatus.CheckAccess(ctx, api, binding.KubeconfigKey(c.Stack), needed)
	})
	if !errors.As(err, &missing) || missing.Reason != failure.Refused {
		return failed
	}
	missing.Cause = failed
	return missing
}

// CheckNewObjects fails if the management cluster already has an object that a plan creates. The engine's provider
// would refuse such a creation, after the AWS resources that come before it. An object whose creation was interrupted
// is left to Recover. An object that cannot be read is not checked: the caller may be allowed to create what it may not
// read.
func (c *Checker) CheckNewObjects(ctx context.Context, p *changes.Plan) error {
	var steps []*changes.Step
	for _, step := range plan.Listed(p) {
		if step.Change == changes.Create && strings.HasPrefix(step.Type,
			"kubernetes:") && !strings.HasSuffix(step.Type, "Patch") {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 || binding.AppliedBy(c.Stack.File) == nil {
		return nil
	}
	begun, err := c.begun(ctx)
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(step *changes.Step) bool { return begun[step.URN] })
	found, err := c.existing(ctx, steps, namespaceIn(p))
	if err != nil || len(found) == 0 {
		return err
	}
	theirs := "they are this stack's"
	if m := config.As[*config.Management](c.Stack.File); m != nil && m.Operator.Install != nil {
		theirs += ", or those of `hypershift install`"
	}
	return clusterstatus.RefuseTaken(c.Stack.Name, theirs, found)
}

// existing returns the objects of steps that the management cluster has, as far as the plan knows their names.
func (c *Checker) existing(
	ctx context.Context,
	steps []*changes.Step,
	namespaces func(object props.Map) (namespace string, known bool),
) (found []string, err error) {
	err = c.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, step := range steps {
			object := unstructured.Unstructured{Object: step.New}
			kind, name := object.GetKind(), object.GetName()
			namespace, known := namespaces(step.New)
			if kind == "" || name == "" || !known || strings.Contains(name, changes.UnknownValue) {
				continue
			}
			existing, err := api.Get(ctx, kind, namespace, name)
			if _, exists := existing["metadata"]; err == nil && exists { // an operator of an offline cluster has none
				found = append(found, kind+" "+strings.TrimPrefix(namespace+"/"+name, "/"))
			}
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

// begun returns the URNs of the creations that an earlier run began and did not end, which Recover settles.
func (c *Checker) begun(ctx context.Context) (map[string]bool, error) {
	if err := c.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	return recovery.Begun(c.Stack.State, recovery.NewJournal(c.Stack.WorkDir))
}

// namespaceIn returns the namespaces of a plan's objects, "" for objects without one. A namespace that is not known yet
// is the one that the plan creates or adds to; without one it is not known.
func namespaceIn(p *changes.Plan) func(object props.Map) (namespace string, known bool) {
	created := ""
	for _, step := range plan.Listed(p) {
		if step.Change == changes.Create && props.Map(step.New).String("kind") == "Namespace" {
			created = props.Map(step.New).String("metadata", "name")
		}
	}
	return func(object props.Map) (string, bool) {
		namespace := object.String("metadata", "namespace")
		if strings.Contains(namespace, changes.UnknownValue) {
			return created, created != ""
		}
		return namespace, true
	}
}

// neededAccess returns what the plan does in the management cluster. What is done in a namespace that is not known is
// left out.
func neededAccess(p *changes.Plan) []clusterstatus.Permission {
	var needed []clusterstatus.Permission
	namespaces := namespaceIn(p)
	for _, step := range plan.Listed(p) {
		if !strings.HasPrefix(step.Type, "kubernetes:") {
			continue
		}
		object := props.Map(step.New)
		if object == nil {
			object = step.Old
		}
		kind, name := object.String("kind"), object.String("metadata", "name")
		namespace, known := namespaces(object)
		if !known {
			continue
		}
		if strings.Contains(name, changes.UnknownValue) {
			name = ""
		}
		var verbs []string
		switch {
		case strings.HasSuffix(step.Type, "Patch"):
			verbs = []string{"patch"}
		case step.Change == changes.Create: // the provider creates an object by server-side apply, which needs both
			verbs = []string{"create", "patch"}
		case step.Change == changes.Update:
			verbs = []string{"patch"}
		case step.Change == changes.Replace:
			verbs = []string{"create", "patch", "delete"}
		case step.Change == changes.Delete:
			verbs = []string{"delete"}
		}
		for _, verb := range verbs {
			if access := (clusterstatus.Permission{
				Verb:      verb,
				Kind:      kind,
				Namespace: namespace,
				Name:      name,
			}); kind != "" && !slices.Contains(needed, access) {
				needed = append(needed, access)
			}
		}
	}
	return needed
}

// checkFileFields fails if the file sets a field of an existing object that the server does not support: the engine's
// preview of an update would fail there, with the field's path in the object.
func (c *Checker) checkFileFields(ctx context.Context, server *clusterstatus.Server) error {
	objects, err := c.Conflicts.Applied(ctx)
	if err != nil {
		return err
	}
	for _, of := range objects {
		if err := server.CheckFields(of.Object, of.Key); err != nil {
			return err
		}
		if of.Inputs == nil {
			continue // the object of a new cluster is in the plan, with all its fields
		}
		if err := server.CheckValues(of.Object, of.Inputs, "", of.Key); err != nil {
			return err
		}
	}
	return nil
}
