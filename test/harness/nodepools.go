package harness

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// NewPools returns a stack that has a hosted cluster, and one of kind nodePools in another project, which shares its
// accounts and reads its management cluster. change changes what the second stack reads; nil changes nothing.
func NewPools(t *testing.T, change func(*hostedcluster.Live)) (owner, pools *enginetest.Stack) {
	t.Helper()
	owner = enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(stackfile.Seeds(), offline.Seed{
		Kind: offline.SeedVPC,
		Name: strangeVPC,
	},
		offline.Seed{Kind: offline.SeedPrivateSubnet, Name: StrangeSubnet, VPC: strangeVPC, Zone: "us-east-1a"},
		offline.Seed{Kind: offline.SeedSecurityGroup, Name: StrangeGroup, VPC: strangeVPC})})
	whole := stackfile.Cluster{
		Access: hypershift.PublicAndPrivate,
		NAT:    network.PerZone,
		Zones:  stackfile.ZoneNames(2),
		More:   stackfile.HostedCluster(t, "      unprotected: true\n"),
	}
	owner.Configure(strings.ReplaceAll(whole.String(), "4.19.0", "4.20.3"))
	owner.Up()
	pools = enginetest.New(t, stacks.Options{Live: LiveOf(owner, change)}.Run, enginetest.Options{
		Project: "pools",
		Beside:  owner,
	})
	return owner, pools
}

// SharedCluster is a management cluster that stays open.
type SharedCluster struct{ inmemory.Cluster }

// Close implements workspace.Cluster.
func (SharedCluster) Close() error { return nil }

// LiveOf reads hosted clusters in the management cluster of a stack. change changes what it returns; nil changes
// nothing.
func LiveOf(owner *enginetest.Stack, change func(*hostedcluster.Live)) stacks.Live {
	return func(ctx context.Context, _ config.Kubeconfig, namespace, name string) (*hostedcluster.Live, error) {
		read, err := clusterstatus.ReadLive(ctx, inmemory.Cluster{Cluster: owner.Clusters()[0]}, namespace, name)
		if err == nil && change != nil {
			change(read)
		}
		return read, err
	}
}

// A network that is not the hosted cluster's.
const (
	strangeVPC    = "vpc-00000000000000abc"
	StrangeSubnet = "subnet-00000000000000abc"
	StrangeGroup  = "sg-00000000000000abc"
)

// LiveObject returns an object of the management cluster without what its operators write: its status, its generation
// and its version.
func LiveObject(t *testing.T, owner *enginetest.Stack, kind, name string) map[string]any {
	t.Helper()
	found, err := owner.Clusters()[0].Get(kind, "clusters", name)
	require.NoError(t, err)
	if found == nil {
		return nil
	}
	delete(found, "status")
	metadata := props.Map(found).Object("metadata")
	delete(metadata, "resourceVersion")
	delete(metadata, "managedFields") // HyperShift's operator writes the status at each step
	return found
}
