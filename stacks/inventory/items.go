package inventory

import "github.com/hypershift-aws/hypershift-aws/components/hypershift"

// Items lists the whole inventory, stage by stage.
func Items() []Item {
	var items []Item
	for _, stage := range [][]Item{managementItems(), clusterItems(), hyperShiftItems(), kubernetesItems()} {
		items = append(items, stage...)
	}
	return items
}

func managementItems() []Item {
	const stage = ManagementPrerequisites
	return []Item{
		{Stage: stage, What: "OIDC bucket", Resources: `s3\.\w+ prerequisites-oidc-bucket`},
		{
			Stage: stage, What: "CloudFront distribution in front of the OIDC bucket", Option: "management.oidcBucket.access",
			Resources: `cloudfront\.\w+ prerequisites-oidc-bucket`,
		},
		{
			Stage: stage, What: "public zone of the hosted clusters' names, and its delegation", Option: "management.zone",
			Resources: `route53\.(Zone prerequisites-zone|Record prerequisites-delegation)`,
		},
		{
			Stage: stage, What: "roles of HyperShift's operator, for endpoint services and for OIDC documents",
			Resources: `iam\.Role(Policy)? prerequisites-operator-(ec2|oidc-s3)`,
		},
		{
			Stage: stage, What: "role of external-dns", Option: "management.zone",
			Resources: `iam\.Role(Policy)? prerequisites-external-dns`,
		},
		{
			Stage: stage, What: "bucket of operator catalogues", Option: "management.registryBucketName",
			Resources: `s3\.\w+ prerequisites-registry-bucket`,
		},
		{
			Stage: stage, What: "KMS key for etcd", Option: "management.etcdKey",
			Resources: `kms\.\w+ prerequisites-etcd-key`,
		},
		{
			Stage: stage, What: "queue of spot interruptions and its two rules", Option: "management.interruptionQueueName",
			Resources: `(sqs|cloudwatch)\.\w+ prerequisites-interruptions-\w+`,
		},
	}
}

func clusterItems() []Item {
	const stage = ClusterPrerequisites
	withPublic := []hypershift.EndpointAccess{hypershift.Public, hypershift.PublicAndPrivate}
	return []Item{
		{Stage: stage, What: "VPC, with its default security group emptied", Resources: `ec2\.(Vpc network-vpc|DefaultSecurityGroup network-default)`},
		{Stage: stage, What: "DHCP options", Resources: `ec2\.VpcDhcpOptions(Association)? network-dhcp-options`},
		{
			Stage: stage, What: "private subnet for nodes, with its route table", PerZone: true,
			Resources: `ec2\.(Subnet|RouteTable|RouteTableAssociation) network-private-[a-z0-9-]+`,
		},
		{
			Stage: stage, What: "subnet of NAT gateway and load balancers; in Private, of the NAT gateway alone", PerZone: true,
			Resources: `ec2\.(Subnet|RouteTableAssociation) network-public-[a-z0-9-]+`,
		},
		{Stage: stage, What: "route table of those subnets", Resources: `ec2\.(RouteTable network-public|Route network-public-internet)`},
		{Stage: stage, What: "its place as the VPC's main table", Modes: withPublic, Resources: `ec2\.MainRouteTableAssociation network-public-main`},
		{Stage: stage, What: "internet gateway", Resources: `ec2\.InternetGateway network-igw`},
		{
			Stage: stage, What: "elastic IP, NAT gateway and the route to it", PerZone: true,
			Resources: `ec2\.(Eip network-eip|NatGateway network-nat|Route network-private)-[a-z0-9-]+`,
		},
		{Stage: stage, What: "S3 gateway endpoint", Resources: `ec2\.VpcEndpoint network-s3`},
		{Stage: stage, What: "private zone of the cluster's domain", Resources: `route53\.(Zone|Record) network-private-zone(-soa)?`},
		{
			Stage: stage, What: "local zone, through which nodes find a control plane over PrivateLink", Resources: `route53\.(Zone|Record) network-local-zone(-soa)?`,
			Modes: []hypershift.EndpointAccess{hypershift.PublicAndPrivate, hypershift.Private},
		},
		{Stage: stage, What: "OIDC provider", Resources: `iam\.OpenIdConnectProvider oidc-provider`},
		{
			Stage:     stage,
			What:      "roles of seven components",
			Resources: `iam\.Role(Policy)? roles-(openshift-ingress|openshift-image-registry|aws-ebs-csi-driver-controller|cloud-controller|node-pool|control-plane-operator|cloud-network-config-controller)`,
		},
		{Stage: stage, What: "role of the KMS provider", Option: "cluster.kmsKeyARN", Resources: `iam\.Role(Policy)? roles-kms-provider`},
		{Stage: stage, What: "role and instance profile of the nodes", Resources: `iam\.(Role|RolePolicy|InstanceProfile) workers-(role|profile)`},
	}
}
