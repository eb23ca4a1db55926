// Package management creates what the management account needs before HyperShift's operator is installed: the bucket of
// the hosted clusters' OIDC documents, the zone of their public names, the operator's IAM identities, and optional
// resources. It is for people who operate a management cluster.
package management
