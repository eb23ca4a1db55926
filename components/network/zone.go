package network

import (
	"cmp"
	"encoding"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// Zone is an availability zone that nodes run in.
type Zone struct {
	// Name is the zone's name in the network's account, such as "us-east-1a", or its ID, such as "use1-az4", which means
	// the same zone in every account. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Slot is the zone's index in the VPC's address plan, from 0 to 7, which decides the CIDRs of its subnets. If a zone
	// is removed from anywhere but the end of the list, give the zones after it the slots that they had; otherwise their
	// subnets are replaced. Default: the zone's index in the list. Changing it replaces the zone's subnets.
	Slot *int `yaml:"slot" pulumi:"slot,optional"`
}

var _ encoding.TextUnmarshaler = (*Zone)(nil)

// UnmarshalText reads a zone that is given by its name or ID alone.
func (z *Zone) UnmarshalText(text []byte) error {
	*z = Zone{Name: string(text)}
	return nil
}

// placedZone is a zone with its slot.
type placedZone struct {
	name string
	slot int
}

// place returns the zones with their slots, sorted by slot, so that resources of the first zone stay in place when the
// list is reordered.
func place(zones []Zone) []placedZone {
	placed := make([]placedZone, len(zones))
	for i, zone := range zones {
		placed[i] = placedZone{name: zone.Name, slot: i}
		if zone.Slot != nil {
			placed[i].slot = *zone.Slot
		}
	}
	slices.SortFunc(placed, func(a, b placedZone) int { return cmp.Compare(a.slot, b.slot) })
	return placed
}

var zonePattern = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]+[a-z]$`)

// edgePattern matches the names and the IDs of Local Zones, "us-east-1-bos-1a", and of Wavelength Zones,
// "us-east-1-wl1-bos-wlz-1". Source: the Regions and Zones guide.
var edgePattern = regexp.MustCompile(`^([a-z]{2,4}(-[a-z]+)+-[0-9]+-([a-z0-9]+-)+[0-9]+[a-z]?|[a-z]+[0-9]+-(wl[0-9]+-)?[a-z0-9]+-(wlz|az)[0-9]+)$`)

// edge returns what a zone of AWS at the edge is, "" for another text.
func edge(zone string) string {
	switch {
	case isZoneID(zone) || !edgePattern.MatchString(zone):
		return ""
	case strings.Contains(zone, "-wl"):
		return "Wavelength Zone"
	}
	return "Local Zone"
}

// validateZones returns every fault in a list of zones: an empty list, more than eight zones, a name that is not the
// name of an availability zone, a duplicate name or slot.
func validateZones(zones []Zone) error {
	var faults fault.Faults
	if len(zones) == 0 {
		faults.Add("", nil, "is empty", "use one to eight availability zones")
	}
	if len(zones) > layout.Slots {
		faults.Add("", len(zones), "are more zones than the layout of a VPC allows",
			fmt.Sprintf("use at most %d", layout.Slots))
	}
	names, slots := map[string]int{}, map[int]int{}
	for i, zone := range zones {
		path := fmt.Sprintf("[%d]", i)
		if what := edge(zone.Name); what != "" {
			faults.Add(path, zone.Name, "is a "+what+", and HyperShift has no nodes there",
				"use an availability zone of the region, such as us-east-1a, or an ID such as use1-az4")
		} else if strings.HasPrefix(zone.Name, "op-") || strings.HasPrefix(zone.Name, "arn:") {
			faults.Add(path, zone.Name, "is an Outpost, and HyperShift has no nodes there",
				"use an availability zone of the region, such as us-east-1a, or an ID such as use1-az4")
		} else if !zonePattern.MatchString(zone.Name) && !isZoneID(zone.Name) {
			faults.Add(path, zone.Name, "is not the name of an availability zone",
				"use one such as us-east-1a, or an ID such as use1-az4")
		} else if first, twice := names[zone.Name]; twice {
			faults.Add(path, zone.Name, fmt.Sprintf("duplicates zone [%d]", first), eachOnce)
		} else {
			names[zone.Name] = i
		}
		slot := i
		if zone.Slot != nil {
			slot = *zone.Slot
		}
		if slot < 0 || (slot >= layout.Slots && zone.Slot != nil) {
			faults.Add(path+".slot", slot, "is not a slot of the VPC", fmt.Sprintf("use 0 to %d", layout.Slots-1))
		} else if first, twice := slots[slot]; twice {
			faults.Add(path+".slot", slot, fmt.Sprintf("is already the slot of zone [%d]", first),
				"use a different slot for each zone")
		} else {
			slots[slot] = i
		}
	}
	return faults.Err()
}

// eachOnce is the remedy for a zone that is listed twice.
const eachOnce = "list each zone once"

// ValidateZonesIn returns a fault for every zone that is not one of region.
func ValidateZonesIn(region string, zones []Zone) error {
	var faults fault.Faults
	for i, zone := range zones {
		if zonePattern.MatchString(zone.Name) && !inRegion(zone.Name, region) {
			faults.Add(fmt.Sprintf("[%d]", i), zone.Name, "is not a zone of region "+region,
				fmt.Sprintf("use a zone of %s, such as %sa", region, region))
		}
	}
	return faults.Err()
}

func inRegion(zone, region string) bool {
	return strings.HasPrefix(zone, region) && len(zone) == len(region)+1
}

// zoneIDPattern is the form of IDs, such as "use1-az4". A name can mean another zone in another account; an ID is the
// same zone in all accounts. Source: the Regions and Zones guide, "Availability Zone IDs".
var zoneIDPattern = regexp.MustCompile(`^[a-z]+[0-9]+-az[0-9]+$`)

// isZoneID reports whether a zone is given by its ID instead of its name.
func isZoneID(zone string) bool { return zoneIDPattern.MatchString(zone) }

// ZoneTable maps the zone names of an account to zone IDs, in one region.
type ZoneTable struct {
	// Account is the account's ID, twelve digits.
	Account string
	// Rows are in the order of their names.
	Rows []ZoneRow
}

// ZoneRow is a zone with its name in an account.
type ZoneRow struct {
	// Name is the zone's name in the account, such as "us-east-1a".
	Name string
	// ID is the zone's ID, the same in all accounts, such as "use1-az4".
	ID string
}

// LookupZoneTable looks up the table of an account, in the region of the options' provider.
func LookupZoneTable(ctx *pulumi.Context, account string, opts ...pulumi.InvokeOption) (ZoneTable, error) {
	found, err := aws.GetAvailabilityZones(ctx, &aws.GetAvailabilityZonesArgs{
		Filters: []aws.GetAvailabilityZonesFilter{{Name: "zone-type", Values: []string{"availability-zone"}}},
	}, opts...)
	if err != nil {
		return ZoneTable{}, awsprovider.Failed("the zones of account "+account, err)
	}
	table := ZoneTable{Account: account}
	for i, name := range found.Names {
		table.Rows = append(table.Rows, ZoneRow{Name: name, ID: found.ZoneIds[i]})
	}
	return table, nil
}

// ID returns the ID of the zone of that name, or "" if the account has none.
func (t ZoneTable) ID(name string) string {
	for _, row := range t.Rows {
		if row.Name == name {
			return row.ID
		}
	}
	return ""
}

// Name returns the account's name for the zone of that ID, or "" if it has none.
func (t ZoneTable) Name(id string) string {
	for _, row := range t.Rows {
		if row.ID == id {
			return row.Name
		}
	}
	return ""
}

// Named returns the zones with their names in the table's account, whether they were given by name or by ID. It returns
// a fault for each name or ID that the account does not have, and for each zone that is given twice.
func (t ZoneTable) Named(zones []Zone) ([]Zone, error) {
	var faults fault.Faults
	named, seen := slices.Clone(zones), map[string]int{}
	for i, zone := range zones {
		path := fmt.Sprintf("[%d]", i)
		if isZoneID(zone.Name) {
			named[i].Name = t.Name(zone.Name)
			if named[i].Name == "" {
				faults.Add(path, zone.Name, "is not the ID of a zone in account "+t.Account+"", "use one of "+t.String())
				continue
			}
		} else if zonePattern.MatchString(zone.Name) && len(t.Rows) > 0 && t.ID(zone.Name) == "" {
			faults.Add(path, zone.Name, "is not a zone of the region in account "+t.Account, "use one of "+t.String())
			continue
		}
		if first, twice := seen[named[i].Name]; twice {
			faults.Add(path, zone.Name, fmt.Sprintf("is %s, which duplicates zone [%d]", named[i].Name, first),
				"list each zone once")
		}
		seen[named[i].Name] = i
	}
	return named, faults.Err()
}

// String returns "us-east-1a (use1-az4), …".
func (t ZoneTable) String() string {
	rows := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = row.Name + " (" + row.ID + ")"
	}
	return strings.Join(rows, ", ")
}

// nameZones replaces zone IDs in the args by names, and refuses zones that the account does not have.
func (b *builder) nameZones() error {
	account, err := b.account()
	if err != nil {
		return err
	}
	table, err := LookupZoneTable(b.ctx, account, b.parent())
	if err != nil {
		return err
	}
	named, err := table.Named(b.args.zones())
	if err != nil {
		return err
	}
	b.args = b.args.withZones(named)
	return nil
}

// checkZones refuses names of zones that the account does not have. They are not checked if the caller may not list the
// zones.
func (b *builder) checkZones(given []Zone) error {
	table, err := LookupZoneTable(b.ctx, "", b.parent())
	unknown := func(z Zone) bool { return table.ID(z.Name) == "" }
	if err != nil || len(table.Rows) == 0 || !slices.ContainsFunc(given, unknown) {
		return nil //nolint:nilerr // the caller may not list them
	}
	if table.Account, err = b.account(); err != nil {
		return err
	}
	_, err = table.Named(given)
	return err
}

// withZones returns args with the zones' names replaced, in the order of args.zones.
func (args *BaseNetworkArgs) withZones(named []Zone) *BaseNetworkArgs {
	renamed := *args
	renamed.ElasticIPs = map[string]pulumi.StringInput{}
	for i, zone := range args.zones() {
		if id, given := args.ElasticIPs[zone.Name]; given {
			renamed.ElasticIPs[named[i].Name] = id
		}
	}
	if args.Existing == nil {
		renamed.Zones = named
		return &renamed
	}
	existing := *args.Existing
	existing.Subnets = slices.Clone(existing.Subnets)
	for i := range existing.Subnets {
		existing.Subnets[i].Zone = named[i].Name
	}
	renamed.Existing = &existing
	return &renamed
}
