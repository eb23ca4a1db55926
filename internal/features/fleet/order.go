package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Plan puts the selected stacks into the order of an operation: a stack before those that name it, on destroy after
// them, and otherwise by ID. all are the stacks of the folders, selected or not; exists is called for a management
// stack that has no file among them. The error lists every management stack that is missing, is of another kind or is
// part of a cycle.
func Plan(
	selected, all []fleetrun.Member,
	waves []Wave,
	reverse bool,
	exists func(fleetrun.Member) (bool, error),
) ([]*fleetrun.Job, error) {
	var jobs []*fleetrun.Job
	for _, m := range selected {
		jobs = append(jobs, &fleetrun.Job{Member: m})
	}
	slices.SortStableFunc(jobs, func(a, b *fleetrun.Job) int { return cmp.Compare(a.ID, b.ID) })
	var problems []string
	for _, m := range selected {
		if m.Management == "" {
			continue
		}
		found, external := managementOf(m, all)
		switch {
		case external:
		case found == nil && exists != nil:
			made, err := exists(m)
			if err != nil {
				return nil, err
			}
			if !made {
				problems = append(problems, fmt.Sprintf("stack %s names the management stack %s, which has neither a file in %s nor a state", m.ID, m.Management, m.Dir))
			}
		case found == nil:
			problems = append(problems, fmt.Sprintf("stack %s names the management stack %s, which has no file in %s", m.ID,
				m.Management, m.Dir))
		case found.Kind != string(config.KindManagement) && found.Kind != "":
			problems = append(problems, fmt.Sprintf("stack %s names the management stack %s, which is of kind %s", m.ID,
				m.Management, found.Kind))
		}
	}
	if cycle := findCycle(all); len(cycle) > 0 {
		problems = append(problems, "these stacks name each other as management stack: "+strings.Join(cycle, " -> "))
	}
	if len(problems) > 0 {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: strings.Join(problems, "\n"),
			Remedy:  "correct " + config.ManagementPath + " in their files; nothing was started",
		}
	}
	for _, job := range jobs {
		needs := needsOf(job.Member, all)
		for _, other := range jobs {
			if !slices.Contains(needs, other.ID) {
				continue
			}
			other.Needed = true
			if reverse {
				other.After = append(other.After, job)
			} else {
				job.After = append(job.After, other)
			}
		}
	}
	slices.SortStableFunc(jobs, func(a, b *fleetrun.Job) int {
		if reverse {
			return cmp.Compare(rank(a), rank(b))
		}
		return cmp.Compare(rank(b), rank(a))
	})
	return jobs, assign(jobs, waves, reverse)
}

// rank returns 1 for a stack that others of the fleet depend on.
func rank(job *fleetrun.Job) int {
	if job.Needed {
		return 1
	}
	return 0
}

// needsOf returns the IDs of the stacks that m names: its management stack, the stacks of its network and roles, and
// the stack of the HostedCluster that it adds node pools to.
func needsOf(m fleetrun.Member, all []fleetrun.Member) []string {
	var needs []string
	if found, _ := managementOf(m, all); found != nil {
		needs = append(needs, found.ID)
	}
	for _, name := range m.Parts {
		for i := range all {
			if all[i].Dir == m.Dir && config.Refers(name, all[i].Project, all[i].Stack) {
				needs = append(needs, all[i].ID)
			}
		}
	}
	for _, other := range all {
		if m.PoolsOf != "" && m.PoolsOf == other.Hosts {
			needs = append(needs, other.ID)
		}
	}
	return needs
}

// managementOf returns the management stack of m among the stacks, or nil if it is not among them. external is true if
// it belongs to another project that has no folder here.
func managementOf(m fleetrun.Member, all []fleetrun.Member) (found *fleetrun.Member, external bool) {
	if m.Management == "" {
		return nil, false
	}
	knownProject := false
	for i := range all {
		other := &all[i]
		full := strings.Contains(m.Management, "/")
		if full && strings.Contains(m.Management, "/"+other.Project+"/") {
			knownProject = true
		}
		if !full && other.Dir != m.Dir {
			continue // a name without a project is a stack of the same folder
		}
		if config.Refers(m.Management, other.Project, other.Stack) && (!full || other.Dir == m.Dir || found == nil) {
			found = other
		}
	}
	return found, found == nil && strings.Contains(m.Management, "/") && !knownProject
}

// findCycle returns a cycle of stacks that name each other, from its first stack to the same again; nil without one.
func findCycle(all []fleetrun.Member) []string {
	for i := range all {
		path := []string{all[i].ID}
		at := &all[i]
		for {
			next, _ := managementOf(*at, all)
			if next == nil {
				break
			}
			path = append(path, next.ID)
			if next.ID == path[0] {
				return path
			}
			if slices.Contains(path[:len(path)-1], next.ID) {
				break // the cycle is reported for another stack
			}
			at = next
		}
	}
	return nil
}
