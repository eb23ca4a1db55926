package offline

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// zone is an availability zone as one account sees it.
type zone struct {
	// name is the account's own alias, "us-east-1a"; id is the zone's for all accounts, "use1-az4".
	name, id string
}

// layout is a region's zones: the letters of their names and the numbers in their IDs.
type layout struct {
	letters string
	numbers []int
}

// layoutOf is that of a region; three zones are the rule.
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

// zones are a region's in the order of their names. Which ID a name stands for is each account's own.
func (s site) zones() []zone {
	l := layoutOf(s.region)
	shuffled := slices.Clone(l.numbers)
	source := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(s.account + "\n" + s.region))))
	source.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	zones := make([]zone, len(shuffled))
	for i, number := range shuffled {
		zones[i] = zone{
			name: s.region + l.letters[i:i+1],
			id:   fmt.Sprintf("%s-az%d", zonePrefix(s.region), number),
		}
	}
	return zones
}

// zone is the zone of that name or ID.
func (s site) zone(nameOrID string) (zone, bool) {
	zones := s.zones()
	i := slices.IndexFunc(zones, func(z zone) bool { return z.name == nameOrID || z.id == nameOrID })
	if i < 0 {
		return zone{}, false
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

// describe is a zone as filters see it.
func (s site) describe(z zone) props {
	return props{"zone-name": z.name, "zone-id": z.id, "region-name": s.region, "group-name": s.region,
		"state": "available", "opt-in-status": "opt-in-not-required", "zone-type": "availability-zone",
		"network-border-group": s.region}
}

// selected are the zones that pass all filters, {name, values} each, and that are not excluded.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
func (s site) selected(filters []props, excluded []string) ([]zone, error) {
	var zones []zone
	for _, z := range s.zones() {
		described := s.describe(z)
		passes := !slices.Contains(excluded, z.name) && !slices.Contains(excluded, z.id)
		for _, f := range filters {
			value, ok := described[f.text("name")]
			if !ok {
				return nil, refuse("InvalidParameterValue", "The filter '%s' is invalid; the offline account knows %s",
					f.text("name"), strings.Join(slices.Sorted(maps.Keys(described)), ", "))
			}
			passes = passes && slices.Contains(f.texts("values"), value.(string))
		}
		if passes {
			zones = append(zones, z)
		}
	}
	return zones, nil
}
