package price

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

// OffersURL is where AWS publishes its price lists of the partition aws and of GovCloud.
const OffersURL = "https://pricing.us-east-1.amazonaws.com"

// Update reads prices from AWS's offer files.
type Update struct {
	// BaseURL is the URL of the offer files. Default OffersURL.
	BaseURL string
	// Regions are the regions to read, such as us-east-1 or us-gov-west-1. A region of another partition is refused: its
	// prices are published elsewhere, in another currency or not at all.
	Regions []string
	// InstanceTypes are the instance types to read prices for.
	InstanceTypes []string
	// Client is the HTTP client. Default http.DefaultClient.
	Client *http.Client
	// Log is called with the file that is read next; may be nil.
	Log func(url string)
}

// Run reads the offer files, one after the other: that of AmazonEC2 has some hundred megabytes per region and is not
// kept. It returns the prices that it found, and an error that lists the missing ones.
func (u Update) Run(ctx context.Context) (Table, error) {
	t := Table{prices: map[string]forecast.Price{}}
	if len(u.Regions) == 0 {
		return t, errors.New("no region is set: use at least one, such as us-east-1")
	}
	var faults []error
	for _, region := range u.Regions {
		if !hasOffers(region) {
			faults = append(faults, fmt.Errorf("region %s is in partition %s, whose prices AWS does not publish in US dollars; write them to a file for --prices", region,
				partition(region)))
			continue
		}
		for _, o := range u.offers() {
			err := u.read(ctx, t, o, region)
			if unreached := (*url.Error)(nil); errors.As(err, &unreached) { // the others are on the same server
				return t, &failure.Error{
					Reason: failure.Failed, Problem: err.Error(), Cause: err,
					Remedy: "correct the network, its proxy (HTTPS_PROXY), or --from; without the internet, write the file by hand: docs/appendix/plans.md has its form",
				}
			}
			faults = append(faults, err)
		}
	}
	return t, errors.Join(faults...)
}

// offer is an offer file with the prices to find in it.
type offer struct {
	code string
	// global offers have one file for all regions.
	global bool
	wants  []want
}

// want is a requested price of an offer file.
type want struct {
	key forecast.PriceKey
	// usage is the usage type without the prefix with the region's code; "" for any.
	usage string
	// attributes are further attributes of the product.
	attributes map[string]string
	unit       string
	// unitsPerPrice is the number of AWS's billing units in one unit of this table. Zero means 1. AWS's prices of requests
	// are those of a single one.
	unitsPerPrice float64
}

func (u Update) offers() []offer {
	ec2 := []want{
		{
			key:        NATGatewayHour,
			usage:      "NatGateway-Hours",
			attributes: map[string]string{"operation": "NatGateway"},
			unit:       "hour",
		},
		{key: NATGatewayGB, usage: "NatGateway-Bytes", attributes: map[string]string{"operation": "NatGateway"}, unit: "GB"},
		{key: GP3VolumeGBMonth, usage: "EBS:VolumeUsage.gp3", unit: "GB-month"},
	}
	for _, kind := range u.InstanceTypes {
		ec2 = append(ec2, want{key: InstanceHour(kind), usage: "BoxUsage:" + kind, attributes: map[string]string{
			"operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used",
			"operation": "RunInstances",
		}, unit: "hour"})
	}
	return []offer{
		{code: "AmazonEC2", wants: ec2},
		{code: "AmazonVPC", wants: []want{
			{key: InterfaceEndpointHour, usage: "VpcEndpoint-Hours", unit: "hour"},
			{key: InterfaceEndpointGB, usage: "VpcEndpoint-Bytes", unit: "GB"},
			{key: PublicIPv4Hour, usage: "PublicIPv4:InUseAddress", unit: "hour"},
		}},
		{code: "AWSELB", wants: []want{
			{
				key:        NetworkLoadBalancerHour,
				usage:      "LoadBalancerUsage",
				attributes: map[string]string{"operation": "LoadBalancing:Network"},
				unit:       "hour",
			},
			{
				key:        NetworkLoadBalancerLCU,
				usage:      "LCUUsage",
				attributes: map[string]string{"operation": "LoadBalancing:Network"},
				unit:       "hour",
			},
		}},
		{code: "awskms", wants: []want{
			{key: KMSKeyMonth, usage: "KMS-Keys", unit: "month"},
			{key: KMSRequests, usage: "KMS-Requests", unit: "10,000 requests", unitsPerPrice: 10_000},
		}},
		{code: "AmazonS3", wants: []want{{key: S3StorageGBMonth, usage: "TimedStorage-ByteHrs", unit: "GB-month"}}},
		{code: "AWSQueueService", wants: []want{
			{
				key:           SQSRequests,
				attributes:    map[string]string{"queueType": "Standard"},
				unit:          "million requests",
				unitsPerPrice: 1_000_000,
			},
		}},
		{code: "AmazonRoute53", global: true, wants: []want{{key: HostedZoneMonth, usage: "HostedZone", unit: "month"}}},
	}
}

// usagePrefix is what AWS writes before a usage type outside of us-east-1, and sometimes there: a code of the region,
// such as EUC1, or for KMS its name. "Outposts-" and "TS-LoadBalancerUsage" are other usages.
var usagePrefix = regexp.MustCompile(`^([A-Z]{3,4}[0-9]|EU|[a-z]{2,4}(-[a-z]+)+-[0-9])-$`)

