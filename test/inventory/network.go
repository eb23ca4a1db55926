package inventory

const (
	existingVPC = "cluster.network.existing"
	noNAT       = "cluster.network.nat: None"
	publicOnly  = "cluster.network.publicOnly"
	sharedVPC   = "cluster.network.shared"
)

// networkItems returns the resources of a guest network unless an option removes them.
func networkItems() []Item {
	const stage, owner = ClusterPrerequisites, VPCOwnerAccount
	return []Item{
		{
			Stage: stage, What: "VPC, with all rules of its default security group removed", Without: []string{existingVPC},
			Shared:    owner,
			Resources: `ec2\.(Vpc network-vpc|DefaultSecurityGroup network-default)`,
		},
		{
			Stage: stage, What: "DHCP options", Without: []string{existingVPC}, Shared: owner,
			Resources: `ec2\.VpcDhcpOptions(Association)? network-dhcp-options`,
		},
		{
			Stage: stage, What: "private subnet for nodes, with its route table", PerZone: true,
			Without: []string{existingVPC, publicOnly}, Shared: owner,
			Resources: `ec2\.(Subnet|RouteTable|RouteTableAssociation) network-private-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "public subnet for load balancers and NAT gateway", PerZone: true, Modes: publicModes(),
			Without: []string{existingVPC}, Shared: owner,
			Resources: `ec2\.(Subnet|RouteTableAssociation) network-public-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "egress subnet, only for the NAT gateway or a firewall's endpoint", PerZone: true,
			Modes:   privateMode(),
			Without: []string{existingVPC, noNAT}, Shared: owner,
			Resources: `ec2\.(Subnet|RouteTableAssociation) network-public-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "public route table, as the VPC's main one, and internet gateway", Modes: publicModes(),
			Without: []string{existingVPC}, Shared: owner,
			Resources: `ec2\.(RouteTable network-public|Route network-public-internet|MainRouteTableAssociation network-public-main|InternetGateway network-igw)`,
		},
		{
			Stage: stage, What: "egress route table and internet gateway", Modes: privateMode(),
			Without: []string{existingVPC, noNAT}, Shared: owner,
			Resources: `ec2\.(RouteTable network-public|Route network-public-internet|InternetGateway network-igw)`,
		},
		{
			Stage: stage, What: "NAT gateway and the route to it", PerZone: true, Without: []string{existingVPC, noNAT},
			Shared:    owner,
			Resources: `ec2\.(NatGateway network-nat|Route network-private)-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "elastic IP of each NAT gateway, except those set in `elasticIPs`", PerZone: true,
			Without: []string{existingVPC, noNAT}, Shared: owner,
			Resources: `ec2\.Eip network-eip-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "S3 gateway endpoint", Without: []string{existingVPC}, Shared: owner,
			Resources: `ec2\.VpcEndpoint network-s3`,
		},
		{
			Stage: stage, What: "DynamoDB gateway endpoint", Option: "cluster.network.gatewayEndpoints", Shared: owner,
			Resources: `ec2\.VpcEndpoint network-dynamodb`,
		},
		{
			Stage: stage, What: "private zone of the cluster's domain",
			Without: []string{"cluster.network.existing.privateZoneID"}, Shared: PrivateZonesAccount,
			Resources: `route53\.(Zone|Record) network-private-zone(-soa)?`,
		},
		{
			Stage: stage, What: "public zone of the base domain, with its delegation", Modes: publicModes(),
			Option:    "cluster.network.publicZone",
			Resources: `route53\.(Zone|Record) network-public-zone(-delegation)?`,
		},
		{
			Stage: stage, What: "local zone, through which nodes find a control plane over PrivateLink",
			Modes:   privateLinkModes(),
			Without: []string{"cluster.network.existing.localZoneID"}, Shared: PrivateZonesAccount,
			Resources: `route53\.(Zone|Record) network-local-zone(-soa)?`,
		},
	}
}

// networkOptionItems returns the resources that an option adds to a guest network.
func networkOptionItems() []Item {
	const stage, owner = ClusterPrerequisites, VPCOwnerAccount
	return []Item{
		{
			Stage: stage, What: "second CIDR of the VPC", Option: "cluster.network.secondaryCIDR", Shared: owner,
			Resources: `ec2\.VpcIpv4CidrBlockAssociation network-secondary`,
		},
		{
			Stage: stage, What: "second private subnet for nodes", PerZone: true, Option: "cluster.network.secondaryCIDR",
			Shared:    owner,
			Resources: `ec2\.(Subnet|RouteTableAssociation) network-secondary-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "interface endpoints of AWS services, with their security group",
			Option: "cluster.network.interfaceEndpoints", Shared: owner,
			Resources: `(ec2\.VpcEndpoint network-endpoint-.+|(ec2|vpc)\.SecurityGroup(IngressRule)? network-endpoints.*)`,
		},
		{
			Stage: stage, What: "endpoint of the proxy's service, with its security group",
			Option: "cluster.network.proxy.endpointService", Shared: owner,
			Resources: `(ec2|vpc)\.(VpcEndpoint|SecurityGroup|SecurityGroupIngressRule) network-proxy.*`,
		},
		{
			Stage: stage, What: "attachment to the transit gateway, in the private subnets",
			Option: "cluster.network.transitGateway", Shared: owner,
			Resources: `ec2transitgateway\.VpcAttachment network-transit-gateway`,
		},
		{
			Stage: stage, What: "routes to the transit gateway", PerZone: true, Option: "cluster.network.transitGateway",
			Shared:    owner,
			Resources: `ec2\.Route network-private-[a-z0-9-]+-transit-.+`,
		},
		{
			Stage: stage, What: "record of the CIDR that the IPAM pool allocated, in the state only",
			Option: "cluster.network.ipam", Shared: owner,
			Without:   []string{"cluster.network.vpcCIDR"},
			Resources: `index\.Stash network-vpc-cidr`,
		},
		{
			Stage: stage, What: "endpoint of the firewall's service, in a subnet without machines", PerZone: true,
			Option: "cluster.network.firewallEndpoint", Shared: owner,
			Resources: `ec2\.VpcEndpoint network-firewall-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "routes to the endpoint of the firewall's service", PerZone: true,
			Option: "cluster.network.firewallEndpoint", Shared: owner,
			Resources: `ec2\.Route network-private-[a-z0-9-]+-firewall-.+`,
		},
		{Stage: stage, What: "flow log", Option: "cluster.network.flowLogs", Shared: owner, Resources: `ec2\.FlowLog network-flow-logs`},
		{
			Stage: stage, What: "its log group, and the role that writes to it", Option: "cluster.network.flowLogs",
			Shared:    owner,
			Without:   []string{"cluster.network.flowLogs.destination: S3"},
			Resources: `(cloudwatch\.LogGroup|iam\.Role(Policy)?) network-flow-logs`,
		},
		{
			Stage: stage, What: "bastion, with its security group, role and instance profile", Option: "cluster.network.bastion",
			Shared:    owner,
			Resources: `(ec2\.(Instance|SecurityGroup)|vpc\.SecurityGroupEgressRule|iam\.\w+) network-bastion(-vpc|-vpc-secondary|-https)?`,
		},
		{
			Stage: stage, What: "its key pair", Option: "cluster.network.bastion.sshKey", Shared: owner,
			Resources: `ec2\.KeyPair network-bastion`,
		},
		{
			Stage: stage, What: "its security group rules for port 22", Option: "cluster.network.bastion.sshCIDRs",
			Shared:    owner,
			Resources: `vpc\.SecurityGroupIngressRule network-bastion-ssh-.+`,
		},
	}
}

// sharedVPCItems returns the additional resources if another account shares the VPC with the cluster's.
func sharedVPCItems() []Item {
	const stage = ClusterPrerequisites
	const inCluster = "cluster.network.shared.privateZonesIn: Cluster"
	return []Item{
		{Stage: stage, What: "share of the subnets", Option: sharedVPC, Shared: VPCOwnerAccount, Resources: `ram\.\w+ network-share(-.+)?`},
		{Stage: stage, What: "tags of the shared subnets in the cluster's account", Option: sharedVPC, Resources: `ec2\.Tag network-tag-.+`},
		{
			Stage: stage, What: "role with which the control plane creates its endpoint in the VPC", Option: sharedVPC,
			Shared:    VPCOwnerAccount,
			Resources: `iam\.Role(Policy)? shared-vpc-roles-endpoint`,
		},
		{
			Stage: stage, What: "role for the records of the private zones", Option: sharedVPC, Shared: PrivateZonesAccount,
			Resources: `iam\.Role(Policy)? shared-vpc-roles-route53`,
		},
		{
			Stage: stage, What: "empty VPC with which the private zones are created, before the shared VPC is associated", Option: inCluster,
			Resources: `(ec2\.Vpc network-zones|route53\.VpcAssociationAuthorization network-(private|local)-zone)`,
		},
		{
			Stage: stage, What: "association of the shared VPC with the private zones", Option: inCluster,
			Shared:    VPCOwnerAccount,
			Resources: `route53\.ZoneAssociation network-(private|local)-zone`,
		},
	}
}
