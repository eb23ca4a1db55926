package privatelink

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// EndpointType is the type of the component Endpoint, which URNs of its resources have.
const EndpointType = recorded.EndpointType

// maxSubnets is the maximum number of an endpoint's subnets. Source: spec.subnetIDs of HyperShift's AWSEndpointService.
const maxSubnets = 10

// Endpoint makes a service reachable in the guest's VPC: an interface endpoint with an interface in each zone, the
// security group that allows the machines to connect, and the DNS names that nodes use.
type Endpoint struct {
	pulumi.ResourceState

	// ID is the ID of the endpoint, "vpce-…". This and the other outputs are "" if the operators own the endpoint and have
	// not created it yet.
	ID pulumi.StringOutput `pulumi:"endpointID"`
	// SecurityGroupID is the ID of the endpoint's security group, "sg-…".
	SecurityGroupID pulumi.StringOutput `pulumi:"securityGroupID"`
	// DNSName is AWS's name for the endpoint in all its zones. The records in the local zone point to it.
	DNSName pulumi.StringOutput `pulumi:"dnsName"`
}

// Subnet is a subnet in which an endpoint has an interface.
type Subnet struct {
	// Zone is the name or the ID of the subnet's zone; use either names or IDs for all subnets. Required.
	Zone string `yaml:"-" pulumi:"zone"`
	// ID is the subnet's ID, "subnet-…". Required.
	ID pulumi.StringInput `yaml:"-" pulumi:"id"`
	// CIDR is the subnet's IPv4 CIDR, which must be within the machine CIDRs. Default: it is not checked.
	CIDR pulumi.StringInput `yaml:"-" pulumi:"cidr,optional"`
}

// EndpointArgs are the inputs of an Endpoint.
type EndpointArgs struct {
	// Cluster names and tags the endpoint. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// Service is the control plane service that the endpoint connects to. Default PrivateRouter.
	Service Service `yaml:"-" pulumi:"service,optional"`
	// ServiceName is the name of the endpoint service, in the provider's region. Required unless OperatorOwned.
	ServiceName pulumi.StringInput `yaml:"-" pulumi:"serviceName,optional"`
	// VPCID is the ID of the guest's VPC, "vpc-…". Required unless OperatorOwned.
	VPCID pulumi.StringInput `yaml:"-" pulumi:"vpcID,optional"`
	// Subnets are the endpoint's subnets, at most ten and one per zone. Required unless OperatorOwned.
	Subnets []Subnet `yaml:"-" pulumi:"subnets,optional"`
	// MachineCIDRs are the IPv4 CIDRs that may connect, those of the HostedCluster's machineNetwork. Required unless
	// OperatorOwned. A security group rule is named after its CIDR, or after its place in the list if the CIDR is an
	// output.
	MachineCIDRs []pulumi.StringInput `yaml:"-" pulumi:"machineCIDRs,optional"`
	// Clients may connect too. With OperatorOwned, their rules are added to the operator's security group once that
	// exists: the operator adds rules for the machine CIDRs to it, and removes none.
	Clients `yaml:",inline" pulumi:"clients"`
	// LocalZoneID is the ID of the hosted zone <name>.hypershift.local, which must be associated with the VPC. Required
	// unless OperatorOwned.
	LocalZoneID pulumi.StringInput `yaml:"-" pulumi:"localZoneID,optional"`
	// Tags are further tags of the endpoint and its security group. HyperShift's operator finds an endpoint by all the
	// resourceTags of its HostedCluster. Default none: the cluster's tags and the owner's.
	Tags map[string]string `yaml:"-" pulumi:"tags,optional"`
	// APIServerLoadBalancer is true if the API server has its own load balancer, with its own endpoint for the service
	// KubeAPIServerPrivate: the record "api" then points to that endpoint, and PrivateRouter has no such record. Default
	// false: the API server is published as a Route and reached by the private router.
	APIServerLoadBalancer bool `yaml:"-" pulumi:"apiServerLoadBalancer,optional"`
	// Existing are the parts of the endpoint that exist already; they are imported instead of created. Default none. See
	// Find.
	Existing *Existing `yaml:"-" pulumi:"existing,optional"`
	// OperatorOwned leaves the endpoint to HyperShift's operators: Existing is read, and neither changed nor deleted, even
	// if this program created it. Default false.
	OperatorOwned bool `yaml:"-" pulumi:"operatorOwned,optional"`
}

