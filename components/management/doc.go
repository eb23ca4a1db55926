// Package management makes what the management account needs before HyperShift's operator is installed:
// the bucket of the hosted clusters' OIDC documents, the zone of their public names, the operator's own
// identities, and what is optional beside them. It is for operators of a management cluster.
package management
