package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConditionsAreEvaluatedAsAWSDocuments has the cases of "IAM JSON policy elements: Condition operators" and
// "Multivalued context keys" in the IAM user guide. The request has the keys one, two (with two values) and none else.
func TestConditionsAreEvaluatedAsAWSDocuments(t *testing.T) {
	t.Parallel()
	context := map[string][]string{
		"one": {"Team/a"}, "two": {"x", "y"}, "empty": {}, "number": {"7"}, "date": {"2026-01-02T00:00:00Z"},
		"address": {"192.0.2.7"},
		"flag":    {"TRUE"}, "arn": {"arn:aws:iam::123456789012:role/path/name"}, "star": {"a*b"}, "aws:username": {"jo*"},
	}
	for _, c := range []struct {
		name, operator, key string
		values              Values
		holds               bool
	}{
		{"one of several values is enough", "StringEquals", "one", Values{"b", "Team/a"}, true},
		{"no value matches", "StringEquals", "one", Values{"b"}, false},
		{"case counts", "StringEquals", "one", Values{"team/a"}, false},
		{"no wildcards in StringEquals", "StringEquals", "one", Values{"Team/*"}, false},
		{"keys have no case", "StringEquals", "ONE", Values{"Team/a"}, true},
		{"case does not count", "StringEqualsIgnoreCase", "one", Values{"TEAM/A"}, true},
		{"wildcards in StringLike", "StringLike", "one", Values{"T*m/?"}, true},
		{"the whole value has to match", "StringLike", "one", Values{"Team"}, false},
		{"a negated operator requires that no value matches", "StringNotEquals", "one", Values{"b", "Team/a"}, false},
		{"a negated operator, and no value matches", "StringNotEquals", "one", Values{"b", "c"}, true},
		{"negated wildcards", "StringNotLike", "one", Values{"Team/*"}, false},
		{"negated without case", "StringNotEqualsIgnoreCase", "one", Values{"TEAM/A"}, false},

		{"a missing key", "StringEquals", "missing", Values{"x"}, false},
		{"a missing key under a negated operator", "StringNotEquals", "missing", Values{"x"}, true},
		{"a missing key under a negated ARN operator", "ArnNotLike", "missing", Values{"*"}, true},
		{"a missing key under NotIpAddress", "NotIpAddress", "missing", Values{"0.0.0.0/0"}, true},
		{"a missing key with IfExists", "StringEqualsIfExists", "missing", Values{"x"}, true},
		{"a present key with IfExists", "StringEqualsIfExists", "one", Values{"x"}, false},
		{"a missing key under Bool", "Bool", "missing", Values{"false"}, false},
		{"a missing key under BoolIfExists", "BoolIfExists", "missing", Values{"true"}, true},
		{"Null of a missing key", "Null", "missing", Values{"true"}, true},
		{"Null of a key without values", "Null", "empty", Values{"true"}, true},
		{"Null of a present key", "Null", "one", Values{"true"}, false},
		{"Null false of a present key", "Null", "one", Values{"false"}, true},
		{"Null false of a missing key", "Null", "missing", Values{"false"}, false},

		{"all values match", "ForAllValues:StringEquals", "two", Values{"x", "y", "z"}, true},
		{"not all values match", "ForAllValues:StringEquals", "two", Values{"x"}, false},
		{"ForAllValues of a missing key", "ForAllValues:StringEquals", "missing", Values{"x"}, true},
		{"ForAllValues of a key without values", "ForAllValues:StringLike", "empty", Values{"x"}, true},
		{"ForAllValues negated, and one matches", "ForAllValues:StringNotEquals", "two", Values{"x"}, false},
		{"ForAllValues negated, and none matches", "ForAllValues:StringNotEquals", "two", Values{"z"}, true},
		{"any value matches", "ForAnyValue:StringEquals", "two", Values{"y", "z"}, true},
		{"no value matches any", "ForAnyValue:StringEquals", "two", Values{"z"}, false},
		{"ForAnyValue of a missing key", "ForAnyValue:StringEquals", "missing", Values{"x"}, false},
		{"ForAnyValue negated of a missing key", "ForAnyValue:StringNotEquals", "missing", Values{"x"}, false},
		{"ForAnyValue negated, and one does not match", "ForAnyValue:StringNotEquals", "two", Values{"x"}, true},
		{"ForAnyValue negated, and all match", "ForAnyValue:StringNotEquals", "two", Values{"x", "y"}, false},
		{"ForAnyValue with IfExists of a missing key", "ForAnyValue:StringEqualsIfExists", "missing", Values{"x"}, true},

		{"Bool has no case", "Bool", "flag", Values{"true"}, true},
		{"Bool", "Bool", "flag", Values{"false"}, false},
		{"numbers are compared as numbers", "NumericEquals", "number", Values{"7.0"}, true},
		{"less", "NumericLessThan", "number", Values{"7"}, false},
		{"less or equal", "NumericLessThanEquals", "number", Values{"7"}, true},
		{"greater", "NumericGreaterThan", "number", Values{"10"}, false},
		{"greater or equal", "NumericGreaterThanEquals", "number", Values{"6"}, true},
		{"not the number", "NumericNotEquals", "number", Values{"7"}, false},
		{"no number", "NumericEquals", "one", Values{"7"}, false},
		{"before a date", "DateLessThan", "date", Values{"2026-01-03"}, true},
		{"after a date in seconds", "DateGreaterThan", "date", Values{"1700000000"}, true},
		{"the date", "DateEquals", "date", Values{"2026-01-02T01:00:00+01:00"}, true},
		{"not the date", "DateNotEquals", "date", Values{"2026-01-02"}, false},
		{"an address in a network", "IpAddress", "address", Values{"192.0.2.0/24"}, true},
		{"an address by itself", "IpAddress", "address", Values{"192.0.2.7"}, true},
		{"an address outside", "IpAddress", "address", Values{"198.51.100.0/24"}, false},
		{"an address not in a network", "NotIpAddress", "address", Values{"192.0.2.0/24"}, false},
		{"bytes", "BinaryEquals", "two", Values{"x"}, true},

		{"ArnLike", "ArnLike", "arn", Values{"arn:aws:iam::*:role/path/*"}, true},
		{"ArnEquals has wildcards too", "ArnEquals", "arn", Values{"arn:aws:iam::123456789012:role/*"}, true},
		{"a wildcard stays in its field", "ArnLike", "arn", Values{"arn:aws:*:role/path/name"}, false},
		{"ArnLike with a lone wildcard", "ArnLike", "arn", Values{"*"}, true},
		{"ArnNotLike", "ArnNotLike", "arn", Values{"arn:aws:iam::*:role/*"}, false},
		{"what is no ARN", "ArnLike", "one", Values{"arn:*:*:*:*:*"}, false},

		{"a variable", "StringEquals", "one", Values{"Team/${unset, 'a'}"}, true},
		{"the text of a variable has no wildcards", "StringLike", "star", Values{"${aws:username}"}, false},
		{"a wildcard by the letter", "StringLike", "star", Values{"a${*}b"}, true},
		{"a variable without a value", "StringLike", "one", Values{"${missing}*"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := Allows([]string{"a:One"}, "*")
			s.Condition = Condition{c.operator: {c.key: c.values}}
			got := Evaluate(Request{Action: "a:One", Resource: "arn:aws:a:::x", Context: context}, New(s))
			require.Equal(t, c.holds, got == Allowed)
		})
	}
}

