package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/picture"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// pictureOptions are the flags of picture.
type pictureOptions struct {
	file                 string
	planned, live, fleet bool
}

func (c *invocation) pictureCommand() *cobra.Command {
	var options pictureOptions
	cmd := &cobra.Command{
		Use:   "picture",
		Short: "Draw what the stack made as one page",
		Long: `Draws the stack's AWS resources as AWS's VPC resource map does: the VPC, subnets by zone, route tables, gateways and endpoints,
PrivateLink, hosted zones, roles and who assumes them. Each box has its ID, CIDR and a link to AWS's console; pointing at one lights its
path. The page loads nothing, holds no policies and no secrets, and has as layers the paths that break (see check path), the fixed cost
and what breaks a policy.

--planned draws what the stack would have after an update, with what changes. --live first brings the state up to what is in AWS, and
draws what differed. --fleet draws all stacks of the project, a row per stack.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.picture(cmd.Context(), options) },
	}
	cmd.Flags().StringVarP(&options.file, "output", "o", "", "the `file` to write, by its ending .html, .svg or .md (default: <stack>.html)")
	cmd.Flags().BoolVar(&options.planned, "planned", false, "draw what the stack would have after an update")
	cmd.Flags().BoolVar(&options.live, "live", false, "refresh the state first, and draw what differed")
	cmd.Flags().BoolVar(&options.fleet, "fleet", false, "draw all stacks of the project, a row per stack")
	cmd.MarkFlagsMutuallyExclusive("planned", "live", "fleet")
	c.addPrices(cmd)
	return cmd
}

// pictureFormat refuses a file whose ending is no format of a picture.
func pictureFormat(file string) error {
	switch filepath.Ext(file) {
	case ".html", ".svg", ".md":
		return nil
	}
	return refuse("%s has no ending of a picture: give a file that ends with .html, .svg or .md", file)
}

func (c *invocation) picture(ctx context.Context, options pictureOptions) error {
	if options.file != "" {
		if err := pictureFormat(options.file); err != nil {
			return err
		}
	}
	if options.fleet {
		return c.fleetPicture(ctx, options)
	}
	mode := automation.MustExist
	if options.planned {
		mode = automation.MayCreate // as a preview does
	}
	stack, err := c.open(ctx, mode, false)
	if err != nil {
		return err
	}
	defer stack.Close()
	if options.file == "" {
		options.file = stack.Name + ".html"
	}
	if options.planned {
		waivers, err := waiversOf(stack.File())
		if err != nil {
			return err
		}
		planned, err := stack.Preview(ctx)
		if err != nil {
			return err
		}
		f, err := c.forecast(stack, planned, waivers)
		if err != nil {
			return err
		}
		return c.writePicture(options.file, plannedPicture(stack, planned, f))
	}
	in, err := c.statePicture(ctx, stack, options.live)
	if err != nil {
		return err
	}
	return c.writePicture(options.file, in)
}

// statePicture draws what a stack has made, by its state or, with live, by what is in AWS.
func (c *invocation) statePicture(ctx context.Context, stack *automation.Stack, live bool) (picture.Input, error) {
	in := picture.Input{Stack: stack.Name, Subtitle: "as of its last update", Label: report.TypeName}
	var gone []apitype.ResourceV3
	if live {
		before, err := stack.ResourcesAndProviders(ctx)
		if err != nil {
			return in, err
		}
		found, err := stack.Refresh(ctx, false)
		if err != nil {
			return in, err
		}
		in.Subtitle, in.Drift = "as it is in AWS", map[string]string{}
		for _, step := range found.Changed() {
			in.Drift[step.URN] = "changed outside the stack: " + strings.Join(step.Diffs, ", ")
			if step.Change == plan.ChangeDelete {
				in.Drift[step.URN] = "gone"
				for _, r := range before {
					if string(r.URN) == step.URN {
						gone = append(gone, r)
					}
				}
			}
		}
	}
	resources, err := stack.ResourcesAndProviders(ctx)
	if err != nil {
		return in, err
	}
	prices, err := c.prices()
	if err != nil {
		return in, err
	}
	waivers, err := waiversOf(stack.File())
	if err != nil {
		return in, err
	}
	cost := prices.Estimate(resources)
	in.Cost, in.Findings = &cost, findingsByURN(policy.Check(policyResources(resources), waivers))
	in.Resources = slices.Concat(resources, gone)
	if file := stack.File(); file != nil && file.Kind == config.KindCluster {
		paths, err := walk(ctx, stack)
		if err != nil {
			return in, err
		}
		in.Paths = picturePaths(paths)
	}
	return in, nil
}

// plannedPicture draws what a stack would have after a plan, and what the plan deletes.
func plannedPicture(stack *automation.Stack, planned *plan.Plan, f *forecast) picture.Input {
	in := picture.Input{
		Stack: stack.Name, Subtitle: "planned", Label: report.TypeName, Resources: planned.After, Changes: map[string]picture.Change{},
		Cost: &f.cost.After, Findings: findingsByURN(f.policies),
		Notes: strings.TrimSpace(f.markdown()),
	}
	deleted := map[string]bool{}
	for _, step := range planned.Changed() {
		switch step.Change {
		case plan.ChangeCreate, plan.ChangeImport:
			in.Changes[step.URN] = picture.Create
		case plan.ChangeUpdate:
			in.Changes[step.URN] = picture.Update
		case plan.ChangeReplace:
			in.Changes[step.URN] = picture.Replace
		case plan.ChangeDelete:
			in.Changes[step.URN] = picture.Delete
			deleted[step.URN] = true
		default: // Changed has no others
		}
	}
	for _, r := range planned.Before {
		if deleted[string(r.URN)] {
			in.Resources = append(in.Resources, r)
		}
	}
	return in
}

// markdown is the forecast for a comment on a pull request.
func (f *forecast) markdown() string {
	var parts []string
	if text := f.time.Text(report.TypeName); text != "" {
		parts = append(parts, "**Time: "+text+"**\n")
	}
	parts = append(parts, f.cost.Markdown(), f.policies.Markdown(report.TypeName))
	return strings.Join(parts, "\n")
}

func findingsByURN(found policy.Report) map[string]string {
	by := map[string]string{}
	for _, finding := range found.Open() {
		if by[finding.URN] != "" {
			by[finding.URN] += "; "
		}
		by[finding.URN] += finding.Rule + ": " + finding.Problem
	}
	return by
}

func picturePaths(paths []connectivity.Path) []picture.Path {
	var list []picture.Path
	for _, path := range paths {
		drawn := picture.Path{Name: path.Name, Absent: path.Absent}
		for _, hop := range path.Hops {
			drawn.Hops = append(drawn.Hops, picture.Hop{Name: hop.Name, Kind: hop.Kind, Why: hop.Why, Breaks: hop.Verdict == connectivity.Breaks})
		}
		list = append(list, drawn)
	}
	return list
}

// writePicture writes a picture in the format of the file's ending, and the file's path to stdout.
func (c *invocation) writePicture(file string, in picture.Input) error {
	var text []byte
	switch filepath.Ext(file) {
	case ".svg":
		text = picture.SVG(in)
	case ".md":
		text = picture.Markdown(in)
	default:
		var err error
		if text, err = picture.HTML(in); err != nil {
			return err
		}
	}
	return c.writePage(file, text)
}

func (c *invocation) writePage(file string, text []byte) error {
	if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // a picture holds no secrets
		return fmt.Errorf("writing the picture: %w", err)
	}
	if c.json != nil {
		c.json.write("picture", map[string]string{"file": file})
		return nil
	}
	c.say("picture: %s", file)
	return nil
}

// fleetPicture draws all stacks that have a state.
func (c *invocation) fleetPicture(ctx context.Context, options pictureOptions) error {
	if options.file == "" {
		options.file = "stacks.html"
	}
	if filepath.Ext(options.file) != ".html" {
		return refuse("a picture of all stacks is a page: give a file that ends with .html, not %s", options.file)
	}
	prices, err := c.prices()
	if err != nil {
		return err
	}
	project, err := c.project()
	if err != nil {
		return err
	}
	session, err := c.session(ctx, project)
	if err != nil {
		return err
	}
	list, err := session.List(ctx)
	if err != nil {
		return err
	}
	var members []picture.Member
	for _, info := range list {
		if !info.HasState {
			continue
		}
		file, err := project.LoadStack(info.Name)
		kind := ""
		if err == nil {
			kind = string(file.Kind)
		}
		stack, err := session.Open(ctx, info.Name, nil, automation.MustExist)
		if err != nil {
			return err
		}
		resources, err := stack.ResourcesAndProviders(ctx)
		stack.Close()
		if err != nil {
			return err
		}
		members = append(members, picture.MemberOf(info.Name, kind, resources, prices))
	}
	page, err := picture.Fleet("as of their last updates", members)
	if err != nil {
		return err
	}
	return c.writePage(options.file, page)
}
