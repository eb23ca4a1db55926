package ec2

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func endpointServiceKinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.VPCEndpointService, Args: ec2.VpcEndpointServiceArgs{}, State: ec2.VpcEndpointServiceState{},
		Service: "EC2", Noun: "VPC Endpoint Service",
		Calls: aws.Calls{Create: "CreateVpcEndpointServiceConfiguration", Update: "ModifyVpcEndpointServiceConfiguration",
			Remove: "DeleteVpcEndpointServiceConfigurations"},
		ConflictsWith: [][]string{{"gatewayLoadBalancerArns", "networkLoadBalancerArns"}},
		Constants: props.Map{"allowedPrincipals": []any{}, "managesVpcEndpoints": false,
			"privateDnsNameConfigurations": []any{}, "serviceType": "Interface", "state": "Available",
			"supportedIpAddressTypes": props.List("ipv4")},
		References: []aws.Reference{{
			Input:      "networkLoadBalancerArns",
			Type:       awstype.LoadBalancer,
			Dependency: aws.BlocksDeletion,
		}},
		NotFound: awserr.Template{
			Code: "InvalidVpcEndpointServiceId.NotFound",
			Text: "The VpcEndpointService Id '%s' does not exist",
		},
		// The provider recognizes only the code of NotFound.
		MissingOnDelete: awserr.Template{
			Code: "InvalidVpcEndpointService.NotFound",
			Text: "The VpcEndpointService Id '%s' does not exist",
		},
		InUse: awserr.Template{
			Code: "ExistingVpcEndpointConnections",
			Text: "Service %s has existing active VPC Endpoint connections!",
		},
		Rules:       []aws.Rule{serviceBalancers, balancersFree, principalsExist},
		DeleteRules: []aws.Rule{serviceIsUnused},
		ID:          aws.EC2ID("vpce-svc"),
		OnCreate:    completeService,
		OnUpdate: func(c *aws.Call) error {
			serviceZones(c)
			return nil
		},
	}}
}

// serviceBalancers: an endpoint service needs network load balancers.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpointServiceConfiguration.html
func serviceBalancers(c *aws.Call) error {
	arns := c.State().Strings("networkLoadBalancerArns")
	if len(arns) == 0 && len(c.State().Strings("gatewayLoadBalancerArns")) == 0 {
		return awserr.Errorf("MissingParameter", "The request must contain the parameter NetworkLoadBalancerArns or GatewayLoadBalancerArns")
	}
	for _, arn := range arns {
		if c.Find(awstype.LoadBalancer, arn).State.String("loadBalancerType") != "network" {
			return awserr.Errorf("InvalidParameter", "The load balancer %s is not a network load balancer", arn)
		}
	}
	return nil
}

// balancersFree: a load balancer belongs to one service.
// https://docs.aws.amazon.com/vpc/latest/privatelink/create-endpoint-service.html
func balancersFree(c *aws.Call) error {
	for _, other := range c.All(awstype.VPCEndpointService) {
		for _, arn := range c.State().Strings("networkLoadBalancerArns") {
			if other.ID != c.Resource.ID && slices.Contains(other.State.Strings("networkLoadBalancerArns"), arn) {
				return awserr.Errorf("InvalidParameter",
					"LBs are already associated with another VPC Endpoint Service Configuration")
			}
		}
	}
	return nil
}

// principalsExist: the allowed principals of a service are IAM principals, or everybody.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyVpcEndpointServicePermissions.html
func principalsExist(c *aws.Call) error {
	for _, principal := range c.State().Strings("allowedPrincipals") {
		if principal != "*" && !strings.HasPrefix(principal, "arn:"+c.Partition+":iam::") {
			return awserr.Errorf("InvalidPrincipal", "The principal '%s' is not valid", principal)
		}
		if c.Rehearsal.IsLate(awstype.VPCEndpointService, principal) {
			return awserr.Errorf("InvalidPrincipal", "Invalid Principal: '%s'", principal)
		}
	}
	return nil
}

// serviceIsUnused: a service can be deleted only when no endpoint of any account is connected to it. A connection that
// the service's owner has rejected does not count.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpcEndpointServiceConfigurations.html
func serviceIsUnused(c *aws.Call) error {
	endpoints, err := c.AllAccounts(awstype.VPCEndpoint)
	if err != nil {
		return err
	}
	for _, endpoint := range endpoints {
		if endpoint.State.String("serviceName") == c.State().String("serviceName") &&
			endpoint.State.String("state") != aws.RejectedConnection {
			return c.Kind.InUse.For(c.Resource.ID)
		}
	}
	return nil
}

