package network

import (
	"cmp"
	"encoding"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// Zone is an availability zone that nodes run in.
type Zone struct {
	// Name is the zone's name in the network's account, such as "us-east-1a", or its ID, such as "use1-az4", which means
	// the same zone in every account. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Slot is the zone's place in the VPC's address plan, from 0 to 7, which decides the CIDRs of its subnets. If a zone
	// is removed from anywhere but the end of the list, give the zones after it the slots that they had: else their
	// subnets are replaced. Default: the zone's index in the list. Changing it replaces the zone's subnets.
	Slot *int `yaml:"slot" pulumi:"slot,optional"`
}

var _ encoding.TextUnmarshaler = (*Zone)(nil)

// UnmarshalText reads a zone that is given by its name or ID alone.
func (z *Zone) UnmarshalText(text []byte) error {
	*z = Zone{Name: string(text)}
	return nil
}

// placedZone is a zone whose slot is decided.
type placedZone struct {
	name string
	slot int
}

// place gives every zone its slot and returns them by slot, so that what is made for "the first zone"
// does not move when the list is reordered.
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

var zonePattern = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]+[a-z]$`)

// ValidateZones returns every fault in a list of zones: none, more than eight, a name that is no
// availability zone's, a name or a slot twice.
func ValidateZones(zones []Zone) error {
	var faults fault.Faults
	if len(zones) == 0 {
		faults.Add("", nil, "is empty", "give one to eight availability zones")
	}
	if len(zones) > Slots {
		faults.Add("", len(zones), "are more zones than a VPC has room for", fmt.Sprintf("give at most %d", Slots))
	}
	names, slots := map[string]int{}, map[int]int{}
	for i, zone := range zones {
		path := fmt.Sprintf("[%d]", i)
		if !zonePattern.MatchString(zone.Name) && !IsZoneID(zone.Name) {
			faults.Add(path, zone.Name, "is not the name of an availability zone", "give one such as us-east-1a, or an ID such as use1-az4")
		} else if first, twice := names[zone.Name]; twice {
			faults.Add(path, zone.Name, fmt.Sprintf("duplicates zone [%d]", first), "give each zone once")
		} else {
			names[zone.Name] = i
		}
		slot := i
		if zone.Slot != nil {
			slot = *zone.Slot
		}
		if slot < 0 || (slot >= Slots && zone.Slot != nil) {
			faults.Add(path+".slot", slot, "is not a slot of the VPC", fmt.Sprintf("give 0 to %d", Slots-1))
		} else if first, twice := slots[slot]; twice {
			faults.Add(path+".slot", slot, fmt.Sprintf("is already the slot of zone [%d]", first),
				"give a different slot for each zone")
		} else {
			slots[slot] = i
		}
	}
	return faults.Err()
}

// ValidateZonesIn returns a fault for every zone that is not one of region.
func ValidateZonesIn(region string, zones []Zone) error {
	var faults fault.Faults
	for i, zone := range zones {
		if zonePattern.MatchString(zone.Name) && !inRegion(zone.Name, region) {
			faults.Add(fmt.Sprintf("[%d]", i), zone.Name, "is not a zone of region "+region,
				fmt.Sprintf("give a zone of %s, such as %sa", region, region))
		}
	}
	return faults.Err()
}

func inRegion(zone, region string) bool {
	return strings.HasPrefix(zone, region) && len(zone) == len(region)+1
}
