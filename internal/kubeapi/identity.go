package kubeapi

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// IdentityWithin is how long a management cluster may take to answer which one it is.
const IdentityWithin = 5 * time.Second

// liveWithin is how long a management cluster may take to answer how a hosted cluster is.
const liveWithin = 20 * time.Second

// ClusterUID returns the UID of the cluster that a kubeconfig selects: see Cluster.ClusterUID.
func ClusterUID(ctx context.Context, k config.Kubeconfig) (string, error) {
	cluster, err := Open(k.File, k.Context)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, IdentityWithin)
	defer cancel()
	return cluster.ClusterUID(ctx)
}

// ClusterUID returns the UID of namespace kube-system, which a cluster keeps for its whole life, whatever its address, CA or name; "" if the
// caller may not read that namespace.
func (c *Cluster) ClusterUID(ctx context.Context) (string, error) {
	object, err := c.get(ctx, "Namespace", "", "kube-system")
	if apierrors.IsForbidden(err) || err == nil && object == nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return string(object.GetUID()), nil
}

// Address identifies the API server: its URL and the CA that it is trusted by.
func (c *Cluster) Address() string { return c.address }
