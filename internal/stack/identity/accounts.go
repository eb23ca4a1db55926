package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// IsOwnProvider reports whether a URN, or a reference that begins with one, belongs to the AWS provider that the aws:
// keys configure.
func IsOwnProvider(urn string) bool { return strings.Contains(urn, OwnProvider) }

// OwnProvider is the part of the URN that shows the AWS provider which the aws: config configures.
const OwnProvider = "::pulumi:providers:aws::default"

// CheckOwnAccount is stacks.Account, for programs, which do not see in the last state which provider a resource has: if
// its resources are in more accounts than it has further providers, one of these accounts is that of the stack's own
// provider. An account that cannot be looked up is not compared: what needs it reports that.
func CheckOwnAccount(last stacks.LastState, account func() (string, error)) error {
	further := 0
	var in []string
	for resource, outputs := range last.Outputs {
		if urn.URN(resource).Type() == "pulumi:providers:aws" && !IsOwnProvider(resource) {
			further++
		}
		in = append(in, accountOf(outputs))
	}
	if in = unique(in); len(in) <= further {
		return nil
	}
	own, err := account()
	if err != nil {
		return nil //nolint:nilerr // what needs the account reports it
	}
	return CheckAccount(last.Stack, in, config.OwnPrefix, own)
}

// CheckAccount refuses an account that is not one of those that a stack's resources are in, if any.
func CheckAccount(stack string, in []string, credentials, account string) error {
	if len(in) == 0 || slices.Contains(in, account) {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("stack %s has resources in account %s, and the credentials of %s are of account %s, in which none of them exists; nothing was changed",
			stack, strings.Join(in, ", "), credentials, account),
		Remedy: "use a role or user of account " + in[0] + ": another one than that of the last `up` may be used; if that account no longer exists, " +
			"`hypershift-aws forget -s " + stack + "` removes the resources from the state",
	}
}

// AccountsOf returns the accounts of the resources of a provider in a state, by their ARNs; "" is the stack's own
// provider.
func AccountsOf(resources []*state.Resource, provider string) []string {
	var accounts []string
	for _, r := range resources {
		own := provider == "" && IsOwnProvider(r.Provider) ||
			provider != "" && strings.Contains(r.Provider, "::pulumi:providers:aws::"+provider+"::")
		if own && !r.External && !r.Delete {
			accounts = append(accounts, accountOf(r.Outputs))
		}
	}
	return unique(accounts)
}

// accountOf returns the account in the ARN of a resource, "" if there is none.
func accountOf(outputs map[string]any) string {
	arn, _ := outputs["arn"].(string)
	if parts := strings.SplitN(arn, ":", 6); len(parts) == 6 && len(parts[4]) == len("123456789012") {
		return parts[4]
	}
	return ""
}

// unique returns the accounts in order, each once and none that is not known.
func unique(accounts []string) []string {
	slices.Sort(accounts)
	return slices.DeleteFunc(slices.Compact(accounts), func(account string) bool { return account == "" })
}
