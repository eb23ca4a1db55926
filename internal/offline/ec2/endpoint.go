package ec2

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func endpointKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.VPCEndpoint, Args: ec2.VpcEndpointArgs{}, State: ec2.VpcEndpointState{},
			Service: "EC2", Noun: "VPC Endpoint",
			Calls:         aws.Calls{Create: "CreateVpcEndpoint", Update: "ModifyVpcEndpoint", Remove: "DeleteVpcEndpoints"},
			ConflictsWith: [][]string{{"serviceName", "resourceConfigurationArn", "serviceNetworkArn"}},
			Constants: props.Map{"cidrBlocks": []any{}, "dnsEntries": []any{}, "networkInterfaceIds": []any{},
				"requesterManaged": false, "routeTableIds": []any{},
				"securityGroupIds": []any{}, "state": "available", "subnetIds": []any{}},
			References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion},
				{Input: "subnetIds", Type: awstype.Subnet, Dependency: aws.BlocksDeletion},
				{Input: "securityGroupIds", Type: awstype.SecurityGroup, Dependency: aws.BlocksDeletion},
				{Input: "routeTableIds", Type: awstype.RouteTable, Dependency: aws.Independent}},
			NotFound: awserr.Template{Code: "InvalidVpcEndpointId.NotFound", Text: "The Vpc Endpoint Id '%s' does not exist"},
			InUse:    awserr.Template{Code: "DependencyViolation", Text: "The Vpc Endpoint '%s' is in use."},
			Rules: []aws.Rule{endpointService, endpointType, endpointTables, oneSubnetPerZone, endpointCovered,
				endpointOfServicesType,
				privateDNSPossible, privateDNSOffered, privateDNSFree, endpointPolicy},
			ID:       aws.EC2ID("vpce"),
			OnCreate: completeEndpoint,
			OnUpdate: connectEndpoint,
			OnRead:   viewEndpointTables,
		},
		{
			Token: awstype.VPCEndpointRouteTable, Args: ec2.VpcEndpointRouteTableAssociationArgs{},
			State:   ec2.VpcEndpointRouteTableAssociationState{},
			Service: "EC2", Noun: "VPC Endpoint Route Table Association",
			Calls: aws.Calls{Create: "ModifyVpcEndpoint", Update: "ModifyVpcEndpoint", Remove: "ModifyVpcEndpoint"},
			References: []aws.Reference{{Input: "vpcEndpointId", Type: awstype.VPCEndpoint, Dependency: aws.DeletedWith},
				{Input: "routeTableId", Type: awstype.RouteTable, Dependency: aws.DeletedWith}},
			NotFound: awserr.Template{Code: "InvalidRouteTableId.NotFound", Text: "There is no association %s"},
			Rules:    []aws.Rule{endpointTableIsNew},
			ID: func(c *aws.Call) string {
				return "a-" + c.State().String("vpcEndpointId") + ids.Hashcode(c.State().String("routeTableId"))
			},
			ImportID: aws.JoinedForImport("/", "vpcEndpointId", "routeTableId"),
		},
	}
}

// serviceGrammar matches the names of endpoint services: AWS's own and those that others offer by PrivateLink.
var serviceGrammar = regexp.MustCompile(
	`^(?:cn\.)?com\.amazonaws\.(?:vpce\.([a-z0-9-]+)\.vpce-svc-[0-9a-f]+|([a-z0-9-]+)\.[a-z0-9.-]+)$`)

// endpointService: the service must be one of the endpoint's region.
// https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html
func endpointService(c *aws.Call) error {
	name := c.State().String("serviceName")
	m := serviceGrammar.FindStringSubmatch(name)
	region := cmp.Or(c.State().String("serviceRegion"), c.Region)
	if name == "" && !c.State().Has("resourceConfigurationArn") && !c.State().Has("serviceNetworkArn") {
		return awserr.Errorf("MissingParameter", "The request must contain the parameter serviceName")
	}
	if name != "" && (m == nil || m[1]+m[2] != region || hasChinaPrefix(name, region)) {
		return awserr.Errorf("InvalidServiceName", "The Vpc Endpoint Service '%s' does not exist", name)
	}
	return nil
}

// hasChinaPrefix reports whether a service's name has the prefix that some services have in China's regions, and only
// there. Of those services, only the ones that nodes call are supported.
// https://docs.amazonaws.cn/en_us/vpc/latest/privatelink/aws-services-privatelink-support.html
func hasChinaPrefix(name, region string) bool {
	plain, prefixed := strings.CutPrefix(name, "cn.")
	if !strings.HasPrefix(region, "cn-") {
		return prefixed
	}
	service := strings.TrimPrefix(plain, "com.amazonaws."+region+".")
	return !prefixed && slices.Contains([]string{"ec2", "ecr.api", "ecr.dkr", "sts"}, service) ||
		prefixed && slices.Contains([]string{"elasticloadbalancing", "kms"}, service)
}

