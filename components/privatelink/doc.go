// Package privatelink makes what a hosted cluster's nodes reach a private control plane by: an endpoint service on the
// load balancers of the management account, and in the guest's an endpoint with its names. HyperShift's operators make
// the same for a running cluster, with the same names and tags, so that either can take over what the other made. It is
// for stacks that front a control plane themselves, and for all who want to see what the operators made.
package privatelink
