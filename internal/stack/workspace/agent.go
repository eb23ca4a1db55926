package workspace

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// agentPrefix begins the agent of this program's changes, and agentBy is between its version and the person.
const (
	agentPrefix = "hypershift-aws/"
	agentBy     = " by "
)

// Agent returns who changes the stack with which version of this program. The engine keeps it in the stack's history.
func (s *Session) Agent() string {
	return agentPrefix + stacks.Version + agentBy + consent.Who(s.Environ.Get)
}

// ParseAgent returns the version and the person of an agent that Agent returned, "" for another one.
func ParseAgent(agent string) (version, by string) {
	rest, own := strings.CutPrefix(agent, agentPrefix)
	if !own {
		return "", ""
	}
	version, by, _ = strings.Cut(rest, agentBy)
	return version, by
}
