package iampolicy

import (
	"slices"
	"strings"
)

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
		"access-analyzer", "account", "acm", "acm-pca", "application-autoscaling", "autoscaling", "backup", "ce", "cloudformation",
		"cloudfront", "cloudtrail", "cloudwatch", "config", "cur", "directconnect", "dynamodb", "ebs", "ec2", "ec2-instance-connect",
		"ec2messages", "ecr", "ecr-public", "ecs", "eks", "elasticache", "elasticfilesystem", "elasticloadbalancing", "events",
		"firehose", "fsx", "guardduty", "health", "iam", "imagebuilder", "kinesis", "kms", "lambda", "license-manager", "logs",
		"network-firewall", "organizations", "outposts", "pricing", "pipes", "ram", "rds", "redshift", "resource-groups", "rolesanywhere",
		"route53", "route53domains", "route53resolver", "s3", "s3-object-lambda", "savingsplans", "scheduler", "secretsmanager",
		"securityhub", "servicecatalog", "servicediscovery", "servicequotas", "shield", "sns", "sqs", "ssm", "ssmmessages", "sso",
		"states", "storagegateway", "sts", "support", "tag", "vpc-lattice", "waf-regional", "wafv2",
	}
}
