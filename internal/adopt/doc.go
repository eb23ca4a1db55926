// Package adopt takes resources that exist in AWS into a stack: it derives a stack's config from an account, has the stack's program
// import what the account has and the state lacks, and says of each resource what happens to it. It never changes AWS itself.
package adopt
