package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

const (
	keyARN = "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab"
	issuer = "https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"
)

func TestANewAccountHasItsSeedsAndReportsThem(t *testing.T) {
	t.Parallel()
	var told []string
	server := serve(t, Options{
		Seeds: []seed.Seed{{
			Kind: seed.PublicZone,
			Name: "example.com",
		}, {Kind: seed.KMSKey, Name: keyARN}, {Kind: seed.OIDCProvider, Name: issuer}},
		Tell: func(sentence string) { told = append(told, sentence) },
	})
	e := attach(t, server, props.Map{"region": "us-east-1"})
	require.Equal(t, []string{"new offline account 123456789012 contains the public zone example.com, the KMS key " + keyARN +
		" and the OIDC provider " + issuer}, told)

	zone, err := e.invoke("aws:route53/getZone:getZone", props.Map{"name": "example.com", "privateZone": false})
	require.NoError(t, err)
	require.Regexp(t, `^Z[A-Z0-9]{20}$`, zone["zoneId"])
	key, err := e.invoke("aws:kms/getKey:getKey", props.Map{"keyId": keyARN})
	require.NoError(t, err)
	require.Equal(t, keyARN, key["arn"])
	provider, err := e.invoke("aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", props.Map{"url": issuer})
	require.NoError(t, err)
	require.Equal(t, "arn:aws:iam::123456789012:oidc-provider/demo-oidc.s3.us-east-1.amazonaws.com/demo-x1", provider["arn"])
}

func TestAnEmptyAccountIsReported(t *testing.T) {
	t.Parallel()
	var told []string
	e := attach(t, serve(t, Options{Tell: func(s string) { told = append(told, s) }}), props.Map{"region": "us-east-1"})
	require.Equal(t, []string{"new offline account 123456789012 contains nothing"}, told)
	_, err := e.invoke("aws:route53/getZone:getZone", props.Map{"name": "example.com"})
	require.ErrorContains(t, err, "no matching Route 53 Hosted Zone found")
}

func TestAnOlderAccountGetsTheSeedsThatAreNewToIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := props.Map{"region": "us-east-1"}
	first, err := Serve(Options{Dir: dir, Seeds: []seed.Seed{{Kind: seed.PublicZone, Name: "example.com"}}})
	require.NoError(t, err)
	e := attach(t, first, config)
	zone, err := e.invoke("aws:route53/getZone:getZone", props.Map{"name": "example.com"})
	require.NoError(t, err)
	require.NoError(t, e.delete(awstype.HostedZone, zone.String("zoneId")))
	require.NoError(t, first.Close())

	var told []string
	e = attach(t, serve(t, Options{Dir: dir, Tell: func(s string) { told = append(told, s) },
		Seeds: []seed.Seed{{Kind: seed.PublicZone, Name: "example.com"}, {Kind: seed.PublicZone, Name: "example.org"}}}),
		config)
	require.Equal(t, []string{"offline account 123456789012 now also contains the public zone example.org"}, told)
	_, err = e.invoke("aws:route53/getZone:getZone", props.Map{"name": "example.com"})
	require.Error(t, err, "a seed that was deleted stays deleted")
}

func TestASeedIsNotCreatedIfAStackHasCreatedTheResource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := props.Map{"region": "us-east-1"}
	e := attach(t, serve(t, Options{Dir: dir}), config)
	arn := e.id(awstype.OIDCProvider, props.Map{"url": issuer, "clientIdLists": props.List("openshift")})
	e = attach(t, serve(t, Options{Dir: dir, Seeds: []seed.Seed{{Kind: seed.OIDCProvider, Name: issuer}}}), config)
	found, _, _ := e.read(awstype.OIDCProvider, arn, nil)
	require.Equal(t, arn, found)
}

func TestASeedThatIsNoKeyIsRefused(t *testing.T) {
	t.Parallel()
	account, err := aws.OpenAccount(t.TempDir(), aws.DefaultAccount, catalogue())
	require.NoError(t, err)
	_, err = seed.Apply(account, []seed.Seed{{
		Kind: seed.KMSKey,
		Name: "alias/x",
	}}, aws.Site{Account: aws.DefaultAccount, Region: "us-east-1"})
	require.ErrorContains(t, err, "use arn:aws:kms:REGION:ACCOUNT:key/ID")
}

func TestASeedThatLacksWhatItsKindNeedsIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seed  seed.Seed
		fault string
	}{
		{seed.Seed{Kind: seed.VPC}, `a seed of kind "VPC" needs Name`},
		{seed.Seed{
			Kind: seed.PrivateSubnet,
			Name: "subnet-1",
			Zone: "us-east-1a",
		}, "the private subnet subnet-1 in us-east-1a needs Zone and VPC"},
		{seed.Seed{Kind: seed.SecurityGroup, Name: "sg-1"}, "the security group sg-1 needs VPC"},
		{seed.Seed{Kind: seed.PrivateZone, Name: "Z1", VPC: "vpc-1"}, "the private zone Z1 of vpc-1 needs Domain and VPC"},
		{seed.Seed{Kind: "moon", Name: "luna"}, `"moon" is not a kind of seed`},
	} {
		account, err := aws.OpenAccount(t.TempDir(), aws.DefaultAccount, catalogue())
		require.NoError(t, err)
		_, err = seed.Apply(account, []seed.Seed{c.seed}, aws.Site{Account: aws.DefaultAccount, Region: "us-east-1"})
		require.ErrorContains(t, err, c.fault)
	}
}

func TestAZoneAboveAnotherDelegatesItWhereBothWereThere(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{
		Seeds: []seed.Seed{{Kind: seed.PublicZone, Name: "example.com"}, {Kind: seed.PublicZone, Name: "a.example.com"}},
	}),
		props.Map{"region": "us-east-1"})
	zones := map[string]props.Map{}
	for _, domain := range []string{"example.com", "a.example.com"} {
		zone, err := e.invoke("aws:route53/getZone:getZone", props.Map{"name": domain})
		require.NoError(t, err)
		zones[domain] = zone
	}
	found, err := e.invoke("aws:route53/getRecords:getRecords", props.Map{
		"zoneId":    zones["example.com"]["zoneId"],
		"nameRegex": "^a\\.",
	})
	require.NoError(t, err)
	require.Len(t, found.Objects("resourceRecordSets"), 1)
	var servers []string
	for _, record := range found.Objects("resourceRecordSets")[0].Objects("resourceRecords") {
		servers = append(servers, record.String("value"))
	}
	require.ElementsMatch(t, zones["a.example.com"].Strings("nameServers"), servers)
}
