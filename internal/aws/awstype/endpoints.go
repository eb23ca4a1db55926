package awstype

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// The tokens of PrivateLink and load balancers.
const (
	VPCEndpoint           = "aws:ec2/vpcEndpoint:VpcEndpoint"
	VPCEndpointService    = "aws:ec2/vpcEndpointService:VpcEndpointService"
	LoadBalancer          = "aws:lb/loadBalancer:LoadBalancer"
	TargetGroup           = "aws:lb/targetGroup:TargetGroup"
	VPCEndpointRouteTable = "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation"
)

func endpointTypes() []Type {
	loadBalancer := tagged("elasticloadbalancing:loadbalancer",
		"arn:{partition}:elasticloadbalancing:{region}:{account}:loadbalancer/{id}")
	targetGroup := tagged("elasticloadbalancing:targetgroup",
		"arn:{partition}:elasticloadbalancing:{region}:{account}:targetgroup/{id}")
	loadBalancer.Tags.IDIsARN, targetGroup.Tags.IDIsARN = true, true
	return []Type{
		{
			Token: VPCEndpoint, Label: "VPC endpoint", Tagged: true, Hop: "endpoint",
			Guard: Guard{Needed: "nodes reach a service or the control plane through it",
				Fixed: []string{"serviceName", "vpcEndpointType", "vpcId"}, Keys: "network.interfaceEndpoints",
				Within: []string{"vpcId"}, Losses: endpointLosses,
				InputKeys: map[string]string{"policy": "network.endpointPolicies"}},
			Permissions: Permissions{
				Create: []string{"ec2:CreateVpcEndpoint", "ec2:CreateTags"},
				// The provider reads the addresses of an interface endpoint from its network interfaces.
				Read:   []string{"ec2:DescribeVpcEndpoints", "ec2:DescribePrefixLists", "ec2:DescribeNetworkInterfaces"},
				Update: []string{"ec2:ModifyVpcEndpoint", "ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteVpcEndpoints"},
				// Private DNS is a zone that AWS associates on behalf of the caller.
				Others: []Grant{{Actions: []string{"route53:AssociateVPCWithHostedZone"}}},
			},
			Reads: Reads{List: []string{"ec2:DescribeVpcEndpoints"}},
			Sweep: Sweep{Operators: true, Delete: []string{"ec2:DeleteVpcEndpoints"}},
			Find:  ec2Tagged("vpc-endpoint"), Deletion: Deletion{Rank: 20, Wait: 10 * time.Minute}, Price: "vpcEndpoint",
			Adopt: adoptedBySearch("vpcId", "serviceName"),
		},
		{
			Token: VPCEndpointRouteTable, Label: "VPC endpoint route table association",
			Guard: Guard{Unneeded: "it is created again as it was"},
			Permissions: Permissions{
				Create: []string{"ec2:ModifyVpcEndpoint"},
				Read:   []string{"ec2:DescribeVpcEndpoints"},
			},
			Find: importedAs("{vpcEndpointId}/{routeTableId}").partOf("vpcEndpointId"), Price: Free,
			Adopt: adoptedByImportID("vpcEndpointId", "routeTableId"),
		},
		{
			Token: VPCEndpointService, Label: "VPC endpoint service", Tagged: true, Hop: "endpoint service",
			Guard: Guard{Unneeded: "AWS does not delete it while an endpoint is connected"},
			Permissions: Permissions{
				Create: []string{"ec2:CreateVpcEndpointServiceConfiguration", "ec2:CreateTags"},
				// The stack looks up the zones of the service once it exists, which the preview of a new stack does not show.
				Read: []string{
					"ec2:DescribeVpcEndpointServiceConfigurations", "ec2:DescribeVpcEndpointServicePermissions",
					"ec2:DescribeVpcEndpointServices",
				},
				Update: []string{
					"ec2:ModifyVpcEndpointServiceConfiguration", "ec2:ModifyVpcEndpointServicePermissions", "ec2:DeleteTags",
				},
				Delete: []string{"ec2:DeleteVpcEndpointServiceConfigurations"},
			},
			Reads: Reads{List: []string{"ec2:DescribeVpcEndpointServiceConfigurations"}},
			Sweep: Sweep{
				Operators: true,
				Delete: []string{
					"ec2:DescribeVpcEndpointConnections", "ec2:RejectVpcEndpointConnections",
					"ec2:DeleteVpcEndpointServiceConfigurations",
				},
				Note: "its connections are rejected first; see the gate `two-clusters`",
			},
			// its load balancer is deleted after it
			Find: ec2Tagged("vpc-endpoint-service"), Deletion: Deletion{Rank: 22}, Price: Free,
			Adopt: adoptedBySearch().owned(),
		},
		{
			Token: LoadBalancer, Label: "load balancer", Hop: "load balancer",
			Guard: Guard{Unneeded: "AWS does not delete it while it is in use"},
			Permissions: Permissions{
				Create: []string{"elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:AddTags"},
				Read: []string{
					"elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeLoadBalancerAttributes",
					"elasticloadbalancing:DescribeTags",
				},
				Update: []string{
					"elasticloadbalancing:ModifyLoadBalancerAttributes", "elasticloadbalancing:SetSubnets",
					"elasticloadbalancing:SetSecurityGroups", "elasticloadbalancing:RemoveTags",
				},
				Delete: []string{"elasticloadbalancing:DeleteLoadBalancer"},
			},
			Reads: Reads{
				List:     []string{"elasticloadbalancing:DescribeLoadBalancers"},
				Complete: []string{"elasticloadbalancing:DescribeTags"},
			},
			Sweep: Sweep{
				Operators: true,
				Delete:    []string{"elasticloadbalancing:DeleteLoadBalancer"},
				Note:      "network and application load balancers, with their listeners",
			},
			// Its network interfaces disappear some minutes later, and block its subnets and security groups until then.
			Find: loadBalancer, Deletion: Deletion{Rank: 25, Wait: 5 * time.Minute}, Price: "loadBalancer",
			Adopt: adoptedBySearch("name"),
		},
		{
			Token: TargetGroup, Label: "target group",
			Guard: Guard{Unneeded: "AWS does not delete it while it is in use"},
			Permissions: Permissions{
				Create: []string{"elasticloadbalancing:CreateTargetGroup", "elasticloadbalancing:AddTags"},
				Read: []string{
					"elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTargetGroupAttributes",
					"elasticloadbalancing:DescribeTags",
				},
				Update: []string{
					"elasticloadbalancing:ModifyTargetGroup", "elasticloadbalancing:ModifyTargetGroupAttributes",
					"elasticloadbalancing:RemoveTags",
				},
				Delete: []string{"elasticloadbalancing:DeleteTargetGroup"},
			},
			Reads: Reads{
				List:     []string{"elasticloadbalancing:DescribeTargetGroups"},
				Complete: []string{"elasticloadbalancing:DescribeTags"},
			},
			Sweep: Sweep{
				Operators: true,
				Delete:    []string{"elasticloadbalancing:DeleteTargetGroup"},
			},
			// It stays when its load balancer is deleted, and cannot be deleted before.
			Find: targetGroup, Deletion: Deletion{Rank: 27}, Price: Free,
			Adopt: adoptedBySearch("name"),
		},
	}
}

// NamedInVPC reports whether an interface endpoint has the names of its service for machines in its VPC: it has private
// DNS names, and not for inbound endpoints of Route 53 Resolver alone, as AWS proposes for S3 beside a gateway
// endpoint.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/privatelink-interface-endpoints.html
func NamedInVPC(endpoint props.Map) bool {
	return endpoint.Bool("privateDnsEnabled") &&
		!endpoint.Object("dnsOptions").Bool("privateDnsOnlyForInboundResolverEndpoint")
}
