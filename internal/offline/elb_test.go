package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadBalancersRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	one, two := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.subnet(vpc, "10.0.16.0/20", "us-east-1a")
	network := func(name string, subnets ...string) props {
		return props{"name": name, "loadBalancerType": "network", "subnets": list(subnets...)}
	}
	guarded := network("router", one)
	guarded["enableDeletionProtection"] = true
	id := e.id(loadBalancerToken, guarded)
	for code, in := range map[string]props{
		"DuplicateLoadBalancerName":   network("router", two),
		"ValidationError":             network("none"),
		"InvalidConfigurationRequest": network("both", one, two),
	} {
		_, _, err := e.try(loadBalancerToken, in, false)
		refused(t, err, code)
	}
	refused(t, e.delete(loadBalancerToken, id), "OperationNotPermitted")
	_, err := e.update(loadBalancerToken, id, guarded, network("router", one))
	require.NoError(t, err)
	require.NoError(t, e.delete(loadBalancerToken, id))
}
