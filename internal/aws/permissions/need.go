package permissions

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Need is a resource that a stack creates in AWS, or a function that it calls.
type Need struct {
	// Token is the resource's type, "aws:ec2/vpc:Vpc", or the function.
	Token string
	// URN is the resource's, "" for a function.
	URN string
	// Account is the account of the call. AccountNamed is true if the stack's config names it: if not, policies apply to any account.
	Account      string
	AccountNamed bool
	// Region and Partition are those of the call.
	Region, Partition string
	// Inputs are the inputs that are known before anything is created.
	Inputs map[string]any
}

// Life is the token of the search for a cluster's signs of life, with which a destroy of its stack begins.
const Life = "hypershift-aws:life"

// grants returns the actions of a type or function. known is false for an unknown one.
func grants(token string) ([]awstype.Grant, bool) {
	if token == Life {
		return []awstype.Grant{{Actions: awstype.Life()}}, true
	}
	if record, known := awstype.Of(token); known {
		return record.Permissions.Grants(), true
	}
	list, known := lookups()[token]
	return list, known
}

// Tokens lists the types and functions whose permissions are known.
func Tokens() []string {
	var tokens []string
	for _, record := range awstype.All() {
		tokens = append(tokens, record.Token)
	}
	for token := range lookups() {
		tokens = append(tokens, token)
	}
	slices.Sort(tokens)
	return tokens
}
