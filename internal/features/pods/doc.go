// Package pods runs stacks in pods of a management cluster, by the Pulumi Kubernetes Operator.
// needs: fleet, forecast
//
// Its packages are the operator's objects, the image, and the programs in it: the pulumi command, the language host and
// the lease on a state.
package pods
