package network

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Bastion is a host in the VPC from which people can connect to its nodes. Access is through Systems Manager,
// `aws ssm start-session --target <bastionInstanceID>`, by IAM permissions and without an open port.
type Bastion struct {
	// SSHCIDRs are the IPv4 CIDRs that may connect to port 22. In a network with public subnets the bastion then has a
	// public address. Default none: access is through Systems Manager only.
	SSHCIDRs []string `yaml:"sshCIDRs" pulumi:"sshCIDRs,optional"`
	// SSHKey is a public key in OpenSSH format, "ssh-ed25519 AAAA… name". Without sshCIDRs it is used for SSH through a
	// Systems Manager session. Required with sshCIDRs.
	SSHKey pulumi.StringInput `file:"sshKeyFile" yaml:"sshKey" pulumi:"sshKey,optional"`
}

// sessionServices returns the services that the Systems Manager agent calls.
func sessionServices() []string { return []string{"ssm", "ssmmessages", "ec2messages"} }

var sshKeyPattern = regexp.MustCompile(`^(ssh-ed25519|ssh-rsa) [A-Za-z0-9+/]+={0,3}( .*)?$`)

func (b *Bastion) validate(args *BaseNetworkArgs) error {
	var faults fault.Faults
	if b == nil {
		return nil
	}
	for i, cidr := range b.SSHCIDRs {
		path := fmt.Sprintf("sshCIDRs[%d]", i)
		switch prefix, err := netip.ParsePrefix(cidr); {
		case err != nil || !prefix.Addr().Is4():
			faults.Add(path, cidr, "is not an IPv4 CIDR", "use one such as 203.0.113.0/24")
		case prefix.Masked() != prefix:
			faults.Add(path, cidr, "is not a network address", "use "+prefix.Masked().String())
		case layout.IsInternet(cidr):
			faults.Add(path, cidr, "opens SSH to the internet",
				"use the networks that you connect from, or none and use Systems Manager")
		}
	}
	if b.hasKey() {
		faults.Join("sshKey", input.IfPlain(b.SSHKey, validateSSHKey))
	} else if len(b.SSHCIDRs) > 0 {
		faults.Add("sshKey", nil, "is missing, but sshCIDRs is set",
			"set the public key, ssh-ed25519 …, or leave sshCIDRs out")
	}
	faults.Join("", b.validateSessions(args))
	return faults.Err()
}

// hasKey reports whether a key is given.
func (b *Bastion) hasKey() bool {
	key, plain := input.Plain(b.SSHKey)
	return !plain || strings.TrimSpace(key) != ""
}

func validateSSHKey(key string) error {
	if sshKeyPattern.MatchString(strings.TrimSpace(key)) {
		return nil
	}
	return &fault.Fault{
		Problem: "is not a public key that EC2 supports",
		Remedy:  "use one line, ssh-ed25519 … or ssh-rsa …",
	}
}

// validateSessions returns a fault if neither Systems Manager nor SSH could reach the bastion.
func (b *Bastion) validateSessions(args *BaseNetworkArgs) error {
	if len(b.SSHCIDRs) > 0 || args.publicOnly() || args.Existing != nil || args.natOrDefault() != None {
		return nil
	}
	given := expandServices(args.InterfaceEndpoints, args.Services)
	for _, service := range sessionServices() {
		if !slices.Contains(given, service) {
			return &fault.Fault{
				Problem: "cannot be reached through Systems Manager, because its network has neither a NAT gateway nor the interface endpoints",
				Remedy:  "add " + strings.Join(sessionServices(), ", ") + " to interfaceEndpoints",
			}
		}
	}
	return nil
}

// bastionHost is the bastion.
type bastionHost struct {
	*site
	// image is the ID of its AMI.
	image string
	// groupID is its security group, "" without a bastion.
	groupID pulumi.StringOutput
}

// hostName returns the name of the bastion, its role, its instance profile and its key pair. HyperShift's CLI finds a
// bastion by it.
func (h *bastionHost) hostName() string { return h.args.Prefix + "-bastion" }

// findImage looks up the newest Amazon Linux 2023, which includes the Systems Manager agent.
func (h *bastionHost) findImage() error {
	if h.args.Bastion == nil {
		return nil
	}
	newest := true
	image, err := ec2.LookupAmi(h.ctx, &ec2.LookupAmiArgs{
		MostRecent: &newest,
		Owners:     []string{"amazon"},
		Filters: []ec2.GetAmiFilter{
			{Name: "name", Values: []string{"al2023-ami-2023.*-x86_64"}},
			{Name: "state", Values: []string{"available"}},
		},
	}, h.parent())
	if err != nil {
		return &fault.Fault{
			Problem: "cannot find an image of Amazon Linux 2023: " + err.Error(),
			Remedy:  "grant the deployer ec2:DescribeImages",
		}
	}
	h.image = image.ImageId
	return nil
}

