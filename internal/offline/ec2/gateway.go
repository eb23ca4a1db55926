package ec2

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func gatewayKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.InternetGateway, Args: ec2.InternetGatewayArgs{}, State: ec2.InternetGatewayState{},
			Service: "EC2", Noun: "Internet Gateway", Calls: aws.Calls{Update: "AttachInternetGateway"},
			References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion}},
			NotFound: awserr.Template{
				Code: "InvalidInternetGatewayID.NotFound",
				Text: "The internetGateway ID '%s' does not exist",
			},
			InUse: awserr.Template{
				Code: "DependencyViolation",
				Text: "The internetGateway '%s' has dependencies and cannot be deleted.",
			},
			Rules:       []aws.Rule{oneGatewayPerVPC},
			DeleteRules: []aws.Rule{noMappedAddresses},
			ID:          aws.EC2ID("igw"),
			OnUpdate: func(c *aws.Call) error {
				if c.Old.State.String("vpcId") == c.Resource.State.String("vpcId") {
					return nil
				}
				return noMappedAddresses(&aws.Call{Tx: c.Tx, Site: c.Site, Kind: c.Kind, Resource: c.Old})
			},
		},
		{
			Token: awstype.InternetGatewayAttachment, Args: ec2.InternetGatewayAttachmentArgs{},
			State:   ec2.InternetGatewayAttachmentState{},
			Service: "EC2", Noun: "Internet Gateway Attachment",
			Calls:    aws.Calls{Create: "AttachInternetGateway", Remove: "DetachInternetGateway"},
			UniqueBy: []string{"internetGatewayId"},
			References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion},
				{Input: "internetGatewayId", Type: awstype.InternetGateway, Dependency: aws.BlocksDeletionCall}},
			NotFound:    awserr.Template{Code: "Gateway.NotAttached", Text: "There is no attachment %s"},
			Rules:       []aws.Rule{oneGatewayPerVPC, gatewayIsFree},
			DeleteRules: []aws.Rule{noMappedAddresses},
			ID:          aws.Joined(":", "internetGatewayId", "vpcId"),
			OnCreate: func(c *aws.Call) error {
				c.Edit(awstype.InternetGateway, c.State().String("internetGatewayId")).State["vpcId"] = c.State().String("vpcId")
				return nil
			},
			OnDelete: func(c *aws.Call) {
				if gateway := c.Edit(awstype.InternetGateway, c.State().String("internetGatewayId")); gateway != nil {
					delete(gateway.State, "vpcId")
				}
			},
		},
		{
			Token: awstype.ElasticIP, Args: ec2.EipArgs{}, State: ec2.EipState{},
			Service: "EC2", Noun: "EIP", Calls: aws.Calls{
				Create: "AllocateAddress",
				Update: "AssociateAddress",
				Remove: "ReleaseAddress",
			},
			ConflictsWith: [][]string{{"domain", "vpc"}, {"instance", "networkInterface"}},
			Constants:     props.Map{"domain": "vpc", "publicIpv4Pool": "amazon"},
			NotFound:      awserr.Template{Code: "InvalidAllocationID.NotFound", Text: "The allocation ID '%s' does not exist"},
			InUse: awserr.Template{
				Code: "InvalidIPAddress.InUse",
				Text: "The address with allocation ID '%s' is in use.",
			},
			Rules:    []aws.Rule{noInstances, poolHasAddress},
			ID:       aws.EC2ID("eipalloc"),
			OnCreate: allocateAddress,
			OnRead:   viewAddress,
		},
		{
			Token: awstype.NATGateway, Args: ec2.NatGatewayArgs{}, State: ec2.NatGatewayState{},
			Service: "EC2", Noun: "NAT Gateway", Calls: aws.Calls{Update: "AssociateNatGatewayAddress"},
			Constants:     props.Map{"secondaryPrivateIpAddresses": []any{}, "secondaryPrivateIpAddressCount": 0.0},
			ConflictsWith: [][]string{{"secondaryPrivateIpAddressCount", "secondaryPrivateIpAddresses"}},
			References: []aws.Reference{{Input: "subnetId", Type: awstype.Subnet, Dependency: aws.BlocksDeletion},
				{Input: "allocationId", Type: awstype.ElasticIP, Dependency: aws.BlocksDeletion},
				{Input: "secondaryAllocationIds", Type: awstype.ElasticIP, Dependency: aws.BlocksDeletion}},
			NotFound: awserr.Template{Code: "NatGatewayNotFound", Text: "The Nat Gateway %s was not found"},
			Rules:    []aws.Rule{natNeedsAddress, addressIsFree, natNeedsGateway},
			ID:       aws.EC2ID("nat"),
			OnCreate: completeNAT,
		},
	}
}

// oneGatewayPerVPC: a VPC has at most one internet gateway.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachInternetGateway.html
func oneGatewayPerVPC(c *aws.Call) error {
	vpc := c.State().String("vpcId")
	for _, other := range c.Where(awstype.InternetGateway, "vpcId", vpc) {
		if vpc != "" && other.ID != c.Resource.ID {
			return awserr.Errorf("InvalidParameterValue", "Network %s already has an internet gateway attached", vpc)
		}
	}
	return nil
}

// gatewayIsFree: an internet gateway is attached to one VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachInternetGateway.html
func gatewayIsFree(c *aws.Call) error {
	id := c.State().String("internetGatewayId")
	if vpc := c.Find(awstype.InternetGateway, id).State.String("vpcId"); vpc != "" {
		return awserr.Errorf("Resource.AlreadyAssociated", "resource %s is already attached to network %s", id, vpc)
	}
	return nil
}

