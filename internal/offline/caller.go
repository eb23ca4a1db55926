package offline

import (
	"slices"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// APIRequest is a request to AWS's API that the provider would send.
type APIRequest = aws.APIRequest

// caller has the policies of the user who calls AWS by the provider.
type caller struct {
	mu       sync.Mutex
	watched  bool
	policies func(account string) []policy.Document
	requests []APIRequest
}

// Watch keeps the requests that the provider would send to AWS's API from now on. If policies is not nil, a request that the caller's policies
// in its account do not allow is refused as AWS refuses it.
func (s *Server) Watch(policies func(account string) []policy.Document) {
	s.caller.mu.Lock()
	defer s.caller.mu.Unlock()
	s.caller.watched, s.caller.policies, s.caller.requests = true, policies, nil
}

// Requests returns the requests since Watch, in order.
func (s *Server) Requests() []APIRequest {
	s.caller.mu.Lock()
	defer s.caller.mu.Unlock()
	return slices.Clone(s.caller.requests)
}

// Allowed reports whether policies allow a request.
func Allowed(r APIRequest, policies []policy.Document) bool {
	return policy.Evaluate(policy.Request{Action: r.Action, Resource: r.Resource, Context: r.Context}, policies...) == policy.Allowed
}

// Watched implements aws.Caller.
func (c *caller) Watched() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watched
}

// Allow implements aws.Caller.
func (c *caller) Allow(r APIRequest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	return c.policies == nil || Allowed(r, c.policies(r.Account))
}

// RequestActions returns the IAM actions of all requests that the provider sends for a type or a function.
func RequestActions(token string) []string { return aws.RequestActions(token) }
