package network

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// dynamoDB is the service with gateway endpoints besides S3.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
const dynamoDB = "dynamodb"

// endpoints are the network's endpoints of AWS services.
type endpoints struct {
	*site
	// zonesOf are the network's zones that offer a service, by the service's name.
	zonesOf map[string][]string
	// groups are the additional security groups of interface endpoints, known once they have been checked.
	groups []pulumi.StringInput
}

// createGateways creates the gateway endpoints of S3 and of the given services, with the route tables of the private
// and the public subnets.
func (e *endpoints) createGateways(vpc *ec2.Vpc, private *privateSide, public *publicSide) error {
	var tables pulumi.StringArray
	for _, zone := range e.zones {
		if table := private.tables[zone.name]; table != nil {
			tables = append(tables, table.ID())
		}
	}
	if e.args.PublicSubnets {
		tables = append(tables, public.table.ID())
	}
	for _, service := range append([]string{"s3"}, e.args.GatewayEndpoints...) {
		document, err := e.policy(service)
		if err != nil {
			return err
		}
		endpoint, err := ec2.NewVpcEndpoint(e.ctx, e.child(service), &ec2.VpcEndpointArgs{
			VpcId:           vpc.ID(),
			ServiceName:     pulumi.String(e.serviceName(service)),
			VpcEndpointType: pulumi.String("Gateway"),
			RouteTableIds:   tables,
			Policy:          document,
			Tags:            e.tags(""),
		}, e.parent())
		if err != nil {
			return err
		}
		if service == "s3" {
			e.out.S3EndpointID = endpoint.ID().ToStringOutput()
		}
	}
	return nil
}

func (args *BaseNetworkArgs) validateGatewayEndpoints() error {
	var faults fault.Faults
	for i, service := range args.GatewayEndpoints {
		path := fmt.Sprintf("[%d]", i)
		switch first := slices.Index(args.GatewayEndpoints, service); {
		case service == "s3":
			faults.Add(path, service, "always has a gateway endpoint", "leave it out")
		case service != dynamoDB:
			faults.Add(path, service, "is not a service with gateway endpoints", "use "+dynamoDB+", or interfaceEndpoints")
		case first < i:
			faults.Add(path, service, fmt.Sprintf("duplicates [%d]", first), "list each service once")
		}
	}
	if args.Existing != nil {
		refuseWithExisting(&faults, "", len(args.GatewayEndpoints) > 0, strings.Join(args.GatewayEndpoints, ", "))
	}
	return faults.Err()
}

// createInterfaces creates an interface endpoint for each service in the node subnets of the zones that offer it, open
// to the VPC only.
func (e *endpoints) createInterfaces(v *vpcNetwork) error {
	services := expandServices(e.args.InterfaceEndpoints, e.args.Services)
	if len(services) == 0 {
		return nil
	}
	name := e.args.Prefix + "-endpoints"
	group, err := e.securityGroup(v, "endpoints", name, "AWS services for the nodes of "+e.args.Prefix)
	if err != nil {
		return err
	}
	if err := e.allowFromVPC(v, group, "endpoints-https", name, "HTTPS from the VPC", 443); err != nil {
		return err
	}
	ids := pulumi.StringMap{}
	for _, service := range services {
		var subnets pulumi.StringArray
		for _, zone := range e.zonesOf[service] {
			subnets = append(subnets, v.nodeSubnets[zone])
		}
		document, err := e.policy(service)
		if err != nil {
			return err
		}
		groups := pulumi.StringArray{group.ID()}
		for _, id := range e.groups {
			groups = append(groups, id)
		}
		endpoint, err := ec2.NewVpcEndpoint(e.ctx, e.child("endpoint-"+service), &ec2.VpcEndpointArgs{
			VpcId:             v.vpcID,
			ServiceName:       pulumi.String(e.serviceName(service)),
			VpcEndpointType:   pulumi.String("Interface"),
			PrivateDnsEnabled: pulumi.Bool(true),
			SubnetIds:         subnets,
			SecurityGroupIds:  groups,
			Policy:            document,
			Tags:              e.tags(e.args.Prefix + "-" + service),
		}, e.parent())
		if err != nil {
			return err
		}
		ids[service] = endpoint.ID().ToStringOutput()
	}
	e.out.InterfaceEndpointIDs = ids.ToStringMapOutput()
	return nil
}

