package price

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// OffersURL is where AWS publishes its price lists of the partition aws.
const OffersURL = "https://pricing.us-east-1.amazonaws.com"

// Update reads prices from AWS's offer files.
type Update struct {
	// BaseURL is the URL of the offer files. Default OffersURL.
	BaseURL string
	// Regions are the regions to read, such as us-east-1. Regions of other partitions than aws are refused: their files have another URL.
	Regions []string
	// InstanceTypes are the instance types to read prices for.
	InstanceTypes []string
	// Client is the HTTP client. Default http.DefaultClient.
	Client *http.Client
	// Log is called with the file that is read next; may be nil.
	Log func(url string)
}

// Run reads the offer files, one after the other: that of AmazonEC2 has some hundred megabytes per region and is not kept.
// It returns the prices that it found, and an error that lists the missing ones.
func (u Update) Run(ctx context.Context) (Table, error) {
	t := Table{prices: map[string]Price{}}
	if len(u.Regions) == 0 {
		return t, errors.New("no region is set: use at least one, such as us-east-1")
	}
	var faults []error
	for _, region := range u.Regions {
		if p := partition(region); p != allRegions {
			faults = append(faults, fmt.Errorf("region %s is in partition %s, but the offer files are those of partition aws; write the region's prices to a file for --prices", region, p))
			continue
		}
		for _, o := range u.offers() {
			faults = append(faults, u.read(ctx, t, o, region))
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

// want is a price of an offer file.
type want struct {
	key Key
	// usage is the usage type without the prefix with the region's code.
	usage string
	// attributes are further attributes of the product.
	attributes map[string]string
	unit       string
}

func (u Update) offers() []offer {
	ec2 := []want{
		{NATGatewayHour, "NatGateway-Hours", map[string]string{"operation": "NatGateway"}, "hour"},
		{NATGatewayGB, "NatGateway-Bytes", map[string]string{"operation": "NatGateway"}, "GB"},
		{GP3VolumeGBMonth, "EBS:VolumeUsage.gp3", nil, "GB-month"},
	}
	for _, kind := range u.InstanceTypes {
		ec2 = append(ec2, want{InstanceHour(kind), "BoxUsage:" + kind, map[string]string{
			"operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used", "operation": "RunInstances",
		}, "hour"})
	}
	return []offer{
		{code: "AmazonEC2", wants: ec2},
		{code: "AmazonVPC", wants: []want{
			{InterfaceEndpointHour, "VpcEndpoint-Hours", nil, "hour"},
			{InterfaceEndpointGB, "VpcEndpoint-Bytes", nil, "GB"},
			{PublicIPv4Hour, "PublicIPv4:InUseAddress", nil, "hour"},
		}},
		{code: "AWSELB", wants: []want{
			{NetworkLoadBalancerHour, "LoadBalancerUsage", map[string]string{"operation": "LoadBalancing:Network"}, "hour"},
			{NetworkLoadBalancerLCU, "LCUUsage", map[string]string{"operation": "LoadBalancing:Network"}, "hour"},
		}},
		{code: "awskms", wants: []want{{KMSKeyMonth, "KMS-Keys", nil, "month"}}},
		{code: "AmazonRoute53", global: true, wants: []want{{HostedZoneMonth, "HostedZone", nil, "month"}}},
	}
}

// is reports whether a product has the attributes.
func (w want) is(attributes map[string]string) bool {
	usage := attributes["usagetype"]
	if usage != w.usage && !strings.HasSuffix(usage, "-"+w.usage) {
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
	url := strings.TrimSuffix(base, "/") + "/offers/v1.0/aws/" + o.code + "/current/" + region + "/index.json"
	if o.global {
		url = strings.TrimSuffix(base, "/") + "/offers/v1.0/aws/" + o.code + "/current/index.json"
		if _, read := t.prices[Price{Key: o.wants[0].key, Region: allRegions}.index()]; read {
			return nil
		}
		region = allRegions
	}
	if u.Log != nil {
		u.Log(url)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
		return fmt.Errorf("reading prices from %s: %s", url, response.Status)
	}
	found, date, err := o.parse(response.Body)
	if err != nil {
		return fmt.Errorf("reading prices from %s: %w", url, err)
	}
	var missing []string
	for _, w := range o.wants {
		usd, ok := found[w.key]
		if !ok {
			missing = append(missing, string(w.key))
			continue
		}
		p := Price{Key: w.key, Region: region, USD: usd, Unit: w.unit, Source: url, Date: date}
		t.prices[p.index()] = p
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s has no price for %s", url, strings.Join(missing, ", "))
	}
	return nil
}

// parse reads an offer file as a stream, so that only the needed part is in memory. AWS writes products before terms.
func (o offer) parse(from io.Reader) (map[Key]float64, string, error) {
	decoder := json.NewDecoder(from)
	keys := map[string]Key{} // by SKU
	found := map[Key]float64{}
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
					if w.is(product.Attributes) {
						keys[sku] = w.key
					}
				}
				return nil
			})
		case "terms":
			return eachField(decoder, func(term string) error {
				if term != "OnDemand" {
					return errDone // the rest, reservations, is most of the file
				}
				return eachField(decoder, func(sku string) error { return readTerm(decoder, keys[sku], found) })
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
func readTerm(decoder *json.Decoder, key Key, found map[Key]float64) error {
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
			found[key] = usd
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

// skip skips a value.
func skip(decoder *json.Decoder) error {
	var value json.RawMessage
	return decoder.Decode(&value)
}
