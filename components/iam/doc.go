// Package iam makes a hosted cluster's identity in AWS: the OIDC provider that vouches for its service
// accounts, the roles they take, and the instance profile of its nodes. It is for programs that need
// HyperShift's IAM, with or without the rest of this project.
package iam
