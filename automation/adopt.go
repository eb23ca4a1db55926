package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/features/adopt"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

type (
	// Search is which cluster Adopt searches an account for.
	Search = documents.Search
	// Access is the credentials for an account: a profile, and a role that is assumed.
	Access = takeover.Credentials
	// ResourceKey names a resource of a stack by the last part of its type and its name: Vpc, network-vpc.
	ResourceKey = takeover.Key
	// AdoptReview is what Adopt does, resource by resource, and why it refuses.
	AdoptReview = takeover.Review
)

// DefaultGroup is what an adoption does with the rules of a VPC's default security group.
type DefaultGroup string

// The values. The zero value refuses a VPC whose group has rules.
const (
	// KeepDefaultGroup does not change the group.
	KeepDefaultGroup DefaultGroup = "keep"
	// RevokeDefaultGroup removes the rules.
	RevokeDefaultGroup DefaultGroup = "revoke"
)

// AdoptOptions configure Adopt.
type AdoptOptions struct {
	// Decide is asked before anything is adopted.
	Decide Decide
	// Preview reviews the adoption, and changes nothing in AWS.
	Preview bool
	// Search is the cluster whose file is written if the stack has none.
	Search Search
	// Own are the credentials for the cluster's account, and VPCOwner those for the account that owns a shared VPC. They are used if the stack has no
	// file. Default: the environment's credentials, and no shared VPC.
	Own, VPCOwner Access
	DefaultGroup  DefaultGroup
	// IDs are import IDs in AWS of resources that are not found otherwise.
	IDs map[ResourceKey]string
	// AllowCreate are the names of resources that may be created, although an existing cluster should have them.
	AllowCreate []string
	// Take are the config keys of fields that get the value of the file, although another client of the management cluster has set another one.
	Take []string
}

// ReviewEvent is the review of an adoption, before it is decided on.
type ReviewEvent struct {
	event.Marker

	Review *AdoptReview
	// Forecast has the time alone.
	Forecast *Forecast
}

