package fleet

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
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
	known := newDirectory(all)
	for _, m := range selected {
		if m.Management == "" {
			continue
		}
		found, external := known.managementOf(m)
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
		case found.Kind != "" && !kind.ByName(config.Kind(found.Kind)).HostsControlPlanes:
			problems = append(problems, fmt.Sprintf("stack %s names the management stack %s, which is of kind %s", m.ID,
				m.Management, found.Kind))
		}
	}
	if cycle := findCycle(all, known); len(cycle) > 0 {
		problems = append(problems, "these stacks name each other as management stack: "+strings.Join(cycle, " -> "))
	}
	if len(problems) > 0 {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: strings.Join(problems, "\n"),
			Remedy:  "correct " + config.ManagementPath + " in their files; nothing was started",
		}
	}
	byID := map[string][]*fleetrun.Job{}
	for _, job := range jobs {
		byID[job.ID] = append(byID[job.ID], job)
	}
	for _, job := range jobs {
		for _, id := range known.needsOf(job.Member) {
			for _, other := range byID[id] {
				other.Needed = true
				if reverse {
					other.After = append(other.After, job)
				} else {
					job.After = append(job.After, other)
				}
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

// directory finds the stacks of the folders by what others call them.
type directory struct {
	// inFolder has stacks by their folder and name, and inProject by their project and name.
	inFolder, inProject map[[2]string][]*fleetrun.Member
	projects            map[string]bool
	// hosts has the IDs of the stacks of HostedClusters, by these.
	hosts map[string][]string
}

func newDirectory(all []fleetrun.Member) *directory {
	d := &directory{
		inFolder: map[[2]string][]*fleetrun.Member{}, inProject: map[[2]string][]*fleetrun.Member{},
		projects: map[string]bool{}, hosts: map[string][]string{},
	}
	for i := range all {
		m := &all[i]
		folder, project := [2]string{m.Dir, m.Stack}, [2]string{m.Project, m.Stack}
		d.inFolder[folder] = append(d.inFolder[folder], m)
		d.inProject[project] = append(d.inProject[project], m)
		d.projects[m.Project] = true
		d.hosts[m.Hosts] = append(d.hosts[m.Hosts], m.ID)
	}
	return d
}

// referred returns the stacks in a folder that a name refers to.
func (d *directory) referred(dir, name string) (found []*fleetrun.Member) {
	for _, m := range d.inFolder[[2]string{dir, path.Base(name)}] {
		if config.Refers(name, m.Project, m.Stack) {
			found = append(found, m)
		}
	}
	return found
}

// needsOf returns the IDs of the stacks that m names, in alphabetical order: its management stack, the stacks of its
// network and roles, and the stack of the HostedCluster that it adds node pools to.
func (d *directory) needsOf(m fleetrun.Member) []string {
	var needs []string
	if found, _ := d.managementOf(m); found != nil {
		needs = append(needs, found.ID)
	}
	for _, name := range m.Parts {
		for _, part := range d.referred(m.Dir, name) {
			needs = append(needs, part.ID)
		}
	}
	if m.PoolsOf != "" {
		needs = append(needs, d.hosts[m.PoolsOf]...)
	}
	slices.Sort(needs)
	return slices.Compact(needs)
}

// managementOf returns the management stack of m among the stacks, or nil if it is not among them; that of its own
// folder comes first. external is true if it belongs to another project that has no folder here.
func (d *directory) managementOf(m fleetrun.Member) (found *fleetrun.Member, external bool) {
	if m.Management == "" {
		return nil, false
	}
	if here := d.referred(m.Dir, m.Management); len(here) > 0 {
		return here[len(here)-1], false
	}
	folder, stack := path.Split(m.Management)
	if folder == "" {
		return nil, false // a name without a project is a stack of the same folder
	}
	project := path.Base(folder)
	for _, elsewhere := range d.inProject[[2]string{project, stack}] {
		if config.Refers(m.Management, project, stack) {
			return elsewhere, false
		}
	}
	return nil, !d.projects[project] || !strings.Contains(m.Management, "/"+project+"/")
}

// findCycle returns a cycle of stacks that name each other, from its first stack to the same again; nil without one.
func findCycle(all []fleetrun.Member, known *directory) []string {
	for i := range all {
		path := []string{all[i].ID}
		at := &all[i]
		for {
			next, _ := known.managementOf(*at)
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
