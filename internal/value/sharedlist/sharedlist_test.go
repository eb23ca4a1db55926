package sharedlist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/sharedlist"
)

func TestAnUpdateKeepsWhatOthersAddedToASharedListAndNothingElse(t *testing.T) {
	t.Parallel()
	owned := sharedlist.Owned{VPC: func(id string) bool { return id == "vpc-own" || id == "vpc-moved" },
		Clusters: []string{"further-x1"}}
	const (
		zone     = "aws:route53/zone:Zone"
		provider = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
		subnet   = "aws:ec2/subnet:Subnet"
	)
	vpcs := func(ids ...string) (list []any) {
		for _, id := range ids {
			list = append(list, map[string]any{"vpcId": id})
		}
		return list
	}
	tags := func(pairs ...string) map[string]any {
		all := map[string]any{"Name": "a"}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = pairs[i+1]
		}
		return all
	}
	for name, test := range map[string]struct {
		token, property string
		state, now      any
		keeps           bool
	}{
		"a hub's VPC":            {zone, "vpcs", vpcs("vpc-own"), vpcs("vpc-own", "vpc-hub"), true},
		"the stack's own VPC":    {zone, "vpcs", vpcs("vpc-own"), vpcs("vpc-own", "vpc-moved"), false},
		"a VPC in another place": {zone, "vpcs", vpcs("vpc-own"), vpcs("vpc-hub"), false},
		"a zone's comment":       {zone, "comment", "a", "b", false},
		"a client ID":            {provider, "clientIdLists", []any{"openshift"}, []any{"theirs", "openshift"}, true},
		"a client ID less":       {provider, "clientIdLists", []any{"openshift", "sts"}, []any{"sts", "theirs"}, false},
		"the tag of a cluster":   {subnet, "tags", tags(), tags("kubernetes.io/cluster/b", "shared"), true},
		"all tags":               {subnet, "tagsAll", tags(), tags("kubernetes.io/cluster/b", "shared"), true},
		"a cluster that left":    {subnet, "tags", tags("kubernetes.io/cluster/b", "shared"), tags(), true},
		"a VPC that left":        {zone, "vpcs", vpcs("vpc-own", "vpc-hub"), vpcs("vpc-own"), true},
		"another tag":            {subnet, "tags", tags(), tags("cost", "1"), false},
		"a changed tag":          {subnet, "tags", tags("kubernetes.io/cluster/b", "shared"), tags("kubernetes.io/cluster/b", "owned"), true},
		"a changed own tag":      {subnet, "tags", map[string]any{"Name": "b"}, tags("kubernetes.io/cluster/b", "shared"), false},
		"a further cluster":      {subnet, "tags", tags(), tags("kubernetes.io/cluster/further-x1", "shared"), false},
		"the tags of a VPC":      {"aws:ec2/vpc:Vpc", "tags", tags(), tags("kubernetes.io/cluster/b", "shared"), false},
	} {
		require.Equal(t, test.keeps, owned.Keeps(sharedlist.Of(test.token, test.property), test.state, test.now), name)
	}
}
