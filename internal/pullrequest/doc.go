// Package pullrequest writes what a preview has found as Markdown for a comment on a pull request: first the counts and what needs a
// reviewer's eye, then the details, collapsed, and never more than GitHub takes.
package pullrequest
