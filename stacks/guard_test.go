package stacks

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// A resource of a state is in the component whose name fits best, and a whole stack has the components of its kind
// alone.
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
	for _, urn := range []string{first, second, wrapped, whole, ofFirst, ofOther, alike, inside, nested, alone,
		stack + "hypershift-aws:iam:RoleSet::roles"} {
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

func (j *judge) Empty() bool          { return false }
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
		g := &guard{
			update: &c.judge,
			dry:    c.dry,
			allow:  func() { allowed = true },
			refuse: func(err error) { rejected = err },
		}
		assert.Equal(t, c.want, g.end(c.failed), name)
		assert.Equal(t, c.prepared, c.judge.prepared, name)
		assert.Equal(t, c.want, rejected, name)
		assert.Equal(t, c.want == nil, allowed, name)
	}
}

// regionMocks is an engine without a state, whose AWS provider has a region.
type regionMocks struct{ noMocks }

func (regionMocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	if args.Token == "aws:index/getRegion:getRegion" {
		return resource.NewPropertyMapFromMap(map[string]any{"name": "us-east-1", "id": "us-east-1"}), nil
	}
	return resource.PropertyMap{}, nil
}

// The engine waits for its program: one that does not end is an update that hangs.
func TestAProgramUnderAGuardEndsIfItsManagementClusterDoesNotAnswer(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	options := Options{
		Dir:        t.TempDir(),
		Guard:      func(*config.Config) Guard { return &judge{} },
		ClusterUID: func(context.Context, config.Kubeconfig) (string, error) { return "", errors.New("connection refused") },
	}
	settings := func(info *pulumi.RunInfo) {
		info.Config = map[string]string{
			config.KindKey:              "management",
			config.KindManagement.Key(): "{oidcBucket: {name: demo-oidc}, operator: {identity: AccessKeys}, kubeconfig: {}}",
		}
	}
	go func() {
		ended <- pulumi.RunErr(options.Run, pulumi.WithMocks("hypershift-aws", "dev", regionMocks{}), settings)
	}()
	select {
	case err := <-ended:
		require.ErrorContains(t, err, "connection refused; nothing was changed")
	case <-time.After(10 * time.Second):
		require.Fail(t, "the program has not ended")
	}
}
