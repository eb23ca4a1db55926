package offline

import (
	"cmp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

// quotas are those that a hosted cluster's estate meets first.
// https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
func quotas() []aws.Quota {
	return []aws.Quota{
		{Name: "vpcs", Token: types.VPC, Limit: 5,
			Code: "VpcLimitExceeded", Message: "The maximum number of VPCs has been reached."},
		{Name: "internetGateways", Token: types.InternetGateway, Limit: 5,
			Code: "InternetGatewayLimitExceeded", Message: "The maximum number of internet gateways has been reached."},
		{Name: "elasticIPs", Token: types.ElasticIP, Limit: 5,
			Code: "AddressLimitExceeded", Message: "The maximum number of addresses has been reached."},
		{Name: "natGatewaysPerZone", Token: types.NATGateway, Limit: 5, Of: zoneOfNAT,
			Code: "NatGatewayLimitExceeded", Message: "The maximum number of NAT gateways has been reached."},
		{Name: "gatewayEndpoints", Token: types.VPCEndpoint, Limit: 20, Counts: isGatewayEndpoint,
			Code: "VpcEndpointLimitExceeded", Message: "The maximum number of VPC endpoints has been reached."},
		{Name: "subnetsPerVPC", Token: types.Subnet, Limit: 200, Of: inVPC,
			Code: "SubnetLimitExceeded", Message: "The maximum number of subnets has been reached."},
		{Name: "routeTablesPerVPC", Token: types.RouteTable, Limit: 200, Of: inVPC,
			Code: "RouteTableLimitExceeded", Message: "The maximum number of route tables has been reached."},
		{Name: "roles", Token: types.Role, Limit: 1000,
			Code: "LimitExceeded", Message: "Cannot exceed quota for RolesPerAccount: 1000"},
		{Name: "instanceProfiles", Token: types.InstanceProfile, Limit: 1000,
			Code: "LimitExceeded", Message: "Cannot exceed quota for InstanceProfilesPerAccount: 1000"},
		{Name: "oidcProviders", Token: types.OIDCProvider, Limit: 100,
			Code: "LimitExceeded", Message: "Cannot exceed quota for OpenIdConnectProvidersPerAccount: 100"},
		{Name: "hostedZones", Token: types.HostedZone, Limit: 500,
			Code: "TooManyHostedZones", Message: "Limits Exceeded: MAX_HOSTED_ZONES_BY_OWNER - Cannot create more hosted zones."},
	}
}

// quotaNames are the names of the quotas, in alphabetical order.
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
	if subnet := c.Find(types.Subnet, p.String("subnetId")); subnet != nil {
		return subnet.State.String("availabilityZone")
	}
	return ""
}

func isGatewayEndpoint(p props.Map) bool {
	return cmp.Or(p.String("vpcEndpointType"), "Gateway") == "Gateway"
}
