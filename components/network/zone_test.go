package network

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

func table() ZoneTable {
	return ZoneTable{Account: "111111111111", Rows: []ZoneRow{
		{"us-east-1a", "use1-az4"}, {"us-east-1b", "use1-az6"}, {"us-east-1c", "use1-az1"},
	}}
}

func TestZonesGivenByIDGetTheAccountsNamesAndKeepTheirSlots(t *testing.T) {
	t.Parallel()
	slot := 3
	named, err := table().Named([]Zone{{Name: "use1-az1", Slot: &slot}, {Name: "us-east-1a"}})
	require.NoError(t, err)
	require.Equal(t, []Zone{{Name: "us-east-1c", Slot: &slot}, {Name: "us-east-1a"}}, named)
}

func TestAnUnknownZoneIDAndADuplicateZoneAreRefused(t *testing.T) {
	t.Parallel()
	_, err := table().Named([]Zone{{Name: "use1-az4"}, {Name: "use1-az9"}, {Name: "us-east-1a"}})
	require.ErrorContains(t, err, `[1]: "use1-az9" is not the ID of a zone in account 111111111111; use one of us-east-1a (use1-az4), us-east-1b (use1-az6)`)
	require.ErrorContains(t, err, `[2]: "us-east-1a" is us-east-1a, which duplicates zone [0]; list each zone once`)
	_, err = table().Named([]Zone{{Name: "us-east-1a"}, {Name: "use1-az4"}})
	require.ErrorContains(t, err, `[1]: "use1-az4" is us-east-1a, which duplicates zone [0]`)
}

func TestZoneIDsAreDistinguishedFromNames(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"use1-az4", "usgw1-az1", "apne1-az2", "euc2-az3"} {
		require.True(t, isZoneID(id), id)
	}
	for _, other := range []string{"us-east-1a", "use1", "use1-azx", "use1-bos1-az1", ""} {
		require.False(t, isZoneID(other), other)
	}
	require.NoError(t, validateZones([]Zone{{Name: "use1-az4"}, {Name: "us-east-1a"}}))
	require.NoError(t, ValidateZonesIn("us-east-1", []Zone{{Name: "use1-az4"}}))
}

func TestZonesAtTheEdgeAreRefusedByName(t *testing.T) {
	t.Parallel()
	for zone, what := range map[string]string{
		"us-east-1-bos-1a": "is a Local Zone", "us-west-2-lax-1a": "is a Local Zone", "use1-bos1-az1": "is a Local Zone",
		"us-east-1-wl1-bos-wlz-1": "is a Wavelength Zone", "eu-west-2-wl1-lon-wlz-1": "is a Wavelength Zone",
		"use1-wl1-bos-wlz1":    "is a Wavelength Zone",
		"op-0123456789abcdef0": "is an Outpost",
		"arn:aws:outposts:us-east-1:123456789012:outpost/op-0123456789abcdef0": "is an Outpost",
		"eusc-de-east-1a": "", "us-gov-west-1b": "", "use1-az4": "", "euscde-az1": "is not the name",
		"us-east-1": "is not the name",
	} {
		err := validateZones([]Zone{{Name: zone}})
		if what == "" {
			require.NoError(t, err, zone)
			continue
		}
		require.ErrorContains(t, err, what, zone)
	}
}

func TestZonesThatTheAccountDoesNotHaveAreRefused(t *testing.T) {
	t.Parallel()
	_, err := table().Named([]Zone{{Name: "us-east-1a"}, {Name: "us-east-1z"}, {Name: "use1-az9"}})
	require.ErrorContains(t, err, `[1]: "us-east-1z" is not a zone of the region`)
	require.ErrorContains(t, err, `[2]: "use1-az9" is not the ID of a zone`)
	_, err = ZoneTable{}.Named([]Zone{{Name: "us-east-1z"}})
	require.NoError(t, err, "without a list, names are not checked")
}

func TestZonesGivenByIDKeepTheirElasticIPsAndSubnets(t *testing.T) {
	t.Parallel()
	args := &BaseNetworkArgs{Options: Options{Zones: []Zone{{Name: "use1-az4"}, {Name: "us-east-1b"}},
		ElasticIPs: map[string]pulumi.StringInput{
			"use1-az4":   pulumi.String("eipalloc-1"),
			"us-east-1b": pulumi.String("eipalloc-2"),
		}}}
	named, err := table().Named(args.zones())
	require.NoError(t, err)
	require.Equal(t, map[string]pulumi.StringInput{
		"us-east-1a": pulumi.String("eipalloc-1"),
		"us-east-1b": pulumi.String("eipalloc-2"),
	}, args.withZones(named).ElasticIPs)

	given := &BaseNetworkArgs{
		Existing: &ExistingVPC{Subnets: []ExistingSubnets{{Zone: "use1-az1", Private: pulumi.String("subnet-1")}}},
	}
	named, err = table().Named(given.zones())
	require.NoError(t, err)
	require.Equal(t, []ExistingSubnets{{
		Zone:    "us-east-1c",
		Private: pulumi.String("subnet-1"),
	}}, given.withZones(named).Existing.Subnets)
	require.Equal(t, "use1-az1", given.Existing.Subnets[0].Zone, "the caller's args are not changed")
}

// cidrsByZone returns the subnets of a list of zones.
func cidrsByZone(subnets layout.Layout, zones []Zone) map[string][2]string {
	cidrs := map[string][2]string{}
	for _, zone := range place(zones) {
		cidrs[zone.name] = [2]string{subnets.Public(zone.slot), subnets.Private(zone.slot)}
	}
	return cidrs
}

func namedZones(n int) []Zone {
	zones := make([]Zone, n)
	for i := range zones {
		zones[i] = Zone{Name: fmt.Sprintf("us-east-1%c", 'a'+i)}
	}
	return zones
}

func TestAddingOrRemovingAZoneAtTheEndMovesNoSubnet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		subnets, err := layout.New(rapid.SampledFrom([]string{"10.0.0.0/16", "172.16.32.0/19", "192.168.240.0/20"}).Draw(t,
			"vpc"), layout.HostedReserved())
		require.NoError(t, err)
		zones := namedZones(rapid.IntRange(1, layout.Slots-1).Draw(t, "zones") + 1)
		fewer, more := cidrsByZone(subnets, zones[:len(zones)-1]), cidrsByZone(subnets, zones)
		for zone, cidrs := range fewer {
			require.Equal(t, cidrs, more[zone], zone)
		}
	})
}

func TestZonesWithSlotsKeepTheirSubnetsWhenOthersAreAddedOrRemoved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		subnets, err := layout.New(rapid.SampledFrom([]string{"10.0.0.0/16", "172.16.32.0/19", "192.168.240.0/20"}).Draw(t,
			"vpc"), layout.HostedReserved())
		require.NoError(t, err)
		zones := namedZones(layout.Slots)
		for i, slot := range rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "slots") {
			zones[i].Slot = &slot
		}
		all := cidrsByZone(subnets, zones)
		kept := rapid.SliceOfNDistinct(rapid.IntRange(0, layout.Slots-1), 1, layout.Slots, rapid.ID[int]).Draw(t, "kept")
		var some []Zone
		for _, i := range kept {
			some = append(some, zones[i])
		}
		require.NoError(t, validateZones(some))
		for zone, cidrs := range cidrsByZone(subnets, some) {
			require.Equal(t, all[zone], cidrs, zone)
		}
	})
}
