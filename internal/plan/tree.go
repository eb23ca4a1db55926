package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// component is a component with what a plan changes in it; the root has no step.
type component struct {
	step  *changes.Step
	steps []*changes.Step
	inner []*component
	// last is the longest chain of dependencies to one of its resources: components of one rank are written in the order
	// in which they are complete.
	last int
	// rank is the smallest one of its resources.
	rank rank
}

// rank is what matters to a reader, the smallest first.
type rank int

const (
	clusterRank rank = iota
	poolRank
	networkRank
	otherRank
)

// rankOf returns the rank of a resource type.
func rankOf(token string) rank {
	kind := token[strings.LastIndex(token, ":")+1:]
	switch {
	case strings.HasPrefix(token, "aws:ec2/"):
		return networkRank
	case !strings.HasPrefix(token, "kubernetes:"):
		return otherRank
	case kind == "HostedCluster", kind == "Cluster":
		return clusterRank
	case kind == "NodePool", kind == "MachinePool", kind == "MachineDeployment":
		return poolRank
	}
	return otherRank
}

// treeOf returns the steps by the components that they are in.
func treeOf(plan *changes.Plan, steps []*changes.Step, depths map[string]int) *component {
	byURN := map[string]*changes.Step{}
	for _, step := range plan.Steps {
		byURN[step.URN] = step
	}
	delete(byURN, "") // the parent of what has none
	root := &component{}
	for _, step := range steps {
		var path []*changes.Step
		for at := byURN[step.Parent]; at != nil; at = byURN[at.Parent] {
			if !at.Custom && at.Type != "pulumi:pulumi:Stack" {
				path = append(path, at)
			}
		}
		c := root
		for _, in := range slices.Backward(path) {
			c = c.below(in)
			c.last, c.rank = max(c.last, depths[step.URN]), min(c.rank, rankOf(step.Type))
		}
		c.steps = append(c.steps, step)
	}
	root.sort(depths)
	return root
}

// below returns an inner component, which is added if it is new.
func (c *component) below(step *changes.Step) *component {
	for _, in := range c.inner {
		if in.step == step {
			return in
		}
	}
	in := &component{step: step, rank: otherRank}
	c.inner = append(c.inner, in)
	return in
}

// sort orders resources and components: clusters and pools, networks, and the rest, each as they are created. The
// resources of a network's component that are of other types stay where they are created.
func (c *component) sort(depths map[string]int) {
	within := func(step *changes.Step) rank { return min(rankOf(step.Type), networkRank) }
	slices.SortStableFunc(c.steps, func(a, b *changes.Step) int {
		return cmp.Or(cmp.Compare(within(a), within(b)), cmp.Compare(depths[a.URN], depths[b.URN]))
	})
	slices.SortStableFunc(c.inner, func(a, b *component) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.last, b.last), cmp.Compare(a.step.Name, b.step.Name))
	})
	for _, in := range c.inner {
		in.sort(depths)
	}
}

// name returns the component's name, "" for the root.
func (c *component) name() string {
	if c.step == nil {
		return ""
	}
	return c.step.Name
}

// groups returns the component's resources that are one line each: those of one type with the same change, or with the
// same new values. A group is where its first resource is.
func (c *component) groups() [][]*changes.Step {
	var groups [][]*changes.Step
	at := map[string]int{}
	for _, step := range c.steps {
		key := string(step.Change) + step.Type
		if step.Change == changes.Update {
			values, err := json.Marshal(Values(step))
			if err == nil && len(Values(step)) > 0 {
				key = string(step.Change) + string(values)
			}
		}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], step)
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b *changes.Step) int {
			return cmp.Or(cmp.Compare(report.TypeName(a.Type), report.TypeName(b.Type)), cmp.Compare(a.Name, b.Name))
		})
	}
	return groups
}

// depths returns the longest chain of dependencies to each resource: it is created after those of a smaller depth.
func depths(plan *changes.Plan) map[string]int {
	resources := map[string]apitype.ResourceV3{}
	for _, r := range slices.Concat(plan.Before, plan.After) {
		resources[string(r.URN)] = r
	}
	known := map[string]int{}
	var depth func(urn string) int
	depth = func(urn string) int {
		if d, ok := known[urn]; ok {
			return d
		}
		known[urn] = 0 // ends a circle
		deepest := 0
		for _, on := range resources[urn].Dependencies {
			deepest = max(deepest, depth(string(on))+1)
		}
		known[urn] = deepest
		return deepest
	}
	for urn := range resources {
		depth(urn)
	}
	return known
}
