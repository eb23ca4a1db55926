// Package life decides whether the cluster that depends on a stack is alive, and asks before both are deleted.
package life

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/awsresources"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Gates are the gates of a deletion, and what they decided.
type Gates struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	// Deletion is the deletion that they have allowed, nil before that.
	Deletion *Deletion
	// ClusterDeleted is true once the engine has deleted the cluster's object in this operation, and seen its end.
	ClusterDeleted bool
}

// Confirm fails if the target is no longer the one that the operation began with: after a decision, and directly before
// each run of the engine. For a deletion it also asks the gates of Check again.
func (g *Gates) Confirm(ctx context.Context, operation gates.Operation) error {
	bound := g.Connection.Target != nil
	if err := g.Connection.ConfirmTarget(ctx, operation); err != nil || !bound || operation != gates.Destroy {
		return err
	}
	return g.askAgain(ctx)
}

// Deletion is the deletion of a stack's resources, and of the cluster that depends on them.
type Deletion struct {
	gate.Deletion
	// Object is the cluster's object in the stack's state, nil if there is none. CAPA is true if it is a Cluster of
	// Cluster API.
	Object *clusterstatus.HostedCluster
	CAPA   bool
	// Guest is the other owner's cluster that the stack's nodes belong to. It is nil if there is none, or if that cluster
	// is certainly gone.
	Guest *clusterstatus.HostedCluster
	// Protection keeps the engine from deleting the cluster and the resources that it depends on.
	Protection state.Protection
}

// Gate describes the gate that asks whether the cluster is alive that depends on a stack.
func Gate() gates.Gate {
	return gates.Gate{
		Name: "life",
		Refuses: "a destroy while the cluster that depends on the stack is alive or may be, unless the destroy " +
			"deletes that cluster first: its network, addresses, roles, and zones cannot be restored as they were. A " +
			"stack of kind management, network, or iam is kept too while a cluster whose file names it was forgotten and " +
			"is alive, or while a management cluster of the project has the stack's cluster; and a management stack, " +
			"while its management cluster has a HostedCluster",
		WayOn: "`adopt` the cluster, or let its owner delete it; `--management-cluster-gone`, " +
			"`--destroy-under-living-cluster`",
		Operations: []gates.Operation{gates.Destroy},
		Cost:       gates.CostAWS,
	}
}

// Check asks the gates of a destroy: whether other stacks use this one, whether the cluster that depends on it is the
// recorded one, whether that is alive, and what the user consents to. It changes nothing.
func (g *Gates) Check(ctx context.Context, gone bool, consent string) (*Deletion, error) {
	deletion, err := g.judge(ctx, gone, consent)
	if err == nil {
		g.Deletion = deletion
	}
	return deletion, err
}

// judge does the work of Check, and doesn't keep the result, so that a deletion can be checked again.
func (g *Gates) judge(ctx context.Context, gone bool, consent string) (*Deletion, error) {
	if err := g.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	asked := g.Stack.Session.Gates
	if err := asked.Refusal(users.UnusedGate(), users.CheckUnused(ctx, g.Stack, false)); err != nil {
		return nil, err
	}
	if err := asked.Refusal(gate.TargetGate(), binding.Compare(g.Stack.File, g.Stack.State)); err != nil {
		return nil, err
	}
	d, err := binding.FindDependent(ctx, g.Stack)
	if err != nil {
		return nil, err
	}
	confirmed, err := g.confirmedDeletion()
	if err != nil {
		return nil, err
	}
	deletion := g.deletionOf(d)
	deletion.ManagementGone, deletion.Consent = gone, consent
	if err := g.identify(ctx, deletion, d, confirmed); err != nil {
		return deletion, err
	}
	if d.None {
		deletion.Guest = g.livingGuest(ctx, deletion.Reading)
	}
	deletion.Life, deletion.Evidence, err = decide(g.facts(ctx, deletion, d, confirmed))
	return deletion, asked.Refusal(Gate(), cmp.Or(err, deletion.Judge()))
}

// deletionOf returns the deletion of the stack and of its dependent, by what the state has of both.
func (g *Gates) deletionOf(d binding.Dependent) *Deletion {
	deletion := &Deletion{Object: d.Object, CAPA: d.Kind == clusterstatus.KindCluster, Deletion: gate.Deletion{
		Stack: g.Stack.Name, Cluster: d.Name, InState: d.Object != nil, Management: d.Kind == "" && !d.None,
	}}
	if pools, _ := g.guest(); pools != nil {
		deletion.Cluster, deletion.InState = pools.Name, true
	}
	if d.Kind != "" || d.None {
		deletion.Protection = g.Stack.State.Protection(clusterstatus.OfCluster, recorded.DestroyGuardType)
	}
	return deletion
}

