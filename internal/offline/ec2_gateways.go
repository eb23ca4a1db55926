package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const (
	igwToken           = "aws:ec2/internetGateway:InternetGateway"
	igwAttachmentToken = "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment"
	eipToken           = "aws:ec2/eip:Eip"
	natToken           = "aws:ec2/natGateway:NatGateway"
)

func gatewayKinds() []*kind {
	return []*kind{
		{
			token: igwToken, args: ec2.InternetGatewayArgs{}, state: ec2.InternetGatewayState{},
			service: "EC2", noun: "Internet Gateway", calls: calls{update: "AttachInternetGateway"},
			computed: []string{"vpcId"},
			refs:     []ref{{"vpcId", vpcToken, "", blocks}},
			missing:  answer{"InvalidInternetGatewayID.NotFound", "The internetGateway ID '%s' does not exist"},
			inUse:    answer{"DependencyViolation", "The internetGateway '%s' has dependencies and cannot be deleted."},
			rules:    []rule{oneGatewayPerVPC},
			leaving:  []rule{noMappedAddresses},
			make: func(c *call) error {
				c.rec.ID = newID("igw")
				c.owned("internet-gateway")
				return nil
			},
			change: func(c *call) error {
				if c.was.State.text("vpcId") == c.rec.State.text("vpcId") {
					return nil
				}
				return noMappedAddresses(&call{accountTx: c.accountTx, site: c.site, kind: c.kind, rec: c.was})
			},
		},
		{
			token: igwAttachmentToken, args: ec2.InternetGatewayAttachmentArgs{},
			state:   ec2.InternetGatewayAttachmentState{},
			service: "EC2", noun: "Internet Gateway Attachment",
			calls:    calls{create: "AttachInternetGateway", remove: "DetachInternetGateway"},
			replaces: []string{"internetGatewayId", "vpcId"},
			unique:   []string{"internetGatewayId"},
			refs:     []ref{{"vpcId", vpcToken, "", blocks}, {"internetGatewayId", igwToken, "", blockingPart}},
			missing:  answer{"Gateway.NotAttached", "There is no attachment %s"},
			rules:    []rule{oneGatewayPerVPC, gatewayIsFree},
			leaving:  []rule{noMappedAddresses},
			make: func(c *call) error {
				c.rec.ID = c.in().text("internetGatewayId") + ":" + c.in().text("vpcId")
				c.edit(igwToken, c.in().text("internetGatewayId")).State["vpcId"] = c.in().text("vpcId")
				return nil
			},
			unmake: func(c *call) error {
				if gateway := c.edit(igwToken, c.in().text("internetGatewayId")); gateway != nil {
					delete(gateway.State, "vpcId")
				}
				return nil
			},
		},
		{
			token: eipToken, args: ec2.EipArgs{}, state: ec2.EipState{},
			service: "EC2", noun: "EIP", calls: calls{"AllocateAddress", "AssociateAddress", "ReleaseAddress"},
			computed: []string{"domain", "instance", "ipamPoolId", "networkBorderGroup", "networkInterface",
				"publicIpv4Pool", "vpc"},
			enums: map[string][]string{"domain": {"vpc", "standard"}},
			apart: [][]string{{"domain", "vpc"}, {"instance", "networkInterface"}},
			fixed: props{"associationId": "", "carrierIp": "", "customerOwnedIp": "", "customerOwnedIpv4Pool": "",
				"domain": "vpc", "instance": "", "networkInterface": "", "ptrRecord": "", "publicIpv4Pool": "amazon"},
			replaces: []string{"address", "customerOwnedIpv4Pool", "domain", "ipamPoolId", "networkBorderGroup",
				"publicIpv4Pool", "vpc"},
			missing: answer{"InvalidAllocationID.NotFound", "The allocation ID '%s' does not exist"},
			inUse:   answer{"InvalidIPAddress.InUse", "The address with allocation ID '%s' is in use."},
			rules:   []rule{noInstances},
			make:    allocateAddress,
			view:    viewAddress,
		},
		{
			token: natToken, args: ec2.NatGatewayArgs{}, state: ec2.NatGatewayState{},
			service: "EC2", noun: "NAT Gateway", calls: calls{update: "AssociateNatGatewayAddress"},
			computed: []string{"privateIp", "secondaryPrivateIpAddressCount", "secondaryPrivateIpAddresses"},
			defaults: props{"connectivityType": "public"},
			fixed:    props{"secondaryPrivateIpAddresses": []any{}, "secondaryPrivateIpAddressCount": 0.0},
			enums:    map[string][]string{"connectivityType": {"public", "private"}},
			forms:    map[string]form{"secondaryAllocationIds": asSet, "secondaryPrivateIpAddresses": asSet},
			apart:    [][]string{{"secondaryPrivateIpAddressCount", "secondaryPrivateIpAddresses"}},
			replaces: []string{"allocationId", "connectivityType", "privateIp", "secondaryPrivateIpAddressCount", "subnetId"},
			refs: []ref{{"subnetId", subnetToken, "", blocks}, {"allocationId", eipToken, "", blocks},
				{"secondaryAllocationIds", eipToken, "", blocks}},
			missing: answer{"NatGatewayNotFound", "The Nat Gateway %s was not found"},
			rules:   []rule{natNeedsAddress, addressIsFree, natNeedsGateway},
			make:    makeNAT,
		},
	}
}

