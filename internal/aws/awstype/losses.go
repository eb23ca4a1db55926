package awstype

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Loss is what a change in place takes from those who use an instance.
type Loss struct {
	// Input is the input that changes.
	Input string
	// What is what is lost: "it could no longer be used by account 222222222222".
	What string
	// Remedy is the way on, "" for the previous value of the input, or the consent.
	Remedy string
}

// policyLosses returns a function that finds whom the policy in an input no longer allows what it allowed. verb says
// what the policy is about: "be assumed by". A document that is not known yet loses nothing.
func policyLosses(input, verb string) func(before, after map[string]any) []Loss {
	return func(before, after map[string]any) []Loss {
		was, is := parsed(before[input]), parsed(after[input])
		if was == nil || is == nil {
			return nil
		}
		var lost []Loss
		for _, statement := range was.Statement {
			for _, r := range requests(statement) {
				l := Loss{Input: input, What: "it could no longer " + verb + " " + r.by}
				if policy.Evaluate(r.Request, *was) == policy.Allowed && policy.Evaluate(r.Request, *is) != policy.Allowed &&
					!slices.Contains(lost, l) {
					lost = append(lost, l)
				}
			}
		}
		return lost
	}
}

// grantLosses returns a function that finds what the policy of an identity in an input gives in exchange: a resource,
// or what a condition limits its actions to, instead of another one that it named until now. Who has the policy can no
// longer use the former one. A policy that names less than before loses nothing: the components name what a
// configuration still needs, as one without a public endpoint does not need the public zone.
func grantLosses(input string) func(before, after map[string]any) []Loss {
	return func(before, after map[string]any) (lost []Loss) {
		was, is := parsed(before[input]), parsed(after[input])
		if was == nil || is == nil {
			return nil
		}
		added := map[string]bool{}
		for _, r := range grants(*is) {
			if r.by != "" && policy.Evaluate(r.Request, *was) != policy.Allowed {
				added[r.Action] = true
			}
		}
		for _, r := range grants(*was) {
			l := Loss{Input: input, What: "who has it could no longer use " + r.by}
			if r.by != "" && added[r.Action] && policy.Evaluate(r.Request, *was) == policy.Allowed &&
				policy.Evaluate(r.Request, *is) != policy.Allowed && !slices.Contains(lost, l) {
				lost = append(lost, l)
			}
		}
		return lost
	}
}

// grants returns requests that the policy of an identity allows, each with the resource, or what a condition limits it
// to; "" if it names neither.
func grants(document policy.Document) (list []request) {
	for _, s := range document.Statement {
		if s.Effect != policy.Allow || s.Principal != nil {
			continue
		}
		for _, context := range contexts(s.Condition, caller{}) {
			var limits []string
			for _, key := range slices.Sorted(maps.Keys(context)) {
				limits = append(limits, key+" "+context[key][0])
			}
			for _, action := range s.Action {
				for _, resource := range s.Resource {
					by := resource
					if strings.HasSuffix(resource, "*") {
						by = strings.Join(limits, " and ")
					}
					list = append(list, request{policy.Request{Action: action, Resource: resource, Context: context}, by})
				}
			}
		}
	}
	return list
}

// Boundary is the input with an identity's permissions boundary.
const Boundary = "permissionsBoundary"

// boundaryLosses finds another permissions boundary. What its policy allows is not known here: see BoundaryLosses.
func boundaryLosses(before, after map[string]any) (lost []Loss) {
	if boundary, _ := after[Boundary].(string); policyName.MatchString(boundary) && before[Boundary] != after[Boundary] {
		lost = append(lost, Loss{
			Input: Boundary, What: "it could no longer do what policy " + boundary + " does not allow",
			Remedy: "compare that policy with those of the roles and users, and allow the change if it allows all that they do; " +
				"or set iam.permissionsBoundary back to its previous value",
		})
	}
	return lost
}

// BoundaryLosses returns the actions that the policies of an identity and its boundary until now allow, nil for none,
// and that another boundary does not. A denial counts whatever its resources and conditions are, unless the boundary
// until now has the same one. It reports false for policies that allow what they do not name.
func BoundaryLosses(
	policies []policy.Document,
	until *policy.Document,
	boundary policy.Document,
) (lost []string, known bool) {
	for _, document := range policies {
		for _, s := range document.Statement {
			if s.Effect == policy.Allow && len(s.NotAction)+len(s.NotResource) > 0 {
				return nil, false
			}
		}
		for _, r := range grants(document) {
			if until != nil && policy.Evaluate(r.Request, *until) != policy.Allowed || slices.Contains(lost, r.Action) {
				continue
			}
			if policy.Evaluate(r.Request, boundary) != policy.Allowed ||
				slices.ContainsFunc(boundary.Statement, func(s policy.Statement) bool {
					return denies(s, r.Action) && (until == nil ||
						!slices.ContainsFunc(until.Statement, func(u policy.Statement) bool {
							return reflect.DeepEqual(s, u)
						}))
				}) {
				lost = append(lost, r.Action)
			}
		}
	}
	slices.Sort(lost)
	return lost, true
}

