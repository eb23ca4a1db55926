package report

import (
	"strings"
	"unicode"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// TypeName is the name of a resource type in messages: "NAT gateway" for "aws:ec2/natGateway:NatGateway".
func TypeName(token string) string {
	if provider, ok := strings.CutPrefix(token, "pulumi:providers:"); ok {
		if provider == "aws" {
			return "AWS provider"
		}
		return strings.ToUpper(provider[:min(1, len(provider))]) + provider[min(1, len(provider)):] + " provider"
	}
	if record, known := awstype.Of(token); known {
		return record.Label
	}
	parts := strings.Split(token, ":")
	return Words(parts[len(parts)-1])
}

// Words splits "NatGateway" into "NAT gateway".
func Words(camel string) string {
	var split []string
	start := 0
	for i, r := range camel {
		if i > 0 && unicode.IsUpper(r) {
			split = append(split, camel[start:i])
			start = i
		}
	}
	split = append(split, camel[start:])
	for i, word := range split {
		switch upper := strings.ToUpper(word); upper {
		case "VPC", "NAT", "IAM", "KMS", "DHCP", "ID", "DNS", "ACL", "IP":
			split[i] = upper
		default:
			split[i] = strings.ToLower(word)
		}
	}
	return strings.Join(split, " ")
}