// policy returns the policy of a service's endpoint, nil for AWS's default, which allows everything.
func (e *endpoints) policy(service string) (pulumi.StringPtrInput, error) {
	gateway := e.args.hasGatewayEndpoint(service)
	document, err := input.Check("endpointPolicies["+service+"]", e.args.EndpointPolicies[service],
		func(text string) error {
			if text == "" {
				return nil
			}
			return validateEndpointPolicy(text, gateway)
		})
	return input.Optional(document), err
}

// hasGatewayEndpoint reports whether the network creates a gateway endpoint for a service.
func (args *BaseNetworkArgs) hasGatewayEndpoint(service string) bool {
	return args.Existing == nil && (service == "s3" || slices.Contains(args.GatewayEndpoints, service))
}

// maxEndpointPolicy is AWS's limit of the characters of an endpoint's policy. Source: the PrivateLink guide, "Control
// access to VPC endpoints using endpoint policies".
const maxEndpointPolicy = 20480

// validateEndpointPolicies returns a fault for each policy that is not valid, or whose endpoint the network does not
// create.
func (args *BaseNetworkArgs) validateEndpointPolicies() error {
	var faults fault.Faults
	services := expandServices(args.InterfaceEndpoints, args.Services)
	for _, service := range slices.Sorted(maps.Keys(args.EndpointPolicies)) {
		path, gateway := "["+service+"]", args.hasGatewayEndpoint(service)
		if !gateway && !slices.Contains(services, service) {
			faults.Add(path, nil, "is for a service without an endpoint of this network",
				"add it to interfaceEndpoints or gatewayEndpoints, or leave it out")
			continue
		}
		faults.Join(path, input.IfPlain(args.EndpointPolicies[service], func(text string) error {
			return validateEndpointPolicy(text, gateway)
		}))
	}
	return faults.Err()
}

// validateEndpointPolicy returns a fault if a text is not a policy for an endpoint: one whose statements have
// principals, which for a gateway endpoint are all, because AWS compares no others. Source: the PrivateLink guide,
// "Endpoint policies for gateway endpoints".
func validateEndpointPolicy(text string, gateway bool) error {
	refuse := func(problem, remedy string) error { return &fault.Fault{Problem: problem, Remedy: remedy} }
	document, err := policy.Parse(text)
	switch {
	case err != nil:
		return refuse("is not a policy: "+err.Error(), "use a policy document as JSON")
	case len(text) > maxEndpointPolicy:
		return refuse(fmt.Sprintf("has %d characters", len(text)), fmt.Sprintf("use at most %d", maxEndpointPolicy))
	case document.Version != "" && document.Version != policy.Version && document.Version != "2008-10-17":
		return refuse("has the Version "+document.Version, "use "+policy.Version)
	case len(document.Statement) == 0:
		return refuse("has no Statement", "add one with Effect, Principal, Action, and Resource")
	}
	for i, s := range document.Statement {
		at := fmt.Sprintf("has in statement %d ", i+1)
		everyone := s.Principal != nil && (s.Principal.Anyone || slices.Equal(s.Principal.AWS, []string{"*"}))
		switch {
		case s.Effect != policy.Allow && s.Effect != policy.Deny:
			return refuse(at+fmt.Sprintf("the Effect %q", s.Effect), "use Allow or Deny")
		case s.Principal == nil && s.NotPrincipal == nil:
			return refuse(at+"no Principal", `use "Principal": "*", and limit callers by the condition key aws:PrincipalArn`)
		case gateway && !everyone:
			return refuse(at+"a Principal, which AWS does not compare for gateway endpoints", `use "Principal": "*", and the condition key aws:PrincipalArn`)
		case len(s.Action) == 0 && len(s.NotAction) == 0:
			return refuse(at+"no Action", "add the actions, such as s3:GetObject")
		case len(s.Resource) == 0 && len(s.NotResource) == 0:
			return refuse(at+"no Resource", `add the resources' ARNs, or "*"`)
		}
	}
	return nil
}

