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
	// OfAWS is whether what AWS makes along with others counts, such as a VPC's main route table.
	OfAWS bool
	// Weight is how much one counts. nil: 1.
	Weight func(props.Map) int
}

// withinQuotas: a stack's new resource is not one more than AWS allows.
func withinQuotas(c *Call) error {
	if c.Old != nil || c.Rehearsal == nil || c.Resource.Origin != store.ByStack {
		return nil
	}
	for _, q := range c.Types.quotas {
		if q.Token != c.Kind.Token || !q.counts(c.State()) {
			continue
		}
		of := ""
		if q.Of != nil {
			of = q.Of(c, c.State())
		}
		if c.held(q, of)+q.weight(c.State()) > c.limit(q) {
			return awserr.Errorf(q.Code, "%s", q.Message)
		}
	}
	return nil
}

func (q Quota) counts(p props.Map) bool { return q.Counts == nil || q.Counts(p) }

func (q Quota) weight(p props.Map) int {
	if q.Weight == nil {
		return 1
	}
	return q.Weight(p)
}

// limit is the rehearsal's where it sets one, else AWS's own.
func (c *Call) limit(q Quota) int {
	if c.Rehearsal != nil {
		if limit, set := c.Rehearsal.Quotas[q.Name]; set {
			return limit
		}
	}
	return q.Limit
}

// held is how much of a quota the account has in use. What a config takes to exist already does not count.
func (c *Call) held(q Quota, of string) int {
	held := 0
	for _, other := range c.All(q.Token) {
		if other.Origin == store.BySeed || other.Origin == store.ByAWS && !q.OfAWS {
			continue
		}
		if q.counts(other.State) && (q.Of == nil || q.Of(c, other.State) == of) {
			held += q.weight(other.State)
		}
	}
	return held
}

// Quota says how much of a quota the account may use, and uses: in a zone or a VPC, for a quota that is counted in those. It reports
// false for a name without a quota.
func (c *Call) Quota(name, of string) (limit, used int, known bool) {
	for _, q := range c.Types.quotas {
		if q.Name == name {
			return c.limit(q), c.held(q, of), true
		}
	}
	return 0, 0, false
}
