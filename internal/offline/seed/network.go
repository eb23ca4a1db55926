package seed

import (
	"cmp"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ec2"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// seededCIDR is the CIDR of seeded VPCs.
const seededCIDR = "10.0.0.0/16"

// networkTypes returns the resource types of the network's seeds.
func networkTypes() map[Kind]string {
	return map[Kind]string{VPC: awstype.VPC, DefaultVPC: awstype.VPC, PrivateSubnet: awstype.Subnet, PublicSubnet: awstype.Subnet, MainTableSubnet: awstype.Subnet,
		SecurityGroup: awstype.SecurityGroup, ElasticIP: awstype.ElasticIP, PrivateZone: awstype.HostedZone,
		EndpointService: awstype.VPCEndpointService, AWSService: aws.AWSService, TransitGateway: aws.TransitGateway, FirewallService: awstype.VPCEndpointService,
		IPAMPool: aws.IPAMPool, PublicIPAMPool: aws.IPAMPool, PublicIPv4Pool: aws.PublicIPv4Pool, KeyPair: awstype.KeyPair, Image: aws.Image}
}

// networkExists reports whether the seed's resource exists.
func (s Seed) networkExists(c *aws.Call) bool {
	token := networkTypes()[s.Kind]
	return token != "" && c.Find(token, s.Name) != nil
}

// createNetwork creates a seed of one of the network's kinds, whose name is the ID.
func (s Seed) createNetwork(c *aws.Call) error {
	if err := s.checkNetwork(); err != nil {
		return err
	}
	switch s.Kind {
	case VPC:
		return seedVPC(c, s.Name)
	case DefaultVPC:
		if err := seedVPC(c, s.Name); err != nil {
			return err
		}
		rec := c.Find(awstype.VPC, s.Name).Clone()
		rec.State["default"] = true
		c.Put(rec)
	case PrivateSubnet, PublicSubnet, MainTableSubnet:
		return seedSubnet(c, s)
	case SecurityGroup:
		_, err := seed(c, awstype.SecurityGroup, s.Name, props.Map{"vpcId": s.VPC, "name": "there before any stack: " + s.Name, "description": "any",
			"tags": map[string]any(aws.Tags(s.Tags))})
		return err
	case ElasticIP:
		_, err := seed(c, awstype.ElasticIP, s.Name, props.Map{"domain": "vpc"})
		return err
	case PrivateZone:
		_, err := seed(c, awstype.HostedZone, s.Name, props.Map{"name": s.Domain, "comment": "",
			"vpcs": []any{map[string]any{"vpcId": s.VPC}}})
		return err
	case AWSService:
		c.Put(&store.Record{Type: aws.AWSService, ID: s.Name, Scope: c.Region, Origin: store.BySeed,
			State: props.Map{"zoneIds": props.List(s.ZoneIDs...)}})
	case TransitGateway:
		c.Put(&store.Record{Type: aws.TransitGateway, ID: s.Name, Scope: c.Region, Origin: store.BySeed, State: props.Map{}})
	case IPAMPool:
		s.putPool(c, aws.IPAMPool, "10.0.0.0/8", "private")
	case PublicIPAMPool:
		s.putPool(c, aws.IPAMPool, "198.51.100.0/28", "public")
	case PublicIPv4Pool:
		s.putPool(c, aws.PublicIPv4Pool, "198.51.100.0/28", "public")
	case FirewallService:
		c.Put(&store.Record{Type: awstype.VPCEndpointService, ID: s.Name, Scope: c.Region, Origin: store.BySeed, State: props.Map{
			"serviceName": s.Name, "availabilityZones": props.List(c.ZoneNames()...), "allowedPrincipals": props.List("*"),
			"gatewayLoadBalancerArns": props.List(c.ARN("elasticloadbalancing", "loadbalancer/gwy/firewall/0123456789abcdef"))}})
	case KeyPair:
		_, err := seed(c, awstype.KeyPair, "", props.Map{"keyName": s.Name, "publicKey": seededKey})
		return err
	case Image:
		c.Put(&store.Record{Type: aws.Image, ID: s.Name, Scope: c.Region, Origin: store.BySeed, State: props.Map{
			"name": cmp.Or(s.ImageName, s.Name), "architecture": ec2.ArchitectureOf(s.InstanceType), "owner": c.Account, "creationDate": ids.Milliseconds()}})
	default: // EndpointService, the last of networkTypes
		c.Put(&store.Record{Type: awstype.VPCEndpointService, ID: s.Name, Scope: c.Region, Origin: store.BySeed, State: props.Map{
			"serviceName": s.Name, "availabilityZones": props.List(c.ZoneNames()...), "allowedPrincipals": props.List("*")}})
	}
	return nil
}

// putPool creates a pool of addresses.
func (s Seed) putPool(c *aws.Call, token, cidr, scope string) {
	c.Put(&store.Record{Type: token, ID: s.Name, Scope: c.Region, Origin: store.BySeed, State: props.Map{
		"cidr": cmp.Or(s.CIDR, cidr), "scope": scope, "locale": c.Region}})
}

// checkNetwork refuses a seed without the fields that its kind needs.
func (s Seed) checkNetwork() error {
	isSubnet := s.Kind == PrivateSubnet || s.Kind == PublicSubnet || s.Kind == MainTableSubnet
	switch {
	case s.Name == "":
		return fmt.Errorf("a seed of kind %q needs Name", s.Kind)
	case isSubnet && (s.Zone == "" || s.VPC == ""):
		return fmt.Errorf("%s needs Zone and VPC", s)
	case s.Kind == SecurityGroup && s.VPC == "":
		return fmt.Errorf("%s needs VPC", s)
	case s.Kind == Image && ec2.ArchitectureOf(s.InstanceType) == "":
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

func seedVPC(c *aws.Call, id string) error {
	if _, err := seed(c, awstype.VPC, id, props.Map{"cidrBlock": seededCIDR, "enableDnsHostnames": true}); err != nil {
		return err
	}
	if _, err := seed(c, awstype.InternetGateway, "", props.Map{"vpcId": id}); err != nil {
		return err
	}
	_, err := seed(c, awstype.VPCEndpoint, "", props.Map{"vpcId": id, "vpcEndpointType": "Gateway",
		"serviceName": "com.amazonaws." + c.Region + ".s3"})
	return err
}

// seedSubnet creates a subnet in the VPC's next free sixteenth. It has its own route table or, of kind MainTableSubnet, uses the VPC's main table.
func seedSubnet(c *aws.Call, s Seed) error {
	id, zone, vpc, public := s.Name, s.Zone, s.VPC, s.Kind != PrivateSubnet
	before := len(c.Where(awstype.Subnet, "vpcId", vpc))
	if _, err := seed(c, awstype.Subnet, id, props.Map{"vpcId": vpc, "availabilityZone": zone,
		"cidrBlock": fmt.Sprintf("10.0.%d.0/20", 16*before)}); err != nil {
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
	if s.Kind == MainTableSubnet {
		_, err = seed(c, awstype.MainRouteTableAssociation, "", props.Map{"routeTableId": table, "vpcId": vpc})
		return err
	}
	_, err = seed(c, awstype.RouteTableAssociation, "", props.Map{"routeTableId": table, "subnetId": id})
	return err
}

// attach adds a subnet to the attachment of the VPC to the account's transit gateway.
func attach(c *aws.Call, vpc, subnet string) {
	id := ids.StableEC2("tgw-attach", vpc)
	rec := c.Find(awstype.TransitGatewayAttachment, id)
	if rec == nil {
		rec = &store.Record{Type: awstype.TransitGatewayAttachment, ID: id, Scope: c.Region, Origin: store.BySeed,
			State: props.Map{"vpcId": vpc, "transitGatewayId": ids.StableEC2("tgw", c.Account), "subnetIds": []any{}}}
	} else {
		rec = c.Edit(awstype.TransitGatewayAttachment, id)
	}
	rec.State["subnetIds"] = append(rec.State["subnetIds"].([]any), subnet)
	c.Put(rec)
}

// seededKey is the public key of every key pair that is a seed.
const seededKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA seed"
