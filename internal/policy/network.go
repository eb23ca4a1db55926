package policy

import (
	"fmt"
	"slices"
)

func networkRules() []Rule {
	return []Rule{{
		ID:     "open-ingress",
		Title:  "No security group is open to the whole internet.",
		Remedy: "use the CIDRs that need access",
		Checks: []string{"checkov CKV_AWS_24", "checkov CKV_AWS_25", "checkov CKV_AWS_260", "checkov CKV_AWS_277", "trivy AWS-0107",
			"prowler ec2_securitygroup_allow_ingress_from_internet_to_any_port", "cfn-nag W2", "cfn-nag W9", "CIS AWS 3.0 5.2", "CIS AWS 3.0 5.3"},
		types:  []string{typeIngressRule, typeGroupRule, typeGroup, typeDefaultGroup},
		broken: openIngress,
	}, {
		ID:     "default-group-rules",
		Title:  "A VPC's default security group has no rules.",
		Remedy: "remove its rules and use a separate group",
		Checks: []string{"checkov CKV2_AWS_12", "trivy AWS-0173", "prowler ec2_securitygroup_default_restrict_traffic", "CIS AWS 3.0 5.4"},
		types:  []string{typeDefaultGroup},
		broken: func(r Resource) []string {
			var list []string
			for _, way := range []string{"ingress", "egress"} {
				if n := len(objects(r.Inputs, way)); n > 0 {
					list = append(list, fmt.Sprintf("the VPC's default security group has %d %s rules", n, way))
				}
			}
			return list
		},
	}, {
		ID:     "subnet-public-addresses",
		Title:  "Subnets do not assign public addresses by default.",
		Remedy: "leave mapPublicIpOnLaunch out",
		Checks: []string{"checkov CKV_AWS_130", "trivy AWS-0164", "prowler vpc_subnet_no_public_ip_by_default", "cfn-nag W33"},
		types:  []string{typeSubnet},
		broken: func(r Resource) []string {
			if yes(r.Inputs, "mapPublicIpOnLaunch") {
				return []string{"every instance in the subnet gets a public address"}
			}
			return nil
		},
	}, {
		ID:     "endpoint-service-to-all",
		Title:  "An endpoint service names the principals that may connect.",
		Remedy: "use the accounts or roles that connect as allowedPrincipals",
		Checks: []string{"prowler vpc_endpoint_services_allowed_principals_trust_boundaries", "checkov CKV_AWS_123"},
		types:  []string{typeService},
		broken: func(r Resource) []string {
			if slices.Contains(texts(r.Inputs, "allowedPrincipals"), "*") && !yes(r.Inputs, "acceptanceRequired") {
				return []string{"every AWS account may connect to the endpoint service without acceptance"}
			}
			return nil
		},
	}, {
		ID:     "instance-metadata-v1",
		Title:  "Instances provide credentials only through IMDSv2.",
		Remedy: "set metadataOptions.httpTokens to required",
		Checks: []string{"checkov CKV_AWS_79", "trivy AWS-0028", "prowler ec2_instance_imdsv2_enabled", "CIS AWS 3.0 5.6"},
		types:  []string{typeInstance},
		broken: func(r Resource) []string {
			if textOf(object(r.Inputs, "metadataOptions"), "httpTokens") != "required" {
				return []string{"the instance's metadata service returns its role's credentials to requests without a token (IMDSv1)"}
			}
			return nil
		},
	}}
}

func openIngress(r Resource) []string {
	var list []string
	open := func(ports map[string]any, cidrs ...string) {
		for _, cidr := range cidrs {
			if cidr == "0.0.0.0/0" || cidr == "::/0" {
				list = append(list, fmt.Sprintf("%s may reach %s", cidr, portsOf(ports)))
			}
		}
	}
	switch r.Type {
	case typeIngressRule:
		open(r.Inputs, r.text("cidrIpv4"), r.text("cidrIpv6"))
	case typeGroupRule:
		if r.text("type") == "ingress" {
			open(r.Inputs, slices.Concat(texts(r.Inputs, "cidrBlocks"), texts(r.Inputs, "ipv6CidrBlocks"))...)
		}
	default:
		for _, rule := range objects(r.Inputs, "ingress") {
			open(rule, slices.Concat(texts(rule, "cidrBlocks"), texts(rule, "ipv6CidrBlocks"))...)
		}
	}
	return list
}

// portsOf names the ports of a security group's rule.
func portsOf(rule map[string]any) string {
	protocol := textOf(rule, "ipProtocol") + textOf(rule, "protocol")
	if protocol == "-1" || protocol == "all" {
		return "every port"
	}
	from, _ := rule["fromPort"].(float64)
	to, _ := rule["toPort"].(float64)
	if from == to {
		return fmt.Sprintf("%s port %g", protocol, from)
	}
	return fmt.Sprintf("%s ports %g to %g", protocol, from, to)
}
