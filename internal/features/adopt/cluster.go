package adopt

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Cluster is the config derived from the account's resources of a cluster.
type Cluster struct {
	config.Cluster
	// Region is where the cluster is.
	Region string
	// Incomplete are the lists that could not be read: values that depend on them are missing.
	Incomplete []string
	// Unsure maps a key, "endpointAccess", to the reason why its value is not certain.
	Unsure map[string]string

	// kmsKey is the key that the roles may use, "" for none.
	kmsKey string
	// zoneOf maps the ID of each subnet that matches the layout to its availability zone.
	zoneOf map[string]place
}

// place is the position of a subnet in the layout.
type place struct {
	zone           string
	slot           int
	public, second bool
}

// Cluster derives the cluster's config.
func (s *Survey) Cluster(ctx context.Context) (*Cluster, error) {
	c := &Cluster{Region: s.Region, Unsure: map[string]string{}, zoneOf: map[string]place{}}
	c.InfraID, c.EndpointAccess = s.InfraID, s.EndpointAccess
	c.Network.ElasticIPs, c.IAM.ExtraPolicies = map[string]pulumi.StringInput{}, map[iam.RoleName][]string{}
	for _, step := range []func(context.Context, *Survey) error{c.layOut, c.name, c.access, c.egress, c.services,
		c.flowLogs, c.bastion, c.ownersRoles, c.domain, c.identity,
		c.tags} {
		if err := step(ctx, s); err != nil {
			return nil, err
		}
	}
	c.Incomplete = s.Incomplete
	return c, nil
}

// layOut finds the zones and their slots by the CIDRs of the subnets.
func (c *Cluster) layOut(_ context.Context, s *Survey) error {
	if c.Network.VPCCIDR = s.VPC.Text("cidrBlock"); c.Network.VPCCIDR == layout.DefaultVPCCIDR {
		c.Network.VPCCIDR = ""
	}
	first, err := layout.New(s.VPC.Text("cidrBlock"), layout.AWSReserved())
	if err != nil {
		return foreign(fmt.Sprintf("VPC %s: %v", s.VPC.ID, err))
	}
	var second *layout.Secondary
	for _, block := range s.secondary {
		if found, err := layout.NewSecondary(block.Text("cidrBlock"), first, layout.AWSReserved()); err == nil {
			c.Network.SecondaryCIDR, second = block.Text("cidrBlock"), &found
		}
	}
	slots := map[string]int{}
	private := false
	for _, subnet := range s.Subnets {
		cidr, zone := subnet.Text("cidrBlock"), subnet.Text("availabilityZone")
		at := place{zone: zone}
		slot, known := first.Slot(cidr)
		if known {
			at.slot, at.public = slot, cidr == first.Public(slot)
		}
		for i := range layout.Slots {
			if second != nil && second.Subnet(i) == cidr {
				at.slot, at.second, known = i, true, true
			}
		}
		if !known {
			if s.owns(subnet) {
				return foreign(fmt.Sprintf("subnet %s has %s, which is none of the subnets of %s", subnet.ID, cidr,
					s.VPC.Text("cidrBlock")))
			}
			continue
		}
		if before, twice := slots[zone]; twice && before != at.slot {
			return foreign(fmt.Sprintf("the subnets of zone %s are not of one slot: %s", zone, cidr))
		}
		slots[zone], c.zoneOf[subnet.ID] = at.slot, at
		private = private || !at.public && !at.second
	}
	if len(slots) == 0 && s.unread("subnet") {
		return &failure.Error{
			Reason: failure.Failed,
			Problem: "the layout of VPC " + s.VPC.ID +
				" cannot be determined without its subnets; these could not be listed:\n  " + strings.Join(s.Incomplete, "\n  "),
			Remedy: "allow the actions that AWS names there, and run the command again",
		}
	}
	if len(slots) == 0 {
		return foreign(fmt.Sprintf("VPC %s has no subnet of the cluster's", s.VPC.ID))
	}
	c.Network.PublicOnly = !private
	for zone, slot := range slots {
		c.Network.Zones = append(c.Network.Zones, network.Zone{Name: zone, Slot: &slot})
	}
	slices.SortFunc(c.Network.Zones, func(a, b network.Zone) int { return cmp.Compare(*a.Slot, *b.Slot) })
	inOrder := true
	for i, zone := range c.Network.Zones {
		inOrder = inOrder && *zone.Slot == i
	}
	for i := range c.Network.Zones {
		if inOrder {
			c.Network.Zones[i].Slot = nil
		}
	}
	return nil
}

