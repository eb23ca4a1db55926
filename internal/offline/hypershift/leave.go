package hypershift

import (
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// leaveBehind creates in AWS what the drivers and controllers of a cluster create and do not delete, of the types that no stack creates.
// https://github.com/openshift/hypershift/blob/main/contrib/aws-leaked-resources
func (g *hostedCluster) leaveBehind() error {
	return g.looking(func(c *aws.Call) error {
		for _, left := range []struct{ kind, token, prefix, state string }{
			{faults.LeaveVolumes, awstype.Volume, "vol", "available"},
			{faults.LeaveSnapshots, awstype.Snapshot, "snap", "completed"},
			{faults.LeaveNetworkInterfaces, awstype.NetworkInterface, "eni", "available"},
			{faults.LeaveClassicLoadBalancers, awstype.ClassicLoadBalancer, "", ""},
		} {
			if !g.how.Leaves(left.kind) {
				continue
			}
			id := ids.EC2(left.prefix)
			if left.prefix == "" {
				id = ids.StableEC2("a", g.infraID, "classic")[2:]
			}
			tags := g.tags(g.infraID + "-" + left.kind)
			state := props.Map{"tags": tags, "tagsAll": props.CloneValue(tags), "state": left.state, "status": left.state}
			if left.prefix == "eni" || left.prefix == "" {
				state["vpcId"] = g.vpc
			}
			c.Put(&store.Record{Type: left.token, ID: id, Scope: g.region, Origin: store.ByOperator, CreatedAt: g.now, State: state})
		}
		return nil
	})
}
