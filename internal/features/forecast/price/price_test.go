package price

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// state reads one of the recorded states of the examples.
func state(t *testing.T, name string) []apitype.ResourceV3 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "picture", "testdata", "states", name+".json"))
	require.NoError(t, err)
	var resources []apitype.ResourceV3
	require.NoError(t, json.Unmarshal(text, &resources))
	return resources
}

func builtinTable(t *testing.T) Table {
	t.Helper()
	table, err := Builtin()
	require.NoError(t, err)
	return table
}

// in returns the resources of a state in another region.
func in(region string, resources []apitype.ResourceV3) []apitype.ResourceV3 {
	for _, r := range resources {
		if r.Type == "pulumi:providers:aws" {
			r.Inputs["region"] = region
		}
	}
	return resources
}

func TestThreeNATGatewaysCost109And50(t *testing.T) {
	t.Parallel()
	e := builtinTable(t).Estimate(state(t, "public-and-private"))
	sum := map[forecast.PriceKey]float64{}
	for _, g := range Groups(e.Fixed) {
		sum[g.Key] = g.Monthly
	}
	assert.InDelta(t, 109.50, sum[NATGatewayHour]+sum[PublicIPv4Hour], 0.001)
	assert.InDelta(t, 21.90, sum[InterfaceEndpointHour], 0.001, "an endpoint in three zones is charged three times")
	assert.InDelta(t, 1, sum[HostedZoneMonth], 0.001)
	assert.InDelta(t, 132.40, e.Monthly, 0.001)
	assert.Empty(t, e.Unknown)
	for _, line := range e.ByUse {
		assert.Zero(t, line.Monthly, "a rate by use is not summed")
	}
}

func TestAnInstanceWithoutAPriceIsUnknown(t *testing.T) {
	t.Parallel()
	e := builtinTable(t).Estimate(state(t, "capa-private"))
	assert.InDelta(t, 36.50, e.Monthly, 0.001)
	require.Len(t, e.Unknown, 1)
	assert.Equal(t, InstanceHour("t3.micro"), e.Unknown[0].Key, "the bastion's; the table has no prices of instances")
}

func TestFromPerZoneToSingleSavesTwoGateways(t *testing.T) {
	t.Parallel()
	before := state(t, "public-and-private")
	var after []apitype.ResourceV3
	for _, r := range before {
		if name := r.URN.Name(); name != "network-nat-us-east-1b" && name != "network-nat-us-east-1c" &&
			name != "network-eip-us-east-1b" && name != "network-eip-us-east-1c" {
			after = append(after, r)
		}
	}
	table := builtinTable(t)
	d := Compare(table.Estimate(before), table.Estimate(after))
	assert.InDelta(t, -73, d.Monthly, 0.001)
	assert.Contains(t, ChangeText(d), "fixed cost: 59.40 USD/month (now 132.40; -73.00)")
	assert.Contains(t, Markdown(d), "| NAT gateway | 1 | 0.045 per hour, us-east-1 | 32.85 |")
}

func TestAnUnknownPriceIsReportedWithARemedyAndNotZero(t *testing.T) {
	t.Parallel()
	for region, remedy := range map[string]string{
		"cn-north-1": "write it to a file for --prices", "eusc-de-east-1": "write it to a file for --prices",
		"us-future-1": "`hypershift-aws prices update --region us-future-1` reads AWS's prices into a file for --prices",
	} {
		e := builtinTable(t).Estimate(in(region, state(t, "public-and-private")))
		var keys []forecast.PriceKey
		for _, g := range Groups(e.Unknown) {
			keys = append(keys, g.Key)
		}
		assert.Contains(t, keys, NATGatewayHour)
		assert.Contains(t, ChangeText(Compare(forecast.Cost{}, e)),
			"unknown  3 x NAT gateway ("+region+"): the table has no price; "+remedy)
	}
	for _, region := range []string{"cn-north-1", "eusc-de-east-1", "us-iso-east-1"} {
		assert.Empty(t, builtinTable(t).Estimate(in(region, state(t, "public-and-private"))).Fixed,
			"a price of all regions is that of the partition aws")
	}
}

// TestEachChargeIsShownWithItsPriceOrAsUnknown estimates an instance of each type, in a region whose prices the program
// has and in one without: each charge is in the text, the JSON and the Markdown, with a price, its unit and source, or
// as unknown.
func TestEachChargeIsShownWithItsPriceOrAsUnknown(t *testing.T) {
	t.Parallel()
	inputs := map[string]any{"vpcEndpointType": "Interface", "instanceType": "t3.micro"}
	for _, region := range []string{"us-east-1", "eu-south-2", "us-gov-west-1", "cn-north-1"} {
		var resources []apitype.ResourceV3
		charged := 0
		for _, record := range awstype.All() {
			r := apitype.ResourceV3{
				URN: resource.URN("urn:pulumi:a::b::" + record.Token + "::r"), Type: tokens.Type(record.Token), Custom: true,
				Inputs:  inputs,
				Outputs: map[string]any{"arn": "arn:aws:x:" + region + ":111111111111:r"},
			}
			list, known := chargesOf(r, nil)
			require.True(t, known, record.Token)
			resources, charged = append(resources, r), charged+len(list)
		}
		e := builtinTable(t).Estimate(resources)
		require.Equal(t, charged, len(e.Fixed)+len(e.ByUse)+len(e.Unknown))
		text, markdown := ChangeText(Compare(forecast.Cost{}, e)), Markdown(Compare(forecast.Cost{}, e))
		written, err := json.Marshal(e)
		require.NoError(t, err)
		for _, g := range slices.Concat(Groups(e.Fixed), Groups(e.ByUse), Groups(e.Unknown)) {
			assert.Contains(t, text, Label(g.Key))
			assert.Contains(t, markdown, Label(g.Key))
			assert.Contains(t, string(written), `"key":"`+string(g.Key)+`"`)
			if g.Price == nil {
				assert.Zero(t, g.Monthly)
				assert.Regexp(t, `(unknown .*|by use .*)`+regexp.QuoteMeta(Label(g.Key))+` \(`+region+`\): (the table has no price|price unknown)`, text)
				assert.Regexp(t, regexp.QuoteMeta(Label(g.Key))+`.*unknown`, markdown)
				continue
			}
			for _, shown := range []string{text, markdown} {
				assert.Contains(t, shown, number(g.Price.USD))
				assert.Contains(t, shown, " per "+g.Price.Unit)
				assert.Contains(t, shown, g.Price.Source)
			}
		}
	}
}