// foreign returns the error for a network that no stack can have created.
func foreign(problem string) error {
	return &failure.Error{
		Reason: failure.Refused, Problem: problem + ": no stack creates such a network, so none can own it",
		Remedy: "use it as it is: `hypershift-aws new -s STACK --infra-json F --iam-json F` writes a stack that refers to it under network.existing",
	}
}

var generated = regexp.MustCompile(`^(.+)-[a-z0-9]{5}$`)

// clusterNameTag is the tag with the cluster's name, set since July 2026.
const clusterNameTag = "hypershift.openshift.io/cluster-name"

// name finds the cluster's name.
func (c *Cluster) name(_ context.Context, s *Survey) error {
	local, hasLocal := s.localZone()
	switch {
	case s.Name != "":
		c.Name = s.Name
	case s.Infra != nil && s.Infra.Name != "":
		c.Name = s.Infra.Name
	case s.VPC.Tags[clusterNameTag] != "":
		c.Name = s.VPC.Tags[clusterNameTag]
	case hasLocal:
		c.Name = strings.TrimSuffix(local.Text("name"), localZoneSuffix)
	case generated.MatchString(s.InfraID):
		c.Name = generated.FindStringSubmatch(s.InfraID)[1]
		c.Unsure["name"] = "guessed from the infra ID; use --name"
	default:
		c.Name = s.InfraID
		c.Unsure["name"] = "guessed from the infra ID; use --name"
	}
	return nil
}

// access finds the access mode. HyperShift's CLI creates the same resources for every mode: then access assumes the
// widest mode, which uses all of them.
func (c *Cluster) access(_ context.Context, s *Survey) error {
	_, local := s.localZone()
	public := slices.ContainsFunc(s.Subnets, func(subnet inventory.Resource) bool {
		_, tagged := subnet.Tags[hypershift.PublicELBTag]
		return tagged && c.zoneOf[subnet.ID].public
	})
	switch {
	case s.EndpointAccess != "":
		return nil
	case local && public:
		c.EndpointAccess = hypershift.PublicAndPrivate
		c.Unsure["endpointAccess"] = "HyperShift's CLI creates the same for Public, PublicAndPrivate and Private: compare it with spec.platform.aws.endpointAccess of the HostedCluster"
	case local:
		c.EndpointAccess = hypershift.Private
	case public:
		c.EndpointAccess = hypershift.Public
	default:
		c.EndpointAccess = hypershift.Private
		c.Unsure["endpointAccess"] = "there is neither a local zone nor a public subnet"
	}
	return nil
}

// egress finds the NAT strategy, and elastic IPs that are not the cluster's own.
func (c *Cluster) egress(ctx context.Context, s *Survey) error {
	switch {
	case len(s.NATs) == 0:
		c.Network.NAT = network.None
		if s.unread("NAT gateway") {
			c.Unsure["nat"] = "NAT gateways could not be listed"
		}
	case len(s.NATs) == 1 && len(c.Network.Zones) > 1:
		c.Network.NAT = network.Single
	case len(s.NATs) == 1:
		c.Network.NAT = network.PerZone
		c.Unsure["nat"] = "PerZone and Single are the same in one zone"
	default:
		c.Network.NAT = network.PerZone
	}
	if c.Network.PublicOnly {
		c.Network.NAT = ""
		delete(c.Unsure, "nat")
	}
	for _, nat := range s.NATs {
		at, known := c.zoneOf[nat.Text("subnetId")]
		if !known || nat.Text("allocationId") == "" {
			continue
		}
		for _, address := range s.list(ctx, s.owner, awstype.ElasticIP, map[string]any{"id": nat.Text("allocationId")}) {
			if address.ID == nat.Text("allocationId") && !s.owns(address) {
				c.Network.ElasticIPs[at.zone] = pulumi.String(address.ID)
			}
		}
	}
	return nil
}

var serviceName = regexp.MustCompile(`^(?:cn\.)?com\.amazonaws\.([a-z0-9-]+)\.([a-z0-9.-]+)$`)

