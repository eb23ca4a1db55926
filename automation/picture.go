package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/features/picture"
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
	return &Picture{picture.OfPlan(r.Forecast, r.Stack, r.File, r.Plan)}
}

// PictureOptions configure Picture.
type PictureOptions struct {
	// Planned draws the stack as it would be after an update. Live refreshes the state first, and draws what differed.
	Planned, Live bool
}

// Picture returns a picture of the stack.
func (s *Stack) Picture(ctx context.Context, o PictureOptions) (*Picture, error) {
	core := s.core()
	defer s.named(core)
	in, err := picture.OfStack(ctx, core, picture.StackOptions{
		Planned: o.Planned, Live: o.Live, Estimates: s.project.estimates(false), Prices: s.project.prices,
	})
	if err != nil {
		return nil, err
	}
	return &Picture{in}, nil
}

// Picture returns a page in HTML with all stacks of the project that have a state. With live, each state is compared
// with AWS.
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
		member, err := picture.MemberOf(ctx, p.Stack(info.Name).core(), live, p.prices)
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