// create creates the host in the first zone: in its node subnet or, if SSH is allowed, in its public one.
func (h *bastionHost) create(v *vpcNetwork) error {
	if h.args.Bastion == nil {
		return nil
	}
	zone := h.zones[0].name
	subnet, public := v.nodeSubnets[zone], h.args.publicOnly()
	if other, ok := v.publicSubnets[zone]; ok && len(h.args.Bastion.SSHCIDRs) > 0 {
		subnet, public = other, true
	}
	group, err := h.group(v)
	if err != nil {
		return err
	}
	h.groupID = group.ID().ToStringOutput()
	profile, err := h.profile()
	if err != nil {
		return err
	}
	args := &ec2.InstanceArgs{
		Ami:                      pulumi.String(h.image),
		InstanceType:             pulumi.String("t3.micro"),
		SubnetId:                 subnet,
		VpcSecurityGroupIds:      pulumi.StringArray{group.ID()},
		IamInstanceProfile:       profile.Name,
		AssociatePublicIpAddress: pulumi.Bool(public),
		MetadataOptions:          ec2.InstanceMetadataOptionsArgs{HttpTokens: pulumi.String("required")},
		RootBlockDevice: ec2.InstanceRootBlockDeviceArgs{
			Encrypted:  pulumi.Bool(true),
			VolumeType: pulumi.String("gp3"),
			Tags:       h.tags(h.hostName()),
		},
		Tags: h.tags(h.hostName()),
	}
	if h.args.Bastion.hasKey() {
		key, err := input.Check("bastion.sshKey", h.args.Bastion.SSHKey, validateSSHKey)
		if err != nil {
			return err
		}
		pair, err := ec2.NewKeyPair(h.ctx, h.child("bastion"), &ec2.KeyPairArgs{
			KeyName:   pulumi.String(h.hostName()),
			PublicKey: key.ToStringOutput().ApplyT(strings.TrimSpace).(pulumi.StringOutput),
			Tags:      h.tags(h.hostName()),
		}, h.parent())
		if err != nil {
			return err
		}
		args.KeyName = pair.KeyName
	}
	// A newer image does not replace the host.
	opts := []pulumi.ResourceOption{h.parent(), pulumi.IgnoreChanges([]string{"ami"})}
	if public {
		opts = append(opts, pulumi.DependsOn(v.internet))
	}
	host, err := ec2.NewInstance(h.ctx, h.child("bastion"), args, opts...)
	if err != nil {
		return err
	}
	h.out.BastionInstanceID, h.out.BastionAddress = host.ID().ToStringOutput(), host.PublicIp
	return nil
}

// group allows SSH from the given networks, and outgoing traffic to the VPC and, for Systems Manager, HTTPS.
func (h *bastionHost) group(v *vpcNetwork) (*ec2.SecurityGroup, error) {
	name := h.hostName() + "-sg"
	group, err := h.securityGroup(v, "bastion", name, "The bastion of "+h.args.Prefix)
	if err != nil {
		return nil, err
	}
	for _, cidr := range h.args.Bastion.SSHCIDRs {
		if _, err := vpc.NewSecurityGroupIngressRule(h.ctx, h.child("bastion-ssh-"+cidr), &vpc.SecurityGroupIngressRuleArgs{
			SecurityGroupId: group.ID(),
			Description:     pulumi.String("SSH"),
			CidrIpv4:        pulumi.String(cidr),
			IpProtocol:      pulumi.String("tcp"),
			FromPort:        pulumi.Int(22),
			ToPort:          pulumi.Int(22),
			Tags:            h.tags(name),
		}, h.parent()); err != nil {
			return nil, err
		}
	}
	for _, cidr := range v.cidrs {
		if _, err := vpc.NewSecurityGroupEgressRule(h.ctx, h.child("bastion-vpc"+cidr.suffix),
			&vpc.SecurityGroupEgressRuleArgs{
				SecurityGroupId: group.ID(),
				Description:     pulumi.String("The VPC"),
				CidrIpv4:        cidr.block,
				IpProtocol:      pulumi.String("-1"),
				Tags:            h.tags(name),
			}, h.parent()); err != nil {
			return nil, err
		}
	}
	_, err = vpc.NewSecurityGroupEgressRule(h.ctx, h.child("bastion-https"), &vpc.SecurityGroupEgressRuleArgs{
		SecurityGroupId: group.ID(),
		Description:     pulumi.String("HTTPS, for Systems Manager"),
		CidrIpv4:        pulumi.String(anywhere),
		IpProtocol:      pulumi.String("tcp"),
		FromPort:        pulumi.Int(443),
		ToPort:          pulumi.Int(443),
		Tags:            h.tags(name),
	}, h.parent())
	return group, err
}

// profile creates the bastion's role, which only allows what Systems Manager's agent needs.
func (h *bastionHost) profile() (*awsiam.InstanceProfile, error) {
	in, err := location.LookupPartition(h.ctx, h.parent())
	if err != nil {
		return nil, err
	}
	role, err := h.role("bastion", h.hostName(), iamrole.ServiceTrust("ec2."+in.DNSSuffix), nil)
	if err != nil {
		return nil, err
	}
	if _, err := awsiam.NewRolePolicyAttachment(h.ctx, h.child("bastion"), &awsiam.RolePolicyAttachmentArgs{
		Role:      role.Name,
		PolicyArn: pulumi.String(in.In("aws").GlobalARN("iam", "policy/AmazonSSMManagedInstanceCore")),
	}, h.parent()); err != nil {
		return nil, err
	}
	return role.NewInstanceProfile(h.ctx, h.child("bastion"), h.hostName())
}
