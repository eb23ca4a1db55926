package capa

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/nodes"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// maxLoadBalancerName is the maximum length of a load balancer's name in AWS, in characters.
const maxLoadBalancerName = 32

var (
	labelPattern        = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	versionPattern      = regexp.MustCompile(`^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)([-+].+)?$`)
	instanceTypePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*\.[a-z0-9-]+$`)
	hostPattern         = regexp.MustCompile(`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// Validate returns every fault in args that can be found without calling AWS, including those that the objects'
// webhooks would find.
func (args *Args) Validate() error {
	var faults fault.Faults
	a := args.WithDefaults()
	faults.Join("name", a.validateName())
	if len(a.Namespace) > 63 || !labelPattern.MatchString(a.Namespace) {
		faults.Add("namespace", a.Namespace, "is not the name of a namespace", "use at most 63 of a-z, 0-9 and -")
	}
	faults.Join("tags", validateTags(a.Tags))
	faults.Join("kubernetesVersion", validateVersion(a.KubernetesVersion))
	faults.Join("topology", a.Topology.Validate())
	faults.Join("network", a.validateNetwork())
	faults.Join("", a.validateCIDRs())
	faults.Join("apiAccess", a.validateAPIAccess())
	faults.Join("securityGroups", a.validateSecurityGroups())
	faults.Join("iam", a.IAM.validate())
	faults.Join("identity", a.Identity.validate())
	faults.Join("image", args.Image.validate())
	faults.Join("controlPlane", a.ControlPlane.validate())
	faults.Join("workers", a.validateWorkers(args.Workers))
	if name := input.Text(a.SSHKeyName); len(name) > 255 {
		faults.Add("sshKeyName", name, fmt.Sprintf("has %d characters", len(name)), "use at most 255")
	}
	for i, given := range a.CertSANs {
		name, plain := input.Plain(given)
		if !plain {
			continue
		}
		if _, err := netip.ParseAddr(name); err != nil && (len(name) > 253 || !hostPattern.MatchString(name)) {
			faults.Add(fmt.Sprintf("certSANs[%d]", i), name, "is neither a host name nor an IP address",
				"use one such as api.example.com")
		}
	}
	faults.Join("cni.rules", validateRules(a.CNI.Rules))
	return faults.Err()
}

func (args *Args) validateName() error {
	name, longest := args.Name, maxLoadBalancerName-len("-apiserver")
	switch {
	case name == "":
		return &fault.Fault{Problem: "is missing", Remedy: "set the name of the Cluster"}
	case !labelPattern.MatchString(name):
		return &fault.Fault{
			Value:   name,
			Problem: "is not a DNS label",
			Remedy:  "use a-z, 0-9, and -, and begin and end with a letter or digit",
		}
	case len(args.LoadBalancerName()) > maxLoadBalancerName:
		return &fault.Fault{
			Value: name, Problem: fmt.Sprintf("results in the load balancer name %s with %d characters, and AWS allows %d",
				args.LoadBalancerName(), len(args.LoadBalancerName()), maxLoadBalancerName),
			Remedy: fmt.Sprintf("use at most %d characters", longest),
		}
	case strings.HasPrefix(name, "sg-"):
		return &fault.Fault{
			Value:   name,
			Problem: "would begin the names of security groups, and AWS does not allow the prefix sg-",
			Remedy:  "use another name",
		}
	}
	return nil
}

func validateVersion(version string) error {
	switch {
	case version == "":
		return &fault.Fault{Problem: "is missing", Remedy: "set a version such as v1.33.4"}
	case !strings.HasPrefix(version, "v") && versionPattern.MatchString("v"+version):
		return &fault.Fault{
			Value:   version,
			Problem: "has no v in front, which Cluster API requires",
			Remedy:  "use v" + version,
		}
	case !versionPattern.MatchString(version):
		return &fault.Fault{
			Value:   version,
			Problem: "is not a version of Kubernetes",
			Remedy:  "use one with three numbers, such as v1.33.4",
		}
	}
	return nil
}

// validateNetwork returns the faults in the network, alone and with the topology.
func (args *Args) validateNetwork() error {
	var faults fault.Faults
	faults.Join("", args.BaseNetwork("").Validate())
	n, nat := args.Network, args.NATOrDefault()
	if args.Topology == Public {
		if n.NAT != "" && n.NAT != network.None {
			faults.Add("nat", string(n.NAT), "creates NAT gateways for private subnets, and topology Public has no machines there", "leave it out")
		}
		if n.Bastion != nil {
			faults.Add("bastion", nil, "is for machines in private subnets, and topology Public has none there",
				"leave it out; the machines have public addresses")
		}
		return faults.Err()
	}
	if n.NAT != network.None || n.RoutesInternet() {
		return faults.Err()
	}
	if args.APIAccess.Scheme == InternetFacing {
		faults.Add("nat", string(nat), "leaves the machines without a route to their internet-facing load balancer",
			"use PerZone or Single, or apiAccess.scheme internal")
	}
	return faults.Err()
}

// requiredServices returns the services that a machine calls before it is a node: Secrets Manager has its user data,
// and EC2 its name.
func requiredServices() []string { return []string{"ec2", "secretsmanager"} }

// NodeServices returns the services that machines and their workloads call: the preset "nodes" of interface endpoints.
func NodeServices() []string {
	return []string{"ec2", "ecr.api", "ecr.dkr", "elasticloadbalancing", "secretsmanager", "sts"}
}

// validateCIDRs returns the faults of the pod and Service networks, which neither Cluster API nor CAPA compares. The
// VPC must not overlap either.
func (args *Args) validateCIDRs() error {
	var faults fault.Faults
	pods, err := parseCIDR(args.Pods)
	faults.Join("pods", err)
	services, servicesErr := parseCIDR(args.Services)
	faults.Join("services", servicesErr)
	if err == nil && servicesErr == nil && pods.Overlaps(services) {
		faults.Add("services", args.Services, "overlaps pods, which are "+args.Pods, "use a CIDR that does not overlap it")
	}
	faults.Join("", args.validateIPv6CIDRs())
	return faults.Err()
}

// parseCIDR reads an IPv4 network.
func parseCIDR(cidr string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil || !prefix.Addr().Is4():
		return prefix, &fault.Fault{
			Value:   cidr,
			Problem: "is not an IPv4 CIDR",
			Remedy:  "use an address and a length, such as 192.168.0.0/16",
		}
	case prefix.Masked() != prefix:
		return prefix, &fault.Fault{
			Value:   cidr,
			Problem: "is not a network address",
			Remedy:  "use " + prefix.Masked().String(),
		}
	}
	return prefix, nil
}

