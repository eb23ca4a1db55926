package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// badInput is a stack that is refused.
type badInput struct {
	// name describes the fault, and want is the start of its message: line, path and value.
	name, file, want string
	// before is a stack named "up" that is up, "" for none.
	before string
	// empty is true if the account has none of the resources that the stack's file refers to.
	empty bool
}

const (
	managementStack = "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: management\n  hypershift-aws:management:\n"
	clusterStack    = "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: cluster\n  hypershift-aws:cluster:\n" +
		"    name: demo\n    baseDomain: example.com\n"
	firstManagement = managementStack + "    oidcBucket: {name: first-oidc}\n    operator: {identity: AccessKeys}\n"
	firstCluster    = clusterStack + "    oidc: {bucketName: x-oidc}\n"
	givenSubnets    = "subnets: [{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0}]}\n"
)

func badInputs() []badInput {
	return []badInput{
		{name: "a bucket name with dots", file: managementStack +
			"    oidcBucket: {name: a.b}\n    operator: {identity: AccessKeys}\n",
			want: `Pulumi.bad.yaml:5: hypershift-aws:management.oidcBucket.name: "a.b" contains dots`},
		{name: "a bucket name that another account has", file: firstManagement,
			want:   `Pulumi.bad.yaml:5: hypershift-aws:management.oidcBucket.name: "first-oidc" is taken by another account`,
			before: strings.Replace(firstManagement, "config:\n", "config:\n  aws:allowedAccountIds: [\"210987654321\"]\n", 1)},
		{name: "a bucket of another stack", file: strings.Replace(firstManagement, "AccessKeys", "AccessKeys, namePrefix: x",
			1),
			want: `oidcBucket.name: "first-oidc" is an existing bucket of this account`, before: firstManagement},
		{name: "a zone not delegated", file: managementStack + "    oidcBucket: {name: b-oidc}\n    operator: {identity: AccessKeys, namePrefix: x}\n" +
			"    zone: {domain: clusters.example.com, parentZone: example.com, existing: true}\n",
			want:   `Pulumi.bad.yaml:7: hypershift-aws:management.zone.domain: "clusters.example.com" is not delegated from example.com`,
			before: firstManagement + "    zone: {domain: clusters.example.com, existing: true}\n"}, // the parent comes later
		{name: "an existing subnet in another VPC", file: firstCluster + "    endpointAccess: Private\n    network:\n" +
			"      existing: {vpcID: vpc-0eeeeeeeeeeeeeee0, " + givenSubnets,
			want: `Pulumi.bad.yaml:10: hypershift-aws:cluster.network.existing.subnets[0].private: "subnet-0aaaaaaaaaaaaaaa0" is in vpc-0123456789abcdef0`,
			before: strings.Replace(firstCluster, "name: demo", "name: other",
				1) + "    endpointAccess: Private\n    network:\n" +
				"      existing: {vpcID: vpc-0123456789abcdef0, " + givenSubnets},
		{name: "an operator's issuer without https", file: managementStack + "    oidcBucket: {name: x-oidc}\n    operator: {issuerURL: 'http://x.example.com'}\n",
			want: `Pulumi.bad.yaml:6: hypershift-aws:management.operator.issuerURL: "http://x.example.com" is not an issuer's URL; use https://`},
		{name: "a cluster's issuer without https", file: clusterStack + "    oidc: {issuerURL: 'http://x.example.com'}\n",
			want: `Pulumi.bad.yaml:7: hypershift-aws:cluster.oidc.issuerURL: "http://x.example.com" is not an issuer's URL; use https://`},
		{name: "a boundary that is no policy ARN", file: firstCluster + "    iam: {permissionsBoundary: boundary}\n",
			want: `Pulumi.bad.yaml:8: hypershift-aws:cluster.iam.permissionsBoundary: "boundary" is not the ARN of a managed policy; use arn:aws:iam::`},
		{name: "a share with one's own account",
			file: firstCluster + "    network: {shared: {}}\n    accounts: {vpcOwner: {region: us-east-1}}\n",
			want: `Pulumi.bad.yaml:8: hypershift-aws:cluster.network.shared: "123456789012" is the cluster's own account`},
		{name: "a reference to no stack", file: clusterStack + "    management: nosuch\n",
			want: `Pulumi.bad.yaml:7: hypershift-aws:cluster.management: "nosuch" names a stack that does not exist`},
		{name: "a reference to a cluster", file: clusterStack + "    management: up\n", before: firstCluster,
			want: `Pulumi.bad.yaml:7: hypershift-aws:cluster.management: "up" names a stack of kind cluster`},
		{name: "a reference to a stack that is not up", file: clusterStack + "    management: bad\n",
			want: `Pulumi.bad.yaml:7: hypershift-aws:cluster.management: "bad" names a stack that has not been deployed; run`},
		{name: "a role that is not there", file: firstCluster + "    endpointAccess: Private\n    iam:\n" +
			"      existing: {roles: {ingressARN: 'arn:aws:iam::123456789012:role/none'}}\n", empty: true,
			want: `Pulumi.bad.yaml:10: hypershift-aws:cluster.iam.existing.roles[ingressARN]: "arn:aws:iam::123456789012:role/none" cannot be looked up`},
		{name: "a boundary that is not there",
			file: firstCluster + "    endpointAccess: Private\n    iam: {permissionsBoundary: '" + stackfile.BoundaryARN +
				"'}\n", empty: true,
			want: `Pulumi.bad.yaml:9: hypershift-aws:cluster.iam.permissionsBoundary: "` + stackfile.BoundaryARN + `" cannot be looked up`},
		{name: "a public zone that is not there", file: firstCluster, empty: true,
			want: `Pulumi.bad.yaml:6: hypershift-aws:cluster.baseDomain: "example.com"`},
		{name: "a key that is not there", file: firstCluster + "    endpointAccess: Private\n    kmsKeyARN: " +
			stackfile.KMSKeyARN + "\n", empty: true,
			want: `Pulumi.bad.yaml:9: hypershift-aws:cluster.kmsKeyARN: "` + stackfile.KMSKeyARN + `" cannot be looked up`},
		{name: "an issuer without a provider", file: clusterStack + "    endpointAccess: Private\n    oidc: {issuerURL: 'https://none.example.net'}\n", empty: true,
			want: `Pulumi.bad.yaml:8: hypershift-aws:cluster.oidc.issuerURL: "https://none.example.net" cannot be used, because looking up its OIDC provider failed`},
	}
}

func TestBadInputIsRefusedWithItsPositionBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	for _, test := range badInputs() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cli := harness.NewCLI(t, t.TempDir())
			if test.before != "" {
				writeConfig(cli, "up", test.before)
				cli.Run("--offline", "-s", "up", "up", "--yes")
			}
			writeConfig(cli, "bad", test.file)
			flags := []string{"--offline", "-s", "bad"}
			if test.empty {
				flags = append(flags, "--offline-empty")
			}
			before := madeOffline(t, cli)
			for _, command := range sizes.First(1, [][]string{{"up", "--yes"}, {"preview"}}) {
				_, stderr, code := cli.Exit(append(flags, command...)...)
				require.NotZero(t, code, stderr)
				require.Contains(t, stderr, test.want)
				require.NotContains(t, stderr, "unhandled")
			}
			require.Equal(t, before, madeOffline(t, cli))
		})
	}
}

// writeConfig writes a stack's file.
func writeConfig(c *harness.CLI, stack, text string) {
	c.T.Helper()
	require.NoError(c.T, os.WriteFile(filepath.Join(c.Dir, config.FileName(stack)), []byte(text), 0o600))
}

// madeOffline returns the IDs of all resources that stacks have created in offline accounts.
func madeOffline(t *testing.T, c *harness.CLI) []string {
	t.Helper()
	accounts, err := offline.Accounts(c.OfflineDir())
	require.NoError(t, err)
	var made []string
	for _, account := range accounts {
		for _, resource := range account.Resources() {
			if !resource.Seed {
				made = append(made, account.ID()+" "+resource.ID)
			}
		}
	}
	return made
}
