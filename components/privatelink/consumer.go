package privatelink

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const consumerType = "hypershift-aws:privatelink:Consumer"

// NoLocalZone is the LocalZoneID of a Consumer without the names in <name>.hypershift.local.
const NoLocalZone = "none"

// Consumer makes a private control plane reachable in another VPC than the nodes', such as the hub of a network, in any
// account: an interface endpoint to the control plane's endpoint service, the security group that allows its clients to
// connect, and private zones with the control plane's names. Its provider is that of the VPC's account, which must be
// one of the service's allowed principals. It has none of the tags and names by which HyperShift's operator finds the
// nodes' endpoint.
type Consumer struct {
	pulumi.ResourceState

	// ID is the ID of the endpoint, "vpce-…".
	ID pulumi.StringOutput `pulumi:"endpointID"`
	// SecurityGroupID is the ID of the endpoint's security group, "sg-…".
	SecurityGroupID pulumi.StringOutput `pulumi:"securityGroupID"`
	// DNSName is AWS's name for the endpoint in all its zones. The records of the private zones point to it.
	DNSName pulumi.StringOutput `pulumi:"dnsName"`
	// LocalZoneID is the ID of the VPC's zone <name>.hypershift.local, "Z…"; "" without one.
	LocalZoneID pulumi.StringOutput `pulumi:"localZoneID"`
}

// ConsumerArgs are the inputs of a Consumer.
type ConsumerArgs struct {
	// Cluster names and tags the endpoint. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// Service is the control plane service that the endpoint connects to. Default PrivateRouter.
	Service Service `yaml:"-" pulumi:"service,optional"`
	// ServiceName is the name of the endpoint service, in the provider's region. Required.
	ServiceName pulumi.StringInput `yaml:"-" pulumi:"serviceName" set:"the endpoint service's name"`
	// VPCID is the ID of the VPC, "vpc-…", with DNS support and DNS hostnames. Required. Changing it replaces everything.
	VPCID pulumi.StringInput `yaml:"vpcID" pulumi:"vpcID" set:"the ID of a VPC in the endpoint service's region"`
	// SubnetIDs are the IDs of the endpoint's subnets in the VPC, at most ten and one per zone, in zones that the endpoint
	// service covers. Required.
	SubnetIDs []pulumi.StringInput `yaml:"subnetIDs" pulumi:"subnetIDs" set:"the ID of a subnet for each zone"`
	// Clients are who may connect. Required.
	Clients `yaml:",inline" pulumi:"clients"`
	// HostNames are further names of the control plane that resolve to the endpoint in the VPC, such as the API server's
	// api-<name>.<externalDNSDomain>, which kubeconfigs have. Each gets a private zone, which hides the public record of
	// that name in the VPC. Default none.
	HostNames []string `yaml:"hostNames" pulumi:"hostNames,optional"`
	// LocalZoneID is the ID of an existing zone <name>.hypershift.local for the names "api" and "*.apps", which must be
	// associated with the VPC, or "none" for neither zone nor names. HyperShift's operator takes any zone of that name in
	// the cluster's own account for the cluster's: use "none" there. Default: a new zone.
	LocalZoneID pulumi.StringInput `yaml:"localZoneID" pulumi:"localZoneID,optional"`
	// ClusterAccountID is the ID of the account of the cluster's own local zone, in which a new one is refused. Default:
	// it is not compared.
	ClusterAccountID string `yaml:"-" pulumi:"clusterAccountID,optional"`
	// APIServerLoadBalancer is true if the API server has its own load balancer and endpoint service. PrivateRouter then
	// has no record "api". Default false.
	APIServerLoadBalancer bool `yaml:"-" pulumi:"apiServerLoadBalancer,optional"`
	// Tags are further tags of the resources. Default none: the cluster's tags and the owner's.
	Tags map[string]string `yaml:"-" pulumi:"tags,optional"`
}

// makesZone reports whether the consumer has a local zone of its own.
func (args *ConsumerArgs) makesZone() bool { return !input.IsSet(args.LocalZoneID) }

