package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// Find finds a cluster's resources in an account, before there is a stack, and derives the config that describes it.
// own gives access to the cluster's account, and owner to the account of a shared VPC's owner, nil without one.
func Find(
	ctx context.Context,
	s *workspace.Session,
	own, owner map[string]any,
	options documents.Search,
) (*Survey, *Cluster, error) {
	stack := s.Stack("", nil)
	defer stack.Close()
	if options.Management != "" {
		outputs, err := s.OutputsOf(ctx, options.Management)
		if err != nil {
			return nil, nil, fmt.Errorf("reading management stack %s: %w", options.Management, err)
		}
		options.IssuerBaseURL, _ = outputs["issuerBaseURL"].(string)
		options.KMSKeyARN, _ = outputs["etcdKeyARN"].(string)
	}
	open := func(settings map[string]any) (account.Account, error) {
		opened, err := stack.Providers.Open(settings, func() (map[string]any, error) { return settings, nil })
		if err != nil {
			return nil, err
		}
		return opened.Snapshot(), nil
	}
	guest, err := open(own)
	if err != nil {
		return nil, nil, err
	}
	var other account.Account
	if owner != nil {
		if other, err = open(owner); err != nil {
			return nil, nil, err
		}
	}
	survey, err := Look(ctx, guest, other, options)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := survey.Cluster(ctx)
	return survey, cluster, err
}

// AdoptionOptions are the user's decisions about an adoption.
type AdoptionOptions struct {
	// Given are import IDs that the user gave, as Importer has them.
	Given map[takeover.Key]string
	// AllowCreate are the names of resources that may be created though an existing cluster has them.
	AllowCreate []string
	// RevokeDefaultGroup removes the rules of the default security group.
	RevokeDefaultGroup bool
	// Survey and Cluster are the account's resources of the stack's cluster; nil for stacks of other kinds.
	Survey  *Survey
	Cluster *Cluster
}

// Adoption is a stack that adopts existing resources.
type Adoption struct {
	run      *run.Operation
	options  AdoptionOptions
	importer *Importer
	// others are the names of other stacks by the resources in their states.
	others map[state.Managed]string
}

// newAdoption prepares the stack's program to import existing resources.
func newAdoption(ctx context.Context, r *run.Operation, options AdoptionOptions) (*Adoption, error) {
	a := &Adoption{run: r, options: options, importer: &Importer{
		Given: options.Given, RevokeDefaultGroup: options.RevokeDefaultGroup,
		State: func() *state.Deployment { return r.Stack.State },
	}}
	var once sync.Mutex
	opened := map[string]account.Account{}
	a.importer.Account = func(provider string) (account.Account, error) {
		once.Lock()
		defer once.Unlock()
		if opened[provider] != nil {
			return opened[provider], nil
		}
		aws, err := r.Stack.Providers.Configured(ctx, provider)
		if err != nil {
			return nil, err
		}
		opened[provider] = aws.Snapshot()
		return opened[provider], nil
	}
	if options.Survey != nil && options.Cluster != nil {
		a.importer.Bound = options.Survey.Bound(options.Cluster)
	}
	if err := a.bindManagement(ctx); err != nil {
		return nil, err
	}
	if binding.AppliedBy(r.Stack.File) != nil {
		a.importer.Objects = func(ctx context.Context, kind, namespace, name string) (map[string]any, error) {
			return r.Recovery.Object(ctx, kind, namespace, name)
		}
	}
	var err error
	if a.others, err = a.elsewhere(ctx); err != nil {
		return nil, err
	}
	r.Stack.Auto.Workspace().SetProgram(a.importer.Program(r.Program()))
	return a, nil
}

// bindManagement finds the resources of a management stack that others refer to: the key by its alias, and the
// distribution by the policy of the OIDC bucket.
func (a *Adoption) bindManagement(ctx context.Context) error {
	m := config.As[*config.Management](a.run.Stack.File)
	if m == nil {
		return nil
	}
	aws, err := a.importer.Account("")
	if err != nil {
		return err
	}
	if m.EtcdKey != nil {
		id, err := KeyOf(ctx, aws, "alias/"+m.EtcdKey.Alias)
		if err != nil {
			return err
		}
		a.importer.Bound = map[takeover.Key]string{{Type: awstype.KMSKey}: id}
	}
	if m.OIDCBucket.Access.OrDefault() == management.ThroughCloudFront {
		a.importer.Referenced = Referenced(ctx, aws, m.OIDCBucket.Name)
	}
	return nil
}

