// Package hostedcluster creates the objects of a hosted cluster: its HostedCluster, NodePools and Secrets. The same
// objects are applied to a management cluster, as a Pulumi component, or rendered into files. Programs that create only
// AWS resources need neither this package nor Kubernetes' types.
package hostedcluster
