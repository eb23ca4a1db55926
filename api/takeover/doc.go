// Package takeover describes what a stack takes over because it exists already: resources that an interrupted run
// created, those of a cluster that another tool created, and a hosted cluster that was restored from a backup. Nothing
// is created, changed or deleted in AWS for it without a review.
package takeover