// identify reads what the management cluster answers about the cluster of a deletion, and adds what is recorded of
// both. confirmed is an earlier deletion of the cluster's object, nil if there is none.
func (g *Gates) identify(ctx context.Context, deletion *Deletion, d binding.Dependent, confirmed *consent.Use) error {
	var err error
	if deletion.ManagementGone {
		deletion.Reading, deletion.Identity, err = g.Connection.AskUntilSure(ctx, gates.Destroy)
	} else {
		// Resolve reports the warnings
		deletion.Reading, deletion.Identity, _, err = g.Connection.AskIdentity(ctx, gates.Destroy)
	}
	if err != nil || d.Object != nil {
		return err
	}
	if confirmed != nil {
		recorded := &deletion.Identity
		recorded.Object = confirmed.UID
		recorded.ManagementCluster = cmp.Or(recorded.ManagementCluster, confirmed.ManagementCluster)
	}
	g.findLiving(ctx, d, &deletion.Reading)
	return nil
}

// facts returns what the life of the cluster of a deletion is decided from.
func (g *Gates) facts(ctx context.Context, deletion *Deletion, d binding.Dependent, confirmed *consent.Use) facts {
	f := facts{Cluster: d.Kind != ""}
	if !d.None && users.IsReferred(g.Stack) {
		f.Users = func() (gates.Life, string, error) {
			return g.usersLife(ctx, d, deletion.Reading, deletion.ManagementGone)
		}
	}
	if !f.Cluster {
		return f
	}
	f.Elsewhere = deletion.Identity.OtherCluster(deletion.Reading) != ""
	if f.Another = deletion.Identity.Other(deletion.Reading) != ""; f.Another {
		return f
	}
	deleted := g.ClusterDeleted && d.Object == nil
	f.Own = gate.FactsOf(deletion.Identity, deletion.Reading, deleted, deletion.ManagementGone)
	f.Own.InAWS = func() gate.InAWS { return g.inAWS(ctx, d) }
	f.Own.Deleted = explained(confirmed, d.Object)
	if d.Object == nil && !g.ClusterDeleted && explained(confirmed, nil) == nil {
		f.Shared = func() (string, error) {
			for _, infraID := range d.InfraIDs() {
				if why, err := users.MayShare(ctx, g.Stack, infraID); why != "" || err != nil {
					return why, err
				}
			}
			return "", nil
		}
	}
	return f
}

// inAWS searches the accounts of the stack for signs of life of its cluster, and of further ones.
func (g *Gates) inAWS(ctx context.Context, d binding.Dependent) gate.InAWS {
	found := InAWS(ctx, g.Stack, g.Stack.State, d.Tag)
	for _, infraID := range d.Further {
		found = found.And("cluster "+infraID, InAWS(ctx, g.Stack, g.Stack.State, clusterstatus.LifeTag(infraID)))
	}
	return found
}

// InAWS searches the accounts of a stack for signs of life of the cluster whose resources have a tag. What own or the
// state of another stack of the backend has is no sign: it has an owner. A state that cannot be read owns nothing.
func InAWS(ctx context.Context, s *workspace.Stack, own *state.Deployment, tag string) gate.InAWS {
	if !s.Session.Environment.KnowsAccounts() {
		return gate.InAWS{} // the stack's resources belong to a provider under development
	}
	accounts, err := s.Providers.Living(ctx)
	if err != nil {
		return gate.InAWS{Err: err}
	}
	found := awsresources.SignsOfLife(ctx, own, tag, accounts)
	if len(found.Signs)+len(found.Traces) == 0 {
		return found // what others own would only take signs away
	}
	owned := &state.Deployment{Resources: slices.Clone(own.Resources)}
	err = s.Session.EachState(ctx, s.Name, func(other state.OfStack) {
		if other.Err == nil {
			owned.Resources = append(owned.Resources, other.Deployment.Resources...)
		}
	})
	if err != nil {
		return gate.InAWS{Err: err}
	}
	return awsresources.SignsOfLife(ctx, owned, tag, accounts)
}

// findLiving adds to a reading the object of a cluster that the state does not have: a HostedCluster by its infra ID, a
// Cluster by its name, in any namespace or, once this operation has deleted the object, where that was.
func (g *Gates) findLiving(ctx context.Context, d binding.Dependent, reading *gate.Reading) {
	if !reading.Configured || reading.Err != nil || d.Kind == "" {
		return
	}
	var place clusterstatus.ObjectKey
	if g.Deletion != nil && g.Deletion.Object != nil {
		place.Namespace, place.Name = g.Deletion.Object.Namespace, g.Deletion.Object.Name
	}
	reading.Err = g.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) (err error) {
		reading.Object, err = clusterstatus.LivingObject(ctx, api, d.Kind, d.InfraID, d.Name, place)
		return err
	})
	reading.NoAnswer = kubeapi.NoAnswer(reading.Err)
}

