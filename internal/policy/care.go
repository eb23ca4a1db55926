package policy

import "strings"

func careRules() []Rule {
	return []Rule{{
		ID:           "unprotected-state",
		Title:        "Resources with data that cannot be recreated are protected from deletion.",
		Remedy:       "remove `unprotected: true`, or waive the rule for a stack whose data may be lost",
		types:        []string{typeBucket, typeKey, typeHostedCluster},
		needsOptions: true,
		broken: func(r Resource) []string {
			if r.Protected {
				return nil
			}
			return []string{"a destroy or a wrong edit deletes it with its data"}
		},
	}, {
		ID:     "missing-tags",
		Title:  "Resources that support tags have tags that identify their owner.",
		Remedy: "set `tags` in the stack's config",
		Checks: []string{"tflint aws_resource_missing_tags"},
		broken: func(r Resource) []string {
			tags, known := r.Inputs["tags"].(map[string]any)
			if _, unknown := r.Inputs["tags"].(string); unknown {
				return nil
			}
			for key := range tags {
				if key != "Name" && !strings.HasPrefix(key, "__") {
					return nil
				}
			}
			if _, named := tags["Name"]; known && named {
				return []string{"it has no tag except Name"}
			}
			return []string{"it has no tags"}
		},
	}, {
		ID:     "unencrypted",
		Title:  "Disks and queues are encrypted.",
		Remedy: "set encrypted on the instance's disks, and sqsManagedSseEnabled or kmsMasterKeyId on the queue",
		Checks: []string{"checkov CKV_AWS_8", "checkov CKV_AWS_27", "trivy AWS-0131", "trivy AWS-0096", "prowler ec2_ebs_volume_encryption"},
		types:  []string{typeInstance, typeQueue},
		broken: func(r Resource) []string {
			if r.Type == typeQueue {
				sse, set := r.Inputs["sqsManagedSseEnabled"].(bool)
				if set && !sse && r.text("kmsMasterKeyId") == "" {
					return []string{"the queue's messages are not encrypted"}
				}
				return nil
			}
			var list []string
			if !yes(object(r.Inputs, "rootBlockDevice"), "encrypted") {
				list = append(list, "the instance's root disk is not encrypted")
			}
			for _, disk := range objects(r.Inputs, "ebsBlockDevices") {
				if !yes(disk, "encrypted") {
					list = append(list, "the instance's disk "+textOf(disk, "deviceName")+" is not encrypted")
				}
			}
			return list
		},
	}, {
		ID:     "key-rotation",
		Title:  "KMS keys are rotated each year.",
		Remedy: "set enableKeyRotation",
		Checks: []string{"checkov CKV_AWS_7", "trivy AWS-0065", "cfn-nag F19", "prowler kms_cmk_rotation_enabled", "CIS AWS 3.0 3.6"},
		types:  []string{typeKey},
		broken: func(r Resource) []string {
			spec := r.text("customerMasterKeySpec")
			if yes(r.Inputs, "enableKeyRotation") || spec != "" && spec != "SYMMETRIC_DEFAULT" {
				return nil
			}
			return []string{"the key's material is never rotated"}
		},
	}, {
		ID:     "distribution-tls",
		Title:  "CloudFront serves only over HTTPS, with TLS 1.2 or later on a custom domain.",
		Remedy: "set viewerProtocolPolicy to https-only or redirect-to-https, and minimumProtocolVersion to TLSv1.2_2021",
		Checks: []string{"checkov CKV_AWS_34", "checkov CKV_AWS_174", "trivy AWS-0012", "trivy AWS-0013", "prowler cloudfront_distributions_https_enabled", "cfn-nag W70"},
		types:  []string{typeDistribution},
		broken: func(r Resource) []string {
			var list []string
			if textOf(object(r.Inputs, "defaultCacheBehavior"), "viewerProtocolPolicy") == "allow-all" {
				list = append(list, "the distribution accepts HTTP")
			}
			certificate := object(r.Inputs, "viewerCertificate")
			version := textOf(certificate, "minimumProtocolVersion")
			if !yes(certificate, "cloudfrontDefaultCertificate") && version != Unknown && !strings.HasPrefix(version, "TLSv1.2") && !strings.HasPrefix(version, "TLSv1.3") {
				list = append(list, "the distribution's minimum TLS version is "+version)
			}
			return list
		},
	}}
}

// tagged are the types with tags whose resources cost money or are searched for.
var tagged = []string{
	"aws:ec2/vpc:Vpc", typeSubnet, "aws:ec2/routeTable:RouteTable", "aws:ec2/internetGateway:InternetGateway",
	"aws:ec2/natGateway:NatGateway", "aws:ec2/eip:Eip", "aws:ec2/vpcEndpoint:VpcEndpoint", typeService, typeGroup, typeInstance,
	"aws:ec2/flowLog:FlowLog", "aws:route53/zone:Zone", typeRole, "aws:iam/openIdConnectProvider:OpenIdConnectProvider", "aws:iam/user:User",
	typeBucket, typeKey, typeQueue, typeDistribution, "aws:ram/resourceShare:ResourceShare",
}
