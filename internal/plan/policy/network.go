package policy

import (
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

func networkRules() []Rule {
	return []Rule{{
		ID:     "open-ingress",
		Title:  "No security group is open to the internet: to a range larger than one organization has.",
		Remedy: "use the CIDRs that need access",
		Checks: []string{"checkov CKV_AWS_24", "checkov CKV_AWS_25", "checkov CKV_AWS_260", "checkov CKV_AWS_277",
			"trivy AWS-0107",
			"prowler ec2_securitygroup_allow_ingress_from_internet_to_any_port", "cfn-nag W2", "cfn-nag W9", "CIS AWS 3.0 5.2",
			"CIS AWS 3.0 5.3"},
		types: []string{awstype.SecurityGroupIngressRule, typeGroupRule, awstype.SecurityGroup,
			awstype.DefaultSecurityGroup},
		broken: openIngress,
	}, {
		ID:     "default-group-rules",
		Title:  "A VPC's default security group has no rules.",
		Remedy: "remove its rules and use a separate group",
		Checks: []string{"checkov CKV2_AWS_12", "trivy AWS-0173", "prowler ec2_securitygroup_default_restrict_traffic",
			"CIS AWS 3.0 5.4"},
		types: []string{awstype.DefaultSecurityGroup},
		broken: func(r props.Resource) []string {
			var list []string
			for _, way := range []string{"ingress", "egress"} {
				if n := len(r.Objects(way)); n > 0 {
					list = append(list, fmt.Sprintf("the VPC's default security group has %d %s rules", n, way))
				}
			}
			return list
		},
	}, {
		ID:     "subnet-public-addresses",
		Title:  "Subnets do not assign public addresses by default.",
		Remedy: "leave mapPublicIpOnLaunch out",
		Checks: []string{"checkov CKV_AWS_130", "trivy AWS-0164", "prowler vpc_subnet_no_public_ip_by_default",
			"cfn-nag W33"},
		types: []string{awstype.Subnet},
		broken: func(r props.Resource) []string {
			if r.Bool("mapPublicIpOnLaunch") {
				return []string{"every instance in the subnet gets a public address"}
			}
			return nil
		},
	}, {
		ID:     "endpoint-service-to-all",
		Title:  "An endpoint service names the principals that may connect.",
		Remedy: "use the accounts or roles that connect as allowedPrincipals",
		Checks: []string{"prowler vpc_endpoint_services_allowed_principals_trust_boundaries", "checkov CKV_AWS_123"},
		types:  []string{awstype.VPCEndpointService},
		broken: func(r props.Resource) []string {
			if slices.Contains(r.Strings("allowedPrincipals"), "*") && !r.Bool("acceptanceRequired") {
				return []string{"every AWS account may connect to the endpoint service without acceptance"}
			}
			return nil
		},
	}, {
		ID:     "instance-metadata-v1",
		Title:  "Instances provide credentials only through IMDSv2.",
		Remedy: "set metadataOptions.httpTokens, or nodePools[].httpTokens of a pool, to required",
		Checks: []string{"checkov CKV_AWS_79", "trivy AWS-0028", "prowler ec2_instance_imdsv2_enabled", "CIS AWS 3.0 5.6"},
		types:  []string{awstype.Instance, typeNodePool},
		broken: func(r props.Resource) []string {
			if r.Type == typeNodePool {
				if r.Object("metadata").Object("annotations").String(hypershift.HTTPTokensAnnotation) != "required" {
					return []string{"the metadata service of the pool's nodes returns their role's credentials to requests without a token (IMDSv1)"}
				}
				return nil
			}
			if r.Object("metadataOptions").String("httpTokens") != "required" {
				return []string{"the instance's metadata service returns its role's credentials to requests without a token (IMDSv1)"}
			}
			return nil
		},
	}}
}

func openIngress(r props.Resource) []string {
	var list []string
	open := func(ports props.Map, cidrs ...string) {
		for _, cidr := range cidrs {
			if layout.IsInternet(cidr) {
				list = append(list, fmt.Sprintf("%s may reach %s", cidr, portsOf(ports)))
			}
		}
	}
	switch r.Type {
	case awstype.SecurityGroupIngressRule:
		open(r.Map, r.String("cidrIpv4"), r.String("cidrIpv6"))
	case typeGroupRule:
		if r.String("type") == "ingress" {
			open(r.Map, slices.Concat(r.Strings("cidrBlocks"), r.Strings("ipv6CidrBlocks"))...)
		}
	default:
		for _, rule := range r.Objects("ingress") {
			open(rule, slices.Concat(rule.Strings("cidrBlocks"), rule.Strings("ipv6CidrBlocks"))...)
		}
	}
	return list
}

// portsOf names the ports of a security group's rule.
func portsOf(rule props.Map) string {
	protocol := rule.String("ipProtocol") + rule.String("protocol")
	if protocol == "-1" || protocol == "all" {
		return "every port"
	}
	from, to := rule.Number("fromPort"), rule.Number("toPort")
	if from == to {
		return fmt.Sprintf("%s port %g", protocol, from)
	}
	return fmt.Sprintf("%s ports %g to %g", protocol, from, to)
}
