// Package plan describes what an operation would do, resource by resource: its counts, its text, the guard that refuses
// to replace or delete what a running cluster depends on, and the cause of each refused step.
package plan
