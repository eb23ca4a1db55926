// Package crd holds HyperShift's own schemas of HostedCluster and NodePool, and applies them as the API server of a
// management cluster does: unknown fields, types and formats, defaults, and the rules in CEL, those about changes
// included. It is for whoever makes such objects and wants them refused before a cluster sees them, and for whoever
// stands in for the cluster. It knows no Pulumi.
package crd
