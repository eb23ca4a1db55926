package price

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// hoursPerMonth converts a price per hour to one per month, as AWS's own calculator does.
const hoursPerMonth = 730

// The keys. An instance's key also has its type: see InstanceHour.
const (
	NATGatewayHour          forecast.PriceKey = "nat-gateway-hour"
	NATGatewayGB            forecast.PriceKey = "nat-gateway-gb"
	TransitAttachmentHour   forecast.PriceKey = "transit-gateway-attachment-hour"
	TransitGB               forecast.PriceKey = "transit-gateway-gb"
	FirewallEndpointHour    forecast.PriceKey = "gateway-load-balancer-endpoint-hour"
	FirewallEndpointGB      forecast.PriceKey = "gateway-load-balancer-endpoint-gb"
	PublicIPv4Hour          forecast.PriceKey = "public-ipv4-hour"
	InterfaceEndpointHour   forecast.PriceKey = "interface-endpoint-hour"
	InterfaceEndpointGB     forecast.PriceKey = "interface-endpoint-gb"
	HostedZoneMonth         forecast.PriceKey = "hosted-zone-month"
	KMSKeyMonth             forecast.PriceKey = "kms-key-month"
	NetworkLoadBalancerHour forecast.PriceKey = "network-load-balancer-hour"
	NetworkLoadBalancerLCU  forecast.PriceKey = "network-load-balancer-lcu-hour"
	FlowLogGB               forecast.PriceKey = "flow-log-gb"
	S3StorageGBMonth        forecast.PriceKey = "s3-storage-gb-month"
	SQSRequests             forecast.PriceKey = "sqs-million-requests"
	CloudFrontRequests      forecast.PriceKey = "cloudfront-10k-requests"
	KMSRequests             forecast.PriceKey = "kms-10k-requests"
	GP3VolumeGBMonth        forecast.PriceKey = "ebs-gp3-gb-month"
)

const (
	instanceHourPrefix = "instance-hour/"
	// allRegions is the region of a price that is the same in all regions of the partition aws.
	allRegions = "aws"
)

// InstanceHour returns the key of a Linux instance on demand: "instance-hour/m5.large".
func InstanceHour(instanceType string) forecast.PriceKey {
	return forecast.PriceKey(instanceHourPrefix + instanceType)
}

// Table is a set of prices. The zero value is empty.
type Table struct{ prices map[string]forecast.Price }

// file is a table's JSON.
type file struct {
	Prices []forecast.Price `json:"prices"`
}

//go:embed prices.json
var builtin []byte

// Builtin returns the table in the binary.
func Builtin() (Table, error) { return parse(builtin, "the price table in this program") }

// Effective returns the program's prices, overridden by those of a file, "" for none.
func Effective(path string) (Table, error) {
	table, err := Builtin()
	if err != nil || path == "" {
		return table, err
	}
	own, err := Load(path)
	return table.With(own), err
}

// Load reads a table from a file that WriteFile wrote.
func Load(path string) (Table, error) {
	text, err := atomicfile.ReadInput(path)
	if err != nil {
		return Table{}, fmt.Errorf("reading prices: %w", err)
	}
	return parse(text, path)
}

// LoadIfThere is like Load, but returns an empty table if there is no such file.
func LoadIfThere(path string) (Table, error) {
	table, err := Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Table{}, nil
	}
	return table, err
}

func parse(text []byte, path string) (Table, error) {
	var f file
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return Table{}, fmt.Errorf("%s is not a price table: %w", path, err)
	}
	t := Table{prices: map[string]forecast.Price{}}
	var faults []error
	for i, p := range f.Prices {
		if err := validate(p); err != nil {
			faults = append(faults, fmt.Errorf("%s: prices[%d]: %w", path, i, err))
			continue
		}
		if _, twice := t.prices[index(p)]; twice {
			faults = append(faults, fmt.Errorf("%s: prices[%d]: a second price for key %s in region %s; remove one", path, i,
				p.Key, p.Region))
		}
		t.prices[index(p)] = p
	}
	return t, errors.Join(faults...)
}

// keys are the keys that are not an instance's.
var keys = []forecast.PriceKey{
	NATGatewayHour, NATGatewayGB, TransitAttachmentHour, TransitGB, FirewallEndpointHour, FirewallEndpointGB,
	PublicIPv4Hour, InterfaceEndpointHour, InterfaceEndpointGB, HostedZoneMonth, KMSKeyMonth, NetworkLoadBalancerHour,
	NetworkLoadBalancerLCU, FlowLogGB, S3StorageGBMonth, SQSRequests, CloudFrontRequests, KMSRequests, GP3VolumeGBMonth,
}

// known reports whether estimates use a key.
func known(key forecast.PriceKey) bool {
	kind, instance := strings.CutPrefix(string(key), instanceHourPrefix)
	return instance && strings.Contains(kind, ".") || slices.Contains(keys, key)
}

func validate(p forecast.Price) error {
	switch {
	case p.Key != "" && !known(p.Key):
		return fmt.Errorf("key %q is none that estimates use: `hypershift-aws prices` lists them; that of an instance is %sTYPE",
			p.Key, instanceHourPrefix)
	case p.Key == "" || p.Region == "" || p.Unit == "" || p.Source == "":
		return fmt.Errorf("key, region, unit, and source are required (key %q, region %q)", p.Key, p.Region)
	case p.USD < 0:
		return fmt.Errorf("usd is %g for key %s in region %s; a price is zero or more", p.USD, p.Key, p.Region)
	}
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
		return fmt.Errorf("date %q for key %s in region %s; expected YYYY-MM-DD", p.Date, p.Key, p.Region)
	}
	return nil
}

func index(p forecast.Price) string { return string(p.Key) + " " + p.Region }

// With returns the table with the prices of another one, which take precedence.
func (t Table) With(other Table) Table {
	sum := Table{prices: map[string]forecast.Price{}}
	for _, table := range []Table{t, other} {
		for index, p := range table.prices {
			sum.prices[index] = p
		}
	}
	return sum
}

// Find returns the price for a key in a region, and whether the table has one.
func (t Table) Find(key forecast.PriceKey, region string) (forecast.Price, bool) {
	if p, ok := t.prices[string(key)+" "+region]; ok {
		return p, true
	}
	if partition(region) != allRegions {
		return forecast.Price{}, false
	}
	p, ok := t.prices[string(key)+" "+allRegions]
	return p, ok
}

// hasOffers reports whether the prices of a region are among AWS's offer files, in US dollars: those of the partition
// aws and of GovCloud. China and the European Sovereign Cloud have other currencies; the isolated regions publish none.
func hasOffers(region string) bool {
	return partition(region) == allRegions || partition(region) == "aws-us-gov"
}

// partition returns the AWS partition that a region belongs to; "" for no region.
func partition(region string) string {
	if region == "" {
		return ""
	}
	return hypershift.Partition(region)
}

// Prices lists the table by region and key.
func (t Table) Prices() []forecast.Price {
	list := make([]forecast.Price, 0, len(t.prices))
	for _, p := range t.prices {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b forecast.Price) int {
		return cmp.Or(cmp.Compare(a.Region, b.Region), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// WriteFile writes the table in the format that Load reads.
func (t Table) WriteFile(path string) error {
	text, err := json.MarshalIndent(file{Prices: t.Prices()}, "", "  ")
	if err != nil {
		return fmt.Errorf("writing prices: %w", err)
	}
	if err := atomicfile.WriteInto(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing prices: %w", err)
	}
	return nil
}