func TestAllOperatorsAndKeysOfAStatementMustMatch(t *testing.T) {
	t.Parallel()
	s := Allows([]string{"a:One"}, "*").When("StringEquals", "k",
		"1").When("StringEquals", "l", "1").When("StringLike", "m", "*")
	request := Request{Action: "a:One", Context: map[string][]string{"k": {"1"}, "l": {"1"}, "m": {"x"}}}
	require.Equal(t, Allowed, Evaluate(request, New(s)))
	for _, key := range []string{"k", "l", "m"} {
		less := map[string][]string{"k": {"1"}, "l": {"1"}, "m": {"x"}}
		delete(less, key)
		require.Equal(t, ImplicitDeny, Evaluate(Request{Action: "a:One", Context: less}, New(s)), key)
	}
}

func TestStatementsApplyAsAWSDocuments(t *testing.T) {
	t.Parallel()
	const object = "arn:aws:s3:::bucket/folder/file"
	for _, c := range []struct {
		name      string
		statement Statement
		want      Decision
	}{
		{"the action and the resource", Allows([]string{"s3:GetObject"}, object), Allowed},
		{"an action has no case", Allows([]string{"S3:getobject"}, object), Allowed},
		{"a resource has", Allows([]string{"s3:GetObject"}, "arn:aws:s3:::Bucket/*"), ImplicitDeny},
		{"wildcards", Allows([]string{"s3:Get*"}, "arn:aws:s3:::bucket/*/f?le"), Allowed},
		{"every action", Allows([]string{"*"}, "*"), Allowed},
		{"another service's", Allows([]string{"ec2:*"}, "*"), ImplicitDeny},
		{"an incomplete ARN", Allows([]string{"s3:*"}, "arn:aws:s3"), Allowed},
		{"a wildcard stays in its field", Allows([]string{"s3:*"}, "arn:aws:*:bucket/folder/file"), ImplicitDeny},
		{"a variable", Allows([]string{"s3:*"}, "arn:aws:s3:::bucket/${aws:username}/*"), Allowed},
		{"NotAction", Statement{Effect: Allow, NotAction: List{"ec2:*"}, Resource: List{"*"}}, Allowed},
		{"NotAction of the action", Statement{Effect: Allow, NotAction: List{"s3:Get*"}, Resource: List{"*"}}, ImplicitDeny},
		{"NotResource", Statement{Effect: Allow, Action: List{"s3:*"}, NotResource: List{"arn:aws:s3:::other/*"}}, Allowed},
		{"NotResource of the resource", Statement{
			Effect:      Allow,
			Action:      List{"s3:*"},
			NotResource: List{"arn:aws:s3:::bucket/*"},
		}, ImplicitDeny},
		{"NotResource of all", Statement{Effect: Allow, Action: List{"s3:*"}, NotResource: List{"*"}}, ImplicitDeny},
		{"a denial", Statement{Effect: Deny, Action: List{"s3:*"}, Resource: List{"*"}}, ExplicitDeny},
	} {
		request := Request{Action: "s3:GetObject", Resource: object, Context: map[string][]string{"aws:username": {"folder"}}}
		require.Equal(t, c.want, Evaluate(request, New(c.statement)), c.name)
	}
}