// names returns the records in the local zone that point to the endpoint.
func (args *EndpointArgs) names() []string {
	return namesBehind(args.Service, args.APIServerLoadBalancer)
}

// tagged returns the cluster's tags, Tags and the given tags.
func (args *EndpointArgs) tagged(own map[string]string) pulumi.StringMap {
	tags := args.Cluster.ResourceTags()
	maps.Copy(tags, args.Tags)
	maps.Copy(tags, own)
	return pulumi.ToStringMap(tags)
}

// existing returns Existing, or its zero value for nil.
func (args *EndpointArgs) existing() Existing {
	if args.Existing == nil {
		return Existing{}
	}
	return *args.Existing
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *EndpointArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("service", args.Service.Validate())
	faults.Join("", args.Clients.Validate())
	for i, cidr := range args.AllowedCIDRs {
		if text := input.Text(cidr); text != "" && slices.Contains(input.Texts(args.MachineCIDRs), text) {
			faults.Add(fmt.Sprintf("allowedCIDRs[%d]", i), text, "is a machine CIDR, which may connect already", "leave it out")
		}
	}
	if args.OperatorOwned {
		return faults.Err()
	}
	for _, required := range []struct {
		path, what string
		value      pulumi.StringInput
	}{
		{"serviceName", "the endpoint service's name", args.ServiceName},
		{"vpcID", "the guest's VPC", args.VPCID},
		{"localZoneID", "the ID of the zone " + args.Cluster.LocalZoneName(), args.LocalZoneID},
	} {
		if required.value == nil {
			faults.Add(required.path, nil, "is missing", "set "+required.what)
		}
	}
	if args.ServiceName != nil {
		faults.Join("serviceName", input.IfPlain(args.ServiceName, func(name string) error { return ValidateServiceName(name, "") }))
	}
	machines, err := parseCIDRs(args.MachineCIDRs)
	if len(args.MachineCIDRs) == 0 {
		faults.Add("machineCIDRs", nil, "are missing", "set those of the HostedCluster's machineNetwork, such as the VPC's CIDR")
	}
	faults.Join("machineCIDRs", err)
	if !input.ArePlain(args.MachineCIDRs...) {
		machines = nil // the subnets cannot be compared with them
	}
	faults.Join("subnets", validateSubnets(args.Subnets, machines))
	return faults.Err()
}

func validateSubnets(subnets []Subnet, machines []netip.Prefix) error {
	var faults fault.Faults
	switch {
	case len(subnets) == 0:
		faults.Add("", nil, "are missing", "set a subnet of the nodes for each zone")
	case len(subnets) > maxSubnets:
		faults.Add("", len(subnets), "are more subnets than an endpoint may have", fmt.Sprintf("use at most %d", maxSubnets))
	}
	zones := map[string]int{}
	for i, subnet := range subnets {
		path := fmt.Sprintf("[%d]", i)
		if subnet.ID == nil {
			faults.Add(path+".id", nil, "is missing", "set the subnet's ID")
		}
		if first, twice := zones[subnet.Zone]; subnet.Zone == "" {
			faults.Add(path+".zone", nil, "is missing", "set the subnet's zone")
		} else if twice {
			faults.Add(path+".zone", subnet.Zone,
				fmt.Sprintf("is also the zone of subnet [%d], but an endpoint has one subnet per zone", first),
				"leave one of them out: the whole VPC can reach the endpoint")
		} else {
			zones[subnet.Zone] = i
		}
		if cidr := input.Text(subnet.CIDR); cidr != "" && machines != nil {
			faults.Join(path+".cidr", covered(cidr, machines))
		}
	}
	return faults.Err()
}

