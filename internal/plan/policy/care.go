package policy

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

func careRules() []Rule {
	return []Rule{{
		ID:           "unprotected-state",
		Title:        "Resources with data that cannot be recreated are protected from deletion.",
		Remedy:       "remove `unprotected: true`, or waive the rule for a stack whose data may be lost",
		types:        []string{awstype.Bucket, awstype.KMSKey, typeHostedCluster},
		needsOptions: true,
		broken: func(r props.Resource) []string {
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
		broken: func(r props.Resource) []string {
			tags, known := r.Map["tags"].(map[string]any)
			if _, unknown := r.Map["tags"].(string); unknown {
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
		Checks: []string{"checkov CKV_AWS_8", "checkov CKV_AWS_27", "trivy AWS-0131", "trivy AWS-0096",
			"prowler ec2_ebs_volume_encryption"},
		types: []string{awstype.Instance, awstype.Queue},
		broken: func(r props.Resource) []string {
			if r.Type == awstype.Queue {
				sse, set := r.Map["sqsManagedSseEnabled"].(bool)
				if set && !sse && r.String("kmsMasterKeyId") == "" {
					return []string{"the queue's messages are not encrypted"}
				}
				return nil
			}
			var list []string
			if !r.Object("rootBlockDevice").Bool("encrypted") {
				list = append(list, "the instance's root disk is not encrypted")
			}
			for _, disk := range r.Objects("ebsBlockDevices") {
				if !disk.Bool("encrypted") {
					list = append(list, "the instance's disk "+disk.String("deviceName")+" is not encrypted")
				}
			}
			return list
		},
	}, {
		ID:     "key-rotation",
		Title:  "KMS keys are rotated each year.",
		Remedy: "set enableKeyRotation",
		Checks: []string{"checkov CKV_AWS_7", "trivy AWS-0065", "cfn-nag F19", "prowler kms_cmk_rotation_enabled",
			"CIS AWS 3.0 3.6"},
		types: []string{awstype.KMSKey},
		broken: func(r props.Resource) []string {
			spec := r.String("customerMasterKeySpec")
			if r.Bool("enableKeyRotation") || spec != "" && spec != "SYMMETRIC_DEFAULT" {
				return nil
			}
			return []string{"the key's material is never rotated"}
		},
	}, {
		ID:     "distribution-tls",
		Title:  "CloudFront serves only over HTTPS, with TLS 1.2 or later on a custom domain.",
		Remedy: "set viewerProtocolPolicy to https-only or redirect-to-https, and minimumProtocolVersion to TLSv1.2_2021",
		Checks: []string{"checkov CKV_AWS_34", "checkov CKV_AWS_174", "trivy AWS-0012", "trivy AWS-0013",
			"prowler cloudfront_distributions_https_enabled", "cfn-nag W70"},
		types: []string{awstype.Distribution},
		broken: func(r props.Resource) []string {
			var list []string
			if r.Object("defaultCacheBehavior").String("viewerProtocolPolicy") == "allow-all" {
				list = append(list, "the distribution accepts HTTP")
			}
			certificate := r.Object("viewerCertificate")
			version := certificate.String("minimumProtocolVersion")
			if !certificate.Bool("cloudfrontDefaultCertificate") && version != Unknown &&
				!strings.HasPrefix(version, "TLSv1.2") && !strings.HasPrefix(version, "TLSv1.3") {
				list = append(list, "the distribution's minimum TLS version is "+version)
			}
			return list
		},
	}}
}