// endpointType: only S3 and DynamoDB have gateway endpoints.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
func endpointType(c *aws.Call) error {
	service := serviceLabel(c)
	if c.State().String("vpcEndpointType") == "Gateway" && service != "s3" && service != "dynamodb" {
		return awserr.Errorf("InvalidParameter",
			"Endpoint type (Gateway) does not match available service types ([Interface]).")
	}
	return nil
}

// serviceLabel returns the last part of the service's name: "s3" of com.amazonaws.us-east-1.s3.
func serviceLabel(c *aws.Call) string {
	name := c.State().String("serviceName")
	return name[strings.LastIndex(name, ".")+1:]
}

// endpointTables: the route tables of a gateway endpoint belong to its VPC, and each has one gateway endpoint per
// service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
func endpointTables(c *aws.Call) error {
	for _, id := range c.State().Strings("routeTableIds") {
		if c.Find(awstype.RouteTable, id).State.String("vpcId") != c.State().String("vpcId") {
			return awserr.Errorf("InvalidParameter", "Route table %s does not belong to VPC %s", id, c.State().String("vpcId"))
		}
		if other := gatewayEndpointOf(c, id, c.State().String("serviceName")); other != nil && other.ID != c.Resource.ID {
			return routeToService(c, id)
		}
	}
	return nil
}

// endpointTableIsNew: a route table has one gateway endpoint per service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
func endpointTableIsNew(c *aws.Call) error {
	endpoint := c.Find(awstype.VPCEndpoint, c.State().String("vpcEndpointId"))
	if gatewayEndpointOf(c, c.State().String("routeTableId"), endpoint.State.String("serviceName")) != nil {
		return routeToService(c, c.State().String("routeTableId"))
	}
	return nil
}

func routeToService(c *aws.Call, table string) error {
	return awserr.Errorf("RouteAlreadyExists", "route table %s already has a route with destination-prefix-list-id %s",
		table, prefixList(c))
}

// gatewayEndpointOf returns the gateway endpoint for a service that a route table has, or nil if there is none.
func gatewayEndpointOf(c *aws.Call, table, service string) *store.Entry {
	for _, endpoint := range c.Where(awstype.VPCEndpoint, "serviceName", service) {
		if slices.Contains(tablesOf(c, endpoint), table) {
			return endpoint
		}
	}
	return nil
}

// tablesOf returns an endpoint's route tables, both its own input and associations.
func tablesOf(c *aws.Call, endpoint *store.Entry) []string {
	tables := endpoint.State.Strings("routeTableIds")
	for _, association := range c.Where(awstype.VPCEndpointRouteTable, "vpcEndpointId", endpoint.ID) {
		if id := association.State.String("routeTableId"); !slices.Contains(tables, id) {
			tables = append(tables, id)
		}
	}
	return tables
}

// oneSubnetPerZone: an interface endpoint has at most one subnet per zone.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
func oneSubnetPerZone(c *aws.Call) error {
	if _, id := c.SameZone(c.State().Strings("subnetIds")); id != "" {
		return awserr.Errorf("DuplicateSubnetsInSameZone",
			"Found another VPC endpoint subnet in the availability zone of %s. VPC endpoint subnets should be in "+
				"different availability zones supported by the VPC endpoint service.", id)
	}
	return nil
}

// privateDNSPossible: private DNS names need the VPC's DNS support.
// https://docs.aws.amazon.com/vpc/latest/privatelink/interface-endpoints.html
func privateDNSPossible(c *aws.Call) error {
	vpc := c.Find(awstype.VPC, c.State().String("vpcId")).State
	if c.State().Bool("privateDnsEnabled") && (!vpc.Bool("enableDnsSupport") || !vpc.Bool("enableDnsHostnames")) {
		return awserr.Errorf("InvalidParameter", "Enabling private DNS requires both enableDnsSupport and "+
			"enableDnsHostnames VPC attributes set to true for %s", c.State().String("vpcId"))
	}
	return nil
}

// privateDNSOffered: private DNS names of an endpoint are the service's, which another account's service has only if
// its owner has given it one.
// https://docs.aws.amazon.com/vpc/latest/privatelink/manage-dns-names.html
func privateDNSOffered(c *aws.Call) error {
	name := c.State().String("serviceName")
	if !c.State().Bool("privateDnsEnabled") || !strings.Contains(name, ".vpce-svc-") {
		return nil
	}
	service, err := findService(c, name)
	if err != nil || service == nil || service.State.String("privateDnsName") != "" {
		return err
	}
	return awserr.Errorf("InvalidParameter",
		"Private DNS can't be enabled because the service %s does not provide a private DNS name.", name)
}

