package changes

import (
	"fmt"
	"slices"
	"strings"
)

// Refusal is a step of a plan that would delete or replace a resource that a running cluster depends on, or take from
// it in place what the cluster uses.
type Refusal struct {
	// Name is the resource's name in the program, which is the value for --allow.
	Name string `json:"name"`
	// ID is what the key hypershift-aws:allow names the resource by: its ID in AWS, with its unique ID or UID where the ID
	// is a name.
	ID string `json:"id,omitempty"`
	// Kind is the resource type in words, "NAT gateway".
	Kind string `json:"kind"`
	// Change is "replace", "delete", or "update" for a change in place that takes something from users.
	Change Change `json:"change"`
	// Because is the cause of the change: "cidrBlock 10.0.160.0/20 -> 10.0.144.0/20".
	Because string `json:"because"`
	// Input is the config key that causes the change, "" if unknown.
	Input string `json:"input,omitempty"`
	// Needed is the reason why running clusters need the resource: "nodes and endpoints are in it".
	Needed string `json:"needed,omitempty"`
	// Remedy tells how to avoid the change, "" if there is no way.
	Remedy string `json:"remedy,omitempty"`
	// Unguarded is true if the step is allowed: no running cluster depends on the resource, or it is part of another one
	// that is refused.
	Unguarded bool `json:"unguarded,omitempty"`
}

// GuardError is the error of a refused plan.
type GuardError struct {
	// Refusals are the refused steps; at least one.
	Refusals []Refusal
	// Stack is the plan's stack.
	Stack string
	// Allowed are the names that were allowed: the command that allows the plan has them too.
	Allowed []string
	// AllowKey is the key of the stack's file that allows the plan: in a file that is reviewed, and where no flag can.
	AllowKey string
}

// AllowText returns the value of a key of the stack's file that allows refused steps, as YAML.
func AllowText(key string, refusals []Refusal) string {
	var b strings.Builder
	b.WriteString(key + ":\n")
	for _, r := range refusals {
		fmt.Fprintf(&b, "  - {name: %s, id: %s}\n", r.Name, r.ID)
	}
	return b.String()
}

// ByCause groups refusals that have one input and one remedy: those of one cause, in their order. Those that an input
// causes come before what follows from them.
func ByCause(refusals []Refusal) [][]Refusal {
	var groups [][]Refusal
	for _, r := range refusals {
		i := slices.IndexFunc(groups, func(g []Refusal) bool {
			return g[0].Input == r.Input && g[0].Remedy == r.Remedy && (r.Input+r.Remedy != "" || g[0].Because == r.Because)
		})
		if i < 0 {
			groups = append(groups, []Refusal{r})
			continue
		}
		groups[i] = append(groups[i], r)
	}
	slices.SortStableFunc(groups, func(a, b []Refusal) int { return caused(b[0]) - caused(a[0]) })
	return groups
}

// caused returns 1 for a refusal that an input causes, and 0 for another one.
func caused(r Refusal) int { return min(len(r.Input), 1) }

// Error lists the refused steps by cause, with its remedy, and the command that allows them.
func (e *GuardError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "this plan %s resources that a running cluster depends on; nothing was changed\n", e.Does())
	for _, group := range ByCause(e.Refusals) {
		b.WriteString("\n" + causeText(group))
	}
	allow := slices.Clone(e.Allowed)
	for _, r := range e.Refusals {
		if !slices.Contains(allow, r.Name) {
			allow = append(allow, r.Name)
		}
	}
	fmt.Fprintf(&b, "\nTo allow this:\n\n  `hypershift-aws up -s %s --allow %s`\n", e.Stack, strings.Join(allow, ","))
	if e.AllowKey != "" {
		b.WriteString("\nor, below config in the stack's file, which is valid while the stack has resources with these IDs:\n\n")
		for line := range strings.Lines(AllowText(e.AllowKey, e.Refusals)) {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

// Does returns in words what the refused steps do to their resources.
func (e *GuardError) Does() string {
	if slices.ContainsFunc(e.Refusals, func(r Refusal) bool { return r.Change != Update }) {
		return "replaces or deletes"
	}
	return "restricts"
}

// causeText returns the steps of one cause: each change with its reason, then what sets it, the remedy, and what needs
// the resources.
func causeText(group []Refusal) string {
	var b strings.Builder
	for i, r := range group {
		would := map[Change]string{Replace: "replaced", Delete: "deleted", Update: "restricted"}[r.Change]
		fmt.Fprintf(&b, "  %s %s would be %s\n", r.Kind, r.Name, would)
		if i+1 == len(group) || group[i+1].Because != r.Because {
			fmt.Fprintf(&b, "    because  %s\n", r.Because)
		}
	}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "    %-8s %s\n", name, value)
		}
	}
	line("set by", group[0].Input)
	line("remedy", group[0].Remedy)
	needed := slices.CompactFunc(slices.Clone(group), func(a, b Refusal) bool { return a.Needed == b.Needed })
	for _, r := range needed {
		if len(needed) > 1 && r.Needed != "" {
			r.Needed = r.Kind + ": " + r.Needed
		}
		line("needed", r.Needed)
	}
	return b.String()
}