func (args *Args) validateAPIAccess() error {
	var faults fault.Faults
	a := args.APIAccess
	faults.Join("", a.validate(args.Network.IPv6))
	if !a.restricted() {
		return faults.Err()
	}
	switch {
	case args.Topology == Public && a.Scheme == InternetFacing:
		faults.Add("cidrs", strings.Join(a.CIDRs, ", "),
			"blocks the nodes, which connect from their public addresses in topology Public",
			"leave it out, or use topology Private")
	case len(a.ManagementCIDRs) == 0:
		faults.Add("managementCIDRs", nil, "is missing, and cidrs are restricted: without the API server Cluster API's controllers cannot manage the cluster",
			"set the networks that the management cluster connects from")
	}
	return faults.Err()
}

// validate returns the faults that do not depend on the cluster's topology. ipv6 is true in a VPC with IPv6.
func (a APIAccess) validate(ipv6 bool) error {
	var faults fault.Faults
	faults.Join("scheme", a.Scheme.Validate())
	for _, list := range []struct {
		path  string
		cidrs []string
	}{{"cidrs", a.CIDRs}, {"managementCIDRs", a.ManagementCIDRs}} {
		seen := map[string]int{}
		for i, cidr := range list.cidrs {
			path := fmt.Sprintf("%s[%d]", list.path, i)
			parse := parseCIDR
			if ipv6 && isIPv6(cidr) {
				parse = parseIPv6CIDR
			}
			if _, err := parse(cidr); err != nil {
				faults.Join(path, err)
			} else if first, twice := seen[cidr]; twice {
				faults.Add(path, cidr, fmt.Sprintf("duplicates [%d]", first), "list each network once")
			} else {
				seen[cidr] = i
			}
		}
	}
	if !a.restricted() && len(a.ManagementCIDRs) > 0 {
		faults.Add("managementCIDRs", strings.Join(a.ManagementCIDRs, ", "), "has no effect while everybody may connect",
			"use cidrs too, or leave it out")
	}
	return faults.Err()
}

