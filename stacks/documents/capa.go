package documents

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// CAPAManifests returns the objects of a stack of kind capa as files. site is the stack's output of that name. It
// returns fault.Faults of the config.
func CAPAManifests(f *config.File, site any) ([]hostedcluster.Manifest, error) {
	if f.CAPA == nil {
		return nil, fmt.Errorf("%s describes no cluster of Cluster API: use %s", f.Path, config.CAPAKey)
	}
	read, err := capa.ReadSite(site)
	if err != nil {
		return nil, err
	}
	objects, err := f.CAPA.Manifests(read)
	if fault.In(err) != nil {
		var faults fault.Faults
		faults.Join(config.CAPAKey, err)
		return nil, f.Placed(faults.Err())
	}
	var manifests []hostedcluster.Manifest
	for _, m := range objects {
		manifests = append(manifests, hostedcluster.Manifest(m))
	}
	return manifests, err
}
