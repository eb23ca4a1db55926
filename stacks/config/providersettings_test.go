package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withAWS returns a stack's file with further keys of its AWS provider.
func withAWS(lines string) string {
	return strings.Replace(withNetwork("Public", ""), "config:\n", "config:\n  "+lines+"\n", 1)
}

func TestTheKeysOfTheOwnProviderHaveTheTypesOfFurtherAccounts(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{
		"aws:defaultTags: {tags: {cost: 0042}}":                                           `:2: aws:defaultTags.tags[cost]: "0042" is a number; expected a string; put it in quotes: "0042"`,
		"aws:defaultTags: {tags: {build: 1.10}}":                                          `:2: aws:defaultTags.tags[build]: "1.10" is a number`,
		"aws:defaultTags: {team: x}":                                                      `:2: aws:defaultTags.team is not a key of the config; the keys here are tags`,
		"aws:ignoreTags: [cost]":                                                          `:2: aws:ignoreTags is a list; expected a mapping`,
		"aws:assumeRole: 'arn:aws:iam::123456789012:role/a'":                              `:2: aws:assumeRole: "arn:aws:iam::123456789012:role/a" is a string; expected a mapping`,
		"aws:assumeRole: {durationSeconds: 3600}":                                         `:2: aws:assumeRole.durationSeconds is not a key of the config`,
		"aws:assumeRole: {roleARN: x}":                                                    `did you mean roleArn?`,
		"aws:allowedAccountIds: [012345678901]":                                           `:2: aws:allowedAccountIds[0]: "012345678901" is a number; expected a string`,
		"aws:maxRetries: many":                                                            `:2: aws:maxRetries: "many" is a string; expected an integer`,
		"aws:insecure: maybe":                                                             `:2: aws:insecure: "maybe" is a string; expected a boolean`,
		"aws:profile: [a]":                                                                `:2: aws:profile is a list; expected a string`,
		"aws:retryMode: fast":                                                             `:2: aws:retryMode: "fast" is not a value of the AWS provider; use standard or adaptive`,
		"aws:s3UsEast1RegionalEndpoint: global":                                           `:2: aws:s3UsEast1RegionalEndpoint: "global" is not a value`,
		"aws:ec2MetadataServiceEndpointMode: ipv5":                                        `use IPv4 or IPv6`,
		"aws:assumeRole: {roleArn: deployer}":                                             `:2: aws:assumeRole.roleArn: "deployer" is not the ARN of a role`,
		"aws:assumeRole: {roleArn: 'arn:aws:iam::123456789012:role/a', duration: 5m}":     `:2: aws:assumeRole.duration: "5m" is not a duration that STS allows; use 15m to 12h`,
		"aws:assumeRole: {roleArn: 'arn:aws:iam::123456789012:role/a', duration: '3600'}": `aws:assumeRole.duration: "3600"`,
		"aws:assumeRole: {roleArn: 'arn:aws:iam::123456789012:role/a', sessionName: a b}": `aws:assumeRole.sessionName: "a b"`,
		`aws:allowedAccountIds: ["12345"]`:                                                `:2: aws:allowedAccountIds[0]: "12345" is not the ID of an account; use 12 digits`,
	} {
		_, err := kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(withAWS(lines)))
		require.ErrorContains(t, err, want, lines)
	}
	for _, lines := range []string{
		`aws:defaultTags: {tags: {cost: "0042"}}`, `aws:defaultTags: '{"tags": {"cost": "1"}}'`, `aws:maxRetries: "5"`,
		"aws:skipMetadataApiCheck: 'true'", "aws:skipRegionValidation: false", "aws:secretKey: {secure: AAAA}",
		"aws:assumeRole: {roleArn: 'arn:aws:iam::123456789012:role/a', externalId: {secure: AAAA}, duration: 1h}",
		"aws:endpoints: [{sts: 'https://sts.example.com'}]", `aws:allowedAccountIds: ["012345678901"]`,
	} {
		_, err := kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(withAWS(lines)))
		require.NoError(t, err, lines)
	}
}

func TestAProviderIgnoresNoTagThatTheStackSets(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{
		`aws:ignoreTags: {keyPrefixes: ["x/", "kubernetes.io/"]}`:      `:2: aws:ignoreTags.keyPrefixes[1]: "kubernetes.io/" hides the tag kubernetes.io/cluster/demo-`,
		`aws:ignoreTags: {keys: [Name]}`:                               `:2: aws:ignoreTags.keys[0]: "Name" hides the tag Name`,
		`aws:ignoreTags: {keys: ["hypershift.openshift.io/infra-id"]}`: `hides the tag hypershift.openshift.io/infra-id`,
		`aws:ignoreTags: '{"keyPrefixes": ["kubernetes.io/role/"]}'`:   `:2: aws:ignoreTags.keyPrefixes[0]: "kubernetes.io/role/" hides the tag kubernetes.io/role/elb`,
	} {
		_, err := kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(withAWS(lines)))
		require.ErrorContains(t, err, want, lines)
	}
	_, err := kinds().ParseFile("Pulumi.dev.yaml", "dev",
		[]byte(withAWS(`aws:ignoreTags: {keys: [cost], keyPrefixes: ["kubernetes.io/cluster/other"]}`)))
	require.NoError(t, err)
}

func TestTheStacksOwnProviderIsNotDisabled(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`[aws]`, `["*"]`, `'["kubernetes", "aws"]'`, `[random, aws]`} {
		_, err := kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(withAWS("pulumi:disable-default-providers: "+value)))
		require.ErrorContains(t, err, `:2: pulumi:disable-default-providers: `, value)
		require.ErrorContains(t, err, "disables the AWS provider", value)
	}
	for _, value := range []string{"true", "{aws: true}"} {
		_, err := kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(withAWS("pulumi:disable-default-providers: "+value)))
		require.ErrorContains(t, err, `:2: pulumi:disable-default-providers`, value)
		require.ErrorContains(t, err, "is not a list of packages", value)
	}
	for _, value := range []string{`[kubernetes]`, `[]`, `'["awsx"]'`} {
		_, err := kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(withAWS("pulumi:disable-default-providers: "+value)))
		require.NoError(t, err, value)
	}
}
