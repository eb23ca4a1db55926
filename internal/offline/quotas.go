package offline

import (
	"cmp"
	"slices"
)

// quota is how many of a type AWS allows, unless it is asked to raise the number.
type quota struct {
	name, token string
	// limit is AWS's own.
	limit int
	// code and message refuse one too many.
	code, message string
	// of says what the number is counted in, "" for the region: the resources whose value is alike are counted together.
	of func(*call, props) string
	// counts says which of the type count. nil: all.
	counts func(props) bool
}

// quotas are those that a hosted cluster's estate meets first.
// https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
func quotas() []quota {
	return []quota{
		{name: "vpcs", token: vpcToken, limit: 5,
			code: "VpcLimitExceeded", message: "The maximum number of VPCs has been reached."},
		{name: "internetGateways", token: igwToken, limit: 5,
			code: "InternetGatewayLimitExceeded", message: "The maximum number of internet gateways has been reached."},
		{name: "elasticIPs", token: eipToken, limit: 5,
			code: "AddressLimitExceeded", message: "The maximum number of addresses has been reached."},
		{name: "natGatewaysPerZone", token: natToken, limit: 5, of: zoneOfNAT,
			code: "NatGatewayLimitExceeded", message: "The maximum number of NAT gateways has been reached."},
		{name: "gatewayEndpoints", token: endpointToken, limit: 20, counts: isGatewayEndpoint,
			code: "VpcEndpointLimitExceeded", message: "The maximum number of VPC endpoints has been reached."},
		{name: "subnetsPerVPC", token: subnetToken, limit: 200, of: inVPC,
			code: "SubnetLimitExceeded", message: "The maximum number of subnets has been reached."},
		{name: "routeTablesPerVPC", token: routeTableToken, limit: 200, of: inVPC,
			code: "RouteTableLimitExceeded", message: "The maximum number of route tables has been reached."},
		{name: "roles", token: roleToken, limit: 1000,
			code: "LimitExceeded", message: "Cannot exceed quota for RolesPerAccount: 1000"},
		{name: "instanceProfiles", token: profileToken, limit: 1000,
			code: "LimitExceeded", message: "Cannot exceed quota for InstanceProfilesPerAccount: 1000"},
		{name: "oidcProviders", token: oidcToken, limit: 100,
			code: "LimitExceeded", message: "Cannot exceed quota for OpenIdConnectProvidersPerAccount: 100"},
		{name: "hostedZones", token: zoneToken, limit: 500,
			code: "TooManyHostedZones", message: "Limits Exceeded: MAX_HOSTED_ZONES_BY_OWNER - Cannot create more hosted zones."},
	}
}

// quotaNames are the names of the quotas, in alphabetical order.
func quotaNames() []string {
	var names []string
	for _, q := range quotas() {
		names = append(names, q.name)
	}
	slices.Sort(names)
	return names
}

// withinQuotas: a new resource is not one more than AWS allows. What a stack has not made does not count.
func withinQuotas(c *call) error {
	if c.was != nil || c.stage == nil || c.rec.Origin != byStack {
		return nil
	}
	for _, q := range c.types.quotas {
		if q.token != c.kind.token || q.counts != nil && !q.counts(c.in()) {
			continue
		}
		limit, set := c.stage.Quotas[q.name]
		if !set {
			limit = q.limit
		}
		if c.held(q) >= limit {
			return refuse(q.code, "%s", q.message)
		}
	}
	return nil
}

// held is how many the account holds that count with the one at hand.
func (c *call) held(q quota) int {
	held := 0
	for _, other := range c.all(q.token) {
		switch {
		case other.Origin != byStack:
		case q.counts != nil && !q.counts(other.State):
		case q.of != nil && q.of(c, other.State) != q.of(c, c.in()):
		default:
			held++
		}
	}
	return held
}

func inVPC(_ *call, p props) string { return p.text("vpcId") }

func zoneOfNAT(c *call, p props) string {
	if subnet := c.find(subnetToken, p.text("subnetId")); subnet != nil {
		return subnet.State.text("availabilityZone")
	}
	return ""
}

func isGatewayEndpoint(p props) bool {
	return cmp.Or(p.text("vpcEndpointType"), "Gateway") == "Gateway"
}
