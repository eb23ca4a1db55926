package permissions

// privateLinkEntries are what a service is offered by to other accounts, and the look-ups that find out what there is.
func privateLinkEntries() []entry {
	return []entry{
		{
			token:  "aws:ec2/vpcEndpointService:VpcEndpointService",
			create: []string{"ec2:CreateVpcEndpointServiceConfiguration", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeVpcEndpointServiceConfigurations", "ec2:DescribeVpcEndpointServicePermissions"},
			update: []string{
				"ec2:ModifyVpcEndpointServiceConfiguration", "ec2:ModifyVpcEndpointServicePermissions", "ec2:DeleteTags",
			},
			remove: []string{"ec2:DeleteVpcEndpointServiceConfigurations"},
		},
		{
			token:  "aws:lb/loadBalancer:LoadBalancer",
			create: []string{"elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:AddTags"},
			read: []string{
				"elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeLoadBalancerAttributes",
				"elasticloadbalancing:DescribeTags",
			},
			update: []string{
				"elasticloadbalancing:ModifyLoadBalancerAttributes", "elasticloadbalancing:SetSubnets",
				"elasticloadbalancing:SetSecurityGroups", "elasticloadbalancing:RemoveTags",
			},
			remove: []string{"elasticloadbalancing:DeleteLoadBalancer"},
		},
		{token: "aws:ec2/getSubnets:getSubnets", read: []string{"ec2:DescribeSubnets"}},
		{token: "aws:ec2/getSecurityGroups:getSecurityGroups", read: []string{"ec2:DescribeSecurityGroups"}},
		{token: "aws:vpc/getSecurityGroupRules:getSecurityGroupRules", read: []string{"ec2:DescribeSecurityGroupRules"}},
		{token: "aws:vpc/getSecurityGroupRule:getSecurityGroupRule", read: []string{"ec2:DescribeSecurityGroupRules"}},
		{
			token: "aws:ec2/getVpcEndpoint:getVpcEndpoint",
			read:  []string{"ec2:DescribeVpcEndpoints", "ec2:DescribePrefixLists"},
		},
		{token: "aws:ec2/getVpcEndpointService:getVpcEndpointService", read: []string{"ec2:DescribeVpcEndpointServices"}},
		{
			token: "aws:lb/getLoadBalancer:getLoadBalancer",
			read: []string{
				"elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeLoadBalancerAttributes",
				"elasticloadbalancing:DescribeTags", "elasticloadbalancing:DescribeListeners",
			},
		},
		{
			token: "aws:lb/getLbs:getLbs",
			read:  []string{"elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeTags"},
		},
	}
}
