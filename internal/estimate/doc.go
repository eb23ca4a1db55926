// Package estimate says how long an update will take and which resources decide it: it simulates the engine, which works on
// a resource when those it depends on are done. The seconds of each type are AWS's typical ones, mixed with those of the
// stack's own past runs.
package estimate
