package documents

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// NodePoolManifests returns the objects of a stack of kind nodePools as files, for the HostedCluster in the stack's outputs. It returns
// fault.Faults of the config.
func NodePoolManifests(f *config.File, outputs map[string]any) ([]hostedcluster.Manifest, error) {
	existing, deployed := f.NodePools.ReadCluster(outputs)
	if !deployed {
		return nil, fmt.Errorf("the stack of %s is not deployed, so that the release and the subnet of HostedCluster %s are not known", f.Path, f.NodePools.Name)
	}
	args := f.NodePools.Args(existing)
	manifests, err := args.Manifests()
	if found := fault.In(err); found != nil {
		var faults fault.Faults
		faults.Join(config.KindNodePools.Key(), f.NodePools.InObjects(found).Err())
		return nil, f.Placed(faults.Err())
	}
	return manifests, err
}
