package policy

import (
	"slices"
	"strings"
)

// pattern is a text with wildcards, as a sequence of tokens.
type pattern []token

// token matches any number of characters, any one character, or the character c.
type token struct {
	kind tokenKind
	c    rune
}

type tokenKind int

const (
	literal tokenKind = iota
	anyOne
	anyMany
)

// plain returns a text as a pattern; * and ? are wildcards if wildcards is true.
func plain(text string, wildcards bool) pattern {
	p := make(pattern, 0, len(text))
	for _, c := range text {
		switch {
		case wildcards && c == '*':
			p = append(p, token{kind: anyMany})
		case wildcards && c == '?':
			p = append(p, token{kind: anyOne})
		default:
			p = append(p, token{c: c})
		}
	}
	return p
}

// expanded returns a text as a pattern with its policy variables replaced: "${aws:username}", "${key, 'default'}", and
// "${*}", "${?}" and "${$}" for the characters themselves. The value of a variable has no wildcards. It returns false
// if a variable has no single value and no default.
func expanded(text string, wildcards bool, value func(key string) (string, bool)) (pattern, bool) {
	var p pattern
	for {
		before, rest, found := strings.Cut(text, "${")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return append(p, plain(text, wildcards)...), true
		}
		p = append(p, plain(before, wildcards)...)
		text = after
		if name == "*" || name == "?" || name == "$" {
			p = append(p, plain(name, false)...)
			continue
		}
		key, fallback, hasFallback := strings.Cut(name, ",")
		replaced, ok := value(strings.TrimSpace(key))
		if !ok {
			if !hasFallback {
				return nil, false
			}
			replaced = strings.Trim(strings.TrimSpace(fallback), "'")
		}
		p = append(p, plain(replaced, false)...)
	}
}

// matches reports whether the pattern matches the whole text.
func (p pattern) matches(text string) bool {
	t := []rune(text)
	// star and from are where to continue after the last anyMany if the next token does not match.
	i, j, star, from := 0, 0, -1, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i].kind == anyMany:
			star, from = i, j
			i++
		case i < len(p) && (p[i].kind == anyOne || p[i].kind == literal && p[i].c == t[j]):
			i, j = i+1, j+1
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return !slices.ContainsFunc(p[i:], func(t token) bool { return t.kind != anyMany })
}

// anything reports whether the pattern is "*".
func (p pattern) anything() bool { return len(p) == 1 && p[0].kind == anyMany }

// arnFields is the number of fields of an ARN; the last may contain colons.
const arnFields = 6

// fields returns the patterns of an ARN's fields.
func (p pattern) fields() []pattern {
	var fields []pattern
	for len(fields) < arnFields-1 {
		i := slices.Index(p, token{c: ':'})
		if i < 0 {
			break
		}
		fields, p = append(fields, p[:i]), p[i+1:]
	}
	return append(fields, p)
}

// matchesARN matches an ARN field by field: a wildcard does not match across a colon. With complete, missing fields of
// the pattern match anything, as in the element Resource.
func (p pattern) matchesARN(arn string, complete bool) bool {
	if p.anything() {
		return true
	}
	want, have := p.fields(), strings.SplitN(arn, ":", arnFields)
	for complete && len(want) < arnFields {
		want = append(want, pattern{{kind: anyMany}})
	}
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if !want[i].matches(have[i]) {
			return false
		}
	}
	return true
}
