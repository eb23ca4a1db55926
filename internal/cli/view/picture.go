package view

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/picture"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/price"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// CheckPictureFile refuses a file whose extension is not a format of a picture, or that cannot be written, before anything is done.
func CheckPictureFile(file string) error {
	if !slices.Contains([]string{".html", ".svg", ".md"}, filepath.Ext(file)) {
		return invocation.Refuse("%s is not a picture's file: use a name that ends with .html, .svg or .md", file)
	}
	const writable = 2 // W_OK of access(2)
	path := file
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		path = filepath.Dir(file)
	} else if info, err := os.Stat(file); err == nil && info.IsDir() {
		return invocation.Refuse("the picture %s is a folder: use another file", file)
	}
	if err := syscall.Access(path, writable); err != nil {
		return invocation.Refuse("the picture %s cannot be written: %s: %w; use a file in a folder that exists and is yours", file, path, err)
	}
	return nil
}

// StatePicture draws a stack's resources, from its state or, with live, as they are in AWS.
func StatePicture(ctx context.Context, c *invocation.Invocation, stack *operation.Stack, live bool) (picture.Input, error) {
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
				in.Drift[step.URN] = "deleted outside the stack"
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
	if len(resources) == 0 {
		return in, &failure.Error{
			Reason: failure.Failed, Problem: fmt.Sprintf("stack %s has no resources to draw", stack.Name),
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`, or draw what it would create with --planned", stack.Name),
		}
	}
	prices, err := c.Prices()
	if err != nil {
		return in, err
	}
	waivers, err := forecast.Waivers(stack.File())
	if err != nil {
		return in, err
	}
	cost := prices.Estimate(resources)
	in.Cost, in.Findings = &cost, findingsByURN(policy.Check(forecast.PolicyResources(resources), waivers))
	in.Resources = slices.Concat(resources, gone)
	if hasNetwork(stack.File()) {
		paths, err := stack.Paths(ctx)
		if err != nil {
			return in, err
		}
		in.Paths = paths
	}
	return in, nil
}

// FleetMember returns the row of a stack in the picture of all stacks. With compare, the state is compared with AWS.
func FleetMember(ctx context.Context, stack *operation.Stack, prices price.Table, compare bool) (picture.Member, error) {
	resources, err := stack.ResourcesAndProviders(ctx)
	if err != nil {
		return picture.Member{}, err
	}
	kind := ""
	if stack.File() != nil {
		kind = string(stack.File().Kind)
	}
	m := picture.MemberOf(stack.Name, kind, resources, prices)
	if outputs, err := stack.Outputs(ctx, false); err == nil && outputs["kind"] != nil && hasNetwork(stack.File()) {
		paths, err := stack.Paths(ctx)
		if err != nil {
			return m, err
		}
		m.Follow(paths)
	}
	if compare {
		found, err := stack.Drift(ctx)
		if err != nil {
			return m, err
		}
		m.Drift, m.Compared = len(found.Changed()), true
	}
	return m, nil
}

// PlannedPicture draws a stack as it would be after a plan, with the resources that the plan deletes.
func PlannedPicture(stack string, file *config.File, planned *plan.Plan, f *forecast.Forecast) picture.Input {
	in := picture.Input{
		Stack: stack, Subtitle: "planned", Label: report.TypeName, Resources: planned.After, Changes: map[string]picture.Change{},
		Cost: &f.Cost.After, Findings: findingsByURN(f.Policies),
		Notes: strings.TrimSpace(markdown(f)),
	}
	if len(planned.After) > 0 && hasNetwork(file) {
		in.Paths = kind.Of(file.Kind).PlannedPaths(file.Section, connectivity.NewGraph(connectivity.Planned(planned.After)))
	}
	deleted := map[string]bool{}
	for _, step := range planned.Changed() {
		in.Changes[step.URN] = picture.Change(step.Change) // Changed returns those that picture has
		deleted[step.URN] = deleted[step.URN] || step.Change == plan.ChangeDelete
	}
	for _, r := range planned.Before {
		if deleted[string(r.URN)] {
			in.Resources = append(in.Resources, r)
		}
	}
	return in
}

// hasNetwork reports whether stacks of the file's kind have a network.
func hasNetwork(file *config.File) bool { return file != nil && kind.Of(file.Kind).Paths != nil }

// markdown returns a forecast for a comment on a pull request.
func markdown(f *forecast.Forecast) string {
	var parts []string
	time, cost, policies := f.Markdown()
	if time != "" {
		parts = append(parts, "**Time: "+time+"**\n")
	}
	parts = append(parts, cost, policies)
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

// WritePicture writes a picture in the format of the file's ending, and the file's path to stdout.
func WritePicture(c *invocation.Invocation, file string, in picture.Input) error {
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
	return WritePage(c, file, text)
}

// WritePage writes the page of a picture into a file, and reports it.
func WritePage(c *invocation.Invocation, file string, text []byte) error {
	if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // a picture contains no secrets
		return fmt.Errorf("writing the picture: %w", err)
	}
	if c.JSON != nil {
		c.JSON.Write("picture", map[string]string{"file": file})
		return nil
	}
	c.Say("picture: %s", file)
	return nil
}
