package capa

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const infrastructureType = "hypershift-aws:capa:Infrastructure"

// Infrastructure is the AWS side of a cluster before CAPA creates its load balancer and machines: a VPC, security
// groups, instance profiles and a machine image.
type Infrastructure struct {
	pulumi.ResourceState
	ProfileOutputs

	// Network is the VPC with its subnets.
	Network *network.BaseNetwork
	// VPCID is the VPC's ID, "vpc-…".
	VPCID pulumi.StringOutput `pulumi:"vpcID"`
	// PublicSubnetIDs maps the name of a zone to its public subnet, "subnet-…"; empty where the zones have none.
	PublicSubnetIDs pulumi.StringMapOutput `pulumi:"publicSubnetIDs"`
	// PrivateSubnetIDs maps the name of a zone to its private subnet, "subnet-…"; empty where the zones have none.
	PrivateSubnetIDs pulumi.StringMapOutput `pulumi:"privateSubnetIDs"`
	// SecurityGroupIDs are the groups by role, "sg-…"; empty if CAPA creates them.
	SecurityGroupIDs map[Role]pulumi.StringOutput `pulumi:"securityGroupIDs"`
	// Images map an instance type to the image of its machines, "ami-…".
	Images map[string]pulumi.StringInput `pulumi:"images"`

	region string
	ipv6   bool
}

// BaseNetwork returns the args of the cluster's VPC, with the stack's tags. args have their defaults.
func (args *Args) BaseNetwork(stack string) *network.BaseNetworkArgs {
	base := &network.BaseNetworkArgs{
		Options: args.Network.Options, IPv6: args.Network.IPv6,
		Prefix: args.Name, Tagging: args.tagging(stack), Reserved: args.reserved(), Services: NodeServices(),
		RequiredServices: requiredServices(),
		PublicMachines:   args.Topology == Public,
		// CAPA uses only private subnets as failure domains; with one zone this does not matter.
		PrivateSubnets: args.Topology == Public && len(args.zoneNames()) > 1,
		WithoutPublic:  "apiAccess.scheme internal",
		PublicSubnets:  args.Topology == Public || args.APIAccess.has(InternetFacing) || args.NATOrDefault() != network.None,
		RolePath:       args.IAM.Path, PermissionsBoundary: args.IAM.PermissionsBoundary, ExplicitRouteTables: true,
		OperatorTagsSubnets: true,
	}
	if existing := args.Network.Existing; existing != nil {
		vpc := pulumi.StringInput(pulumi.String(existing.VPCID))
		if existing.VPCID == "" {
			vpc = defaultVPC
		}
		base.Existing = &network.ExistingVPC{
			VPCID: vpc, Subnets: existing.Subnets, TagSubnets: existing.TagSubnets, DNSServers: existing.DNSServers,
		}
	}
	return base
}

// defaultVPC represents the ID of the region's default VPC until it is looked up; it is valid in any account.
const defaultVPC = pulumi.String("vpc-00000000000000000")

// findDefaultVPC sets the ID of the existing VPC to the region's default VPC, unless it is given.
func (args *Args) findDefaultVPC(ctx *pulumi.Context, opt pulumi.InvokeOption) error {
	if args.Network.Existing == nil || args.Network.Existing.VPCID != "" {
		return nil
	}
	var faults fault.Faults
	isDefault := true
	found, err := ec2.LookupVpc(ctx, &ec2.LookupVpcArgs{Default: &isDefault}, opt)
	if err != nil {
		faults.Add("network.existing.vpcID", nil,
			"is missing, and the default VPC of the region cannot be looked up: "+awsprovider.Cause(err), awsprovider.Remedy(err, "set the ID of a VPC"))
		return faults
	}
	existing := *args.Network.Existing
	existing.VPCID = found.Id
	args.Network.Existing = &existing
	return nil
}

// tagging returns the tags, with a value of hypershift.StackTag; "" leaves that tag out.
func (args *Args) tagging(stack string) Tagging {
	return Tagging{Cluster: args.Name, Stack: stack, Tags: args.Tags}
}

// stackTag returns the value of hypershift.StackTag on a cluster's resources, "<project>/<stack>/<cluster>". A
// cluster's name is unique in an account and region, so the value differs between stacks with the same project and name
// in different backends.
func (args *Args) stackTag(ctx *pulumi.Context) string {
	name := ctx.Project() + "/" + ctx.Stack()
	return name[:min(len(name), maxTagValue-len("/"+args.Name))] + "/" + args.Name
}

