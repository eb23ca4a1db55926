package run

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// ruled is an account with rules of security groups, which answers no list before wait returns.
type ruled struct {
	account.Account

	rules []inventory.Resource
	wait  func()
}

func (a ruled) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	a.wait()
	if q.Type != awstype.SecurityGroupIngressRule {
		return nil, nil
	}
	return a.rules, nil
}

func stated(token, name, id string, inputs map[string]any) apitype.ResourceV3 {
	return apitype.ResourceV3{
		URN:  resource.URN("urn:pulumi:dev::project::" + token + "::" + name),
		Type: tokens.Type(token), ID: resource.ID(id), Custom: true, Provider: "own", Inputs: inputs,
	}
}

// aGroupOfRules returns a state with a security group of rules, and the account, in which it has one rule more.
func aGroupOfRules(rules int, wait func()) ([]apitype.ResourceV3, map[string]account.Account) {
	resources := []apitype.ResourceV3{stated(awstype.SecurityGroup, "bastion", "sg-1", nil)}
	in := ruled{wait: wait}
	for i := range rules + 1 {
		id, inputs := fmt.Sprintf("sgr-%d", i), map[string]any{
			"securityGroupId": "sg-1", "ipProtocol": "tcp", "fromPort": float64(22), "toPort": float64(22),
			"cidrIpv4": fmt.Sprintf("10.%d.%d.0/24", i/250, i%250),
		}
		in.rules = append(in.rules, inventory.Resource{ID: id, Properties: inputs})
		if i < rules {
			resources = append(resources, stated(awstype.SecurityGroupIngressRule, id, id, inputs))
		}
	}
	return resources, map[string]account.Account{"own": in}
}

// TestAllListsOfAdditionsAreAskedForAtTheSameTime: those of four security groups and four roles are 16.
func TestAllListsOfAdditionsAreAskedForAtTheSameTime(t *testing.T) {
	t.Parallel()
	const lists = 16
	var begun sync.WaitGroup
	begun.Add(lists)
	all := sync.OnceFunc(func() {
		met := make(chan struct{})
		go func() {
			begun.Wait()
			close(met)
		}()
		select {
		case <-met:
		case <-time.After(20 * time.Second):
			t.Error("a list waits for another one")
		}
	})
	resources, accounts := aGroupOfRules(3, func() {
		begun.Done()
		all()
	})
	for i := range 3 {
		id := fmt.Sprintf("sg-other-%d", i)
		resources = append(resources, stated(awstype.SecurityGroup, id, id, nil))
	}
	for i := range 4 {
		id := fmt.Sprintf("role-%d", i)
		resources = append(resources, stated(awstype.Role, id, id, nil))
	}
	found, unread := addedTo(t.Context(), resources, accounts, nil)
	require.Empty(t, unread)
	require.Len(t, found, 1)
	require.Equal(t, "sgr-3", found[0].ID)
	require.EqualValues(t, "sg-1", found[0].owner.ID)
}

// BenchmarkAdditionsToALargeStack looks for what others added to a stack with that many resources.
func BenchmarkAdditionsToALargeStack(b *testing.B) {
	for _, rules := range []int{200, 2000} {
		b.Run(fmt.Sprintf("%d resources", rules), func(b *testing.B) {
			resources, accounts := aGroupOfRules(rules, func() {})
			b.ReportAllocs()
			for b.Loop() {
				found, _ := addedTo(b.Context(), resources, accounts, nil)
				require.Len(b, found, 1)
			}
		})
	}
}