// validateSecurityGroups returns a fault for each missing or invalid group. All four are given or none: the rules of
// given groups would have to refer to the IDs of groups that CAPA creates later.
func (args *Args) validateSecurityGroups() error {
	var faults fault.Faults
	c := args.SecurityGroups
	if c.IDs == nil {
		return nil
	}
	if c.Create != nil && *c.Create {
		faults.Add("create", true, "conflicts with ids", "leave one of them out")
	}
	if args.Network.Existing == nil {
		faults.Add("ids", nil, "are groups of a VPC that does not exist yet",
			"use them together with network.existing, or leave them out")
	}
	seen := map[string]string{}
	for _, role := range Roles() {
		path := "ids." + roleKey(role)
		id, plain := input.Plain(c.IDs.ID(role))
		switch first, twice := seen[id]; {
		case !plain:
		case id == "":
			faults.Add(path, nil, "is missing", "set all four groups, or leave ids out")
		case !awsid.IsEC2("sg", id):
			faults.Add(path, id, "is not the ID of a security group", "use one such as sg-0123456789abcdef0")
		case twice:
			faults.Add(path, id, "is already "+first, "use a different group for each role")
		}
		if id != "" {
			seen[id] = path
		}
	}
	return faults.Err()
}

// roleKey returns the key of a role in SecurityGroupIDs.
func roleKey(role Role) string {
	return map[Role]string{APIServerLB: "apiServerLB", LB: "lb", ControlPlane: "controlPlane", Node: "node"}[role]
}

func (i IAMArgs) validate() error {
	var faults fault.Faults
	if i.Existing != nil {
		for _, given := range i.Existing.profiles() {
			if input.IsSet(given.name) {
				faults.Join(given.path, input.IfPlain(given.name, validateProfileName))
			} else {
				faults.Add(given.path, nil, "is missing", "set both instance profiles, or leave existing out")
			}
		}
	}
	if i.Path != "" && !awsid.IsPath(i.Path) {
		faults.Add("path", i.Path, "is not an IAM path", "use one that begins and ends with a slash, such as /capa/")
	}
	if input.IsSet(i.PermissionsBoundary) {
		faults.Join("permissionsBoundary", input.IfPlain(i.PermissionsBoundary, iam.ValidateAnyPolicyARN))
	}
	return faults.Err()
}

func validateProfileName(name string) error {
	if len(name) <= 128 && awsid.IsName(name) {
		return nil
	}
	return &fault.Fault{
		Value:   name,
		Problem: "is not the name of an instance profile",
		Remedy:  "use its name, not its ARN: letters, digits and +=,.@_-",
	}
}

func validateInstanceType(name string) error {
	if instanceTypePattern.MatchString(name) {
		return nil
	}
	return &fault.Fault{Value: name, Problem: "is not an instance type", Remedy: "use one such as " + DefaultInstanceType}
}

func (c *ControlPlaneArgs) validate() error {
	var faults fault.Faults
	switch {
	case c.Replicas < 1:
		faults.Add("replicas", c.Replicas, "is not a number of control-plane machines", "use 1, 3 or 5")
	case c.Replicas%2 == 0:
		faults.Add("replicas", c.Replicas, "is even, and etcd on the machines needs an odd number for its quorum",
			fmt.Sprintf("use %d or %d", c.Replicas-1, c.Replicas+1))
	}
	faults.Join("instanceType", validateInstanceType(c.InstanceType))
	faults.Join("rootVolume", c.RootVolume.validate())
	faults.Join("volumes", validateVolumes(c.Volumes))
	faults.Join("kubeadm", c.Kubeadm.validate())
	faults.Join("", c.HealthCheck.validate(c.Spec.HealthCheck, "spec.healthCheck"))
	return faults.Err()
}

// maxPoolName keeps the names of MachineDeployments, <cluster>-<pool>-<zone>, within 63 characters.
const maxPoolName = 20