// is reports whether a product of a region is the wanted one, and not one of a local zone or an outpost in the region.
// A product of a global offer has no region.
func (w want) is(attributes map[string]string, region string) bool {
	if w.usage != "" {
		prefix, ends := strings.CutSuffix(attributes["usagetype"], w.usage)
		if !ends || prefix != "" && !usagePrefix.MatchString(prefix) {
			return false
		}
	}
	if kind := attributes["locationType"]; kind != "" && kind != "AWS Region" && region != allRegions {
		return false
	}
	if code := attributes["regionCode"]; code != "" && code != region && region != allRegions {
		return false
	}
	for name, value := range w.attributes {
		if attributes[name] != value {
			return false
		}
	}
	return true
}

// read adds an offer file's prices to the table.
func (u Update) read(ctx context.Context, t Table, o offer, region string) error {
	base := u.BaseURL
	if base == "" {
		base = OffersURL
	}
	address := strings.TrimSuffix(base, "/") + "/offers/v1.0/aws/" + o.code + "/current/" + region + "/index.json"
	if o.global {
		if partition(region) != allRegions {
			return nil // a global offer is that of the partition aws
		}
		address = strings.TrimSuffix(base, "/") + "/offers/v1.0/aws/" + o.code + "/current/index.json"
		if _, read := t.prices[index(forecast.Price{Key: o.wants[0].key, Region: allRegions})]; read {
			return nil
		}
		region = allRegions
	}
	if u.Log != nil {
		u.Log(address)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("reading prices: %w", err)
	}
	client := u.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("reading prices: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // only read from
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("reading prices from %s: %s", address, response.Status)
	}
	found, date, err := o.parse(response.Body, region)
	if err != nil {
		return fmt.Errorf("reading prices from %s: %w", address, err)
	}
	var missing, ambiguous []string
	for _, w := range o.wants {
		if len(found[w.key]) == 0 {
			missing = append(missing, string(w.key))
			continue
		}
		if len(found[w.key]) > 1 {
			ambiguous = append(ambiguous, string(w.key))
			continue
		}
		usd := found[w.key][0]
		if w.unitsPerPrice > 0 {
			usd = math.Round(usd*w.unitsPerPrice*1e9) / 1e9
		}
		p := forecast.Price{Key: w.key, Region: region, USD: usd, Unit: w.unit, Source: address, Date: date}
		t.prices[index(p)] = p
	}
	var faults []error
	if len(missing) > 0 {
		faults = append(faults, fmt.Errorf("%s has no price for %s", address, strings.Join(missing, ", ")))
	}
	if len(ambiguous) > 0 {
		faults = append(faults, fmt.Errorf("%s has several prices for %s; write the correct price to a file, and pass the file with --prices", address, strings.Join(ambiguous, ", ")))
	}
	return errors.Join(faults...)
}

// prices are the different prices that an offer file has for each key: one, unless products cannot be told apart.
type prices map[forecast.PriceKey][]float64

// parse reads an offer file of a region as a stream, so that only the needed part is in memory. AWS writes products
// before terms.
func (o offer) parse(from io.Reader, region string) (prices, string, error) {
	decoder := json.NewDecoder(from)
	keys := map[string]forecast.PriceKey{} // by SKU
	found := prices{}
	date := ""
	err := eachField(decoder, func(name string) error {
		switch name {
		case "publicationDate":
			var published time.Time
			if err := decoder.Decode(&published); err != nil {
				return err
			}
			date = published.UTC().Format(time.DateOnly)
			return nil
		case "products":
			return eachField(decoder, func(sku string) error {
				var product struct {
					Attributes map[string]string `json:"attributes"`
				}
				if err := decoder.Decode(&product); err != nil {
					return err
				}
				for _, w := range o.wants {
					if w.is(product.Attributes, region) {
						keys[sku] = w.key
					}
				}
				return nil
			})
		case "terms":
			return eachField(decoder, func(term string) error {
				if term != "OnDemand" {
					return skip(decoder)
				}
				if err := eachField(decoder, func(sku string) error { return readTerm(decoder, keys[sku], found) }); err != nil {
					return err
				}
				return errDone // the rest, reservations, is most of the file
			})
		}
		return skip(decoder)
	})
	if err != nil && !errors.Is(err, errDone) {
		return nil, "", err
	}
	if date == "" {
		return nil, "", errors.New("it has no publicationDate: this is not one of AWS's offer files")
	}
	return found, date, nil
}

// errDone ends the reading of a file early.
var errDone = errors.New("done")

// readTerm reads the terms on demand of one product: the price of its first tier.
func readTerm(decoder *json.Decoder, key forecast.PriceKey, found prices) error {
	if key == "" {
		return skip(decoder)
	}
	var terms map[string]struct {
		PriceDimensions map[string]struct {
			BeginRange   string            `json:"beginRange"`
			PricePerUnit map[string]string `json:"pricePerUnit"`
		} `json:"priceDimensions"`
	}
	if err := decoder.Decode(&terms); err != nil {
		return err
	}
	for _, term := range terms {
		for _, dimension := range term.PriceDimensions {
			if dimension.BeginRange != "" && dimension.BeginRange != "0" {
				continue
			}
			usd, err := strconv.ParseFloat(dimension.PricePerUnit["USD"], 64)
			if err != nil {
				return fmt.Errorf("the price of %s is %q, not a number of USD", key, dimension.PricePerUnit["USD"])
			}
			if !slices.Contains(found[key], usd) {
				found[key] = append(found[key], usd)
			}
		}
	}
	return nil
}

// eachField calls do for each field of the object that comes next; do reads the field's value.
func eachField(decoder *json.Decoder, do func(name string) error) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("expected a JSON object, not %v", token)
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if err := do(name); err != nil {
			return err
		}
	}
	_, err = decoder.Token()
	return err
}

// skip skips a value, without keeping it in memory.
func skip(decoder *json.Decoder) error {
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
