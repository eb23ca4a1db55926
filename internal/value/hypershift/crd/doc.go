// Package crd has HyperShift's own schemas of HostedCluster and NodePool, and applies them as the API server of a
// management cluster does: unknown fields, types and formats, defaults, and CEL rules, including those about changes.
// It is for programs that create such objects and want errors before a cluster returns them, and for simulations of a
// cluster. It does not depend on Pulumi.
package crd
