package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// whole is a config that uses every key.
const whole = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    baseDomainPrefix: ""
    endpointAccess: PublicAndPrivate
    tags: {team: platform}
    network:
      vpcCIDR: 10.0.0.0/16
      zones: [us-east-1a, {name: us-east-1c, slot: 2}]
      nat: Single
      interfaceEndpoints: [sts]
    oidc:
      bucketName: demo-oidc
      bucketRegion: us-east-1
    kmsKeyARN: arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab
`

// kinds are those of this project.
func kinds() Kinds {
	return Kinds{
		{
			Kind:    KindManagement,
			Least:   "set oidcBucket and operator at least",
			Section: func() Section { return &Management{} },
		},
		{Kind: KindCluster, Least: "use name, baseDomain and oidc at least", Section: func() Section { return &Cluster{} }},
		{
			Kind:    KindCAPA,
			Least:   "use name, kubernetesVersion and network.zones at least",
			Section: func() Section { return &CAPA{} },
		},
	}
}

func load(t *testing.T, text string) (*File, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName("dev")), []byte(text), 0o600))
	file, err := kinds().LoadFile(dir, "dev")
	if !strings.Contains(text, "[\n") { // which is no YAML
		requireSchemaAgrees(t, text, fault.In(err))
	}
	for _, f := range fault.In(err) {
		require.True(t, kinds().IsKey(f.Path) || strings.HasPrefix(f.Problem, "is not a key"),
			"no key of the config is at fault: %s", f)
	}
	if err != nil {
		// The folder differs from run to run.
		return file, withoutDir(err, dir)
	}
	return file, nil
}

func withoutDir(err error, dir string) error {
	var faults fault.Faults
	for _, f := range fault.In(err) {
		at := *f
		at.File = strings.TrimPrefix(at.File, dir+"/")
		faults = append(faults, &at)
	}
	return faults.Err()
}

func TestAWholeConfigIsDecoded(t *testing.T) {
	t.Parallel()
	file, err := load(t, whole)
	require.NoError(t, err)
	require.Equal(t, KindCluster, file.Kind)
	require.Equal(t, "us-east-1", file.Region)
	c := As[*Cluster](file)
	require.Equal(t, "demo-x1", c.InfraID)
	require.Equal(t, map[string]string{"team": "platform"}, c.Tags)
	require.Equal(t, "us-east-1a", c.Network.Zones[0].Name)
	require.Nil(t, c.Network.Zones[0].Slot)
	require.Equal(t, 2, *c.Network.Zones[1].Slot)
	require.Equal(t, []Existing{
		{Kind: ExistingPublicZone, Name: "example.com"},
		{Kind: ExistingKMSKey, Name: input.Text(c.KMSKeyARN)},
	}, file.Existing(nil))
}

func TestTheShortestConfigGetsTheDefaults(t *testing.T) {
	t.Parallel()
	file, err := load(t, `config:
  aws:region: eu-west-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster: {name: demo, baseDomain: example.com, oidc: {bucketName: demo-oidc}}