// covered returns a fault if nodes in the CIDR could not connect.
func covered(text string, machines []netip.Prefix) error {
	cidr, err := netip.ParsePrefix(text)
	if err != nil {
		return &fault.Fault{Value: text, Problem: "is not a CIDR", Remedy: "use the subnet's CIDR, such as 10.0.128.0/20"}
	}
	for _, machine := range machines {
		if machine.Bits() <= cidr.Bits() && machine.Contains(cidr.Addr()) {
			return nil
		}
	}
	return &fault.Fault{Value: text, Problem: "is not in the machine CIDRs, so nodes in it could not connect",
		Remedy: "add it to machineCIDRs, and to the HostedCluster's machineNetwork"}
}

// NewEndpoint registers the endpoint with its security group and records. The error lists every fault in args. It also
// fails for a service of another region than the provider's, and if the local zone is not associated with the VPC.
func NewEndpoint(
	ctx *pulumi.Context,
	name string,
	args *EndpointArgs,
	opts ...pulumi.ResourceOption,
) (*Endpoint, error) {
	return component.New(ctx, EndpointType, "endpoint", name, args, opts, func(e *Endpoint, args *EndpointArgs) error {
		b := &builder{ctx: ctx, name: name, args: args, endpoint: e}
		if args.OperatorOwned {
			return b.look()
		}
		return b.make()
	})
}

// builder is shared by the functions that register one endpoint.
type builder struct {
	ctx      *pulumi.Context
	name     string
	args     *EndpointArgs
	endpoint *Endpoint
}

func (b *builder) make() error {
	serviceName, err := b.serviceName()
	if err != nil {
		return err
	}
	vpcID, zoneID := b.associated()
	group, err := b.securityGroup(vpcID)
	if err != nil {
		return err
	}
	var subnets pulumi.StringArray
	for _, subnet := range b.args.Subnets {
		subnets = append(subnets, subnet.ID)
	}
	endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.name, &ec2.VpcEndpointArgs{
		VpcId:             vpcID,
		ServiceName:       input.Optional(serviceName),
		VpcEndpointType:   pulumi.String("Interface"),
		PrivateDnsEnabled: pulumi.Bool(false),
		SubnetIds:         subnets,
		SecurityGroupIds:  pulumi.StringArray{group.ID()},
		Tags:              b.args.tagged(map[string]string{serviceTag: string(b.args.Service.OrDefault())}),
	}, adopt(b.parent(), b.args.existing().EndpointID)...)
	if err != nil {
		return err
	}
	b.endpoint.ID = endpoint.ID().ToStringOutput()
	b.endpoint.DNSName = dnsName(endpoint)
	return b.records(zoneID)
}

// serviceName returns the name of the endpoint service, which must be of the provider's region.
func (b *builder) serviceName() (pulumi.StringInput, error) {
	return input.Check("serviceName", b.args.ServiceName, func(name string) error {
		region, err := location.LookupRegion(b.ctx, b.parent())
		if err != nil {
			return err
		}
		return ValidateServiceName(name, region)
	})
}

// dnsName returns the first of the endpoint's DNS names, which is valid in all of its zones and is the one that
// HyperShift's operator uses.
func dnsName(endpoint *ec2.VpcEndpoint) pulumi.StringOutput {
	return firstEntry(endpoint, func(entry ec2.VpcEndpointDnsEntry) *string { return entry.DnsName })
}

// firstEntry returns a property of the endpoint's first DNS name.
func firstEntry(endpoint *ec2.VpcEndpoint, property func(ec2.VpcEndpointDnsEntry) *string) pulumi.StringOutput {
	return endpoint.DnsEntries.ApplyT(func(entries []ec2.VpcEndpointDnsEntry) (string, error) {
		if len(entries) == 0 || property(entries[0]) == nil {
			return "", errors.New("the endpoint has no DNS name; check its state in the AWS console")
		}
		return *property(entries[0]), nil
	}).(pulumi.StringOutput)
}