// denies reports whether a statement denies a part of what a pattern of actions matches.
func denies(s policy.Statement, action string) bool {
	if s.Effect != policy.Deny {
		return false
	}
	if len(s.NotAction) > 0 {
		return !matches(s.NotAction, action)
	}
	service := func(pattern string) string { return strings.ToLower(strings.SplitN(pattern, ":", 2)[0]) }
	wild := func(pattern string) bool { return strings.ContainsAny(pattern, "*?") }
	return slices.ContainsFunc(s.Action, func(denied string) bool {
		return matches(policy.List{denied}, action) || matches(policy.List{action}, denied) ||
			wild(denied) && wild(action) && service(denied) == service(action)
	})
}

// matches reports whether one of the patterns matches an action.
func matches(patterns policy.List, action string) bool {
	return policy.Evaluate(policy.Request{Action: action}, policy.Document{Statement: []policy.Statement{{
		Effect: policy.Allow, Action: patterns,
	}}}) == policy.Allowed
}

// policyName matches the ARN of a policy.
var policyName = regexp.MustCompile(`^arn:[^:]+:iam::[^:]*:policy/`)

// bothLosses returns a function that finds what either of two functions finds.
func bothLosses(a, b func(before, after map[string]any) []Loss) func(before, after map[string]any) []Loss {
	return func(before, after map[string]any) []Loss {
		return append(a(before, after), b(before, after)...)
	}
}

func parsed(text any) *policy.Document {
	given, _ := text.(string)
	document, err := policy.Parse(given)
	if err != nil {
		return nil
	}
	return &document
}

// request is a request that a statement allows, with its caller in words.
type request struct {
	policy.Request
	by string
}

// requests returns requests that a statement of a resource's policy allows: one for each principal, action and
// resource, and for each value of a condition.
func requests(s policy.Statement) (list []request) {
	if s.Effect != policy.Allow || s.Principal == nil {
		return nil
	}
	resources := s.Resource
	if len(resources) == 0 {
		resources = policy.List{""} // a trust policy
	}
	for _, caller := range callers(*s.Principal) {
		for _, context := range contexts(s.Condition, caller) {
			for _, action := range s.Action {
				for _, resource := range resources {
					by := caller.by
					for key, values := range context {
						if strings.HasSuffix(key, ":sub") {
							by += " as " + values[0]
						}
					}
					list = append(list, request{policy.Request{
						Caller: caller.Caller, Action: action, Resource: resource, Context: context,
					}, by})
				}
			}
		}
	}
	return list
}

// caller is a principal, with a description.
type caller struct {
	policy.Caller
	by string
}

// nobody is an account that no policy names: what it may do, everyone may.
const nobody = "000000000000"

func callers(p policy.Principal) (list []caller) {
	account := func(id string) policy.Caller { return policy.Caller{AWS: "arn:aws:iam::" + id + ":root"} }
	if p.Anyone || slices.Contains(p.AWS, "*") {
		return []caller{{account(nobody), "anyone"}}
	}
	for _, name := range p.AWS {
		fields := strings.SplitN(name, ":", 6)
		switch {
		case len(fields) < 6:
			list = append(list, caller{account(name), "account " + name})
		case fields[5] == "root":
			list = append(list, caller{policy.Caller{AWS: name}, "account " + fields[4]})
		default:
			list = append(list, caller{policy.Caller{AWS: name}, name})
		}
	}
	for _, name := range p.Federated {
		list = append(list, caller{policy.Caller{Federated: name}, name})
	}
	for _, name := range p.Service {
		list = append(list, caller{policy.Caller{Service: name}, name})
	}
	return list
}

// contexts returns contexts that meet a condition, so that each of its values is in one. Tokens of an OIDC provider
// have the audience that HyperShift's operators ask for.
func contexts(c policy.Condition, of caller) []map[string][]string {
	base := map[string][]string{}
	if _, issuer, is := strings.Cut(of.Federated, ":oidc-provider/"); is {
		base[issuer+":aud"] = []string{"openshift"}
	}
	for _, values := range c {
		for key, any := range values {
			if len(any) > 0 && !strings.HasSuffix(key, ":aud") {
				base[key] = []string{any[0]}
			}
		}
	}
	list := []map[string][]string{base}
	for _, operator := range slices.Sorted(maps.Keys(c)) {
		for _, key := range slices.Sorted(maps.Keys(c[operator])) {
			for i, value := range c[operator][key] {
				if i > 0 && !strings.HasSuffix(key, ":aud") {
					other := maps.Clone(base)
					other[key] = []string{value}
					list = append(list, other)
				}
			}
		}
	}
	return list
}

// clusterTagLosses finds the clusters whose tag a subnet loses. The cloud controller of such a cluster ignores the
// subnet while it has the tags of others. A tag of the new value is not known while the plan does not know all tags.
func clusterTagLosses(before, after map[string]any) (lost []Loss) {
	was, is := props.Map(before).Object("tags"), props.Map(after).Object("tags")
	if len(is) == 0 {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(was)) {
		if infraID, isCluster := strings.CutPrefix(key, hypershift.ClusterTagPrefix); isCluster && !is.Has(key) {
			lost = append(lost, Loss{Input: "tags", What: "cluster " + infraID + " could no longer use it for load balancers"})
		}
	}
	return lost
}

