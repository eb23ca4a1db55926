package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// parsed returns a file that may be of kind network.
func parsed(text string) (*File, error) {
	all := append(kinds(), Definition{Kind: KindNetwork, Section: func() Section { return &Network{} }})
	return all.ParseFile(FileName("dev"), "dev", []byte(text))
}

// An ARN of another partition is refused wherever a file has one, since no account can use it.
func TestAnARNOfAnotherPartitionIsRefusedAtItsPath(t *testing.T) {
	t.Parallel()
	const key = "arn:aws:kms:us-east-1:123456789012:key/0f5ba1d2-6f6a-4c3e-9a1b-0123456789ab"
	for path, text := range map[string]string{
		"hypershift-aws:cluster.kmsKeyARN": "  hypershift-aws:kind: cluster\n" +
			"  hypershift-aws:cluster: {name: demo, baseDomain: example.com, oidc: {bucketName: demo-oidc}, network: {zones: [REGIONa]}, kmsKeyARN: '" + key + "'}\n",
		"aws:assumeRole.roleArn": "  aws:assumeRole: {roleArn: 'arn:aws:iam::123456789012:role/deployer'}\n  hypershift-aws:kind: network\n" +
			"  hypershift-aws:network: {name: demo, infraID: demo-x1, baseDomain: example.com, network: {zones: [REGIONa]}}\n",
		"hypershift-aws:network.accounts.parentZone.assumeRole.roleArn": "  hypershift-aws:kind: network\n" +
			"  hypershift-aws:network: {name: demo, infraID: demo-x1, baseDomain: dev.example.com, network: {zones: [REGIONa], publicZone: {parentZone: example.com}}, accounts: {parentZone: {assumeRole: {roleArn: 'arn:aws:iam::123456789012:role/zones'}}}}\n",
	} {
		for region, partition := range map[string]string{"eusc-de-east-1": "aws-eusc", "us-gov-west-1": "aws-us-gov",
			"cn-north-1": "aws-cn", "us-iso-east-1": "aws-iso"} {
			in := "config:\n  aws:region: " + region + "\n" + strings.ReplaceAll(strings.ReplaceAll(text, "REGION", region),
				"us-east-1", region)
			_, err := parsed(in)
			require.Len(t, fault.In(err), 1, "%v", err)
			found := fault.In(err)[0]
			require.Equal(t, path, found.Path)
			require.Equal(t, "is not in partition "+partition, found.Problem)
			require.NotZero(t, found.Line)
			_, err = parsed(strings.ReplaceAll(in, "arn:aws:", "arn:"+partition+":"))
			require.NoError(t, err, in)
		}
	}
	const tagged = "config:\n  aws:region: us-gov-west-1\n  hypershift-aws:kind: network\n" +
		"  hypershift-aws:network: {name: demo, infraID: demo-x1, baseDomain: example.com, tags: {of: 'arn:aws:iam::1:role/a'}, network: {zones: [us-gov-west-1a]}}\n"
	_, err := parsed(tagged)
	require.NoError(t, err, "a tag may have any text")
}

func TestTheClustersOfANetworkAreRefusedAtTheirKey(t *testing.T) {
	t.Parallel()
	_, err := parsed("config:\n  aws:region: us-east-1\n  hypershift-aws:kind: network\n  hypershift-aws:network:\n" +
		"    name: demo\n    infraID: demo-x1\n    baseDomain: example.com\n    clusters: [demo-x1]\n    network: {zones: [us-east-1a]}\n")
	require.Len(t, fault.In(err), 1)
	require.Equal(t, "hypershift-aws:network.clusters[0]", fault.In(err)[0].Path)
	require.Equal(t, 8, fault.In(err)[0].Line)
}
