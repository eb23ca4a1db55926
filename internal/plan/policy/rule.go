package policy

import (
	"cmp"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Rule is one rule.
type Rule struct {
	// ID is the rule's name in reports and waivers: "open-ingress".
	ID string
	// Title is the requirement of the rule.
	Title string
	// Remedy is what to do about a finding.
	Remedy string
	// Checks are the corresponding checks of other tools: "checkov CKV_AWS_24". None if no tool has one.
	Checks []string
	// types are the types of the resources that the rule checks; nil for every type that has tags.
	types []string
	// broken returns the faults of a resource, one sentence each.
	broken func(props.Resource) []string
	// needsOptions is true if the rule checks options of the program, which only a stack's own preview has.
	needsOptions bool
}

// Unknown is the engine's value for an input that is known only after an update.
const Unknown = plugin.UnknownStringValue

// Rules lists the rules by ID.
func Rules() []Rule {
	list := slices.Concat(bucketRules(), iamRules(), networkRules(), careRules())
	slices.SortFunc(list, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// NeedsOptions reports whether the rule checks a resource's options, which a policy pack does not receive.
func (r Rule) NeedsOptions() bool { return r.needsOptions }

// Broken returns the faults of a resource by the rule, one sentence each; nil for none.
func (r Rule) Broken(resource props.Resource) []string {
	if !r.about(resource) {
		return nil
	}
	return r.broken(resource)
}

func (r Rule) about(resource props.Resource) bool {
	if r.types == nil {
		record, _ := awstype.Lookup(resource.Type)
		return record.Tagged
	}
	return slices.Contains(r.types, resource.Type)
}

// The types that rules check, in addition to those of package awstype.
const (
	typeGroupRule     = "aws:ec2/securityGroupRule:SecurityGroupRule"
	typeHostedCluster = "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster"
	typeNodePool      = "kubernetes:hypershift.openshift.io/v1beta1:NodePool"
)
