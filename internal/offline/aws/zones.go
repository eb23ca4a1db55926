package aws

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// ZoneNames returns the names of the zones in the call's region.
func (c *Call) ZoneNames() []string {
	var names []string
	for _, zone := range c.Zones() {
		names = append(names, zone.Name)
	}
	return names
}

// Zone is an availability zone with its name in one account.
type Zone struct {
	// Name is the account's name of the zone, "us-east-1a"; ID is the same for all accounts, "use1-az4".
	Name, ID string
}

// layout is a region's zones: the letters of their names and the numbers in their IDs.
type layout struct {
	letters string
	numbers []int
}

// layoutOf returns the layout of a region; most regions have three zones.
// https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html
func layoutOf(region string) layout {
	switch region {
	case "us-east-1":
		return layout{"abcdef", []int{1, 2, 3, 4, 5, 6}}
	case "us-west-2", "ap-northeast-2":
		return layout{"abcd", []int{1, 2, 3, 4}}
	case "us-west-1":
		return layout{"ac", []int{1, 3}}
	case "ca-central-1", "cn-north-1":
		return layout{"abd", []int{1, 2, 4}}
	case "ap-northeast-1":
		return layout{"acd", []int{1, 2, 4}}
	default:
		return layout{"abc", []int{1, 2, 3}}
	}
}

// Zones returns the zones of a region, ordered by name. Each account maps names to IDs differently.
func (s Site) Zones() []Zone {
	l := layoutOf(s.Region)
	shuffled := slices.Clone(l.numbers)
	source := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(s.Account + "\n" + s.Region))))
	source.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	zones := make([]Zone, len(shuffled))
	for i, number := range shuffled {
		zones[i] = Zone{
			Name: s.Region + l.letters[i:i+1],
			ID:   fmt.Sprintf("%s-az%d", zonePrefix(s.Region), number),
		}
	}
	return zones
}

// Zone returns the zone with that name or ID.
func (s Site) Zone(nameOrID string) (Zone, bool) {
	zones := s.Zones()
	i := slices.IndexFunc(zones, func(z Zone) bool { return z.Name == nameOrID || z.ID == nameOrID })
	if i < 0 {
		return Zone{}, false
	}
	return zones[i], true
}

// zonePrefix shortens a region's name as the zones' IDs do: "us-gov-west-1" is "usgw1".
func zonePrefix(region string) string {
	short := map[string]string{"gov": "g", "east": "e", "west": "w", "north": "n", "south": "s", "central": "c",
		"northeast": "ne", "northwest": "nw", "southeast": "se", "southwest": "sw"}
	var b strings.Builder
	for part := range strings.SplitSeq(region, "-") {
		b.WriteString(cmp.Or(short[part], part))
	}
	return b.String()
}

// describe returns a zone in the form that filters match.
func (s Site) describe(z Zone) props.Map {
	return props.Map{"zone-name": z.Name, "zone-id": z.ID, "region-name": s.Region, "group-name": s.Region,
		"state": "available", "opt-in-status": "opt-in-not-required", "zone-type": "availability-zone",
		"network-border-group": s.Region}
}

// selected returns the zones that match all filters, {name, values} each, and are not excluded.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
func (s Site) selected(filters []props.Map, excluded []string) ([]Zone, error) {
	var zones []Zone
	for _, z := range s.Zones() {
		described := s.describe(z)
		passes := !slices.Contains(excluded, z.Name) && !slices.Contains(excluded, z.ID)
		for _, f := range filters {
			value, ok := described[f.String("name")]
			if !ok {
				return nil, awserr.Errorf("InvalidParameterValue", "The filter '%s' is invalid; the offline account supports %s",
					f.String("name"), strings.Join(slices.Sorted(maps.Keys(described)), ", "))
			}
			passes = passes && slices.Contains(f.Strings("values"), value.(string))
		}
		if passes {
			zones = append(zones, z)
		}
	}
	return zones, nil
}
