package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// newVPC is a VPC that is created, as far as it is.
type newVPC struct {
	*site
	*vpcNetwork
	layout layout.Layout
}

// vpc creates the VPC with its DHCP options, and removes all rules from its default security group.
func (n *newVPC) vpc() (*ec2.Vpc, error) {
	args, opts := &ec2.VpcArgs{
		CidrBlock:          pulumi.String(n.layout.VPC()),
		EnableDnsSupport:   pulumi.Bool(true),
		EnableDnsHostnames: pulumi.Bool(true),
		Tags:               n.tags(n.vpcName()),
	}, []pulumi.ResourceOption{n.parent()}
	if n.args.IPAM != nil {
		// The provider does not read the pool of an imported VPC, and AWS does not change it.
		args.Ipv4IpamPoolId = pulumi.String(n.args.IPAM.Pool)
		opts = append(opts, pulumi.IgnoreChanges([]string{"ipv4IpamPoolId"}))
	}
	if n.args.IPv6 {
		args.AssignGeneratedIpv6CidrBlock = pulumi.Bool(true)
	}
	vpc, err := ec2.NewVpc(n.ctx, n.child("vpc"), args, opts...)
	if err != nil {
		return nil, err
	}
	domain, err := n.dhcpDomainName()
	if err != nil {
		return nil, err
	}
	options, err := ec2.NewVpcDhcpOptions(n.ctx, n.child("dhcp-options"), &ec2.VpcDhcpOptionsArgs{
		DomainName:        domain.ToStringOutput(),
		DomainNameServers: pulumi.ToStringArray([]string{"AmazonProvidedDNS"}),
		Tags:              n.tags(""),
	}, n.parent())
	if err != nil {
		return nil, err
	}
	if _, err := ec2.NewVpcDhcpOptionsAssociation(n.ctx, n.child("dhcp-options"), &ec2.VpcDhcpOptionsAssociationArgs{
		VpcId:         vpc.ID(),
		DhcpOptionsId: options.ID(),
	}, n.parent()); err != nil {
		return nil, err
	}
	if n.out.DefaultSecurityGroupID, err = n.defaultSecurityGroup(vpc); err != nil {
		return nil, err
	}
	n.vpcID = vpc.ID().ToStringOutput()
	n.cidrs, n.cidrInputs = []nodeCIDR{{block: vpc.CidrBlock}}, input.Strings(n.layout.VPC())
	if n.args.IPv6 {
		n.ipv6CIDR = n.ipv6Block(vpc)
	}
	n.out.VPCID, n.out.MachineCIDR = n.vpcID, vpc.CidrBlock
	n.out.DHCPOptionsID = options.ID().ToStringOutput()
	return vpc, nil
}

// defaultSecurityGroup removes all rules from the VPC's default security group, unless it is to be kept as it is.
func (n *newVPC) defaultSecurityGroup(vpc *ec2.Vpc) (pulumi.StringOutput, error) {
	if n.args.KeepDefaultSecurityGroup {
		return vpc.DefaultSecurityGroupId, nil
	}
	group, err := ec2.NewDefaultSecurityGroup(n.ctx, n.child("default"), &ec2.DefaultSecurityGroupArgs{
		VpcId: vpc.ID(),
		// The lists are set although they are empty, so that a refresh shows rules that were added outside the stack, and the
		// next update removes them.
		Ingress: ec2.DefaultSecurityGroupIngressArray{},
		Egress:  ec2.DefaultSecurityGroupEgressArray{},
		Tags:    n.tags(n.args.Prefix + "-default"),
	}, n.parent())
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return group.ID().ToStringOutput(), nil
}

// dhcpDomainName returns the domain name of the DHCP options, by default AWS's for the region.
func (n *newVPC) dhcpDomainName() (pulumi.StringInput, error) {
	if input.IsSet(n.args.DHCPDomainName) {
		return input.Check("dhcpDomainName", n.args.DHCPDomainName, hypershift.ValidateDomain)
	}
	return pulumi.String(DefaultDHCPDomainName(n.region)), nil
}

// DefaultDHCPDomainName returns the domain of instances' private DNS names. Source: the VPC user guide, "DHCP option
// sets".
func DefaultDHCPDomainName(region string) string {
	if region == "us-east-1" {
		return "ec2.internal"
	}
	return region + ".compute.internal"
}

// internetGateway creates the internet gateway, if there are public subnets or NAT gateways.
func (n *newVPC) internetGateway(vpc *ec2.Vpc) (*ec2.InternetGateway, error) {
	if !n.args.PublicSubnets && len(n.args.natZones(n.zones)) == 0 {
		return nil, nil
	}
	gateway, err := ec2.NewInternetGateway(n.ctx, n.child("igw"), &ec2.InternetGatewayArgs{
		VpcId: vpc.ID(),
		Tags:  n.tags(n.args.Prefix + "-igw"),
	}, n.parent())
	if err != nil {
		return nil, err
	}
	n.out.InternetGatewayID = gateway.ID().ToStringOutput()
	return gateway, nil
}

func (args *GuestNetworkArgs) validateSecurityGroups() error {
	var faults fault.Faults
	if len(args.SecurityGroups) > 0 && args.Existing == nil {
		faults.Add("", nil, "require an existing VPC", "use them together with existing, or leave them out")
	}
	faults.Join("", validateGroupIDs(args.SecurityGroups))
	return faults.Err()
}