// validateEndpointGroups returns the faults in the additional security groups of interface endpoints.
func (args *BaseNetworkArgs) validateEndpointGroups() error {
	var faults fault.Faults
	if len(args.EndpointSecurityGroups) > 0 && len(args.InterfaceEndpoints) == 0 {
		faults.Add("", nil, "are for interface endpoints, but the network has none",
			"set interfaceEndpoints, or leave them out")
	}
	faults.Join("", validateGroupIDs(args.EndpointSecurityGroups))
	// AWS's limit is five, and one is the network's own. Source: the VPC guide, "Amazon VPC quotas".
	if most := 4; len(args.EndpointSecurityGroups) > most {
		faults.Add("", len(args.EndpointSecurityGroups),
			"are more security groups than an endpoint can have besides its own one", fmt.Sprintf("use at most %d", most))
	}
	return faults.Err()
}

// findGroups checks that the additional security groups exist, in the existing VPC if there is one. For a VPC that is
// created, AWS compares them itself.
func (e *endpoints) findGroups() error {
	var vpcID pulumi.StringInput
	if e.args.Existing != nil {
		vpcID = e.args.Existing.VPCID
	}
	groups, err := input.CheckAll(append([]pulumi.StringInput{vpcID}, e.args.EndpointSecurityGroups...),
		func(ids []string) error {
			return e.checkGroups("endpointSecurityGroups", ids[0], ids[1:])
		})
	e.groups = groups[1:]
	return err
}

// checkGroups checks that security groups exist, and that they are in the VPC unless that is "".
func (s *site) checkGroups(path, vpcID string, ids []string) error {
	var faults fault.Faults
	for i, id := range ids {
		path := fmt.Sprintf("%s[%d]", path, i)
		group, err := ec2.LookupSecurityGroup(s.ctx, &ec2.LookupSecurityGroupArgs{Id: &id}, s.parent())
		if err != nil {
			faults.Join(path, lookupFault(id, err, "use a security group of this account and region"))
			continue
		}
		faults.Join(path, CheckGroup(id, group.VpcId, vpcID))
	}
	return faults.Err()
}

// validateGroupIDs returns a fault for each ID that is not one of a security group, or that is listed twice.
func validateGroupIDs(groups []pulumi.StringInput) error {
	var faults fault.Faults
	seen := map[string]int{}
	for i, given := range groups {
		path := fmt.Sprintf("[%d]", i)
		id, plain := input.Plain(given)
		if !plain {
			continue
		}
		if first, twice := seen[id]; !awsid.IsEC2("sg", id) {
			faults.Add(path, id, "is not the ID of a security group", "use one such as sg-0123456789abcdef0")
		} else if twice {
			faults.Add(path, id, fmt.Sprintf("duplicates [%d]", first), "list each group once")
		}
		seen[id] = i
	}
	return faults.Err()
}

func (s *site) serviceName(service string) string {
	return serviceName(s.region, service)
}

var servicePattern = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)

// nodesPreset means all of NodeServices in a list of interface endpoints.
const nodesPreset = "nodes"

// expandServices returns the services in a list of interface endpoints, with nodesPreset replaced by preset.
func expandServices(items, preset []string) []string {
	var services []string
	for _, item := range items {
		if item == nodesPreset {
			services = append(services, preset...)
		} else {
			services = append(services, item)
		}
	}
	return services
}

func validateInterfaceEndpoints(items, preset []string) error {
	var faults fault.Faults
	seen := map[string]int{}
	for i, item := range items {
		path := fmt.Sprintf("[%d]", i)
		switch first, twice := firstSeen(seen, expandServices([]string{item}, preset)); {
		case strings.HasPrefix(item, "com.amazonaws.") || strings.HasPrefix(item, "cn.com.amazonaws."):
			faults.Add(path, item, "is the name of an endpoint service, which begins with the region",
				"use the part after the region, such as ecr.api or sts")
		case !servicePattern.MatchString(item):
			faults.Add(path, item, "is not the name of a service's endpoint", "use one such as ecr.api or sts")
		case item == "s3":
			faults.Add(path, item, "always has a gateway endpoint", "leave it out")
		case twice:
			faults.Add(path, item, fmt.Sprintf("duplicates [%d]", first), "list each service once")
		}
		for _, service := range expandServices([]string{item}, preset) {
			seen[service] = i
		}
	}
	return faults.Err()
}

