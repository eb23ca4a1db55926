// Package lookup interprets the results of the provider's lookups.
package lookup

import (
	"slices"
	"strings"
)

// IsMissing reports whether a lookup found nothing. The provider reports this only in its message, which differs by lookup. Source:
// terraform-provider-aws, the data sources aws_lb, aws_vpc_endpoint, aws_vpc_endpoint_service and aws_route53_zone.
func IsMissing(err error) bool {
	return slices.ContainsFunc([]string{
		"no matching ",               // of filters and tags
		"couldn't find resource",     // of a name or ARN that AWS refuses as unknown
		"empty result",               // of an answer without an item
		"Search returned 0 results,", // of load balancers by tags
	}, func(words string) bool { return strings.Contains(err.Error(), words) })
}
