package price

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

// product is a product of an offer file with its price.
type product struct {
	sku, usage, attributes, tiers string
}

// offerFile writes products in the format of AWS's offer files, terms with reservations first: AWS does not promise an
// order.
// https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-service-price-list-file-for-services.html
func offerFile(products ...product) string {
	var of, terms []string
	for _, p := range products {
		attributes := p.attributes
		if !strings.Contains(attributes, "locationType") {
			attributes += `,"locationType":"AWS Region"`
		}
		of = append(of, fmt.Sprintf(`%q:{"sku":%q,"productFamily":"Any","attributes":{"servicecode":"Any","usagetype":%q%s}}`, p.sku, p.sku, p.usage, attributes))
		terms = append(terms, fmt.Sprintf(`%q:{"%s.JRTCKXETXF":{"offerTermCode":"JRTCKXETXF","sku":%q,"effectiveDate":"2026-10-01T00:00:00Z","priceDimensions":{%s},"termAttributes":{}}}`, p.sku, p.sku, p.sku, p.tiers))
	}
	return `{"formatVersion":"v1.0","disclaimer":"Any","offerCode":"Any","version":"20261002213546","publicationDate":"2026-10-02T21:35:46Z","products":{` +
		strings.Join(of, ",") + `},"terms":{"Reserved":{"a":{"b":[1,{"c":[2]},3]}},"OnDemand":{` + strings.Join(terms, ",") + `}},"attributesList":{}}`
}

// tier returns a price that begins at a quantity.
func tier(begin, usd string) string {
	return fmt.Sprintf(`"X.JRTCKXETXF.%s":{"rateCode":"X.JRTCKXETXF.%s","description":"Any","beginRange":%q,"endRange":"Inf","unit":"Hrs","pricePerUnit":{"USD":%q},"appliesTo":[]}`, begin, begin, begin, usd)
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
	nat := `,"operation":"NatGateway","regionCode":"eu-west-1"`
	linux := `,"operatingSystem":"Linux","tenancy":"Shared","preInstalledSw":"NA","capacitystatus":"Used","operation":"RunInstances"`
	return map[string]string{
		"/offers/v1.0/aws/AmazonEC2/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-NatGateway-Hours", nat, tier("0", "0.0480000000")},
			product{"B", "EU-RegionalNatGateway-Hours", `,"operation":"RegionalNatGateway"`, tier("0", "0.99")},
			product{"C", "EU-NatGateway-Bytes", nat, tier("0", "0.0480000000")},
			product{"D", "EU-NatGateway-Prvd-Gbps", nat, tier("0", "1.164")},
			product{"E", "EU-EBS:VolumeUsage.gp3", "", tier("0", "0.088")},
			product{"F", "EU-BoxUsage:t3.micro", linux, tier("0", "0.0114")},
			product{"G", "EU-BoxUsage:t3.micro", `,"operatingSystem":"Windows","tenancy":"Shared","preInstalledSw":"NA","capacitystatus":"Used","operation":"RunInstances:0002"`,
				tier("0", "0.02")},
			// A region's file also has its local zones and outposts.
			product{"H", "DUB1-EBS:VolumeUsage.gp3", `,"locationType":"AWS Local Zone","regionCode":"eu-west-1-dub-1"`, tier("0", "0.11")},
			product{"I", "DUB1-BoxUsage:t3.micro", linux + `,"locationType":"AWS Local Zone"`, tier("0", "0.0137")},
			product{"J", "DUB1-NatGateway-Hours", `,"operation":"NatGateway","regionCode":"eu-west-1-dub-1"`, tier("0", "0.06")}),
		"/offers/v1.0/aws/AmazonVPC/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-VpcEndpoint-Hours", "", tier("0", "0.011")},
			product{"B", "EU-VpcEndpoint-Bytes", "", tier("1048576", "0.006") + "," + tier("0", "0.01")},
			product{"C", "EU-PublicIPv4:InUseAddress", "", tier("0", "0.005")},
			product{"D", "EU-PublicIPv4:IdleAddress", "", tier("0", "0.006")}),
		"/offers/v1.0/aws/AWSELB/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-LoadBalancerUsage", `,"operation":"LoadBalancing:Network"`, tier("0", "0.0252")},
			product{"B", "EU-LoadBalancerUsage", `,"operation":"LoadBalancing:Application"`, tier("0", "0.5")},
			product{"C", "EU-LCUUsage", `,"operation":"LoadBalancing:Network"`, tier("0", "0.006")},
			product{"D", "EU-Outposts-LoadBalancerUsage", `,"operation":"LoadBalancing:Network"`, tier("0", "0.7")}),
		"/offers/v1.0/aws/awskms/current/eu-west-1/index.json": offerFile(
			product{"A", "eu-west-1-KMS-Keys", "", tier("0", "1")},
			product{"B", "eu-west-1-KMS-Requests", "", tier("0", "0.0000030000")},
			product{"C", "eu-west-1-KMS-Requests-Asymmetric", "", tier("0", "0.0000150000")}),
		"/offers/v1.0/aws/AmazonS3/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-TimedStorage-ByteHrs", "", tier("51200", "0.022") + "," + tier("0", "0.023")},
			product{"B", "EU-Annotation-TimedStorage-ByteHrs", "", tier("0", "0.03")}),
		"/offers/v1.0/aws/AWSQueueService/current/eu-west-1/index.json": offerFile(
			product{"A", "EU-Requests-Tier1", `,"queueType":"Standard","regionCode":"eu-west-1"`, tier("0", "0.0000004000")},
			product{"B", "EU-Requests-FIFO-Tier1", `,"queueType":"FIFO (first-in, first-out)"`, tier("0", "0.0000005000")}),
		"/offers/v1.0/aws/AmazonRoute53/current/index.json": offerFile(
			product{"A", "HostedZone", `,"locationType":"Other"`, tier("25", "0.1") + "," + tier("0", "0.5")}),
	}
}

