package seed

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"regexp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// seededCIDR is the CIDR of seeded VPCs.
const seededCIDR = "10.0.0.0/16"

// createNetwork creates a seed of one of the network's kinds, whose name is the ID.
func (s Seed) createNetwork(c *aws.Call) error {
	if err := s.checkNetwork(); err != nil {
		return err
	}
	token := types()[s.Kind]
	switch s.Kind {
	case VPC, ClientVPC:
		defer s.ownedBy(c, token)
		return seedVPC(c, s)
	case DefaultVPC:
		if err := seedVPC(c, s); err != nil {
			return err
		}
		c.Edit(awstype.VPC, s.Name).State["default"] = true
	case PrivateSubnet, PublicSubnet, MainTableSubnet:
		defer s.ownedBy(c, token)
		return seedSubnet(c, s)
	case ClientSubnet:
		s.Kind, s.Zone = PrivateSubnet, s.clientZone(c)
		return seedSubnet(c, s)
	case SecurityGroup, ClientGroup:
		_, err := seed(c, awstype.SecurityGroup, s.Name, props.Map{"vpcId": s.VPC,
			"name": "there before any stack: " + s.Name, "description": "any",
			"tags": map[string]any(aws.Tags(s.Tags))})
		return err
	case ElasticIP:
		_, err := seed(c, awstype.ElasticIP, s.Name, props.Map{"domain": "vpc"})
		return err
	case PrivateZone:
		zones, err := c.AllAccounts(awstype.HostedZone)
		if err != nil || slices.ContainsFunc(zones, func(zone aws.Foreign) bool { return zone.ID == s.Name }) {
			return err // the account of its owner has it
		}
		_, err = seed(c, awstype.HostedZone, s.Name, props.Map{"name": s.Domain, "comment": "",
			"vpcs": []any{map[string]any{"vpcId": s.VPC}}})
		return err
	case AWSService:
		put(c, token, s.Name, c.Region, props.Map{"zoneIds": props.List(s.ZoneIDs...)})
	case TransitGateway:
		put(c, token, s.Name, c.Region, props.Map{})
	case IPAMPool:
		put(c, token, s.Name, c.Region, props.Map{
			"cidr":   cmp.Or(s.CIDR, "10.0.0.0/8"),
			"scope":  "private",
			"locale": c.Region,
		})
	case PublicIPAMPool, PublicIPv4Pool:
		put(c, token, s.Name, c.Region, props.Map{
			"cidr":   cmp.Or(s.CIDR, "198.51.100.0/28"),
			"scope":  "public",
			"locale": c.Region,
		})
	case KeyPair:
		_, err := seed(c, awstype.KeyPair, "", props.Map{"keyName": s.Name, "publicKey": seededKey})
		return err
	case Image:
		put(c, token, s.Name, c.Region, props.Map{"name": cmp.Or(s.ImageName, s.Name),
			"architecture": aws.ArchitectureOf(s.InstanceType),
			"owner":        c.Account, "creationDate": ids.Milliseconds()})
	case EndpointService, FirewallService:
		state := props.Map{
			"serviceName":       s.Name,
			"availabilityZones": props.List(c.ZoneNames()...),
			"allowedPrincipals": props.List("*"),
		}
		if s.Kind == FirewallService {
			state["gatewayLoadBalancerArns"] = props.List(c.ARN("elasticloadbalancing",
				"loadbalancer/gwy/firewall/0123456789abcdef"))
		}
		put(c, token, s.Name, c.Region, state)
	default:
		return fmt.Errorf("%q is not a kind of seed", s.Kind)
	}
	return nil
}

// put stores a resource as it is.
func put(c *aws.Call, token, id, scope string, state props.Map) {
	c.Put(&store.Entry{Type: token, ID: id, Scope: scope, Origin: store.BySeed, State: state})
}

// checkNetwork refuses a seed without the fields that its kind needs.
func (s Seed) checkNetwork() error {
	isSubnet := s.Kind == PrivateSubnet || s.Kind == PublicSubnet || s.Kind == MainTableSubnet
	switch {
	case s.Name == "":
		return fmt.Errorf("a seed of kind %q needs Name", s.Kind)
	case isSubnet && (s.Zone == "" || s.VPC == ""):
		return fmt.Errorf("%s needs Zone and VPC", s)
	case (s.Kind == SecurityGroup || s.Kind == ClientSubnet || s.Kind == ClientGroup) && s.VPC == "":
		return fmt.Errorf("%s needs VPC", s)
	case s.Kind == Image && aws.ArchitectureOf(s.InstanceType) == "":
		return fmt.Errorf("%s needs InstanceType, one that exists", s)
	case s.Kind == PrivateZone && (s.Domain == "" || s.VPC == ""):
		return fmt.Errorf("%s needs Domain and VPC", s)
	}
	return nil
}

