package price

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// HoursPerMonth converts a price per hour to one per month, as AWS's own calculator does.
const HoursPerMonth = 730

// Key names a charge, the same in every region.
type Key string

// The keys. An instance's key also has its type: see InstanceHour.
const (
	NATGatewayHour          Key = "nat-gateway-hour"
	NATGatewayGB            Key = "nat-gateway-gb"
	TransitAttachmentHour   Key = "transit-gateway-attachment-hour"
	TransitGB               Key = "transit-gateway-gb"
	FirewallEndpointHour    Key = "gateway-load-balancer-endpoint-hour"
	FirewallEndpointGB      Key = "gateway-load-balancer-endpoint-gb"
	PublicIPv4Hour          Key = "public-ipv4-hour"
	InterfaceEndpointHour   Key = "interface-endpoint-hour"
	InterfaceEndpointGB     Key = "interface-endpoint-gb"
	HostedZoneMonth         Key = "hosted-zone-month"
	KMSKeyMonth             Key = "kms-key-month"
	NetworkLoadBalancerHour Key = "network-load-balancer-hour"
	NetworkLoadBalancerLCU  Key = "network-load-balancer-lcu-hour"
	FlowLogGB               Key = "flow-log-gb"
	S3StorageGBMonth        Key = "s3-storage-gb-month"
	SQSRequests             Key = "sqs-million-requests"
	CloudFrontRequests      Key = "cloudfront-10k-requests"
	KMSRequests             Key = "kms-10k-requests"
	GP3VolumeGBMonth        Key = "ebs-gp3-gb-month"
)

const (
	instanceHourPrefix = "instance-hour/"
	// allRegions is the region of a price that is the same in all regions of the partition aws.
	allRegions = "aws"
)

// InstanceHour returns the key of a Linux instance on demand: "instance-hour/m5.large".
func InstanceHour(instanceType string) Key { return Key(instanceHourPrefix + instanceType) }

// Price is one list price.
type Price struct {
	Key Key `json:"key"`
	// Region is AWS's name of the region, or "aws" for all regions of the partition aws where the price is the same.
	Region string `json:"region"`
	// USD is the price of one Unit in US dollars, before taxes and discounts.
	USD float64 `json:"usd"`
	// Unit is "hour", "GB", "month", "GB-month", or a number of requests.
	Unit string `json:"unit"`
	// Source is where the price was read, Date when (YYYY-MM-DD).
	Source string `json:"source"`
	Date   string `json:"date"`
}

// Table is a set of prices. The zero value is empty.
type Table struct{ prices map[string]Price }

// file is a table's JSON.
type file struct {
	Prices []Price `json:"prices"`
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
	text, err := os.ReadFile(path)
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
	t := Table{prices: map[string]Price{}}
	var faults []error
	for i, p := range f.Prices {
		if err := p.validate(); err != nil {
			faults = append(faults, fmt.Errorf("%s: prices[%d]: %w", path, i, err))
			continue
		}
		if _, twice := t.prices[p.index()]; twice {
			faults = append(faults, fmt.Errorf("%s: prices[%d]: a second price for key %s in region %s; remove one", path, i, p.Key, p.Region))
		}
		t.prices[p.index()] = p
	}
	return t, errors.Join(faults...)
}

func (p Price) validate() error {
	switch {
	case p.Key == "" || p.Region == "" || p.Unit == "" || p.Source == "":
		return fmt.Errorf("key, region, unit and source are required (key %q, region %q)", p.Key, p.Region)
	case p.USD < 0:
		return fmt.Errorf("usd is %g for key %s in region %s; a price is zero or more", p.USD, p.Key, p.Region)
	}
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
		return fmt.Errorf("date %q for key %s in region %s; expected YYYY-MM-DD", p.Date, p.Key, p.Region)
	}
	return nil
}

func (p Price) index() string { return string(p.Key) + " " + p.Region }

// With returns the table with the prices of another one, which take precedence.
func (t Table) With(other Table) Table {
	sum := Table{prices: map[string]Price{}}
	for _, table := range []Table{t, other} {
		for index, p := range table.prices {
			sum.prices[index] = p
		}
	}
	return sum
}

// Find returns the price for a key in a region, and whether the table has one.
func (t Table) Find(key Key, region string) (Price, bool) {
	if p, ok := t.prices[string(key)+" "+region]; ok {
		return p, true
	}
	if partition(region) != allRegions {
		return Price{}, false
	}
	p, ok := t.prices[string(key)+" "+allRegions]
	return p, ok
}

// published reports whether the prices of a region are among AWS's offer files, in US dollars: those of the partition aws and of GovCloud. China
// and the European Sovereign Cloud have other currencies; the isolated regions publish none.
func published(region string) bool {
	return partition(region) == allRegions || partition(region) == "aws-us-gov"
}

// partition returns the AWS partition that a region belongs to; "" for no region.
func partition(region string) string {
	switch {
	case region == "":
		return ""
	case strings.HasPrefix(region, "us-iso"), strings.HasPrefix(region, "eu-isoe-"):
		return "aws-iso"
	case strings.HasPrefix(region, "eusc-"):
		return "aws-eusc"
	}
	return hypershift.Partition(region)
}

// Prices lists the table by region and key.
func (t Table) Prices() []Price {
	list := make([]Price, 0, len(t.prices))
	for _, p := range t.prices {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Price) int { return cmp.Or(cmp.Compare(a.Region, b.Region), cmp.Compare(a.Key, b.Key)) })
	return list
}

// WriteFile writes the table in the format that Load reads.
func (t Table) WriteFile(path string) error {
	text, err := json.MarshalIndent(file{Prices: t.Prices()}, "", "  ")
	if err != nil {
		return fmt.Errorf("writing prices: %w", err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil { //nolint:gosec // prices are public
		return fmt.Errorf("writing prices: %w", err)
	}
	return nil
}
