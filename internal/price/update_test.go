package price

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// product is a product of an offer file with its price.
type product struct {
	sku, usage, attributes, tiers string
}

// offerFile writes products as AWS does.
func offerFile(products ...product) string {
	var of, terms []string
	for _, p := range products {
		of = append(of, fmt.Sprintf(`%q:{"sku":%q,"attributes":{"usagetype":%q%s}}`, p.sku, p.sku, p.usage, p.attributes))
		terms = append(terms, fmt.Sprintf(`%q:{"%s.JRTCKXETXF":{"priceDimensions":{%s}}}`, p.sku, p.sku, p.tiers))
	}
	return `{"formatVersion":"v1.0","publicationDate":"2026-10-02T21:35:46Z","products":{` + strings.Join(of, ",") +
		`},"terms":{"OnDemand":{` + strings.Join(terms, ",") + `},"Reserved":{"a":{"b":[1,2,3]}}}}`
}

func tier(begin, usd string) string {
	return fmt.Sprintf(`"d%s":{"beginRange":%q,"pricePerUnit":{"USD":%q}}`, begin, begin, usd)
}

func offers(t *testing.T, files map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func allOffers() map[string]string {
	nat := `,"operation":"NatGateway"`
	return map[string]string{
		"/offers/v1.0/aws/AmazonEC2/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-NatGateway-Hours", nat, tier("0", "0.0480000000")},
			product{"B", "EU-RegionalNatGateway-Hours", `,"operation":"RegionalNatGateway"`, tier("0", "0.99")},
			product{"C", "EU-NatGateway-Bytes", nat, tier("0", "0.0480000000")},
			product{"D", "EU-NatGateway-Prvd-Gbps", nat, tier("0", "1.164")},
			product{"E", "EU-EBS:VolumeUsage.gp3", "", tier("0", "0.088")},
			product{"F", "EU-BoxUsage:t3.micro", `,"operatingSystem":"Linux","tenancy":"Shared","preInstalledSw":"NA","capacitystatus":"Used","operation":"RunInstances"`, tier("0", "0.0114")},
			product{"G", "EU-BoxUsage:t3.micro", `,"operatingSystem":"Windows","tenancy":"Shared","preInstalledSw":"NA","capacitystatus":"Used","operation":"RunInstances:0002"`, tier("0", "0.02")}),
		"/offers/v1.0/aws/AmazonVPC/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-VpcEndpoint-Hours", "", tier("0", "0.011")},
			product{"B", "EU-VpcEndpoint-Bytes", "", tier("1048576", "0.006") + "," + tier("0", "0.01")},
			product{"C", "EU-PublicIPv4:InUseAddress", "", tier("0", "0.005")}),
		"/offers/v1.0/aws/AWSELB/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-LoadBalancerUsage", `,"operation":"LoadBalancing:Network"`, tier("0", "0.0252")},
			product{"B", "EU-LoadBalancerUsage", `,"operation":"LoadBalancing:Application"`, tier("0", "0.5")},
			product{"C", "EU-LCUUsage", `,"operation":"LoadBalancing:Network"`, tier("0", "0.006")}),
		"/offers/v1.0/aws/awskms/current/eu-west-1/index.json": offerFile(
			product{"A", "eu-west-1-KMS-Keys", "", tier("0", "1")}),
		"/offers/v1.0/aws/AmazonRoute53/current/index.json": offerFile(
			product{"A", "HostedZone", "", tier("25", "0.1") + "," + tier("0", "0.5")}),
	}
}

func TestUpdateReadsAWSOfferFiles(t *testing.T) {
	t.Parallel()
	base := offers(t, allOffers())
	table, err := Update{BaseURL: base, Regions: []string{"eu-west-1"}, InstanceTypes: []string{"t3.micro"}}.Run(t.Context())
	require.NoError(t, err)
	want := map[Key]float64{
		NATGatewayHour: 0.048, NATGatewayGB: 0.048, GP3VolumeGBMonth: 0.088, InstanceHour("t3.micro"): 0.0114,
		InterfaceEndpointHour: 0.011, InterfaceEndpointGB: 0.01, PublicIPv4Hour: 0.005,
		NetworkLoadBalancerHour: 0.0252, NetworkLoadBalancerLCU: 0.006, KMSKeyMonth: 1, HostedZoneMonth: 0.5,
	}
	for key, usd := range want {
		p, ok := table.Find(key, "eu-west-1")
		if assert.True(t, ok, "%s", key) {
			assert.InDelta(t, usd, p.USD, 0, "%s", key)
			assert.Equal(t, "2026-10-02", p.Date)
			assert.Contains(t, p.Source, base)
		}
	}
	assert.Len(t, table.Prices(), len(want))
}

func TestUpdateNamesWhatItDidNotFind(t *testing.T) {
	t.Parallel()
	files := allOffers()
	delete(files, "/offers/v1.0/aws/AWSELB/current/eu-west-1/index.json")
	files["/offers/v1.0/aws/awskms/current/eu-west-1/index.json"] = offerFile()
	files["/offers/v1.0/aws/AmazonRoute53/current/index.json"] = `{"message":"hello"}`
	table, err := Update{BaseURL: offers(t, files), Regions: []string{"eu-west-1", "cn-north-1"}}.Run(t.Context())
	for _, part := range []string{"AWSELB/current/eu-west-1/index.json: 404", "awskms/current/eu-west-1/index.json has no price for kms-key-month",
		"not one of AWS's offer files", "region cn-north-1 is in partition aws-cn"} {
		assert.ErrorContains(t, err, part)
	}
	_, ok := table.Find(NATGatewayHour, "eu-west-1")
	assert.True(t, ok, "what was found is kept")
}
