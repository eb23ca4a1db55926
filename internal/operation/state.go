package operation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/connectivity"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Resources returns the resources of the stack's state that represent something in a cloud, created or read by the
// stack.
func (s *Stack) Resources(ctx context.Context) ([]apitype.ResourceV3, error) {
	all, err := s.ResourcesAndProviders(ctx)
	return slices.DeleteFunc(all, func(r apitype.ResourceV3) bool { return strings.HasPrefix(string(r.Type), "pulumi:") }), err
}

// ResourcesAndProviders returns Resources and their providers.
func (s *Stack) ResourcesAndProviders(ctx context.Context) ([]apitype.ResourceV3, error) {
	if err := s.currentState(ctx); err != nil {
		return nil, err
	}
	return s.state.InCloud(), nil
}

// Paths checks the paths of traffic and DNS names through the resources in the stack's state. The stack must have a file.
func (s *Stack) Paths(ctx context.Context) ([]connectivity.Path, error) {
	if err := kind.NeedsNetwork(s.Name, s.file.Kind); err != nil {
		return nil, err
	}
	outputs, err := s.Outputs(ctx, false)
	if err != nil {
		return nil, err
	}
	if outputs["kind"] == nil {
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no network to check: it is not deployed", s.Name),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`", s.Name),
		}
	}
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	section := s.file.Section
	if joined, others := s.withNetworkStack(ctx); joined != nil {
		section, resources = joined, append(resources, others...)
	}
	graph := connectivity.NewGraph(connectivity.Deployed(resources))
	if id := givenVPC(s.file.Kind, section, outputs); id != "" && s.session.Environment.KnowsAccounts() {
		if err := s.readGiven(ctx, graph, id); err != nil {
			s.say("VPC %s exists outside the stack and cannot be read: %s; its routes and network ACLs are not checked", id, err)
		}
	}
	return kind.Of(s.file.Kind).Paths(section, graph, outputs)
}

// withNetworkStack returns the section of a cluster whose network is that of another stack, as if the network were its own, and the resources of that
// stack. The section is nil without such a stack, or if its file or its state cannot be read here: then its VPC is read in AWS.
func (s *Stack) withNetworkStack(ctx context.Context) (config.Section, []apitype.ResourceV3) {
	c := s.file.Cluster
	if c == nil || c.NetworkStack == "" {
		return nil, nil
	}
	file, err := s.session.Project.LoadStack(c.NetworkStack)
	if err != nil || file.Network == nil {
		return nil, nil
	}
	other, err := s.session.stackToRead(c.NetworkStack)
	if other == nil || err != nil || other.readState(ctx) != nil {
		return nil, nil
	}
	joined := *c
	joined.Network, joined.NetworkStack = file.Network.Network, ""
	return &joined, other.state.InCloud()
}

// givenVPC returns the ID of the VPC that exists outside the stack, "" if the stack has its own.
func givenVPC(name config.Kind, section config.Section, outputs map[string]any) string {
	if given := kind.Of(name).GivenVPC; given != nil {
		return given(section, outputs)
	}
	return ""
}

// readGiven adds a VPC that exists outside the stack to the graph. What the credentials may not list is left out, and the paths that depend on
// it report that.
func (s *Stack) readGiven(ctx context.Context, graph *connectivity.Graph, vpcID string) error {
	opened, err := s.inventory(ctx, "")
	if err != nil {
		return err
	}
	aws := opened.Snapshot()
	var resources []props.Resource
	list := func(q account.Query) error {
		found, err := aws.List(ctx, q)
		for _, r := range found {
			one := props.Resource{Type: r.Type, ID: r.ID, Map: props.Map(r.Properties)}
			tags := map[string]any{}
			for key, value := range r.Tags {
				tags[key] = value
			}
			one.Map["tags"] = tags
			if r.State != "" {
				one.Map["state"] = r.State
			}
			if r.VPC == vpcID || len(q.IDs) > 0 {
				resources = append(resources, one)
			}
		}
		return err
	}
	for _, token := range connectivity.GivenTypes() {
		q := account.Query{Type: token, Inputs: map[string]any{"vpcId": vpcID}}
		if token == awstype.VPC {
			q = account.Query{Type: token, IDs: []string{vpcID}}
		}
		if err := list(q); err != nil {
			s.say("reading VPC %s: %s; what depends on it is reported as not modelled", vpcID, err)
		}
	}
	deployed, err := s.Resources(ctx)
	if err != nil {
		return err
	}
	if ids := connectivity.PrefixListsIn(append(connectivity.Deployed(deployed), resources...)); len(ids) > 0 {
		for _, id := range ids {
			if err := list(account.Query{Type: awstype.PrefixList, IDs: []string{id}}); err != nil {
				s.say("reading prefix list %s: %s; what depends on it is reported as not modelled", id, err)
			}
		}
	}
	graph.WithGiven(resources)
	return nil
}

// DurationsFile returns the path of the file with the durations of the stack's operations.
func (s *Stack) DurationsFile() string { return filepath.Join(s.workDir, "durations.json") }

// currentState reads the stack's state unless nothing has changed it since it was read.
func (s *Stack) currentState(ctx context.Context) error {
	if s.stateRead {
		return nil
	}
	if err := s.readState(ctx); err != nil {
		return s.classify(err)
	}
	return nil
}

// stateChanged discards the state that was read: it is read again when it is next needed.
func (s *Stack) stateChanged() { s.stateRead = false }

