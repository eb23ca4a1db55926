package binding

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// RefuseWithoutHostedCluster returns the refusal of what is done with a hosted cluster if the stack's kind has none.
func RefuseWithoutHostedCluster(s *workspace.Stack) error {
	if s.File == nil {
		return nil
	}
	return kind.RefuseWithoutHostedCluster(s.Name, s.File.Kind)
}

// Dependent is the cluster that depends on a stack's resources, according to the stack's state and file.
type Dependent struct {
	// Kind is the kind of its object, "HostedCluster" or "Cluster"; "" for a management stack, on which no cluster depends
	// directly.
	Kind string
	// Name is that of its object, InfraID its infra ID. Name is the stack's for a management stack.
	Name, InfraID string
	// Tag is the key of the tag of its resources in AWS.
	Tag string
	// Further are the infra IDs of further clusters that depend on the stack.
	Further []string
	// Object is its object in the stack's state, nil if there is none.
	Object *clusterstatus.HostedCluster
	// None is true for a stack that adds to the cluster of another owner: no cluster depends on it.
	None bool
}

// FindDependent finds the cluster that depends on the stack's resources. If the state has no outputs, as after a first
// update that failed, and the file cannot be read, it uses the tags of the resources in the state.
func FindDependent(ctx context.Context, s *workspace.Stack) (Dependent, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return Dependent{}, err
	}
	outputs := s.State.Outputs()
	d := Dependent{Name: outputs.String("name"), InfraID: outputs.String("infraID")}
	name := s.Kind()
	of := kind.ByName(kind.OrCluster(name)).Cluster
	if of == nil {
		return Dependent{Name: s.Name, None: kind.ByName(name).Guest != nil}, nil
	}
	d.Kind, d.Object = of.Object, of.Find(resources)
	if s.File != nil && s.File.Kind == kind.OrCluster(name) {
		inFile := config.IdentityOf(s.File.Section)
		d.Name, d.InfraID = cmp.Or(d.Name, inFile.Name), cmp.Or(d.InfraID, inFile.InfraID)
		d.Further = inFile.Further
	}
	if d.Object != nil {
		d.Name = d.Object.Name
	}
	if d.InfraID == "" {
		for _, r := range resources {
			d.InfraID = cmp.Or(d.InfraID, clusterstatus.InfraIDOf(r.Inputs))
		}
	}
	for _, infraID := range outputs.Strings("clusters") {
		if !slices.Contains(d.Further, infraID) {
			d.Further = append(d.Further[:len(d.Further):len(d.Further)], infraID)
		}
	}
	d.Tag = of.Tag(d.Name, d.InfraID)
	d.Name = cmp.Or(d.Name, d.InfraID, s.Name)
	return d, nil
}

// InfraIDs are the infra IDs of all clusters that depend on the stack, none for clusters that have none.
func (d Dependent) InfraIDs() []string {
	if d.InfraID == "" {
		return d.Further
	}
	return append([]string{d.InfraID}, d.Further...)
}

// Refused returns the error of an operation that was refused before it changed anything.
func Refused(problem, remedy string) error {
	return &failure.Error{Reason: failure.Refused, Problem: problem + "; nothing was changed", Remedy: remedy}
}

// Bind resolves what an operation acts on, before its first question: see gate.Target. It asks the identity gate,
// and fails if the credentials lead to another account than the one of the stack's resources.
func (c *Connection) Bind(ctx context.Context, operation gates.Operation) error {
	target, warnings, err := c.bind(ctx, operation)
	for _, warning := range warnings {
		c.Stack.Say("warning: %s", warning)
	}
	if err != nil {
		return err
	}
	c.Target = target
	return nil
}