// bindAccessControl takes the origin access control from the distribution in a plan. It reports whether it did.
func (a *Adoption) bindAccessControl(planned *changes.Plan) bool {
	if a.importer.Referenced[awstype.OriginAccessControl].Refused == "" {
		return false
	}
	for _, step := range planned.Steps {
		if step.Type != awstype.Distribution || step.Old == nil {
			continue
		}
		if id := AccessControlOf(step.Old, config.As[*config.Management](a.run.Stack.File).OIDCBucket.Name); id != "" {
			a.importer.Referenced[awstype.OriginAccessControl] = Match{ID: id}
			return true
		}
	}
	return false
}

// namesIn returns the resources of a state that a program registers.
func namesIn(d *state.Deployment) map[takeover.Key]bool {
	names := make(map[takeover.Key]bool, len(d.Resources))
	for _, r := range d.Resources {
		if !r.Delete {
			names[takeover.Key{Type: string(r.Type), Name: r.URN.Name()}] = true
		}
	}
	return names
}

// CheckAdopts refuses to adopt a cluster into a stack whose state has another one, or resources of another kind of
// stack.
func CheckAdopts(ctx context.Context, s *workspace.Session, stack string, kind config.Kind, infraID string) error {
	deployment, err := s.StateOf(ctx, stack)
	if err != nil || deployment == nil {
		return err
	}
	e := &failure.Error{Reason: failure.Conflict, Remedy: "adopt it into another stack: use another name with -s"}
	has, was := deployment.Outputs().String("infraID"), deployment.Outputs().String("kind")
	switch {
	case deployment.Empty():
		return nil
	case was != "" && was != string(kind):
		e.Problem = fmt.Sprintf("stack %s is of kind %s and has resources, and %s is to be adopted into a stack of kind %s",
			stack, was, cmp.Or(infraID, "what its file describes"), kind)
	case has != "" && infraID != "" && has != infraID:
		e.Problem = fmt.Sprintf("stack %s has cluster %s, and cannot adopt cluster %s too", stack, has, infraID)
	default:
		return nil
	}
	return e
}

// elsewhere maps resources in the states of the backend's other stacks to these stacks, by type and ID. It fails if a
// state or a stack's file of the project cannot be read: a resource of that stack would be adopted a second time.
func (a *Adoption) elsewhere(ctx context.Context) (map[state.Managed]string, error) {
	s := a.run.Stack
	accounts := map[string]bool{}
	for provider := range s.File.NamedProviderSettings() {
		aws, err := a.importer.Account(provider)
		if err != nil {
			return nil, err
		}
		place, err := aws.Place(ctx)
		if err != nil {
			return nil, err
		}
		accounts[place.Account] = true
	}
	of, unread := map[state.Managed]string{}, s.Session.UnreadFiles(s.Name)
	err := s.Session.EachState(ctx, s.Name, func(other state.OfStack) {
		if other.Err != nil {
			unread = append(unread, fmt.Sprintf("stack %s: its state cannot be read: %v", other.Stack, other.Err))
			return
		}
		for _, held := range state.ManagedIn(other.Deployment, accounts) {
			of[held] = other.Stack
		}
	})
	if err != nil {
		return nil, err
	}
	if len(unread) > 0 {
		return nil, &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("stack %s cannot adopt resources, because other stacks may have them; nothing was changed:\n  %s",
				s.Name, strings.Join(unread, "\n  ")),
			Remedy: "make them readable, and run adopt again; if one has no resources of the cluster, name it with " + gate.UnreadFlag,
		}
	}
	return of, nil
}

// Preview returns what Run would do.
func (a *Adoption) Preview(ctx context.Context) (*takeover.Review, *changes.Plan, error) {
	if err := a.run.Stack.CurrentState(ctx); err != nil {
		return nil, nil, err
	}
	planned, err := a.run.Engine.Preview(ctx)
	if err == nil && a.bindAccessControl(planned) {
		planned, err = a.run.Engine.Preview(ctx)
	}
	for a.run.Conflicts.AddAdopted(planned) && err != nil { // others hold fields of an object
		planned, err = a.run.Engine.Preview(ctx)
	}
	if err != nil {
		return nil, planned, err
	}
	review := a.judge(ctx, planned)
	if a.options.Survey != nil {
		review.Incomplete = append(review.Incomplete, a.options.Survey.Incomplete...)
	}
	if err := a.addLeft(ctx, review); err != nil {
		review.Incomplete = append(review.Incomplete, fmt.Sprintf("resources with the cluster's tag: %v", err))
	}
	return review, planned, nil
}