// noMappedAddresses: an internet gateway cannot be detached while public addresses of its VPC depend on it.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html
func noMappedAddresses(c *aws.Call) error {
	vpc := c.State().String("vpcId")
	public := slices.ContainsFunc(c.All(awstype.NATGateway), func(nat *store.Entry) bool {
		return vpcOf(c, nat) == vpc && nat.State.Has("allocationId")
	}) || slices.ContainsFunc(c.Where(awstype.LoadBalancer, "vpcId", vpc), func(balancer *store.Entry) bool {
		return !balancer.State.Bool("internal")
	}) || slices.ContainsFunc(c.All(awstype.Instance), func(instance *store.Entry) bool {
		return vpcOf(c, instance) == vpc && instance.State.String("publicIp") != ""
	})
	if public {
		return awserr.Errorf("DependencyViolation", "Network %s has some mapped public address(es). "+
			"Please unmap those public address(es) before detaching the gateway.", vpc)
	}
	return nil
}

// noInstances: the offline account has no instances and no network interfaces to bind an address to.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateAddress.html
func noInstances(c *aws.Call) error {
	if id := c.State().String("instance"); id != "" {
		return awserr.Errorf("InvalidInstanceID.NotFound", "The instance ID '%s' does not exist", id)
	}
	if id := c.State().String("networkInterface"); id != "" {
		return awserr.Errorf("InvalidNetworkInterfaceID.NotFound", "The networkInterface ID '%s' does not exist", id)
	}
	return nil
}

func allocateAddress(c *aws.Call) error {
	s := c.Resource.State
	ip := cmp.Or(s.String("address"), pooledAddress(c), freePublicAddress(c))
	s["publicIp"], s["allocationId"] = ip, c.Resource.ID
	s["networkBorderGroup"] = cmp.Or(s.String("networkBorderGroup"), c.Region)
	s["vpc"] = s.String("domain") == "vpc"
	s["publicDns"] = dashed("ec2", ip) + "." + computeDomain(c.Site, "compute-1", "compute") + "." + c.DNSSuffix
	return nil
}

// viewAddress returns what an address is bound to.
func viewAddress(c *aws.Call, out props.Map) {
	for _, nat := range c.Where(awstype.NATGateway, "allocationId", c.Resource.ID) {
		out["associationId"] = nat.State.String("associationId")
		out["networkInterface"] = nat.State.String("networkInterfaceId")
		out["privateIp"] = nat.State.String("privateIp")
		out["privateDns"] = dashed("ip", nat.State.String("privateIp")) + "." + internalDomain(c.Site)
	}
}

func dashed(prefix, ip string) string { return prefix + "-" + strings.ReplaceAll(ip, ".", "-") }

// computeDomain returns the DNS domain of a region; us-east-1 has a different one.
func computeDomain(s aws.Site, first, other string) string {
	if s.Region == "us-east-1" {
		return first
	}
	return s.Region + "." + other
}

func internalDomain(s aws.Site) string {
	if s.Region == "us-east-1" {
		return "ec2.internal"
	}
	return s.Region + ".compute.internal"
}

// natNeedsAddress: a public NAT gateway has an elastic IP, a private one has none.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNatGateway.html
func natNeedsAddress(c *aws.Call) error {
	public, given := c.State().String("connectivityType") == "public", c.State().Has("allocationId")
	switch {
	case public && !given:
		return awserr.Errorf("MissingParameter", "The request must include the AllocationId parameter. "+
			"Add the required parameter and retry the request.")
	case !public && given:
		return awserr.Errorf("InvalidParameter", "You cannot specify an AllocationId for a private NAT gateway.")
	}
	return nil
}

// addressIsFree: an elastic IP belongs to one NAT gateway.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNatGateway.html
func addressIsFree(c *aws.Call) error {
	ids := append(c.State().Strings("secondaryAllocationIds"), c.State().String("allocationId"))
	for _, other := range c.All(awstype.NATGateway) {
		if other.ID == c.Resource.ID {
			continue
		}
		taken := append(other.State.Strings("secondaryAllocationIds"), other.State.String("allocationId"))
		for _, id := range taken {
			if id != "" && slices.Contains(ids, id) {
				return awserr.Errorf("Resource.AlreadyAssociated", "Elastic IP address [%s] is already associated", id)
			}
		}
	}
	return nil
}

// natNeedsGateway: a public NAT gateway needs a VPC with an internet gateway.
// https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html
func natNeedsGateway(c *aws.Call) error {
	if c.State().String("connectivityType") != "public" {
		return nil
	}
	vpc := c.Find(awstype.Subnet, c.State().String("subnetId")).State.String("vpcId")
	if len(c.Where(awstype.InternetGateway, "vpcId", vpc)) == 0 {
		return awserr.Errorf("Gateway.NotAttached", "Network %s has no Internet gateway attached", vpc)
	}
	return nil
}

func completeNAT(c *aws.Call) error {
	s := c.Resource.State
	s["networkInterfaceId"] = ids.EC2("eni")
	if !s.Has("privateIp") {
		s["privateIp"] = freeAddress(c, c.State().String("subnetId"))
	}
	s["publicIp"], s["associationId"] = "", ""
	if address := c.Find(awstype.ElasticIP, s.String("allocationId")); address != nil {
		s["publicIp"], s["associationId"] = address.State.String("publicIp"), ids.EC2("eipassoc")
	}
	return nil
}
