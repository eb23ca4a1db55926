package inventory

// linkedByStack is the option with which the stack creates what HyperShift's operators create otherwise.
const linkedByStack = "cluster.privateLink.owner: stack"

// privateLinkItems returns the resources that a stack creates instead of HyperShift's operators.
func privateLinkItems() []Item {
	const stage = ClusterPrerequisites
	return []Item{
		{
			Stage: stage, What: "endpoint service on the control plane's load balancers", Modes: privateLinkModes(),
			Option:  linkedByStack,
			Without: []string{"cluster.privateLink.serviceName"}, In: ManagementAccount,
			Resources: `ec2\.VpcEndpointService private-link-service`,
		},
		{
			Stage: stage, What: "endpoint to it, with its security group and its records in the local zone",
			Modes:     privateLinkModes(),
			Option:    linkedByStack,
			Resources: `(ec2\.VpcEndpoint|ec2\.SecurityGroup|vpc\.SecurityGroupIngressRule|route53\.Record) private-link(-.+)?`,
		},
		{
			Stage: stage, What: "endpoint of another VPC, with its security group, private zones and records",
			Modes: privateLinkModes(), Option: "cluster.privateLink.consumers", In: FurtherAccount,
			Resources: `(ec2\.VpcEndpoint|ec2\.SecurityGroup|vpc\.SecurityGroupIngressRule|route53\.Zone|route53\.Record) private-access-.+`,
		},
		{
			Stage: stage, What: "authorization of a further VPC for the local zone", Modes: privateLinkModes(),
			Option: "cluster.privateLink.localZoneVPCs", Shared: PrivateZonesAccount,
			Resources: `route53\.VpcAssociationAuthorization private-access-zone-.+`,
		},
		{
			Stage: stage, What: "association of a further VPC with the local zone", Modes: privateLinkModes(),
			Option: "cluster.privateLink.localZoneVPCs", In: FurtherAccount,
			Resources: `route53\.ZoneAssociation private-access-zone-.+`,
		},
	}
}