// Adopt adopts existing resources, such as those that HyperShift's CLI created, into the stack: nothing is replaced, deleted or interrupted. If
// the stack has no file, one is written that describes the cluster of Search. After an interruption, the same call continues.
func (s *Stack) Adopt(ctx context.Context, o AdoptOptions) (*AdoptReview, error) {
	ctx, r, err := s.start(ctx, gates.Adopt)
	if err != nil {
		return nil, err
	}
	defer r.close()
	o.Search.KeepDefaultGroup = o.DefaultGroup == KeepDefaultGroup
	file, survey, cluster, err := r.adopted(ctx, &o)
	if err != nil {
		return nil, err
	}
	if r.Opened, err = run.Open(ctx, &r.session, s.Name, file, run.MayCreate); err != nil {
		return nil, err
	}
	if err := r.Connection.Resolve(ctx, r.operation); err != nil {
		return nil, err
	}
	if !o.Preview {
		if _, err := r.Recovery.Recover(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.stopAt(ctx, r.inherited()); err != nil {
		return nil, err
	}
	adoption, err := r.Adopt(ctx, run.AdoptOptions{
		Given: o.IDs, AllowCreate: o.AllowCreate, RevokeDefaultGroup: o.DefaultGroup == RevokeDefaultGroup, Survey: survey, Cluster: cluster,
	})
	if err != nil {
		return nil, err
	}
	review, planned, err := adoption.Preview(ctx)
	if err != nil {
		return nil, err
	}
	f, unread := forecasting.Timed(forecasting.Inputs{
		Plan: planned, Durations: r.Stack.DurationsFile(), Parallel: engine.Environ(s.project.options.Environ).Parallel(), Timing: r.session.Environment.Timing(),
	})
	if unread != nil {
		r.say("warning: %s", unread)
	}
	r.event(&ReviewEvent{Review: review, Forecast: &f.Forecast})
	if err := errors.Join(r.Held.CheckTake(o.Take), r.Held.CheckDecided(o.Take)); err != nil {
		return review, err
	}
	switch {
	case adopt.Refusal(review) != nil:
		return review, errors.Join(adopt.Refusal(review), adopt.Missing(review))
	case o.Preview:
		return review, adopt.Missing(review)
	case !planned.HasChanges:
		r.say("stack %s has all resources already: nothing to do", s.Name)
		return review, adopt.Missing(review)
	}
	if err := r.stopAt(ctx, r.objects(planned)); err != nil {
		return review, err
	}
	question := Question{Text: "Adopt these resources into stack " + s.Name + "?", Plan: planned}
	if err := r.ask(ctx, o.Decide, question); err != nil {
		return review, err
	}
	if err := r.Held.Take(ctx, o.Take); err != nil {
		return review, err
	}
	return review, errors.Join(adoption.Run(ctx, planned), adopt.Missing(review))
}

// adopted reads the stack's file or, if there is none, writes one that describes the account's resources.
func (r *operation) adopted(ctx context.Context, o *AdoptOptions) (*config.File, *adopt.Survey, *adopt.Cluster, error) {
	project := r.session.Project
	if name := r.of.Name; o.Search.InfraID == "" || name != "" {
		var err error
		if r.of.Name, err = project.ResolveStack(name); err != nil {
			return nil, nil, nil, err
		}
	} else {
		r.of.Name = o.Search.InfraID
	}
	name := r.of.Name
	path := project.StackFile(name)
	if o.Search.InfraID != "" {
		if err := run.CheckAdopts(ctx, &r.session, name, config.KindCluster, o.Search.InfraID); err != nil {
			return nil, nil, nil, err
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return r.surveyed(ctx, name, o)
	}
	if o.Search.InfraID == "" {
		return nil, nil, nil, refuse("%s does not exist: set the cluster with --infra-id and --region, or write the file", path)
	}
	if environ := engine.Environ(r.of.project.options.Environ); o.Search.Region == "" {
		o.Search.Region = cmp.Or(environ.Get("AWS_REGION"), environ.Get("AWS_DEFAULT_REGION"))
	}
	if o.Search.Region == "" {
		return nil, nil, nil, refuse("the region of %s is not known: use --region", o.Search.InfraID)
	}
	var owner map[string]any
	if o.VPCOwner.Given() {
		owner = o.VPCOwner.Settings(o.Search.Region)
	}
	survey, cluster, err := run.Survey(ctx, &r.session, o.Own.Settings(o.Search.Region), owner, o.Search)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := decideDefaultGroup(survey, o.DefaultGroup); err != nil {
		return nil, nil, nil, err
	}
	if err := atomicfile.Write(path, []byte(cluster.File(o.Own, o.VPCOwner))); err != nil {
		return nil, nil, nil, fmt.Errorf("writing %s: %w", path, err)
	}
	r.say("wrote %s from the account's resources: check the values that are marked as not certain", path)
	file, err := project.LoadStack(name)
	return file, survey, cluster, err
}

// surveyed reads an existing file and the account's resources of its cluster.
func (r *operation) surveyed(ctx context.Context, name string, o *AdoptOptions) (*config.File, *adopt.Survey, *adopt.Cluster, error) {
	file, err := r.session.Project.LoadStack(name)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.VPCOwner.Given() || o.Own.Given() {
		return nil, nil, nil, refuse("%s exists and configures its accounts: leave --profile, --role-arn, --vpc-owner-profile and --vpc-owner-role out", file.Path)
	}
	of, infraID := config.As[*config.Cluster](file), ""
	if of != nil {
		infraID = of.InfraID
	}
	if err := run.CheckAdopts(ctx, &r.session, name, file.Kind, infraID); err != nil || of == nil {
		return file, nil, nil, err
	}
	if o.Search.InfraID != "" && o.Search.InfraID != of.InfraID {
		return nil, nil, nil, refuse("%s describes cluster %s, but --infra-id is %s: use another stack with -s", file.Path, of.InfraID, o.Search.InfraID)
	}
	if of.Network.Existing != nil {
		return file, nil, nil, nil // the network is used but not adopted
	}
	settings := file.NamedProviderSettings()
	o.Search.InfraID, o.Search.Region, o.Search.EndpointAccess, o.Search.Name = of.InfraID, file.Region, of.EndpointAccess, of.Name
	o.Search.Management = ""
	survey, cluster, err := run.Survey(ctx, &r.session, settings[""], settings[config.VPCOwnerAccountProvider], o.Search)
	if err != nil {
		return nil, nil, nil, err
	}
	if !of.Network.KeepDefaultSecurityGroup {
		if o.DefaultGroup == KeepDefaultGroup && survey.DefaultGroupHasRules() {
			return nil, nil, nil, refuse("--default-security-group keep: write `keepDefaultSecurityGroup: true` under network in %s", file.Path)
		}
		if err := decideDefaultGroup(survey, o.DefaultGroup); err != nil {
			return nil, nil, nil, err
		}
	}
	cluster.EndpointAccess = of.EndpointAccess
	return file, survey, cluster, nil
}

// decideDefaultGroup refuses to adopt a VPC whose default security group has rules, unless the user has decided about them.
func decideDefaultGroup(survey *adopt.Survey, choice DefaultGroup) error {
	if choice != "" || !survey.DefaultGroupHasRules() {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: "the default security group of VPC " + survey.VPC.ID + " has rules; the stack removes them, although other resources may use them",
		Remedy:  "use --default-security-group keep, which does not change the group, or --default-security-group revoke, which removes the rules",
	}
}

// refuse returns the error of options that cannot be carried out.
func refuse(format string, args ...any) error {
	return &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf(format, args...)}
}