// validateWorkers returns the faults of the pools, with their defaults and as they were given.
func (args *Args) validateWorkers(given []WorkersArgs) error {
	var faults fault.Faults
	names, zones := map[string]int{}, args.zoneNames()
	for i := range args.Workers {
		w := &args.Workers[i]
		path := fmt.Sprintf("[%d]", i)
		switch first, twice := names[w.Name]; {
		case w.Name == "":
			faults.Add(path+".name", nil, "is missing", "set the pool's name")
		case len(w.Name) > maxPoolName || !labelPattern.MatchString(w.Name):
			faults.Add(path+".name", w.Name, "is not the name of a pool",
				fmt.Sprintf("use at most %d of a-z, 0-9 and -", maxPoolName))
		case w.Name == PartControlPlane:
			faults.Add(path+".name", w.Name, "is the name of the control plane's machines", "use another name")
		case twice:
			faults.Add(path+".name", w.Name, fmt.Sprintf("is already the name of workers[%d]", first),
				"use a different name for each pool")
		default:
			names[w.Name] = i
		}
		if w.AutoScaling != nil && i < len(given) && given[i].Replicas != nil {
			faults.Add(path+".autoScaling", nil, "conflicts with replicas", "leave one of them out")
		}
		if *w.Replicas < 0 {
			faults.Add(path+".replicas", *w.Replicas, "is negative", "use 0 or more nodes per zone")
		}
		seen := map[string]int{}
		for j, zone := range w.Zones {
			at := fmt.Sprintf("%s.zones[%d]", path, j)
			if first, twice := seen[zone]; twice {
				faults.Add(at, zone, fmt.Sprintf("is already zones[%d]", first), "list each zone once")
			} else if !slices.Contains(zones, zone) {
				faults.Add(at, zone, "has no subnet in the network",
					"use one of "+strings.Join(zones, ", ")+", or add it to network.zones")
			}
			seen[zone] = j
		}
		faults.Join(path+".instanceType", validateInstanceType(w.InstanceType))
		faults.Join(path+".rootVolume", w.RootVolume.validate())
		faults.Join(path+".volumes", validateVolumes(w.Volumes))
		faults.Join(path+".kubeadm", w.Kubeadm.validate())
		faults.Join(path, w.validateNodes())
		faults.Join(path, w.HealthCheck.validate(w.Spec.HealthCheck, "spec.healthCheck"))
	}
	return faults.Err()
}

// minRootVolume is the minimum size of a root volume in CAPA's CRD, in GiB.
const minRootVolume = 8

// validate returns the faults that CAPA's webhook would find in a root volume.
func (v *RootVolume) validate() error {
	var faults fault.Faults
	if v == nil {
		return nil
	}
	if v.Size < minRootVolume {
		faults.Add("size", v.Size, "is too small for a root volume", fmt.Sprintf("use %d GiB at least", minRootVolume))
	}
	faults.Join("", nodes.CheckVolume(nodes.Volume{
		Type: v.Type, SizeGiB: int64(v.Size), IOPS: int64(v.IOPS), Throughput: int64(v.Throughput),
		Encrypted: v.Encrypted, EncryptionKey: input.Text(v.EncryptionKey),
	}))
	return faults.Err()
}

// ruleProtocols returns the protocols of CAPA's CRD.
func ruleProtocols() []string { return []string{"-1", "4", "tcp", "udp", "icmp", "58", "50"} }

func validateRules(rules []CNIRule) error {
	var faults fault.Faults
	for i, rule := range rules {
		path := fmt.Sprintf("[%d]", i)
		ports := rule.Protocol == "tcp" || rule.Protocol == "udp"
		last := rule.lastPort()
		switch {
		case rule.Description == "":
			faults.Add(path+".description", nil, "is missing", "set a description of the rule")
		case len(rule.Description) > 255:
			faults.Add(path+".description", rule.Description, "is too long", "use at most 255 characters")
		}
		switch {
		case !slices.Contains(ruleProtocols(), rule.Protocol):
			faults.Add(path+".protocol", rule.Protocol, "is not a protocol that CAPA supports",
				"use one of "+strings.Join(ruleProtocols(), ", "))
		case ports && (rule.FromPort < 1 || last > 65535 || last < rule.FromPort):
			faults.Add(path+".fromPort", fmt.Sprintf("%d-%d", rule.FromPort, last), "is not a range of ports", "use 1 to 65535")
		case !ports && (rule.FromPort != 0 || rule.ToPort != 0):
			faults.Add(path+".fromPort", rule.FromPort, "cannot be set for protocol "+rule.Protocol, "leave the ports out")
		}
	}
	return faults.Err()
}

// lastPort returns the last port that a rule opens.
func (r CNIRule) lastPort() int {
	if r.ToPort == 0 {
		return r.FromPort
	}
	return r.ToPort
}
