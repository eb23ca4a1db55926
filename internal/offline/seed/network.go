package seed

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

// seededCIDR is that of every VPC that is a seed.
const seededCIDR = "10.0.0.0/16"

// networkTypes are what the network's seeds are known as.
func networkTypes() map[Kind]string {
	return map[Kind]string{VPC: types.VPC, PrivateSubnet: types.Subnet, PublicSubnet: types.Subnet,
		SecurityGroup: types.SecurityGroup, ElasticIP: types.ElasticIP, PrivateZone: types.HostedZone,
		EndpointService: types.VPCEndpointService, AWSService: types.AWSService}
}

// networkStands says whether the account has what the seed would bring.
func (s Seed) networkStands(c *aws.Call) bool {
	token := networkTypes()[s.Kind]
	id, _, _ := strings.Cut(s.Name, " ")
	return token != "" && c.Find(token, id) != nil
}

// plantNetwork makes a seed of the network's kinds, which bring their IDs along.
func (s Seed) plantNetwork(c *aws.Call) error {
	fields := strings.Fields(s.Name)
	vpc := fields[len(fields)-1]
	switch {
	case s.Kind == VPC && len(fields) == 1:
		return seedVPC(c, s.Name)
	case (s.Kind == PrivateSubnet || s.Kind == PublicSubnet) && len(fields) == 5:
		return seedSubnet(c, fields[0], fields[2], vpc, s.Kind == PublicSubnet)
	case s.Kind == SecurityGroup && len(fields) == 3:
		_, err := seed(c, types.SecurityGroup, fields[0], props.Map{"vpcId": vpc, "name": "there before any stack", "description": "any"})
		return err
	case s.Kind == ElasticIP && len(fields) == 1:
		_, err := seed(c, types.ElasticIP, s.Name, props.Map{"domain": "vpc"})
		return err
	case s.Kind == PrivateZone && len(fields) == 4:
		_, err := seed(c, types.HostedZone, fields[0], props.Map{"name": fields[1], "comment": "", "forceDestroy": false,
			"vpcs": []any{map[string]any{"vpcId": vpc}}})
		return err
	case s.Kind == AWSService && len(fields) > 1 && fields[1] == "in":
		c.Put(&store.Record{Type: types.AWSService, ID: fields[0], Scope: c.Region, Origin: store.BySeed,
			State: props.Map{"zoneIds": props.List(fields[2:]...)}})
		return nil
	case s.Kind == EndpointService && len(fields) == 1:
		c.Put(&store.Record{Type: types.VPCEndpointService, ID: s.Name, Scope: c.Region, Origin: store.BySeed, State: props.Map{
			"serviceName": s.Name, "availabilityZones": props.List(c.ZoneNames()...), "allowedPrincipals": props.List("*")}})
		return nil
	}
	return fmt.Errorf("%q is no seed of kind %q", s.Name, s.Kind)
}

// seed makes a resource that was there before any stack; id is "" for a new one.
func seed(c *aws.Call, token, id string, inputs props.Map) (string, error) {
	made := &aws.Call{Tx: c.Tx, Site: c.Site, Kind: c.Types.Kinds[token], GivenID: id}
	inputs["tagsAll"] = map[string]any{}
	err := made.Create(inputs, store.BySeed)
	if err == nil {
		err = c.Commit() // what comes next refers to it
	}
	return made.Resource.ID, err
}

func seedVPC(c *aws.Call, id string) error {
	if _, err := seed(c, types.VPC, id, props.Map{"cidrBlock": seededCIDR, "enableDnsSupport": true, "enableDnsHostnames": true,
		"instanceTenancy": "default"}); err != nil {
		return err
	}
	if _, err := seed(c, types.InternetGateway, "", props.Map{"vpcId": id}); err != nil {
		return err
	}
	_, err := seed(c, types.VPCEndpoint, "", props.Map{"vpcId": id, "vpcEndpointType": "Gateway",
		"serviceName": "com.amazonaws." + c.Region + ".s3"})
	return err
}

// seedSubnet makes a subnet in the VPC's next sixteenth, with a route table of its own.
func seedSubnet(c *aws.Call, id, zone, vpc string, public bool) error {
	n := 0
	for _, other := range c.All(types.Subnet) {
		if other.State.String("vpcId") == vpc {
			n++
		}
	}
	if _, err := seed(c, types.Subnet, id, props.Map{"vpcId": vpc, "availabilityZone": zone, "mapPublicIpOnLaunch": false,
		"cidrBlock": fmt.Sprintf("10.0.%d.0/20", 16*n)}); err != nil {
		return err
	}
	way := map[string]any{"cidrBlock": "0.0.0.0/0", "transitGatewayId": ids.StableEC2("tgw", c.Account)}
	if public {
		delete(way, "transitGatewayId")
		for _, gateway := range c.All(types.InternetGateway) {
			if gateway.State.String("vpcId") == vpc {
				way["gatewayId"] = gateway.ID
			}
		}
	}
	table, err := seed(c, types.RouteTable, "", props.Map{"vpcId": vpc, "routes": []any{way}})
	if err != nil {
		return err
	}
	_, err = seed(c, types.RouteTableAssociation, "", props.Map{"routeTableId": table, "subnetId": id})
	return err
}
