package privatelink

import (
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

var principalPattern = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:(root|(role|user)/[\w+=,.@/-]+)$`)

// ValidatePrincipal returns a fault if principal is not the ARN of an account's root, a role or a user. "*", which AWS would accept, is
// refused because it allows everyone.
func ValidatePrincipal(principal string) error {
	if principalPattern.MatchString(principal) {
		return nil
	}
	return &fault.Fault{
		Value: principal, Problem: "is not the ARN of a principal",
		Remedy: "use the ARN of a role, a user or an account, such as arn:aws:iam::123456789012:root",
	}
}

// withoutPath returns a role's ARN without the role's path, as AWS compares it with the caller; any other ARN is
// unchanged.
func withoutPath(arn string) string {
	account, role, ok := strings.Cut(arn, ":role/")
	if !ok {
		return arn
	}
	return account + ":role/" + role[strings.LastIndex(role, "/")+1:]
}