// findSecurityGroups checks that the existing groups belong to the existing VPC.
func (b *guestBuilder) findSecurityGroups() error {
	if b.args.Existing == nil {
		return nil
	}
	groups, err := input.CheckAll(append([]pulumi.StringInput{b.args.Existing.VPCID}, b.args.SecurityGroups...),
		func(ids []string) error {
			return b.checkGroups("securityGroups", ids[0], ids[1:])
		})
	b.securityGroups = groups[1:]
	return err
}

// securityGroup creates a group without rules. AWS cannot change a group's description, and HyperShift's CLI gives
// another one.
func (s *site) securityGroup(v *vpcNetwork, part, name, description string) (*ec2.SecurityGroup, error) {
	return ec2.NewSecurityGroup(s.ctx, s.child(part), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(name),
		Description: pulumi.String(description),
		VpcId:       v.vpcID,
		Tags:        s.tags(name),
	}, s.parent(), pulumi.IgnoreChanges([]string{"description"}), pulumi.DeleteBeforeReplace(true)) // its name is unique in the VPC
}

// allowFromVPC allows the nodes' CIDRs to connect to a TCP port of a security group.
func (s *site) allowFromVPC(v *vpcNetwork, group *ec2.SecurityGroup, part, name, description string, port int) error {
	for _, cidr := range v.cidrs {
		if _, err := vpc.NewSecurityGroupIngressRule(s.ctx, s.child(part+cidr.suffix), &vpc.SecurityGroupIngressRuleArgs{
			SecurityGroupId: group.ID(),
			Description:     pulumi.String(description),
			CidrIpv4:        cidr.block,
			IpProtocol:      pulumi.String("tcp"),
			FromPort:        pulumi.Int(port),
			ToPort:          pulumi.Int(port),
			Tags:            s.tags(name),
		}, s.parent()); err != nil {
			return err
		}
	}
	return nil
}

// anywhereIPv6 is the destination of a default route for IPv6.
const anywhereIPv6 = "::/0"

// ipv6Block returns the IPv6 CIDR of a VPC. It is unknown in the preview of a VPC that exists and gets one, for which
// the provider reports none.
func (n *newVPC) ipv6Block(vpc *ec2.Vpc) pulumi.StringOutput {
	return vpc.Ipv6CidrBlock.ApplyT(func(block string) pulumi.StringOutput {
		if block == "" && n.ctx.DryRun() {
			unknown := pulumi.UnsafeUnknownOutput([]pulumi.Resource{vpc})
			return unknown.ApplyT(func(any) string { return "" }).(pulumi.StringOutput)
		}
		return text(block)
	}).(pulumi.StringOutput)
}

// addIPv6 sets the IPv6 CIDR of a subnet that is created, and lets interfaces in it get an address: part returns the
// CIDR from the VPC's. IPv6 addresses are public, so that the routes decide what is reached from the internet.
func (n *newVPC) addIPv6(args *ec2.SubnetArgs, part func(layout.IPv6) string) {
	if !n.args.IPv6 {
		return
	}
	args.AssignIpv6AddressOnCreation = pulumi.Bool(true)
	args.Ipv6CidrBlock = n.ipv6CIDR.ApplyT(func(block string) (string, error) {
		divided, err := layout.NewIPv6(block)
		if err != nil {
			return "", err
		}
		return part(divided), nil
	}).(pulumi.StringOutput)
}

// internetIPv6 routes IPv6 in the public subnets to the internet gateway.
func (n *newVPC) internetIPv6(table *ec2.RouteTable, gateway *ec2.InternetGateway) error {
	if !n.args.IPv6 {
		return nil
	}
	_, err := ec2.NewRoute(n.ctx, n.child("public-internet-ipv6"), &ec2.RouteArgs{
		RouteTableId:             table.ID(),
		DestinationIpv6CidrBlock: pulumi.String(anywhereIPv6),
		GatewayId:                gateway.ID(),
	}, n.parent())
	return err
}

// egressOnlyGateway creates the gateway through which private subnets reach the internet over IPv6. It exists only
// together with NAT gateways: without these, a network has no way to the internet, or one through another VPC that this
// gateway would bypass.
func (n *newVPC) egressOnlyGateway(vpc *ec2.Vpc, private *privateSide) error {
	if !n.args.IPv6 || len(n.args.natZones(n.zones)) == 0 || n.args.publicOnly() {
		return nil
	}
	gateway, err := ec2.NewEgressOnlyInternetGateway(n.ctx, n.child("eigw"), &ec2.EgressOnlyInternetGatewayArgs{
		VpcId: vpc.ID(),
		Tags:  n.tags(n.args.Prefix + "-eigw"),
	}, n.parent())
	if err != nil {
		return err
	}
	for _, zone := range n.zones {
		if _, err := ec2.NewRoute(n.ctx, n.child("private-"+zone.name+"-ipv6"), &ec2.RouteArgs{
			RouteTableId:             private.tables[zone.name].ID(),
			DestinationIpv6CidrBlock: pulumi.String(anywhereIPv6),
			EgressOnlyGatewayId:      gateway.ID(),
		}, n.parent()); err != nil {
			return err
		}
	}
	return nil
}