// seed creates a resource with origin BySeed; id is "" for a generated one.
func seed(c *aws.Call, token, id string, inputs props.Map) (string, error) {
	made, err := c.Make(store.BySeed, token, id, inputs)
	if err != nil {
		return "", err
	}
	return made.ID, nil
}

func seedVPC(c *aws.Call, s Seed) error {
	cidr := cmp.Or(s.CIDR, seededCIDR)
	if _, err := seed(c, awstype.VPC, s.Name, props.Map{"cidrBlock": cidr, "enableDnsHostnames": true}); err != nil {
		return err
	}
	if _, err := seed(c, awstype.InternetGateway, "", props.Map{"vpcId": s.Name}); err != nil {
		return err
	}
	if _, err := seed(c, awstype.VPCEndpoint, "", props.Map{"vpcId": s.Name, "vpcEndpointType": "Gateway",
		"serviceName": "com.amazonaws." + c.Region + ".s3"}); err != nil || len(s.Services) == 0 {
		return err
	}
	group, err := seed(c, awstype.SecurityGroup, "", props.Map{"vpcId": s.Name, "name": "endpoints", "description": "any"})
	if err == nil {
		_, err = seed(c, awstype.SecurityGroupIngressRule, "", props.Map{"securityGroupId": group, "ipProtocol": "tcp",
			"fromPort": 443.0, "toPort": 443.0, "cidrIpv4": cidr})
	}
	for _, service := range s.Services {
		if err == nil && service != "s3" {
			_, err = seed(c, awstype.VPCEndpoint, "", props.Map{"vpcId": s.Name, "vpcEndpointType": "Interface",
				"serviceName": "com.amazonaws." + c.Region + "." + service, "privateDnsEnabled": true,
				"securityGroupIds": props.List(group)})
		}
	}
	return err
}

// seedSubnet creates a subnet in the VPC's next free sixteenth. It has its own route table or, of kind MainTableSubnet,
// uses the VPC's main table.
func seedSubnet(c *aws.Call, s Seed) error {
	id, zone, vpc, public := s.Name, s.Zone, s.VPC, s.Kind != PrivateSubnet
	before := len(c.Where(awstype.Subnet, "vpcId", vpc))
	if _, err := seed(c, awstype.Subnet, id, props.Map{"vpcId": vpc, "availabilityZone": zone,
		"cidrBlock": sixteenth(c.Find(awstype.VPC, vpc).State.String("cidrBlock"), before)}); err != nil {
		return err
	}
	defaultRoute := map[string]any{"cidrBlock": "0.0.0.0/0", "transitGatewayId": ids.StableEC2("tgw", c.Account)}
	if public {
		delete(defaultRoute, "transitGatewayId")
		for _, gateway := range c.Where(awstype.InternetGateway, "vpcId", vpc) {
			defaultRoute["gatewayId"] = gateway.ID
		}
	}
	if !public {
		attach(c, vpc, id)
	}
	table, err := seed(c, awstype.RouteTable, "", props.Map{"vpcId": vpc, "routes": []any{defaultRoute}})
	if err != nil {
		return err
	}
	for _, endpoint := range c.Where(awstype.VPCEndpoint, "vpcId", vpc) {
		if endpoint.State.String("vpcEndpointType") == "Gateway" {
			edited := c.Edit(awstype.VPCEndpoint, endpoint.ID)
			edited.State["routeTableIds"] = append(edited.State["routeTableIds"].([]any), table)
		}
	}
	if s.Kind == MainTableSubnet {
		_, err = seed(c, awstype.MainRouteTableAssociation, "", props.Map{"routeTableId": table, "vpcId": vpc})
		return err
	}
	_, err = seed(c, awstype.RouteTableAssociation, "", props.Map{"routeTableId": table, "subnetId": id})
	return err
}

// sixteenth returns the CIDR of the nth sixteenth of a VPC.
func sixteenth(vpc string, n int) string {
	prefix := netip.MustParsePrefix(vpc)
	base, bits := prefix.Addr().As4(), prefix.Bits()+4
	binary.BigEndian.PutUint32(base[:], binary.BigEndian.Uint32(base[:])+uint32(n)<<(32-bits))
	return netip.PrefixFrom(netip.AddrFrom4(base), bits).String()
}

