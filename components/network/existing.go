package network

import (
	"fmt"
	"net/netip"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// ExistingVPC is an existing VPC for the cluster. It is checked and not changed, except for the tags of tagSubnets.
type ExistingVPC struct {
	// VPCID is the ID of the VPC, "vpc-…". Required.
	VPCID pulumi.StringInput `yaml:"vpcID" pulumi:"vpcID"`
	// Subnets are the zones of the nodes, one to eight, with their subnets. Required.
	Subnets []ExistingSubnets `yaml:"subnets" pulumi:"subnets"`
	// Further are subnets of nodes beside those of the zones, such as those of node pools. They are checked as the
	// zones' are. Default none.
	Further []FurtherSubnet `yaml:"-" pulumi:"further,optional"`
	// PrivateZoneID is the ID, "Z…", of an existing hosted zone <prefix>.<baseDomain> that is associated with the VPC.
	// Default: the zone is created.
	PrivateZoneID pulumi.StringInput `yaml:"privateZoneID" pulumi:"privateZoneID,optional"`
	// LocalZoneID is the ID, "Z…", of an existing hosted zone <name>.hypershift.local that is associated with the VPC.
	// Default: the zone is created, unless endpointAccess is Public.
	LocalZoneID pulumi.StringInput `yaml:"localZoneID" pulumi:"localZoneID,optional"`
	// SharedVPC has the roles in the account of the VPC's owner that HyperShift's operators assume, if another account
	// shares the VPC. Required for a PrivateLink endpoint in such a VPC, which its owner's account must create. Default
	// none: the VPC is the cluster's account's.
	SharedVPC *ExistingSharedVPC `yaml:"sharedVPC" pulumi:"sharedVPC,optional"`
	// TagSubnets sets the tags by which the cluster's operators find the subnets, unless the subnets have them:
	// kubernetes.io/role/elb on public and kubernetes.io/role/internal-elb on private ones,
	// kubernetes.io/cluster/<infraID> with the value shared, and karpenter.sh/discovery with iam.karpenter. Those that the
	// stack set are removed when it is destroyed. Default false: a preview warns of missing tags.
	TagSubnets bool `yaml:"tagSubnets" pulumi:"tagSubnets,optional"`
	// DNSServers are the IPv4 addresses of the DNS servers in the VPC's DHCP options, if they are not AWS's. They must
	// forward the names of the cluster's private zones and of AWS's services to the VPC's own resolver; `hypershift-aws
	// preflight` asks them for these names. Default none: a VPC with other servers than AmazonProvidedDNS is refused.
	DNSServers []string `yaml:"dnsServers" pulumi:"dnsServers,optional"`
}

// ExistingSharedVPC has the roles of the owner of a VPC that another account shares. The stack lets the cluster's
// ingress operator and control plane operator assume them; their trust policies must allow it. Source: HyperShift,
// "Shared VPC" in its how-to pages for AWS.
type ExistingSharedVPC struct {
	// IngressRoleARN is the role for the records in the private zones, which the operators of the ingress and of the
	// control plane assume. It is sharedVPC.rolesRef.ingressARN of the HostedCluster. Required.
	IngressRoleARN pulumi.StringInput `yaml:"ingressRoleARN" pulumi:"ingressRoleARN"`
	// ControlPlaneRoleARN is the role for the VPC endpoint, in the account of the VPC's owner, which the control plane
	// operator assumes. It is sharedVPC.rolesRef.controlPlaneARN. Required.
	ControlPlaneRoleARN pulumi.StringInput `yaml:"controlPlaneRoleARN" pulumi:"controlPlaneRoleARN"`
}

// rolePattern is that of the ARN of a role, with its account.
var rolePattern = regexp.MustCompile(`^arn:aws(?:-[a-z]+)*:iam::(\d{12}):role/.+$`)

// Accounts returns the accounts of the VPC's owner and of the private zones, "" if they are not known.
func (s *ExistingSharedVPC) Accounts() (owner, zones string) {
	if s == nil {
		return "", ""
	}
	of := func(role pulumi.StringInput) string {
		if m := rolePattern.FindStringSubmatch(input.Text(role)); m != nil {
			return m[1]
		}
		return ""
	}
	return of(s.ControlPlaneRoleARN), of(s.IngressRoleARN)
}

// validateSharedVPC returns the faults of the owner's roles.
func (e *ExistingVPC) validateSharedVPC() error {
	if e.SharedVPC == nil {
		return nil
	}
	var faults fault.Faults
	for _, role := range []struct {
		path string
		arn  pulumi.StringInput
	}{{"ingressRoleARN", e.SharedVPC.IngressRoleARN}, {"controlPlaneRoleARN", e.SharedVPC.ControlPlaneRoleARN}} {
		arn, plain := input.Plain(role.arn)
		switch {
		case !input.IsSet(role.arn):
			faults.Add(role.path, nil, "is missing", "set the ARN of the role in the account of the VPC's owner")
		case plain && !rolePattern.MatchString(arn):
			faults.Add(role.path, arn, "is not the ARN of a role", "use one such as arn:aws:iam::123456789012:role/NAME")
		}
	}
	return faults.Err()
}

// ExistingSubnets are the subnets of a zone.
type ExistingSubnets struct {
	// Zone is the zone's name, such as "us-east-1a", or its ID, such as "use1-az4". Required.
	Zone string `yaml:"zone" pulumi:"zone"`
	// Private is the ID of the subnet of the zone's nodes, "subnet-…". Required unless publicOnly is true.
	Private pulumi.StringInput `yaml:"private" pulumi:"private,optional"`
	// Public is the ID of the zone's public subnet, "subnet-…", which has a route to the internet gateway. Required with
	// publicOnly. Default none: load balancers on the internet, such as that of the default ingress, cannot use the zone.
	Public pulumi.StringInput `yaml:"public" pulumi:"public,optional"`
}

// FurtherSubnet is a subnet of nodes in a zone that has another one.
type FurtherSubnet struct {
	// Zone is the zone's name, such as "us-east-1a". Required.
	Zone string `yaml:"-" pulumi:"zone"`
	// ID is the ID of the subnet, "subnet-…". Required.
	ID pulumi.StringInput `yaml:"-" pulumi:"id"`
}

// Zones returns the zones of the subnets.
func (e *ExistingVPC) Zones() []Zone {
	if e == nil {
		return nil
	}
	zones := make([]Zone, len(e.Subnets))
	for i, subnets := range e.Subnets {
		zones[i].Name = subnets.Zone
	}
	return zones
}

var hostedZonePattern = regexp.MustCompile(`^Z[0-9A-Z]{5,31}$`)

// validate returns the faults in the existing VPC, and a fault for each option that only applies to a new VPC.
func (e *ExistingVPC) validate(args *BaseNetworkArgs) error {
	var faults fault.Faults
	if id, plain := input.Plain(e.VPCID); plain && !awsid.IsEC2("vpc", id) {
		faults.Add("existing.vpcID", id, "is not the ID of a VPC", "use one such as vpc-0123456789abcdef0")
	}
	if len(e.Zones()) == 0 {
		faults.Add("existing.subnets", nil, "is empty",
			"list each zone with its subnets: {zone: us-east-1a, private: subnet-…}")
	} else {
		zones := fault.In(validateZones(e.Zones()))
		for _, f := range zones {
			if f.Remedy == eachOnce && args.OneMachineCIDR {
				f.Remedy = "list each zone once; node pools name further subnets of it as subnetID"
			}
		}
		faults.Join("existing.subnets", zones.Err())
	}
	faults.Join("existing", e.validateSubnetIDs(args))
	for _, zone := range []struct{ path, id string }{
		{"existing.privateZoneID", input.Text(e.PrivateZoneID)}, {"existing.localZoneID", input.Text(e.LocalZoneID)},
	} {
		if zone.id != "" && !hostedZonePattern.MatchString(zone.id) {
			faults.Add(zone.path, zone.id, "is not the ID of a hosted zone",
				"use one such as Z0123456789ABCDEFGHIJ, without /hostedzone/")
		}
	}
	faults.Join("existing.sharedVPC", e.validateSharedVPC())
	faults.Join("existing.tagSubnets", e.validateTagSubnets())
	for i, server := range e.DNSServers {
		if address, err := netip.ParseAddr(server); err != nil || !address.Is4() {
			faults.Add(fmt.Sprintf("existing.dnsServers[%d]", i), server, "is not an IPv4 address",
				"use the address of a DNS server, such as 10.0.0.53")
		}
	}
	refuseWithExisting(&faults, "vpcCIDR", args.VPCCIDR != "", nil)
	refuseWithExisting(&faults, "zones", len(args.Zones) > 0, nil)
	return faults.Err()
}

// refuseWithExisting adds a fault for an option that only a new VPC has, if it is set.
func refuseWithExisting(faults *fault.Faults, path string, set bool, value any) {
	if set {
		faults.Add(path, value, "applies to a VPC that is created, but existing is set", "set only one of the two")
	}
}

func (e *ExistingVPC) validateSubnetIDs(args *BaseNetworkArgs) error {
	type subnet struct {
		path              string
		given             pulumi.StringInput
		wanted, forbidden bool
		why               string
	}
	var all []subnet
	for i, subnets := range e.Subnets {
		all = append(all, subnet{fmt.Sprintf("subnets[%d].private", i), subnets.Private, !args.publicOnly(),
			args.publicOnly(), "use the zone's subnet for nodes"},
			subnet{fmt.Sprintf("subnets[%d].public", i), subnets.Public,
				args.PublicSubnets && (!args.PublicOptional || args.PublicMachines), false,
				"use the zone's subnet for load balancers on the internet, or use " + args.WithoutPublic})
	}
	for i, further := range e.Further {
		all = append(all, subnet{fmt.Sprintf("further[%d]", i), further.ID, true, false, "use a subnet for nodes"})
	}
	var faults fault.Faults
	seen := map[string]string{}
	for _, subnet := range all {
		id, plain := input.Plain(subnet.given)
		first, twice := seen[id]
		switch {
		case !input.IsSet(subnet.given) && subnet.wanted:
			faults.Add(subnet.path, nil, "is missing", subnet.why)
		case !input.IsSet(subnet.given):
			continue
		case subnet.forbidden:
			faults.Add(subnet.path, input.Value(subnet.given), "is not used in a public-only network", "leave it out")
		case !plain:
			continue
		case !awsid.IsEC2("subnet", id):
			faults.Add(subnet.path, id, "is not the ID of a subnet", "use one such as subnet-0123456789abcdef0")
		case twice:
			faults.Add(subnet.path, id, "is already used as "+first, "use a different subnet for each")
		}
		seen[id] = subnet.path
	}
	return faults.Err()
}
