package clusterstatus

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

func object(kind, namespace, name string, conditions ...map[string]any) map[string]any {
	o := withConditions(conditions...)
	o["kind"], o["metadata"] = kind, map[string]any{"namespace": namespace, "name": name}
	return o
}

func condition(name, status, reason string) map[string]any {
	return map[string]any{"type": name, "status": status, "reason": reason, "message": ""}
}

func demo(conditions ...map[string]any) (*Reading, fixedCluster, *HostedCluster) {
	return &Reading{Cluster: status.Cluster{Stack: "demo", Kind: crd.HostedCluster}}, fixedCluster{
		"HostedCluster demo": object("HostedCluster", "clusters", "demo", conditions...),
	}, &HostedCluster{Name: "demo", Namespace: "clusters"}
}

func none([]string) []apitype.ResourceV3 { return nil }

func TestAConditionIsExplainedByTheStacksResourceThatAWSNoLongerHas(t *testing.T) {
	t.Parallel()
	reading, api, cluster := demo(condition("ValidOIDCConfiguration", "False", "OIDCConfigurationInvalid"), condition("Available", "True", ""))
	reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	provider := apitype.ResourceV3{URN: "urn:pulumi:d::p::a::oidc", Type: awstype.OIDCProvider, ID: "arn:aws:iam::1:oidc-provider/x", Custom: true}
	bucket := apitype.ResourceV3{URN: "urn:pulumi:d::p::b::bucket", Type: awstype.Bucket, ID: "demo-oidc", Custom: true}
	left := listing{found: []inventory.Resource{{Type: awstype.Bucket, ID: string(bucket.ID)}}}
	reading.Judge(Missing(t.Context(), []apitype.ResourceV3{provider, bucket}, func(apitype.ResourceV3) (account.Account, error) { return left, nil }))
	require.Len(t, reading.Findings, 1)
	f := reading.Findings[0]
	require.Equal(t, finding.Error, f.Severity)
	require.Contains(t, f.Cause, "arn:aws:iam::1:oidc-provider/x does not exist in AWS")
	require.NotContains(t, f.Cause, "demo-oidc")
	require.Contains(t, f.Remedy, "up -s demo")
	require.Equal(t, status.Failing, reading.Verdict)
}

func TestOneCauseOfSeveralConditionsIsNamedOnce(t *testing.T) {
	t.Parallel()
	reading, api, cluster := demo(condition("ValidAWSIdentityProvider", "False", ""), condition("CloudResourcesDestroyed", "False", ""))
	reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	reading.Judge(func(tokens []string) []apitype.ResourceV3 {
		return []apitype.ResourceV3{{URN: resource.URN("u"), Type: awstype.OIDCProvider, ID: "p"}}
	})
	require.Contains(t, reading.Findings[0].Cause, "does not exist")
	require.Equal(t, "the cause is that of ValidAWSIdentityProvider", reading.Findings[1].Cause)
}

func TestAClusterThatIsBeingCreatedIsNotFailing(t *testing.T) {
	t.Parallel()
	for name, verdict := range map[string]status.Verdict{
		"Available": status.Progressing, "EtcdAvailable": status.Progressing, "ValidReleaseImage": status.Failing, "SupportedVersionSkew": status.Failing,
		"AutoscalingEnabled": status.Ready,
	} {
		reading, api, cluster := demo(condition(name, "False", "Waiting"))
		reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
		reading.Judge(none)
		require.Equal(t, verdict, reading.Verdict, name)
	}
	reading, api, cluster := demo(condition("Progressing", "True", ""), condition("ValidAWSKMSConfig", "Unknown", ""))
	reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	reading.Judge(none)
	require.Equal(t, status.Progressing, reading.Verdict)
	require.Len(t, reading.Findings, 1, "clusters without a KMS key have ValidAWSKMSConfig Unknown")
}

func TestInstancesThatRunAndAreNoNodesHaveTheCommandForTheirConsole(t *testing.T) {
	t.Parallel()
	reading, api, cluster := demo()
	pool := object("NodePool", "clusters", "pool")
	pool["spec"] = map[string]any{"clusterName": "demo", "replicas": int64(2)}
	api["NodePool pool"] = pool
	other := object("NodePool", "clusters", "other")
	other["spec"] = map[string]any{"clusterName": "other", "replicas": int64(5)}
	api["NodePool other"] = other
	reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, HostedClusterParts())
	tag := LifeTag("demo-x1")
	reading.ReadAWS(t.Context(), tag, []account.Account{listing{found: []inventory.Resource{
		one(awstype.Instance, "i-1", tag, func(r *inventory.Resource) { r.State = "running" }),
		one(awstype.Instance, "i-9", tag, func(r *inventory.Resource) { r.State = "terminated" }),
		one(awstype.Instance, "i-8", LifeTag("other"), func(r *inventory.Resource) { r.State = "running" }),
		one(awstype.VPCEndpoint, "vpce-1", tag, func(r *inventory.Resource) { r.State = "pendingAcceptance" }),
	}}})
	reading.Judge(none)
	require.Equal(t, int64(2), reading.NodesWanted)
	require.Len(t, reading.AWS, 2)
	require.Contains(t, reading.Findings[1].Remedy, "get-console-output --latest --output text --region us-east-1 --instance-id i-1")
	require.Contains(t, reading.Findings[0].Remedy, "accept-vpc-endpoint-connections")
}

func TestWhatCannotBeReadMakesTheVerdictUnknown(t *testing.T) {
	t.Parallel()
	reading := &Reading{Cluster: status.Cluster{Stack: "demo", Kind: crd.HostedCluster}}
	reading.Unread("the management cluster was not read: timeout", "")
	reading.Judge(none)
	require.Equal(t, status.Unknown, reading.Verdict)
	require.Negative(t, status.Failing.Worse(status.Unknown))
	require.Negative(t, status.Unknown.Worse(status.Progressing))
	require.Negative(t, status.Progressing.Worse(status.Ready))
}

func TestTheHealthOfTargetsNamesTheFirstThatIsNotHealthy(t *testing.T) {
	t.Parallel()
	text, expected := healthText([]account.Target{{ID: "i-1", Health: "healthy"}, {ID: "i-2", Health: "unhealthy", Why: "Health checks failed"}})
	require.Equal(t, "1 of 2 targets healthy; i-2 is unhealthy (Health checks failed)", text)
	require.True(t, expected)
	_, expected = healthText(nil)
	require.False(t, expected)
}
