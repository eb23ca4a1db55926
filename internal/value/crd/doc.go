// Package crd checks Kubernetes objects against the schemas of CustomResourceDefinitions as an API server does: unknown
// fields, types and formats, defaults, and the rules in CEL, including those for changes. It is for code that creates
// such objects and reports faults before they are sent to a cluster, and for simulations of a cluster. It is
// independent of Pulumi and of any particular API; a Set contains the CRDs of one API.
package crd
