// Package estimate estimates how long an update takes and which resources determine it: it simulates the engine, which
// starts an operation on a resource when those on its dependencies are done. The seconds of each type are AWS's typical
// ones, mixed with those of the stack's own past runs.
package estimate
