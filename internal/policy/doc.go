// Package policy checks a stack's resources against rules of security and care, such as that nobody may write to a bucket
// anonymously. Each rule is a plain function over one resource and names the checks of checkov, trivy, prowler, cfn-nag and
// CIS that it corresponds to, which cannot read a Pulumi program in Go themselves. A waiver, which is a key of the stack's config with a
// reason, accepts a finding and appears in the report.
package policy
