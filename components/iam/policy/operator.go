package policy

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// operator is a condition operator without prefix and suffix.
type operator struct {
	// matches compares the value of a request with one of the policy's values.
	matches func(want pattern, text, have string) bool
	// negated operators match if no value matches, and if the request lacks the key.
	negated bool
	// wildcards is true if * and ? in the policy's values are wildcards.
	wildcards bool
	// set says which of the request's values must match.
	set quantifier
	// ifExists operators match if the request lacks the key.
	ifExists bool
	// null is the operator that tests whether the request lacks the key.
	null bool
}

// quantifier is a prefix of an operator, for keys with several values.
type quantifier int

const (
	// single is for keys with one value. If a key has several, one must match.
	single quantifier = iota
	forAllValues
	forAnyValue
)

// operatorNamed returns the operator for a name such as "ForAllValues:StringNotLikeIfExists".
func operatorNamed(name string) (operator, bool) {
	var set quantifier
	rest := name
	switch {
	case strings.HasPrefix(name, "ForAllValues:"):
		set, rest = forAllValues, name[len("ForAllValues:"):]
	case strings.HasPrefix(name, "ForAnyValue:"):
		set, rest = forAnyValue, name[len("ForAnyValue:"):]
	}
	if rest == "Null" {
		return operator{null: true}, set == single
	}
	rest, ifExists := strings.CutSuffix(rest, "IfExists")
	op, ok := operators()[rest]
	op.set, op.ifExists = set, ifExists
	return op, ok
}

func operators() map[string]operator {
	same := func(want pattern, _, have string) bool { return want.matches(have) }
	sameFolded := func(want pattern, _, have string) bool { return want.folded().matches(strings.ToLower(have)) }
	arn := func(want pattern, _, have string) bool { return want.matchesARN(have, false) }
	return map[string]operator{
		"StringEquals":              {matches: same},
		"StringNotEquals":           {matches: same, negated: true},
		"StringEqualsIgnoreCase":    {matches: sameFolded},
		"StringNotEqualsIgnoreCase": {matches: sameFolded, negated: true},
		"StringLike":                {matches: same, wildcards: true},
		"StringNotLike":             {matches: same, wildcards: true, negated: true},

		"NumericEquals":            {matches: numbers(func(have, want float64) bool { return have == want })},
		"NumericNotEquals":         {matches: numbers(func(have, want float64) bool { return have == want }), negated: true},
		"NumericLessThan":          {matches: numbers(func(have, want float64) bool { return have < want })},
		"NumericLessThanEquals":    {matches: numbers(func(have, want float64) bool { return have <= want })},
		"NumericGreaterThan":       {matches: numbers(func(have, want float64) bool { return have > want })},
		"NumericGreaterThanEquals": {matches: numbers(func(have, want float64) bool { return have >= want })},

		"DateEquals":            {matches: dates(func(order int) bool { return order == 0 })},
		"DateNotEquals":         {matches: dates(func(order int) bool { return order == 0 }), negated: true},
		"DateLessThan":          {matches: dates(func(order int) bool { return order < 0 })},
		"DateLessThanEquals":    {matches: dates(func(order int) bool { return order <= 0 })},
		"DateGreaterThan":       {matches: dates(func(order int) bool { return order > 0 })},
		"DateGreaterThanEquals": {matches: dates(func(order int) bool { return order >= 0 })},

		"Bool":         {matches: func(_ pattern, want, have string) bool { return strings.EqualFold(want, have) }},
		"BinaryEquals": {matches: func(_ pattern, want, have string) bool { return want == have }},

		"IpAddress":    {matches: inNetwork},
		"NotIpAddress": {matches: inNetwork, negated: true},

		"ArnEquals":    {matches: arn, wildcards: true},
		"ArnLike":      {matches: arn, wildcards: true},
		"ArnNotEquals": {matches: arn, wildcards: true, negated: true},
		"ArnNotLike":   {matches: arn, wildcards: true, negated: true},
	}
}

// folded returns the pattern in lower case.
func (p pattern) folded() pattern {
	out := make(pattern, len(p))
	for i, t := range p {
		out[i] = token{t.kind, []rune(strings.ToLower(string(t.c)))[0]}
	}
	return out
}

// numbers compares two numbers. A value that is not a number does not match.
func numbers(holds func(have, want float64) bool) func(pattern, string, string) bool {
	return func(_ pattern, want, have string) bool {
		w, wantErr := strconv.ParseFloat(want, 64)
		h, haveErr := strconv.ParseFloat(have, 64)
		return wantErr == nil && haveErr == nil && holds(h, w)
	}
}

// dates compares two dates, each in ISO 8601 or in seconds since 1970. A value that is not a date does not match.
func dates(holds func(order int) bool) func(pattern, string, string) bool {
	return func(_ pattern, want, have string) bool {
		w, wantOK := date(want)
		h, haveOK := date(have)
		return wantOK && haveOK && holds(h.Compare(w))
	}
}

func date(text string) (time.Time, bool) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(seconds, 0), true
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// inNetwork reports whether an address is in a network, or equals an address.
func inNetwork(_ pattern, want, have string) bool {
	address, err := netip.ParseAddr(have)
	if err != nil {
		return false
	}
	if network, err := netip.ParsePrefix(want); err == nil {
		return network.Masked().Contains(address)
	}
	only, err := netip.ParseAddr(want)
	return err == nil && only == address
}
