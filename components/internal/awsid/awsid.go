// Package awsid recognizes the identifiers of AWS that several components take.
package awsid

import (
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

var (
	account         = regexp.MustCompile(`^[0-9]{12}$`)
	path            = regexp.MustCompile(`^/(?:[!-~]+/)?$`)
	name            = regexp.MustCompile(`^[A-Za-z0-9+=,.@_-]+$`)
	endpointService = regexp.MustCompile(`^(?:cn\.)?com\.amazonaws\.vpce\.([a-z0-9-]+)\.vpce-svc-[0-9a-f]+$`)
	suffix          = regexp.MustCompile(`^[0-9a-f]{8}([0-9a-f]{9})?$`)
	policyARN       = regexp.MustCompile(`^arn:(aws[a-z-]*):iam::([0-9]{12}|aws):policy/([!-~]+/)?[A-Za-z0-9+=,.@_-]+$`)
)

// IsAccount reports whether id is the ID of an account, twelve digits.
func IsAccount(id string) bool { return account.MatchString(id) }

// ValidateAccount returns a fault if id is not the ID of an account.
func ValidateAccount(id string) error {
	if IsAccount(id) {
		return nil
	}
	return &fault.Fault{Value: id, Problem: "is not the ID of an account", Remedy: "use its 12 digits"}
}

// IsPath reports whether text is an IAM path, "/…/".
func IsPath(text string) bool { return len(text) <= 512 && path.MatchString(text) }

// IsName reports whether text has only the characters of names in IAM.
func IsName(text string) bool { return name.MatchString(text) }

// IsEC2 reports whether id is the ID of a resource of EC2 with the prefix: "vpc", "subnet", "sg", "ami", "eipalloc".
func IsEC2(prefix, id string) bool {
	rest, found := strings.CutPrefix(id, prefix+"-")
	return found && suffix.MatchString(rest)
}

// EndpointServiceRegion returns the region of an endpoint service, "" if the name is not one of an endpoint service.
func EndpointServiceRegion(service string) string {
	if match := endpointService.FindStringSubmatch(service); match != nil {
		return match[1]
	}
	return ""
}

// ValidatePolicyARN returns a fault if arn is not the ARN of a managed policy, or belongs to another partition than the
// given one; "" allows any partition.
func ValidatePolicyARN(arn, partition string) error {
	match := policyARN.FindStringSubmatch(arn)
	switch {
	case match == nil:
		return &fault.Fault{
			Value: arn, Problem: "is not the ARN of a managed policy",
			Remedy: "use arn:aws:iam::<account>:policy/<name>",
		}
	case partition != "" && match[1] != partition:
		return &fault.Fault{
			Value: arn, Problem: "is not in partition " + partition,
			Remedy: "use one of " + partition,
		}
	}
	return nil
}