// firstSeen returns the index of an earlier item with one of the services.
func firstSeen(seen map[string]int, services []string) (index int, twice bool) {
	for _, service := range services {
		if index, twice = seen[service]; twice {
			return index, true
		}
	}
	return 0, false
}

// serviceName returns the name of an AWS service's endpoint service in a region.
func serviceName(region, service string) string {
	name := "com.amazonaws." + region + "." + service
	if strings.HasPrefix(region, "cn-") && slices.Contains(chineseServices(), service) {
		return "cn." + name
	}
	return name
}

// chineseServices returns the services whose endpoint services begin with cn.com.amazonaws in China's regions; the
// others, such as S3's gateway endpoint, have the same names as elsewhere. Source: `aws ec2
// describe-vpc-endpoint-services` in those regions.
func chineseServices() []string {
	return []string{
		"application-autoscaling", "athena", "autoscaling", "backup", "batch", "cassandra", "cloudformation", "ebs", "ec2",
		"ecr.api", "ecr.dkr", "eks", "elasticache", "elasticbeanstalk", "elasticfilesystem", "emr-containers", "execute-api",
		"fsx", "imagebuilder", "kinesis-streams", "lambda", "license-manager", "monitoring", "rds", "redshift",
		"redshift-data",
		"sagemaker.api", "sagemaker.runtime", "securityhub", "servicecatalog", "sqs", "states", "sts", "synthetics",
		"transcribestreaming", "transfer", "xray",
	}
}

// findZones looks up in which of the network's zones AWS offers each service that gets an interface endpoint: AWS
// refuses an endpoint with a subnet in another zone. It returns a fault for a service that the region does not have,
// and for one that none of the network's zones has.
func (e *endpoints) findZones() error {
	e.zonesOf = map[string][]string{}
	var faults fault.Faults
	var mutex sync.Mutex
	var lookups sync.WaitGroup
	for i, item := range e.args.InterfaceEndpoints {
		for _, service := range expandServices([]string{item}, e.args.Services) {
			lookups.Go(func() {
				zones, err := e.serviceZones(service)
				mutex.Lock()
				defer mutex.Unlock()
				e.zonesOf[service] = zones
				faults.Join(fmt.Sprintf("[%d]", i), err)
			})
		}
	}
	lookups.Wait()
	slices.SortFunc(faults, func(a, b *fault.Fault) int { return strings.Compare(a.Error(), b.Error()) })
	return faults.Err()
}

// serviceZones returns the network's zones that offer the service.
func (e *endpoints) serviceZones(service string) ([]string, error) {
	name, kind := e.serviceName(service), "Interface"
	found, err := ec2.LookupVpcEndpointService(e.ctx, &ec2.LookupVpcEndpointServiceArgs{
		ServiceName: &name,
		ServiceType: &kind,
	}, e.parent())
	switch {
	case err != nil && awsprovider.IsMissing(err):
		return nil, &fault.Fault{Value: service, Problem: "is not a service with interface endpoints in " + e.region,
			Remedy: "correct it, or leave it out; `aws ec2 describe-vpc-endpoint-services` lists the region's services"}
	case err != nil:
		return nil, lookupFault(service, err, "leave it out")
	}
	var all, zones []string
	for _, zone := range e.zones {
		all = append(all, zone.name)
		if slices.Contains(found.AvailabilityZones, zone.name) {
			zones = append(zones, zone.name)
		}
	}
	switch {
	case len(found.AvailabilityZones) == 0: // in GovCloud AWS returns only the names of its services
		return all, nil
	case len(zones) == 0:
		return nil, &fault.Fault{Value: service,
			Problem: "is offered in none of the network's zones, " + strings.Join(all, ", "),
			Remedy: "leave it out, or add a zone that offers it: " +
				strings.Join(slices.Sorted(slices.Values(found.AvailabilityZones)), ", ")}
	}
	return zones, nil
}
