package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	keyARN = "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
	issuer = "https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"
)

func TestANewAccountHoldsItsSeedsAndSaysSo(t *testing.T) {
	t.Parallel()
	var told []string
	server := serve(t, Options{
		Seeds: []Seed{{Kind: SeedPublicZone, Name: "example.com"}, {Kind: SeedKMSKey, Name: keyARN}, {Kind: SeedOIDCProvider, Name: issuer}},
		Tell:  func(sentence string) { told = append(told, sentence) },
	})
	e := attach(t, server, props{"region": "us-east-1"})
	require.Equal(t, []string{"new offline account 123456789012 holds the public zone example.com, the KMS key " + keyARN +
		" and the OIDC provider " + issuer}, told)

	zone, err := e.invoke("aws:route53/getZone:getZone", props{"name": "example.com", "privateZone": false})
	require.NoError(t, err)
	require.Regexp(t, `^Z[A-Z0-9]{20}$`, zone["zoneId"])
	key, err := e.invoke("aws:kms/getKey:getKey", props{"keyId": keyARN})
	require.NoError(t, err)
	require.Equal(t, keyARN, key["arn"])
	provider, err := e.invoke("aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", props{"url": issuer})
	require.NoError(t, err)
	require.Equal(t, "arn:aws:iam::123456789012:oidc-provider/demo-oidc.s3.us-east-1.amazonaws.com/demo-x1", provider["arn"])
}

func TestAnEmptyAccountSaysThatItIs(t *testing.T) {
	t.Parallel()
	var told []string
	e := attach(t, serve(t, Options{Tell: func(s string) { told = append(told, s) }}), props{"region": "us-east-1"})
	require.Equal(t, []string{"new offline account 123456789012 holds nothing"}, told)
	_, err := e.invoke("aws:route53/getZone:getZone", props{"name": "example.com"})
	require.ErrorContains(t, err, "no matching Route 53 Hosted Zone found")
}

func TestAnOlderAccountGetsTheSeedsThatAreNewToIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := props{"region": "us-east-1"}
	first, err := Serve(Options{Dir: dir, Seeds: []Seed{{Kind: SeedPublicZone, Name: "example.com"}}})
	require.NoError(t, err)
	e := attach(t, first, config)
	zone, err := e.invoke("aws:route53/getZone:getZone", props{"name": "example.com"})
	require.NoError(t, err)
	require.NoError(t, e.delete(zoneToken, zone.text("zoneId")))
	require.NoError(t, first.Close())

	var told []string
	e = attach(t, serve(t, Options{Dir: dir, Tell: func(s string) { told = append(told, s) },
		Seeds: []Seed{{Kind: SeedPublicZone, Name: "example.com"}, {Kind: SeedPublicZone, Name: "example.org"}}}), config)
	require.Equal(t, []string{"offline account 123456789012 now also holds the public zone example.org"}, told)
	_, err = e.invoke("aws:route53/getZone:getZone", props{"name": "example.com"})
	require.Error(t, err, "a seed that was deleted stays deleted")
}

func TestASeedGivesWayToWhatAStackHasMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := props{"region": "us-east-1"}
	e := attach(t, serve(t, Options{Dir: dir}), config)
	arn := e.id(oidcToken, props{"url": issuer, "clientIdLists": list("openshift")})
	e = attach(t, serve(t, Options{Dir: dir, Seeds: []Seed{{Kind: SeedOIDCProvider, Name: issuer}}}), config)
	found, _, _ := e.read(oidcToken, arn, nil)
	require.Equal(t, arn, found)
}

func TestASeedThatIsNoKeyIsRefused(t *testing.T) {
	t.Parallel()
	account, err := openAccount(t.TempDir(), defaultAccount, knownTypes())
	require.NoError(t, err)
	_, err = account.plant([]Seed{{Kind: SeedKMSKey, Name: "alias/x"}}, site{account: defaultAccount, region: "us-east-1"})
	require.ErrorContains(t, err, "give arn:aws:kms:REGION:ACCOUNT:key/ID")
}

func TestAZoneAboveAnotherDelegatesItWhereBothWereThere(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{Seeds: []Seed{{Kind: SeedPublicZone, Name: "example.com"}, {Kind: SeedPublicZone, Name: "a.example.com"}}}),
		props{"region": "us-east-1"})
	zones := map[string]props{}
	for _, domain := range []string{"example.com", "a.example.com"} {
		zone, err := e.invoke("aws:route53/getZone:getZone", props{"name": domain})
		require.NoError(t, err)
		zones[domain] = zone
	}
	found, err := e.invoke("aws:route53/getRecords:getRecords", props{"zoneId": zones["example.com"]["zoneId"], "nameRegex": "^a\\."})
	require.NoError(t, err)
	require.Len(t, found.objects("resourceRecordSets"), 1)
	var servers []string
	for _, record := range found.objects("resourceRecordSets")[0].objects("resourceRecords") {
		servers = append(servers, record.text("value"))
	}
	require.ElementsMatch(t, zones["a.example.com"].texts("nameServers"), servers)
}
