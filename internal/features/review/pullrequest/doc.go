// Package pullrequest formats a preview as Markdown for a comment on a pull request: first the counts and what a
// reviewer must check, then the details, collapsed, within GitHub's limit of length.
package pullrequest
