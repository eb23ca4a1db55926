package aws

import (
	"errors"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// FindOne returns the only resource of a type that has that ID, if one is set, and those tags, and for which fits returns true.
func (c *Call) FindOne(what, token, id string, tags map[string]string, fits func(props.Map) bool) (*store.Record, error) {
	var found []*store.Record
	for _, rec := range c.All(token) {
		if (id == "" || rec.ID == id) && Tagged(rec.State, tags) && fits(rec.State) {
			found = append(found, rec)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no matching %s found", what)
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("multiple %ss matched; use additional constraints to reduce matches to a single %s", what, what)
	}
}

// Matches reports whether a property equals the value that a lookup searches for; nil matches any value.
func Matches(s props.Map, name string, wanted *string) bool {
	return wanted == nil || s.String(name) == *wanted
}

// NoFilters refuses filters, which this lookup does not support offline.
func NoFilters(given int) error {
	if given == 0 {
		return nil
	}
	return errors.New("the offline account does not support filters here; look the resource up by its ID or its tags")
}

// Deref returns what p points to, or the zero value.
func Deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}

// Tagged reports whether a resource has all of these tags.
func Tagged(p props.Map, tags map[string]string) bool {
	for k, v := range tags {
		if p.Object("tagsAll").String(k) != v {
			return false
		}
	}
	return true
}

// TagsOf returns a resource's tags.
func TagsOf(p props.Map) map[string]string {
	tags := map[string]string{}
	all := p.Object("tagsAll")
	for k := range all {
		tags[k] = all.String(k)
	}
	return tags
}
