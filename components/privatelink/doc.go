// Package privatelink creates the connection from a hosted cluster's nodes to a private control plane: an endpoint
// service on the load balancers in the management account, and in the guest's account an endpoint with its DNS records.
// HyperShift's operators create the same for a running cluster, with the same names and tags, so that either side can
// take over the other's resources. Consumer and ZoneAssociation let other VPCs reach the control plane: by an endpoint
// of their own, or by the names of the nodes' one. The package is for stacks that expose a control plane themselves,
// and for programs that read what the operators created.
package privatelink
