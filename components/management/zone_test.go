package management

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/stretchr/testify/require"
)

func TestAZoneIsDelegatedFromItsParentIfTheAccountHasIt(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	result := r.mustRun(t, with(func(a *PrerequisitesArgs) {
		a.Zone = &ZoneArgs{Domain: "clusters.example.com", ParentZone: "example.com"}
	}))
	require.Equal(t, map[string]any{
		"zoneId": "ZPARENT", "name": "clusters.example.com", "type": "NS", "ttl": 300.0,
		"records": []any{"ns-2.example.net", "ns-1.example.net"},
	}, r.find(t, "aws:route53/record:Record", "mgmt-delegation").Inputs)
	require.Empty(t, result.outputs["zone"].(map[string]any)["delegation"])
}

func TestWithoutItsParentAZoneReportsTheRecordsToCreate(t *testing.T) {
	t.Parallel()
	result := newRecorder(commercial()).mustRun(t, with(func(a *PrerequisitesArgs) {
		a.Zone = &ZoneArgs{Domain: "clusters.example.com"}
	}))
	require.Equal(t, "In the zone above clusters.example.com, or at the registrar of clusters.example.com, "+
		"set NS records for clusters.example.com with TTL 300: ns-1.example.net, ns-2.example.net.",
		result.outputs["zone"].(map[string]any)["delegation"])
}

func TestAnExistingZoneIsCheckedAndNeverChanged(t *testing.T) {
	t.Parallel()
	args := with(func(a *PrerequisitesArgs) {
		a.Zone = &ZoneArgs{Domain: "existing.example.com", Existing: true, ParentZone: "example.com"}
	})
	r := newRecorder(commercial())
	r.delegated = zoneServers()
	result := r.mustRun(t, args)
	require.Equal(t, "ZEXISTING", result.outputs["zone"].(map[string]any)["id"])
	for _, registered := range r.registered {
		require.NotContains(t, registered.Type, "route53")
	}

	r = newRecorder(commercial())
	r.delegated = []string{"ns-9.example.net"}
	_, err := r.run(args)
	require.ErrorContains(t, err, `zone.domain: "existing.example.com" is not delegated from example.com, `+
		`whose NS records for it are [ns-9.example.net]; set them to [ns-1.example.net, ns-2.example.net]`)
}

func TestAMissingZoneIsReportedWithItsPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone ZoneArgs
		want string
	}{
		{ZoneArgs{Domain: "gone.example.org", Existing: true}, `zone.domain: "gone.example.org"`},
		{ZoneArgs{Domain: "gone.example.org", ParentZone: "example.org"}, `zone.parentZone: "example.org"`},
	} {
		_, err := newRecorder(commercial()).run(with(func(a *PrerequisitesArgs) { a.Zone = &c.zone }))
		require.ErrorContains(t, err, c.want)
	}
}

func TestAZoneThatIsDelegatedToSomebodyElseIsNotCreated(t *testing.T) {
	t.Parallel()
	args := with(func(a *PrerequisitesArgs) {
		a.Zone = &ZoneArgs{Domain: "clusters.example.com", ParentZone: "example.com"}
	})
	r := newRecorder(commercial())
	r.delegated = []string{"ns-9.example.net"}
	_, err := r.run(args)
	require.ErrorContains(t, err, `zone.parentZone: "example.com" already delegates clusters.example.com, to [ns-9.example.net]`)

	r.zones["clusters.example.com"] = "ZOWN" // the stack's own zone, found by its tag
	r.mustRun(t, args)
}

func TestAParentZoneIsInTheAccountOfItsOwner(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	r.parentOwner = true
	r.mustRun(t, with(func(a *PrerequisitesArgs) {
		a.Zone = &ZoneArgs{Domain: "clusters.example.com", ParentZone: "example.com"}
	}))
	for _, made := range r.registered {
		require.Equal(t, made.Name == "mgmt-delegation", strings.Contains(made.provider, "::dns::"), made.Name)
	}
	for _, call := range r.calls {
		if call.Token == "aws:route53/getRecords:getRecords" {
			require.Contains(t, call.Provider, "::dns::")
		}
	}
	none := &ZoneArgs{Domain: "clusters.example.com", ParentZoneOwner: &aws.Provider{}}
	require.ErrorContains(t, none.Validate(), "parentZone is missing, but the account of the parent zone is set")
}