// reserved returns the networks that the VPC must not overlap: the networks of pods and Services, and AWS's own.
func (args *Args) reserved() []layout.Reserved {
	var reserved []layout.Reserved
	for _, network := range []struct{ cidr, use string }{{args.Pods, "the pods' network"},
		{args.Services, "the Services' network"}} {
		if prefix, err := netip.ParsePrefix(network.cidr); err == nil {
			reserved = append(reserved, layout.Reserved{Prefix: prefix, Use: network.use})
		}
	}
	return append(reserved, layout.AWSReserved()...)
}

// NewInfrastructure registers the infrastructure's resources. The error lists every fault in args, or else every fault
// that a lookup shows: unsuitable zones, subnets and groups, an instance type that a zone does not offer, a missing key
// pair or image.
func NewInfrastructure(
	ctx *pulumi.Context,
	name string,
	args *Args,
	opts ...pulumi.ResourceOption,
) (*Infrastructure, error) {
	return component.New(ctx, infrastructureType, "infrastructure", name, args, opts,
		func(i *Infrastructure, args *Args) error {
			return i.build(ctx, name, args.WithDefaults())
		})
}

func (i *Infrastructure) build(ctx *pulumi.Context, name string, args *Args) error {
	region, err := location.LookupRegion(ctx, pulumi.Parent(i))
	if err != nil {
		return err
	}
	i.region, i.ipv6 = region, args.Network.IPv6
	if err := args.findDefaultVPC(ctx, pulumi.Parent(i)); err != nil {
		return err
	}
	var faults fault.Faults
	if input.IsSet(args.IAM.PermissionsBoundary) {
		args.IAM.PermissionsBoundary, err = input.Check("iam.permissionsBoundary", args.IAM.PermissionsBoundary,
			func(arn string) error {
				if err := iam.ValidateAnyPolicyARN(arn); err != nil {
					return err
				}
				return iam.CheckPolicy(ctx, arn, pulumi.Parent(i))
			})
		faults.Join("", err)
	}
	// The key pair of an output is created by the program.
	faults.Join("", findKeyPair(ctx, input.Text(args.SSHKeyName), pulumi.Parent(i)))
	if args.SecurityGroups.Source() == GroupsExisting {
		faults.Join("", i.checkGroups(ctx, args))
	}
	if err := faults.Err(); err != nil {
		return err
	}
	i.Network, err = network.NewBaseNetwork(ctx, name+"-network", args.BaseNetwork(args.stackTag(ctx)), pulumi.Parent(i))
	if err != nil {
		return under("network", err)
	}
	i.VPCID = i.Network.VPCID
	i.PublicSubnetIDs, i.PrivateSubnetIDs = stringMap(i.Network.PublicSubnetIDs), stringMap(i.Network.PrivateSubnetIDs)
	architectures, err := findMachines(ctx, args.machineKinds(i.zoneName), pulumi.Parent(i))
	if err != nil {
		return err
	}
	if i.Images, err = args.images(ctx, name, i.region, architectures, pulumi.Parent(i)); err != nil {
		return err
	}
	if err := i.profiles(ctx, name, args); err != nil {
		return under("iam", err)
	}
	return i.groups(ctx, name, args)
}

// checkGroups checks the given security groups, and outputs them.
func (i *Infrastructure) checkGroups(ctx *pulumi.Context, args *Args) error {
	var given []pulumi.StringInput
	for _, role := range Roles() {
		given = append(given, args.SecurityGroups.IDs.ID(role))
	}
	checked, err := input.CheckAll(given, func(ids []string) error {
		var faults fault.Faults
		faults.Join("securityGroups.ids", checkSecurityGroups(ctx, ids, args.Name, args.Network.Existing.VPCID, pulumi.Parent(i)))
		return faults.Err()
	})
	i.SecurityGroupIDs = map[Role]pulumi.StringOutput{}
	for n, role := range Roles() {
		i.SecurityGroupIDs[role] = checked[n].ToStringOutput()
	}
	return err
}

// under adds the key of the args to the paths of a part's faults, and returns other errors unchanged.
func under(key string, err error) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	var faults fault.Faults
	faults.Join(key, found)
	return faults
}

// zoneName returns the name of a zone that is given by name or by ID.
func (i *Infrastructure) zoneName(given string) string {
	for name, other := range i.Network.Given {
		if other == given {
			return name
		}
	}
	return given
}

func (i *Infrastructure) profiles(ctx *pulumi.Context, name string, args *Args) error {
	p, err := NewInstanceProfiles(ctx, name+"-profiles", &InstanceProfilesArgs{
		Cluster: args.Name, Tags: args.tagging(args.stackTag(ctx)).IAM(), IAM: args.IAM,
	}, pulumi.Parent(i))
	if err != nil {
		return err
	}
	i.ControlPlaneProfile, i.NodesProfile, i.ControllersProfile = p.ControlPlane, p.Nodes, p.Controllers
	return nil
}