// child returns the name of a part of the endpoint.
func (b *builder) child(part string) string { return b.name + "-" + part }

// parent makes a resource a child of the endpoint, with its provider.
func (b *builder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.endpoint) }

// The descriptions that HyperShift's operator uses. It compares a rule's description too, and creates a second rule if
// it differs.
const (
	groupDescription = "VPC endpoint security group"
	ruleDescription  = "Control plane service"
)

// securityGroup creates the group, which only allows the machine CIDRs to connect on the service's port.
func (b *builder) securityGroup(vpcID pulumi.StringInput) (*ec2.SecurityGroup, error) {
	service, existing := b.args.Service, b.args.existing()
	name := service.securityGroupName(b.args.Cluster)
	// The group's name is unique in the VPC.
	opts := append(adopt(b.parent(), existing.SecurityGroupID), pulumi.DeleteBeforeReplace(true))
	group, err := ec2.NewSecurityGroup(b.ctx, b.child("group"), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(name),
		Description: pulumi.String(groupDescription),
		VpcId:       vpcID,
		Tags:        b.args.tagged(map[string]string{"Name": name}),
	}, opts...)
	if err != nil {
		return nil, err
	}
	for i, cidr := range b.args.MachineCIDRs {
		machines := source{name: input.Text(cidr), cidr: cidr}
		if machines.name == "" {
			machines.name = fmt.Sprintf("machines-%d", i)
		}
		if err := b.allow(machines, group.ID()); err != nil {
			return nil, err
		}
	}
	if err := b.allowClients(group.ID()); err != nil {
		return nil, err
	}
	b.endpoint.SecurityGroupID = group.ID().ToStringOutput()
	return group, nil
}

// allowPrefix begins the names of the rules of clients, which the operators have no rules for.
const allowPrefix = "allowed-"

// allowClients allows the clients to connect.
func (b *builder) allowClients(group pulumi.StringInput) error {
	for _, client := range b.args.sources(allowPrefix) {
		if err := b.allow(client, group); err != nil {
			return err
		}
	}
	return nil
}

// allow allows a source to connect on the service's port.
func (b *builder) allow(from source, group pulumi.StringInput) error {
	id := ""
	if key := from.key(); key != "" {
		id = b.args.existing().RuleIDs[key]
	}
	return from.register(b.ctx, b.child(from.name), group, b.args.Service.Port(), adopt(b.parent(), id)...)
}

// look reads the existing parts under the resource names that make uses. The engine then no longer manages resources
// that this program created, and does not delete them.
func (b *builder) look() error {
	existing := b.args.existing()
	if existing.SecurityGroupID != "" {
		group, err := ec2.GetSecurityGroup(b.ctx, b.child("group"), pulumi.ID(existing.SecurityGroupID), nil, b.parent())
		if err != nil {
			return err
		}
		b.endpoint.SecurityGroupID = group.ID().ToStringOutput()
		if err := b.allowClients(group.ID()); err != nil {
			return err
		}
	}
	for cidr, id := range existing.RuleIDs {
		if slices.ContainsFunc(b.args.sources(""), func(client source) bool { return client.key() == cidr }) {
			continue
		}
		if _, err := vpc.GetSecurityGroupIngressRule(b.ctx, b.child(cidr), pulumi.ID(id), nil, b.parent()); err != nil {
			return err
		}
	}
	if existing.EndpointID != "" {
		endpoint, err := ec2.GetVpcEndpoint(b.ctx, b.name, pulumi.ID(existing.EndpointID), nil, b.parent())
		if err != nil {
			return err
		}
		b.endpoint.ID = endpoint.ID().ToStringOutput()
		b.endpoint.DNSName = dnsName(endpoint)
	}
	for _, name := range b.args.names() {
		if id := b.recordID(name); id != "" {
			if _, err := route53.GetRecord(b.ctx, b.recordName(name), pulumi.ID(id), nil, b.parent()); err != nil {
				return err
			}
		}
	}
	return nil
}