// explained returns the launch of the newest instance that a confirmed deletion of the cluster's object explains, nil
// if the deletion was never accepted.
func explained(confirmed *consent.Use, object *clusterstatus.HostedCluster) *time.Time {
	if confirmed == nil || object != nil && object.UID != confirmed.UID {
		return nil
	}
	return confirmed.Launched
}

// objectType returns the type in the URN of an object.
func objectType(urn string) string { return string(resource.URN(urn).Type()) }

// guest returns the cluster of another owner that node pools in the stack's state belong to, nil if there are none, and
// what the stack's kind has of it.
func (g *Gates) guest() (object *clusterstatus.HostedCluster, of *kind.Cluster) {
	name := config.Kind(g.Stack.State.Outputs().String("kind"))
	if name == "" && g.Stack.File != nil {
		name = g.Stack.File.Kind
	}
	if of = kind.ByName(name).Guest; of == nil {
		return nil, nil
	}
	return of.Find(g.Stack.State.InCloud()), of
}

// livingGuest is guest, unless the recorded management cluster certainly no longer has the cluster.
func (g *Gates) livingGuest(ctx context.Context, reading gate.Reading) *clusterstatus.HostedCluster {
	object, of := g.guest()
	if object == nil || !reading.Configured || reading.Err != nil {
		return object
	}
	err := g.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		living, err := api.Get(ctx, of.Object, object.Namespace, object.Name)
		if err == nil && living == nil {
			object = nil
		}
		return err
	})
	if err != nil {
		g.Stack.Say("warning: whether hosted cluster %s exists is unknown: %s", object.Name, err)
	}
	return object
}

// askAgain asks the gates of a deletion again. It records consent that was given in advance and is needed only now.
func (g *Gates) askAgain(ctx context.Context) error {
	if g.Deletion == nil {
		return fmt.Errorf("internal error: no gate has judged the deletion of stack %s", g.Stack.Name)
	}
	again, err := g.judge(ctx, g.Deletion.ManagementGone, g.Deletion.Consent)
	if err != nil {
		return err
	}
	why := again.ConsentReason()
	if why == "" || g.Deletion.ConsentReason() != "" {
		return nil
	}
	g.Deletion.Deletion = again.Deletion
	return g.Stack.AddUse(workspace.Use{Flag: gate.ConsentFlag, Value: again.Consent, Evidence: why})
}

// usersLife decides whether a cluster that uses this stack is alive, although no state of the backend has it: it was
// forgotten, its state was lost, or another tool created it. The clusters are those of the files that name the stack,
// and those with its infra ID in the management clusters of all files; for a management stack, those with documents in
// its bucket, and the HostedClusters of its management cluster.
func (g *Gates) usersLife(
	ctx context.Context,
	d binding.Dependent,
	reading gate.Reading,
	gone bool,
) (life gates.Life, evidence string, err error) {
	life, evidence = gates.Gone, "no stack uses it"
	kubeconfigs := map[config.Kubeconfig]bool{}
	g.Stack.Session.EachFile(g.Stack.Name, func(name string, file *config.File, unread error) {
		switch {
		case life != gates.Gone || err != nil:
			return
		case unread != nil:
			life, evidence = gates.Unknown, fmt.Sprintf("the file of stack %s, which may use it, cannot be read (%v); if it does not, name it with %s", name, unread, gate.UnreadFlag)
			return
		}
		if k := file.ManagementCluster(); k != nil {
			kubeconfigs[*k] = true
		}
		if config.IdentityOf(file.Section).Relation == config.OwnsCluster && users.Refers(g.Stack, file) {
			life, evidence, err = g.userLife(ctx, name, file, gone)
		}
	})
	if life != gates.Gone || err != nil {
		return life, evidence, err
	}
	if infraLife, why, err := g.infraLife(ctx, d.InfraIDs(), kubeconfigs); err != nil || infraLife != gates.Gone {
		return infraLife, why, err
	}
	if d.Kind != "" {
		return life, evidence, nil
	}
	if reading.Configured {
		if life, evidence, err = g.hostedLife(ctx, reading); err != nil || life != gates.Gone {
			return life, evidence, err
		}
	}
	if documents, found := g.documentsLife(ctx); documents != gates.Gone || !reading.Configured {
		return documents, found, nil
	}
	return life, evidence, nil
}

