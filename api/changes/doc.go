// Package changes defines plans: what an operation would do or has done, resource by resource, how AWS differs from a state, and which changes are
// refused because a running cluster depends on the resource. Resources before and after a plan are those of Pulumi's own package apitype.
package changes
