package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const (
	endpointToken      = "aws:ec2/vpcEndpoint:VpcEndpoint"
	endpointTableToken = "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation"
)

func endpointKinds() []*kind {
	return []*kind{
		{
			token: endpointToken, args: ec2.VpcEndpointArgs{}, state: ec2.VpcEndpointState{},
			service: "EC2", noun: "VPC Endpoint", calls: calls{"CreateVpcEndpoint", "ModifyVpcEndpoint", "DeleteVpcEndpoints"},
			apart: [][]string{{"serviceName", "resourceConfigurationArn", "serviceNetworkArn"}},
			computed: []string{"dnsOptions", "ipAddressType", "policy", "privateDnsEnabled", "routeTableIds",
				"securityGroupIds", "serviceRegion", "subnetConfigurations", "subnetIds"},
			defaults: props{"vpcEndpointType": "Gateway"},
			fixed: props{"cidrBlocks": []any{}, "dnsEntries": []any{}, "networkInterfaceIds": []any{},
				"privateDnsEnabled": false, "requesterManaged": false, "routeTableIds": []any{},
				"securityGroupIds": []any{}, "state": "available", "subnetIds": []any{}},
			enums: map[string][]string{
				"vpcEndpointType": {"Interface", "Gateway", "GatewayLoadBalancer", "Resource", "ServiceNetwork"},
				"ipAddressType":   {"ipv4", "dualstack", "ipv6"},
			},
			forms: map[string]form{"policy": asDocument, "routeTableIds": asSet, "securityGroupIds": asSet,
				"subnetIds": asSet, "subnetConfigurations": asSet},
			replaces: []string{"resourceConfigurationArn", "serviceName", "serviceNetworkArn", "serviceRegion",
				"vpcEndpointType", "vpcId"},
			refs: []ref{{"vpcId", vpcToken, "", blocks}, {"subnetIds", subnetToken, "", blocks},
				{"securityGroupIds", securityGroupToken, "", blocks}, {"routeTableIds", routeTableToken, "", loose}},
			missing: answer{"InvalidVpcEndpointId.NotFound", "The Vpc Endpoint Id '%s' does not exist"},
			inUse:   answer{"DependencyViolation", "The Vpc Endpoint '%s' is in use."},
			rules: []rule{endpointService, endpointType, endpointTables, oneSubnetPerZone, endpointCovered,
				privateDNSPossible, privateDNSFree, endpointPolicy},
			make:   makeEndpoint,
			change: wireEndpoint,
			view:   viewEndpointTables,
		},
		{
			token: endpointTableToken, args: ec2.VpcEndpointRouteTableAssociationArgs{},
			state:   ec2.VpcEndpointRouteTableAssociationState{},
			service: "EC2", noun: "VPC Endpoint Route Table Association",
			calls:    calls{"ModifyVpcEndpoint", "ModifyVpcEndpoint", "ModifyVpcEndpoint"},
			replaces: []string{"routeTableId", "vpcEndpointId"},
			refs:     []ref{{"vpcEndpointId", endpointToken, "", part}, {"routeTableId", routeTableToken, "", part}},
			missing:  answer{"InvalidRouteTableId.NotFound", "There is no association %s"},
			rules:    []rule{endpointTableIsNew},
			make: func(c *call) error {
				c.rec.ID = "a-" + c.in().text("vpcEndpointId") + hashcode(c.in().text("routeTableId"))
				return nil
			},
			otherID: func(p props) string { return p.text("vpcEndpointId") + "/" + p.text("routeTableId") },
		},
	}
}

// serviceGrammar is what AWS names services, its own and those that others offer by PrivateLink.
var serviceGrammar = regexp.MustCompile(
	`^(?:cn\.)?com\.amazonaws\.(?:vpce\.([a-z0-9-]+)\.vpce-svc-[0-9a-f]+|([a-z0-9-]+)\.[a-z0-9.-]+)$`)

// endpointService: the service is one of the endpoint's region.
// https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html
func endpointService(c *call) error {
	name := c.in().text("serviceName")
	m := serviceGrammar.FindStringSubmatch(name)
	region := cmp.Or(c.in().text("serviceRegion"), c.region)
	if name == "" && !c.in().has("resourceConfigurationArn") && !c.in().has("serviceNetworkArn") {
		return refuse("MissingParameter", "The request must contain the parameter serviceName")
	}
	if name != "" && (m == nil || m[1]+m[2] != region || strangePrefix(name, region)) {
		return refuse("InvalidServiceName", "The Vpc Endpoint Service '%s' does not exist", name)
	}
	return nil
}