// names returns the records in the local zone.
func (args *ConsumerArgs) names() []string {
	if input.Text(args.LocalZoneID) == NoLocalZone {
		return nil
	}
	return namesBehind(args.Service, args.APIServerLoadBalancer)
}

// Names returns the full names that resolve to the endpoint in the VPC.
func (args *ConsumerArgs) Names() []string {
	var names []string
	for _, name := range args.names() {
		names = append(names, name+"."+args.Cluster.LocalZoneName())
	}
	return append(names, args.HostNames...)
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *ConsumerArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("service", args.Service.Validate())
	if args.ServiceName == nil {
		faults.Add("serviceName", nil, "is missing", "set the endpoint service's name")
	} else {
		faults.Join("serviceName", input.IfPlain(args.ServiceName,
			func(name string) error { return ValidateServiceName(name, "") }))
	}
	faults.Join("", args.ValidateVPC())
	if id := args.ClusterAccountID; id != "" {
		faults.Join("clusterAccountID", awsid.ValidateAccount(id))
	}
	return faults.Err()
}

// ValidateVPC returns every fault in the VPC, its subnets, clients and names that can be found without calling AWS.
func (args *ConsumerArgs) ValidateVPC() error {
	var faults fault.Faults
	identified := func(path, prefix, noun, where string, id pulumi.StringInput) {
		if text, plain := input.Plain(id); id == nil || plain && text == "" {
			faults.Add(path, nil, "is missing", "set the ID of a "+noun+" "+where)
		} else if plain && !awsid.IsEC2(prefix, text) {
			faults.Add(path, text, "is not the ID of a "+noun, "use one such as "+prefix+"-0123456789abcdef0")
		}
	}
	identified("vpcID", "vpc", "VPC", "in the endpoint service's region", args.VPCID)
	switch n := len(args.SubnetIDs); {
	case n == 0:
		faults.Add("subnetIDs", nil, "are missing", "set the ID of a subnet of the VPC for each zone")
	case n > maxSubnets:
		faults.Add("subnetIDs", n, "are more subnets than an endpoint may have", fmt.Sprintf("use at most %d", maxSubnets))
	}
	for i, id := range args.SubnetIDs {
		identified(fmt.Sprintf("subnetIDs[%d]", i), "subnet", "subnet", "of the VPC", id)
	}
	faults.Join("", args.Clients.Validate())
	if args.AreNone() {
		faults.Add("allowedCIDRs", nil, "are missing, and so are allowedSecurityGroups",
			"set who may connect to the endpoint, such as the VPC's CIDR")
	}
	faults.Join("", args.validateNames())
	return faults.Err()
}

func (args *ConsumerArgs) validateNames() error {
	var faults fault.Faults
	for i, name := range args.HostNames {
		path := fmt.Sprintf("hostNames[%d]", i)
		switch local := "." + args.Cluster.LocalZoneName(); {
		case slices.Index(args.HostNames, name) < i:
			faults.Add(path, name, "is a duplicate", "list each name once")
		case strings.HasSuffix(name, local) || "."+name == local:
			faults.Add(path, name, "is in the local zone, whose names are api and *.apps", "leave it out")
		default:
			faults.Join(path, hypershift.ValidateDomain(name))
		}
	}
	if len(args.Names()) == 0 {
		faults.Add("hostNames", nil, "are missing, and localZoneID is none, so clients have no name for the control plane",
			"set the names in the API server's certificate, such as api-"+args.Cluster.Name+".clusters.example.com")
	}
	return faults.Err()
}

// NewConsumer registers the endpoint with its security group, zones and records. The error lists every fault in args.
// It also fails for a service or a VPC of another region than the provider's, a VPC without DNS or with another zone of
// one of the names, and subnets that are not in the VPC, in one zone, or in a zone that the service does not cover.
func NewConsumer(
	ctx *pulumi.Context,
	name string,
	args *ConsumerArgs,
	opts ...pulumi.ResourceOption,
) (*Consumer, error) {
	return component.New(ctx, consumerType, "consumer", name, args, opts, func(c *Consumer, args *ConsumerArgs) error {
		b := &consumerBuilder{ctx: ctx, name: name, args: args, consumer: c}
		return b.make()
	})
}

