package network

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

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
