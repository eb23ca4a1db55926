package policy

// Needed is one of the policies that a user needs in an account.
type Needed struct {
	// Account is the account's ID, "" for the stack's own account if its config does not name it.
	Account string
	// Document is the policy, at most MaxPolicySize long.
	Document Document
}

// Part is a part of a cluster that a separate team may run.
type Part string
