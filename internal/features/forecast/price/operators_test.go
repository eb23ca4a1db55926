package price

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

// object returns a Kubernetes object of a stack.
func object(kind, name string, inputs map[string]any) apitype.ResourceV3 {
	token := "kubernetes:example.com/v1:" + kind
	return apitype.ResourceV3{
		URN:    resource.URN("urn:pulumi:a::b::" + token + "::" + name),
		Type:   tokens.Type(token),
		Custom: true,
		Inputs: inputs,
	}
}

// provider returns an AWS provider of a region.
func provider(region string) apitype.ResourceV3 {
	return apitype.ResourceV3{
		URN:    "urn:pulumi:a::b::pulumi:providers:aws::default",
		Type:   "pulumi:providers:aws",
		Custom: true,
		Inputs: map[string]any{"region": region},
	}
}

// ownTable has prices of instances beside those of the program.
func ownTable(t *testing.T) Table {
	t.Helper()
	own, err := parse([]byte(`{"prices":[
		{"key":"network-load-balancer-hour","region":"eu-west-3","usd":0.02646,"unit":"hour","source":"AWS price list","date":"2026-09-27"},
		{"key":"instance-hour/t3.large","region":"eu-west-3","usd":0.0944,"unit":"hour","source":"AWS price list","date":"2026-09-27"},
		{"key":"instance-hour/m5.large","region":"eu-central-1","usd":0.115,"unit":"hour","source":"AWS price list","date":"2026-09-27"}]}`), "own")
	require.NoError(t, err)
	return builtinTable(t).With(own)
}

func pool(inputs map[string]any) []apitype.ResourceV3 {
	inputs["platform"] = map[string]any{
		"aws": map[string]any{"instanceType": "m5.large", "placement": inputs["placement"]},
	}
	return []apitype.ResourceV3{provider("eu-central-1"), object("NodePool", "hosted-cluster-demo",
		map[string]any{"spec": inputs})}
}

func TestTheSumHasTheNodesAndTheirChange(t *testing.T) {
	t.Parallel()
	table := ownTable(t)
	d := Compare(table.Estimate(pool(map[string]any{"replicas": 3.0})),
		table.Estimate(pool(map[string]any{"replicas": 5.0})))
	assert.Equal(t, "fixed cost: 419.75 USD/month (now 251.85; +167.90), HyperShift's nodes are 419.75 of it", Line(d))
	assert.Contains(t, ChangeText(d), "5 x m5.large instance (HyperShift's nodes) at 0.115 USD per hour (eu-central-1, 2026-09-27, AWS price list)")
	assert.Contains(t, Markdown(d), "**Fixed cost: 419.75 USD/month** (now 251.85; +167.90), HyperShift's nodes are 419.75 of it\n")
	assert.InDelta(t, -419.75, Compare(d.After, forecast.Cost{}).Monthly, 0.001, "a deleted stack has no nodes")
}

func TestAutoScaledNodesCountAtMost(t *testing.T) {
	t.Parallel()
	e := ownTable(t).Estimate(pool(map[string]any{
		"autoScaling": map[string]any{"min": 1.0, "max": 4.0},
		"placement":   map[string]any{"marketType": "Spot"},
	}))
	require.Len(t, e.Fixed, 1)
	assert.InDelta(t, 4, e.Fixed[0].Quantity, 0)
	assert.Equal(t, "nodes on spot, at most", e.Fixed[0].What)
}

func TestNodesWithoutAPriceAreNamedWithTheirChange(t *testing.T) {
	t.Parallel()
	table := builtinTable(t)
	d := Compare(table.Estimate(pool(map[string]any{"replicas": 3.0})),
		table.Estimate(pool(map[string]any{"replicas": 5.0})))
	const without = "; 5 x m5.large instance (HyperShift's nodes) at an unknown price"
	const how = "`hypershift-aws prices update --region eu-central-1 --instance-type m5.large` reads AWS's prices into a file for --prices"
	assert.Equal(t, "fixed cost: unknown (now unknown; +2 x m5.large instance at an unknown price)"+without+"\n  "+how,
		Line(d))
	assert.Equal(t, "**Fixed cost: unknown** (now unknown; +2 x m5.large instance at an unknown price)"+without+"; "+how, Headline(d))

	vpc := forecast.Charge{Key: NATGatewayHour, Region: "eu-central-1", Quantity: 1, Monthly: 37}
	known := forecast.Cost{Monthly: 37, Fixed: []forecast.Charge{vpc}}
	fleet := Add(d, Compare(forecast.Cost{}, known))
	assert.Contains(t, Line(fleet), "fixed cost: at least 37.00 USD/month (now unknown; +37.00, +2 x m5.large instance at an unknown price)"+without)
	assert.Equal(t, "fixed cost: 0.00 USD/month (now unknown; -5 x m5.large instance at an unknown price)", Line(Compare(d.After, forecast.Cost{})))
	assert.Equal(t, "**Fixed cost: unknown** (now 0.00; +5 x m5.large instance at an unknown price)"+without+"; "+how,
		Headline(Compare(forecast.Cost{}, d.After)))
}

