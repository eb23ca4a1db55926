// Package changes defines plans: what an operation would do or has done, resource by resource, how AWS differs from a
// state, and which changes are refused because a running cluster depends on the resource. Resources before and after a
// plan have types of Pulumi's package apitype.
package changes
