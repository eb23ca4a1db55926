package network

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// zoneIDPattern is the form of IDs, such as "use1-az4". A name stands for another zone in another account; an ID is
// the same zone everywhere. Source: the Regions and Zones guide, "Availability Zone IDs".
var zoneIDPattern = regexp.MustCompile(`^[a-z]+[0-9]+-az[0-9]+$`)

// IsZoneID says whether a zone is given by its ID instead of its name.
func IsZoneID(zone string) bool { return zoneIDPattern.MatchString(zone) }

// ZoneTable says which zone IDs the names of an account stand for, in one region.
type ZoneTable struct {
	// Account is the account's ID, twelve digits.
	Account string
	// Rows are in the order of their names.
	Rows []ZoneRow
}

// ZoneRow is one zone as an account sees it.
type ZoneRow struct {
	// Name is the account's own, such as "us-east-1a".
	Name string
	// ID is the zone's for all accounts, such as "use1-az4".
	ID string
}

// LookupZoneTable asks AWS for the table of the account and region that the options' provider leads to.
func LookupZoneTable(ctx *pulumi.Context, opts ...pulumi.InvokeOption) (ZoneTable, error) {
	account, err := location.LookupAccount(ctx, opts...)
	if err != nil {
		return ZoneTable{}, err
	}
	found, err := aws.GetAvailabilityZones(ctx, &aws.GetAvailabilityZonesArgs{
		Filters: []aws.GetAvailabilityZonesFilter{{Name: "zone-type", Values: []string{"availability-zone"}}},
	}, opts...)
	if err != nil {
		return ZoneTable{}, fmt.Errorf("asking AWS for the zones of account %s: %w", account, err)
	}
	table := ZoneTable{Account: account}
	for i, name := range found.Names {
		table.Rows = append(table.Rows, ZoneRow{Name: name, ID: found.ZoneIds[i]})
	}
	return table, nil
}

// ID is the ID of the zone of that name, "" where the account sees none.
func (t ZoneTable) ID(name string) string {
	for _, row := range t.Rows {
		if row.Name == name {
			return row.ID
		}
	}
	return ""
}

// Name is the account's name for the zone of that ID, "" where it sees none.
func (t ZoneTable) Name(id string) string {
	for _, row := range t.Rows {
		if row.ID == id {
			return row.Name
		}
	}
	return ""
}

// Named are the zones with their names in the table's account, whether they were given by name or by ID. It returns a
// fault for each ID that the account does not see, and for each zone that comes to the same one as another.
func (t ZoneTable) Named(zones []Zone) ([]Zone, error) {
	var faults fault.Faults
	named, seen := slices.Clone(zones), map[string]int{}
	for i, zone := range zones {
		path := fmt.Sprintf("[%d]", i)
		if IsZoneID(zone.Name) {
			named[i].Name = t.Name(zone.Name)
			if named[i].Name == "" {
				faults.Add(path, zone.Name, "is not the ID of a zone in account "+t.Account+"", "give one of "+t.String())
				continue
			}
		}
		if first, twice := seen[named[i].Name]; twice {
			faults.Add(path, zone.Name, fmt.Sprintf("is %s, which duplicates zone [%d]", named[i].Name, first), "give each zone once")
		}
		seen[named[i].Name] = i
	}
	return named, faults.Err()
}

// String is "us-east-1a (use1-az4), …".
func (t ZoneTable) String() string {
	rows := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = row.Name + " (" + row.ID + ")"
	}
	return strings.Join(rows, ", ")
}

// nameZones has the args' zones by name from here on, however they were given. AWS is asked only where one is
// given by its ID.
func (b *builder) nameZones() error {
	given := b.args.zones()
	if !slices.ContainsFunc(given, func(z Zone) bool { return IsZoneID(z.Name) }) {
		return nil
	}
	table, err := LookupZoneTable(b.ctx, b.parent())
	if err != nil {
		return err
	}
	named, err := table.Named(given)
	if err != nil {
		return err
	}
	b.args = b.args.withZones(named)
	return nil
}

// withZones are args with other names for their zones, in the order of args.zones.
func (args *GuestNetworkArgs) withZones(named []Zone) *GuestNetworkArgs {
	renamed := *args
	renamed.ElasticIPs = map[string]string{}
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
