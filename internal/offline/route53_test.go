package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func privateZone(name, vpc string) props {
	return props{"name": name, "forceDestroy": true, "vpcs": []any{map[string]any{"vpcId": vpc}}}
}

func TestAPrivateZonesServersAreThoseOfItsNSRecord(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, out := e.create(zoneToken, privateZone("demo.example.com.", e.vpc()))
	require.Regexp(t, `^Z[A-Z0-9]{20}$`, id)
	require.Equal(t, id, out["zoneId"])
	require.Equal(t, "demo.example.com", out["name"])
	require.Equal(t, "arn:aws:route53:::hostedzone/"+id, out["arn"])
	require.Equal(t, list("ns-0.awsdns-00.com.", "ns-1024.awsdns-00.org.", "ns-1536.awsdns-00.co.uk.", "ns-512.awsdns-00.net."),
		out["nameServers"])
	require.Equal(t, "ns-0.awsdns-00.com.", out["primaryNameServer"])
	require.Equal(t, "us-east-1", out.objects("vpcs")[0]["vpcRegion"])

	_, soa, _ := e.read(recordToken, id+"_demo.example.com_SOA", nil)
	require.Equal(t, list("ns-1536.awsdns-00.co.uk. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"), soa["records"])
	_, ns, _ := e.read(recordToken, id+"_demo.example.com_NS", nil)
	require.Len(t, ns["records"], 4)
}

func TestAPublicZonesServersHaveNoDots(t *testing.T) {
	t.Parallel()
	_, out := start(t).create(zoneToken, props{"name": "example.com"})
	require.Len(t, out["nameServers"], 4)
	require.Regexp(t, `^ns-\d+\.awsdns-\d\d\.com$`, out["primaryNameServer"])
	require.Equal(t, "Managed by Pulumi", out["comment"])
}

func TestTheSOARecordCanBeOverwrittenButNotDeleted(t *testing.T) {
	t.Parallel()
	e := start(t)
	zone := e.id(zoneToken, privateZone("demo.example.com", e.vpc()))
	soa := props{"zoneId": zone, "name": "demo.example.com", "type": "SOA", "ttl": 900.0,
		"records": list("ns-1536.awsdns-00.co.uk. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 60")}
	_, _, err := e.try(recordToken, soa, false)
	refused(t, err, "InvalidChangeBatch")
	require.ErrorContains(t, err, "already exists")

	soa["allowOverwrite"] = true
	id := e.id(recordToken, soa)
	require.Equal(t, zone+"_demo.example.com_SOA", id)
	err = e.delete(recordToken, id)
	refused(t, err, "InvalidChangeBatch")
	require.ErrorContains(t, err, "exactly one SOA record")
	refused(t, e.delete(recordToken, zone+"_demo.example.com_NS"), "InvalidChangeBatch")
	require.NoError(t, e.delete(zoneToken, zone))
	found, _, _ := e.read(recordToken, id, nil)
	require.Empty(t, found, "it goes with the zone")
}

func TestRecordsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	zone := e.publicZone("example.com")
	e.id(recordToken, props{"zoneId": zone, "name": "API.example.com.", "type": "A", "ttl": 300.0, "records": list("198.51.100.1")})
	for _, c := range []struct {
		name   string
		inputs props
		code   string
	}{
		{"no such zone", props{"zoneId": "Z0", "name": "x", "type": "A", "ttl": 1.0, "records": list("198.51.100.1")}, "NoSuchHostedZone"},
		{"the same set", props{"name": "api", "type": "A", "ttl": 1.0, "records": list("198.51.100.1")}, "InvalidChangeBatch"},
		{"a CNAME at the apex", props{"name": "example.com", "type": "CNAME", "ttl": 1.0, "records": list("x.org")}, "InvalidChangeBatch"},
		{"no TTL", props{"name": "x", "type": "A", "records": list("198.51.100.1")}, "InvalidInput"},
		{"a short SOA", props{"name": "example.com", "type": "SOA", "ttl": 1.0, "records": list("a b 1"), "allowOverwrite": true}, "InvalidChangeBatch"},
	} {
		if !c.inputs.has("zoneId") {
			c.inputs["zoneId"] = zone
		}
		_, _, err := e.try(recordToken, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	_, out := e.create(recordToken, props{"zoneId": zone, "name": "api", "type": "AAAA", "ttl": 1.0, "records": list("2001:db8::1")})
	require.Equal(t, "api.example.com", out["fqdn"])
}

func TestAZoneWithRecordsStaysUnlessForced(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props{"name": "example.com"}
	zone := e.id(zoneToken, inputs)
	record := e.id(recordToken, props{"zoneId": zone, "name": "x", "type": "TXT", "ttl": 1.0, "records": list("hello")})
	refused(t, e.delete(zoneToken, zone), "HostedZoneNotEmpty")
	_, err := e.update(zoneToken, zone, inputs, props{"name": "example.com", "forceDestroy": true})
	require.NoError(t, err)
	require.NoError(t, e.delete(zoneToken, zone))
	found, _, _ := e.read(recordToken, record, nil)
	require.Empty(t, found)
}

func TestPrivateZonesRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	inputs := privateZone("demo.example.com", vpc)
	zone := e.id(zoneToken, inputs)
	_, _, err := e.try(zoneToken, inputs, false)
	refused(t, err, "ConflictingDomainExists")
	_, _, err = e.try(zoneToken, privateZone("x.example.com", "vpc-0"), false)
	refused(t, err, "InvalidVPCId")
	elsewhere := privateZone("x.example.com", vpc)
	elsewhere.objects("vpcs")[0]["vpcRegion"] = "eu-west-1"
	_, _, err = e.try(zoneToken, elsewhere, false)
	refused(t, err, "InvalidVPCId")
	_, err = e.update(zoneToken, zone, inputs, props{"name": "demo.example.com"})
	refused(t, err, "LastVPCAssociation")
	public := e.publicZone("demo.example.com")
	_, err = e.update(zoneToken, public, props{"name": "demo.example.com"}, inputs)
	require.Error(t, err)
}

func TestARefreshOfAZoneFindsNoChangeInWhatTheProviderFilledIn(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := e.valid(zoneToken, privateZone("demo.example.com", e.vpc()))
	_, _, in := e.read(zoneToken, e.id(zoneToken, without(inputs, "tagsAll")), inputs)
	require.Equal(t, inputs["vpcs"], in["vpcs"])
}
