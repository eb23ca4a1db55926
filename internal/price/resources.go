package price

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// charge is what one resource is charged for.
type charge struct {
	key Key
	// quantity is how many are charged at once: an endpoint in three zones is charged three times an hour.
	quantity float64
	// byUse charges depend on traffic, storage or requests: their rate is shown and never summed.
	byUse bool
}

func fixed(key Key, quantity float64) charge { return charge{key: key, quantity: quantity} }
func byUse(key Key) charge                   { return charge{key: key, quantity: 1, byUse: true} }

// charges are by type what a resource with the inputs is charged for.
var charges = map[string]func(inputs map[string]any) []charge{
	"aws:ec2/natGateway:NatGateway": func(map[string]any) []charge {
		return []charge{fixed(NATGatewayHour, 1), byUse(NATGatewayGB)}
	},
	"aws:ec2/eip:Eip": func(map[string]any) []charge { return []charge{fixed(PublicIPv4Hour, 1)} },
	"aws:ec2/vpcEndpoint:VpcEndpoint": func(inputs map[string]any) []charge {
		if kind, _ := inputs["vpcEndpointType"].(string); kind != "Interface" {
			return nil // gateway endpoints, the default, are free
		}
		zones := max(1, length(inputs["subnetIds"]), length(inputs["subnetConfigurations"]))
		return []charge{fixed(InterfaceEndpointHour, float64(zones)), byUse(InterfaceEndpointGB)}
	},
	"aws:route53/zone:Zone": func(map[string]any) []charge { return []charge{fixed(HostedZoneMonth, 1)} },
	"aws:kms/key:Key": func(map[string]any) []charge {
		return []charge{fixed(KMSKeyMonth, 1), byUse(KMSRequests)}
	},
	"aws:lb/loadBalancer:LoadBalancer": func(inputs map[string]any) []charge {
		list := []charge{fixed(NetworkLoadBalancerHour, 1), byUse(NetworkLoadBalancerLCU)}
		if internal, _ := inputs["internal"].(bool); !internal {
			list = append(list, fixed(PublicIPv4Hour, float64(max(1, length(inputs["subnets"])))))
		}
		return list
	},
	"aws:ec2/instance:Instance": func(inputs map[string]any) []charge {
		kind, _ := inputs["instanceType"].(string)
		list := []charge{fixed(InstanceHour(kind), 1)}
		if public, _ := inputs["associatePublicIpAddress"].(bool); public {
			list = append(list, fixed(PublicIPv4Hour, 1))
		}
		disk, _ := inputs["rootBlockDevice"].(map[string]any)
		size, _ := disk["volumeSize"].(float64)
		if size == 0 {
			return append(list, byUse(GP3VolumeGBMonth)) // the image decides the size
		}
		return append(list, fixed(GP3VolumeGBMonth, size))
	},
	"aws:ec2/flowLog:FlowLog":                  func(map[string]any) []charge { return []charge{byUse(FlowLogGB)} },
	"aws:s3/bucketV2:BucketV2":                 func(map[string]any) []charge { return []charge{byUse(S3StorageGBMonth)} },
	"aws:s3/bucket:Bucket":                     func(map[string]any) []charge { return []charge{byUse(S3StorageGBMonth)} },
	"aws:sqs/queue:Queue":                      func(map[string]any) []charge { return []charge{byUse(SQSRequests)} },
	"aws:cloudfront/distribution:Distribution": func(map[string]any) []charge { return []charge{byUse(CloudFrontRequests)} },
}

// free are the types that AWS does not charge for.
var free = []string{
	"aws:cloudfront/originAccessControl:OriginAccessControl",
	"aws:cloudwatch/eventRule:EventRule", "aws:cloudwatch/eventTarget:EventTarget",
	"aws:cloudwatch/logGroup:LogGroup", // what a flow log writes into it is the flow log's
	"aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
	"aws:ec2/internetGateway:InternetGateway", "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment",
	"aws:ec2/keyPair:KeyPair", "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation",
	"aws:ec2/route:Route", "aws:ec2/routeTable:RouteTable", "aws:ec2/routeTableAssociation:RouteTableAssociation",
	"aws:ec2/securityGroup:SecurityGroup", "aws:ec2/securityGroupRule:SecurityGroupRule",
	"aws:ec2/subnet:Subnet", "aws:ec2/tag:Tag", "aws:ec2/vpc:Vpc",
	"aws:ec2/vpcDhcpOptions:VpcDhcpOptions", "aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation",
	"aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation",
	"aws:ec2/vpcEndpointService:VpcEndpointService", // the endpoints are charged, to whoever has them
	"aws:ec2/vpcEndpointServiceAllowedPrinciple:VpcEndpointServiceAllowedPrinciple",
	"aws:ec2/vpcEndpointConnectionAccepter:VpcEndpointConnectionAccepter",
	"aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation",
	"aws:kms/alias:Alias",
	"aws:ram/principalAssociation:PrincipalAssociation", "aws:ram/resourceAssociation:ResourceAssociation", "aws:ram/resourceShare:ResourceShare",
	"aws:route53/record:Record", "aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization", "aws:route53/zoneAssociation:ZoneAssociation",
	"aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2", "aws:s3/bucketObjectv2:BucketObjectv2",
	"aws:s3/bucketOwnershipControls:BucketOwnershipControls", "aws:s3/bucketPolicy:BucketPolicy",
	"aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "aws:s3/bucketLoggingV2:BucketLoggingV2",
	"aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2", "aws:s3/bucketVersioningV2:BucketVersioningV2",
	"aws:sqs/queuePolicy:QueuePolicy",
	"aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
}

// Free is whether AWS does not charge for a type, or it is not AWS's.
func Free(token string) bool {
	return !strings.HasPrefix(token, "aws:") || strings.HasPrefix(token, "aws:iam/") || slices.Contains(free, token)
}

// Known is whether this package knows what a type is charged for, or that it is free.
func Known(token string) bool { return Free(token) || charges[token] != nil }

// Region is the region that a resource is charged in. The resources are those of its stack, among which its provider is.
func Region(r apitype.ResourceV3, all []apitype.ResourceV3) string {
	for _, p := range all {
		if strings.HasPrefix(string(p.Type), "pulumi:providers:") && r.Provider != "" && strings.HasPrefix(r.Provider, string(p.URN)+"::") {
			for _, properties := range []map[string]any{p.Inputs, p.Outputs} {
				if region, _ := properties["region"].(string); region != "" {
					return region
				}
			}
		}
	}
	arn, _ := r.Outputs["arn"].(string)
	if parts := strings.SplitN(arn, ":", 6); len(parts) == 6 && parts[3] != "" {
		return parts[3]
	}
	return ""
}

func length(list any) int {
	items, _ := list.([]any)
	return len(items)
}
