package capa

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// Args describe a cluster: its infrastructure in AWS and its Kubernetes objects. They are the keys of
// hypershift-aws:capa in a stack file.
type Args struct {
	// Name is the name of the Cluster, a DNS label of at most 22 characters. Required. It names and tags everything in
	// AWS, so it must be unique in an account and region.
	Name string `yaml:"name" pulumi:"name"`
	// Namespace is the namespace of the Cluster in its management cluster. Default "default".
	Namespace string `yaml:"namespace" pulumi:"namespace,optional"`
	// Tags are set on every resource in AWS, and on those that CAPA creates. At most 40. Default none.
	Tags map[string]string `yaml:"tags" pulumi:"tags,optional"`
	// KubernetesVersion is the version of the control plane and of the nodes, such as v1.33.4. Required.
	KubernetesVersion string `yaml:"kubernetesVersion" pulumi:"kubernetesVersion"`
	// Topology is the architecture: machines in private subnets (Private), or in public subnets (Public). Default Private.
	Topology Topology `yaml:"topology" pulumi:"topology,optional"`
	// Network is the VPC.
	Network NetworkArgs `yaml:"network" pulumi:"network,optional"`
	// Pods is the IPv4 CIDR of the pods' addresses. Default 192.168.0.0/16, Calico's own.
	Pods string `yaml:"pods" pulumi:"pods,optional"`
	// Services is the IPv4 CIDR of the Services' addresses. Default 10.96.0.0/12, kubeadm's own.
	Services string `yaml:"services" pulumi:"services,optional"`
	// PodsIPv6 is the IPv6 CIDR of the pods' addresses, from /48 to /64. Each node gets a /64 of it. It makes the cluster
	// dual-stack, and is used together with servicesIPv6. Default fd01::/48 with network.ipv6, else none.
	PodsIPv6 string `yaml:"podsIPv6" pulumi:"podsIPv6,optional"`
	// ServicesIPv6 is the IPv6 CIDR of the Services' addresses, from /108 to /124. Default fd02::/112 with network.ipv6,
	// else none.
	ServicesIPv6 string `yaml:"servicesIPv6" pulumi:"servicesIPv6,optional"`
	// APIAccess determines who can reach the API server.
	APIAccess APIAccess `yaml:"apiAccess" pulumi:"apiAccess,optional"`
	// SecurityGroups determines who creates the cluster's security groups.
	SecurityGroups SecurityGroupsChoice `yaml:"securityGroups" pulumi:"securityGroups,optional"`
	// IAM determines the instance profiles of the machines.
	IAM IAMArgs `yaml:"iam" pulumi:"iam,optional"`
	// Identity is the AWS identity that CAPA's controllers use for the cluster.
	Identity Identity `yaml:"identity" pulumi:"identity,optional"`
	// Image is the machine image of all machines.
	Image Image `yaml:"image" pulumi:"image,optional"`
	// ControlPlane are the control-plane machines.
	ControlPlane ControlPlaneArgs `yaml:"controlPlane" pulumi:"controlPlane,optional"`
	// Workers are the nodes, in pools. Default: one pool, "md", with one node per zone.
	Workers []WorkersArgs `yaml:"workers" pulumi:"workers,optional"`
	// SSHKeyName is the name of an EC2 key pair for SSH access to all machines. Default none.
	SSHKeyName pulumi.StringInput `yaml:"sshKeyName" pulumi:"sshKeyName,optional" placeholder:"placeholder-*"`
	// CertSANs are additional names and addresses in the API server's certificate, such as a CNAME of the load balancer's
	// name. Default none.
	CertSANs []pulumi.StringInput `yaml:"certSANs" pulumi:"certSANs,optional" placeholder:"*.invalid"`
	// CNI configures what the network plugin needs between the machines.
	CNI CNI `yaml:"cni" pulumi:"cni,optional"`
	// Spec is merged into the specs of the Cluster and the AWSCluster. Default none.
	Spec Specs `yaml:"spec" pulumi:"spec,optional"`
	// Explain adds the position in the stack's file to an error that a hook finds while the engine runs. Default: the
	// error is returned unchanged.
	Explain func(error) error `yaml:"-"`
}

