package preflight

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestWhatTheSettingsOfAnAccountForbidIsFoundBeforeAnUpdate(t *testing.T) {
	t.Parallel()
	public := Plan{Resources: []Resource{
		created(awstype.BucketPublicAccess, "oidc", map[string]any{"blockPublicPolicy": false}),
	}}
	cluster := Plan{
		Resources: []Resource{created(awstype.InternetGateway, "igw", map[string]any{})},
		Nodes:     []Nodes{{Nodes: config.Nodes{InstanceType: "m5.large"}, Place: here}},
		Hosted:    &HostedCluster{Public: true, Cluster: here, Management: here},
	}
	private := cluster
	private.Hosted = &HostedCluster{Private: true, Cluster: here, Management: here}
	for _, c := range []struct {
		name     string
		plan     Plan
		what     account.Restriction
		value    string
		severity finding.Severity
		remedy   string
	}{
		{"a public bucket", public, account.PublicBuckets, "BlockPublicPolicy", finding.Error, "ThroughCloudFront"},
		{"no internet", cluster, account.InternetTraffic, "block-bidirectional", finding.Error, "exclusion"},
		{"no way in", cluster, account.InternetTraffic, "block-ingress", finding.Warning, "exclusion"},
		{"no way in, and none needed", private, account.InternetTraffic, "block-ingress", finding.Passed, ""},
		{"images", cluster, account.Images, "amazon", finding.Warning, "ami of the node pools"},
		{"a key", cluster, account.VolumeKey, "arn:aws:kms:us-east-1:111111111111:key/k", finding.Warning, "nodePoolManagement"},
		{"a key of another account", cluster, account.VolumeKey, "arn:aws:kms:us-east-1:222222222222:key/k", finding.Warning,
			"ask its owner whether the key's policy allows the roles nodePoolManagement and storage of account 111111111111"},
		{"no load balancer yet", cluster, account.BalancerRole, "AWSServiceRoleForElasticLoadBalancing", finding.Warning,
			"create-service-linked-role"},
	} {
		in := fake{restricted: map[account.Restriction]string{c.what: c.value}}
		found := false
		for _, f := range checkRestrictions(t.Context(), c.plan, Accounts{here: in}) {
			if f.Subject != string(c.what) {
				require.Equal(t, finding.Passed, f.Severity, c.name)
				continue
			}
			found = true
			require.Equal(t, c.severity, f.Severity, c.name)
			require.Contains(t, f.Remedy, c.remedy, c.name)
		}
		require.True(t, found, c.name)
	}
	closed := Plan{Resources: []Resource{
		created(awstype.BucketPublicAccess, "oidc", map[string]any{"blockPublicPolicy": true}),
	}}
	require.Empty(t, checkRestrictions(t.Context(), closed, Accounts{here: fake{}}), "nothing is asked that does not matter")
}

func TestAKeyOfAnotherAccountForTheVolumesOfNodesIsNamedWithWhatItsOwnerHasToAllow(t *testing.T) {
	t.Parallel()
	const theirs, own = "arn:aws:kms:us-east-1:222222222222:key/k", "arn:aws:kms:us-east-1:111111111111:key/k"
	nodes := func(name, key string, exist bool) Nodes {
		return Nodes{Nodes: config.Nodes{Name: name, VolumeKey: key}, Place: here, Exist: exist}
	}
	found := checkRestrictions(t.Context(), Plan{Nodes: []Nodes{nodes("a", theirs, false), nodes("b", own, false),
		nodes("c", theirs, false), nodes("d", "", false), nodes("e", theirs, true)}}, Accounts{here: fake{}})
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Severity == finding.Passed })
	require.Len(t, found, 1, "keys of the nodes' account are readable with IAM alone, and nodes that exist have started")
	require.Equal(t, finding.Warning, found[0].Severity)
	require.Equal(t, "the nodes of a, c have volumes encrypted with "+theirs+
		", which account 222222222222 has: its policy decides who may use it, and cannot be read from here", found[0].Problem)
	require.Contains(t, found[0].Remedy, "kms:CreateGrant, kms:Decrypt, kms:DescribeKey")
	require.Contains(t, found[0].Remedy, "aws kms get-key-policy --policy-name default --key-id "+theirs)
}
