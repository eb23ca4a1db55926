package capa

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const securityGroupsType = "hypershift-aws:capa:SecurityGroups"

// SecurityGroupsArgs describe the four security groups of a cluster.
type SecurityGroupsArgs struct {
	// Tagging names and tags the groups. Required.
	Tagging Tagging `pulumi:"tagging"`
	// VPCID is the VPC, "vpc-…". Required.
	VPCID pulumi.StringInput `pulumi:"vpcID" set:"the ID of the cluster's VPC"`
	// VPCCIDRs are the VPC's IPv4 CIDRs, which contain the addresses of the load balancer's nodes. Required.
	VPCCIDRs []pulumi.StringInput `pulumi:"vpcCIDRs" set:"the IPv4 CIDRs of the VPC"`
	// VPCIPv6CIDR is the VPC's IPv6 CIDR, for rules of both address families. Default none.
	VPCIPv6CIDR pulumi.StringInput `pulumi:"vpcIPv6CIDR,optional"`
	// NATAddresses maps the name of a zone, or of a further NAT gateway's address, to the public address that machines
	// send from. Default none.
	NATAddresses map[string]pulumi.StringInput `pulumi:"natAddresses,optional"`
	// Zones are the keys of NATAddresses in the order of their rules. Required with NATAddresses.
	Zones []string `pulumi:"zones,optional"`
	// APIAccess determines who can reach the API server. Default: everybody.
	APIAccess APIAccess `pulumi:"apiAccess,optional"`
	// CNI are the rules of the network plugin. Default: BGP and IP in IP, for Calico.
	CNI []CNIRule `pulumi:"cni,optional"`
	// BastionGroupID is the security group of the bastion, from which SSH is allowed, "sg-…". Default none.
	BastionGroupID pulumi.StringInput `pulumi:"bastionGroupID,optional"`
}

// Validate returns every fault in args.
func (args *SecurityGroupsArgs) Validate() error {
	var faults fault.Faults
	if args.Tagging.Cluster == "" {
		faults.Add("tagging.cluster", nil, "is missing", "set the name of the Cluster")
	}
	faults.Join("tagging.tags", validateTags(args.Tagging.Tags))
	faults.Join("", input.Required(args))
	for _, zone := range slices.Sorted(maps.Keys(args.NATAddresses)) {
		if !slices.Contains(args.Zones, zone) {
			faults.Add("zones", zone, "is missing, but natAddresses has its address",
				"set the zones of natAddresses, in the order of their rules")
		}
	}
	for i, zone := range args.Zones {
		if args.NATAddresses[zone] == nil {
			faults.Add(fmt.Sprintf("zones[%d]", i), zone, "has no address in natAddresses", "use one, or leave the zone out")
		}
	}
	faults.Join("apiAccess", args.APIAccess.validate(args.ipv6()))
	faults.Join("cni", validateRules(args.CNI))
	return faults.Err()
}

// SecurityGroups are the four groups of a cluster, with the same rules as the groups that CAPA creates. The rules are
// separate resources, because the cloud controller manager adds more at run time. Source: CAPA's
// pkg/cloud/services/securitygroup/securitygroups.go.
type SecurityGroups struct {
	pulumi.ResourceState

	// IDs are the groups by role, "sg-…".
	IDs map[Role]pulumi.StringOutput `pulumi:"ids"`
}

// NewSecurityGroups registers the groups and their rules. The error lists every fault in args.
func NewSecurityGroups(
	ctx *pulumi.Context,
	name string,
	args *SecurityGroupsArgs,
	opts ...pulumi.ResourceOption,
) (*SecurityGroups, error) {
	return component.New(ctx, securityGroupsType, "security groups", name, args, opts,
		func(g *SecurityGroups, args *SecurityGroupsArgs) error {
			return (&groupsBuilder{ctx: ctx, name: name, args: args, groups: g}).build()
		})
}

func (args *SecurityGroupsArgs) ipv6() bool { return args.VPCIPv6CIDR != nil }

// cniRules returns the rules of the network plugin, Calico's where args have none.
func (args *SecurityGroupsArgs) cniRules() []CNIRule {
	if len(args.CNI) == 0 {
		return calicoRules(args.ipv6())
	}
	return args.CNI
}

type groupsBuilder struct {
	ctx    *pulumi.Context
	name   string
	args   *SecurityGroupsArgs
	groups *SecurityGroups
}

func (b *groupsBuilder) build() error {
	for _, role := range Roles() {
		if err := b.group(role); err != nil {
			return err
		}
	}
	rules := b.rules()
	for i := range rules {
		if err := b.rule(&rules[i]); err != nil {
			return err
		}
	}
	return nil
}

