package automation

import (
	"strings"
	"unicode"
)

// TypeName is what people call a type of resource: "NAT gateway" for "aws:ec2/natGateway:NatGateway".
func TypeName(token string) string {
	if provider, ok := strings.CutPrefix(token, "pulumi:providers:"); ok {
		return strings.ToUpper(provider) + " provider"
	}
	parts := strings.Split(token, ":")
	if name := fieldName(token); name != "" {
		return name
	}
	return words(parts[len(parts)-1])
}

// fieldName is the name of a type that is not called by its token's words.
func fieldName(token string) string {
	switch token {
	case "aws:ec2/eip:Eip":
		return "elastic IP"
	case "aws:ec2/vpcDhcpOptions:VpcDhcpOptions":
		return "DHCP options"
	case "aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation":
		return "DHCP options association"
	case "aws:route53/zone:Zone":
		return "hosted zone"
	case "aws:route53/record:Record":
		return "DNS record"
	case "aws:iam/openIdConnectProvider:OpenIdConnectProvider":
		return "OIDC provider"
	case "aws:iam/role:Role":
		return "IAM role"
	case "aws:iam/serviceLinkedRole:ServiceLinkedRole":
		return "service-linked role"
	case "aws:iam/rolePolicy:RolePolicy":
		return "role policy"
	case "aws:s3/bucketV2:BucketV2", "aws:s3/bucket:Bucket":
		return "S3 bucket"
	}
	return ""
}

// words splits "NatGateway" into "NAT gateway".
func words(camel string) string {
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
