package forecasting

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/price"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// pricesForTest returns the program's prices with some of a user's file.
func pricesForTest(t *testing.T) price.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"prices":[
		{"key":"network-load-balancer-hour","region":"eu-west-3","usd":0.02646,"unit":"hour","source":"AWS price list","date":"2026-09-27"},
		{"key":"instance-hour/t3.large","region":"eu-west-3","usd":0.0944,"unit":"hour","source":"AWS price list","date":"2026-09-27"},
		{"key":"instance-hour/m5.large","region":"us-east-1","usd":0.096,"unit":"hour","source":"AWS price list","date":"2026-09-27"}]}`), 0o600))
	prices, err := price.Effective(path)
	require.NoError(t, err)
	return prices
}

func TestWhatCAPAWillCreateIsListedWithItsPriceOrAsUnknown(t *testing.T) {
	t.Parallel()
	prices := pricesForTest(t)
	section := &config.CAPA{Args: capa.Args{
		Name: "demo", Network: capa.NetworkArgs{Options: network.Options{Zones: []network.Zone{{Name: "eu-west-3a"}, {Name: "eu-west-3b"}}}},
		Workers: []capa.WorkersArgs{{Name: "md"}, {Name: "big", InstanceType: "m9.huge"}},
	}}
	file := &config.File{Region: "eu-west-3", Config: config.Config{Kind: config.KindCAPA, Section: section}}
	list := othersCharges(prices, file, nil)
	require.Len(t, list, 5)
	assert.Regexp(t, `^1 x network load balancer, CAPA's demo-apiserver: 19.32 USD/month at 0.02646 USD per hour \(eu-west-3, 2026-\d\d-\d\d, AWS price list`, chargeText(list[0]))
	assert.Regexp(t, `^2 x public IPv4 address, CAPA's demo-apiserver: 7.30 USD/month`, chargeText(list[1]))
	assert.Regexp(t, `^3 x t3.large instance, CAPA's control plane: 206.74 USD/month at 0.0944 USD per hour \(eu-west-3, 2026-09-27, AWS price list`, chargeText(list[2]))
	assert.Equal(t, "2 x m9.huge instance, CAPA's big: price unknown in eu-west-3", chargeText(list[4]))
	written, err := json.Marshal(list[4:])
	require.NoError(t, err)
	assert.Contains(t, string(written), `[{"what":"CAPA's big","key":"instance-hour/m9.huge","region":"eu-west-3","quantity":2,"monthlyUSD":0}]`)
	assert.Empty(t, othersCharges(prices, &config.File{}, nil))

	section.Topology, section.Workers = capa.Public, nil
	list = othersCharges(prices, file, nil)
	require.Len(t, list, 6)
	assert.Regexp(t, `^3 x public IPv4 address, CAPA's control plane: 10.95 USD/month`, chargeText(list[3]))
}

func TestWhatNodePoolsWillCreateIsListedWithItsPrice(t *testing.T) {
	t.Parallel()
	prices := pricesForTest(t)
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    baseDomain: example.com
    network: {zones: [us-east-1a]}
    oidc: {bucketName: demo-oidc}
    hostedCluster: {release: "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64", pullSecret: {env: PULL_SECRET}}
`))
	require.NoError(t, err)
	subnet := apitype.ResourceV3{Type: tokens.Type(awstype.Subnet), Inputs: map[string]any{"availabilityZone": "us-east-1a"}}
	list := othersCharges(prices, file, []apitype.ResourceV3{subnet, subnet})
	require.Len(t, list, 1)
	assert.Regexp(t, `^2 x m5.large instance, HyperShift's node pool demo-us-east-1a: 140.16 USD/month at 0.096 USD per hour`, chargeText(list[0]))
}
