// Package sweep decides what of a hosted cluster's leftovers in AWS may be deleted, and deletes it. The decision is a pure function of
// what was found and of what is known of stacks and management clusters; everything that is in doubt is held back, with the name of the
// gate that holds it.
package sweep
