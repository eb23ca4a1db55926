package enginetest

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
)

// BegunBefore returns the names, with their types, of the resources that an operation began with before it had ended
// with the last resource of a type: those that did not wait for it. It is everything where it never ended with that
// one.
func (c Changes) BegunBefore(op apitype.OpType, token string) []string {
	end := 0
	for _, step := range c {
		if step.Op == op && step.Type == token {
			if step.ended == 0 {
				return c.Of(op)
			}
			end = max(end, step.ended)
		}
	}
	var found []string
	for _, step := range c {
		if step.Op == op && step.Type != token && step.began < end {
			found = append(found, step.Type+" "+step.Name)
		}
	}
	return found
}

// WaitsFor returns the resources that resources of the type depend on, directly or indirectly when they are created,
// and that wait for them when they are deleted: directly or indirectly, according to the state.
func (s *Stack) WaitsFor(token string) []string {
	s.t.Helper()
	resources := map[resource.URN]apitype.ResourceV3{}
	var open []resource.URN
	for _, r := range s.State() {
		resources[r.URN] = r
		if string(r.Type) == token {
			open = append(open, r.URN)
		}
	}
	require.NotEmpty(s.t, open, "there is no %s", token)
	seen := map[resource.URN]bool{}
	var found []string
	for len(open) > 0 {
		r := resources[open[0]]
		open = open[1:]
		if seen[r.URN] {
			continue
		}
		seen[r.URN] = true
		if string(r.Type) != token && r.Custom && !strings.HasPrefix(string(r.Type), "pulumi:") {
			found = append(found, string(r.Type)+" "+r.URN.Name())
		}
		open = append(open, r.Dependencies...)
		if r.Parent != "" {
			open = append(open, r.Parent)
		}
		if r.Provider != "" {
			open = append(open, resource.URN(r.Provider[:strings.LastIndex(r.Provider, "::")]))
		}
		for _, dependencies := range r.PropertyDependencies {
			open = append(open, dependencies...)
		}
	}
	slices.Sort(found)
	return found
}
