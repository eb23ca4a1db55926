package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// bastionSuffix ends the names of a cluster's bastion, its role, its instance profile and its key pair; its security
// group has "-sg" in addition. HyperShift's CLI uses the same names.
const bastionSuffix = "-bastion"

// ownersRoles finds the permissions boundary of the roles that are in the account of a shared VPC's owner.
func (c *Cluster) ownersRoles(ctx context.Context, s *Survey) error {
	if !s.shared {
		return nil
	}
	for _, suffix := range []string{flowLogsSuffix, bastionSuffix} {
		for _, role := range s.list(ctx, s.owner, awstype.Role, map[string]any{"name": s.InfraID + suffix}) {
			if role.Text("name") == s.InfraID+suffix {
				c.Network.Shared.PermissionsBoundary = pulumi.String(role.Text("permissionsBoundary"))
			}
		}
	}
	return nil
}

// cliBastion is why a bastion that `hypershift create bastion aws` created is not adopted.
const cliBastion = "HyperShift's CLI created this bastion; a stack's has an encrypted volume and no SSH from 0.0.0.0/0, and would replace it: " +
	"`hypershift destroy bastion aws` deletes it, and network.bastion creates the stack's"

// bastion finds the bastion that the stack creates.
func (c *Cluster) bastion(ctx context.Context, s *Survey) error {
	name := s.InfraID + bastionSuffix
	i := slices.IndexFunc(s.hosts, func(r inventory.Resource) bool { return s.owns(r) && r.Tags["Name"] == name })
	if i < 0 {
		return nil
	}
	host := s.hosts[i]
	var group inventory.Resource
	for _, g := range s.inVPC(s.list(ctx, s.owner, awstype.SecurityGroup, map[string]any{"vpcId": s.VPC.ID})) {
		if g.Text("name") == name+"-sg" {
			group = g
		}
	}
	key := host.Text("keyName")
	switch {
	case host.Text("iamInstanceProfile") != name:
		s.leave(host, cliBastion)
		s.leave(group, cliBastion)
		return nil
	case key != "" && key != name:
		s.leave(host, "it has key pair "+key+"; that of a stack's bastion is "+name)
		return nil
	}
	c.Network.Bastion = &network.Bastion{}
	for _, rule := range s.list(ctx, s.owner, awstype.SecurityGroupIngressRule,
		map[string]any{"securityGroupId": group.ID}) {
		cidr := rule.Text("cidrIpv4")
		switch {
		case rule.Text("securityGroupId") != group.ID || cidr == "" || fmt.Sprint(rule.Properties["fromPort"]) != "22":
		case strings.HasSuffix(cidr, "/0"):
			c.Unsure["bastion"] = "security group " + group.ID + " also allows SSH from " + cidr +
				", which sshCIDRs must not have: the rule stays, and the stack does not own it"
		default:
			c.Network.Bastion.SSHCIDRs = append(c.Network.Bastion.SSHCIDRs, cidr)
		}
	}
	slices.Sort(c.Network.Bastion.SSHCIDRs)
	if key == "" {
		return nil
	}
	for _, pair := range s.list(ctx, s.owner, awstype.KeyPair, map[string]any{"keyName": key}) {
		if pair.Text("keyName") == key {
			c.Network.Bastion.SSHKey = pulumi.String(strings.TrimSpace(pair.Text("publicKey")))
		}
	}
	if !input.IsSet(c.Network.Bastion.SSHKey) {
		c.Unsure["bastion"] = "the public key of key pair " + key + " could not be read: set sshKey"
	}
	return nil
}
