package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// ValidateWaivers returns the error in the first faulty waiver of a config key, nil if there is none.
func ValidateWaivers(key string, waivers []forecast.PolicyWaiver) error {
	for i, waiver := range waivers {
		if err := validateWaiver(waiver); err != nil {
			return fmt.Errorf("%s[%d]: %w", key, i, err)
		}
	}
	return nil
}

func validateWaiver(w forecast.PolicyWaiver) error {
	var faults []error
	if w.Rule != AdditionRule && !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == w.Rule }) {
		faults = append(faults, fmt.Errorf("rule %q is not one of %s", w.Rule,
			strings.Join(append(ids(), AdditionRule), ", ")))
	}
	if strings.TrimSpace(w.Reason) == "" {
		faults = append(faults, fmt.Errorf("the waiver of rule %q has no reason; set reason to why the finding is accepted",
			w.Rule))
	}
	return errors.Join(faults...)
}

func ids() []string {
	var list []string
	for _, r := range Rules() {
		list = append(list, r.ID)
	}
	return list
}

// Check checks the resources against every rule.
func Check(resources []props.Resource, waivers []forecast.PolicyWaiver) forecast.Policies {
	report := forecast.Policies{Findings: []finding.Finding{}}
	used := make([]bool, len(waivers))
	for _, resource := range resources {
		if input := documents[resource.Type]; input != "" && strings.Contains(resource.String(input), Unknown) {
			report.Unchecked = append(report.Unchecked, resource.Name)
		}
		for _, rule := range Rules() {
			for _, problem := range rule.Broken(resource) {
				f := finding.Finding{
					Rule:         rule.ID,
					URN:          resource.URN,
					Name:         resource.Name,
					ResourceType: resource.Type,
					Problem:      problem,
					Remedy:       rule.Remedy,
					Checks:       rule.Checks,
				}
				for i, w := range waivers {
					if w.Rule == rule.ID && (w.Resource == "" || w.Resource == resource.Name) {
						f.Waiver, used[i] = w.Reason, true
					}
				}
				report.Findings = append(report.Findings, f)
			}
		}
	}
	for i, w := range waivers {
		if !used[i] && w.Rule != AdditionRule { // `drift` uses it
			report.Unused = append(report.Unused, w)
		}
	}
	slices.SortStableFunc(report.Findings, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.URN, b.URN))
	})
	slices.Sort(report.Unchecked)
	return report
}

// AdditionRule is the rule of waivers for what others added to a stack's resources, which `drift` finds.
const AdditionRule = "addition"

// Gate describes the gate of Violations.
func Gate() gates.Gate {
	return gates.Gate{
		Name: "policies",
		Refuses: "with --policy mandatory or the key policy: mandatory, a plan that violates a policy without a " +
			"waiver",
		WayOn:      "a waiver in the key `policyWaivers`",
		Operations: []gates.Operation{gates.Up, gates.Preview},
		Cost:       gates.CostFree,
	}
}

// Violations returns the error for what no waiver accepts, nil if there is nothing: the subject violates policies, with
// the effect. waivers is the config key under which findings are accepted.
func Violations(r forecast.Policies, subject, effect, waivers string) error {
	open := r.Open()
	if len(open) == 0 {
		return nil
	}
	var names []string
	for _, f := range open {
		names = append(names, f.Rule+" ("+f.Name+")")
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("%s violates policies: %s; %s", subject, strings.Join(names, ", "), effect),
		Remedy:  "correct the findings, or accept them with a reason under " + waivers,
	}
}

// Text lists the findings; "" if there are none. The label is the name of a type.
func Text(r forecast.Policies, label func(token string) string) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Waiver != "" {
			fmt.Fprintf(&b, "  waived  %s: %s %s: %s (reason: %s)\n", f.Rule, label(f.ResourceType), f.Name, f.Problem, f.Waiver)
			continue
		}
		fmt.Fprintf(&b, "  %s: %s %s: %s; %s", f.Rule, label(f.ResourceType), f.Name, f.Problem, f.Remedy)
		if len(f.Checks) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(f.Checks, ", "))
		}
		b.WriteString("\n")
	}
	for _, note := range notes(r) {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	return b.String()
}

// notes returns the sentences of a report in addition to its findings.
func notes(r forecast.Policies) []string {
	var notes []string
	for _, w := range r.Unused {
		notes = append(notes, fmt.Sprintf("unused waiver of rule %s for %s: remove it", w.Rule,
			cmp.Or(w.Resource, "all resources")))
	}
	if n := len(r.Unchecked); n > 0 {
		notes = append(notes, fmt.Sprintf("%d policy documents are known only after the update and were not checked", n))
	}
	return notes
}

// Markdown lists the findings for a comment on a pull request.
func Markdown(r forecast.Policies, label func(token string) string) string {
	var b strings.Builder
	if len(r.Findings) == 0 {
		b.WriteString("No policy violations.\n")
	} else {
		b.WriteString("| policy | resource | problem | corresponds to |\n|---|---|---|---|\n")
	}
	for _, f := range r.Findings {
		problem := f.Problem + "; " + f.Remedy
		if f.Waiver != "" {
			problem = f.Problem + " (waived: " + f.Waiver + ")"
		}
		fmt.Fprintf(&b, "| %s | %s %s | %s | %s |\n", f.Rule, label(f.ResourceType), f.Name,
			strings.ReplaceAll(problem, "|", "\\|"), strings.Join(f.Checks, ", "))
	}
	if notes := notes(r); len(notes) > 0 {
		fmt.Fprintf(&b, "\n- %s\n", strings.Join(notes, "\n- "))
	}
	return b.String()
}