// strangePrefix: regions in China, and they alone, name some services with a prefix of their own. Of those services only
// the ones that nodes call are known here.
// https://docs.amazonaws.cn/en_us/vpc/latest/privatelink/aws-services-privatelink-support.html
func strangePrefix(name, region string) bool {
	plain, prefixed := strings.CutPrefix(name, "cn.")
	if !strings.HasPrefix(region, "cn-") {
		return prefixed
	}
	service := strings.TrimPrefix(plain, "com.amazonaws."+region+".")
	return !prefixed && slices.Contains([]string{"ec2", "ecr.api", "ecr.dkr", "sts"}, service) ||
		prefixed && slices.Contains([]string{"elasticloadbalancing", "kms"}, service)
}

// endpointType: S3 and DynamoDB alone have gateways.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
func endpointType(c *call) error {
	service := c.serviceLabel()
	if c.in().text("vpcEndpointType") == "Gateway" && service != "s3" && service != "dynamodb" {
		return refuse("InvalidParameter",
			"Endpoint type (Gateway) does not match available service types ([Interface]).")
	}
	return nil
}

// serviceLabel is the last part of the service's name: "s3" of com.amazonaws.us-east-1.s3.
func (c *call) serviceLabel() string {
	name := c.in().text("serviceName")
	return name[strings.LastIndex(name, ".")+1:]
}

// endpointTables: a gateway's route tables are its VPC's, and each has one gateway a service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
func endpointTables(c *call) error {
	for _, id := range c.in().texts("routeTableIds") {
		if c.find(routeTableToken, id).State.text("vpcId") != c.in().text("vpcId") {
			return refuse("InvalidParameter", "Route table %s does not belong to VPC %s", id, c.in().text("vpcId"))
		}
		if other := c.endpointOn(id, c.in().text("serviceName")); other != nil && other.ID != c.rec.ID {
			return routeToService(c, id)
		}
	}
	return nil
}

// endpointTableIsNew: a route table has one gateway a service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
func endpointTableIsNew(c *call) error {
	endpoint := c.find(endpointToken, c.in().text("vpcEndpointId"))
	if c.endpointOn(c.in().text("routeTableId"), endpoint.State.text("serviceName")) != nil {
		return routeToService(c, c.in().text("routeTableId"))
	}
	return nil
}

func routeToService(c *call, table string) error {
	return refuse("RouteAlreadyExists", "route table %s already has a route with destination-prefix-list-id %s",
		table, c.prefixList())
}

// endpointOn is the gateway endpoint for a service that a route table has, nil if there is none.
func (c *call) endpointOn(table, service string) *record {
	for _, endpoint := range c.all(endpointToken) {
		if endpoint.State.text("serviceName") == service && slices.Contains(c.tablesOf(endpoint), table) {
			return endpoint
		}
	}
	return nil
}

// tablesOf are an endpoint's route tables, by itself and by associations.
func (c *call) tablesOf(endpoint *record) []string {
	tables := endpoint.State.texts("routeTableIds")
	for _, association := range c.all(endpointTableToken) {
		id := association.State.text("routeTableId")
		if association.State.text("vpcEndpointId") == endpoint.ID && !slices.Contains(tables, id) {
			tables = append(tables, id)
		}
	}
	return tables
}

// oneSubnetPerZone: an interface endpoint has one subnet a zone.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
func oneSubnetPerZone(c *call) error {
	seen := map[string]bool{}
	for _, id := range c.in().texts("subnetIds") {
		subnet := c.find(subnetToken, id).State
		if seen[subnet.text("availabilityZone")] {
			return refuse("DuplicateSubnetsInSameZone",
				"Found another VPC endpoint subnet in the availability zone of %s. VPC endpoint subnets should be in "+
					"different availability zones supported by the VPC endpoint service.", id)
		}
		seen[subnet.text("availabilityZone")] = true
	}
	return nil
}

// privateDNSPossible: private names need the VPC's DNS.
// https://docs.aws.amazon.com/vpc/latest/privatelink/interface-endpoints.html
func privateDNSPossible(c *call) error {
	vpc := c.find(vpcToken, c.in().text("vpcId")).State
	if c.in().yes("privateDnsEnabled") && (!vpc.yes("enableDnsSupport") || !vpc.yes("enableDnsHostnames")) {
		return refuse("InvalidParameter", "Enabling private DNS requires both enableDnsSupport and "+
			"enableDnsHostnames VPC attributes set to true for %s", c.in().text("vpcId"))
	}
	return nil
}