// consumerBuilder is shared by the functions that register one consumer.
type consumerBuilder struct {
	ctx      *pulumi.Context
	name     string
	args     *ConsumerArgs
	consumer *Consumer
	// account and region are the provider's.
	account, region string
}

func (b *consumerBuilder) child(part string) string { return b.name + "-" + part }

func (b *consumerBuilder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.consumer) }

// tagged returns the tags of a resource with a name.
func (b *consumerBuilder) tagged(name string) pulumi.StringMap {
	tags := b.args.Cluster.ResourceTags()
	maps.Copy(tags, b.args.Tags)
	tags["Name"] = name
	return pulumi.ToStringMap(tags)
}

// label returns the name of the endpoint and its group.
func (b *consumerBuilder) label() string {
	return b.args.Cluster.InfraID + "-consumer-" + string(b.args.Service.OrDefault())
}

func (b *consumerBuilder) make() error {
	var err error
	if b.region, err = location.LookupRegion(b.ctx, b.parent()); err != nil {
		return err
	}
	if b.account, err = location.LookupAccount(b.ctx, b.parent()); err != nil {
		return err
	}
	if b.args.makesZone() && b.account == b.args.ClusterAccountID {
		return &fault.Fault{Path: "localZoneID",
			Problem: fmt.Sprintf("is missing, but in the cluster's own account %s HyperShift's operator could take a second zone %s for the cluster's",
				b.account, b.args.Cluster.LocalZoneName()),
			Remedy: "set localZoneID to none and hostNames to the names that clients use, or use a VPC of another account"}
	}
	vpcID, subnets, err := b.network()
	if err != nil {
		return err
	}
	serviceName, err := input.Check("serviceName", b.args.ServiceName,
		func(name string) error { return ValidateServiceName(name, b.region) })
	if err != nil {
		return err
	}
	if err := b.checkZones(); err != nil {
		return err
	}
	group, err := b.securityGroup(vpcID)
	if err != nil {
		return err
	}
	endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.name, &ec2.VpcEndpointArgs{
		VpcId:             vpcID,
		ServiceName:       input.Optional(serviceName),
		VpcEndpointType:   pulumi.String("Interface"),
		PrivateDnsEnabled: pulumi.Bool(false),
		SubnetIds:         input.All(subnets),
		SecurityGroupIds:  pulumi.StringArray{group.ID()},
		Tags:              b.tagged(b.label()),
	}, b.parent())
	if err != nil {
		return err
	}
	b.consumer.ID = endpoint.ID().ToStringOutput()
	b.consumer.DNSName = dnsName(endpoint)
	if err := b.localNames(vpcID); err != nil {
		return err
	}
	return b.hostNames(vpcID, endpoint)
}

// network returns the VPC and the subnets once they are checked in AWS.
func (b *consumerBuilder) network() (vpcID pulumi.StringInput, subnets []pulumi.StringInput, err error) {
	checked, err := input.CheckAll(append([]pulumi.StringInput{b.args.VPCID}, b.args.SubnetIDs...),
		func(ids []string) error {
			var faults fault.Faults
			err := b.checkVPC(ids[0])
			faults.Join("", err)
			if err == nil {
				_, err = b.zonesOf(ids[0], ids[1:])
				faults.Join("", err)
			}
			return faults.Err()
		})
	return checked[0], checked[1:], err
}