// oneGatewayPerVPC: a VPC has one internet gateway.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachInternetGateway.html
func oneGatewayPerVPC(c *call) error {
	vpc := c.in().text("vpcId")
	for _, other := range c.all(igwToken) {
		if vpc != "" && other.ID != c.rec.ID && other.State.text("vpcId") == vpc {
			return refuse("InvalidParameterValue", "Network %s already has an internet gateway attached", vpc)
		}
	}
	return nil
}

// gatewayIsFree: an internet gateway is attached to one VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachInternetGateway.html
func gatewayIsFree(c *call) error {
	id := c.in().text("internetGatewayId")
	if vpc := c.find(igwToken, id).State.text("vpcId"); vpc != "" {
		return refuse("Resource.AlreadyAssociated", "resource %s is already attached to network %s", id, vpc)
	}
	return nil
}

// noMappedAddresses: an internet gateway stays while public addresses of its VPC depend on it.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html
func noMappedAddresses(c *call) error {
	vpc := c.in().text("vpcId")
	for _, nat := range c.all(natToken) {
		subnet := c.find(subnetToken, nat.State.text("subnetId"))
		if subnet != nil && subnet.State.text("vpcId") == vpc && nat.State.has("allocationId") {
			return mappedAddresses(vpc)
		}
	}
	for _, balancer := range c.all(loadBalancerToken) {
		if balancer.State.text("vpcId") == vpc && !balancer.State.yes("internal") {
			return mappedAddresses(vpc)
		}
	}
	for _, instance := range c.all(instanceToken) {
		subnet := c.find(subnetToken, instance.State.text("subnetId"))
		if subnet != nil && subnet.State.text("vpcId") == vpc && instance.State.text("publicIp") != "" {
			return mappedAddresses(vpc)
		}
	}
	return nil
}

func mappedAddresses(vpc string) error {
	return refuse("DependencyViolation", "Network %s has some mapped public address(es). "+
		"Please unmap those public address(es) before detaching the gateway.", vpc)
}

// noInstances: the offline account holds no instances and no interfaces to bind an address to.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateAddress.html
func noInstances(c *call) error {
	if id := c.in().text("instance"); id != "" {
		return refuse("InvalidInstanceID.NotFound", "The instance ID '%s' does not exist", id)
	}
	if id := c.in().text("networkInterface"); id != "" {
		return refuse("InvalidNetworkInterfaceID.NotFound", "The networkInterface ID '%s' does not exist", id)
	}
	return nil
}

