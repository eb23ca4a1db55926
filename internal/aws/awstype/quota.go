package awstype

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// QuotaScope is what a quota applies to.
type QuotaScope string

// The scopes of quotas.
const (
	PerAccount QuotaScope = "account"
	PerRegion  QuotaScope = "region"
	PerZone    QuotaScope = "zone"
	PerVPC     QuotaScope = "VPC"
	// PerInstance is the scope of what one instance of the type has.
	PerInstance QuotaScope = "instance"
)

// Quota is a limit of AWS on how many instances of a type there can be. The limits themselves are AWS's: an account has
// its own.
type Quota struct {
	// Name identifies the quota in rehearsals: "natGatewaysPerZone".
	Name string
	// Label names the counted resources in messages: "NAT gateways".
	Label string
	// Service and Code identify the quota in Service Quotas: "vpc", "L-FE5A380F".
	Service, Code string
	// Token is the type of the counted resources.
	Token string
	// Per is the scope of the count.
	Per QuotaScope
	// Counts is true if an instance with the inputs, or with the properties in AWS, counts; nil: all do.
	Counts func(inputs map[string]any) bool
	// Has returns how many an instance has, of a quota per instance.
	Has func(inputs map[string]any) int
	// Owner is the type of the instance, of a quota per instance that counts the resources that are parts of it, such as a
	// role's policies.
	Owner string
	// Default is the limit that AWS never goes below, of a quota on parts: fewer are not compared.
	Default int
	// InNewVPC is how many a new VPC has from the beginning, of a quota per VPC: its main route table.
	InNewVPC int
	// VCPUs is true if the vCPUs of instances are counted, and not the instances.
	VCPUs bool
	// Reported are the IAM actions for reading the limit elsewhere than in Service Quotas. Default Service Quotas.
	Reported []string
	// Used is true if AWS reports the use with the limit: instances are then not counted.
	Used bool
}

// The names of the quotas on instances, which also apply to the nodes that stacks request.
const (
	StandardVCPUs = "standardVCPUs"
	SpotVCPUs     = "spotVCPUs"
)

// Quotas returns the limits that stacks count against, in the order in which reports show them.
//
// Sources: the pages "Amazon VPC quotas", "Amazon EC2 service quotas", "Quotas for your Network Load Balancers", "IAM
// and AWS STS quotas" and "Amazon Route 53 quotas", and the codes of `aws service-quotas
// list-aws-default-service-quotas`.
func Quotas() []Quota {
	text := func(inputs map[string]any, name, otherwise string) string {
		value, _ := inputs[name].(string)
		return cmp.Or(value, otherwise)
	}
	endpoint := func(gateway bool) func(map[string]any) bool {
		return func(inputs map[string]any) bool {
			return gateway == strings.EqualFold(text(inputs, "vpcEndpointType", "Gateway"), "Gateway")
		}
	}
	network := func(inputs map[string]any) bool { return text(inputs, "loadBalancerType", "application") == "network" }
	standard := func(spot bool) func(map[string]any) bool {
		return func(inputs map[string]any) bool {
			onSpot := inputs["instanceMarketOptions"] != nil || inputs["instanceLifecycle"] == "spot"
			return StandardInstance(text(inputs, "instanceType", "")) && spot == onSpot
		}
	}
	further := func(inputs map[string]any) int {
		list, _ := inputs["secondaryAllocationIds"].([]any)
		return len(list)
	}
	return []Quota{
		{Name: "vpcs", Label: "VPCs", Service: "vpc", Code: "L-F678F1CE", Token: VPC, Per: PerRegion},
		{
			Name:    "internetGateways",
			Label:   "internet gateways",
			Service: "vpc",
			Code:    "L-A4707A72",
			Token:   InternetGateway,
			Per:     PerRegion,
		},
		{Name: "elasticIPs", Label: "elastic IPs", Service: "ec2", Code: "L-0263D0A3", Token: ElasticIP, Per: PerRegion,
			Reported: []string{"ec2:DescribeAccountAttributes"}},
		{
			Name:    "natGatewaysPerZone",
			Label:   "NAT gateways",
			Service: "vpc",
			Code:    "L-FE5A380F",
			Token:   NATGateway,
			Per:     PerZone,
		},
		{
			Name:    "natGatewayAddresses",
			Label:   "elastic IPs per NAT gateway",
			Service: "vpc",
			Code:    "L-5F53652F",
			Token:   NATGateway,
			Per:     PerInstance,
			Counts:  func(inputs map[string]any) bool { return further(inputs) > 0 },
			Has:     func(inputs map[string]any) int { return 1 + further(inputs) },
		},
		{Name: "gatewayEndpoints", Label: "gateway endpoints", Service: "vpc", Code: "L-1B52E74A", Token: VPCEndpoint,
			Per:    PerRegion,
			Counts: endpoint(true)},
		{Name: "interfaceEndpointsPerVPC", Label: "interface endpoints", Service: "vpc", Code: "L-29B6F2EB",
			Token: VPCEndpoint, Per: PerVPC,
			Counts: endpoint(false)},
		{Name: "subnetsPerVPC", Label: "subnets", Service: "vpc", Code: "L-407747CB", Token: Subnet, Per: PerVPC},
		{
			Name:     "routeTablesPerVPC",
			Label:    "route tables",
			Service:  "vpc",
			Code:     "L-589F43AA",
			Token:    RouteTable,
			Per:      PerVPC,
			InNewVPC: 1,
		},
		{
			Name:    "securityGroups",
			Label:   "security groups",
			Service: "vpc",
			Code:    "L-E79EC296",
			Token:   SecurityGroup,
			Per:     PerRegion,
		},
		{Name: "networkLoadBalancers", Label: "network load balancers", Service: "elasticloadbalancing", Code: "L-69A177A2",
			Token: LoadBalancer,
			Per:   PerRegion, Counts: network},
		{Name: StandardVCPUs, Label: "vCPUs of on-demand instances", Service: "ec2", Code: "L-1216C47A", Token: Instance,
			Per:   PerRegion,
			VCPUs: true, Counts: standard(false)},
		{Name: SpotVCPUs, Label: "vCPUs of spot instances", Service: "ec2", Code: "L-34B43A08", Token: Instance,
			Per:   PerRegion,
			VCPUs: true, Counts: standard(true)},
		{Name: "hostedZones", Label: "hosted zones", Service: "route53", Code: "L-4EA4796A", Token: HostedZone,
			Per:      PerAccount,
			Reported: []string{"route53:GetAccountLimit"}, Used: true},
		{Name: "roles", Label: "IAM roles", Service: "iam", Code: "L-FE177D64", Token: Role, Per: PerAccount,
			Reported: []string{"iam:GetAccountSummary"}, Used: true},
		{Name: "instanceProfiles", Label: "instance profiles", Service: "iam", Code: "L-6E65F664", Token: InstanceProfile,
			Per:      PerAccount,
			Reported: []string{"iam:GetAccountSummary"}, Used: true},
		{
			Name:    "managedPoliciesPerRole",
			Label:   "managed policies of a role",
			Service: "iam",
			Code:    "L-0DA4ABF3",
			Token:   RolePolicyAttachment,
			Per:     PerInstance,
			Owner:   Role, Default: 10,
		},
		{
			Name:    "oidcProviders",
			Label:   "OIDC providers",
			Service: "iam",
			Code:    "L-858F3967",
			Token:   OIDCProvider,
			Per:     PerAccount,
		},
	}
}

