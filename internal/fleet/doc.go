// Package fleet runs one operation on many stacks: it selects them, checks them against each other, orders them by their
// management stacks, runs each in a process of its own within limits, and keeps a journal from which an interrupted run goes on.
// It is for the commands `hypershift-aws fleet`.
package fleet