`)
	require.NoError(t, err)
	require.Regexp(t, `^demo-[a-z0-9]{5}$`, As[*Cluster](file).InfraID)
	require.Equal(t, "Public", string(As[*Cluster](file).EndpointAccess))
	require.Equal(t, "PerZone", string(As[*Cluster](file).Network.NAT))
	require.Equal(t, "10.0.0.0/16", As[*Cluster](file).Network.VPCCIDR)
	require.Equal(t, pulumi.String("eu-west-1"), As[*Cluster](file).OIDC.BucketRegion)
}

func TestTheDefaultInfraIDDependsOnTheStackAndHasAtMost32Characters(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 40)
	require.Equal(t, defaultInfraID("demo", "dev"), defaultInfraID("demo", "dev"))
	require.NotEqual(t, defaultInfraID("demo", "dev"), defaultInfraID("demo", "prod"))
	require.Len(t, defaultInfraID(long, "dev"), 32)
	require.NotContains(t, defaultInfraID(strings.Repeat("a", 25)+"-bcd", "dev"), "--")
}

func TestABadValueIsRefusedWithItsLineItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ replace, with, want string }{
		{"aws:region", "aws:regoin", `Pulumi.dev.yaml:2: aws:regoin is not a key of the AWS provider; did you mean region?`},
		{"    name: demo\n", "", `Pulumi.dev.yaml:4: hypershift-aws:cluster.name is missing; set the HostedCluster's name`},
		{"name: demo\n", "name: Demo_1\n", `Pulumi.dev.yaml:5: hypershift-aws:cluster.name: "Demo_1" is not a DNS label`},
		{"name: demo\n", "name: 1234\n", `:5: hypershift-aws:cluster.name: "1234" is a number; expected a string; put it in quotes: "1234"`},
		{"name: demo\n", "name: [demo]\n", `:5: hypershift-aws:cluster.name is a list; expected a string`},
		{"name: demo\n", "name: {secure: AAAB}\n", `:5: hypershift-aws:cluster.name is encrypted`},
		{"demo-x1", strings.Repeat("x", 33), `:6: hypershift-aws:cluster.infraID: "` + strings.Repeat("x", 33) + `" is too long (33 characters)`},
		{"demo-x1", "demo-", `infraID: "demo-" does not match HyperShift's pattern`},
		{"    baseDomain: example.com\n", "", `hypershift-aws:cluster.baseDomain is missing; set the domain`},
		{"example.com", "example.com.", `:7: hypershift-aws:cluster.baseDomain: "example.com." is not a domain name`},
		{`baseDomainPrefix: ""`, "baseDomainPrefix: -x", `:8: hypershift-aws:cluster.baseDomainPrefix: "-x"`},
		{"PublicAndPrivate", "Both", `:9: hypershift-aws:cluster.endpointAccess: "Both" is not an endpoint access; use Public, PublicAndPrivate or Private`},
		{"{team: platform}", "{team: 1.0}", `:10: hypershift-aws:cluster.tags[team]: "1.0" is a number`},
		{"{team: platform}", `{"aws:team": x}`, `:10: hypershift-aws:cluster.tags[aws:team]: "aws:team" is a key that AWS reserves`},
		{"{team: platform}", `{team: "a b"}`, `tags[team]: "a b" has characters that HyperShift refuses`},
		{"{team: platform}", `{Name: x}`, `tags[Name]: "Name" is a key that is set automatically`},
		{"{team: platform}", "[team]", `:10: hypershift-aws:cluster.tags is a list; expected a mapping`},
		{"vpcCIDR:", "outpostARN:", `:12: hypershift-aws:cluster.network.outpostARN is not a key of the config; HyperShift has no nodes on Outposts: use availability zones of the region`},
		{"vpcCIDR:", "localZones:", `HyperShift has no nodes in Local Zones`},
		{"vpcCIDR:", "wavelengthZones:", `HyperShift has no nodes in Wavelength Zones`},
		{"vpcCIDR:", "vpcCidr:", `:12: hypershift-aws:cluster.network.vpcCidr is not a key of the config; did you mean vpcCIDR?`},
		{"10.0.0.0/16", "10.0.0.1/16", `:12: hypershift-aws:cluster.network.vpcCIDR: "10.0.0.1/16" is not a network address; use 10.0.0.0/16`},
		{"10.0.0.0/16", "10.132.0.0/16", `"10.132.0.0/16" overlaps 10.132.0.0/14, the cluster network`},
		{"10.0.0.0/16", "10.0.0.0/25", `"10.0.0.0/25" is too small`},
		{"[us-east-1a, ", "[eu-west-1a, ", `:13: hypershift-aws:cluster.network.zones[0]: "eu-west-1a" is not a zone of region us-east-1; use a zone of us-east-1, such as us-east-1a`},
		{"[us-east-1a, ", "[us-east-1c, ", `:13: hypershift-aws:cluster.network.zones[1]: "us-east-1c" duplicates zone [0]`},
		{"[us-east-1a, ", "[{name: us-east-1a, slot: 2}, ", `zones[1].slot: "2" is already the slot of zone [0]`},
		{"[us-east-1a, ", "[7, ", `zones[0]: "7" is a number; expected a string or a mapping`},
		{"slot: 2", "slot: 8", `zones[1].slot: "8" is not a slot of the VPC; use 0 to 7`},
		{"slot: 2", "slot: two", `zones[1].slot: "two" is a string; expected an integer`},
		{"slot: 2", "place: 2", `zones[1].place is not a key of the config; the keys here are name, slot`},
		{"    name: demo\n", "    name: demo\n    zones: [us-east-1a]\n", `:6: hypershift-aws:cluster.zones is not a key of the config; network has this key; the keys here are `},
		{"    name: demo\n", "    name: demo\n    release: x\n", `hypershift-aws:cluster.release is not a key of the config; hostedCluster has this key; the keys here are `},
		{"    name: demo\n", "    name: demo\n    region: x\n", `hypershift-aws:cluster.region is not a key of the config; aws:region is the stack's own, beside the section; the keys here are `},
		{"nat: Single", "nat: Single\n      infraID: x", `hypershift-aws:cluster.network.infraID is not a key of the config; the section itself has this key; the keys here are `},
		{"slot: 2", "privateZoneID: x", `zones[1].privateZoneID is not a key of the config; network.existing has this key; the keys here are `},
		{"nat: Single", "nat: Two", `:14: hypershift-aws:cluster.network.nat: "Two" is not a NAT strategy`},
		{"nat: Single\n      interfaceEndpoints: [sts]", "nat: None\n      interfaceEndpoints: [ec2]", `:14: hypershift-aws:cluster.network.nat: "None" leaves the nodes without sts; set interfaceEndpoints: [ec2, ecr.api, ecr.dkr, elasticloadbalancing, sts]`},
		{"[sts]", "[sts, s3]", `interfaceEndpoints[1]: "s3" always has a gateway endpoint`},
		{"bucketName: demo-oidc", "bucketName: demo.oidc", `:17: hypershift-aws:cluster.oidc.bucketName: "demo.oidc" contains dots`},
		{"bucketName: demo-oidc", "issuerURL: https://example.com:8443/x", `:17: hypershift-aws:cluster.oidc.issuerURL: "https://example.com:8443/x" has a port, which IAM does not allow`},
		{"bucketName: demo-oidc", "issuerURL: http://example.com", `:17: hypershift-aws:cluster.oidc.issuerURL: "http://example.com" is not an issuer's URL`},
		{"bucketName: demo-oidc\n", "bucketName: demo-oidc\n      issuerURL: https://example.com\n",
			`:18: hypershift-aws:cluster.oidc.issuerURL: "https://example.com" conflicts with bucketName`},
		{"kms:us-east-1:", "kms:eu-west-1:", `:19: hypershift-aws:cluster.kmsKeyARN: "arn:aws:kms:eu-west-1:`},
		{"key/1234abcd-12ab-34cd-a6ef-1234567890ab", "alias/etcd", `is not the ARN of a KMS key`},
		{"kind: cluster", "kind: clutser", `:3: hypershift-aws:kind: "clutser" is not a kind of stack; use cluster, whose section the file has`},
		{"  hypershift-aws:kind: cluster\n", "", `hypershift-aws:kind is missing; use cluster, whose section the file has`},
		{"hypershift-aws:kind", "hypershift-aws:knid", `:3: hypershift-aws:knid is not a key of the config`},
		{"hypershift-aws:kind", "kind", `:3: kind has no namespace; write hypershift-aws:kind`},
		{"us-east-1\n  hyper", "mars\n  hyper", `:2: aws:region: "mars" is not a region`},
		{"us-east-1\n  hyper", "us-esat-1\n  hyper", `:2: aws:region: "us-esat-1" is not a known region of AWS; use us-east-1;`},
		{"    name: demo\n", "    name: demo\n    name: demo\n", `hypershift-aws:cluster.name is a duplicate key`},
		{"    name: demo\n", "    name: [\n", `:5: is not YAML`},
		{"      nat: Single", "     nat: Single", `:14: is not YAML: did not find expected key`},
		{"nat: Single", "nat: Single: 2", `:14: is not YAML: mapping values are not allowed in this context`},
		{"config:\n", "environment: [prod]\nconfig:\n", `:1: environment names environments of Pulumi ESC, whose values no check would see; write the values below config`},
		{"config:\n", "environment:\n  imports: [prod]\nconfig:\n", `:1: environment names environments of Pulumi ESC`},
		{"config:\n", "confg:\n", `:1: confg is not a key of a stack's file; did you mean config?`},
		{"config:\n", "configuration:\n", `:1: configuration is not a key of a stack's file; did you mean config?`},
		{"    name: demo\n", "\tname: demo\n", `:5: is not YAML: found character that cannot start any token; indent with spaces instead of tabs`},
	} {
		t.Run(test.with, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, whole, test.replace)
			_, err := load(t, strings.Replace(whole, test.replace, test.with, 1))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestAnUnknownRegionOfTheEnvironmentIsNamedByItsVariable(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "us-east-9")
	_, err := load(t, strings.Replace(whole, "  aws:region: us-east-1\n", "", 1))
	require.ErrorContains(t, err, `AWS_DEFAULT_REGION: "us-east-9" is not a known region of AWS; use us-east-1;`)
	t.Setenv("AWS_REGION", "eu-west")
	_, err = load(t, strings.Replace(whole, "  aws:region: us-east-1\n", "", 1))
	require.ErrorContains(t, err, `AWS_REGION: "eu-west" is not a region; use one such as us-east-1`)
}