func TestADenyOverridesEveryAllow(t *testing.T) {
	t.Parallel()
	allow, deny := New(Allows([]string{"*"}, "*")), New(Statement{
		Effect:   Deny,
		Action:   List{"s3:Put*"},
		Resource: List{"*"},
	})
	require.Equal(t, ExplicitDeny, Evaluate(Request{Action: "s3:PutObject"}, allow, deny))
	require.Equal(t, ExplicitDeny, Evaluate(Request{Action: "s3:PutObject"}, deny, allow))
	require.Equal(t, Allowed, Evaluate(Request{Action: "s3:GetObject"}, allow, deny))
	require.Equal(t, ImplicitDeny, Evaluate(Request{Action: "s3:GetObject"}, deny))
	require.Equal(t, ImplicitDeny, Evaluate(Request{Action: "s3:GetObject"}))
}

func TestAStatementAppliesOnlyToItsPrincipals(t *testing.T) {
	t.Parallel()
	role := Caller{AWS: "arn:aws:iam::123456789012:role/x"}
	provider, service := Caller{
		Federated: "arn:aws:iam::123456789012:oidc-provider/p",
	}, Caller{Service: "ec2.amazonaws.com"}
	for _, c := range []struct {
		name      string
		principal Principal
		caller    Caller
		included  bool
	}{
		{"the role", Principal{AWS: Names{role.AWS}}, role, true},
		{"its account's root", Principal{AWS: Names{"arn:aws:iam::123456789012:root"}}, role, true},
		{"its account", Principal{AWS: Names{"210987654321", "123456789012"}}, role, true},
		{"another account", Principal{AWS: Names{"arn:aws:iam::210987654321:root"}}, role, false},
		{"no wildcards in part of a name", Principal{AWS: Names{"arn:aws:iam::123456789012:role/*"}}, role, false},
		{"all of AWS", Principal{AWS: Names{"*"}}, role, true},
		{"all of AWS is no service", Principal{AWS: Names{"*"}}, service, false},
		{"all of AWS is no provider", Principal{AWS: Names{"*"}}, provider, false},
		{"anyone", Principal{Anyone: true}, service, true},
		{"the service", Principal{Service: Names{"a.amazonaws.com", service.Service}}, service, true},
		{"the provider", Principal{Federated: Names{provider.Federated}}, provider, true},
		{"another provider", Principal{Federated: Names{"arn:aws:iam::123456789012:oidc-provider/q"}}, provider, false},
	} {
		s := Statement{Effect: Allow, Action: List{"sts:*"}, Principal: &c.principal}
		request := Request{Caller: c.caller, Action: "sts:AssumeRole"}
		require.Equal(t, c.included, Evaluate(request, New(s)) == Allowed, c.name)
		s.Principal, s.NotPrincipal = nil, &c.principal
		require.Equal(t, !c.included, Evaluate(request, New(s)) == Allowed, "all but "+c.name)
	}
}

func TestUnknownPartsOfARequestMatchAllowsButNotDenies(t *testing.T) {
	t.Parallel()
	allow := New(Allows([]string{"a:*"}, "arn:aws:a:::x").When("StringEquals", "k", "v").When("Null", "l", "true"))
	deny := New(Statement{Effect: Deny, Action: List{"a:*"}, Resource: List{"*"}}.When("StringNotEquals", "k", "v"))
	partial := Request{Action: "a:One", Partial: true}
	require.Equal(t, Allowed, Evaluate(partial, allow, deny))
	require.Equal(t, ImplicitDeny, Evaluate(Request{Action: "a:One"}, allow))
	require.Equal(t, ExplicitDeny, Evaluate(Request{Action: "a:One"}, allow, deny), "the key is known to be missing")

	everybody := Statement{Effect: Deny, Principal: &Principal{Anyone: true}, Action: List{"a:*"}, NotResource: List{"y"}}
	require.Equal(t, ExplicitDeny, Evaluate(Request{Action: "a:One", Resource: "x", Partial: true}, New(everybody)),
		"whoever calls")
	everybody.Principal = &Principal{AWS: Names{"arn:aws:iam::111111111111:root"}}
	require.Equal(t, ImplicitDeny, Evaluate(Request{Action: "a:One", Resource: "x", Partial: true}, New(everybody)))

	partial.Context = map[string][]string{"k": {"other"}}
	require.Equal(t, ImplicitDeny, Evaluate(partial, allow))
	require.Equal(t, ExplicitDeny, Evaluate(partial, deny))
}
