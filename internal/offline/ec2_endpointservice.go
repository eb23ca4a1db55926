package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const endpointServiceToken = "aws:ec2/vpcEndpointService:VpcEndpointService"

func endpointServiceKinds() []*kind {
	return []*kind{{
		token: endpointServiceToken, args: ec2.VpcEndpointServiceArgs{}, state: ec2.VpcEndpointServiceState{},
		service: "EC2", noun: "VPC Endpoint Service",
		calls: calls{"CreateVpcEndpointServiceConfiguration", "ModifyVpcEndpointServiceConfiguration",
			"DeleteVpcEndpointServiceConfigurations"},
		apart:    [][]string{{"gatewayLoadBalancerArns", "networkLoadBalancerArns"}},
		computed: []string{"allowedPrincipals", "privateDnsName", "supportedIpAddressTypes", "supportedRegions"},
		fixed: props{"allowedPrincipals": []any{}, "managesVpcEndpoints": false, "privateDnsName": "",
			"privateDnsNameConfigurations": []any{}, "serviceType": "Interface", "state": "Available",
			"supportedIpAddressTypes": list("ipv4")},
		forms: map[string]form{"allowedPrincipals": asSet, "gatewayLoadBalancerArns": asSet, "networkLoadBalancerArns": asSet,
			"supportedIpAddressTypes": asSet, "supportedRegions": asSet},
		refs:    []ref{{"networkLoadBalancerArns", loadBalancerToken, "", blocks}},
		missing: answer{"InvalidVpcEndpointServiceId.NotFound", "The VpcEndpointService Id '%s' does not exist"},
		inUse:   answer{"ExistingVpcEndpointConnections", "Service %s has existing active VPC Endpoint connections!"},
		rules:   []rule{serviceBalancers, balancersFree, principalsExist},
		leaving: []rule{serviceIsUnused},
		make:    makeEndpointService,
		change: func(c *call) error {
			c.serviceZones()
			return nil
		},
	}}
}

// serviceBalancers: a service stands on network load balancers.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpointServiceConfiguration.html
func serviceBalancers(c *call) error {
	arns := c.in().texts("networkLoadBalancerArns")
	if len(arns) == 0 && len(c.in().texts("gatewayLoadBalancerArns")) == 0 {
		return refuse("MissingParameter", "The request must contain the parameter NetworkLoadBalancerArns or GatewayLoadBalancerArns")
	}
	for _, arn := range arns {
		if c.find(loadBalancerToken, arn).State.text("loadBalancerType") != "network" {
			return refuse("InvalidParameter", "The load balancer %s is not a network load balancer", arn)
		}
	}
	return nil
}

// balancersFree: a load balancer stands under one service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/create-endpoint-service.html
func balancersFree(c *call) error {
	for _, other := range c.all(endpointServiceToken) {
		for _, arn := range c.in().texts("networkLoadBalancerArns") {
			if other.ID != c.rec.ID && slices.Contains(other.State.texts("networkLoadBalancerArns"), arn) {
				return refuse("InvalidParameter", "LBs are already associated with another VPC Endpoint Service Configuration")
			}
		}
	}
	return nil
}

// principalsExist: whom a service lets in is somebody of IAM's, or everybody.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyVpcEndpointServicePermissions.html
func principalsExist(c *call) error {
	for _, principal := range c.in().texts("allowedPrincipals") {
		if principal != "*" && !strings.HasPrefix(principal, "arn:"+c.partition+":iam::") {
			return refuse("InvalidPrincipal", "The principal '%s' is not valid", principal)
		}
	}
	return nil
}

// serviceIsUnused: a service goes when no endpoint is connected to it, whoever's it is.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpcEndpointServiceConfigurations.html
func serviceIsUnused(c *call) error {
	endpoints, err := c.everywhere(endpointToken)
	if err != nil {
		return err
	}
	for _, endpoint := range endpoints {
		if endpoint.State.text("serviceName") == c.in().text("serviceName") {
			return c.kind.inUse.about(c.rec.ID)
		}
	}
	return nil
}

func makeEndpointService(c *call) error {
	c.rec.ID = newID("vpce-svc")
	c.owned("vpc-endpoint-service")
	delete(c.rec.State, "ownerId")
	name := fmt.Sprintf("com.amazonaws.vpce.%s.%s", c.region, c.rec.ID)
	c.rec.State["serviceName"] = name
	c.rec.State["baseEndpointDnsNames"] = list(fmt.Sprintf("%s.%s.vpce.%s", c.rec.ID, c.region, c.dnsSuffix))
	c.rec.State["supportedRegions"] = list(c.region)
	c.serviceZones()
	return nil
}

// serviceZones has the service cover the zones of its load balancers.
func (c *call) serviceZones() {
	var names []string
	for _, arn := range c.in().texts("networkLoadBalancerArns") {
		for _, subnet := range c.find(loadBalancerToken, arn).State.texts("subnets") {
			if zone := c.find(subnetToken, subnet).State.text("availabilityZone"); !slices.Contains(names, zone) {
				names = append(names, zone)
			}
		}
	}
	slices.Sort(names)
	c.rec.State["availabilityZones"] = list(names...)
}

