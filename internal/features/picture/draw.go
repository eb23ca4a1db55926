package picture

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	api "github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths"
	"github.com/hypershift-aws/hypershift-aws/internal/features/policies"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// OfPlan draws a stack as it would be after a plan, with the resources that the plan deletes.
func OfPlan(f *api.Forecast, stack string, file *config.File, planned *changes.Plan) Input {
	in := Input{
		Stack: stack, Subtitle: "planned", Label: report.TypeName, Resources: planned.After, Changes: map[string]Change{},
		Cost: &f.Cost.After, Findings: findingsByURN(f.Policies),
		Notes: strings.TrimSpace(detailsText(f)), Existing: existingNetwork(file),
	}
	if len(planned.After) > 0 && paths.HasNetwork(file) {
		in.Paths = paths.Planned(file, planned.After)
	}
	deleted := map[string]bool{}
	for _, step := range plan.Listed(planned) {
		in.Changes[step.URN] = Change(step.Change) // Changed returns those that picture has
		deleted[step.URN] = deleted[step.URN] || step.Change == changes.Delete
	}
	for _, r := range planned.Before {
		if deleted[string(r.URN)] {
			in.Resources = append(in.Resources, r)
		}
	}
	return in
}

// OfState draws the resources of a stack's state.
func OfState(stack string, file *config.File, resources []apitype.ResourceV3, prices price.Table) (Input, error) {
	violated, err := policies.Violations(file, resources)
	if err != nil {
		return Input{}, err
	}
	cost := prices.Estimate(resources)
	return Input{
		Stack: stack, Subtitle: "as of its last update", Label: report.TypeName, Resources: resources, Cost: &cost,
		Findings: findingsByURN(violated), Existing: existingNetwork(file),
	}, nil
}

// existingKinds are the kinds of existing resources that are drawn.
var existingKinds = []config.ExistingKind{
	config.ExistingVPC, config.ExistingPrivateSubnet, config.ExistingPublicSubnet, config.ExistingClientVPC,
	config.ExistingClientSubnet,
}

// existingNetwork returns the VPCs and the subnets of others that a stack's file names; the file may be nil.
func existingNetwork(file *config.File) []config.Existing {
	if file == nil || file.Section == nil {
		return nil
	}
	return slices.DeleteFunc(file.Section.Existing(nil), func(e config.Existing) bool {
		return e.Name == "" || !slices.Contains(existingKinds, e.Kind)
	})
}

// detailsText returns a forecast for a comment on a pull request.
func detailsText(f *api.Forecast) string {
	var parts []string
	time, cost, policies := forecast.Markdown(f)
	if time != "" {
		parts = append(parts, "**Time: "+time+"**\n")
	}
	parts = append(parts, cost, policies)
	return strings.Join(parts, "\n")
}

func findingsByURN(found api.Policies) map[string]string {
	by := map[string]string{}
	for _, finding := range found.Open() {
		if by[finding.URN] != "" {
			by[finding.URN] += "; "
		}
		by[finding.URN] += finding.Rule + ": " + finding.Problem
	}
	return by
}
