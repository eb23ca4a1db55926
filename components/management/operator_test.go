package management

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

func TestTheInstallCommandContainsTheIdentitysFlags(t *testing.T) {
	t.Parallel()
	common := []string{
		"hypershift", "install", "--namespace=hypershift",
		"--oidc-storage-provider-s3-bucket-name=acme-oidc", "--oidc-storage-provider-s3-region=us-east-1",
		"--private-platform=AWS", "--aws-private-region=us-east-1",
		"--external-dns-provider=aws", "--external-dns-domain-filter=clusters.example.com",
		"--external-dns-txt-owner-id=hypershift",
	}
	roles := []string{
		"--aws-private-role-arn=arn:aws:mock:::mgmt-operator-ec2",
		"--oidc-storage-provider-s3-role-arn=arn:aws:mock:::mgmt-operator-oidc-s3",
		"--external-dns-role-arn=arn:aws:mock:::mgmt-external-dns",
	}
	for _, c := range []struct {
		operator OperatorArgs
		want     []string
	}{
		{OperatorArgs{
			IssuerURL: pulumi.String(issuer),
		}, append([]string{"--aws-role-credential-source=web-identity"}, roles...)},
		{OperatorArgs{Identity: InstanceRole, InstanceRoleARN: pulumi.String("arn:aws:iam::111122223333:role/workers")},
			append([]string{"--aws-role-credential-source=ec2-instance-metadata"}, roles...)},
		{OperatorArgs{Identity: AccessKeys}, []string{
			"--aws-private-secret=hypershift-operator-aws-credentials",
			"--oidc-storage-provider-s3-secret=hypershift-operator-oidc-provider-s3-credentials",
			"--external-dns-secret=external-dns-credentials",
		}},
	} {
		t.Run(string(c.operator.Identity.OrDefault()), func(t *testing.T) {
			t.Parallel()
			result := newRecorder(commercial()).mustRun(t, with(func(a *PrerequisitesArgs) {
				a.Operator = c.operator
				a.Zone = &ZoneArgs{Domain: "clusters.example.com"}
			}))
			require.Equal(t, slices.Concat(common, c.want), result.outputs["installArgs"])
		})
	}
}

func TestTheInstallCommandEndsWithScaleFromZeroAndTheExtraArgs(t *testing.T) {
	t.Parallel()
	result := newRecorder(commercial()).mustRun(t, with(func(a *PrerequisitesArgs) {
		a.Operator.ScaleFromZero = true
		a.Operator.ExtraArgs = []string{"--external-dns-interval=5m", "--enable-size-tagging"}
	}))
	line := result.outputs["installArgs"].([]string)
	require.Equal(t, []string{
		"--scale-from-zero-provider=aws", "--scale-from-zero-secret=hypershift-operator-aws-credentials",
		"--external-dns-interval=5m", "--enable-size-tagging",
	}, line[len(line)-4:])
}

func TestExtraArgsThatAreNoFlagsOrFollowFromOtherKeysAreRefused(t *testing.T) {
	t.Parallel()
	for arg, problem := range map[string]string{
		"external-dns-interval=5m":            "is not a flag",
		"--image-refs refs.json":              "is not a flag",
		"--namespace=other":                   "is a flag that follows",
		"--aws-private-creds=/tmp/credential": "is a flag that follows",
		"--external-dns-provider=aws":         "is a flag that follows",
	} {
		args := OperatorArgs{IssuerURL: pulumi.String(issuer), ExtraArgs: []string{"--development", arg}}
		require.ErrorContains(t, args.Validate(), fmt.Sprintf("extraArgs[1]: %q %s", arg, problem))
	}
}

func TestOperatorRolesAreWhatHyperShiftsFlagReads(t *testing.T) {
	t.Parallel()
	result := newRecorder(commercial()).mustRun(t, minimal())
	require.Equal(t, map[string]any{
		"operatorEC2RoleARN":    "arn:aws:mock:::mgmt-operator-ec2",
		"operatorOIDCS3RoleARN": "arn:aws:mock:::mgmt-operator-oidc-s3",
		"externalDNSRoleARN":    "",
	}, result.outputs["operatorRoles"])
}

func TestAccessKeysStaySecretAndComeAsCredentialsFiles(t *testing.T) {
	t.Parallel()
	result := newRecorder(commercial()).mustRun(t, with(func(a *PrerequisitesArgs) {
		a.Operator = OperatorArgs{Identity: AccessKeys}
	}))
	require.True(t, result.secret)
	require.Equal(t, map[string]string{
		"hypershift-operator-aws-credentials":              "[default]\naws_access_key_id = mgmt-operator-ec2-id\naws_secret_access_key = not-to-be-shown\n",
		"hypershift-operator-oidc-provider-s3-credentials": "[default]\naws_access_key_id = mgmt-operator-oidc-s3-id\naws_secret_access_key = not-to-be-shown\n",
	}, result.outputs["credentials"])
}

func TestEachRoleTrustsItsOwnServiceAccount(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	r.mustRun(t, with(func(a *PrerequisitesArgs) {
		a.Zone = &ZoneArgs{Domain: "clusters.example.com"}
		a.Operator.Namespace = "elsewhere"
	}))
	for name, account := range map[string]string{
		"operator-ec2": "operator", "operator-oidc-s3": "operator", "external-dns": "external-dns",
	} {
		role := r.find(t, "aws:iam/role:Role", "mgmt-"+name).Inputs.(map[string]any)
		require.Equal(t, "hypershift-"+name, role["name"])
		statement := role["assumeRolePolicy"].(map[string]any)["Statement"].([]any)[0].(map[string]any)
		equals := statement["Condition"].(map[string]any)["StringEquals"].(map[string]any)
		require.Equal(t, []any{"system:serviceaccount:elsewhere:" + account}, equals["oidc.example.com/mgmt:sub"])
		require.Equal(t, []any{"openshift"}, equals["oidc.example.com/mgmt:aud"])
	}
}

func TestAnUnsuitableOIDCProviderIsRefused(t *testing.T) {
	t.Parallel()
	_, err := newRecorder(commercial()).run(with(func(a *PrerequisitesArgs) {
		a.Operator.IssuerURL = pulumi.String(strings.Replace(issuer, "mgmt", "other", 1))
	}))
	require.ErrorContains(t, err, `operator.issuerURL: "https://oidc.example.com/other" has no OIDC provider that can be looked up`)

	r := newRecorder(commercial())
	r.audiences = []string{"sts.amazonaws.com"}
	_, err = r.run(minimal())
	require.ErrorContains(t, err, `without the client ID "openshift"`)

	r.audiences = []string{"openshift"}
	_, err = r.run(with(func(a *PrerequisitesArgs) {
		a.Backups = &BackupsArgs{BucketName: "acme-backups", EtcdSnapshots: true}
	}))
	require.ErrorContains(t, err, `without the client ID "sts.amazonaws.com"`)
}