// offered is the service of that name, wherever it is; nil where there is none that lets the call's account in.
func (c *call) offered(name string) (*foreign, error) {
	services, err := c.everywhere(endpointServiceToken)
	if err != nil {
		return nil, err
	}
	for _, service := range services {
		if service.State.text("serviceName") == name && c.letIn(service) {
			return &service, nil
		}
	}
	return nil, nil
}

// letIn says whether a service lets the call's account in: its own, or one whose root, user or calling
// role is among its principals.
func (c *call) letIn(service foreign) bool {
	principals := service.State.texts("allowedPrincipals")
	return service.account == c.account || slices.Contains(principals, "*") || c.lets(principals) ||
		slices.Contains(principals, c.globalARN("iam", "root")) ||
		slices.Contains(principals, c.globalARN("iam", "user/offline"))
}

// zoneIDs are the zones of a service: their names are those of the account that holds it.
func (f *foreign) zoneIDs(at site) []string {
	holder := at
	holder.account = f.account
	var ids []string
	for _, name := range f.State.texts("availabilityZones") {
		zone, _ := holder.zone(name)
		ids = append(ids, zone.id)
	}
	return ids
}

// endpointCovered: an endpoint's zones are ones that the service covers, and the service lets the account in.
// https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
func endpointCovered(c *call) error {
	name := c.in().text("serviceName")
	if !strings.Contains(name, ".vpce-svc-") {
		return nil
	}
	service, err := c.offered(name)
	if err != nil {
		return err
	}
	if service == nil {
		return refuse("InvalidServiceName", "The Vpc Endpoint Service '%s' does not exist", name)
	}
	covered := service.zoneIDs(c.site)
	for _, id := range c.in().texts("subnetIds") {
		if subnet := c.find(subnetToken, id).State; !slices.Contains(covered, subnet.text("availabilityZoneId")) {
			return refuse("InvalidParameter", "The VPC endpoint service %s does not support the availability zone of the "+
				"subnet: %s.", name, id)
		}
	}
	return nil
}

// waits says whether an endpoint that is made waits until the service's owner accepts it.
func (c *call) waits() (bool, error) {
	name := c.in().text("serviceName")
	if !strings.Contains(name, ".vpce-svc-") {
		return false, nil
	}
	service, err := c.offered(name)
	if err != nil || service == nil {
		return false, err
	}
	accepted := c.in().yes("autoAccept") && service.account == c.account
	return service.State.yes("acceptanceRequired") && !accepted, nil
}

func getVPCEndpointService(c *call, args ec2.LookupVpcEndpointServiceArgs) (*ec2.LookupVpcEndpointServiceResult, error) {
	if args.Service != nil {
		return c.ownEndpointService(*args.Service), nil
	}
	services, err := c.everywhere(endpointServiceToken)
	if err = errors.Join(err, noFilters(len(args.Filters))); err != nil {
		return nil, fmt.Errorf("reading EC2 VPC Endpoint Services: %w", err)
	}
	var found []foreign
	for _, service := range services {
		// Tags are seen by the owner alone.
		if c.letIn(service) && matches(service.State, "serviceName", args.ServiceName) && tagged(service.State, args.Tags) &&
			(len(args.Tags) == 0 || service.account == c.account) {
			found = append(found, service)
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.New("no matching EC2 VPC Endpoint Service found")
	case 1:
	default:
		return nil, errors.New("multiple EC2 VPC Endpoint Services matched; use additional constraints to reduce matches to " +
			"a single EC2 VPC Endpoint Service")
	}
	s := found[0].State
	result := &ec2.LookupVpcEndpointServiceResult{Id: hashcode(s.text("serviceName")), ServiceId: found[0].ID,
		ServiceName: s.text("serviceName"), ServiceType: "Interface", Owner: found[0].account, Region: c.region,
		AcceptanceRequired: s.yes("acceptanceRequired"), PrivateDnsName: s.text("privateDnsName"), Arn: s.text("arn"),
		BaseEndpointDnsNames: s.texts("baseEndpointDnsNames"), SupportedIpAddressTypes: []string{"ipv4"},
		AvailabilityZones: []string{}, PrivateDnsNames: []string{}, Tags: tagsOf(s)}
	for _, id := range found[0].zoneIDs(c.site) {
		if zone, ok := c.zone(id); ok {
			result.AvailabilityZones = append(result.AvailabilityZones, zone.name)
		}
	}
	slices.Sort(result.AvailabilityZones)
	return result, nil
}

// ownEndpointService is one of AWS's own, which is in every zone and open to everybody.
func (c *call) ownEndpointService(service string) *ec2.LookupVpcEndpointServiceResult {
	name := "com.amazonaws." + c.region + "." + service
	return &ec2.LookupVpcEndpointServiceResult{Id: hashcode(name), ServiceName: name, Service: &service, Owner: "amazon",
		AvailabilityZones: c.zoneNames(), Region: c.region, ServiceType: "Interface", VpcEndpointPolicySupported: true}
}

func (c *call) zoneNames() []string {
	var names []string
	for _, zone := range c.zones() {
		names = append(names, zone.name)
	}
	return names
}