func (c *Connection) bind(ctx context.Context, operation gates.Operation) (*gate.Target, []string, error) {
	accounts, err := c.askAccounts(ctx, operation)
	if err != nil {
		return nil, nil, err
	}
	reading, _, warnings, err := c.AskIdentity(ctx, operation)
	found, refused := accounts()
	if err != nil {
		return nil, warnings, err
	}
	dependent, err := FindDependent(ctx, c.Stack)
	if err != nil {
		return nil, warnings, err
	}
	target := &gate.Target{
		Stack: c.Stack.Name, ManagementCluster: reading.ManagementCluster, Server: describeServer(reading.Address),
		InfraID: dependent.InfraID,
		File:    c.Stack.Session.Project.StackFileDigest(c.Stack.Name), Accounts: found,
	}
	return target, warnings, c.Stack.Session.Gates.Refusal(gate.IdentityGate(), refused)
}

// askAccounts begins to ask which accounts the credentials lead to, and returns what waits for the answer: the
// management cluster is asked at the same time. Some operations need no account.
func (c *Connection) askAccounts(
	ctx context.Context,
	operation gates.Operation,
) (func() ([]gate.TargetAccount, error), error) {
	noAccount := []gates.Operation{gates.Forget, gates.Backup, gates.Status, gates.Access}
	if slices.Contains(noAccount, operation) {
		return func() ([]gate.TargetAccount, error) { return nil, nil }, nil
	}
	// Both need the state and the accounts of the environment.
	if err := c.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	if err := c.Stack.Providers.Attach(); err != nil {
		return nil, err
	}
	var found []gate.TargetAccount
	var err error
	var asked sync.WaitGroup
	asked.Go(func() { found, err = c.Stack.Providers.Accounts(ctx) })
	return func() ([]gate.TargetAccount, error) {
		asked.Wait()
		return found, err
	}, nil
}

// describeServer returns the URL of an API server's address, with a digest of the CA.
func describeServer(address string) string {
	url, ca, _ := strings.Cut(address, "\n")
	if strings.TrimSpace(ca) == "" {
		return url
	}
	return fmt.Sprintf("%s (CA %.8x)", url, sha256.Sum256([]byte(ca)))
}

// ConfirmTarget resolves the target again, and fails if it is no longer the one that the operation began with, its
// state included: what a plan was made for is what the engine finds. Operations call life.Gates.Confirm, which also
// asks again whether the cluster of a deletion is alive.
func (c *Connection) ConfirmTarget(ctx context.Context, operation gates.Operation) error {
	if c.Target == nil {
		return c.Bind(ctx, operation)
	}
	c.Stack.Providers.Renew() // the credentials of now
	judged := c.Stack.KnownState()
	now, _, err := c.bind(ctx, operation)
	if err != nil {
		return err
	}
	return c.compare(ctx, operation, *now, judged)
}

// ConfirmFiles fails if the stack's file or state is no longer the one that the operation began with. It asks neither
// AWS nor the management cluster.
func (c *Connection) ConfirmFiles(ctx context.Context, operation gates.Operation) error {
	now := *c.Target
	now.File = c.Stack.Session.Project.StackFileDigest(c.Stack.Name)
	return c.compare(ctx, operation, now, c.Stack.KnownState())
}

// compare asks the target gate whether the target and the state are still those that the operation began with.
func (c *Connection) compare(
	ctx context.Context,
	operation gates.Operation,
	now gate.Target,
	judged *state.Deployment,
) error {
	var refused error
	if why := c.Target.Differs(now); why != "" {
		refused = c.Target.Changed(operation, why)
	} else {
		refused = c.stateChanged(ctx, operation, judged)
	}
	return c.Stack.Session.Gates.Refusal(gate.TargetGate(), refused)
}

// stateChanged fails if another run has changed the state since it was read, or is writing it. Nil is a state that this
// run has changed itself. Where another program runs the engine, nothing else works on the stack.
func (c *Connection) stateChanged(ctx context.Context, operation gates.Operation, read *state.Deployment) error {
	writes := []gates.Operation{gates.Up, gates.Refresh, gates.Adopt, gates.Forget, gates.Destroy}
	if read == nil || c.Stack.Session.RunEngine != nil || !slices.Contains(writes, operation) {
		return nil
	}
	return c.Stack.Unchanged(ctx, read)
}

