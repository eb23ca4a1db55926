// Package hostedcluster makes the objects by which HyperShift runs a hosted cluster: its HostedCluster, NodePools and
// Secrets. The same objects are applied to a management cluster, as a Pulumi component, or rendered into files. Nobody
// who makes the AWS estate alone needs it, and only it pulls in Kubernetes' types.
package hostedcluster
