// Package operation opens a stack and runs one operation on it with the real Pulumi engine: preview, up, refresh, destroy, and
// the recovery before them. It joins the packages that it is made of (engine, project, state, plan, report, recovery,
// clusterstatus). It is for the CLI, which adds flags and exit codes.
package operation
