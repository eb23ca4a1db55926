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
// provider. An account that cannot be looked up is not compared: what needs it reports that. The region is compared if
// the stack has no further provider.
func CheckOwnAccount(last stacks.LastState, account func() (string, error)) error {
	further, region, regional := 0, "", false
	var in []string
	for resource, outputs := range last.Outputs {
		switch token := string(urn.URN(resource).Type()); {
		case token == "pulumi:providers:aws" && !IsOwnProvider(resource):
			further++
		case token == "pulumi:providers:aws":
			region, _ = outputs["region"].(string)
		case strings.HasPrefix(token, "aws:"):
			regional = regional || !isGlobal(token)
		}
		in = append(in, accountOf(outputs))
	}
	if regional && further == 0 {
		if err := CheckRegion(last.Stack, region, config.OwnPrefix+"region", last.Region); err != nil {
			return err
		}
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

// CheckRegion refuses a region other than the one that a stack's regional resources are in, "" if there are none: the
// provider would look for them in the other region, and find none. key is the config key of the region.
func CheckRegion(stack, in, key, region string) error {
	if in == "" || region == "" || in == region {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("stack %s has resources in region %s, and %s is %s, in which none of them exists; nothing was changed",
			stack, in, key, region),
		Remedy: "restore " + key + ": " + in + "; another region needs another stack",
	}
}

// RegionOf returns the region of the resources of a provider in a state, by the provider's record there; "" if all are
// global, or if it is not recorded. provider is that of AccountsOf.
func RegionOf(resources []*state.Resource, provider string) (region string) {
	for _, r := range resources {
		if !isOf(r.Provider, provider) || r.External || r.Delete || isGlobal(string(r.Type)) {
			continue
		}
		for _, p := range resources {
			if p.Type == "pulumi:providers:aws" && p.Reference() == r.Provider {
				region, _ = p.Inputs["region"].(string)
			}
		}
		if region != "" {
			return region
		}
	}
	return ""
}

// isGlobal reports whether resources of a type are in no region.
func isGlobal(token string) bool {
	return slices.ContainsFunc([]string{"aws:iam/", "aws:route53/", "aws:cloudfront/"}, func(service string) bool {
		return strings.HasPrefix(token, service)
	})
}

// isOf reports whether a reference is to a provider, "" for the stack's own.
func isOf(reference, provider string) bool {
	return provider == "" && IsOwnProvider(reference) ||
		provider != "" && strings.Contains(reference, "::pulumi:providers:aws::"+provider+"::")
}

// AccountsOf returns the accounts of the resources of a provider in a state, by their ARNs; "" is the stack's own
// provider.
func AccountsOf(resources []*state.Resource, provider string) []string {
	var accounts []string
	for _, r := range resources {
		if isOf(r.Provider, provider) && !r.External && !r.Delete {
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