// group creates a role's group with a rule for all egress: AWS allows egress in a new group, and Pulumi's resource
// removes that rule.
func (b *groupsBuilder) group(role Role) error {
	name, tags := b.args.Tagging.groupName(role), pulumi.ToStringMap(b.args.Tagging.SecurityGroup(role))
	group, err := ec2.NewSecurityGroup(b.ctx, b.name+"-"+string(role), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(name),
		Description: pulumi.String(fmt.Sprintf("Kubernetes cluster %s: %s", b.args.Tagging.Cluster, role)),
		VpcId:       b.args.VPCID,
		Tags:        tags,
	}, pulumi.Parent(b.groups), pulumi.DeleteBeforeReplace(true)) // its name is unique in the VPC
	if err != nil {
		return err
	}
	b.groups.IDs[role] = group.ID().ToStringOutput()
	for _, cidr := range everybody(b.args.ipv6()) {
		part, args := "-egress", &vpc.SecurityGroupEgressRuleArgs{
			SecurityGroupId: group.ID(),
			Description:     pulumi.String("Everywhere"),
			IpProtocol:      pulumi.String("-1"),
			Tags:            b.ruleTags(),
		}
		if isIPv6(cidr) {
			part, args.CidrIpv6 = part+ipv6Suffix, pulumi.String(cidr)
		} else {
			args.CidrIpv4 = pulumi.String(cidr)
		}
		if _, err = vpc.NewSecurityGroupEgressRule(b.ctx, b.name+"-"+string(role)+part, args,
			pulumi.Parent(b.groups)); err != nil {
			return err
		}
	}
	return nil
}

// ipv6Suffix ends the names of rules for IPv6 that have a counterpart for IPv4.
const ipv6Suffix = "-ipv6"

func (b *groupsBuilder) ruleTags() pulumi.StringMap {
	return pulumi.ToStringMap(b.args.Tagging.Plain(""))
}

// ingress is a rule that allows traffic from a network or a group.
type ingress struct {
	role              Role
	part, description string
	protocol          string
	from, to          int
	// One of them is set.
	cidr, cidrIPv6, source pulumi.StringInput
}

// rules returns all rules, in the order of the roles.
func (b *groupsBuilder) rules() []ingress {
	var rules []ingress
	// The API server's load balancer.
	for _, rule := range b.apiSources() {
		rule.role, rule.description, rule.protocol, rule.from, rule.to = APIServerLB, "Kubernetes API", "tcp", APIPort,
			APIPort
		rules = append(rules, rule)
	}
	// A network load balancer does not preserve client addresses; its nodes and health checks connect from the VPC.
	for i, cidr := range b.args.VPCCIDRs {
		rules = append(rules, ingress{role: LB, part: "api" + suffix(i),
			description: "Allow NLB traffic to the control plane instances.",
			protocol:    "tcp", from: APIPort, to: APIPort, cidr: cidr})
	}
	rules = append(rules, ingress{
		role:        Node,
		part:        "node-ports",
		description: "Node Port Services",
		protocol:    "tcp",
		from:        30000,
		to:          32767,
		cidr:        pulumi.String(anywhere),
	})
	if b.args.ipv6() {
		rules = append(rules,
			ingress{role: LB, part: "api" + ipv6Suffix, description: "Allow NLB traffic to the control plane instances.",
				protocol: "tcp", from: APIPort, to: APIPort,
				cidrIPv6: b.args.VPCIPv6CIDR},
			ingress{
				role:        Node,
				part:        "node-ports" + ipv6Suffix,
				description: "Node Port Services",
				protocol:    "tcp",
				from:        30000,
				to:          32767,
				cidrIPv6:    pulumi.String(anywhereIPv6),
			})
	}
	for _, rule := range GroupRules(b.args.CNI) {
		rules = append(rules, b.fromGroup(rule.Role, rule.part, rule.Description, rule.Protocol, rule.FromPort, rule.ToPort,
			rule.Source))
	}
	for _, role := range []Role{ControlPlane, Node} {
		if b.args.BastionGroupID != nil {
			rules = append(rules, ingress{
				role:        role,
				part:        "ssh-bastion",
				description: "SSH",
				protocol:    "tcp",
				from:        22,
				to:          22,
				source:      b.args.BastionGroupID,
			})
		}
	}
	return rules
}

// GroupRule is a rule that lets machines of a role accept traffic from machines of another role.
type GroupRule struct {
	// Role is the role that accepts the traffic, and Source the one that sends it.
	Role, Source Role
	// Description is that of the rule in AWS.
	Description string
	// Protocol is "tcp", "udp", "-1" or a number. FromPort and ToPort are 0 for all ports.
	Protocol         string
	FromPort, ToPort int
	// Without says what does not work without the rule. Vital is true if the cluster as a whole does not work.
	Without string
	Vital   bool

	part string
}