// checkVPC checks that the VPC is one of the account and the region, resolves private zones, and has no other zone with
// one of the names that the consumer creates. Route 53 refuses a second zone of a name, and the zones of other accounts
// are not visible here.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/hosted-zone-private-considerations.html
func (b *consumerBuilder) checkVPC(id string) error {
	var faults fault.Faults
	found, err := ec2.LookupVpc(b.ctx, &ec2.LookupVpcArgs{Id: &id}, b.parent())
	switch {
	case err != nil && awsprovider.IsMissing(err):
		faults.Add("vpcID", id, "is not a VPC of account "+b.account+" in "+b.region,
			"use a VPC in the endpoint service's region, and the provider of its account")
		return faults.Err()
	case err != nil:
		return awsprovider.Failed("VPC "+id, err)
	case !found.EnableDnsSupport || !found.EnableDnsHostnames:
		faults.Add("vpcID", id, "is a VPC without DNS support and DNS hostnames, so private zones do not resolve in it",
			"turn on enableDnsSupport and enableDnsHostnames of the VPC")
	}
	zones := slices.Clone(b.args.HostNames)
	if b.args.makesZone() {
		zones = append(zones, b.args.Cluster.LocalZoneName())
	}
	for _, name := range zones {
		private := true
		zone, err := route53.LookupZone(b.ctx, &route53.LookupZoneArgs{Name: &name, VpcId: &id, PrivateZone: &private},
			b.parent())
		if err != nil && !awsprovider.IsMissing(err) {
			return awsprovider.Failed("the zone "+name+" of "+id, err)
		}
		if err == nil && !b.isOwn(zone) {
			remedy := "leave the name out"
			if name == b.args.Cluster.LocalZoneName() {
				remedy = "set localZoneID to it, or to none"
			}
			faults.Add("vpcID", id,
				"already has the private zone "+name+", "+zone.ZoneId+", and Route 53 refuses a second one", remedy)
		}
	}
	return faults.Err()
}

// isOwn reports whether the consumer has created a zone: it has the cluster's tag. AWS sets a zone's tags in a request
// of their own, so that a run which was interrupted between the two has left a zone without any, and without records.
func (b *consumerBuilder) isOwn(zone *route53.LookupZoneResult) bool {
	const made, least = "Managed by Pulumi", 2 // the provider's comment, and the records of a new zone: NS and SOA
	if len(zone.Tags) == 0 && zone.Comment == made && zone.ResourceRecordSetCount <= least {
		return true
	}
	for key, value := range b.args.Cluster.OwnerTag() {
		if zone.Tags[key] != value {
			return false
		}
	}
	return true
}

// zonesOf returns the zones of subnets, in the account's names. It returns a fault for each subnet of another VPC, and
// for each one in the zone of another.
func (b *consumerBuilder) zonesOf(vpcID string, subnets []string) ([]network.Zone, error) {
	var faults fault.Faults
	var zones []network.Zone
	first := map[string]int{}
	for i, id := range subnets {
		path := fmt.Sprintf("subnetIDs[%d]", i)
		subnet, err := ec2.LookupSubnet(b.ctx, &ec2.LookupSubnetArgs{Id: &id}, b.parent())
		switch {
		case err != nil && awsprovider.IsMissing(err):
			faults.Add(path, id, "is not a subnet of account "+b.account+" in "+b.region, "use a subnet of "+vpcID)
			continue
		case err != nil:
			return nil, awsprovider.Failed("subnet "+id, err)
		case vpcID != "" && subnet.VpcId != vpcID:
			faults.Add(path, id, "is a subnet of "+subnet.VpcId, "use a subnet of "+vpcID)
		}
		zone := subnet.AvailabilityZone
		if other, twice := first[zone]; twice {
			faults.Add(path, id, fmt.Sprintf("is in %s like [%d], but an endpoint has one subnet per zone", zone, other),
				"leave one of them out: the whole VPC can reach the endpoint")
		} else {
			first[zone] = i
		}
		zones = append(zones, network.Zone{Name: zone})
	}
	return zones, faults.Err()
}

