package awstype

import "slices"

// Permissions are the IAM actions for an instance from its creation to its deletion.
type Permissions struct {
	// Create, Read, Update and Delete are the actions that the provider calls. Each action is listed once, where it is
	// called first.
	Create, Read, Update, Delete []string
	// On is the resource of the actions, and When a condition.
	On   Scope
	When Condition
	// Others are actions on something else than the instance.
	Others []Grant
}

// Grant is actions on resources, under a condition.
type Grant struct {
	Actions []string
	On      Scope
	When    Condition
	// If is the input without which the provider does not call the actions, "" if it always does.
	If string
}

// Grants returns all permissions as grants.
func (p Permissions) Grants() []Grant {
	actions := slices.Concat(p.Create, p.Read, p.Update, p.Delete)
	if len(actions) == 0 {
		return p.Others
	}
	return append([]Grant{{Actions: actions, On: p.On, When: p.When}}, p.Others...)
}

// Scope is the resources that actions are allowed on. The zero Scope is all resources, in the region of the instance
// where the service has regions.
type Scope struct {
	// ARNs are templates: {partition}, {region} and {account} are the provider's, other names in braces are inputs. What
	// is not known is a wildcard. A URL is filled in without its scheme.
	ARNs []string
	// Owner is the type that the actions are on where that is not the instance's own. The instance names its owner in
	// Input, which is the owner's input Key; the ARNs are filled in from the owner. Where Input is not known yet, all
	// owners of the stack count.
	Owner, Input, Key string
	// ARNInput is an input that may be the ARN itself.
	ARNInput string
}

// Everything reports whether the scope has no limits but the region.
func (s Scope) Everything() bool { return len(s.ARNs) == 0 }

// Condition is a condition on the calls. The zero Condition is none.
type Condition struct {
	// Operator and Key are IAM's, "StringEquals" and "iam:PassedToService".
	Operator, Key string
	// Input is the input that the key must be equal to; there is no condition if it is not known. Values are literal.
	Input  string
	Values []string
}

// passedTo returns the condition that a role is passed to one service, in any partition.
func passedTo(service string) Condition {
	return Condition{
		Operator: "StringEquals",
		Key:      "iam:PassedToService",
		Values:   []string{service + ".amazonaws.com", service + ".amazonaws.com.cn"},
	}
}

// allocations returns the permission that the provider needs to wait, after a deletion, until a pool of IPAM has the
// addresses again. The pool may be another account's.
func allocations(pool string) []Grant {
	return []Grant{{
		Actions: []string{"ec2:GetIpamPoolAllocations"},
		On:      on("arn:{partition}:ec2::*:ipam-pool/{" + pool + "}"),
		If:      pool,
	}}
}

// on returns a scope of ARN templates.
func on(arns ...string) Scope { return Scope{ARNs: arns} }
