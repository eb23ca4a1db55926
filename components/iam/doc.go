// Package iam creates a hosted cluster's IAM resources: the OIDC provider for its service accounts, the roles that they
// assume, and the instance profile of its nodes. It is for programs that need HyperShift's IAM, with or without the
// rest of this project.
package iam