// publicReadLosses finds what a change of a public access block ends.
func publicReadLosses(before, after map[string]any) (lost []Loss) {
	for _, input := range []string{"blockPublicPolicy", "restrictPublicBuckets"} {
		if after[input] == true && before[input] != true {
			lost = append(lost, Loss{Input: input, What: "the bucket could no longer be read by everyone"})
		}
	}
	return lost
}

// listLosses returns a function that finds the values that a list in an input no longer has. what is what one means for
// the users of the resource, with a verb for the value.
func listLosses(input, what string) func(before, after map[string]any) []Loss {
	return func(before, after map[string]any) (lost []Loss) {
		was, _ := before[input].([]any)
		is, known := after[input].([]any)
		if !known {
			return nil
		}
		for _, value := range was {
			if !slices.Contains(is, value) {
				lost = append(lost, Loss{Input: input, What: fmt.Sprintf(what, value)})
			}
		}
		return lost
	}
}

// domainLosses finds the domains at which a distribution is no longer read. A distribution with CloudFront's own
// certificate has none.
func domainLosses(before, after map[string]any) []Loss {
	if _, known := after["aliases"]; !known &&
		props.Map(after).Object("viewerCertificate")["cloudfrontDefaultCertificate"] == true {
		after = map[string]any{"aliases": []any{}}
	}
	return listLosses("aliases", "documents could no longer be read at %v")(before, after)
}

// endpointCalls are the calls that machines of a cluster make through the endpoint of a service: pulls of images from
// ECR, the registry with its bucket, whoever assumes a role by a token, and the cloud controllers of clusters of
// Cluster API.
var endpointCalls = map[string][]string{
	"sts":     {"sts:AssumeRoleWithWebIdentity"},
	"s3":      {"s3:ListBucket", "s3:GetObject", "s3:PutObject", "s3:DeleteObject"},
	"ec2":     {"ec2:DescribeInstances", "ec2:DescribeVolumes", "ec2:CreateVolume", "ec2:AttachVolume"},
	"kms":     {"kms:Encrypt", "kms:Decrypt"},
	"ecr.api": {"ecr:GetAuthorizationToken"},
	"ecr.dkr": {"ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"},
	"elasticloadbalancing": {"elasticloadbalancing:DescribeLoadBalancers",
		"elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:RegisterTargets"},
}

// EndpointCalls returns the calls that machines of a cluster make through the endpoint of a service, such as "sts" or
// "ecr.api"; none for a service that they do not call. A FIPS endpoint, such as "kms-fips", takes the calls of its
// service.
func EndpointCalls(service string) []string {
	return slices.Clone(endpointCalls[strings.TrimSuffix(service, "-fips")])
}

// endpointLosses finds the calls that the policy of a VPC endpoint no longer lets through. An endpoint without a policy
// lets all of them through.
func endpointLosses(before, after map[string]any) (lost []Loss) {
	const input = "policy"
	is := parsed(after[input])
	if is == nil {
		return nil
	}
	name := strings.TrimPrefix(props.Map(before).String("serviceName"), "cn.")
	_, service, _ := strings.Cut(strings.TrimPrefix(name, "com.amazonaws."), ".") // after the region
	for _, action := range EndpointCalls(service) {
		if was := parsed(before[input]); (was == nil || letsThrough(*was, action)) && !letsThrough(*is, action) {
			lost = append(lost, Loss{Input: input, What: "it would no longer let " + action + " through"})
		}
	}
	return lost
}

// letsThrough reports whether the policy of an endpoint lets an action of some caller on some resource through.
func letsThrough(document policy.Document, action string) bool {
	return policy.Evaluate(policy.Request{Action: action, Partial: true}, document) == policy.Allowed &&
		policy.Evaluate(policy.Request{
			Action: action, Partial: true, Caller: policy.Caller{AWS: "arn:aws:iam::" + nobody + ":root"},
		}, document) != policy.ExplicitDeny
}

// portLosses finds what a rule of a security group no longer allows: its protocol, its ports or its source changes.
func portLosses(before, after map[string]any) (lost []Loss) {
	number := func(of map[string]any, input string, other float64) float64 {
		if n, is := of[input].(float64); is && n >= 0 {
			return n
		}
		return other
	}
	const first, last = 0, 65535
	for _, input := range []string{"ipProtocol", "referencedSecurityGroupId"} {
		if was, is := before[input], after[input]; is != nil && was != is && is != "-1" {
			lost = append(lost, Loss{
				Input: input,
				What:  fmt.Sprintf("it would no longer allow what it does with %s %v", input, was),
			})
		}
	}
	if number(after, "fromPort", first) > number(before, "fromPort", first) ||
		number(after, "toPort", last) < number(before, "toPort", last) {
		ports := fmt.Sprintf("ports %v to %v", before["fromPort"], before["toPort"])
		lost = append(lost, Loss{Input: "fromPort", What: "it would no longer allow " + ports})
	}
	return lost
}