func completeService(c *aws.Call) error {
	name := fmt.Sprintf("com.amazonaws.vpce.%s.%s", c.Region, c.Resource.ID)
	c.Resource.State["serviceName"] = name
	c.Resource.State["baseEndpointDnsNames"] = props.List(fmt.Sprintf("%s.%s.vpce.%s", c.Resource.ID, c.Region,
		c.DNSSuffix))
	c.Resource.State["supportedRegions"] = props.List(c.Region)
	serviceZones(c)
	return nil
}

// serviceZones sets the service's zones to its load balancers' zones.
func serviceZones(c *aws.Call) {
	var names []string
	for _, arn := range c.State().Strings("networkLoadBalancerArns") {
		for _, subnet := range c.Find(awstype.LoadBalancer, arn).State.Strings("subnets") {
			if zone := c.Find(awstype.Subnet, subnet).State.String("availabilityZone"); !slices.Contains(names, zone) {
				names = append(names, zone)
			}
		}
	}
	slices.Sort(names)
	c.Resource.State["availabilityZones"] = props.List(names...)
}

// findService returns the service of that name, in any account; nil if there is none that the call's account may use.
func findService(c *aws.Call, name string) (*aws.Foreign, error) {
	services, err := c.AllAccounts(awstype.VPCEndpointService)
	if err != nil {
		return nil, err
	}
	for _, service := range services {
		if service.State.String("serviceName") == name && serviceAllows(c, service) {
			return &service, nil
		}
	}
	return nil, nil
}

// serviceAllows reports whether a service allows the call's account: the service is the account's own, or its
// principals include the account's root, its user or the calling role.
func serviceAllows(c *aws.Call, service aws.Foreign) bool {
	principals := service.State.Strings("allowedPrincipals")
	return service.Account == c.Account || slices.Contains(principals, "*") || c.AllowsCallerRole(principals) ||
		slices.Contains(principals, c.GlobalARN("iam", "root")) ||
		slices.Contains(principals, c.GlobalARN("iam", "user/offline"))
}

// zoneIDs returns the zone IDs of a service. Its zone names are those of its own account.
func zoneIDs(f *aws.Foreign, at aws.Site) []string {
	holder := at
	holder.Account = f.Account
	var ids []string
	for _, name := range f.State.Strings("availabilityZones") {
		zone, _ := holder.Zone(name)
		ids = append(ids, zone.ID)
	}
	return ids
}

// endpointCovered: the service must be available in the endpoint's zones, and must allow the account.
// https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
func endpointCovered(c *aws.Call) error {
	name := c.State().String("serviceName")
	if region := c.State().String("serviceRegion"); name == "" || c.State().String("vpcEndpointType") == "Gateway" ||
		region != "" && region != c.Region {
		return nil
	}
	covered, exist := awsServiceZones(c, name)
	if strings.Contains(name, ".vpce-svc-") {
		service, err := findService(c, name)
		if err != nil {
			return err
		}
		if exist = service != nil; exist {
			covered = zoneIDs(service, c.Site)
		}
	}
	if !exist || c.Rehearsal.IsLate(awstype.VPCEndpoint, name) {
		return awserr.Errorf("InvalidServiceName", "The Vpc Endpoint Service '%s' does not exist", name)
	}
	for _, id := range c.State().Strings("subnetIds") {
		if subnet := c.Find(awstype.Subnet, id).State; !slices.Contains(covered, subnet.String("availabilityZoneId")) {
			return awserr.Errorf("InvalidParameter",
				"The VPC endpoint service %s does not support the availability zone of the "+
					"subnet: %s.", name, id)
		}
	}
	return nil
}

// serviceType returns the type of a service's endpoints.
func serviceType(service props.Map) string {
	if len(service.Strings("gatewayLoadBalancerArns")) > 0 {
		return "GatewayLoadBalancer"
	}
	return "Interface"
}

// endpointOfServicesType: an endpoint has the type of its service, and one of a Gateway Load Balancer has one subnet.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
func endpointOfServicesType(c *aws.Call) error {
	name, kind := c.State().String("serviceName"), c.State().String("vpcEndpointType")
	if kind == "GatewayLoadBalancer" && len(c.State().Strings("subnetIds")) > 1 {
		return awserr.Errorf("InvalidParameter", "You can specify only one subnet for a Gateway Load Balancer endpoint.")
	}
	if !strings.Contains(name, ".vpce-svc-") {
		return nil
	}
	service, err := findService(c, name)
	if err != nil || service == nil || serviceType(service.State) == kind {
		return err
	}
	return awserr.Errorf("InvalidParameter", "Endpoint type (%s) does not match available service types ([%s]).", kind,
		serviceType(service.State))
}

