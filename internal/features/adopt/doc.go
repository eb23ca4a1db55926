// Package adopt imports existing AWS resources into a stack.
// needs: forecast
//
// It derives a stack's config from an account, sets import IDs in the stack's program for resources that the account
// has and the state lacks, and reports what happens to each resource. It never changes AWS itself.
package adopt
