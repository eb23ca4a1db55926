package permissions

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// Need is something that a stack asks of AWS: a resource that it makes, or a function that it calls.
type Need struct {
	// Token is the resource's type, "aws:ec2/vpc:Vpc", or the function.
	Token string
	// Account is the account that is asked, and AccountNamed whether the stack's config names it: if not,
	// policies hold for any.
	Account      string
	AccountNamed bool
	// Region and Partition are where it is asked.
	Region, Partition string
	// Inputs are those that are known before anything is made.
	Inputs map[string]any
}

// entry is what one type of resource needs in its whole life, or one function.
type entry struct {
	token string
	// create, read, update and remove are the actions that the provider calls.
	create, read, update, remove []string
	// on is what they are called on; nil for everything, as far as the region goes.
	on target
	// when narrows them further; nil for no more.
	when condition
	// besides are actions on something else.
	besides []grant
}

// grant is actions on something.
type grant struct {
	actions []string
	on      target
	when    condition
}

// target names what the actions of a need are on, by ARN, knowing all that the stack asks for.
type target func(n Need, all []Need) []string

// condition is what requests for a need have in common.
type condition func(n Need) iam.Condition

func (e entry) grants() []grant {
	actions := slices.Concat(e.create, e.read, e.update, e.remove)
	if len(actions) == 0 {
		return e.besides
	}
	return append([]grant{{actions, e.on, e.when}}, e.besides...)
}

// table has an entry for every type and function that stacks are made of, by token.
func table() map[string]entry {
	entries := map[string]entry{}
	for _, service := range [][]entry{
		siteEntries(), networkEntries(), securityGroupEntries(), endpointEntries(), privateLinkEntries(), roleEntries(), identityEntries(),
		zoneEntries(), keyEntries(), bucketEntries(), distributionEntries(), messageEntries(),
		lookupEntries(), flowLogEntries(), instanceEntries(), shareEntries(),
	} {
		for _, e := range service {
			entries[e.token] = e
		}
	}
	return entries
}

// Tokens lists the types and functions whose needs are known.
func Tokens() []string {
	var tokens []string
	for token := range table() {
		tokens = append(tokens, token)
	}
	slices.Sort(tokens)
	return tokens
}