// needsAcceptance reports whether a new endpoint waits until the service's owner accepts it.
func needsAcceptance(c *aws.Call) (bool, error) {
	name := c.State().String("serviceName")
	if !strings.Contains(name, ".vpce-svc-") {
		return false, nil
	}
	service, err := findService(c, name)
	if err != nil || service == nil {
		return false, err
	}
	accepted := c.State().Bool("autoAccept") && service.Account == c.Account
	return service.State.Bool("acceptanceRequired") && !accepted, nil
}

func getVPCEndpointService(
	c *aws.Call,
	args ec2.LookupVpcEndpointServiceArgs,
) (*ec2.LookupVpcEndpointServiceResult, error) {
	if args.Service != nil {
		name := "com.amazonaws." + c.Region + "." + *args.Service
		args.ServiceName = &name
	}
	if name := aws.Deref(args.ServiceName); name != "" && !strings.Contains(name,
		".vpce-svc-") && !strings.Contains(name, ".vpce.") {
		return awsService(c, name, aws.Deref(args.ServiceType))
	}
	services, err := c.AllAccounts(awstype.VPCEndpointService)
	if err = errors.Join(err, aws.NoFilters(len(args.Filters))); err != nil {
		return nil, fmt.Errorf("reading EC2 VPC Endpoint Services: %w", err)
	}
	var found []aws.Foreign
	for _, service := range services {
		// Only the owner sees the tags.
		if serviceAllows(c, service) && aws.Matches(service.State, "serviceName",
			args.ServiceName) && aws.Tagged(service.State, aws.Tags(args.Tags)) &&
			(len(args.Tags) == 0 || service.Account == c.Account) {
			found = append(found, service)
		}
	}
	if len(found) == 0 && args.ServiceName != nil { // DescribeVpcEndpointServices refuses the name: InvalidServiceName
		return nil, errors.New("reading EC2 VPC Endpoint Services: couldn't find resource")
	}
	service, err := aws.One("EC2 VPC Endpoint Service", found)
	if err != nil {
		return nil, err
	}
	zones := []string{}
	for _, id := range zoneIDs(&service, c.Site) {
		if zone, ok := c.Zone(id); ok {
			zones = append(zones, zone.Name)
		}
	}
	slices.Sort(zones)
	return aws.Describe[ec2.LookupVpcEndpointServiceResult](c, service.Entry, props.Map{
		"id": ids.Hashcode(service.State.String("serviceName")), "serviceId": service.ID,
		"serviceType": serviceType(service.State), "owner": service.Account,
		"region": c.Region, "supportedIpAddressTypes": props.List("ipv4"), "availabilityZones": zones,
		"privateDnsNames": []any{}})
}

// awsService returns one of AWS's own services, open to all accounts, and available in every zone unless a seed changes
// that.
func awsService(c *aws.Call, name, kind string) (*ec2.LookupVpcEndpointServiceResult, error) {
	zones, exist := awsServiceZones(c, name)
	label := name[strings.LastIndex(name, ".")+1:]
	hasGateway := label == "s3" || label == "dynamodb"
	switch {
	case !exist:
		return nil, errors.New("reading EC2 VPC Endpoint Services: couldn't find resource")
	case hasGateway && kind == "":
		return nil, errors.New("multiple EC2 VPC Endpoint Services matched; use additional constraints to reduce matches to " +
			"a single EC2 VPC Endpoint Service")
	case kind == "Gateway" && !hasGateway:
		return nil, errors.New("no matching EC2 VPC Endpoint Service found")
	}
	result := &ec2.LookupVpcEndpointServiceResult{Id: ids.Hashcode(name), ServiceName: name, Owner: "amazon",
		AvailabilityZones: []string{}, Region: c.Region, ServiceType: cmp.Or(kind, "Interface"),
		VpcEndpointPolicySupported: true}
	for _, id := range zones {
		if zone, ok := c.Zone(id); ok {
			result.AvailabilityZones = append(result.AvailabilityZones, zone.Name)
		}
	}
	slices.Sort(result.AvailabilityZones)
	return result, nil
}

// awsServiceZones returns the IDs of the zones in which one of AWS's services is available, and whether the region has
// the service.
func awsServiceZones(c *aws.Call, name string) (zoneIDs []string, exist bool) {
	m := serviceGrammar.FindStringSubmatch(name)
	if m == nil || m[2] != c.Region || hasChinaPrefix(name, c.Region) || strings.Count(name, "com.amazonaws.") > 1 {
		return nil, false
	}
	if rec := c.Find(aws.AWSService, name); rec != nil {
		zoneIDs = rec.State.Strings("zoneIds")
		return zoneIDs, len(zoneIDs) > 0
	}
	for _, zone := range c.Zones() {
		zoneIDs = append(zoneIDs, zone.ID)
	}
	return zoneIDs, true
}