func (i *Infrastructure) groups(ctx *pulumi.Context, name string, args *Args) error {
	switch args.SecurityGroups.Source() {
	case GroupsCreatedByCAPA:
		i.SecurityGroupIDs = map[Role]pulumi.StringOutput{}
		return nil
	case GroupsExisting: // checkGroups has set them
		return nil
	case GroupsCreated:
	}
	g := &SecurityGroupsArgs{
		Tagging: args.tagging(args.stackTag(ctx)), VPCID: i.VPCID, APIAccess: args.APIAccess, CNI: args.CNI.Rules,
		VPCCIDRs: i.Network.VPCCIDRs, Zones: i.Network.NATKeys, NATAddresses: map[string]pulumi.StringInput{},
	}
	for _, zone := range g.Zones {
		g.NATAddresses[zone] = i.Network.NATAddresses.MapIndex(pulumi.String(zone))
	}
	if args.Network.Existing != nil && args.APIAccess.restricted() && args.APIAccess.has(InternetFacing) {
		var err error
		if g.Zones, g.NATAddresses, err = existingNAT(ctx, args.Network.Existing.VPCID, pulumi.Parent(i)); err != nil {
			return err
		}
	}
	if args.Network.IPv6 {
		g.VPCIPv6CIDR = i.Network.VPCIPv6CIDR
	}
	if args.Network.Bastion != nil {
		g.BastionGroupID = i.Network.BastionGroupID
	}
	groups, err := NewSecurityGroups(ctx, name+"-groups", g, pulumi.Parent(i))
	if err != nil {
		return err
	}
	i.SecurityGroupIDs = groups.IDs
	return nil
}

// existingNAT returns the NAT gateways of an existing VPC, and their public addresses, from which its machines connect.
func existingNAT(
	ctx *pulumi.Context,
	vpcID string,
	opt pulumi.InvokeOption,
) ([]string, map[string]pulumi.StringInput, error) {
	found, err := ec2.GetNatGateways(ctx, &ec2.GetNatGatewaysArgs{VpcId: &vpcID}, opt)
	if err != nil {
		return nil, nil, awsprovider.Failed("the NAT gateways of "+vpcID, err)
	}
	var names []string
	addresses := map[string]pulumi.StringInput{}
	for _, id := range slices.Sorted(slices.Values(found.Ids)) {
		gateway, err := ec2.LookupNatGateway(ctx, &ec2.LookupNatGatewayArgs{Id: &id}, opt)
		if err != nil {
			return nil, nil, awsprovider.Failed("the NAT gateway "+id, err)
		}
		if gateway.State != "available" || gateway.PublicIp == "" {
			continue
		}
		names, addresses[id] = append(names, id), pulumi.String(gateway.PublicIp)
		for i, allocation := range gateway.SecondaryAllocationIds {
			address, err := ec2.GetElasticIp(ctx, &ec2.GetElasticIpArgs{Id: &allocation}, opt)
			if err != nil {
				return nil, nil, awsprovider.Failed("an address of the NAT gateway "+id, err)
			}
			name := fmt.Sprintf("%s-%d", id, i+2)
			names, addresses[name] = append(names, name), pulumi.String(address.PublicIp)
		}
	}
	return names, addresses, nil
}

// Site returns the values of the infrastructure that the cluster's objects refer to.
func (i *Infrastructure) Site() SiteArgs {
	site := SiteArgs{
		Region: i.region, VPCID: i.VPCID, ControlPlaneProfile: i.ControlPlaneProfile, NodesProfile: i.NodesProfile,
		SecurityGroups: map[Role]pulumi.StringInput{}, Images: i.Images,
	}
	if i.ipv6 {
		site.VPCIPv6CIDR = i.Network.VPCIPv6CIDR
	}
	for role, id := range i.SecurityGroupIDs {
		site.SecurityGroups[role] = id
	}
	for _, zone := range i.Network.Zones {
		z := SiteZoneArgs{Name: zone, Given: i.Network.Given[zone]}
		if id, ok := i.Network.PublicSubnetIDs[zone]; ok {
			z.PublicSubnetID = id
		}
		if id, ok := i.Network.PrivateSubnetIDs[zone]; ok {
			z.PrivateSubnetID = id
		}
		site.Zones = append(site.Zones, z)
	}
	return site
}

func stringMap(from map[string]pulumi.StringOutput) pulumi.StringMapOutput {
	values := pulumi.StringMap{}
	for key, value := range from {
		values[key] = value
	}
	return values.ToStringMapOutput()
}
