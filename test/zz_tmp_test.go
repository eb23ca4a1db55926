package test

import (
	"fmt"
	"testing"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func TestZZ(t *testing.T) {
	for _, access := range hypershift.EndpointAccesses() {
		stack := newCluster(t)
		stack.Configure(clusterConfig{access: access, nat: network.PerZone, zones: zoneNames(1)}.String())
		stack.Up()
		requireGolden(t, fmt.Sprintf("iam/%s.txt", access), stack.Graph(nil, "oidc", "workers", "roles"))
	}
}