func TestMoreThanEightZonesAreRefused(t *testing.T) {
	t.Parallel()
	var zones []string
	for i := range 9 {
		zones = append(zones, fmt.Sprintf("us-east-1%c", 'a'+i))
	}
	_, err := load(t, strings.Replace(whole, "us-east-1a, {name: us-east-1c, slot: 2}", strings.Join(zones, ", "), 1))
	require.ErrorContains(t, err, `network.zones: "9" are more zones than the layout of a VPC allows; use at most 8`)
	require.Len(t, fault.In(err), 1)
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: Demo
    endpointAccess: Both
    tags: {a: 1}
    network: {vpcCIDR: 10.0.0.0/30, zones: [eu-west-1a], nat: Two, unknown: 1}
    kmsKeyARN: key
`)
	var paths []string
	for _, f := range fault.In(err) {
		require.NotZero(t, f.Line, f.Path)
		require.NotEmpty(t, f.Remedy, f.Path)
		paths = append(paths, strings.TrimPrefix(f.Path, "hypershift-aws:cluster."))
	}
	require.ElementsMatch(t, []string{
		"tags[a]", "network.unknown", "name", "endpointAccess", "baseDomain", "network.vpcCIDR",
		"network.zones[0]", "network.nat", "oidc.bucketName", "kmsKeyARN",
	}, paths)
}

func TestAMissingFileIsDistinguishedFromAnInvalidOne(t *testing.T) {
	t.Parallel()
	_, err := kinds().LoadFile(t.TempDir(), "dev")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestAnEmptyFileReportsWhatItNeeds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "config:\n", "{}"} {
		_, err := load(t, text)
		require.ErrorContains(t, err, "hypershift-aws:kind is missing; use management, cluster")
		require.Len(t, fault.In(err), 1, "which section it needs follows from its kind")
	}
}

func TestAMistakeInAFilesOutlineIsOneFault(t *testing.T) {
	t.Parallel()
	const management = "  hypershift-aws:management: {oidcBucket: {name: demo-oidc}, operator: {issuerURL: 'https://oidc.example.com/m'}}\n"
	for text, want := range map[string]string{
		"config:\n  aws:region: us-east-1\n" +
			management: "hypershift-aws:kind is missing; use management, whose section the file has",
		"config:\n  aws:region: us-east-1\n  hypershift-aws:kind: manage\n" + management:                   `hypershift-aws:kind: "manage" is not a kind of stack; use management`,
		"config:\n  aws:region: us-east-1\n  hypershift-aws:kind: clutser\n":                               `hypershift-aws:kind: "clutser" is not a kind of stack; use management, cluster`,
		"config:\n  aws:region: us-east-1\n  hypershift-aws:kind: cluster\n  hypershift-aws:clutser: {}\n": "hypershift-aws:clutser is not a key of the config; did you mean cluster?",
		"config:\n  hypershift-aws:kind: cluster\naws:region: us-east-1\n":                                 `aws:region stands beside config, where nothing reads it; indent it below config:`,
	} {
		_, err := load(t, text)
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1, text)
	}
}
