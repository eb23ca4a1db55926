package fleet

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
)

// Selector chooses stacks of a fleet. The zero value chooses all.
type Selector struct{ alternatives [][]condition }

// condition is one condition of a selector: the value of a field must match a pattern, or must not.
type condition struct {
	field, tag, pattern string
	not                 bool
}

// fields are the fields of a condition.
const fields = "name, kind, account, region, management or tag:KEY"

// ParseSelector reads expressions of conditions separated by commas, such as "kind=cluster,tag:env=prod". A stack is
// selected if it meets all conditions of at least one expression. A condition is FIELD=PATTERN or FIELD!=PATTERN, where
// the pattern may have * and ?; a pattern alone matches the stack's name.
func ParseSelector(expressions []string) (Selector, error) {
	var s Selector
	for _, expression := range expressions {
		var all []condition
		for text := range strings.SplitSeq(expression, ",") {
			c, err := parseCondition(strings.TrimSpace(text))
			if err != nil {
				return s, &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf("--select %s: %s", expression, err),
					Remedy: "write FIELD=PATTERN, where FIELD is " + fields + ", or a pattern of names", Cause: err}
			}
			all = append(all, c)
		}
		s.alternatives = append(s.alternatives, all)
	}
	return s, nil
}

func parseCondition(text string) (condition, error) {
	c := condition{field: "name", pattern: text}
	if left, right, ok := strings.Cut(text, "="); ok {
		c.field, c.pattern = left, right
		c.field, c.not = strings.CutSuffix(c.field, "!")
	}
	c.field = strings.TrimSpace(c.field)
	c.pattern = strings.TrimSpace(c.pattern)
	if tag, ok := strings.CutPrefix(c.field, "tag:"); ok {
		c.field, c.tag = "tag", tag
	}
	switch c.field {
	case "name", "kind", "account", "region", "management":
	case "tag":
		if c.tag == "" {
			return c, fmt.Errorf("%q does not name a tag", text)
		}
	default:
		return c, fmt.Errorf("%q is not a field of a stack", c.field)
	}
	if c.pattern == "" && c.field == "name" {
		return c, fmt.Errorf("a condition is empty")
	}
	if _, err := path.Match(c.pattern, ""); err != nil {
		return c, fmt.Errorf("%q is not a pattern", c.pattern)
	}
	return c, nil
}

// Matches reports whether the stack is selected.
func (s Selector) Matches(m fleetrun.Member) bool { return s.matches(m, condition.matches) }

// MayMatch reports whether a stack whose file has faults may be selected, by its name alone.
func (s Selector) MayMatch(m fleetrun.Member) bool {
	return s.matches(m, func(c condition, m fleetrun.Member) bool { return c.field != "name" || c.matches(m) })
}

func (s Selector) matches(m fleetrun.Member, meets func(condition, fleetrun.Member) bool) bool {
	if len(s.alternatives) == 0 {
		return true
	}
	for _, all := range s.alternatives {
		met := true
		for _, c := range all {
			met = met && meets(c, m)
		}
		if met {
			return true
		}
	}
	return false
}

// matches reports whether a stack meets the condition. A stack without a value, or whose value is not known, meets
// neither = nor !=: what is not known to be another one may be the very one that the user spares.
func (c condition) matches(m fleetrun.Member) bool {
	if c.field == "name" {
		return (like(c.pattern, m.Stack) || like(c.pattern, m.ID)) != c.not
	}
	value, known := c.value(m)
	return known && (value != "" || c.pattern == "") && like(c.pattern, value) != c.not
}

// value returns the stack's value of the field, and whether it is known. Without the value, it is "".
func (c condition) value(m fleetrun.Member) (value string, known bool) {
	switch c.field {
	case "kind":
		return m.Kind, m.Kind != ""
	case "account":
		if twelveDigits.MatchString(m.Account) || !c.not {
			return m.Account, true
		}
		// The credentials may be those of any account, but not of a profile with another name.
		profile := strings.HasPrefix(m.Account, profilePrefix)
		return m.Account, strings.HasPrefix(c.pattern, profilePrefix) && profile || c.pattern == m.Account
	case "region":
		return m.Region, m.Region != ""
	case "management":
		return m.Management, true
	}
	return m.Tags[c.tag], m.Tags != nil
}

// twelveDigits matches the number of an account.
var twelveDigits = regexp.MustCompile(`^\d{12}$`)

// like reports whether a pattern matches a value. A slash is a character like any other.
func like(pattern, value string) bool {
	const slash = "\x00"
	matched, _ := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(value, "/", slash))
	return matched
}