// StateTarget is the cluster that depends on a stack's resources, as far as the stack's state shows it. Empty fields
// are not known.
type StateTarget struct {
	Kind                     config.Kind
	InfraID, name, namespace string
}

// InState reads the target that a state records. If the state has no outputs, as after a first update that was
// interrupted, the target comes from its resources. The kind is then the file's, which may be nil.
func InState(d *state.Deployment, file *config.File) StateTarget {
	outputs, resources := d.Outputs(), d.InCloud()
	t := StateTarget{
		Kind:    config.Kind(outputs.String("kind")),
		InfraID: outputs.String("infraID"),
		name:    outputs.String("name"),
	}
	if t.Kind == "" && file != nil {
		t.Kind = file.Kind
	}
	t.Kind = kind.OrCluster(t.Kind)
	of := kind.ByName(t.Kind).Cluster
	if of == nil {
		return StateTarget{Kind: t.Kind}
	}
	if object := of.Find(resources); object != nil {
		t.name, t.namespace = cmp.Or(object.Name, t.name), object.Namespace
	}
	for _, r := range resources {
		t.InfraID = cmp.Or(t.InfraID, infraIDOf(r))
	}
	return t
}

// infraIDOf returns the infra ID of the cluster that a resource belongs to, "" if the resource does not show it.
func infraIDOf(r apitype.ResourceV3) string {
	if strings.HasSuffix(string(r.Type), ":"+crd.HostedCluster) {
		infraID, _, _ := unstructured.NestedString(r.Inputs, "spec", "infraID")
		return infraID
	}
	return clusterstatus.InfraIDOf(r.Inputs)
}

// Compare refuses to delete the resources of a state whose file describes another kind of stack or another cluster: the
// file then names what belongs to another stack, which no gate has checked. The file is nil if there is none.
func Compare(file *config.File, d *state.Deployment) error {
	if file == nil || d.Empty() {
		return nil
	}
	recorded := InState(d, file)
	differs := func(key, inFile, inState string) error {
		if inFile == "" || inState == "" || inFile == inState {
			return nil
		}
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("%s has %s %s, and the stack's state has %s; nothing was changed", file.Path, key, inFile,
				inState),
			Remedy: fmt.Sprintf("restore %s in the file, or select the stack that the file describes with -s", inState),
		}
	}
	if err := differs(config.KindKey, string(file.Kind), string(recorded.Kind)); err != nil {
		return err
	}
	of := kind.ByName(file.Kind)
	if of.Cluster == nil {
		return nil
	}
	identity, section := config.IdentityOf(file.Section), file.Kind.Key()
	for _, one := range []struct{ key, inFile, inState string }{
		{section + ".infraID", identity.InfraID, recorded.InfraID}, {section + ".name", identity.Name, recorded.name},
		{of.NamespaceKey(), identity.Namespace, recorded.namespace},
	} {
		if err := differs(one.key, one.inFile, one.inState); err != nil {
			return err
		}
	}
	return nil
}

// Swept is the hosted cluster whose leftovers a destroy deletes; the zero value is none.
type Swept struct {
	Name, InfraID string
	// NotOwn is true if only the stack's file has the infra ID.
	NotOwn bool
}

// FindSwept returns the hosted cluster whose leftovers a destroy of the stack deletes. It returns none for a stack of
// another kind, and none for a stack without resources, because then only the file names a cluster.
func FindSwept(ctx context.Context, s *workspace.Stack) (Swept, error) {
	of, err := FindDependent(ctx, s)
	if err != nil || of.Kind != crd.HostedCluster || s.State.Empty() {
		return Swept{}, err
	}
	if in := InState(s.State, s.File); kind.ByName(in.Kind).OwnsHostedCluster() {
		return Swept{Name: of.Name, InfraID: of.InfraID, NotOwn: in.InfraID != of.InfraID}, nil
	}
	return Swept{}, nil
}