// infraLife decides by the management clusters of all files, and by what the stacks of the backend remember, whether a
// cluster with one of the infra IDs is alive.
func (g *Gates) infraLife(
	ctx context.Context,
	infraIDs []string,
	kubeconfigs map[config.Kubeconfig]bool,
) (life gates.Life, evidence string, err error) {
	if len(infraIDs) == 0 {
		return gates.Gone, "", nil
	}
	read := map[string]bool{}
	for k := range kubeconfigs {
		// A management cluster that only files of others name may be unreachable.
		alive, _ := binding.Ask(ctx, g.Connection, k,
			func(ctx context.Context, api workspace.Cluster) (map[string]string, error) {
				alive, err := api.Infrastructures(ctx)
				if uid, unread := api.ClusterUID(ctx); err == nil && unread == nil {
					read[uid] = true
				}
				return alive, err
			})
		for _, infraID := range infraIDs {
			if object := alive[infraID]; object != "" {
				return gates.Alive, object + " is in a management cluster of the project", nil
			}
		}
	}
	for _, infraID := range infraIDs {
		if why, err := users.Forgotten(ctx, g.Stack, infraID, read); err != nil || why != "" {
			return gates.Unknown, why, err
		}
	}
	return gates.Gone, "", nil
}

// documentsLife decides by the documents of issuers in the OIDC bucket of a management stack whether clusters use it,
// wherever they are: HyperShift's operator deletes those of a cluster with the cluster.
func (g *Gates) documentsLife(ctx context.Context) (life gates.Life, evidence string) {
	open := g.Stack.Providers.Current(ctx)
	for _, bucket := range g.Stack.State.Resources {
		if string(bucket.Type) != awstype.Bucket || bucket.Delete || !g.Stack.Session.Environment.KnowsAccounts() {
			continue
		}
		aws, err := open(g.Stack.State.Provider(bucket.Provider), bucket.Provider)
		var objects []inventory.Resource
		if err == nil {
			objects, err = aws.List(ctx, account.Query{
				Type:   awstype.BucketObject,
				Inputs: map[string]any{"bucket": string(bucket.ID)},
			})
		}
		objects = slices.DeleteFunc(objects, func(o inventory.Resource) bool { return o.Text("bucket") != string(bucket.ID) })
		var answer interface{ ErrorCode() string }
		switch {
		case errors.As(err, &answer) && answer.ErrorCode() == "NoSuchBucket":
		case len(objects) > 0:
			return gates.Unknown, fmt.Sprintf("S3 bucket %s has documents of an issuer: %s", bucket.ID, objects[0].ID)
		case err != nil:
			return gates.Unknown, fmt.Sprintf("S3 bucket %s cannot be searched for documents of issuers: %v", bucket.ID, err)
		}
	}
	return gates.Gone, "no stack uses it, and no issuer has documents in it"
}

// userLife decides whether the cluster of another stack of the project is alive, which has no resources in its state:
// at most it records the management cluster of a cluster that it has forgotten.
func (g *Gates) userLife(ctx context.Context, name string, file *config.File, gone bool) (gates.Life, string, error) {
	other := g.Stack.Session.Stack(name, file)
	recorded, err := g.Stack.Session.StateOf(ctx, name)
	if err != nil {
		return gates.Unknown, "", err
	}
	if recorded == nil {
		recorded = &state.Deployment{}
	}
	other.State, other.StateRead = recorded, true
	its := &Gates{Stack: other, Connection: &binding.Connection{Stack: other}}
	deletion, err := its.Check(ctx, gone, "")
	other.Close()
	switch {
	case err != nil && (deletion == nil || deletion.Evidence == ""):
		return gates.Unknown, "", fmt.Errorf("reading whether the cluster of stack %s, which uses stack %s, is alive: %w",
			name, g.Stack.Name, err)
	case err != nil:
		return deletion.Life, fmt.Sprintf("cluster %s of stack %s: %s", deletion.Cluster, name, deletion.Evidence), nil
	}
	return gates.Gone, "the clusters of the stacks that use it are gone", nil
}

// hostedLife decides whether the management cluster of a management stack has HostedClusters.
func (g *Gates) hostedLife(ctx context.Context, reading gate.Reading) (gates.Life, string, error) {
	err := reading.Err
	var hosted []map[string]any
	if err == nil {
		err = g.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) (err error) {
			hosted, err = api.List(ctx, crd.HostedCluster, "")
			return err
		})
	}
	switch {
	case err != nil:
		return gates.Unknown, fmt.Sprintf("its management cluster cannot be read for HostedClusters (%v)", err), nil
	case len(hosted) > 0:
		one := unstructured.Unstructured{Object: hosted[0]}
		return gates.Alive, fmt.Sprintf("its management cluster has HostedCluster %s/%s", one.GetNamespace(),
			one.GetName()), nil
	}
	return gates.Gone, "its management cluster has no HostedCluster", nil
}