// services finds the endpoints, the proxy, the DHCP options and the default security group.
func (c *Cluster) services(ctx context.Context, s *Survey) error {
	var proxy network.Proxy
	for _, e := range s.Endpoints {
		name := e.Text("serviceName")
		match := serviceName.FindStringSubmatch(name)
		switch {
		case !s.owns(e) || !strings.EqualFold(e.Text("vpcEndpointType"), "Interface"):
		case e.Tags["Name"] == s.InfraID+"-http-proxy":
			proxy.EndpointService = pulumi.String(name)
		case match != nil && !strings.Contains(name, ".vpce."):
			c.Network.InterfaceEndpoints = append(c.Network.InterfaceEndpoints, match[2])
		}
	}
	slices.Sort(c.Network.InterfaceEndpoints)
	if domain := s.options.Text("domainName"); s.owns(s.options) && domain != network.DefaultDHCPDomainName(s.Region) {
		c.Network.DHCPDomainName = pulumi.String(domain)
	}
	if s.Infra != nil {
		proxy.CA = pulumi.String(s.Infra.ProxyCA)
		if proxy.EndpointService == nil {
			proxy.HTTPAddress, proxy.HTTPSAddress = pulumi.String(s.Infra.ProxyAddr), pulumi.String(s.Infra.SecureProxyAddr)
		}
	} else {
		for _, host := range s.hosts {
			if s.owns(host) && host.Tags["Name"] == s.InfraID+"-http-proxy" && host.Text("privateIp") != "" {
				proxy.HTTPAddress = pulumi.String("http://" + host.Text("privateIp") + ":3128")
				c.Unsure["proxy"] = "the address of instance " + host.ID + ", which HyperShift's CLI created and the stack does not manage; caFile is not known"
			}
		}
		if proxy.EndpointService != nil {
			proxy.HTTPAddress = nil
		}
	}
	if proxy.EndpointService != nil || input.IsSet(proxy.HTTPAddress) {
		c.Network.Proxy = &proxy
		if c.Network.NAT == network.None {
			c.Network.NAT = ""
		}
	}
	c.Network.KeepDefaultSecurityGroup = s.KeepDefaultGroup && hasRules(s.defaultGroup)
	if s.shared {
		c.Network.Shared = &network.SharedVPC{}
		for _, zone := range s.list(ctx, s.account, awstype.VPC, s.ofCluster()) {
			if zone.Tags["Name"] == s.InfraID+zonesVPCName {
				c.Network.Shared.PrivateZonesIn = network.ClusterZones
			}
		}
	}
	return nil
}

// domain finds the base domain: the public zone that the ingress role may write to, or what follows the cluster's name.
func (c *Cluster) domain(ctx context.Context, s *Survey) error {
	zone, found := s.privateZone()
	full := zone.Text("name")
	switch {
	case s.Infra != nil && s.Infra.BaseDomain != "":
		c.BaseDomain = s.Infra.BaseDomain
		if s.Infra.BaseDomainPrefix != "" {
			c.BaseDomainPrefix = s.Infra.BaseDomainPrefix
		}
	case !found:
		c.BaseDomain = "example.com"
		c.Unsure["baseDomain"] = "the VPC has no private zone: use the cluster's base domain"
		return nil
	default:
		c.BaseDomain = s.publicDomain(ctx, c.InfraID, zone)
	}
	switch {
	case full == c.BaseDomain && full != "":
		c.BaseDomainPrefix = hypershift.NoPrefix
	case c.BaseDomain != "" && strings.HasSuffix(full, "."+c.BaseDomain):
		c.BaseDomainPrefix = strings.TrimSuffix(full, "."+c.BaseDomain)
	case strings.HasPrefix(full, c.Name+"."):
		c.BaseDomain, c.BaseDomainPrefix = strings.TrimPrefix(full, c.Name+"."), ""
	case strings.Count(full, ".") < 2:
		c.BaseDomain, c.BaseDomainPrefix = full, hypershift.NoPrefix
	default:
		c.BaseDomainPrefix, c.BaseDomain, _ = strings.Cut(full, ".")
		c.Unsure["baseDomain"] = "the private zone is " + full + ", and the prefix in it is a guess"
	}
	if c.BaseDomainPrefix == c.Name {
		c.BaseDomainPrefix = ""
	}
	return nil
}

var zoneARN = regexp.MustCompile(`:hostedzone/(Z[A-Z0-9]+)`)

// publicDomain returns the domain of the public zone that the ingress role may write to, or "" if there is none.
func (s *Survey) publicDomain(ctx context.Context, infraID string, private inventory.Resource) string {
	names := map[string]string{}
	for _, role := range s.sortedNames() {
		if kind, shared := kindOf(role); kind != iam.RoleIngress && !shared {
			continue
		}
		for _, p := range s.list(ctx, s.account, awstype.RolePolicy, map[string]any{"role": role}) {
			if p.Text("role") != role {
				continue
			}
			for _, match := range zoneARN.FindAllStringSubmatch(p.Text("policy"), -1) {
				names[match[1]] = ""
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	longest := ""
	for _, zone := range s.list(ctx, s.account, awstype.HostedZone, nil) {
		name := strings.TrimSuffix(zone.Text("name"), ".")
		_, named := names[zone.ID]
		isPrivate := zone.Properties["private"] == true || len(account.Texts(zone, "vpcs.vpcId")) > 0
		if named && !isPrivate && strings.HasSuffix("."+private.Text("name"), "."+name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}
