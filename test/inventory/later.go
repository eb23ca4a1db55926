package inventory

func interfaceEndpoints() Quota { return Quota{"L-29B6F2EB", "Interface VPC endpoints per VPC"} }

func instances() Quota {
	return Quota{"L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances"}
}

func networkLoadBalancers() Quota { return Quota{"L-69A177A2", "Network Load Balancers per Region"} }

func groups() Quota { return Quota{"L-E79EC296", "VPC security groups per Region"} }

func volumes() Quota { return Quota{"L-7A658B76", "Storage for General Purpose SSD (gp3) volumes"} }

// hyperShiftItems returns the resources that HyperShift creates. Source: its
// docs/content/reference/infrastructure/aws.md, control-plane-operator/controllers/awsprivatelink and
// control-plane-operator/controllers/hostedcontrolplane.
func hyperShiftItems() []Item {
	return []Item{
		{
			Stage: HyperShiftInManagement, What: "network load balancer of the API, or of the public router",
			Modes:     publicModes(),
			Resources: `lb\.\w+ .*`, Ready: Ready{Quota: networkLoadBalancers()},
		},
		{
			Stage: HyperShiftInManagement, What: "network load balancer of the private router", Modes: privateLinkModes(),
			Resources: `lb\.\w+ .*`, Ready: Ready{Quota: networkLoadBalancers()},
		},
		{
			Stage: HyperShiftInManagement, What: "security group of each of these load balancers",
			Resources: `ec2\.SecurityGroup .*(k8s-elb|router).*`, Ready: Ready{Quota: groups()},
		},
		{
			Stage: HyperShiftInManagement, What: "endpoint service of PrivateLink", Modes: privateLinkModes(),
			Without:   []string{linkedByStack},
			Resources: `ec2\.VpcEndpointService .*`,
			Ready:     Ready{Role: "prerequisites-operator-ec2", Action: "ec2:CreateVpcEndpointServiceConfiguration"},
		},
		{Stage: HyperShiftInManagement, What: "volumes of etcd, one or three; until release 4.13, three of OVN-Kubernetes", Resources: `ebs\.Volume .*`, Ready: Ready{Quota: volumes()}},
		{
			Stage: HyperShiftInManagement, What: "the two OIDC documents", Resources: `s3\.BucketObject.* .*`,
			Ready: Ready{Role: "prerequisites-operator-oidc-s3", Action: "s3:PutObject"},
		},
		{
			Stage: HyperShiftInManagement, What: "records of the API and of the other public services",
			Modes:     publicModes(),
			Resources: `route53\.Record prerequisites-.*(api|oauth).*`,
			Ready:     Ready{Role: "prerequisites-external-dns", Action: "route53:ChangeResourceRecordSets"},
		},
		{
			Stage: HyperShiftInCluster, What: "default security group of the nodes", Resources: `ec2\.SecurityGroup network-(default|nodes).*`,
			Ready: Ready{
				Role: "roles-control-plane-operator", Action: "ec2:CreateSecurityGroup",
				Quota: groups(),
			},
		},
		{
			Stage: HyperShiftInCluster, What: "PrivateLink endpoint, with its security group", Modes: privateLinkModes(),
			Without: []string{sharedVPC, linkedByStack}, Resources: `ec2\.VpcEndpoint .*private-(link|router).*`,
			Ready: Ready{Role: "roles-control-plane-operator", Action: "ec2:CreateVpcEndpoint", Quota: interfaceEndpoints()},
		},
		{
			Stage: HyperShiftInCluster, What: "the same in a shared VPC", Modes: privateLinkModes(),
			Without: []string{linkedByStack}, Option: sharedVPC, Shared: VPCOwnerAccount,
			Resources: `ec2\.VpcEndpoint .*private-router.*`,
			Ready:     Ready{Role: "shared-vpc-roles-endpoint", Action: "ec2:CreateVpcEndpoint", Quota: interfaceEndpoints()},
		},
		{
			Stage: HyperShiftInCluster, What: "records of the endpoint in the local zone", Modes: privateLinkModes(),
			Without: []string{sharedVPC, linkedByStack}, Resources: `route53\.Record .*(api|apps).*`,
			Ready: Ready{Role: "roles-control-plane-operator", Action: "route53:ChangeResourceRecordSets"},
		},
		{
			Stage: HyperShiftInCluster, What: "the same for a shared VPC", Modes: privateLinkModes(),
			Without: []string{linkedByStack}, Option: sharedVPC, Shared: PrivateZonesAccount,
			Resources: `route53\.Record .*(api|apps).*`,
			Ready:     Ready{Role: "shared-vpc-roles-route53", Action: "route53:ChangeResourceRecordSets"},
		},
		{
			Stage: HyperShiftInCluster, What: "nodes", Resources: `ec2\.(Instance|LaunchTemplate) .*node.*`,
			Ready: Ready{Role: "roles-node-pool", Action: "ec2:RunInstances", Quota: instances()},
		},
		{
			Stage: HyperShiftInCluster, What: "nodes that Karpenter adds", Option: "cluster.iam.karpenter",
			Resources: `ec2\.(Fleet|SpotInstanceRequest) .*`,
			Ready: Ready{
				Role:   "roles-karpenter",
				Action: "ec2:CreateFleet",
				Tag:    "karpenter.sh/discovery",
				Quota:  instances(),
			},
		},
	}
}