// NetworkArgs describe the cluster's VPC.
type NetworkArgs struct {
	network.Options `yaml:",inline" pulumi:"options"`
	// IPv6 makes the cluster dual-stack. The VPC gets an IPv6 CIDR from Amazon, each subnet gets a part of it, and pods
	// and Services get addresses of both families. Private subnets with NAT gateways reach the internet over IPv6 through
	// an egress-only internet gateway. Default false. It cannot be changed: CAPA does not migrate clusters.
	IPv6 bool `yaml:"ipv6" pulumi:"ipv6,optional"`
	// Existing is an existing VPC for the cluster. Default: a VPC is created.
	Existing *ExistingVPC `yaml:"existing" pulumi:"existing,optional"`
}

// ExistingVPC is an existing VPC for the cluster. It is checked and not changed, except for the tags of tagSubnets.
type ExistingVPC struct {
	// VPCID is "vpc-…". Default: the default VPC of the region, whose ID is looked up.
	VPCID string `yaml:"vpcID" pulumi:"vpcID,optional"`
	// Subnets are the zones of the machines, with their subnets. Required. A public subnet needs an explicit association
	// with a route table, which those that AWS creates in a default VPC do not have.
	Subnets []network.ExistingSubnets `yaml:"subnets" pulumi:"subnets"`
	// TagSubnets sets the tags that CAPA and Kubernetes find the subnets by, unless the subnets have them. When the stack
	// is destroyed, it removes the tags that it set. Default false: CAPA sets them, if its controllers' role allows it,
	// and does not remove them.
	TagSubnets bool `yaml:"tagSubnets" pulumi:"tagSubnets,optional"`
	// DNSServers are the IPv4 addresses of the DNS servers in the VPC's DHCP options, if they are not AWS's. They must
	// forward the names of AWS's services to the VPC's own resolver; `hypershift-aws preflight` asks them for these names.
	// Default none: a VPC with other servers than AmazonProvidedDNS is refused.
	DNSServers []string `yaml:"dnsServers" pulumi:"dnsServers,optional"`
}

// APIAccess determines who can reach the API server.
type APIAccess struct {
	// CIDRs are the networks that may connect, IPv6 ones only with network.ipv6. Default 0.0.0.0/0, and ::/0 with
	// network.ipv6. Topology Public with an internet-facing load balancer needs the default: nodes connect from public
	// addresses that AWS assigns when they start.
	CIDRs []string `yaml:"cidrs" pulumi:"cidrs,optional"`
	// ManagementCIDRs are the networks from which the management cluster connects, because its controllers need the API
	// server. Required with CIDRs without 0.0.0.0/0.
	ManagementCIDRs []string `yaml:"managementCIDRs" pulumi:"managementCIDRs,optional"`
	// Scheme is where the load balancer has its addresses: internet-facing or internal. Default internet-facing. It cannot
	// be changed.
	Scheme Scheme `yaml:"scheme" pulumi:"scheme,optional"`
	// Secondary creates a second load balancer, with the other scheme, for clients that cannot or should not use the
	// first. Nodes use the first. The second one's name is <name>-secondary. Clients that verify certificates need one of
	// its DNS names in certSANs. Default false.
	Secondary bool `yaml:"secondary" pulumi:"secondary,optional"`
}

// networks returns CIDRs and ManagementCIDRs, each network once.
func (a APIAccess) networks() []string {
	networks := slices.Clone(a.CIDRs)
	for _, cidr := range a.ManagementCIDRs {
		if !slices.Contains(networks, cidr) {
			networks = append(networks, cidr)
		}
	}
	return networks
}

// SecurityGroupsChoice determines who creates the cluster's security groups, for all four together.
type SecurityGroupsChoice struct {
	// Create creates the groups with Pulumi, which keeps them in its state. If false, CAPA creates them. Default true,
	// unless IDs are given.
	Create *bool `yaml:"create" pulumi:"create,optional"`
	// IDs are four existing groups. They are checked and never changed. Default none.
	IDs *SecurityGroupIDs `yaml:"ids" pulumi:"ids,optional"`
}

// SecurityGroupIDs are the groups of a cluster, by their roles. All are required.
type SecurityGroupIDs struct {
	// APIServerLB is the group of the API server's load balancer, "sg-…".
	APIServerLB pulumi.StringInput `yaml:"apiServerLB" pulumi:"apiServerLB"`
	// LB is the group to which the cloud controller manager adds rules, "sg-…". Only this group has the tag
	// kubernetes.io/cluster/<name>, with the value shared.
	LB pulumi.StringInput `yaml:"lb" pulumi:"lb"`
	// ControlPlane is the group of control-plane machines, "sg-…".
	ControlPlane pulumi.StringInput `yaml:"controlPlane" pulumi:"controlPlane"`
	// Node is the group of all machines, "sg-…".
	Node pulumi.StringInput `yaml:"node" pulumi:"node"`
}