// judge is Judge, with what the guard refuses of the updates in place: an adoption takes nothing from a living cluster
// either.
func (a *Adoption) judge(ctx context.Context, planned *changes.Plan) *takeover.Review {
	r := Judge(a.run.Stack.Name, planned, a.importer.Matches(), a.options.AllowCreate, a.others)
	a.run.ReadPolicies(ctx, planned)
	refused := &changes.GuardError{}
	if !errors.As(plan.Guard(planned, a.run.Stack.Name, nil, a.run.Stack.File.Allows), &refused) {
		return r
	}
	type named struct{ kind, name string }
	given := map[named]bool{} // by --id, which consents to what the user has named
	for key, match := range a.importer.Matches() {
		given[named{report.TypeName(key.Type), key.Name}] = match.Given
	}
	for _, one := range refused.Refusals {
		if one.Change == changes.Update && !given[named{one.Kind, one.Name}] {
			refuse(r, "%s %s would be restricted: %s; %s: %s: [{name: %s, id: %s}]", one.Kind, one.Name, one.Because,
				one.Remedy, config.AllowKey, one.Name, one.ID)
		}
	}
	return r
}

// addLeft adds the resources with the cluster's tag that the stack does not adopt.
func (a *Adoption) addLeft(ctx context.Context, review *takeover.Review) error {
	cluster := config.As[*config.Cluster](a.run.Stack.File)
	if cluster == nil {
		return nil
	}
	left := map[string]takeover.Item{}
	if a.options.Survey != nil {
		for id, item := range a.options.Survey.Left() {
			left[id] = item
		}
	}
	taken := map[string]bool{}
	for _, item := range review.Items {
		taken[item.ID] = true
	}
	for _, r := range a.run.Stack.State.Resources {
		taken[string(r.ID)] = true
	}
	for provider := range a.run.Stack.File.NamedProviderSettings() {
		if provider == config.ManagementAccountProvider {
			continue
		}
		aws, err := a.importer.Account(provider)
		if err != nil {
			return err
		}
		found, err := aws.Tagged(ctx, account.OwnedBy(cluster.InfraID))
		if err != nil {
			return err
		}
		for _, f := range found {
			if _, known := left[f.ID]; !known {
				left[f.ID] = takeover.Item{
					Action: takeover.Leave,
					Type:   f.Type,
					ID:     f.ID,
					Name:   f.Tags["Name"],
					Why:    WhyLeft(f.Type),
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		if !taken[id] {
			review.Items = append(review.Items, left[id])
		}
	}
	return nil
}

// Run imports existing resources and updates the rest to match the stack's file. It ends with a preview that must be
// empty. The parts of the work, each of which is an update for the engine, have one summary.
func (a *Adoption) Run(ctx context.Context, planned *changes.Plan) error {
	session := a.run.Stack.Session
	said, parts := session.Report, []*event.Summary(nil)
	session.Report = func(e report.Event) {
		if part, ok := e.(*event.Summary); ok {
			parts = append(parts, part)
			return
		}
		said(e)
	}
	err := a.take(ctx, planned)
	session.Report = said
	if whole := together(parts); whole != nil {
		if err != nil && whole.Result == "succeeded" {
			whole.Result = "failed"
		}
		said(whole)
	}
	return err
}

// together returns the summary of an adoption by those of its parts, nil if there are none. What one part did is
// unchanged for the next.
func together(parts []*event.Summary) *event.Summary {
	if len(parts) == 0 {
		return nil
	}
	whole := *parts[len(parts)-1]
	whole.Operation = string(gates.Adopt)
	for _, before := range parts[:len(parts)-1] {
		whole.Same -= before.Changes()
		same := whole.Same
		whole.Counts = whole.Add(before.Counts)
		whole.Same, whole.Seconds = same, whole.Seconds+before.Seconds
	}
	whole.Same = max(0, whole.Same)
	return &whole
}

// take does the work of Run.
func (a *Adoption) take(ctx context.Context, planned *changes.Plan) error {
	s := a.run.Stack
	if err := a.run.Gates.Confirmed().Clear(); err != nil { // the cluster is wanted again
		return err
	}
	for range 3 { // resources that depend on a recorded one are imported in a second run
		recorded := a.toWrite(planned)
		if !onlyRecords(planned, recorded) {
			dependents := Dependents(planned, recorded)
			a.importer.Without = KeysOf(dependents)
			err := a.up(ctx, append(dependents, recorded...))
			a.importer.Without = nil
			if err != nil {
				return err
			}
		}
		if err := a.record(ctx, planned, recorded); err != nil {
			return err
		}
		if err := s.CurrentState(ctx); err != nil {
			return err
		}
		var err error
		if planned, err = a.run.Engine.Preview(ctx); err != nil {
			return err
		}
		if !planned.HasChanges {
			// An import stores the inputs that the provider reads. An update without changes stores the program's inputs.
			if _, err := a.run.Engine.Up(ctx); err != nil {
				return err
			}
			s.Say("stack %s has all resources; a preview shows no changes", s.Name)
			return nil
		}
		if review := a.judge(ctx, planned); Refusal(review) != nil {
			return Refusal(review)
		}
		if len(recorded) == 0 {
			break
		}
	}
	return &failure.Error{
		Reason: failure.Failed,
		Problem: fmt.Sprintf("stack %s has imported all resources, but a preview still shows changes:\n%s", s.Name,
			plan.Text(planned, plan.Layout{})),
		Remedy: fmt.Sprintf("look at `hypershift-aws preview -s %s`, and correct the stack's file", s.Name),
	}
}

// toWrite returns the steps that would create existing resources of types without an import.
func (a *Adoption) toWrite(planned *changes.Plan) []*changes.Step {
	var steps []*changes.Step
	for _, step := range planned.Steps {
		how, _ := awstype.AdoptionOf(step.Type)
		found := a.importer.Matches()[takeover.Key{Type: step.Type, Name: step.Name}]
		if how.By == awstype.AdoptByWriting && step.Change == changes.Create && found.ID != "" {
			steps = append(steps, step)
		}
	}
	return steps
}

func onlyRecords(planned *changes.Plan, recorded []*changes.Step) bool {
	return !slices.ContainsFunc(plan.Listed(planned), func(step *changes.Step) bool {
		return !slices.Contains(recorded, step)
	})
}

// up runs Up without the resources that are written into the state afterwards.
func (a *Adoption) up(ctx context.Context, without []*changes.Step) error {
	var urns []string
	for _, step := range without {
		urns = append(urns, step.URN)
	}
	return a.run.Engine.UpWithout(ctx, urns)
}

// record writes existing resources that are not imported to the state. AWS is not called.
func (a *Adoption) record(ctx context.Context, planned *changes.Plan, steps []*changes.Step) error {
	if len(steps) == 0 {
		return nil
	}
	if err := a.run.Stack.CurrentState(ctx); err != nil {
		return err
	}
	d := a.run.Stack.State
	for _, step := range steps {
		found := a.importer.Matches()[takeover.Key{Type: step.Type, Name: step.Name}]
		made, err := recordIn(d, planned, step, found)
		if err != nil {
			return fmt.Errorf("writing %s %s into the state: %w", report.TypeName(step.Type), step.Name, err)
		}
		d.Resources = append(d.Resources, made)
	}
	return a.run.Stack.Import(ctx, d)
}

// recordIn returns the resource of a step with the outputs that were found, as a state has it that lacks only this
// resource.
func recordIn(d *state.Deployment, planned *changes.Plan, step *changes.Step, found Match) (*state.Resource, error) {
	i := slices.IndexFunc(planned.After, func(r apitype.ResourceV3) bool { return string(r.URN) == step.URN })
	if i < 0 {
		return nil, errors.New("the plan does not have it")
	}
	r := planned.After[i]
	r.ID, r.Outputs, r.Inputs = resource.ID(found.ID), found.Outputs, map[string]any{}
	for input, value := range found.Query.Inputs {
		r.Inputs[input] = value
	}
	if tags, has := found.Outputs["tags"]; has {
		r.Inputs["tags"] = tags
	}
	// If the state lacked the provider, the plan has it with another ID.
	j := slices.IndexFunc(d.Resources, func(other *state.Resource) bool {
		return !other.Delete && other.Custom && plancheck.ProviderURN(other.Provider) == plancheck.ProviderURN(r.Provider)
	})
	if j < 0 {
		return nil, errors.New("the state lacks its provider")
	}
	r.Provider = d.Resources[j].Provider
	return state.NewResource(r)
}