// kubernetesItems returns the resources that the hosted cluster creates.
func kubernetesItems() []Item {
	const stage = KubernetesInCluster
	return []Item{
		{
			Stage: stage, What: "load balancer of the default ingress",
			Modes:     publicModes(),
			Resources: `(lb|elb)\.\w+ .*`,
			Ready: Ready{
				Role: "roles-cloud-controller", Action: "elasticloadbalancing:CreateLoadBalancer", Tag: "kubernetes.io/role/elb",
				Quota: networkLoadBalancers(),
			},
		},
		{
			Stage: stage, What: "internal load balancers", Resources: `(lb|elb)\.\w+ .*`,
			Ready: Ready{
				Role: "roles-cloud-controller", Action: "elasticloadbalancing:CreateLoadBalancer",
				Tag:   "kubernetes.io/role/internal-elb",
				Quota: networkLoadBalancers(),
			},
		},
		{
			Stage: stage, What: "security group of each of these load balancers", Resources: `ec2\.SecurityGroup .*k8s-elb.*`,
			Ready: Ready{Role: "roles-cloud-controller", Action: "ec2:CreateSecurityGroup", Quota: groups()},
		},
		{
			Stage: stage, What: "records of the ingress", Without: []string{sharedVPC}, Resources: `route53\.Record (network|prerequisites)-.*apps.*`,
			Ready: Ready{Role: "roles-openshift-ingress", Action: "route53:ChangeResourceRecordSets"},
		},
		{
			Stage: stage, What: "the same for a shared VPC", Option: sharedVPC, Shared: PrivateZonesAccount,
			Resources: `route53\.Record (network|prerequisites)-.*apps.*`,
			Ready:     Ready{Role: "shared-vpc-roles-route53", Action: "route53:ChangeResourceRecordSets"},
		},
		{
			Stage: stage, What: "bucket of the image registry", Resources: `s3\.Bucket.* .*image-registry.*`,
			Ready: Ready{
				Role: "roles-openshift-image-registry", Action: "s3:CreateBucket",
				Quota: Quota{"L-DC2B2D3D", "General purpose buckets"},
			},
		},
		{
			Stage: stage, What: "volumes", Resources: `ebs\.Volume .*`,
			Ready: Ready{Role: "roles-aws-ebs-csi-driver-controller", Action: "ec2:CreateVolume", Quota: volumes()},
		},
	}
}
