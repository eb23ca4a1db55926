package management

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// documents returns every policy that the package writes, for comparison with those in testdata/policies, which
// are written manually.
func documents() map[string]policy.Document {
	in := commercial()
	bucket := bucketARN(in, "acme-oidc")
	return map[string]policy.Document{
		"operator-ec2":         endpointServicesPolicy(in, ""),
		"operator-ec2-infraid": endpointServicesPolicy(in, "mgmt-x7k2p"),
		"operator-oidc-s3":     documentsPolicy(in, "acme-oidc"),
		"external-dns":         recordsPolicy(in, "arn:aws:route53:::hostedzone/ZMADE"),
		"trust-web-identity": webIdentityTrust("arn:aws:iam::111122223333:oidc-provider/oidc.example.com/mgmt",
			issuer, audience, "hypershift", "operator"),
		"oadp":          oadpPolicy(in, "acme-backups"),
		"etcd-snapshot": snapshotPolicy(in, "acme-backups"),
		"trust-oadp": webIdentityTrust("arn:aws:iam::111122223333:oidc-provider/oidc.example.com/mgmt",
			issuer, audience, hypershift.BackupNamespace, oadpServiceAccount, veleroServiceAccount),
		"trust-instance-role": instanceRoleTrust("arn:aws:iam::111122223333:role/workers"),
		"bucket-public":       publicDocuments(bucket),
		"bucket-cloudfront":   distributedDocuments(bucket, "arn:aws:cloudfront::111122223333:distribution/E1"),
		"etcd-key":            etcdKeyPolicy(in, []string{"444455556666"}),
		"queue": queuePolicy(queueARN(in, "prod-spot"),
			[]string{ruleARN(in, "prod-spot-interruption"), ruleARN(in, "prod-spot-rebalance")}),
	}
}

func TestPoliciesMatchTheTestdata(t *testing.T) {
	t.Parallel()
	for name, document := range documents() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", "policies", name+".json"))
			require.NoError(t, err)
			var want, got any
			require.NoError(t, json.Unmarshal(text, &want))
			require.NoError(t, json.Unmarshal([]byte(document.JSON()), &got))
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}

// The actions are those in HyperShift's cmd/infra/aws/create_operator_roles.go, without s3:DeleteObjects,
// which is no action of IAM's.
func TestTheOperatorHasExactlyThePermissionsOfHyperShiftsCLI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"operator-ec2": {
			"ec2:CreateTags",
			"ec2:CreateVpcEndpointServiceConfiguration",
			"ec2:DeleteVpcEndpointServiceConfigurations",
			"ec2:DescribeInstanceTypes",
			"ec2:DescribeVpcEndpointConnections",
			"ec2:DescribeVpcEndpointServiceConfigurations",
			"ec2:DescribeVpcEndpointServicePermissions",
			"ec2:ModifyVpcEndpointServicePermissions",
			"ec2:RejectVpcEndpointConnections",
			"elasticloadbalancing:DescribeLoadBalancers",
		},
		"operator-oidc-s3": {"s3:DeleteObject", "s3:PutObject"},
		"external-dns": {
			"route53:ChangeResourceRecordSets",
			"route53:GetChange",
			"route53:GetHostedZone",
			"route53:ListHostedZones",
			"route53:ListResourceRecordSets",
		},
	} {
		var got []string
		for _, statement := range documents()[name].Statement {
			got = append(got, statement.Action...)
		}
		slices.Sort(got)
		require.Equal(t, want, got, name)
	}
}

func TestTheOperatorsPoliciesHaveWildcardsOnlyForReading(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"operator-ec2", "operator-ec2-infraid", "operator-oidc-s3", "external-dns"} {
		for _, statement := range documents()[name].Statement {
			if slices.Contains(statement.Resource, everything) {
				for _, action := range statement.Action {
					require.Regexp(t, `^[a-z0-9]+:(Describe|List)`, action, name)
				}
			}
		}
	}
}

func TestOnlyTheTwoDocumentsOfAClusterCanBeRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bucket-public", "bucket-cloudfront"} {
		for _, statement := range documents()[name].Statement {
			if statement.Effect == policy.Allow {
				require.Equal(t, policy.List{"s3:GetObject"}, statement.Action)
				require.Equal(t, policy.List{
					"arn:aws:s3:::acme-oidc/*/.well-known/openid-configuration",
					"arn:aws:s3:::acme-oidc/*/openid/v1/jwks",
				}, statement.Resource)
			}
		}
	}
}

func TestInlinePoliciesFitTheQuotaOfAUser(t *testing.T) {
	t.Parallel()
	const quota = 2048 // a role's is five times that
	for _, name := range []string{"operator-ec2-infraid", "operator-oidc-s3", "external-dns"} {
		require.Less(t, len(documents()[name].JSON()), quota, name)
	}
}
