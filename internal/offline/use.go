package offline

import (
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Use is something that stacks have asked of the offline AWS since it began to listen: a resource that the engine had
// checked, or a function that it called.
type Use struct {
	// Token is the resource's type or the function.
	Token string
	// Account is the account that was asked, and Named whether the provider's configuration names it: else it is made up.
	Account string
	Named   bool
	// Region and Partition are where it was asked.
	Region, Partition string
	// Inputs are those that were known.
	Inputs map[string]any
}

// Uses lists what was asked, in the order of asking.
func (s *Server) Uses() []Use {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.uses)
}

func (s *Server) note(at aws.Site, token string, inputs props.Map) {
	known := maps.Clone(inputs)
	maps.DeleteFunc(known, func(_ string, v any) bool { return props.HoldsUnknown(v) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses = append(s.uses, Use{Token: token, Account: at.Account, Named: at.AccountNamed, Region: at.Region,
		Partition: at.Partition, Inputs: known})
}

// Tokens lists the types of resources and the functions that the offline AWS knows, in alphabetical order.
func Tokens() []string {
	c := knownTypes()
	tokens := slices.Collect(maps.Keys(c.Kinds))
	return slices.Sorted(slices.Values(slices.AppendSeq(tokens, maps.Keys(c.Functions))))
}