// GroupRules returns what the machines of a cluster need from each other, with the rules of its network plugin, none
// for Calico's.
func GroupRules(cni []CNIRule) []GroupRule {
	var rules []GroupRule
	for _, source := range []Role{APIServerLB, ControlPlane, Node} {
		rules = append(rules, GroupRule{Role: ControlPlane, Source: source, Description: "Kubernetes API", Protocol: "tcp",
			FromPort: APIPort, ToPort: APIPort, part: "api",
			Without: "the API server is not reached", Vital: true})
	}
	rules = append(rules, GroupRule{Role: ControlPlane, Source: ControlPlane, Description: "etcd", Protocol: "tcp",
		FromPort: 2379, ToPort: 2379, part: "etcd",
		Without: "a control plane of several machines has no etcd", Vital: true},
		GroupRule{Role: ControlPlane, Source: ControlPlane, Description: "etcd peer", Protocol: "tcp", FromPort: 2380,
			ToPort: 2380, part: "etcd-peer",
			Without: "the members of etcd do not reach each other", Vital: true})
	for _, source := range []Role{ControlPlane, Node} {
		rules = append(rules, GroupRule{Role: Node, Source: source, Description: "Kubelet API", Protocol: "tcp",
			FromPort: 10250, ToPort: 10250, part: "kubelet",
			Without: "logs, exec, and metrics of pods fail"})
	}
	for _, role := range []Role{ControlPlane, Node} {
		for _, rule := range (&SecurityGroupsArgs{CNI: cni}).cniRules() {
			for _, source := range []Role{ControlPlane, Node} {
				rules = append(rules, GroupRule{Role: role, Source: source, Description: rule.Description, Protocol: rule.Protocol,
					FromPort: rule.FromPort, ToPort: rule.lastPort(),
					part: "cni-" + rule.part(), Without: "pods on different machines may not reach each other"})
			}
		}
	}
	return rules
}

// part names a rule of the network plugin by its content: its index in the list may change.
func (r CNIRule) part() string {
	if r.FromPort == 0 {
		return map[string]string{
			"-1": "all",
			"4":  "ip-in-ip",
			"50": "esp",
			"58": "icmpv6",
		}[r.Protocol] + strings.TrimLeft(r.Protocol, "-0123456789")
	}
	if r.lastPort() == r.FromPort {
		return r.Protocol + "-" + strconv.Itoa(r.FromPort)
	}
	return fmt.Sprintf("%s-%d-%d", r.Protocol, r.FromPort, r.lastPort())
}

func (b *groupsBuilder) fromGroup(role Role, part, description, protocol string, from, to int, source Role) ingress {
	return ingress{role: role, part: part + "-" + string(source), description: description, protocol: protocol, from: from, to: to,
		source: b.groups.IDs[source]}
}

// apiSources returns the sources that can reach the API server's load balancer: those that the access names and always
// the machines, by the VPC's CIDRs if a load balancer is internal, and by their NAT gateways' addresses if one is
// internet-facing. By IPv6 they reach either one from the VPC's CIDR, which has the load balancer's addresses too.
func (b *groupsBuilder) apiSources() []ingress {
	var sources []ingress
	access := b.args.APIAccess
	if access.has(Internal) {
		for i, cidr := range b.args.VPCCIDRs {
			sources = append(sources, ingress{part: "vpc" + suffix(i), cidr: cidr})
		}
	}
	if access.has(InternetFacing) {
		for _, zone := range b.args.Zones {
			address := b.args.NATAddresses[zone].ToStringOutput().ApplyT(func(address string) string { return address + "/32" })
			sources = append(sources, ingress{part: "nat-" + zone, cidr: address.(pulumi.StringOutput)})
		}
	}
	if b.args.ipv6() {
		sources = append(sources, ingress{part: "vpc" + ipv6Suffix, cidrIPv6: b.args.VPCIPv6CIDR})
	}
	return append(sources, b.cidrSources()...)
}

// cidrSources returns the networks that the access names, except the machines' networks, which have a rule: AWS refuses
// a second one.
func (b *groupsBuilder) cidrSources() []ingress {
	access := b.args.APIAccess
	if len(access.CIDRs) == 0 {
		access.CIDRs = everybody(b.args.ipv6())
	}
	var machines []string
	if access.has(Internal) {
		machines = input.Texts(b.args.VPCCIDRs)
	}
	var sources []ingress
	for _, cidr := range access.networks() {
		part := managementPart
		if slices.Contains(access.CIDRs, cidr) {
			part = cidrPart
		}
		if !slices.Contains(machines, cidr) {
			sources = append(sources, fromCIDR(part, cidr))
		}
	}
	return sources
}

