package offline

import (
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// quotas returns the limits that stacks can reach, with the values of a new account. The records of package awstype
// determine what they count.
// https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
// https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-limits.html
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-on-demand-instances.html
func quotas() []aws.Quota {
	list := []aws.Quota{
		{Name: "vpcs", Limit: 5, Code: "VpcLimitExceeded", Message: "The maximum number of VPCs has been reached."},
		{
			Name:    "internetGateways",
			Limit:   5,
			Code:    "InternetGatewayLimitExceeded",
			Message: "The maximum number of internet gateways has been reached.",
		},
		{
			Name:    "elasticIPs",
			Limit:   5,
			Code:    "AddressLimitExceeded",
			Message: "The maximum number of addresses has been reached.",
		},
		{
			Name:    "natGatewaysPerZone",
			Limit:   5,
			Code:    "NatGatewayLimitExceeded",
			Message: "The maximum number of NAT gateways has been reached.",
		},
		{
			Name:    "natGatewayAddresses",
			Limit:   2,
			Code:    "AddressLimitExceeded",
			Message: "The maximum number of addresses per NAT gateway has been reached.",
		},
		{
			Name:    "gatewayEndpoints",
			Limit:   20,
			Code:    "VpcEndpointLimitExceeded",
			Message: "The maximum number of VPC endpoints has been reached.",
		},
		{
			Name:    "interfaceEndpointsPerVPC",
			Limit:   50,
			Code:    "VpcEndpointLimitExceeded",
			Message: "The maximum number of VPC endpoints has been reached.",
		},
		{
			Name:    "subnetsPerVPC",
			Limit:   200,
			Code:    "SubnetLimitExceeded",
			Message: "The maximum number of subnets has been reached.",
		},
		{
			Name:    "routeTablesPerVPC",
			Limit:   200,
			Code:    "RouteTableLimitExceeded",
			Message: "The maximum number of route tables has been reached.",
		},
		{
			Name:    "securityGroups",
			Limit:   2500,
			Code:    "SecurityGroupLimitExceeded",
			Message: "The maximum number of security groups has been reached.",
		},
		{
			Name:    "networkLoadBalancers",
			Limit:   50,
			Code:    "TooManyLoadBalancers",
			Message: "The maximum number of load balancers has been reached.",
		},
		// AWS sets the limits of vCPUs by an account's age and use.
		{Name: "standardVCPUs", Limit: 640, Code: "VcpuLimitExceeded",
			Message: "You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that the specified instance type belongs to."},
		{Name: "spotVCPUs", Limit: 640, Code: "MaxSpotInstanceCountExceeded", Message: "Max spot instance count exceeded"},
		{Name: "roles", Limit: 1000, Code: "LimitExceeded", Message: "Cannot exceed quota for RolesPerAccount: 1000"},
		{
			Name:    "instanceProfiles",
			Limit:   1000,
			Code:    "LimitExceeded",
			Message: "Cannot exceed quota for InstanceProfilesPerAccount: 1000",
		},
		{
			Name:    "oidcProviders",
			Limit:   100,
			Code:    "LimitExceeded",
			Message: "Cannot exceed quota for OpenIdConnectProvidersPerAccount: 100",
		},
		{
			Name:    "managedPoliciesPerRole",
			Limit:   10,
			Code:    "LimitExceeded",
			Message: "Cannot exceed quota for PoliciesPerRole: 10",
		},
		{Name: "hostedZones", Limit: 500, Code: "TooManyHostedZones",
			Message: "Limits Exceeded: MAX_HOSTED_ZONES_BY_OWNER - Cannot create more hosted zones."},
	}
	for i := range list {
		record, _ := awstype.QuotaOf(list[i].Name)
		list[i].Token, list[i].OfAWS = record.Token, record.InNewVPC > 0
		if counts := record.Counts; counts != nil {
			list[i].Counts = func(p props.Map) bool { return counts(p) }
		}
		switch record.Per {
		case awstype.PerVPC:
			list[i].Of = inVPC
		case awstype.PerZone:
			list[i].Of = zoneOfNAT
		case awstype.PerInstance:
			if has := record.Has; has != nil {
				list[i].Own, list[i].Weight = true, func(p props.Map) int { return has(p) }
			} else {
				list[i].Of = func(_ *aws.Call, p props.Map) string { return p.String(record.PartOf()) }
			}
		case awstype.PerAccount, awstype.PerRegion:
		}
		if record.VCPUs {
			list[i].Weight = func(p props.Map) int { return aws.VCPUs(p.String("instanceType")) }
		}
	}
	return list
}

// Quota returns how much of a quota an account may use, and how much it uses: the numbers by which it refuses a
// creation. of is the zone or the VPC for a quota that applies to each of those.
func (s *Server) Quota(config map[string]any, name, parent string) (limit, used int, err error) {
	known := false
	err = s.call(config, func(c *aws.Call) error {
		limit, used, known = c.Quota(name, parent)
		return nil
	})
	if err == nil && !known {
		err = fmt.Errorf("the offline account has no quota %q", name)
	}
	return limit, used, err
}

// quotaNames returns the names of the quotas, in alphabetical order.
func quotaNames() []string {
	var names []string
	for _, q := range quotas() {
		names = append(names, q.Name)
	}
	slices.Sort(names)
	return names
}

func inVPC(_ *aws.Call, p props.Map) string { return p.String("vpcId") }

func zoneOfNAT(c *aws.Call, p props.Map) string {
	if subnet := c.Find(awstype.Subnet, p.String("subnetId")); subnet != nil {
		return subnet.State.String("availabilityZone")
	}
	return ""
}
