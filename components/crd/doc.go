// Package crd checks Kubernetes objects against the schemas of CustomResourceDefinitions as an API server does: unknown
// fields, types and formats, defaults, and the rules in CEL, including those for changes. It is for code that makes such
// objects and wants faults reported before a cluster sees them, and for code that stands in for a cluster. It knows no
// Pulumi and no particular API; a Set holds the CRDs of one API.
package crd