// readState reads the stack's state, after it has been restored if an engine left it damaged.
func (s *Stack) readState(ctx context.Context) error {
	// The file of an update that runs may be incomplete because it is being written.
	lock, err := s.held()
	if err == nil && lock == nil {
		err = s.session.restoreDamaged(s.stateFile(), s.workDir)
	}
	var read *state.Deployment
	if err == nil {
		read, err = s.storedState(ctx)
	}
	if err != nil && lock != nil {
		err = lockedBy(s.Name, lock)
	}
	s.stateRead = err == nil
	if err != nil {
		read = &state.Deployment{}
	}
	s.state = read
	return err
}

// storedState reads the state from the backend's file, otherwise by the engine.
func (s *Stack) storedState(ctx context.Context) (*state.Deployment, error) {
	if read, err := s.stateFile().Read(); read != nil || err != nil {
		return read, err
	}
	return s.exportState(ctx)
}

func (s *Stack) exportState(ctx context.Context) (*state.Deployment, error) {
	text, err := s.run(ctx, "stack", "export", "--stack", s.Name)
	if err != nil {
		return nil, err
	}
	return state.ParseExport([]byte(text))
}

func (s *Stack) stateFile() state.File {
	return state.NewFile(s.backend.Folder(), s.session.Project.Name(), s.Name)
}

// RunFiles returns the names of the files in a stack's working folder that the next run needs to finish what an interrupted one left.
func RunFiles() []string {
	return []string{"under-way.jsonl", "not-found.jsonl", "state-before.json", "engines.jsonl", "deletion.jsonl"}
}

// began records in the journal what is known before the engine starts, so that what an interrupted run has created can be told from what
// others have.
func (s *Stack) began(ctx context.Context, written time.Time) error {
	if written.IsZero() && s.stateRead {
		written = s.state.Written()
	}
	begin := recovery.Begin{At: time.Now().UTC(), State: written}
	if s.planned != nil {
		begin.Existing = s.existing(ctx, s.planned)
	}
	s.planned = nil
	return recovery.NewJournal(s.workDir).Begin(begin)
}

// existing lists what AWS already has with the tags of what a plan creates; nil if that is not known.
func (s *Stack) existing(ctx context.Context, planned *plan.Plan) map[string][]string {
	if !s.session.Environment.KnowsAccounts() {
		return nil
	}
	creates := map[string]bool{}
	for _, step := range planned.Changed() {
		creates[step.URN] = creates[step.URN] || step.Change == plan.ChangeCreate || step.Change == plan.ChangeReplace
	}
	var creations []recovery.Creation
	for _, r := range planned.After {
		if creates[string(r.URN)] && strings.HasPrefix(string(r.Type), "aws:") {
			creations = append(creations, recovery.Creation{Query: account.Query{Type: string(r.Type), Inputs: r.Inputs}, Provider: providerURN(r.Provider)})
		}
	}
	settings, accounts := providerInputs(planned), map[string]account.Account{}
	existing, err := recovery.Existing(ctx, creations, func(provider string) (account.Account, error) {
		if accounts[provider] != nil {
			return accounts[provider], nil
		}
		var err error
		accounts[provider], err = s.plannedAccount(ctx, provider, settings[provider])
		return accounts[provider], err
	})
	if err != nil {
		s.say("what AWS already has with this stack's tags cannot be listed: %s; if this run is killed, "+
			"`hypershift-aws recover` asks which resources are this stack's", err)
		return nil
	}
	return existing
}

// Release removes the stack's resources from its state: AWS and the management cluster keep everything. It returns the
// removed resources.
func (s *Stack) Release(ctx context.Context) ([]apitype.ResourceV3, error) {
	release, err := s.exclude()
	if err != nil {
		return nil, err
	}
	defer release()
	held, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	held = slices.DeleteFunc(held, func(r apitype.ResourceV3) bool { return r.External || strings.HasPrefix(string(r.Type), "pulumi:") })
	err = s.rewrite(ctx, true, func(d *state.Deployment) error {
		d.Resources = nil
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(recovery.NewJournal(s.workDir).Forget(), s.deletions().Clear()); err != nil {
		return nil, err
	}
	s.say("removed %[2]d resources from the state of stack %[1]s; they stay in AWS", s.Name, len(held))
	return held, nil
}

// guest returns the cluster of another owner that the stack's objects belong to, nil for a stack of another kind, or without such objects.
func (s *Stack) guest(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	if s.file == nil || kind.Of(s.file.Kind).Guest == nil {
		return nil, nil //nolint:nilnil // no such cluster
	}
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return kind.Of(s.file.Kind).Guest.Find(resources), nil
}

// livingGuest returns what guest does, also without the stack's file, unless the recorded management cluster certainly no longer has the cluster.
func (s *Stack) livingGuest(ctx context.Context, reading gate.Reading) *clusterstatus.HostedCluster {
	name := config.Kind(s.state.Outputs().String("kind"))
	if name == "" && s.file != nil {
		name = s.file.Kind
	}
	of := kind.Of(name).Guest
	object := of.Find(s.state.InCloud())
	if object == nil || !reading.Configured || reading.Err != nil {
		return object
	}
	err := s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		living, err := api.Get(ctx, of.Object, object.Namespace, object.Name)
		if err == nil && living == nil {
			object = nil
		}
		return err
	})
	if err != nil {
		s.say("warning: whether hosted cluster %s exists is unknown: %s", object.Name, err)
	}
	return object
}

// guestStatus adds to a status the cluster of another owner, with the stack's own node pools.
func (s *Stack) guestStatus(ctx context.Context, status *clusterstatus.Status) error {
	object, err := s.guest(ctx)
	if err != nil {
		return err
	}
	if object != nil {
		of := kind.Of(s.file.Kind).Guest
		status.Kind, status.Namespace, status.Name = of.Object, object.Namespace, object.Name
		s.readObjects(ctx, status, object, of)
	}
	status.Judge(func([]string) []apitype.ResourceV3 { return nil })
	return nil
}