// The parts of the names of rules for networks that the access names.
const (
	cidrPart       = "cidr-"
	managementPart = "management-"
)

// fromCIDR returns the source of a CIDR. A resource's name has no colons, which separate the parts of its URN.
func fromCIDR(part, cidr string) ingress {
	if isIPv6(cidr) {
		return ingress{part: part + strings.ReplaceAll(cidr, ":", "-"), cidrIPv6: pulumi.String(cidr)}
	}
	return ingress{part: part + cidr, cidr: pulumi.String(cidr)}
}

// formerly gives a network's rule an alias of the rule that the network had under another part. Otherwise the engine
// would create the new rule before it deletes the old one, and AWS would refuse the duplicate.
func (b *groupsBuilder) formerly(r *ingress) pulumi.ResourceOption {
	var aliases []pulumi.Alias
	network := r.cidr
	if r.cidrIPv6 != nil {
		network = r.cidrIPv6
	}
	if cidr, plain := input.Plain(network); plain && r.role == APIServerLB && cidr != "" {
		parts := []string{fromCIDR(cidrPart, cidr).part, fromCIDR(managementPart, cidr).part}
		if i := slices.Index(input.Texts(b.args.VPCCIDRs), cidr); i >= 0 {
			parts = append(parts, "vpc"+suffix(i))
		}
		for _, part := range parts {
			if part != r.part {
				aliases = append(aliases, pulumi.Alias{Name: pulumi.String(b.ruleName(r.role, part))})
			}
		}
	}
	return pulumi.Aliases(aliases)
}

func (b *groupsBuilder) ruleName(role Role, part string) string {
	return b.name + "-" + string(role) + "-" + part
}

func suffix(i int) string {
	if i == 0 {
		return ""
	}
	return "-" + strconv.Itoa(i)
}

func (b *groupsBuilder) rule(r *ingress) error {
	args := &vpc.SecurityGroupIngressRuleArgs{
		SecurityGroupId: b.groups.IDs[r.role],
		Description:     pulumi.String(r.description),
		IpProtocol:      pulumi.String(r.protocol),
		Tags:            b.ruleTags(),
	}
	if r.from != 0 {
		args.FromPort, args.ToPort = pulumi.Int(r.from), pulumi.Int(r.to)
	} else if r.protocol == "icmp" || r.protocol == "58" { // every type and code
		args.FromPort, args.ToPort = pulumi.Int(-1), pulumi.Int(-1)
	}
	switch {
	case r.source != nil:
		args.ReferencedSecurityGroupId = r.source.ToStringOutput().ToStringPtrOutput()
	case r.cidrIPv6 != nil:
		args.CidrIpv6 = r.cidrIPv6.ToStringOutput().ToStringPtrOutput()
	default:
		args.CidrIpv4 = r.cidr.ToStringOutput().ToStringPtrOutput()
	}
	_, err := vpc.NewSecurityGroupIngressRule(b.ctx, b.ruleName(r.role, r.part), args, pulumi.Parent(b.groups),
		b.formerly(r))
	return err
}

// checkSecurityGroups returns a fault for each given group, in the order of Roles, that CAPA or the cloud controller
// manager could not use: groups of another VPC, groups that CAPA would delete, and unless exactly one of a machine's
// groups has the cluster's tag.
func checkSecurityGroups(ctx *pulumi.Context, ids []string, cluster, vpcID string, opt pulumi.InvokeOption) error {
	var faults fault.Faults
	for i, role := range Roles() {
		path, id := roleKey(role), ids[i]
		group, err := ec2.LookupSecurityGroup(ctx, &ec2.LookupSecurityGroupArgs{Id: &id}, opt)
		if err != nil {
			faults.Add(path, id, "cannot be looked up: "+awsprovider.Cause(err),
				awsprovider.Remedy(err, "use a security group of this account and region"))
			continue
		}
		if group.VpcId != vpcID {
			faults.Add(path, id, "is in "+group.VpcId, "use a security group in "+vpcID)
		}
		for _, key := range []string{clusterTagPrefix + cluster, ownerTagPrefix + cluster} {
			if group.Tags[key] == "owned" {
				faults.Add(path, id, "has the tag "+key+"=owned, by which CAPA deletes the group with the cluster",
					"remove the tag from it")
			}
		}
		_, tagged := group.Tags[clusterTagPrefix+cluster]
		switch {
		case role == LB && !tagged:
			faults.Add(path, id, "lacks the tag "+clusterTagPrefix+cluster+
				", by which the cloud controller manager finds a machine's group", "add the tag with the value shared")
		case role != LB && tagged:
			faults.Add(path, id, "has the tag "+clusterTagPrefix+cluster+", which only the group of role lb may have",
				"remove the tag from it")
		}
	}
	return faults.Err()
}
