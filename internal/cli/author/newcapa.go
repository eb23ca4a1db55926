package author

import (
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// capaKind is a self-managed cluster of Cluster API Provider AWS.
func capaKind() newKind {
	return newKind{name: config.KindCAPA, flags: capaFlags, questions: capaQuestions, file: newValues.capaFile}
}

func capaFlags(f *kindFlags) {
	f.name()
	f.network()
	f.text(&f.values.kubernetesVersion, "kubernetes-version",
		"for --kind capa, the `version` of Kubernetes, such as v1.33.4")
	f.text(&f.values.topology, "topology", "for --kind capa, the `architecture`: Private or Public (default Private)")
	f.tags()
	invocation.CompleteFlag(f.Command, "topology", invocation.Fixed(capa.Topologies()...))
}

func capaQuestions(a asked) []question {
	return []question{a.forName("cluster"), a.forRegion(), a.forZones(), {
		value: &a.kubernetesVersion, flag: "--kubernetes-version", prompt: "version of Kubernetes, such as v1.33.4",
		path: a.key("kubernetesVersion"), example: "v1.33.4",
	}}
}

// capaFile returns the file of a stack of kind capa: every key with a comment, and keys with default values as
// comments.
func (v newValues) capaFile() string {
	f := v.head(config.KindCAPA)
	f.line("  hypershift-aws:capa:")
	f.comment("    ", "The name of the Cluster, at most 22 characters. It names and tags everything in AWS.")
	f.key("    ", "name", v.name, "")
	f.comment("    ", "Its namespace in the management cluster.")
	f.key("    ", "namespace", "", capa.DefaultNamespace)
	f.comment("    ", "The version of the control plane and of the nodes, with the v.")
	f.key("    ", "kubernetesVersion", v.kubernetesVersion, "")
	f.comment("    ", "Private (default): machines in private subnets. Public: machines with public addresses, no NAT gateway.")
	f.key("    ", "topology", v.topology, string(capa.Private))
	f.comment("    ", "Tags for every resource, including those that CAPA creates.")
	f.tags("    ", v.tags)
	v.capaNetwork(f)
	v.capaCluster(f)
	return f.String()
}

// capaNetwork writes the keys of the VPC and of the access to the API server.
func (v newValues) capaNetwork(f *yamlText) {
	zones := v.zones
	if len(zones) == 0 {
		zones = []string{v.region + "a"}
	}
	f.line("    network:")
	f.comment("      ", "The VPC's CIDR, /16 to /24. It cannot be changed later.")
	f.key("      ", "vpcCIDR", v.vpcCIDR, "10.0.0.0/16")
	f.comment("      ", "An IPAM pool that allocates the VPC's CIDR, instead of vpcCIDR or to allocate exactly that.")
	f.line("      # ipam: {pool: ipam-pool-0123456789abcdef0}")
	f.comment("      ", "One to eight availability zones. A zone's addresses depend on its position in this list: add zones at the end.")
	f.list("      ", "zones", zones, "")
	f.comment("      ", "NAT gateways of topology Private: PerZone (default), Single or None. None needs interfaceEndpoints and scheme internal.")
	f.key("      ", "nat", v.nat, "PerZone")
	f.comment("      ", "Elastic IPs for the NAT gateways, by zone. Default: they are allocated.")
	f.line("      # elasticIPs: {" + zones[0] + ": eipalloc-0123456789abcdef0}")
	f.line("      # How many addresses each NAT gateway has, 1 to 8.")
	f.line("      # natAddressCount: 1")
	f.comment("      ", "The pool of these addresses: one of your own, or a public IPAM pool.")
	f.line("      # publicIPv4Pool: ipv4pool-ec2-0123456789abcdef0")
	f.comment("      ", `AWS services that machines reach inside the VPC; "nodes" means all that they call.`)
	f.line("      # interfaceEndpoints: [nodes]")
	f.comment("      ", "AWS services with a gateway endpoint in the VPC besides S3.")
	f.line("      # gatewayEndpoints: [dynamodb]")
	f.comment("      ", "The policies of these endpoints, and security groups that interface endpoints have besides their own one.")
	f.line(`      # endpointPolicies: {s3: '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}]}'}`)
	f.line("      # endpointSecurityGroups: [sg-0123456789abcdef0]")
	f.comment("      ", "An existing VPC, instead of vpcCIDR, zones and nat. Each subnet needs a separate route table.")
	f.line("      # existing: {vpcID: vpc-0123456789abcdef0, subnets: [{zone: " + zones[0] +
		", private: subnet-0123456789abcdef0, public: subnet-0123456789abcdef1}]}")
	f.comment("      ", "An existing transit gateway, through which machines reach these networks; without cidrs also the internet.")
	f.line("      # transitGateway: {id: tgw-0123456789abcdef0, cidrs: [192.168.0.0/16]}")
	f.comment("      ", "The endpoint service of firewalls, through which machines reach these networks; without cidrs also the internet.")
	f.line("      # firewallEndpoint: {serviceName: com.amazonaws.vpce." + v.region +
		".vpce-svc-0123456789abcdef0, cidrs: [192.168.0.0/16]}")
	f.comment("      ", "Records of the VPC's traffic.")
	f.line("      # flowLogs: {}")
	f.comment("      ", "A host in the VPC from which people can connect to the machines; only for topology Private.")
	f.line("      # bastion: {}")
	f.comment("      ", "The VPC and the cluster have IPv6 too. It cannot be changed later.")
	f.line("      # ipv6: true")
	f.comment("    ", "The addresses of pods and of Services, which must not overlap the VPC's.")
	f.key("    ", "pods", "", capa.DefaultPods)
	f.key("    ", "services", "", capa.DefaultServices)
	f.comment("    ", "Their IPv6 addresses, with ipv6 in network.")
	f.key("    ", "podsIPv6", "", capa.DefaultPodsIPv6)
	f.key("    ", "servicesIPv6", "", capa.DefaultServicesIPv6)
	f.comment("    ", "Who can reach the API server. Restricted cidrs need the management cluster's addresses too. scheme cannot be changed later.")
	f.line("    # apiAccess: {cidrs: [203.0.113.0/24], managementCIDRs: [198.51.100.7/32], scheme: " + string(capa.InternetFacing) + "}")
	f.comment("    ", "A second load balancer with the other scheme is secondary: true in apiAccess; an internal one cannot be added later.")
	f.comment("    ", "The four security groups are created by the stack (default) or by CAPA (create: false), or exist and are given by their IDs.")
	f.line("    # securityGroups: {create: true}")
}

// capaCluster writes the keys of the machines and of the objects.
func (v newValues) capaCluster(f *yamlText) {
	f.comment("    ", "Instance profiles are created, or exist; controllers also creates the role of CAPA's controllers.")
	f.line("    # iam: {existing: {controlPlane: control-plane" + capa.RoleSuffix + ", nodes: nodes" + capa.RoleSuffix +
		"}}")
	f.comment("    ", "The AWS identity that CAPA's controllers use for the cluster.")
	f.line("    # identity: {kind: " + string(capa.RoleIdentity) + ", name: " + v.name + "}")
	f.comment("    ", "The machine image. Without id the newest one of org, baseOS and format is looked up once.")
	f.line("    # image: {baseOS: " + capa.DefaultBaseOS + "}")
	f.comment("    ", "The control plane's machines: an odd number.")
	f.line("    # controlPlane: {replicas: 3, instanceType: " + capa.DefaultInstanceType + "}")
	f.comment("    ", "Pools of nodes; replicas are per zone.")
	f.line("    # workers: [{name: md, replicas: 1, instanceType: " + capa.DefaultInstanceType + "}]")
	f.comment("    ", "healthCheck, in a pool or in controlPlane, replaces machines whose nodes are not ready: {} for its defaults.")
	f.comment("    ", "An EC2 key pair for SSH access to all machines.")
	f.key("    ", "sshKeyName", "", "ops")
	f.comment("    ", "Further names in the API server's certificate.")
	f.line("    # certSANs: [api.example.com]")
	f.comment("    ", "Ports that the network plugin needs between machines. Default: Calico's.")
	f.line("    # cni: {rules: [{description: vxlan (cilium), protocol: udp, fromPort: 8472}]}")
	f.comment("    ", "Fields of Cluster API's objects that have no key here. controlPlane and workers have spec and kubeadm too.")
	f.line("    # spec: {awsCluster: {controlPlaneLoadBalancer: {crossZoneLoadBalancing: true}}}")
	f.comment("    ", "The kubeconfig of the management cluster, {} for the current context. Without it the objects are only rendered.")
	f.line("    # kubeconfig: {}")
	f.comment("    ", "Whether `pulumi destroy` may delete the Cluster.")
	f.line("    # unprotected: false")
}