// privateDNSFree: a VPC has one endpoint with private names a service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/interface-endpoints.html
func privateDNSFree(c *call) error {
	for _, other := range c.all(endpointToken) {
		if c.in().yes("privateDnsEnabled") && other.ID != c.rec.ID && other.State.yes("privateDnsEnabled") &&
			other.State.text("vpcId") == c.in().text("vpcId") &&
			other.State.text("serviceName") == c.in().text("serviceName") {
			return refuse("InvalidParameter", "private-dns-enabled cannot be set because there is already a conflicting "+
				"DNS domain for %s in the VPC %s", c.serviceDomain(), c.in().text("vpcId"))
		}
	}
	return nil
}

// endpointPolicy: a policy is a policy document.
// https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html
func endpointPolicy(c *call) error {
	if text := c.in().text("policy"); text != "" && policyFault(text) != "" {
		return refuse("InvalidPolicyDocument", "The policy document is invalid: %s", policyFault(text))
	}
	return nil
}

func (c *call) serviceDomain() string { return c.serviceLabel() + "." + c.region + "." + c.dnsSuffix }

func (c *call) prefixList() string {
	return stableID("pl", c.region, c.in().text("serviceName"))[:len("pl-")+8]
}

func makeEndpoint(c *call) error {
	c.rec.ID = newID("vpce")
	c.owned("vpc-endpoint")
	s := c.rec.State
	if c.in().text("vpcEndpointType") == "Gateway" {
		s["prefixListId"] = c.prefixList()
		s["cidrBlocks"] = list("198.51.100.0/24") // set aside for documentation, as AWS's own would change
	} else {
		s["prefixListId"] = ""
		s["ipAddressType"] = cmp.Or(s.text("ipAddressType"), "ipv4")
	}
	if !s.has("policy") {
		s["policy"] = `{"Statement":[{"Action":"*","Effect":"Allow","Principal":"*","Resource":"*"}],"Version":"2008-10-17"}`
	}
	s["serviceRegion"] = cmp.Or(s.text("serviceRegion"), c.region)
	if waits, err := c.waits(); err != nil {
		return err
	} else if waits {
		s["state"] = "pendingAcceptance"
	}
	return wireEndpoint(c)
}

// wireEndpoint gives an interface endpoint an interface a subnet, the VPC's default security group if it has none, and
// its names.
func wireEndpoint(c *call) error {
	s := c.rec.State
	if s.text("vpcEndpointType") != "Interface" {
		return nil
	}
	if len(s.texts("securityGroupIds")) == 0 {
		s["securityGroupIds"] = list(c.find(vpcToken, s.text("vpcId")).State.text("defaultSecurityGroupId"))
	}
	var interfaces []string
	for _, subnet := range s.texts("subnetIds") {
		interfaces = append(interfaces, stableID("eni", c.rec.ID, subnet))
	}
	s["networkInterfaceIds"] = list(interfaces...)
	s["dnsEntries"] = c.endpointNames()
	return nil
}

// endpointNames are the endpoint's own name, one a zone, and the service's if private names are on.
func (c *call) endpointNames() []any {
	s := c.rec.State
	host := c.rec.ID + "-" + stableID("", c.rec.ID)[1:9]
	domain := fmt.Sprintf("%s.%s.vpce.%s", c.serviceLabel(), c.region, c.dnsSuffix)
	hostedZone := stableCode("Z", c.region, "vpce")
	names := []string{host + "." + domain}
	for _, id := range s.texts("subnetIds") {
		names = append(names, host+"-"+c.find(subnetToken, id).State.text("availabilityZone")+"."+domain)
	}
	var entries []any
	for _, name := range names {
		entries = append(entries, map[string]any{"dnsName": name, "hostedZoneId": hostedZone})
	}
	if s.yes("privateDnsEnabled") {
		entries = append(entries, map[string]any{"dnsName": c.serviceDomain(),
			"hostedZoneId": stableCode("Z", c.rec.ID)})
	}
	return entries
}

// viewEndpointTables shows the route tables that came by associations too.
func viewEndpointTables(c *call, out props) {
	out["routeTableIds"] = list(c.tablesOf(c.rec)...)
}