// checkZones compares the zones of the subnets with those of a service that exists. The zones of a service that the
// same update creates are those of its load balancers, and AWS compares them. A preview cannot see a service that
// allows the account only after the update, and AWS refuses the endpoint if the update does not.
func (b *consumerBuilder) checkZones() error {
	name := input.Text(b.args.ServiceName)
	if name == "" || !input.ArePlain(b.args.SubnetIDs...) {
		return nil
	}
	table, err := network.LookupZoneTable(b.ctx, b.account, b.parent())
	if err != nil {
		return err
	}
	service, err := CoverageOfService(b.ctx, name, table, b.parent())
	switch {
	case fault.In(err) != nil:
		return b.ctx.Log.Warn(fmt.Sprintf("%s; AWS refuses the endpoint unless this update changes that", err),
			&pulumi.LogArgs{Resource: b.consumer})
	case err != nil:
		return err
	}
	zones, err := b.zonesOf("", input.Texts(b.args.SubnetIDs))
	if err != nil {
		return err
	}
	var faults fault.Faults
	faults.Join("subnetIDs", CheckZones(table, network.ZoneTable{}, zones, service))
	return faults.Err()
}

// securityGroup creates the group, which only allows the clients to connect on the service's port.
func (b *consumerBuilder) securityGroup(vpcID pulumi.StringInput) (*ec2.SecurityGroup, error) {
	group, err := ec2.NewSecurityGroup(b.ctx, b.child("group"), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(b.label()),
		Description: pulumi.String("clients of a private control plane"),
		VpcId:       input.Optional(vpcID),
		Tags:        b.tagged(b.label()),
	}, b.parent(), pulumi.DeleteBeforeReplace(true)) // its name is unique in the VPC
	if err != nil {
		return nil, err
	}
	for _, client := range b.args.sources("") {
		if err := client.register(b.ctx, b.child(client.name), group.ID(), b.args.Service.Port(), b.parent()); err != nil {
			return nil, err
		}
	}
	b.consumer.SecurityGroupID = group.ID().ToStringOutput()
	return group, nil
}

// zone creates a private zone of the VPC.
func (b *consumerBuilder) zone(part, domain string, vpcID pulumi.StringInput) (*route53.Zone, error) {
	tags := b.args.Cluster.ZoneTags()
	maps.Copy(tags, b.args.Tags)
	return route53.NewZone(b.ctx, b.child(part), &route53.ZoneArgs{
		Name: pulumi.String(domain),
		Vpcs: route53.ZoneVpcArray{route53.ZoneVpcArgs{VpcId: vpcID.ToStringOutput()}},
		Tags: pulumi.ToStringMap(tags),
	}, b.parent())
}

// localNames creates the names in the local zone, and the zone unless it exists.
func (b *consumerBuilder) localNames(vpcID pulumi.StringInput) error {
	names, domain := b.args.names(), b.args.Cluster.LocalZoneName()
	if len(names) == 0 {
		return nil
	}
	var zoneID pulumi.StringOutput
	if b.args.makesZone() {
		zone, err := b.zone("zone", domain, vpcID)
		if err != nil {
			return err
		}
		zoneID = zone.ZoneId
	} else {
		_, zoneID = associatedWith(b.ctx, domain, vpcID, b.args.LocalZoneID, b.parent())
	}
	b.consumer.LocalZoneID = zoneID
	for _, name := range names {
		if _, err := newName(b.ctx, b.child(recordPart(name)), name+"."+domain, zoneID, b.consumer.DNSName,
			b.parent()); err != nil {
			return err
		}
	}
	return nil
}

// hostNames creates a zone for each of the HostNames, whose only record is the endpoint's address: the name of a zone
// itself cannot have a CNAME record.
func (b *consumerBuilder) hostNames(vpcID pulumi.StringInput, endpoint *ec2.VpcEndpoint) error {
	for _, name := range b.args.HostNames {
		zone, err := b.zone(name, name, vpcID)
		if err != nil {
			return err
		}
		if _, err := route53.NewRecord(b.ctx, b.child(name), &route53.RecordArgs{
			ZoneId: zone.ZoneId,
			Name:   pulumi.String(name),
			Type:   pulumi.String("A"),
			Aliases: route53.RecordAliasArray{route53.RecordAliasArgs{
				Name: b.consumer.DNSName,
				ZoneId: firstEntry(endpoint, func(entry ec2.VpcEndpointDnsEntry) *string {
					return entry.HostedZoneId
				}),
				EvaluateTargetHealth: pulumi.Bool(false),
			}},
		}, b.parent()); err != nil {
			return err
		}
	}
	return nil
}
