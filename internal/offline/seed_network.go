package offline

import (
	"fmt"
	"strings"
)

// seededCIDR is that of every VPC that is a seed.
const seededCIDR = "10.0.0.0/16"

// networkTypes are what the network's seeds are known as.
func networkTypes() map[SeedKind]string {
	return map[SeedKind]string{SeedVPC: vpcToken, SeedPrivateSubnet: subnetToken, SeedPublicSubnet: subnetToken,
		SeedSecurityGroup: securityGroupToken, SeedElasticIP: eipToken, SeedPrivateZone: zoneToken,
		SeedEndpointService: endpointServiceToken}
}

// networkStands says whether the account has what the seed would bring.
func (s Seed) networkStands(c *call) bool {
	token := networkTypes()[s.Kind]
	id, _, _ := strings.Cut(s.Name, " ")
	return token != "" && c.find(token, id) != nil
}

// plantNetwork makes a seed of the network's kinds, which bring their IDs along.
func (s Seed) plantNetwork(c *call) error {
	fields := strings.Fields(s.Name)
	vpc := fields[len(fields)-1]
	switch {
	case s.Kind == SeedVPC && len(fields) == 1:
		return c.seedVPC(s.Name)
	case (s.Kind == SeedPrivateSubnet || s.Kind == SeedPublicSubnet) && len(fields) == 5:
		return c.seedSubnet(fields[0], fields[2], vpc, s.Kind == SeedPublicSubnet)
	case s.Kind == SeedSecurityGroup && len(fields) == 3:
		_, err := c.seed(securityGroupToken, fields[0], props{"vpcId": vpc, "name": "there before any stack", "description": "any"})
		return err
	case s.Kind == SeedElasticIP && len(fields) == 1:
		_, err := c.seed(eipToken, s.Name, props{"domain": "vpc"})
		return err
	case s.Kind == SeedPrivateZone && len(fields) == 4:
		_, err := c.seed(zoneToken, fields[0], props{"name": fields[1], "comment": "", "forceDestroy": false,
			"vpcs": []any{map[string]any{"vpcId": vpc}}})
		return err
	case s.Kind == SeedEndpointService && len(fields) == 1:
		c.put(&record{Type: endpointServiceToken, ID: s.Name, Scope: c.region, Origin: bySeed, State: props{
			"serviceName": s.Name, "availabilityZones": list(c.zoneNames()...), "allowedPrincipals": list("*")}})
		return nil
	}
	return fmt.Errorf("%q is no seed of kind %q", s.Name, s.Kind)
}

// seed makes a resource that was there before any stack; id is "" for a new one.
func (c *call) seed(token, id string, inputs props) (string, error) {
	made := &call{accountTx: c.accountTx, site: c.site, kind: c.types.kinds[token], given: id}
	inputs["tagsAll"] = map[string]any{}
	err := made.create(inputs, bySeed)
	if err == nil {
		err = c.commit() // what comes next refers to it
	}
	return made.rec.ID, err
}

func (c *call) seedVPC(id string) error {
	if _, err := c.seed(vpcToken, id, props{"cidrBlock": seededCIDR, "enableDnsSupport": true, "enableDnsHostnames": true,
		"instanceTenancy": "default"}); err != nil {
		return err
	}
	if _, err := c.seed(igwToken, "", props{"vpcId": id}); err != nil {
		return err
	}
	_, err := c.seed(endpointToken, "", props{"vpcId": id, "vpcEndpointType": "Gateway",
		"serviceName": "com.amazonaws." + c.region + ".s3"})
	return err
}

// seedSubnet makes a subnet in the VPC's next sixteenth, with a route table of its own.
func (c *call) seedSubnet(id, zone, vpc string, public bool) error {
	n := 0
	for _, other := range c.all(subnetToken) {
		if other.State.text("vpcId") == vpc {
			n++
		}
	}
	if _, err := c.seed(subnetToken, id, props{"vpcId": vpc, "availabilityZone": zone, "mapPublicIpOnLaunch": false,
		"cidrBlock": fmt.Sprintf("10.0.%d.0/20", 16*n)}); err != nil {
		return err
	}
	way := map[string]any{"cidrBlock": "0.0.0.0/0", "transitGatewayId": stableID("tgw", c.account)}
	if public {
		delete(way, "transitGatewayId")
		for _, gateway := range c.all(igwToken) {
			if gateway.State.text("vpcId") == vpc {
				way["gatewayId"] = gateway.ID
			}
		}
	}
	table, err := c.seed(routeTableToken, "", props{"vpcId": vpc, "routes": []any{way}})
	if err != nil {
		return err
	}
	_, err = c.seed(routeAssociationToken, "", props{"routeTableId": table, "subnetId": id})
	return err
}