func allocateAddress(c *call) error {
	s := c.rec.State
	c.rec.ID = cmp.Or(c.given, newID("eipalloc"))
	ip := cmp.Or(s.text("address"), c.freePublicAddress())
	s["publicIp"], s["allocationId"] = ip, c.rec.ID
	s["networkBorderGroup"] = cmp.Or(s.text("networkBorderGroup"), c.region)
	s["arn"] = c.arn("ec2", "elastic-ip/"+c.rec.ID)
	s["vpc"] = s.text("domain") == "vpc"
	s["publicDns"] = dashed("ec2", ip) + "." + c.computeDomain("compute-1", "compute") + "." + c.dnsSuffix
	return nil
}

// viewAddress shows what an address is bound to by now.
func viewAddress(c *call, out props) {
	for _, nat := range c.all(natToken) {
		if nat.State.text("allocationId") == c.rec.ID {
			out["associationId"] = nat.State.text("associationId")
			out["networkInterface"] = nat.State.text("networkInterfaceId")
			out["privateIp"] = nat.State.text("privateIp")
			out["privateDns"] = dashed("ip", nat.State.text("privateIp")) + "." + c.internalDomain()
		}
	}
}

func dashed(prefix, ip string) string { return prefix + "-" + strings.ReplaceAll(ip, ".", "-") }

// computeDomain names a region under a domain; us-east-1 has a name of its own.
func (s site) computeDomain(first, other string) string {
	if s.region == "us-east-1" {
		return first
	}
	return s.region + "." + other
}

func (s site) internalDomain() string {
	if s.region == "us-east-1" {
		return "ec2.internal"
	}
	return s.region + ".compute.internal"
}

// natNeedsAddress: a public NAT gateway has an elastic IP, a private one has none.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNatGateway.html
func natNeedsAddress(c *call) error {
	public, given := c.in().text("connectivityType") == "public", c.in().has("allocationId")
	switch {
	case public && !given:
		return refuse("MissingParameter", "The request must include the AllocationId parameter. "+
			"Add the required parameter and retry the request.")
	case !public && given:
		return refuse("InvalidParameter", "You cannot specify an AllocationId for a private NAT gateway.")
	}
	return nil
}

// addressIsFree: an elastic IP serves one NAT gateway.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNatGateway.html
func addressIsFree(c *call) error {
	ids := append(c.in().texts("secondaryAllocationIds"), c.in().text("allocationId"))
	for _, other := range c.all(natToken) {
		if other.ID == c.rec.ID {
			continue
		}
		taken := append(other.State.texts("secondaryAllocationIds"), other.State.text("allocationId"))
		for _, id := range taken {
			if id != "" && slices.Contains(ids, id) {
				return refuse("Resource.AlreadyAssociated", "Elastic IP address [%s] is already associated", id)
			}
		}
	}
	return nil
}

// natNeedsGateway: a public NAT gateway works in a VPC with an internet gateway only.
// https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html
func natNeedsGateway(c *call) error {
	if c.in().text("connectivityType") != "public" {
		return nil
	}
	vpc := c.find(subnetToken, c.in().text("subnetId")).State.text("vpcId")
	for _, gateway := range c.all(igwToken) {
		if gateway.State.text("vpcId") == vpc {
			return nil
		}
	}
	return refuse("Gateway.NotAttached", "Network %s has no Internet gateway attached", vpc)
}

func makeNAT(c *call) error {
	s := c.rec.State
	c.rec.ID = newID("nat")
	s["networkInterfaceId"] = newID("eni")
	if !s.has("privateIp") {
		s["privateIp"] = c.freeAddress(c.in().text("subnetId"))
	}
	s["publicIp"], s["associationId"] = "", ""
	if address := c.find(eipToken, s.text("allocationId")); address != nil {
		s["publicIp"], s["associationId"] = address.State.text("publicIp"), newID("eipassoc")
	}
	return nil
}
