package seed

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// seededCIDR is the CIDR of seeded VPCs.
const seededCIDR = "10.0.0.0/16"

// networkTypes are the resource types of the network's seeds.
func networkTypes() map[Kind]string {
	return map[Kind]string{VPC: awstype.VPC, PrivateSubnet: awstype.Subnet, PublicSubnet: awstype.Subnet,
		SecurityGroup: awstype.SecurityGroup, ElasticIP: awstype.ElasticIP, PrivateZone: awstype.HostedZone,
		EndpointService: awstype.VPCEndpointService, AWSService: aws.AWSService}
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
	case PrivateSubnet, PublicSubnet:
		return seedSubnet(c, s.Name, s.Zone, s.VPC, s.Kind == PublicSubnet)
	case SecurityGroup:
		_, err := seed(c, awstype.SecurityGroup, s.Name, props.Map{"vpcId": s.VPC, "name": "there before any stack", "description": "any"})
		return err
	case ElasticIP:
		_, err := seed(c, awstype.ElasticIP, s.Name, props.Map{"domain": "vpc"})
		return err
	case PrivateZone:
		_, err := seed(c, awstype.HostedZone, s.Name, props.Map{"name": s.Domain, "comment": "", "forceDestroy": false,
			"vpcs": []any{map[string]any{"vpcId": s.VPC}}})
		return err
	case AWSService:
		c.Put(&store.Record{Type: aws.AWSService, ID: s.Name, Scope: c.Region, Origin: store.BySeed,
			State: props.Map{"zoneIds": props.List(s.ZoneIDs...)}})
	default: // EndpointService, the last of networkTypes
		c.Put(&store.Record{Type: awstype.VPCEndpointService, ID: s.Name, Scope: c.Region, Origin: store.BySeed, State: props.Map{
			"serviceName": s.Name, "availabilityZones": props.List(c.ZoneNames()...), "allowedPrincipals": props.List("*")}})
	}
	return nil
}

// checkNetwork refuses a seed without the fields that its kind needs.
func (s Seed) checkNetwork() error {
	isSubnet := s.Kind == PrivateSubnet || s.Kind == PublicSubnet
	switch {
	case s.Name == "":
		return fmt.Errorf("a seed of kind %q needs Name", s.Kind)
	case isSubnet && (s.Zone == "" || s.VPC == ""):
		return fmt.Errorf("%s needs Zone and VPC", s)
	case s.Kind == SecurityGroup && s.VPC == "":
		return fmt.Errorf("%s needs VPC", s)
	case s.Kind == PrivateZone && (s.Domain == "" || s.VPC == ""):
		return fmt.Errorf("%s needs Domain and VPC", s)
	}
	return nil
}

// seed creates a resource with origin BySeed; id is "" for a generated one.
func seed(c *aws.Call, token, id string, inputs props.Map) (string, error) {
	made := &aws.Call{Tx: c.Tx, Site: c.Site, Kind: c.Types.Kinds[token], GivenID: id}
	inputs["tagsAll"] = map[string]any{}
	err := made.Create(inputs, store.BySeed)
	if err == nil {
		err = c.Commit() // later calls refer to it
	}
	return made.Resource.ID, err
}

func seedVPC(c *aws.Call, id string) error {
	if _, err := seed(c, awstype.VPC, id, props.Map{"cidrBlock": seededCIDR, "enableDnsSupport": true, "enableDnsHostnames": true,
		"instanceTenancy": "default"}); err != nil {
		return err
	}
	if _, err := seed(c, awstype.InternetGateway, "", props.Map{"vpcId": id}); err != nil {
		return err
	}
	_, err := seed(c, awstype.VPCEndpoint, "", props.Map{"vpcId": id, "vpcEndpointType": "Gateway",
		"serviceName": "com.amazonaws." + c.Region + ".s3"})
	return err
}

// seedSubnet creates a subnet in the VPC's next free sixteenth, with its own route table.
func seedSubnet(c *aws.Call, id, zone, vpc string, public bool) error {
	n := 0
	for _, other := range c.All(awstype.Subnet) {
		if other.State.String("vpcId") == vpc {
			n++
		}
	}
	if _, err := seed(c, awstype.Subnet, id, props.Map{"vpcId": vpc, "availabilityZone": zone, "mapPublicIpOnLaunch": false,
		"cidrBlock": fmt.Sprintf("10.0.%d.0/20", 16*n)}); err != nil {
		return err
	}
	defaultRoute := map[string]any{"cidrBlock": "0.0.0.0/0", "transitGatewayId": ids.StableEC2("tgw", c.Account)}
	if public {
		delete(defaultRoute, "transitGatewayId")
		for _, gateway := range c.All(awstype.InternetGateway) {
			if gateway.State.String("vpcId") == vpc {
				defaultRoute["gatewayId"] = gateway.ID
			}
		}
	}
	table, err := seed(c, awstype.RouteTable, "", props.Map{"vpcId": vpc, "routes": []any{defaultRoute}})
	if err != nil {
		return err
	}
	_, err = seed(c, awstype.RouteTableAssociation, "", props.Map{"routeTableId": table, "subnetId": id})
	return err
}
