// Package awsprovider knows pulumi-aws as a component sees it: its major version, and what its lookups return.
package awsprovider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// IsMissing reports whether a lookup found nothing. The provider reports this only in its message, which differs by
// lookup. Source: terraform-provider-aws, the data sources aws_lb, aws_vpc_endpoint, aws_vpc_endpoint_service and
// aws_route53_zone.
func IsMissing(err error) bool {
	return slices.ContainsFunc([]string{
		"no matching ",               // of filters and tags
		"couldn't find resource",     // of a name or ARN that AWS refuses as unknown
		"empty result",               // of an answer without an item
		"Search returned 0 results,", // of load balancers by tags
	}, func(words string) bool { return strings.Contains(err.Error(), words) })
}

// IsRefused reports whether AWS refused a lookup: the caller may not read what it asks for.
func IsRefused(err error) bool { return refused.MatchString(Cause(err)) }

// IsAmbiguous reports whether a lookup of one thing found several. The provider reports this only in its message.
// Source: terraform-provider-aws, internal/tfresource/errors.go and the data source aws_route53_zone.
func IsAmbiguous(err error) bool {
	cause := Cause(err)
	return strings.Contains(cause, "multiple ") && (strings.Contains(cause, " matched") ||
		strings.Contains(cause, " found"))
}

// Cause returns the message of AWS or its provider about a failed lookup, on one line and without the names of the
// call. If AWS was not reached, it names what to check.
func Cause(err error) string {
	text := err.Error()
	if _, said, wrapped := strings.Cut(text, " returned an error: "); wrapped && strings.Contains(text, "invocation of ") {
		text = said
	}
	cause := strings.Join(strings.Fields(wrapping.ReplaceAllString(text, "")), " ")
	if network := unreached.FindString(cause); network != "" {
		return "AWS cannot be reached (" + network + "): check the network, the proxy settings, aws:region and aws:endpoints"
	}
	return cause
}

// unreached matches the message of Go's network about an address that cannot be reached.
var unreached = regexp.MustCompile(`(dial \w+ \S+: |dial \w+: lookup )\S.*?(no such host|connection refused|i/o timeout|network is unreachable|no route to host|server misbehaving)`)

// wrapping matches the text that the provider's bridge adds before a lookup's error.
var wrapping = regexp.MustCompile(`^(rpc error: code = \w+ desc = )?(invoking [^ ]+: )?(1 error occurred:\s+\* )?`)

// PublicZone returns the fault of a domain whose public zone cannot be looked up. remedy is what to do if there is
// none, and choose if there are several.
func PublicZone(domain string, err error, remedy, choose string) error {
	cause := Cause(err)
	if IsAmbiguous(err) { // "multiple Route53Zone found" or "multiple Route 53 Hosted Zones matched"
		return &fault.Fault{
			Value: domain, Problem: "has several public zones in this account",
			Remedy: choose + "; `aws route53 list-hosted-zones-by-name --dns-name " + domain + "` lists them",
		}
	}
	return &fault.Fault{Value: domain, Problem: "has no public zone that can be looked up: " + cause,
		Remedy: Remedy(err, remedy)}
}

// Failed returns the error of a lookup that failed: what was looked up, AWS's reason on one line and, for a call that
// AWS refuses, what to do.
func Failed(what string, err error) error {
	cause := Cause(err)
	if refused.MatchString(cause) {
		return fmt.Errorf("looking up %s: %s; %s", what, cause, mayRead)
	}
	return fmt.Errorf("looking up %s: %s", what, cause)
}

// Unanswered returns the error of a lookup without the property that AWS's provider always returns: Pulumi's mocks
// return nothing unless the test's Call does.
func Unanswered(function, property string) error {
	return fmt.Errorf("the AWS provider returned no %q for %s: in a test with Pulumi's mocks, return it from Call for this token; "+
		"`hypershift-aws sandbox` runs the test with an AWS account in memory instead, which needs no mocks", property, function)
}

// Remedy returns what to do about a lookup that failed: what is right if there is no such resource, unless AWS has only
// refused the answer.
func Remedy(err error, otherwise string) string {
	if refused.MatchString(Cause(err)) {
		return mayRead
	}
	return otherwise
}

const mayRead = "allow the caller to read it: `hypershift-aws permissions` lists what a stack reads"

// refused matches the codes with which AWS's services refuse a caller.
var refused = regexp.MustCompile(`AccessDenied|UnauthorizedOperation|AuthorizationError`)
