package offline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// TestOneMoreThanAQuotaIsRefusedUntilItIsRaised fills each quota, lowered to one.
func TestOneMoreThanAQuotaIsRefusedUntilItIsRaised(t *testing.T) {
	t.Parallel()
	table := []struct {
		quota, code string
		// inputs are of the nth resource in a VPC that there is one of.
		inputs func(e *engine, vpc string, n int) props.Map
	}{
		{"vpcs", "VpcLimitExceeded", func(*engine, string, int) props.Map { return props.Map{"cidrBlock": "10.1.0.0/16"} }},
		{"internetGateways", "InternetGatewayLimitExceeded", func(*engine, string, int) props.Map { return props.Map{} }},
		{"elasticIPs", "AddressLimitExceeded", func(*engine, string, int) props.Map { return props.Map{"domain": "vpc"} }},
		{"subnetsPerVPC", "SubnetLimitExceeded", func(_ *engine, vpc string, n int) props.Map {
			return props.Map{"vpcId": vpc, "cidrBlock": fmt.Sprintf("10.0.%d.0/24", n)}
		}},
		{"routeTablesPerVPC", "RouteTableLimitExceeded", func(_ *engine, vpc string, _ int) props.Map {
			return props.Map{"vpcId": vpc}
		}},
		{"gatewayEndpoints", "VpcEndpointLimitExceeded", func(_ *engine, vpc string, n int) props.Map {
			return props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1." + []string{"s3", "dynamodb", "s3"}[n]}
		}},
		{"natGatewaysPerZone", "NatGatewayLimitExceeded", func(e *engine, vpc string, n int) props.Map {
			if n == 0 {
				e.id(awstype.InternetGateway, props.Map{"vpcId": vpc})
			}
			subnet := e.id(awstype.Subnet, props.Map{
				"vpcId":            vpc,
				"cidrBlock":        fmt.Sprintf("10.0.%d.0/24", n),
				"availabilityZone": "us-east-1a",
			})
			return props.Map{"subnetId": subnet, "allocationId": e.id(awstype.ElasticIP, props.Map{"domain": "vpc"})}
		}},
		{"natGatewayAddresses", "AddressLimitExceeded", func(e *engine, vpc string, n int) props.Map {
			subnet := e.id(awstype.Subnet, props.Map{"vpcId": vpc, "cidrBlock": fmt.Sprintf("10.0.%d.0/24", n)})
			if n == 0 {
				e.id(awstype.InternetGateway, props.Map{"vpcId": vpc})
				return props.Map{"subnetId": subnet, "connectivityType": "private"}
			}
			var further []any
			for range n {
				further = append(further, e.id(awstype.ElasticIP, props.Map{"domain": "vpc"}))
			}
			return props.Map{"subnetId": subnet, "allocationId": e.id(awstype.ElasticIP, props.Map{"domain": "vpc"}),
				"secondaryAllocationIds": further}
		}},
		{"interfaceEndpointsPerVPC", "VpcEndpointLimitExceeded", func(_ *engine, vpc string, n int) props.Map {
			return props.Map{
				"vpcId":           vpc,
				"vpcEndpointType": "Interface",
				"serviceName":     "com.amazonaws.us-east-1." + []string{"sts", "ec2", "kms"}[n],
			}
		}},
		{"securityGroups", "SecurityGroupLimitExceeded", func(_ *engine, vpc string, n int) props.Map {
			return props.Map{"vpcId": vpc, "name": fmt.Sprintf("group-%d", n)}
		}},
		{"networkLoadBalancers", "TooManyLoadBalancers", func(e *engine, vpc string, n int) props.Map {
			subnet := e.subnet(vpc, fmt.Sprintf("10.0.%d.0/24", n), "us-east-1a")
			return props.Map{
				"name":             fmt.Sprintf("router-%d", n),
				"loadBalancerType": "network",
				"internal":         true,
				"subnets":          props.List(subnet),
			}
		}},
		{"standardVCPUs", "VcpuLimitExceeded", func(e *engine, vpc string, n int) props.Map { return e.instance(vpc, n) }},
		{"spotVCPUs", "MaxSpotInstanceCountExceeded", func(e *engine, vpc string, n int) props.Map {
			in := e.instance(vpc, n)
			in["instanceMarketOptions"] = map[string]any{"marketType": "spot"}
			return in
		}},
		{"roles", "LimitExceeded", func(_ *engine, _ string, n int) props.Map {
			return props.Map{"name": fmt.Sprintf("role-%d", n), "assumeRolePolicy": trustText}
		}},
		{"instanceProfiles", "LimitExceeded", func(_ *engine, _ string, n int) props.Map {
			return props.Map{"name": fmt.Sprintf("profile-%d", n)}
		}},
		{"managedPoliciesPerRole", "LimitExceeded", func(e *engine, _ string, n int) props.Map {
			if n == 0 {
				e.id(awstype.Role, props.Map{"name": "role", "assumeRolePolicy": trustText})
			}
			policy := []string{"ReadOnlyAccess", "AmazonEC2ReadOnlyAccess", "AmazonS3ReadOnlyAccess"}[n]
			return props.Map{"role": "role", "policyArn": "arn:aws:iam::aws:policy/" + policy}
		}},
		{"oidcProviders", "LimitExceeded", func(_ *engine, _ string, n int) props.Map {
			return props.Map{"url": fmt.Sprintf("https://issuer-%d.example.com", n), "clientIdLists": props.List("openshift")}
		}},
		{"hostedZones", "TooManyHostedZones", func(_ *engine, _ string, n int) props.Map {
			return props.Map{"name": fmt.Sprintf("zone-%d.example.com", n)}
		}},
	}
	require.Len(t, table, len(quotas()))
	var names []string
	for _, q := range awstype.Quotas() {
		names = append(names, q.Name)
	}
	require.ElementsMatch(t, names, quotaNames(), "those that preflight compares")
	tokens := map[string]string{}
	for _, q := range quotas() {
		tokens[q.Name] = q.Token
	}
	for _, row := range table {
		t.Run(row.quota, func(t *testing.T) {
			t.Parallel()
			token := tokens[row.quota]
			e := rehearse(t, "{quotas: {"+row.quota+": 2}}")
			vpc := e.vpc()
			first := 0
			switch row.quota {
			case "vpcs", "routeTablesPerVPC": // there is one: the VPC itself, its main table
				first = 1
			case "standardVCPUs", "spotVCPUs": // one instance has two
				first = 1
			}
			for n := first; n < 2; n++ {
				e.id(token, row.inputs(e, vpc, n))
			}
			_, _, err := e.try(token, row.inputs(e, vpc, 2), false)
			refused(t, err, row.code)
		})
	}
}

// instance returns an instance with two vCPUs.
func (e *engine) instance(vpc string, n int) props.Map {
	return props.Map{
		"ami":          e.image(),
		"instanceType": "t3.micro",
		"subnetId":     e.subnet(vpc, fmt.Sprintf("10.0.%d.0/24", n), "us-east-1a"),
	}
}

func TestVCPUsGoByTheSizeOfTheInstance(t *testing.T) {
	t.Parallel()
	e := rehearse(t, "{quotas: {standardVCPUs: 9}}")
	vpc := e.vpc()
	large := e.instance(vpc, 0)
	large["instanceType"] = "m5.2xlarge"
	e.id(awstype.Instance, large)
	_, _, err := e.try(awstype.Instance, e.instance(vpc, 1), false)
	refused(t, err, "VcpuLimitExceeded")
	small := e.instance(vpc, 2)
	small["instanceType"] = "t2.micro"
	e.id(awstype.Instance, small)
}

func TestQuotasAreAWSsOwnUnlessTheyAreSet(t *testing.T) {
	t.Parallel()
	e := start(t)
	for range 5 {
		e.vpc()
	}
	_, _, err := e.try(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16"}, false)
	refused(t, err, "VpcLimitExceeded")
}