// privateDNSFree: a VPC has one endpoint with private DNS names per service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/interface-endpoints.html
func privateDNSFree(c *aws.Call) error {
	for _, other := range c.Others("vpcId", "serviceName") {
		if c.State().Bool("privateDnsEnabled") && other.State.Bool("privateDnsEnabled") {
			return awserr.Errorf("InvalidParameter", "private-dns-enabled cannot be set because there is already a conflicting "+
				"DNS domain for %s in the VPC %s", serviceDomain(c), c.State().String("vpcId"))
		}
	}
	return nil
}

// endpointPolicy: the policy must be a valid policy document.
// https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html
func endpointPolicy(c *aws.Call) error {
	if text := c.State().String("policy"); text != "" && iampolicy.PolicyFault(text) != "" {
		return awserr.Errorf("InvalidPolicyDocument", "The policy document is invalid: %s", iampolicy.PolicyFault(text))
	}
	return nil
}

func serviceDomain(c *aws.Call) string { return serviceLabel(c) + "." + c.Region + "." + c.DNSSuffix }

func prefixList(c *aws.Call) string {
	return ids.StableEC2("pl", c.Region, c.State().String("serviceName"))[:len("pl-")+8]
}

func completeEndpoint(c *aws.Call) error {
	s := c.Resource.State
	if c.State().String("vpcEndpointType") == "Gateway" {
		s["prefixListId"] = prefixList(c)
		s["cidrBlocks"] = props.List("198.51.100.0/24") // reserved for documentation, because AWS's CIDRs change
	} else {
		s["prefixListId"] = ""
		s["ipAddressType"] = cmp.Or(s.String("ipAddressType"), "ipv4")
	}
	if !s.Has("policy") {
		s["policy"] = `{"Statement":[{"Action":"*","Effect":"Allow","Principal":"*","Resource":"*"}],"Version":"2008-10-17"}`
	}
	s["serviceRegion"] = cmp.Or(s.String("serviceRegion"), c.Region)
	if needsAcceptance, err := needsAcceptance(c); err != nil {
		return err
	} else if needsAcceptance {
		s["state"] = "pendingAcceptance"
	}
	return connectEndpoint(c)
}

// connectEndpoint creates for an interface endpoint one network interface per subnet, the VPC's default security group
// if it has none, and its DNS names.
func connectEndpoint(c *aws.Call) error {
	s := c.Resource.State
	if s.String("vpcEndpointType") != "Interface" {
		return nil
	}
	if len(s.Strings("securityGroupIds")) == 0 {
		s["securityGroupIds"] = props.List(c.Find(awstype.VPC, s.String("vpcId")).State.String("defaultSecurityGroupId"))
	}
	var interfaces []string
	for _, subnet := range s.Strings("subnetIds") {
		interfaces = append(interfaces, ids.StableEC2("eni", c.Resource.ID, subnet))
	}
	s["networkInterfaceIds"] = props.List(interfaces...)
	s["dnsEntries"] = endpointNames(c)
	return nil
}

// endpointNames returns the endpoint's own DNS name, one per zone, and the service's if private DNS is on.
func endpointNames(c *aws.Call) []any {
	s := c.Resource.State
	host := c.Resource.ID + "-" + ids.StableEC2("", c.Resource.ID)[1:9]
	domain := fmt.Sprintf("%s.%s.vpce.%s", serviceLabel(c), c.Region, c.DNSSuffix)
	hostedZone := ids.StableCode("Z", c.Region, "vpce")
	names := []string{host + "." + domain}
	for _, id := range s.Strings("subnetIds") {
		names = append(names, host+"-"+c.Find(awstype.Subnet, id).State.String("availabilityZone")+"."+domain)
	}
	var entries []any
	for _, name := range names {
		entries = append(entries, map[string]any{"dnsName": name, "hostedZoneId": hostedZone})
	}
	if s.Bool("privateDnsEnabled") {
		entries = append(entries, map[string]any{"dnsName": serviceDomain(c),
			"hostedZoneId": ids.StableCode("Z", c.Resource.ID)})
	}
	return entries
}

// viewEndpointTables includes the route tables added by associations.
func viewEndpointTables(c *aws.Call, out props.Map) {
	out["routeTableIds"] = props.List(tablesOf(c, c.Resource)...)
}