func TestEveryTypeIsFreeOrHasAPrice(t *testing.T) {
	t.Parallel()
	for _, record := range awstype.All() {
		if record.Price != awstype.Free && charges[record.Price] == nil {
			t.Errorf("%s has the price key %s, which nothing is charged by", record.Token, record.Price)
		}
	}
	for _, name := range []string{"public", "public-and-private", "private", "management", "complete", "shared-vpc",
		"privatelink", "capa-private", "capa-public"} {
		for _, r := range state(t, name) {
			if _, known := chargesOf(r, nil); r.Custom && !known {
				t.Errorf("%s of example %s has neither a price nor is it free", r.Type, name)
			}
		}
	}
}

func TestAResourceOfAnUnknownTypeIsUnknown(t *testing.T) {
	t.Parallel()
	r := apitype.ResourceV3{
		URN:    "urn:pulumi:a::b::aws:rds/cluster:Cluster::db",
		Type:   "aws:rds/cluster:Cluster",
		Custom: true,
	}
	e := builtinTable(t).Estimate([]apitype.ResourceV3{r})
	assert.Contains(t, ChangeText(Compare(forecast.Cost{}, e)), "unknown  1 x resource of a type without a price")
}

func TestEveryPriceHasItsSourceAndDate(t *testing.T) {
	t.Parallel()
	for _, p := range builtinTable(t).Prices() {
		assert.NoError(t, validate(p))
		assert.NotEqual(t, string(p.Key), Label(p.Key), "key %s has a name for people", p.Key)
	}
}

func TestEveryPriceIsOfAWSsOfferFilesOrPages(t *testing.T) {
	t.Parallel()
	for _, p := range builtinTable(t).Prices() {
		assert.Regexp(t, `^AWS price list of |https://aws\.amazon\.com/`, p.Source, "%s in %s", p.Key, p.Region)
		assert.NotContains(t, p.Source, "github.com")
	}
}

func TestPricesFromAFileTakePrecedence(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prices.json")
	own, err := parse([]byte(`{"prices":[{"key":"nat-gateway-hour","region":"us-east-1","usd":0.04,"unit":"hour","source":"our contract","date":"2026-01-31"}]}`), "own")
	require.NoError(t, err)
	require.NoError(t, own.WriteFile(path))
	loaded, err := Load(path)
	require.NoError(t, err)
	p, ok := builtinTable(t).With(loaded).Find(NATGatewayHour, "us-east-1")
	require.True(t, ok)
	assert.InDelta(t, 0.04, p.USD, 0)
	_, ok = builtinTable(t).With(loaded).Find(NATGatewayGB, "us-east-1")
	assert.True(t, ok, "what the file lacks is the table's")
}

func TestABadTableIsRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	_, err := parse([]byte(`{"prices":[
		{"key":"nat-gateway-hour","region":"us-east-1","usd":-1,"unit":"hour","source":"x","date":"2026-01-31"},
		{"key":"nat-gateway-hour","region":"us-east-1","usd":1,"unit":"hour","source":"x","date":"yesterday"},
		{"key":"nat-gateway-hour","usd":1,"unit":"hour","source":"x","date":"2026-01-31"}]}`), "own.json")
	for _, part := range []string{"prices[0]: usd is -1", `prices[1]: date "yesterday"`, "prices[2]: key, region, unit, and source are required"} {
		assert.ErrorContains(t, err, part)
	}
	_, err = parse([]byte(`{"prices":[{"key":"nat-gateway-hours","region":"us-east-1","usd":1,"unit":"hour",
		"source":"x","date":"2026-01-31"}]}`), "own.json")
	assert.ErrorContains(t, err, `own.json: prices[0]: key "nat-gateway-hours" is none that estimates use`)
	_, err = parse([]byte(`{"price":[]}`), "own.json")
	assert.ErrorContains(t, err, "own.json is not a price table")
}

func TestAResourceThatIsOnlyReadCostsNothingHere(t *testing.T) {
	t.Parallel()
	r := apitype.ResourceV3{
		URN:      "urn:pulumi:a::b::aws:ec2/natGateway:NatGateway::nat",
		Type:     "aws:ec2/natGateway:NatGateway",
		Custom:   true,
		ID:       resource.ID("nat-1"),
		External: true,
	}
	e := builtinTable(t).Estimate([]apitype.ResourceV3{r})
	assert.Empty(t, e.Fixed)
	assert.Empty(t, e.Unknown)
}
