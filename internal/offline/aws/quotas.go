package aws

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Quota is how many instances of a type AWS allows by default.
type Quota struct {
	Name, Token string
	// Limit is AWS's default.
	Limit int
	// Code and Message are AWS's error when the limit is exceeded.
	Code, Message string
	// Of returns the zone or the VPC that the limit applies to, "" for the region: resources with the same value are
	// counted together.
	Of func(*Call, props.Map) string
	// Counts reports whether an instance counts. nil: all count.
	Counts func(props.Map) bool
	// Own is true if the limit applies to what one instance has, its Weight.
	Own bool
	// OfAWS is true if instances that AWS creates along with others count, such as a VPC's main route table.
	OfAWS bool
	// Weight is how much one instance counts. nil: 1.
	Weight func(props.Map) int
}

// withinQuotas: a new resource of a stack or an operator must not exceed AWS's quotas.
func withinQuotas(c *Call) error {
	for _, q := range c.Types.quotas {
		if q.Own && q.Token == c.Kind.Token && q.weight(c.State()) > c.limit(q) {
			return awserr.Errorf(q.Code, "%s", q.Message)
		}
	}
	if c.Old != nil || c.Rehearsal == nil || c.Resource.Origin != store.ByStack && c.Resource.Origin != store.ByOperator {
		return nil
	}
	for _, q := range c.Types.quotas {
		if q.Own || q.Token != c.Kind.Token || !q.counts(c.State()) {
			continue
		}
		parent := ""
		if q.Of != nil {
			parent = q.Of(c, c.State())
		}
		if c.used(q, parent)+q.weight(c.State()) > c.limit(q) {
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

// limit returns the limit that the rehearsal sets, otherwise AWS's default.
func (c *Call) limit(q Quota) int {
	if c.Rehearsal != nil {
		if limit, set := c.Rehearsal.Quotas[q.Name]; set {
			return limit
		}
	}
	return q.Limit
}

// used returns how much of a quota the account uses. Seeds do not count.
func (c *Call) used(q Quota, parent string) int {
	used := 0
	for _, other := range c.All(q.Token) {
		if other.Origin == store.BySeed || other.Origin == store.ByAWS && !q.OfAWS {
			continue
		}
		if q.counts(other.State) && (q.Of == nil || q.Of(c, other.State) == parent) {
			used += q.weight(other.State)
		}
	}
	return used
}

// Quota returns how much of a quota the account may use, and how much it uses: in a zone or a VPC, for a quota that
// applies to each of those. known is false if there is no quota of that name.
func (c *Call) Quota(name, parent string) (limit, used int, known bool) {
	for _, q := range c.Types.quotas {
		if q.Name == name {
			return c.limit(q), c.used(q, parent), true
		}
	}
	return 0, 0, false
}
