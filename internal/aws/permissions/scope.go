package permissions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// arns returns the ARNs of a scope for a need. all are all needs of the stack.
func arns(s awstype.Scope, n Need, all []Need) []string {
	if text := n.text(s.ARNInput, ""); strings.HasPrefix(text, "arn:") {
		return []string{text}
	}
	if s.Owner == "" {
		return n.fillAll(s.ARNs)
	}
	name := n.text(s.Input, "")
	var list []string
	for _, other := range all {
		if other.Token == s.Owner && other.Account == n.Account && (name == "" || other.text(s.Key, "") == name) {
			list = append(list, other.fillAll(s.ARNs)...)
		}
	}
	if len(list) > 0 {
		return unique(list)
	}
	// The owner is not in the stack: only its name is known.
	for _, arn := range s.ARNs {
		list = append(list, n.fill(strings.ReplaceAll(arn, "{"+s.Key+"}", n.text(s.Input, "*"))))
	}
	return list
}

// condition returns a condition for a need, or nil for none.
func condition(c awstype.Condition, n Need) policy.Condition {
	values := c.Values
	if value := n.text(c.Input, ""); value != "" {
		values = []string{value}
	}
	if len(values) == 0 {
		return nil
	}
	return policy.Condition{c.Operator: {c.Key: values}}
}

func (n Need) fillAll(templates []string) []string {
	var filled []string
	for _, template := range templates {
		filled = append(filled, n.fill(template))
	}
	return filled
}

// fill replaces the placeholders in the template of an ARN. Unknown values become wildcards.
func (n Need) fill(template string) string {
	return placeholder.ReplaceAllStringFunc(template, func(match string) string {
		switch name := strings.Trim(match, "{}"); name {
		case "partition":
			return n.Partition
		case "region":
			return n.Region
		case "account":
			return n.account()
		default:
			return strings.TrimPrefix(n.text(name, "*"), "https://")
		}
	})
}

// account returns the account's ID, or a wildcard if the config does not name it.
func (n Need) account() string {
	if n.AccountNamed {
		return n.Account
	}
	return "*"
}

// text returns the text of an input, or otherwise if it is unknown.
func (n Need) text(name, otherwise string) string {
	if text, ok := n.Inputs[name].(string); ok && text != "" {
		return text
	}
	return otherwise
}

func unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// widest returns the ARNs that no other one covers: "*" covers all.
func widest(arns []string) []string {
	if slices.Contains(arns, "*") {
		return []string{"*"}
	}
	return unique(arns)
}

// Need is a resource that a stack creates in AWS, or a function that it calls.
type Need struct {
	// Token is the resource's type, "aws:ec2/vpc:Vpc", or the function.
	Token string
	// URN is the resource's, "" for a function.
	URN string
	// Account is the account of the call. AccountNamed is true if the stack's config names it: if not, policies apply to
	// any account.
	Account      string
	AccountNamed bool
	// Region and Partition are the call's.
	Region, Partition string
	// Inputs are the inputs that are known before anything is created.
	Inputs map[string]any
}

// Life is the token of the search for a cluster's signs of life, with which a destroy of its stack begins.
const Life = "hypershift-aws:life"

// grants returns the actions of a type or function. known is false for an unknown one.
func grants(token string) ([]awstype.Grant, bool) {
	if token == Life {
		return []awstype.Grant{{Actions: awstype.Life()}}, true
	}
	if info, known := awstype.Lookup(token); known {
		return info.Permissions.Grants(), true
	}
	list, known := lookups()[token]
	return list, known
}

// Tokens lists the types and functions whose permissions are known.
func Tokens() []string {
	var tokens []string
	for _, info := range awstype.All() {
		tokens = append(tokens, info.Token)
	}
	for token := range lookups() {
		tokens = append(tokens, token)
	}
	slices.Sort(tokens)
	return tokens
}

const (
	// Network is the cluster's network with its hosted zones, as in a stack of kind network.
	Network policy.Part = "network"
	// IAM is the cluster's OIDC provider, roles and instance profile, as in a stack of kind iam.
	IAM policy.Part = "iam"
)

// Parts lists the parts.
func Parts() []policy.Part { return []policy.Part{Network, IAM} }

// partServices are the services whose functions a part calls: those that read what exists already. Every part looks up
// its account.
var partServices = map[policy.Part][]string{
	Network: {"ec2", "ec2transitgateway", "route53", "vpc"},
	IAM:     {"iam", "kms", "s3"},
}

// otherFunctions are functions of these services that no part calls: the endpoint and the service of PrivateLink are
// the cluster's.
var otherFunctions = []string{"aws:ec2/getVpcEndpoint:getVpcEndpoint",
	"aws:ec2/getVpcEndpointService:getVpcEndpointService"}

// In reports whether a part of the cluster has the need: a resource by the component that it is in, a function by its
// service.
func (n Need) In(part policy.Part) bool {
	if n.URN != "" {
		component, _, _ := strings.Cut(string(urn.URN(n.URN).QualifiedType()), "$")
		return strings.HasPrefix(component, "hypershift-aws:"+string(part)+":")
	}
	service, function, _ := strings.Cut(strings.TrimPrefix(n.Token, "aws:"), "/")
	if service == "index" {
		return part == Network || !strings.HasPrefix(function, "getAvailabilityZone")
	}
	return slices.Contains(partServices[part], service) && !slices.Contains(otherFunctions, n.Token)
}
