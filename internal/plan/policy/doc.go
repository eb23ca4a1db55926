// Package policy checks a stack's resources against rules for security and safe operation, such as that a bucket does
// not allow anonymous writes. Each rule is a plain function over one resource and names the checks of checkov, trivy,
// prowler, cfn-nag and CIS that it corresponds to, because these tools cannot read a Pulumi program in Go. A waiver,
// which is a key of the stack's config with a reason, accepts a finding and appears in the report.
package policy
