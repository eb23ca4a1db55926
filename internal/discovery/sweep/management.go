package sweep

import (
	"context"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// managementClusters reads the management clusters of the flags and the stacks' files.
func (c *Scope) managementClusters(ctx context.Context, files []*config.File) []ManagementCluster {
	wanted := slices.Clone(c.Kubeconfigs)
	for _, file := range files {
		if own := file.ManagementCluster(); own != nil {
			wanted = append(wanted, *own)
		}
	}
	var clusters []ManagementCluster
	seen := map[config.Kubeconfig]bool{}
	for i, one := range wanted {
		if seen[one] {
			continue
		}
		seen[one] = true
		m := ManagementCluster{Name: managementName(one), Other: i >= len(c.Kubeconfigs)}
		m.UID, m.Alive, m.Err = c.read(ctx, one)
		clusters = append(clusters, m)
	}
	return clusters
}

func managementName(k config.Kubeconfig) string {
	switch {
	case k.Context != "":
		return k.Context
	case k.File != "":
		return "the current context of " + k.File
	}
	return "the current context"
}

// managementTimeout limits the time that a management cluster may take to answer.
const managementTimeout = 20 * time.Second

// read reads a management cluster.
func (c *Scope) read(ctx context.Context, k config.Kubeconfig) (uid string, alive map[string]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, managementTimeout)
	defer cancel()
	return c.Project.ManagementCluster(ctx, k)
}
