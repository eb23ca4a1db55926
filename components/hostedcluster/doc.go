// Package hostedcluster creates the objects of a hosted cluster: its HostedCluster, NodePools and Secrets. The same objects are
// applied to a management cluster, as a Pulumi component, or rendered into files. Only this package depends on Kubernetes'
// types; programs that only create AWS resources do not need it.
package hostedcluster
