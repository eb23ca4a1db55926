package enginetest

import (
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
)

// Account returns the account in which a provider with the settings works, as commands read it.
func (s *Stack) Account(settings map[string]any) account.Account {
	return inmemory.NewAccount(s.server, settings)
}
