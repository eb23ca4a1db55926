package offline

import (
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Use is a request to the offline AWS since the server started: a resource that the engine checked, or a function that it called.
type Use struct {
	// Token is the resource's type or the function.
	Token string
	// URN is the resource's, "" for a function.
	URN string
	// Account is the account of the request. Named is true if the provider's configuration names it; otherwise it is made up.
	Account string
	Named   bool
	// Region and Partition are those of the request.
	Region, Partition string
	// Inputs are the known inputs.
	Inputs map[string]any
}

// Uses lists the requests, in order.
func (s *Server) Uses() []Use {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.uses)
}

func (s *Server) note(at aws.Site, token, urn string, inputs props.Map) {
	known := maps.Clone(inputs)
	maps.DeleteFunc(known, func(_ string, v any) bool { return props.HoldsUnknown(v) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses = append(s.uses, Use{Token: token, URN: urn, Account: at.Account, Named: at.AccountNamed, Region: at.Region,
		Partition: at.Partition, Inputs: known})
}

// Tokens lists the resource types and functions of the offline AWS, in alphabetical order.
func Tokens() []string {
	c := catalogue()
	tokens := slices.Collect(maps.Keys(c.Kinds))
	return slices.Sorted(slices.Values(slices.AppendSeq(tokens, maps.Keys(c.Functions))))
}