func TestOneCommandReadsTheUnknownPricesOfARegion(t *testing.T) {
	t.Parallel()
	charge := func(key forecast.PriceKey, region string) forecast.Charge {
		return forecast.Charge{Key: key, Region: region, Quantity: 1}
	}
	assert.Equal(t, "`hypershift-aws prices update --region us-east-1 --instance-type m6i.large --instance-type m6i.xlarge` "+
		"reads AWS's prices into a file for --prices; write it to a file for --prices",
		remedies([]forecast.Charge{
			charge(InstanceHour("m6i.large"), "us-east-1"), charge(InstanceHour("m6i.xlarge"), "us-east-1"),
			charge(InstanceHour("m6i.large"), "us-east-1"), charge(NATGatewayHour, "us-east-1"),
			charge(NATGatewayHour, "cn-north-1"),
		}))
}

func TestTheMachinesAndLoadBalancersOfCAPAArePartOfTheSum(t *testing.T) {
	t.Parallel()
	template := func(instanceType string, public bool) map[string]any {
		return map[string]any{
			"spec": map[string]any{
				"template": map[string]any{"spec": map[string]any{"instanceType": instanceType, "publicIP": public}},
			},
		}
	}
	cluster := func(public bool, subnets ...any) []apitype.ResourceV3 {
		return []apitype.ResourceV3{
			provider("eu-west-3"),
			object("AWSMachineTemplate", "cluster-control-plane-template", template("t3.large", public)),
			object("AWSMachineTemplate", "cluster-md-template", template("t3.large", public)),
			object("AWSMachineTemplate", "cluster-md-big-template", template("m9.huge", public)),
			object("AWSCluster", "cluster-aws-cluster", map[string]any{"spec": map[string]any{
				"controlPlaneLoadBalancer": map[string]any{"scheme": "internet-facing"},
				"network":                  map[string]any{"subnets": subnets},
			}}),
			object("KubeadmControlPlane", "cluster-control-plane", map[string]any{"spec": map[string]any{"replicas": 3.0}}),
			object("MachineDeployment", "cluster-md-eu-west-3a", map[string]any{"spec": map[string]any{"replicas": 2.0}}),
			object("MachineDeployment", "cluster-md-big-eu-west-3a", map[string]any{
				"metadata": map[string]any{"annotations": map[string]any{autoScalerMax: "7"}}, "spec": map[string]any{},
			}),
		}
	}
	subnet := map[string]any{"id": "subnet-1"}
	quantities := func(e forecast.Cost) map[forecast.PriceKey]float64 {
		sum := map[forecast.PriceKey]float64{}
		for _, lines := range [][]forecast.Charge{e.Fixed, e.Unknown} {
			for _, line := range lines {
				require.Equal(t, clusterAPI, line.Creator)
				sum[line.Key] += line.Quantity
			}
		}
		return sum
	}
	assert.Equal(t, map[forecast.PriceKey]float64{
		NetworkLoadBalancerHour:  1,
		PublicIPv4Hour:           2,
		InstanceHour("t3.large"): 5,
		InstanceHour("m9.huge"):  7,
	},
		quantities(ownTable(t).Estimate(cluster(false, subnet, subnet, subnet, subnet))),
		"two zones with a public and a private subnet")
	assert.Equal(t, map[forecast.PriceKey]float64{
		NetworkLoadBalancerHour:  1,
		PublicIPv4Hour:           2 + 12,
		InstanceHour("t3.large"): 5,
		InstanceHour("m9.huge"):  7,
	},
		quantities(ownTable(t).Estimate(cluster(true, subnet, subnet))),
		"two zones, and machines with addresses of their own")
}

func TestPausedNodesAreInNoSumAndCostAgainWhenTheyAreResumed(t *testing.T) {
	t.Parallel()
	paused := pool(map[string]any{"replicas": 0.0})
	paused[1].Inputs["metadata"] = map[string]any{"annotations": map[string]any{
		"hypershift-aws/paused-since": "2026-11-28T20:00:00Z", "hypershift-aws/paused-nodes": "3",
	}}
	before := pool(map[string]any{"replicas": 3.0})
	assert.Equal(t, "fixed cost: 0.00 USD/month (now 251.85; -251.85), 251.85 more when the paused nodes are resumed",
		Line(Compare(ownTable(t).Estimate(before), ownTable(t).Estimate(paused))))
	assert.Equal(t, "fixed cost: 0.00 USD/month, 3 x m5.large instance at an unknown price more when the paused nodes are resumed",
		Line(Compare(forecast.Cost{}, builtinTable(t).Estimate(paused))))
	assert.Len(t, ownTable(t).Estimate(paused).Paused, 1)
}
