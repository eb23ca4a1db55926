// Package iampolicy checks policy documents against AWS's rules.
package iampolicy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// PolicyFault returns why text is not a valid policy document, "" if it is.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
func PolicyFault(text string) string {
	document, err := policy.Parse(text)
	switch {
	case err != nil:
		return "Syntax errors in policy."
	case document.Version != "" && document.Version != policy.Version && document.Version != "2008-10-17":
		return "The policy document Version must be 2012-10-17 or 2008-10-17."
	case len(document.Statement) == 0:
		return "Missing required field Statement"
	}
	for _, s := range document.Statement {
		if s.Effect != policy.Allow && s.Effect != policy.Deny {
			return fmt.Sprintf("Invalid effect: %s", s.Effect)
		}
		if s.Action == nil && s.NotAction == nil {
			return "Missing required field Action"
		}
		for _, action := range slices.Concat(s.Action, s.NotAction) {
			if fault := actionFault(action); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// IdentityPolicyFault is like PolicyFault, for a policy of a role: each statement has resources, and none has a
// principal.
func IdentityPolicyFault(text string) string {
	if fault := PolicyFault(text); fault != "" {
		return fault
	}
	for _, s := range StatementsOf(text) {
		if !hasResource(s) {
			return "Policy statement must contain resources."
		}
		if HasPrincipal(s) {
			return "Policy document should not specify a principal."
		}
	}
	return ""
}

// TrustPolicyFault is like PolicyFault, for a role's trust policy: each statement has a principal, and none has
// resources.
func TrustPolicyFault(text string) string {
	if fault := PolicyFault(text); fault != "" {
		return fault
	}
	for _, s := range StatementsOf(text) {
		if !HasPrincipal(s) {
			return "AssumeRole policy must contain a principal."
		}
		if hasResource(s) {
			return "Has prohibited field Resource"
		}
	}
	return ""
}

// HasPrincipal reports whether a statement has a principal.
func HasPrincipal(s policy.Statement) bool { return s.Principal != nil || s.NotPrincipal != nil }

func hasResource(s policy.Statement) bool { return s.Resource != nil || s.NotResource != nil }

// StatementsOf returns the statements of a text for which PolicyFault returns "".
func StatementsOf(text string) []policy.Statement {
	document, err := policy.Parse(text)
	if err != nil {
		return nil
	}
	return document.Statement
}

// JSONFault returns an error message if text is not JSON.
func JSONFault(text string) string {
	if !json.Valid([]byte(text)) {
		return "contains an invalid JSON policy"
	}
	return ""
}

// actionFault returns why an action is not one of an AWS service; "" if it is.
// https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
func actionFault(action string) string {
	service, name, found := strings.Cut(action, ":")
	switch {
	case action == "*":
	case !found || name == "":
		return "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."
	case !slices.Contains(services(), strings.ToLower(service)) && !strings.ContainsAny(service, "*?"):
		return "Vendor " + service + " is not valid"
	}
	return ""
}

// services returns the action prefixes of the services that hosted clusters, their operators and users of stacks work
// with.
func services() []string {
	return []string{
		"access-analyzer", "account", "acm", "acm-pca", "application-autoscaling", "autoscaling", "backup", "ce",
		"cloudformation",
		"cloudfront", "cloudtrail", "cloudwatch", "config", "cur", "directconnect", "dynamodb", "ebs", "ec2",
		"ec2-instance-connect",
		"ec2messages", "ecr", "ecr-public", "ecs", "eks", "elasticache", "elasticfilesystem", "elasticloadbalancing",
		"events",
		"firehose", "fsx", "guardduty", "health", "iam", "imagebuilder", "kinesis", "kms", "lambda", "license-manager",
		"logs",
		"network-firewall", "organizations", "outposts", "pricing", "pipes", "ram", "rds", "redshift", "resource-groups",
		"rolesanywhere",
		"route53", "route53domains", "route53resolver", "s3", "s3-object-lambda", "savingsplans", "scheduler",
		"secretsmanager",
		"securityhub", "servicecatalog", "servicediscovery", "servicequotas", "shield", "sns", "sqs", "ssm", "ssmmessages",
		"sso",
		"states", "storagegateway", "sts", "support", "tag", "vpc-lattice", "waf-regional", "wafv2",
	}
}
