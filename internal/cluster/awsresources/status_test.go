package awsresources

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// demo is the status of a hosted cluster before anything is read.
func demo() *clusterstatus.Reading {
	return &clusterstatus.Reading{Cluster: status.Cluster{Stack: "demo", Kind: crd.HostedCluster}}
}

func TestAConditionIsExplainedByTheStacksResourceThatAWSNoLongerHas(t *testing.T) {
	t.Parallel()
	reading := demo()
	reading.Objects = []status.Object{{Kind: crd.HostedCluster, Namespace: "clusters", Name: "demo",
		Conditions: []status.Condition{
			{Type: "ValidOIDCConfiguration", Status: "False", Reason: "OIDCConfigurationInvalid"},
			{Type: "Available", Status: "True", Expected: true},
		}}}
	provider := apitype.ResourceV3{
		URN:    "urn:pulumi:d::p::a::oidc",
		Type:   awstype.OIDCProvider,
		ID:     "arn:aws:iam::1:oidc-provider/x",
		Custom: true,
	}
	bucket := apitype.ResourceV3{URN: "urn:pulumi:d::p::b::bucket", Type: awstype.Bucket, ID: "demo-oidc", Custom: true}
	left := listing{found: []inventory.Resource{{Type: awstype.Bucket, ID: string(bucket.ID)}}}
	reading.Judge(Missing(t.Context(), []apitype.ResourceV3{provider, bucket},
		func(apitype.ResourceV3) (account.Account, error) {
			return left, nil
		}))
	require.Len(t, reading.Findings, 1)
	f := reading.Findings[0]
	require.Equal(t, finding.Error, f.Severity)
	require.Contains(t, f.Cause, "arn:aws:iam::1:oidc-provider/x does not exist in AWS")
	require.NotContains(t, f.Cause, "demo-oidc")
	require.Contains(t, f.Remedy, "up -s demo")
	require.Equal(t, status.Failing, reading.Verdict)
}

func TestInstancesThatRunAndAreNoNodesHaveTheCommandForTheirConsole(t *testing.T) {
	t.Parallel()
	reading := demo()
	reading.NodesWanted = 2
	tag := clusterstatus.LifeTag("demo-x1")
	Read(t.Context(), reading, tag, []account.Account{listing{found: []inventory.Resource{
		one(awstype.Instance, "i-1", tag, func(r *inventory.Resource) { r.State = "running" }),
		one(awstype.Instance, "i-9", tag, func(r *inventory.Resource) { r.State = "terminated" }),
		one(awstype.Instance, "i-8", clusterstatus.LifeTag("other"), func(r *inventory.Resource) { r.State = "running" }),
		one(awstype.VPCEndpoint, "vpce-1", tag, func(r *inventory.Resource) { r.State = "pendingAcceptance" }),
	}}})
	reading.Judge(func([]string) []apitype.ResourceV3 { return nil })
	require.Len(t, reading.AWS, 2)
	require.Contains(t, reading.Findings[1].Remedy,
		"get-console-output --latest --output text --region us-east-1 --instance-id i-1")
	require.Contains(t, reading.Findings[0].Remedy, "accept-vpc-endpoint-connections")
}

func TestTheHealthOfTargetsNamesTheFirstThatIsNotHealthy(t *testing.T) {
	t.Parallel()
	text, expected := healthText([]account.Target{{ID: "i-1", Health: "healthy"}, {
		ID:     "i-2",
		Health: "unhealthy",
		Why:    "Health checks failed",
	}})
	require.Equal(t, "1 of 2 targets healthy; i-2 is unhealthy (Health checks failed)", text)
	require.True(t, expected)
	_, expected = healthText(nil)
	require.False(t, expected)
}