// IAMArgs determine the instance profiles of the machines.
type IAMArgs struct {
	// Existing are existing instance profiles. Default: new ones are created.
	Existing *ExistingProfiles `yaml:"existing" pulumi:"existing,optional"`
	// Path is the IAM path of roles and instance profiles, "/…/". Default "/".
	Path string `yaml:"path" pulumi:"path,optional"`
	// PermissionsBoundary is the ARN of a policy that limits the roles. Default none.
	PermissionsBoundary pulumi.StringInput `yaml:"permissionsBoundary" pulumi:"permissionsBoundary,optional"`
	// Controllers also creates the role of CAPA's controllers, for the instance that they run on. Default false:
	// clusterawsadm creates the role, or the management cluster has it already.
	Controllers bool `yaml:"controllers" pulumi:"controllers,optional"`
}

// ExistingProfiles are the names of existing instance profiles.
type ExistingProfiles struct {
	// ControlPlane is the instance profile of control-plane machines, such as
	// control-plane.cluster-api-provider-aws.sigs.k8s.io. Required.
	ControlPlane pulumi.StringInput `yaml:"controlPlane" pulumi:"controlPlane"`
	// Nodes is the instance profile of nodes, such as nodes.cluster-api-provider-aws.sigs.k8s.io. Required.
	Nodes pulumi.StringInput `yaml:"nodes" pulumi:"nodes"`
}

// Image is the machine image: the one with an ID, or the newest one with a name. The latter is looked up when the
// version, the owner, the system or the architecture changes; until then its ID is kept in the state.
type Image struct {
	// ID is the ID of the image, "ami-…". Default: the image is looked up by its name.
	ID pulumi.StringInput `yaml:"id" pulumi:"id,optional"`
	// Org is the account that owns the image, twelve digits. Default 819546954734, which publishes CAPA's images.
	Org string `yaml:"org" pulumi:"org,optional"`
	// BaseOS is the system in the image's name: ubuntu-22.04, ubuntu-24.04 or flatcar-stable among those that CAPA
	// publishes. Default ubuntu-24.04.
	BaseOS string `yaml:"baseOS" pulumi:"baseOS,optional"`
	// Format is the image's name with {{.BaseOS}}, {{.K8sVersion}} and wildcards. Default
	// "capa-ami-{{.BaseOS}}-?{{.K8sVersion}}-*".
	Format string `yaml:"format" pulumi:"format,optional"`
}

// ControlPlaneArgs are the control-plane machines.
type ControlPlaneArgs struct {
	// Replicas is the number of machines, which must be odd. Default 3.
	Replicas int `yaml:"replicas" pulumi:"replicas,optional"`
	// InstanceType is the EC2 instance type. Default t3.large.
	InstanceType string `yaml:"instanceType" pulumi:"instanceType,optional"`
	// RootVolume is the root volume of each machine. Default: the image's.
	RootVolume *RootVolume `yaml:"rootVolume" pulumi:"rootVolume,optional"`
	// Volumes are additional volumes of each machine. Default none.
	Volumes []Volume `yaml:"volumes" pulumi:"volumes,optional"`
	// Kubeadm customizes the machines with cloud-init and kubeadm. Default none.
	Kubeadm *KubeadmArgs `yaml:"kubeadm" pulumi:"kubeadm,optional"`
	// HealthCheck replaces unhealthy machines with a MachineHealthCheck, one at a time. Default none.
	HealthCheck *HealthCheck `yaml:"healthCheck" pulumi:"healthCheck,optional"`
	// Spec is merged into the specs of the KubeadmControlPlane and its AWSMachineTemplate. Default none.
	Spec ControlPlaneSpecs `yaml:"spec" pulumi:"spec,optional"`
}