// PartOf returns the input by which a counted resource names the instance of type Owner that it is a part of.
func (q Quota) PartOf() string {
	info, _ := Lookup(q.Token)
	return info.Find.PartOf[0]
}

// Actions returns the IAM actions for reading the limit and the use.
func (q Quota) Actions() []string {
	actions := q.Reported
	if actions == nil {
		actions = []string{"servicequotas:GetServiceQuota", "servicequotas:GetAWSDefaultServiceQuota"}
	}
	if q.Used || q.Per == PerInstance {
		return actions
	}
	actions = slices.Concat(actions, ReadsOf(q.Token).List)
	if q.Per == PerZone {
		actions = append(actions, ReadsOf(Subnet).List...)
	}
	if q.VCPUs {
		actions = append(actions, "ec2:DescribeInstanceTypes")
	}
	return actions
}

// StandardInstance reports whether an instance type is of the families A, C, D, H, I, M, R, T or Z, which share their
// quotas on vCPUs.
func StandardInstance(instanceType string) bool {
	family, _, _ := strings.Cut(instanceType, ".")
	letters := strings.TrimRight(family[:strings.IndexAny(family+"0", "0123456789")], "-")
	return slices.Contains([]string{"a", "c", "d", "h", "i", "im", "is", "m", "r", "t", "z"}, letters)
}

// QuotaOf returns the quota of a name. It reports false for a name without one.
func QuotaOf(name string) (Quota, bool) {
	quotas := Quotas()
	i := slices.IndexFunc(quotas, func(q Quota) bool { return q.Name == name })
	if i < 0 {
		return Quota{}, false
	}
	return quotas[i], true
}

// String returns what is counted, and per what: "NAT gateways per zone".
func (q Quota) String() string {
	if q.Per == PerInstance {
		return q.Label
	}
	return fmt.Sprintf("%s per %s", q.Label, q.Per)
}

// Region returns where the quota is raised, for resources of a region: IAM and Route 53 have theirs in one region of
// the partition, in China in two. Source: the tables of endpoints of both services in the AWS General Reference.
func (q Quota) Region(partition, region string) string {
	if q.Service != "iam" && q.Service != "route53" {
		return region
	}
	switch partition {
	case "aws-us-gov":
		return "us-gov-west-1"
	case "aws-eusc":
		return "eusc-de-east-1"
	case "aws-cn":
		if q.Service == "route53" {
			return "cn-northwest-1"
		}
		return "cn-north-1"
	}
	return "us-east-1"
}
