package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func privateZone(name, vpc string) props.Map {
	return props.Map{"name": name, "forceDestroy": true, "vpcs": []any{map[string]any{"vpcId": vpc}}}
}

func TestAPrivateZonesServersAreThoseOfItsNSRecord(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, out := e.create(awstype.HostedZone, privateZone("demo.example.com.", e.vpc()))
	require.Regexp(t, `^Z[A-Z0-9]{20}$`, id)
	require.Equal(t, id, out["zoneId"])
	require.Equal(t, "demo.example.com", out["name"])
	require.Equal(t, "arn:aws:route53:::hostedzone/"+id, out["arn"])
	require.Equal(t, props.List("ns-0.awsdns-00.com.", "ns-1024.awsdns-00.org.", "ns-1536.awsdns-00.co.uk.",
		"ns-512.awsdns-00.net."),
		out["nameServers"])
	require.Equal(t, "ns-0.awsdns-00.com.", out["primaryNameServer"])
	require.Equal(t, "us-east-1", out.Objects("vpcs")[0]["vpcRegion"])

	_, soa, _ := e.read(awstype.Record, id+"_demo.example.com_SOA", nil)
	require.Equal(t, props.List("ns-1536.awsdns-00.co.uk. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"),
		soa["records"])
	_, ns, _ := e.read(awstype.Record, id+"_demo.example.com_NS", nil)
	require.Len(t, ns["records"], 4)
}

func TestAPublicZonesServersHaveNoDots(t *testing.T) {
	t.Parallel()
	_, out := start(t).create(awstype.HostedZone, props.Map{"name": "example.com"})
	require.Len(t, out["nameServers"], 4)
	require.Regexp(t, `^ns-\d+\.awsdns-\d\d\.com$`, out["primaryNameServer"])
	require.Equal(t, "Managed by Pulumi", out["comment"])
}

func TestTheSOARecordCanBeOverwrittenButNotDeleted(t *testing.T) {
	t.Parallel()
	e := start(t)
	zone := e.id(awstype.HostedZone, privateZone("demo.example.com", e.vpc()))
	soa := props.Map{"zoneId": zone, "name": "demo.example.com", "type": "SOA", "ttl": 900.0,
		"records": props.List("ns-1536.awsdns-00.co.uk. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 60")}
	_, _, err := e.try(awstype.Record, soa, false)
	refused(t, err, "InvalidChangeBatch")
	require.ErrorContains(t, err, "already exists")

	soa["allowOverwrite"] = true
	id := e.id(awstype.Record, soa)
	require.Equal(t, zone+"_demo.example.com_SOA", id)
	err = e.delete(awstype.Record, id)
	refused(t, err, "InvalidChangeBatch")
	require.ErrorContains(t, err, "exactly one SOA record")
	refused(t, e.delete(awstype.Record, zone+"_demo.example.com_NS"), "InvalidChangeBatch")
	require.NoError(t, e.delete(awstype.HostedZone, zone))
	found, _, _ := e.read(awstype.Record, id, nil)
	require.Empty(t, found, "it is deleted with the zone")
}

func TestRecordsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	zone := e.publicZone("example.com")
	e.id(awstype.Record, props.Map{
		"zoneId":  zone,
		"name":    "API.example.com.",
		"type":    "A",
		"ttl":     300.0,
		"records": props.List("198.51.100.1"),
	})
	for _, c := range []struct {
		name   string
		inputs props.Map
		code   string
	}{
		{"no such zone", props.Map{
			"zoneId":  "Z0",
			"name":    "x",
			"type":    "A",
			"ttl":     1.0,
			"records": props.List("198.51.100.1"),
		}, "NoSuchHostedZone"},
		{"the same set", props.Map{
			"name":    "api",
			"type":    "A",
			"ttl":     1.0,
			"records": props.List("198.51.100.1"),
		}, "InvalidChangeBatch"},
		{"a CNAME at the apex", props.Map{
			"name":    "example.com",
			"type":    "CNAME",
			"ttl":     1.0,
			"records": props.List("x.org"),
		}, "InvalidChangeBatch"},
		{"no TTL", props.Map{"name": "x", "type": "A", "records": props.List("198.51.100.1")}, "InvalidInput"},
		{"a short SOA", props.Map{
			"name":           "example.com",
			"type":           "SOA",
			"ttl":            1.0,
			"records":        props.List("a b 1"),
			"allowOverwrite": true,
		}, "InvalidChangeBatch"},
	} {
		if !c.inputs.Has("zoneId") {
			c.inputs["zoneId"] = zone
		}
		_, _, err := e.try(awstype.Record, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	_, out := e.create(awstype.Record, props.Map{
		"zoneId":  zone,
		"name":    "api",
		"type":    "AAAA",
		"ttl":     1.0,
		"records": props.List("2001:db8::1"),
	})
	require.Equal(t, "api.example.com", out["fqdn"])
}

func TestAZoneWithRecordsStaysUnlessForced(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props.Map{"name": "example.com"}
	zone := e.id(awstype.HostedZone, inputs)
	record := e.id(awstype.Record, props.Map{
		"zoneId":  zone,
		"name":    "x",
		"type":    "TXT",
		"ttl":     1.0,
		"records": props.List("hello"),
	})
	refused(t, e.delete(awstype.HostedZone, zone), "HostedZoneNotEmpty")
	_, err := e.update(awstype.HostedZone, zone, inputs, props.Map{"name": "example.com", "forceDestroy": true})
	require.NoError(t, err)
	require.NoError(t, e.delete(awstype.HostedZone, zone))
	found, _, _ := e.read(awstype.Record, record, nil)
	require.Empty(t, found)
}

func TestPrivateZonesRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	inputs := privateZone("demo.example.com", vpc)
	zone := e.id(awstype.HostedZone, inputs)
	_, _, err := e.try(awstype.HostedZone, inputs, false)
	refused(t, err, "ConflictingDomainExists")
	_, _, err = e.try(awstype.HostedZone, privateZone("x.example.com", "vpc-0"), false)
	refused(t, err, "InvalidVPCId")
	elsewhere := privateZone("x.example.com", vpc)
	elsewhere.Objects("vpcs")[0]["vpcRegion"] = "eu-west-1"
	_, _, err = e.try(awstype.HostedZone, elsewhere, false)
	refused(t, err, "InvalidVPCId")
	_, err = e.update(awstype.HostedZone, zone, inputs, props.Map{"name": "demo.example.com"})
	refused(t, err, "LastVPCAssociation")
	public := e.publicZone("demo.example.com")
	_, err = e.update(awstype.HostedZone, public, props.Map{"name": "demo.example.com"}, inputs)
	require.Error(t, err)
}

func TestARefreshOfAZoneFindsNoChangeInComputedInputs(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := e.valid(awstype.HostedZone, privateZone("demo.example.com", e.vpc()))
	_, _, in := e.read(awstype.HostedZone, e.id(awstype.HostedZone, without(inputs, "tagsAll")), inputs)
	require.Equal(t, inputs["vpcs"], in["vpcs"])
}