// WorkersArgs are nodes of one kind. There is one MachineDeployment per zone.
type WorkersArgs struct {
	// Name is the pool's name, a DNS label of at most 20 characters. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Zones are the names of the zones with nodes. Default: all of the network's.
	Zones []string `yaml:"zones" pulumi:"zones,optional"`
	// Replicas is the number of nodes in each zone. Default 1.
	Replicas *int `yaml:"replicas" pulumi:"replicas,optional"`
	// InstanceType is the EC2 instance type. Default t3.large.
	InstanceType string `yaml:"instanceType" pulumi:"instanceType,optional"`
	// RootVolume is the root volume of each machine. Default: the image's.
	RootVolume *RootVolume `yaml:"rootVolume" pulumi:"rootVolume,optional"`
	// Volumes are additional volumes of each machine. Default none.
	Volumes []Volume `yaml:"volumes" pulumi:"volumes,optional"`
	// Kubeadm customizes the machines with cloud-init and kubeadm. Default none.
	Kubeadm *KubeadmArgs `yaml:"kubeadm" pulumi:"kubeadm,optional"`
	// AutoScaling lets the cluster autoscaler choose the number of nodes in each zone, instead of replicas. Default none.
	AutoScaling *AutoScaling `yaml:"autoScaling" pulumi:"autoScaling,optional"`
	// Labels are the labels of the nodes. Labels in the domains node-role.kubernetes.io, node-restriction.kubernetes.io,
	// and node.cluster.x-k8s.io change on running nodes. A change of other labels replaces the nodes. Default none.
	Labels map[string]string `yaml:"labels" pulumi:"labels,optional"`
	// Taints are the taints with which nodes start. A change replaces the nodes. Default none.
	Taints []Taint `yaml:"taints" pulumi:"taints,optional"`
	// Spot runs the nodes on spot instances, which EC2 can reclaim. Default: on-demand instances.
	Spot *Spot `yaml:"spot" pulumi:"spot,optional"`
	// Tenancy is the tenancy of the instances: default, dedicated or host. Default "default".
	Tenancy string `yaml:"tenancy" pulumi:"tenancy,optional"`
	// PlacementGroup places the instances in an existing placement group. Default none.
	PlacementGroup *PlacementGroup `yaml:"placementGroup" pulumi:"placementGroup,optional"`
	// HealthCheck replaces unhealthy machines with a MachineHealthCheck for all zones of the pool. Default none.
	HealthCheck *HealthCheck `yaml:"healthCheck" pulumi:"healthCheck,optional"`
	// Spec is merged into the specs of the pool's objects. Default none.
	Spec WorkersSpecs `yaml:"spec" pulumi:"spec,optional"`
}

// Volume is a further volume of a machine.
type Volume struct {
	RootVolume `yaml:",inline" pulumi:"volume"`
	// Device is the name with which EC2 attaches the volume, /dev/sdb to /dev/sdz. Required.
	Device string `yaml:"device" pulumi:"device"`
}

// RootVolume is the root volume of a machine.
type RootVolume struct {
	// Size is the volume's size in GiB, at least 8 and at least the size of the image's snapshot. Required.
	Size int `yaml:"size" pulumi:"size"`
	// Type is the type of the volume: gp2, gp3, io1 or io2. Default: AWS chooses.
	Type string `yaml:"type" pulumi:"type,optional"`
	// IOPS are the I/O operations per second of gp3, io1 and io2; io1 and io2 require it. Default: AWS chooses.
	IOPS int `yaml:"iops" pulumi:"iops,optional"`
	// Throughput is the throughput in MiB/s, for gp3. Default: AWS chooses.
	Throughput int `yaml:"throughput" pulumi:"throughput,optional"`
	// Encrypted encrypts the volume. Default: the account's setting.
	Encrypted *bool `yaml:"encrypted" pulumi:"encrypted,optional"`
	// EncryptionKey is the ID or ARN of the KMS key that encrypts it. Default: AWS's own key.
	EncryptionKey pulumi.StringInput `yaml:"encryptionKey" pulumi:"encryptionKey,optional" placeholder:"placeholder-*"`
}

// CNI configures what the network plugin needs between the machines.
type CNI struct {
	// Rules open ports of all machines to all machines. Default: BGP and IP in IP, for Calico, and VXLAN in a dual-stack
	// cluster. Machines drop packets with addresses other than their own, so the plugin has to encapsulate.
	Rules []CNIRule `yaml:"rules" pulumi:"rules,optional"`
}

// CNIRule opens ports of all machines to all machines.
type CNIRule struct {
	// Description is the rule's description in AWS. Required.
	Description string `yaml:"description" pulumi:"description"`
	// Protocol is the protocol: tcp, udp, icmp, "-1" for all, or the number of a protocol: "4" (IP in IP), "50" (ESP) or
	// "58". Required.
	Protocol string `yaml:"protocol" pulumi:"protocol"`
	// FromPort is the first port of tcp and udp. Default none.
	FromPort int `yaml:"fromPort" pulumi:"fromPort,optional"`
	// ToPort is the last port. Default: fromPort.
	ToPort int `yaml:"toPort" pulumi:"toPort,optional"`
}
