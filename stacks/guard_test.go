package stacks

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A resource of a state is in the component whose name fits best, and a whole stack has the components of its kind alone.
func TestAPartHasTheResourcesOfItsComponentAlone(t *testing.T) {
	t.Parallel()
	const (
		stack   = "urn:pulumi:s::p::"
		guest   = "hypershift-aws:network:GuestNetwork"
		first   = stack + guest + "::network"
		second  = stack + guest + "::network-two"
		wrapped = stack + "my:index:Wrapper$" + guest + "::network"
		whole   = stack + ClusterType + "::whole"
		subnet  = "$aws:ec2/subnet:Subnet::"
		ofFirst = stack + guest + subnet + "network-private-us-east-1a"
		ofOther = stack + guest + subnet + "network-two-private-us-east-1a"
		alike   = stack + guest + subnet + "networks-private-us-east-1a" // of a component that the state no longer has
		inside  = stack + "my:index:Wrapper$" + guest + subnet + "network-private-us-east-1a"
		nested  = stack + "hypershift-aws:iam:RoleSet$hypershift-aws:iam:WorkloadRole$aws:iam/role:Role::roles-shop-orders-role"
		alone   = stack + "aws:ec2/vpc:Vpc::network-vpc"
	)
	state := map[string]lastResource{}
	for _, urn := range []string{first, second, wrapped, whole, ofFirst, ofOther, alike, inside, nested, alone, stack + "hypershift-aws:iam:RoleSet::roles"} {
		state[urn] = lastResource{}
	}
	all := []string{ofFirst, ofOther, alike, inside, nested, alone}
	for component, want := range map[string][]string{
		first: {ofFirst}, second: {ofOther}, wrapped: {inside}, whole: {ofFirst, nested},
		stack + guest + "::new":                               nil,
		stack + "my:index:Wrapper$" + ClusterType + "::whole": {inside},
		stack + CAPAType + "::whole":                          nil,
	} {
		var has []string
		for _, resource := range all {
			if newPart(component).has(resource, state) {
				has = append(has, resource)
			}
		}
		assert.Equal(t, want, has, component)
	}
	var everything *part
	assert.True(t, everything.has(alone, state))
}

// judge is a Guard with given answers.
type judge struct {
	Guard
	refusal, unprepared error
	prepared            int
}

func (j *judge) Refusal(string) error { return j.refusal }
func (j *judge) Prepare(string) error { j.prepared++; return j.unprepared }

// The question changes nothing: what changes something is done once, for an update that is allowed.
func TestAnUpdateIsPreparedOnlyIfItIsAllowed(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		judge    judge
		failed   error
		dry      bool
		prepared int
		want     error
	}{
		"allowed":                   {prepared: 1},
		"a preview":                 {dry: true},
		"refused":                   {judge: judge{refusal: refused}, want: refused},
		"a program with an error":   {failed: refused, want: refused},
		"what cannot be prepared":   {judge: judge{unprepared: refused}, prepared: 1, want: refused},
		"a refused update's review": {judge: judge{refusal: refused}, dry: true, want: refused},
	} {
		allowed, rejected := false, error(nil)
		g := &guard{update: &c.judge, dry: c.dry, allow: func() { allowed = true }, refuse: func(err error) { rejected = err }}
		assert.Equal(t, c.want, g.end(c.failed), name)
		assert.Equal(t, c.prepared, c.judge.prepared, name)
		assert.Equal(t, c.want, rejected, name)
		assert.Equal(t, c.want == nil, allowed, name)
	}
}
