// Package automation runs operations on the stacks of a project: what the commands of hypershift-aws do, for Go
// programs. Each operation is one call that does all of it: it opens the stack, recovers what an interrupted run left,
// asks the gates, previews, asks a person, backs the state up, runs the engine, keeps its journal, and returns the
// result. Nothing is printed, and nothing ends the program.
//
//	project, err := automation.Open(automation.ProjectOptions{Dir: "clusters"})
//	...
//	defer project.Close()
//	result, err := project.Stack("dev").Up(ctx, automation.UpOptions{Decide: automation.Approve})
//
// # Environment
//
// A project is a folder with a file per stack, Pulumi.<stack>.yaml (see package stacks/config); NewStack takes the
// content of one as a value instead. Operations run against AWS, or with ProjectOptions.Offline against an AWS account
// in memory with a separate state, which needs no credentials. Both use the real Pulumi engine: the pulumi of the PATH
// if it is new enough, else the one beside ProjectOptions.Executable or in the folders ProjectOptions.EngineDirs, else
// one that is installed.
//
// # Operations
//
// Preview, Up, Destroy, Refresh, Drift, Adopt, Forget and Repair are operations on a Stack; Outputs, Preflight,
// Permissions and Wait read it. Paths follows the paths of traffic and DNS names through its resources, and names the
// hop at which one breaks. Render returns the objects of its cluster for GitOps. Sweep lists or deletes what a
// cluster's operators left in AWS. Fleet runs one operation on many stacks of one or several folders: in the caller's
// process by FleetOptions.Run, or with FleetOptions.Process in one process per stack, as the command does;
// test/ledgers/bench.md compares their memory. An operation holds the lock of the stack's state while the engine
// changes something: a second one on the same stack fails with Conflict. After an interruption of any kind the same
// call continues: the next Up or Destroy finds what was under way.
//
// # Gates
//
// A gate refuses an operation that would harm a living cluster or could not succeed; Gates lists them in their order.
// Up and Destroy stop at the first refusal, and Preview returns all of them as PreviewResult.Refusals. A refusal is an
// error whose ReasonOf is Refused, with a remedy. Options allow what a gate refuses, such as UpOptions.Allow; each use
// is kept in the project's journal of consents.
//
// # Decisions
//
// What a person decides comes in as a function: Decide gets a Question with the plan, and answers it. Without one
// nothing is changed, and the error is Refused. Approve answers yes to all questions but those for a cluster's name,
// because the deletion of a cluster needs DestroyOptions.Cluster or a person.
//
// # Events
//
// Events of an operation go to ProjectOptions.Events or, for one stack, Stack.Events, while it runs and from several
// goroutines; Stack.Watch returns them as an iterator instead. They are values of the types in package api/event, and
// of those here whose name ends with Event.
//
// # Cancellation
//
// An operation stops in two stages. When the context ends, or at the first Stack.Interrupt, the operations in progress
// on resources finish and are written to the state; a second Interrupt abandons them. The error is then Interrupted.
//
// # Results
//
// Results, events and errors are plain data of the packages under api, most of them with a name of their own here: Plan
// is that of package api/changes, Forecast of api/forecast, Status of api/status. Durations are time.Duration, or
// seconds where the name says so; costs are USD per month. Errors wrap an Error (api/failure), a GuardError
// (api/changes) or the faults of a stack's config (api/fault): use errors.As, or ReasonOf.
//
// # Stability
//
// The package is v0: names and fields may change between minor versions, and CHANGELOG.md lists such changes. The
// format of states, the URNs and the outputs of stacks are kept.
package automation
