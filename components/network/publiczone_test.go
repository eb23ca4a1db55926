package network

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func TestAPublicZoneIsCreatedAndDelegated(t *testing.T) {
	t.Parallel()
	records := func(sets ...any) map[string]any { return map[string]any{"resourceRecordSets": sets} }
	delegated := map[string]any{"type": "NS", "resourceRecords": []any{map[string]any{"value": "NS1.example.net."}}}
	for name, test := range map[string]struct {
		zone    PublicZone
		records map[string]any
		own     bool
		want    string
	}{
		"by hand":             {PublicZone{}, nil, false, ""},
		"from its parent":     {PublicZone{ParentZone: "example.org"}, records(), false, ""},
		"once more":           {PublicZone{ParentZone: "example.org"}, records(delegated), true, ""},
		"to somebody else":    {PublicZone{ParentZone: "example.org"}, records(delegated), false, `publicZone.parentZone: "example.org" already delegates hc.example.org, to [ns1.example.net]`},
		"from a sibling":      {PublicZone{ParentZone: "example.net"}, nil, false, `publicZone.parentZone: "example.net" is not above "hc.example.org"`},
		"from an absent zone": {PublicZone{ParentZone: "org.example.org"}, nil, false, `is not above`},
	} {
		a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Public)
		args.BaseDomain, args.PublicZone = "hc.example.org", &test.zone
		a.lookups["getZone example.org"] = map[string]any{"zoneId": "ZPARENT", "arn": "a", "name": "example.org"}
		if test.records == nil {
			test.records = records()
		}
		sets := test.records["resourceRecordSets"].([]any)
		a.lookups["getRecords"] = records(append(sets, map[string]any{"type": "SOA",
			"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}})...)
		if test.own {
			a.lookups["getZone hc.example.org"] = map[string]any{"zoneId": "ZOWN", "arn": "a", "name": "hc.example.org"}
		}
		_, err := a.run(t, args)
		if test.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.want, name)
	}
}

func TestAPublicZoneIsCreatedOrChosen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		access hypershift.EndpointAccess
		id     string
		want   string
	}{
		{hypershift.Private, "", "publicZone is not used with endpointAccess Private"},
		{
			hypershift.Public,
			"Z0SECOND00000",
			"publicZoneID: \"Z0SECOND00000\" is an existing zone, but publicZone creates one",
		},
	} {
		args := inExisting(test.access)
		args.PublicZone, args.PublicZoneID = &PublicZone{}, test.id
		require.ErrorContains(t, args.Validate(), test.want)
	}
}

func TestOneOfSeveralPublicZonesIsChosenByItsID(t *testing.T) {
	t.Parallel()
	several := map[string]any{"error": "multiple Route 53 Hosted Zones matched; use additional constraints"}
	chosen := map[string]any{"zoneId": "Z0SECOND00000", "name": "example.com", "privateZone": false, "arn": "a"}
	for name, test := range map[string]struct {
		id   string
		zone map[string]any
		want string
	}{
		"none chosen":    {"", chosen, `baseDomain: "example.com" has several public zones in this account; set network.publicZoneID`},
		"one chosen":     {"Z0SECOND00000", chosen, ""},
		"another domain": {"Z0SECOND00000", map[string]any{"zoneId": "Z0SECOND00000", "name": "example.org"}, `publicZoneID: "Z0SECOND00000" is the zone example.org`},
		"absent":         {"Z0SECOND00000", nil, `publicZoneID: "Z0SECOND00000" cannot be looked up`},
		"no ID":          {"example.com", chosen, `publicZoneID: "example.com" is not the ID of a hosted zone`},
	} {
		a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Public)
		args.PublicZoneID = test.id
		a.but(answers{"getZone Z0SECOND00000": test.zone,
			"getRecords": {"resourceRecordSets": []any{map[string]any{"type": "SOA",
				"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}})
		a.lookups["getZone example.com"] = several
		_, err := a.run(t, args)
		if test.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.want, name)
	}
}
