package stacks

import (
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
