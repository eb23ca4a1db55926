package stackfile

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// The management account, and the load balancer of its router.
const (
	ManagementAccount = "222222222222"
	RouterARN         = "arn:aws:elasticloadbalancing:us-east-1:" + ManagementAccount +
		":loadbalancer/net/router/0123456789abcdef"
)

// CoveredZones returns IDs of zones that the seeded load balancer has subnets in, which lie under the first three names
// of the management account.
func CoveredZones() []string { return []string{"use1-az4", "use1-az2", "use1-az5"} }

// Link returns the config of a cluster whose control plane is in another account, with the privateLink section given.
func Link(access hypershift.EndpointAccess, zones []string, section string) string {
	more := fmt.Sprintf(`    accounts: {management: {assumeRole: {roleArn: "arn:aws:iam::%s:role/deployer"}}}
`, ManagementAccount)
	if section != "" {
		more += "    privateLink: " + section + "\n"
	}
	return Cluster{Access: access, NAT: network.Single, Zones: zones, More: more}.String()
}

// StackOwned is a config with which the stack creates PrivateLink.
func StackOwned() string {
	return fmt.Sprintf(`{owner: stack, loadBalancers: {arns: ["%s"]}}`, RouterARN)
}

// OperatorOwned is a config with which HyperShift's operators create PrivateLink.
const OperatorOwned = "{owner: operator}"

// LinkedStack is a stack that creates PrivateLink itself.
type LinkedStack struct {
	access  hypershift.EndpointAccess
	Service string
}

// Name distinguishes the stacks.
func (s LinkedStack) Name() string { return fmt.Sprintf("%s-%s", s.access, s.Service) }

// Config returns the stack's file.
func (s LinkedStack) Config() string {
	return Link(s.access, CoveredZones()[:2], strings.Replace(StackOwned(), "{owner", "{service: "+s.Service+", owner", 1))
}

// LinkedStacks returns such stacks, of each mode and service.
func LinkedStacks() []LinkedStack {
	var all []LinkedStack
	for _, access := range []hypershift.EndpointAccess{hypershift.PublicAndPrivate, hypershift.Private} {
		for _, service := range []string{"private-router", "kube-apiserver-private"} {
			all = append(all, LinkedStack{access, service})
		}
	}
	return all
}

// HubAccount is an account with a VPC that reaches private control planes by an endpoint of its own, and with another
// one that resolves the names of the nodes' endpoint.
const HubAccount = "333333333333"

// The VPCs of the HubAccount, and a subnet and a security group of the first one.
const (
	HubVPC    = "vpc-0a100000000000001"
	SpokeVPC  = "vpc-0a100000000000002"
	HubSubnet = "subnet-0a100000000000001"
	HubGroup  = "sg-0a100000000000001"
)

// Accessible returns the config of a private cluster whose control plane is in another account, and is reached from two
// VPCs of a third one. section is the rest of the section privateLink.
func Accessible(section string) string {
	more := fmt.Sprintf(`    accounts:
      management: {assumeRole: {roleArn: "arn:aws:iam::%s:role/deployer"}}
      further: [{name: hub, assumeRole: {roleArn: "arn:aws:iam::%s:role/deployer"}}]
    privateLink:
      %s
      allowedCIDRs: [10.101.0.0/16]
      localZoneVPCs: [{vpcID: %s, account: hub}]
      consumers:
        - name: hub
          account: hub
          vpcID: %s
          subnetIDs: [%s]
          allowedCIDRs: [10.100.0.0/16]
          allowedSecurityGroups: [%s]
          hostNames: [api-demo.clusters.example.com]
`, ManagementAccount, HubAccount, section, SpokeVPC, HubVPC, HubSubnet, HubGroup)
	return Cluster{
		Access: hypershift.Private, NAT: network.Single, Zones: CoveredZones()[:2], More: more,
	}.String()
}

// AccessibleByStack is such a config whose stack creates PrivateLink.
func AccessibleByStack() string {
	return Accessible(fmt.Sprintf(`owner: stack
      loadBalancers: {arns: ["%s"]}`, RouterARN))
}

// WithoutAccess returns an Accessible config without the VPCs of clients and their account.
func WithoutAccess(config string) string {
	config, _, _ = strings.Cut(config, "      allowedCIDRs: [10.101.0.0/16]\n")
	var kept strings.Builder
	for line := range strings.Lines(config) {
		if !strings.Contains(line, "further:") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
