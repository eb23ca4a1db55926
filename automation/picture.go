package automation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths"
	"github.com/hypershift-aws/hypershift-aws/internal/features/picture"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Picture is a picture of a stack: its resources with their cost, violated policies and paths.
type Picture struct{ input picture.Input }

// SVG returns the drawing alone.
func (p *Picture) SVG() []byte { return picture.SVG(p.input) }

// Markdown returns a diagram in Mermaid with the texts below it.
func (p *Picture) Markdown() []byte { return picture.Markdown(p.input) }

// HTML returns a page with the drawing.
func (p *Picture) HTML() ([]byte, error) { return picture.HTML(p.input) }

// Picture returns a picture of the stack as it would be after the plan.
func (r *PreviewResult) Picture() *Picture {
	return &Picture{forecasting.Picture(r.Forecast, r.Stack, r.File, r.Plan)}
}

// PictureOptions configure Picture.
type PictureOptions struct {
	// Planned draws the stack as it would be after an update. Live refreshes the state first, and draws what differed.
	Planned, Live bool
}

// Picture returns a picture of the stack.
func (s *Stack) Picture(ctx context.Context, o PictureOptions) (*Picture, error) {
	asked, opened := gates.Preview, opening{mode: run.MustExist}
	switch {
	case o.Planned:
		opened.mode = run.MayCreate
	case o.Live:
		asked, opened.identify = gates.Refresh, true
	}
	ctx, r, err := s.begin(ctx, asked, opened)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if o.Planned {
		return r.plannedPicture(ctx)
	}
	return r.statePicture(ctx, o.Live)
}

func (r *operation) plannedPicture(ctx context.Context) (*Picture, error) {
	var err error
	if r.waivers, err = forecasting.Waivers(r.Stack.File); err != nil {
		return nil, err
	}
	planned, err := r.Engine.Preview(ctx)
	if err != nil {
		return nil, err
	}
	f, err := r.estimate(planned)
	if err != nil {
		return nil, err
	}
	return &Picture{forecasting.Picture(&f.Forecast, r.Stack.Name, r.Stack.File, planned)}, nil
}

func (r *operation) statePicture(ctx context.Context, live bool) (*Picture, error) {
	var gone []apitype.ResourceV3
	var drift map[string]string
	if live {
		before, err := r.Stack.ResourcesAndProviders(ctx)
		if err != nil {
			return nil, err
		}
		found, err := r.Engine.Refresh(ctx, false)
		if err != nil {
			return nil, err
		}
		drift, gone = drifted(found, before)
	}
	resources, err := r.Stack.ResourcesAndProviders(ctx)
	if err != nil {
		return nil, err
	}
	if len(resources) == 0 {
		return nil, &failure.Error{
			Reason: failure.Failed, Problem: fmt.Sprintf("stack %s has no resources to draw", r.Stack.Name),
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`, or draw what it would create with --planned", r.Stack.Name),
		}
	}
	prices, err := r.of.project.prices()
	if err != nil {
		return nil, err
	}
	in, err := forecasting.StatePicture(r.Stack.Name, r.Stack.File, resources, prices)
	if err != nil {
		return nil, err
	}
	in.Resources = slices.Concat(resources, gone)
	if in.Drift = drift; live {
		in.Subtitle = "as it is in AWS"
	}
	if paths.HasNetwork(r.Stack.File) {
		if in.Paths, err = paths.Deployed(ctx, r.Stack); err != nil {
			return nil, err
		}
	}
	return &Picture{in}, nil
}

// drifted describes what a refresh found, by URN, and returns the resources that no longer exist.
func drifted(found *changes.Plan, before []apitype.ResourceV3) (drift map[string]string, gone []apitype.ResourceV3) {
	drift = map[string]string{}
	for _, step := range plan.Listed(found) {
		drift[step.URN] = "changed outside the stack: " + strings.Join(step.Diffs, ", ")
		if step.Change != changes.Delete {
			continue
		}
		drift[step.URN] = "deleted outside the stack"
		for _, r := range before {
			if string(r.URN) == step.URN {
				gone = append(gone, r)
			}
		}
	}
	return drift, gone
}

// Picture returns a page in HTML with all stacks of the project that have a state. With live, each state is compared with AWS.
func (p *Project) Picture(ctx context.Context, live bool) ([]byte, error) {
	list, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	var members []picture.Member
	for _, info := range list {
		if !info.HasState {
			continue
		}
		member, err := p.Stack(info.Name).pictureMember(ctx, live)
		if err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	subtitle := "as of their last updates"
	if live {
		subtitle += ", compared with AWS"
	}
	return picture.Fleet(subtitle, members)
}

func (s *Stack) pictureMember(ctx context.Context, live bool) (member picture.Member, err error) {
	prices, err := s.project.prices()
	if err != nil {
		return member, err
	}
	ctx, r, err := s.start(ctx, gates.Drift)
	if err != nil {
		return member, err
	}
	defer r.close()
	file, err := s.load("")
	if err != nil {
		r.say("warning: the paths of stack %s are not followed: %s", s.Name, err)
		file = nil
	}
	if r.Opened, err = run.Open(ctx, &r.session, s.Name, file, run.MustExist); err == nil && live {
		err = r.Connection.Resolve(ctx, r.operation)
	}
	if err != nil {
		return member, err
	}
	resources, err := r.Stack.ResourcesAndProviders(ctx)
	if err != nil {
		return member, err
	}
	kind := ""
	if r.Stack.File != nil {
		kind = string(r.Stack.File.Kind)
	}
	member = picture.NewMember(r.Stack.Name, kind, resources, prices)
	if outputs, err := r.Stack.Outputs(ctx, false); err == nil && outputs["kind"] != nil && paths.HasNetwork(r.Stack.File) {
		followed, err := paths.Deployed(ctx, r.Stack)
		if err != nil {
			return member, err
		}
		member.Follow(followed)
	}
	if !live {
		return member, nil
	}
	found, err := r.Engine.Drift(ctx)
	if err != nil {
		return member, err
	}
	member.Drift, member.Compared = len(plan.Listed(found)), true
	return member, nil
}
