package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestLoadBalancersRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	one, two := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.subnet(vpc, "10.0.16.0/20", "us-east-1a")
	network := func(name string, subnets ...string) props.Map {
		return props.Map{"name": name, "loadBalancerType": "network", "subnets": props.List(subnets...)}
	}
	guarded := network("router", one)
	guarded["enableDeletionProtection"] = true
	id := e.id(awstype.LoadBalancer, guarded)
	for code, in := range map[string]props.Map{
		"DuplicateLoadBalancerName":   network("router", two),
		"ValidationError":             network("none"),
		"InvalidConfigurationRequest": network("both", one, two),
	} {
		_, _, err := e.try(awstype.LoadBalancer, in, false)
		refused(t, err, code)
	}
	refused(t, e.delete(awstype.LoadBalancer, id), "OperationNotPermitted")
	_, err := e.update(awstype.LoadBalancer, id, guarded, network("router", one))
	require.NoError(t, err)
	require.NoError(t, e.delete(awstype.LoadBalancer, id))
}
