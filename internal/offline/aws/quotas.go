package aws

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Quota is how many of a type AWS allows, unless it is asked to raise the number.
type Quota struct {
	Name, Token string
	// Limit is AWS's own.
	Limit int
	// Code and message refuse one too many.
	Code, Message string
	// Of says what the number is counted in, "" for the region: the resources whose value is alike are counted together.
	Of func(*Call, props.Map) string
	// Counts says which of the type count. nil: all.
	Counts func(props.Map) bool
}

// withinQuotas: a new resource is not one more than AWS allows. What a stack has not made does not count.
func withinQuotas(c *Call) error {
	if c.Old != nil || c.Rehearsal == nil || c.Resource.Origin != store.ByStack {
		return nil
	}
	for _, q := range c.Types.quotas {
		if q.Token != c.Kind.Token || q.Counts != nil && !q.Counts(c.State()) {
			continue
		}
		limit, set := c.Rehearsal.Quotas[q.Name]
		if !set {
			limit = q.Limit
		}
		if c.held(q) >= limit {
			return awserr.Errorf(q.Code, "%s", q.Message)
		}
	}
	return nil
}

// held is how many the account holds that count with the one at hand.
func (c *Call) held(q Quota) int {
	held := 0
	for _, other := range c.All(q.Token) {
		switch {
		case other.Origin != store.ByStack:
		case q.Counts != nil && !q.Counts(other.State):
		case q.Of != nil && q.Of(c, other.State) != q.Of(c, c.State()):
		default:
			held++
		}
	}
	return held
}
