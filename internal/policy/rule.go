package policy

import (
	"cmp"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
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
	broken func(Resource) []string
	// needsOptions is true if the rule checks options of the program, which only a stack's own preview has.
	needsOptions bool
}

// Resource is a resource that rules check.
type Resource struct {
	URN, Name, Type string
	// Inputs are the program's inputs, with Unknown for values that are known only after an update.
	Inputs map[string]any
	// Protected is true if Pulumi refuses to delete it.
	Protected bool
}

// Unknown is the engine's value for an input that is known only after an update.
const Unknown = plugin.UnknownStringValue

// FromState returns a resource as the engine records it.
func FromState(r apitype.ResourceV3) Resource {
	return Resource{URN: string(r.URN), Name: r.URN.Name(), Type: string(r.Type), Inputs: r.Inputs, Protected: r.Protect}
}

// Rules lists the rules by ID.
func Rules() []Rule {
	list := slices.Concat(bucketRules(), iamRules(), networkRules(), careRules())
	slices.SortFunc(list, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// NeedsOptions reports whether the rule checks a resource's options, which a policy pack does not receive.
func (r Rule) NeedsOptions() bool { return r.needsOptions }

// Broken returns the faults of a resource by the rule, one sentence each; nil for none.
func (r Rule) Broken(resource Resource) []string {
	if !r.about(resource) {
		return nil
	}
	return r.broken(resource)
}

func (r Rule) about(resource Resource) bool {
	if r.types == nil {
		return slices.Contains(tagged, resource.Type)
	}
	return slices.Contains(r.types, resource.Type)
}

// The types that rules check.
const (
	typeBucket        = "aws:s3/bucketV2:BucketV2"
	typeBucketPolicy  = "aws:s3/bucketPolicy:BucketPolicy"
	typeRole          = "aws:iam/role:Role"
	typeRolePolicy    = "aws:iam/rolePolicy:RolePolicy"
	typeUserPolicy    = "aws:iam/userPolicy:UserPolicy"
	typePolicy        = "aws:iam/policy:Policy"
	typeIngressRule   = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	typeGroupRule     = "aws:ec2/securityGroupRule:SecurityGroupRule"
	typeGroup         = "aws:ec2/securityGroup:SecurityGroup"
	typeDefaultGroup  = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
	typeSubnet        = "aws:ec2/subnet:Subnet"
	typeInstance      = "aws:ec2/instance:Instance"
	typeService       = "aws:ec2/vpcEndpointService:VpcEndpointService"
	typeKey           = "aws:kms/key:Key"
	typeQueue         = "aws:sqs/queue:Queue"
	typeDistribution  = "aws:cloudfront/distribution:Distribution"
	typeHostedCluster = "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster"
)

func (r Resource) text(name string) string { return textOf(r.Inputs, name) }

func textOf(properties map[string]any, name string) string {
	text, _ := properties[name].(string)
	return text
}

func yes(properties map[string]any, name string) bool {
	value, _ := properties[name].(bool)
	return value
}

// object returns a property that is an object, or a list of one.
func object(properties map[string]any, name string) map[string]any {
	switch value := properties[name].(type) {
	case map[string]any:
		return value
	case []any:
		if len(value) > 0 {
			first, _ := value[0].(map[string]any)
			return first
		}
	}
	return nil
}

func objects(properties map[string]any, name string) []map[string]any {
	var list []map[string]any
	items, _ := properties[name].([]any)
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok {
			list = append(list, fields)
		}
	}
	return list
}

func texts(properties map[string]any, name string) []string {
	var list []string
	items, _ := properties[name].([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			list = append(list, text)
		}
	}
	return list
}