func TestUpdateReadsAWSOfferFiles(t *testing.T) {
	t.Parallel()
	base := offers(t, allOffers())
	table, err := Update{
		BaseURL:       base,
		Regions:       []string{"eu-west-1"},
		InstanceTypes: []string{"t3.micro"},
	}.Run(t.Context())
	require.NoError(t, err)
	want := map[forecast.PriceKey]float64{
		NATGatewayHour: 0.048, NATGatewayGB: 0.048, GP3VolumeGBMonth: 0.088, InstanceHour("t3.micro"): 0.0114,
		InterfaceEndpointHour: 0.011, InterfaceEndpointGB: 0.01, PublicIPv4Hour: 0.005,
		NetworkLoadBalancerHour: 0.0252, NetworkLoadBalancerLCU: 0.006, KMSKeyMonth: 1, KMSRequests: 0.03,
		HostedZoneMonth:  0.5,
		S3StorageGBMonth: 0.023, SQSRequests: 0.4,
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

func TestUpdateReadsGovCloudButNotTheGlobalOffersOfThePartitionAWS(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for path, text := range allOffers() {
		files[strings.ReplaceAll(path, "eu-west-1", "us-gov-west-1")] = strings.NewReplacer("eu-west-1", "us-gov-west-1", `"EU-`, `"UGW1-`).Replace(text)
	}
	table, err := Update{BaseURL: offers(t, files), Regions: []string{"us-gov-west-1"}}.Run(t.Context())
	require.NoError(t, err)
	_, ok := table.Find(NATGatewayHour, "us-gov-west-1")
	assert.True(t, ok)
	_, ok = table.Find(HostedZoneMonth, "us-gov-west-1")
	assert.False(t, ok)
	assert.Contains(t, remedy(forecast.Charge{Key: HostedZoneMonth, Region: "us-gov-west-1"}), "--prices")
}

func TestUpdateTakesNoPriceThatIsAmbiguous(t *testing.T) {
	t.Parallel()
	files := allOffers()
	files["/offers/v1.0/aws/AmazonS3/current/eu-west-1/index.json"] = offerFile(
		product{"A", "EU-TimedStorage-ByteHrs", "", tier("0", "0.023")},
		product{"B", "EU-TimedStorage-ByteHrs", "", tier("0", "0.024")})
	table, err := Update{BaseURL: offers(t, files), Regions: []string{"eu-west-1"}}.Run(t.Context())
	require.ErrorContains(t, err, "AmazonS3/current/eu-west-1/index.json has several prices for s3-storage-gb-month; write the correct price to a file, and pass the file with --prices")
	_, ok := table.Find(S3StorageGBMonth, "eu-west-1")
	assert.False(t, ok)
}

func TestAnOfferFileThatBreaksOffIsRefused(t *testing.T) {
	t.Parallel()
	files := allOffers()
	path := "/offers/v1.0/aws/AWSELB/current/eu-west-1/index.json"
	files[path] = files[path][:len(files[path])/2]
	_, err := Update{BaseURL: offers(t, files), Regions: []string{"eu-west-1"}}.Run(t.Context())
	require.ErrorContains(t, err, path+": unexpected EOF")
}

func TestAServerThatIsNotReachedIsOneErrorWithAnotherWay(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := Update{BaseURL: server.URL, Regions: []string{"eu-west-1", "us-east-1"}}.Run(t.Context())
	var known *failure.Error
	require.ErrorAs(t, err, &known)
	require.Contains(t, known.Remedy, "write the file by hand")
	require.Equal(t, 1, strings.Count(err.Error(), "reading prices"), err)
}

func TestUpdateNamesWhatItDidNotFind(t *testing.T) {
	t.Parallel()
	files := allOffers()
	delete(files, "/offers/v1.0/aws/AWSELB/current/eu-west-1/index.json")
	files["/offers/v1.0/aws/awskms/current/eu-west-1/index.json"] = offerFile()
	files["/offers/v1.0/aws/AmazonRoute53/current/index.json"] = `{"message":"hello"}`
	table, err := Update{BaseURL: offers(t, files), Regions: []string{"eu-west-1", "cn-north-1"}}.Run(t.Context())
	for _, part := range []string{"AWSELB/current/eu-west-1/index.json: 404",
		"awskms/current/eu-west-1/index.json has no price for kms-key-month",
		"not one of AWS's offer files", "region cn-north-1 is in partition aws-cn, whose prices AWS does not publish in US dollars"} {
		assert.ErrorContains(t, err, part)
	}
	_, ok := table.Find(NATGatewayHour, "eu-west-1")
	assert.True(t, ok, "what was found is kept")
}
