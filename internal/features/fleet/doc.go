// Package fleet runs one operation on many stacks.
// needs: forecast, preflight, review, sandbox
//
// It selects them, checks them against each other, orders them by their management stacks, runs each within limits in
// this process or in a separate one, and keeps a journal from which an interrupted run is resumed. It is for
// automation.Fleet and the commands `hypershift-aws fleet`.
package fleet
