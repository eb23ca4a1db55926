// Package sweep decides which of a hosted cluster's leftovers in AWS may be deleted, and deletes them.
// needs: forecast
//
// The decision is a pure function of the resources found and of what is known of stacks and management clusters;
// uncertain cases are not deleted, and are reported with the name of the gate.
package sweep