// attach adds a subnet to the attachment of the VPC to the account's transit gateway.
func attach(c *aws.Call, vpc, subnet string) {
	id := ids.StableEC2("tgw-attach", vpc)
	if c.Find(awstype.TransitGatewayAttachment, id) == nil {
		put(c, awstype.TransitGatewayAttachment, id, c.Region, props.Map{
			"vpcId":            vpc,
			"transitGatewayId": ids.StableEC2("tgw", c.Account),
			"subnetIds":        []any{},
		})
	}
	rec := c.Edit(awstype.TransitGatewayAttachment, id)
	rec.State["subnetIds"] = append(rec.State["subnetIds"].([]any), subnet)
}

// seededKey is the public key of every key pair that is a seed.
const seededKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA seed"

var loadBalancerARN = regexp.MustCompile(
	`^arn:[a-z-]+:elasticloadbalancing:([a-z0-9-]+):(\d{12}):(loadbalancer/(app|net|gwy)/([0-9A-Za-z-]+)/[0-9a-f]+)$`)

// clientZone returns the name of a zone that the VPC has no subnet in, and that the load balancer covers.
func (s Seed) clientZone(c *aws.Call) string {
	covered := c.Zones()
	if m := loadBalancerARN.FindStringSubmatch(s.LoadBalancer); m != nil {
		owner := c.Site
		owner.Account = m[2]
		covered = coveredZones(owner)
	}
	for _, zone := range c.Zones() {
		isCovered := slices.ContainsFunc(covered, func(other aws.Zone) bool { return other.ID == zone.ID })
		isTaken := slices.ContainsFunc(c.Where(awstype.Subnet, "vpcId", s.VPC), func(subnet *store.Entry) bool {
			return subnet.State.String("availabilityZone") == zone.Name
		})
		if isCovered && !isTaken {
			return zone.Name
		}
	}
	return c.Zones()[0].Name
}

// coveredZones returns the zones of a seeded load balancer: the first three of its account.
func coveredZones(at aws.Site) []aws.Zone { return at.Zones()[:min(3, len(at.Zones()))] }

// belongsTo reports whether the seed belongs to that account and region. The ARN of a load balancer names both.
func (s Seed) belongsTo(at aws.Site) bool {
	if m := loadBalancerARN.FindStringSubmatch(s.Name); s.Kind == LoadBalancer && m != nil {
		return m[1] == at.Region && m[2] == at.Account
	}
	return s.Account == "" || s.Account == at.Account
}

// Elsewhere returns the accounts that have seeds, other than one.
func Elsewhere(seeds []Seed, account string) []string {
	var others []string
	for _, s := range seeds {
		if s.Account != "" && s.Account != account && !slices.Contains(others, s.Account) {
			others = append(others, s.Account)
		}
	}
	return others
}

// ownedBy sets the owner of a VPC or a subnet that another account shares.
func (s Seed) ownedBy(c *aws.Call, token string) {
	if s.Owner != "" {
		c.Edit(token, s.Name).State["ownerId"] = s.Owner
	}
}

// createLoadBalancer creates an internal load balancer, with a VPC and a subnet in each of the first three zones of the
// account.
func createLoadBalancer(c *aws.Call, arn string) error {
	m := loadBalancerARN.FindStringSubmatch(arn)
	if m == nil {
		return fmt.Errorf("%q is not the ARN of a load balancer; use arn:aws:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/net/NAME/ID", arn)
	}
	vpc, err := seed(c, awstype.VPC, "", props.Map{"cidrBlock": "10.200.0.0/16"})
	if err != nil {
		return err
	}
	var subnets []string
	for i, zone := range coveredZones(c.Site) {
		subnet, err := seed(c, awstype.Subnet, "", props.Map{"vpcId": vpc, "availabilityZone": zone.Name,
			"cidrBlock": fmt.Sprintf("10.200.%d.0/20", 16*i)})
		if err != nil {
			return err
		}
		subnets = append(subnets, subnet)
	}
	kind := map[string]string{"net": "network", "gwy": "gateway", "app": "application"}[m[4]]
	_, err = seed(c, awstype.LoadBalancer, arn, props.Map{
		"name":             m[5],
		"internal":         true,
		"loadBalancerType": kind,
		"subnets":          props.List(subnets...),
	})
	return err
}
