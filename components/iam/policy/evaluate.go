package policy

import (
	"slices"
	"strings"
)

// Request is the request for which policies are evaluated.
type Request struct {
	// Caller is the principal of the request. It matters only for statements with a principal.
	Caller Caller
	// Action is the action, such as "sts:AssumeRole", ignoring case.
	Action string
	// Resource is the ARN of the resource.
	Resource string
	// Context are the request's condition keys with their values. The case of a key is ignored. A key that has no values
	// or is not listed is absent from the request.
	Context map[string][]string
	// Partial is true if the request is only partly known. An empty Resource and a key that Context does not list are then
	// unknown: they match in statements that allow, and do not match in statements that deny. Without a Caller, so is the
	// principal, unless the statement is about everybody.
	Partial bool
}

// Caller is the principal of a request, by one of its fields.
type Caller struct {
	// AWS is the ARN of a role or user, or of an account's root.
	AWS string
	// Federated is the ARN of an OIDC or SAML provider.
	Federated string
	// Service is the domain of an AWS service.
	Service string
}

// Decision is the result of an evaluation.
type Decision int

const (
	// ImplicitDeny means that no statement applies.
	ImplicitDeny Decision = iota
	// Allowed means that a statement allows the request and none denies it.
	Allowed
	// ExplicitDeny means that a statement denies the request.
	ExplicitDeny
)

// Evaluate evaluates a request against policies of one kind: for instance, all policies of a role, or a key's policy.
// It does not evaluate permissions boundaries, session policies and service control policies.
func Evaluate(request Request, documents ...Document) Decision {
	decision := ImplicitDeny
	for _, d := range documents {
		for _, s := range d.Statement {
			e := evaluation{request: request, variables: d.Version == Version, unknown: s.Effect == Allow}
			if !e.applies(s) {
				continue
			}
			if s.Effect == Deny {
				return ExplicitDeny
			}
			decision = Allowed
		}
	}
	return decision
}

// evaluation evaluates one statement for a request.
type evaluation struct {
	request Request
	// variables is true if the document's version has policy variables.
	variables bool
	// unknown is the result of a comparison with an unknown value.
	unknown bool
}

func (e evaluation) applies(s Statement) bool {
	return e.principal(s) && e.action(s) && e.resource(s) && e.condition(s.Condition)
}

func (e evaluation) principal(s Statement) bool {
	switch {
	case s.Principal == nil && s.NotPrincipal == nil:
		return true
	case e.request.Caller == Caller{}:
		return e.request.Partial && (e.unknown || s.Principal.anybody())
	case s.Principal != nil:
		return s.Principal.includes(e.request.Caller)
	}
	return !s.NotPrincipal.includes(e.request.Caller)
}

// anybody reports whether the principal includes every caller.
func (p *Principal) anybody() bool { return p != nil && (p.Anyone || slices.Contains(p.AWS, "*")) }

// includes reports whether the principal includes the caller. An account's root includes the whole account.
func (p *Principal) includes(caller Caller) bool {
	if p.Anyone {
		return true
	}
	if caller.Federated != "" || caller.Service != "" {
		return caller.Federated != "" && slices.Contains(p.Federated, caller.Federated) ||
			caller.Service != "" && slices.Contains(p.Service, caller.Service)
	}
	account := ""
	if fields := strings.SplitN(caller.AWS, ":", arnFields); len(fields) == arnFields {
		account = fields[4]
	}
	return slices.ContainsFunc(p.AWS, func(name string) bool {
		if name == "*" || name == caller.AWS || account != "" && name == account {
			return true
		}
		fields := strings.SplitN(name, ":", arnFields)
		return len(fields) == arnFields && fields[5] == "root" && account != "" && fields[4] == account
	})
}

func (e evaluation) action(s Statement) bool {
	matches := func(name string) bool {
		return plain(strings.ToLower(name), true).matches(strings.ToLower(e.request.Action))
	}
	if len(s.NotAction) > 0 {
		return !slices.ContainsFunc(s.NotAction, matches)
	}
	return slices.ContainsFunc(s.Action, matches)
}

func (e evaluation) resource(s Statement) bool {
	names := s.Resource
	if len(s.NotResource) > 0 {
		names = s.NotResource
	}
	if len(names) == 0 {
		return true // a trust policy
	}
	if slices.Contains(names, "*") {
		return len(s.NotResource) == 0
	}
	if e.request.Resource == "" && e.request.Partial {
		return e.unknown
	}
	found := slices.ContainsFunc(names, func(name string) bool {
		p, ok := e.pattern(name, true)
		return ok && p.matchesARN(e.request.Resource, true)
	})
	return found == (len(s.NotResource) == 0)
}

// pattern returns a policy's text with its variables replaced.
func (e evaluation) pattern(text string, wildcards bool) (pattern, bool) {
	if !e.variables {
		return plain(text, wildcards), true
	}
	return expanded(text, wildcards, func(key string) (string, bool) {
		values, _ := e.values(key)
		if len(values) != 1 {
			return "", false
		}
		return values[0], true
	})
}

// values returns the values of a key of the request, and whether they are known.
func (e evaluation) values(key string) (values []string, known bool) {
	for name, values := range e.request.Context {
		if strings.EqualFold(name, key) {
			return values, true
		}
	}
	return nil, !e.request.Partial
}

func (e evaluation) condition(c Condition) bool {
	for name, keys := range c {
		op, known := operatorNamed(name)
		for key, wanted := range keys {
			if !known || !e.met(op, key, wanted) {
				return false
			}
		}
	}
	return true
}

// met reports whether a condition is met for a key.
func (e evaluation) met(op operator, key string, wanted []string) bool {
	values, known := e.values(key)
	if !known {
		return e.unknown
	}
	if op.null {
		return slices.ContainsFunc(wanted, func(want string) bool {
			return strings.EqualFold(want, "true") == (len(values) == 0)
		})
	}
	if len(values) == 0 {
		return op.ifExists || op.set == forAllValues || op.set == single && op.negated
	}
	holds := func(have string) bool {
		matches := slices.ContainsFunc(wanted, func(want string) bool {
			p, ok := e.pattern(want, op.wildcards)
			return ok && op.matches(p, want, have)
		})
		return matches != op.negated
	}
	every := op.set == forAllValues || op.set == single && op.negated
	if every {
		return !slices.ContainsFunc(values, func(have string) bool { return !holds(have) })
	}
	return slices.ContainsFunc(values, holds)
}
