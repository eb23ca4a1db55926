package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// Options configure Run.
type Options struct {
	// Decide is asked before anything is adopted.
	Decide operation.Decide
	// Preview reviews the adoption, and changes nothing in AWS.
	Preview bool
	// Search is the cluster whose file is written if the stack has none.
	Search documents.Search
	// Own are the credentials for the cluster's account, and VPCOwner those for the account that owns a shared VPC, if the
	// stack has no file.
	Own, VPCOwner takeover.Credentials
	DefaultGroup  takeover.DefaultGroup
	// IDs are import IDs of resources that are not found otherwise.
	IDs map[takeover.Key]string
	// AllowCreate are the names of resources that may be created, although an existing cluster should have them.
	AllowCreate []string
	// Overwrite are the config keys of fields that get the value of the file.
	Overwrite []string
	// Estimate estimates the time of the plan.
	Estimate func(r *run.Operation, planned *changes.Plan) *forecast.Forecast
}

// Run adopts existing resources into a stack: see automation.Stack.Adopt.
func Run(ctx context.Context, s *run.Stack, o Options) (*takeover.Review, error) {
	ctx, r, err := s.Start(ctx, gates.Adopt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	o.Search.KeepDefaultGroup = o.DefaultGroup == takeover.KeepDefaultGroup
	file, survey, cluster, err := o.file(ctx, s, r)
	if err != nil {
		return nil, err
	}
	if err := r.Open(ctx, file, run.MayCreate); err != nil {
		return nil, err
	}
	if err := r.Connection.Bind(ctx, r.Verb); err != nil {
		return nil, err
	}
	if !o.Preview {
		if _, err := r.Recovery.Recover(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.StopAt(ctx, r.Inherited()); err != nil {
		return nil, err
	}
	adoption, err := newAdoption(ctx, r, AdoptionOptions{
		Given: o.IDs, AllowCreate: o.AllowCreate, RevokeDefaultGroup: o.DefaultGroup == takeover.RevokeDefaultGroup,
		Survey: survey, Cluster: cluster,
	})
	if err != nil {
		return nil, err
	}
	review, planned, err := adoption.Preview(ctx)
	if err != nil {
		return nil, err
	}
	r.Event(&operation.Review{Review: review, Forecast: o.Estimate(r, planned)})
	err = errors.Join(r.Conflicts.CheckOverwrite(ctx, o.Overwrite), r.Conflicts.CheckDecided(o.Overwrite))
	if err != nil {
		return review, err
	}
	switch {
	case Refusal(review) != nil:
		return review, errors.Join(Refusal(review), Missing(review))
	case !planned.HasChanges:
		r.Say("stack %s has all resources already: nothing to do", s.Name)
		return review, Missing(review)
	case o.Preview:
		return review, Missing(review)
	}
	if err := r.StopAt(ctx, r.Objects(planned)); err != nil {
		return review, err
	}
	question := operation.Question{Text: "Adopt these resources into stack " + s.Name + "?", Plan: planned}
	if err := r.Ask(ctx, o.Decide, question); err != nil {
		return review, err
	}
	if err := r.Conflicts.Overwrite(ctx, o.Overwrite); err != nil {
		return review, err
	}
	return review, errors.Join(adoption.Run(ctx, planned), Missing(review))
}

// file reads the stack's file or, if there is none, writes one that describes the account's resources.
func (o *Options) file(ctx context.Context, s *run.Stack, r *run.Operation) (*config.File, *Survey, *Cluster, error) {
	project := r.Session.Project
	if name := s.Name; o.Search.InfraID == "" || name != "" {
		var err error
		if s.Name, err = project.SelectStack(name); err != nil {
			return nil, nil, nil, err
		}
	} else {
		s.Name = o.Search.InfraID
	}
	name := s.Name
	path := project.StackFile(name)
	if o.Search.InfraID != "" {
		if err := CheckAdopts(ctx, &r.Session, name, config.KindCluster, o.Search.InfraID); err != nil {
			return nil, nil, nil, err
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return o.surveyed(ctx, r, name)
	}
	if o.Search.InfraID == "" {
		return nil, nil, nil, gate.Refuse("%s does not exist: set the cluster with --infra-id and --region, or write the file", path)
	}
	if o.Search.Region = cmp.Or(o.Search.Region, r.Session.Environ.Region()); o.Search.Region == "" {
		return nil, nil, nil, gate.Refuse("the region of %s is not known: use --region; `hypershift-aws sweep --all` lists it", o.Search.InfraID)
	}
	var owner map[string]any
	if o.VPCOwner.IsSet() {
		owner = o.VPCOwner.Settings(o.Search.Region)
	}
	survey, cluster, err := Find(ctx, &r.Session, o.Own.Settings(o.Search.Region), owner, o.Search)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := decideDefaultGroup(survey, o.DefaultGroup); err != nil {
		return nil, nil, nil, err
	}
	if err := atomicfile.Write(path, []byte(cluster.File(o.Own, o.VPCOwner))); err != nil {
		return nil, nil, nil, fmt.Errorf("writing %s: %w", path, err)
	}
	r.Say("wrote %s from the account's resources: check the values that are marked as not certain", path)
	file, err := project.LoadStack(name)
	return file, survey, cluster, err
}

// surveyed reads an existing file and the account's resources of its cluster.
func (o *Options) surveyed(
	ctx context.Context,
	r *run.Operation,
	name string,
) (*config.File, *Survey, *Cluster, error) {
	file, err := r.Session.Project.LoadStack(name)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.VPCOwner.IsSet() || o.Own.IsSet() {
		return nil, nil, nil, gate.Refuse("%s exists and configures its accounts: leave --profile, --role-arn, --vpc-owner-profile and --vpc-owner-role out", file.Path)
	}
	of, infraID := config.As[*config.Cluster](file), ""
	if of != nil {
		infraID = of.InfraID
	}
	if err := CheckAdopts(ctx, &r.Session, name, file.Kind, infraID); err != nil || of == nil {
		return file, nil, nil, err
	}
	if o.Search.InfraID != "" && o.Search.InfraID != of.InfraID {
		return nil, nil, nil, gate.Refuse("%s describes cluster %s, but --infra-id is %s: use another stack with -s",
			file.Path, of.InfraID, o.Search.InfraID)
	}
	if of.Network.Existing != nil || of.NetworkStack != "" {
		return file, nil, nil, nil // the network is used but not adopted
	}
	settings := file.NamedProviderSettings()
	o.Search.InfraID, o.Search.Region, o.Search.EndpointAccess, o.Search.Name = of.InfraID, file.Region, of.EndpointAccess,
		of.Name
	o.Search.Management = ""
	survey, cluster, err := Find(ctx, &r.Session, settings[""], settings[config.VPCOwnerAccountProvider], o.Search)
	if err != nil {
		return nil, nil, nil, err
	}
	if !of.Network.KeepDefaultSecurityGroup {
		if o.DefaultGroup == takeover.KeepDefaultGroup && survey.DefaultGroupHasRules() {
			return nil, nil, nil, gate.Refuse("--default-security-group keep: write `keepDefaultSecurityGroup: true` under network in %s", file.Path)
		}
		if err := decideDefaultGroup(survey, o.DefaultGroup); err != nil {
			return nil, nil, nil, err
		}
	}
	cluster.EndpointAccess = of.EndpointAccess
	return file, survey, cluster, nil
}

// decideDefaultGroup refuses to adopt a VPC whose default security group has rules, unless the user has decided about
// them.
func decideDefaultGroup(survey *Survey, choice takeover.DefaultGroup) error {
	if choice != "" || !survey.DefaultGroupHasRules() {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: "the default security group of VPC " + survey.VPC.ID +
			" has rules; the stack removes them, although other resources may use them",
		Remedy: "use --default-security-group keep, which does not change the group, or --default-security-group revoke, which removes the rules",
	}
}
