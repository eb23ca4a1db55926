package report

import (
	"strings"
	"unicode"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// TypeName returns the name of a resource type in messages: "NAT gateway" for "aws:ec2/natGateway:NatGateway".
func TypeName(token string) string {
	if provider, ok := strings.CutPrefix(token, "pulumi:providers:"); ok {
		if provider == "aws" {
			return "AWS provider"
		}
		return strings.ToUpper(provider[:min(1, len(provider))]) + provider[min(1, len(provider)):] + " provider"
	}
	if record, known := awstype.Lookup(token); known {
		return record.Label
	}
	return Words(token[strings.LastIndex(token, ":")+1:])
}

// Words splits "NatGateway" into "NAT gateway", and "AWSCluster" into "AWS cluster".
func Words(camel string) string {
	var split []string
	start, runes := 0, []rune(camel)
	for i := 1; i < len(runes); i++ {
		begins := unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			split = append(split, string(runes[start:i]))
			start = i
		}
	}
	split = append(split, string(runes[start:]))
	for i, word := range split {
		switch upper := strings.ToUpper(word); upper {
		case "AWS", "VPC", "NAT", "IAM", "KMS", "DHCP", "ID", "DNS", "ACL", "IP":
			split[i] = upper
		default:
			split[i] = strings.ToLower(word)
		}
	}
	return strings.Join(split, " ")
}
