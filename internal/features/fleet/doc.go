// Package fleet runs one operation on many stacks: it selects them, checks them against each other, orders them by their
// management stacks, runs each in a separate process within limits, and keeps a journal from which an interrupted run is resumed.
// It is for the commands `hypershift-aws fleet`.
package fleet
