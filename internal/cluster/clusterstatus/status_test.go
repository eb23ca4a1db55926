package clusterstatus

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func object(kind, namespace, name string, conditions ...map[string]any) map[string]any {
	o := withConditions(conditions...)
	o["kind"], o["metadata"] = kind, map[string]any{"namespace": namespace, "name": name}
	return o
}

func condition(name, status, reason string) map[string]any {
	return map[string]any{"type": name, "status": status, "reason": reason, "message": ""}
}

func demo(conditions ...map[string]any) (*Status, fixedCluster, *HostedCluster) {
	return &Status{Stack: "demo", Kind: crd.HostedCluster}, fixedCluster{
		"HostedCluster demo": object("HostedCluster", "clusters", "demo", conditions...),
	}, &HostedCluster{Name: "demo", Namespace: "clusters"}
}

func none([]string) []apitype.ResourceV3 { return nil }

func TestAConditionIsExplainedByTheStacksResourceThatAWSNoLongerHas(t *testing.T) {
	t.Parallel()
	status, api, cluster := demo(condition("ValidOIDCConfiguration", "False", "OIDCConfigurationInvalid"), condition("Available", "True", ""))
	status.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	provider := apitype.ResourceV3{URN: "urn:pulumi:d::p::a::oidc", Type: awstype.OIDCProvider, ID: "arn:aws:iam::1:oidc-provider/x", Custom: true}
	bucket := apitype.ResourceV3{URN: "urn:pulumi:d::p::b::bucket", Type: awstype.Bucket, ID: "demo-oidc", Custom: true}
	left := listing{found: []account.Resource{{Type: awstype.Bucket, ID: string(bucket.ID)}}}
	status.Judge(Missing(t.Context(), []apitype.ResourceV3{provider, bucket}, func(apitype.ResourceV3) (account.Account, error) { return left, nil }))
	require.Len(t, status.Findings, 1)
	f := status.Findings[0]
	require.Equal(t, finding.Error, f.Severity)
	require.Contains(t, f.Cause, "arn:aws:iam::1:oidc-provider/x does not exist in AWS")
	require.NotContains(t, f.Cause, "demo-oidc")
	require.Contains(t, f.Remedy, "up -s demo")
	require.Equal(t, Failing, status.Verdict)
}

func TestOneCauseOfSeveralConditionsIsNamedOnce(t *testing.T) {
	t.Parallel()
	status, api, cluster := demo(condition("ValidAWSIdentityProvider", "False", ""), condition("CloudResourcesDestroyed", "False", ""))
	status.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	status.Judge(func(tokens []string) []apitype.ResourceV3 {
		return []apitype.ResourceV3{{URN: resource.URN("u"), Type: awstype.OIDCProvider, ID: "p"}}
	})
	require.Contains(t, status.Findings[0].Cause, "does not exist")
	require.Equal(t, "the cause is that of ValidAWSIdentityProvider", status.Findings[1].Cause)
}

func TestAClusterThatIsBeingCreatedIsNotFailing(t *testing.T) {
	t.Parallel()
	for name, verdict := range map[string]Verdict{"Available": Progressing, "EtcdAvailable": Progressing, "ValidReleaseImage": Failing, "SupportedVersionSkew": Failing,
		"AutoscalingEnabled": Ready} {
		status, api, cluster := demo(condition(name, "False", "Waiting"))
		status.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
		status.Judge(none)
		require.Equal(t, verdict, status.Verdict, name)
	}
	status, api, cluster := demo(condition("Progressing", "True", ""), condition("ValidAWSKMSConfig", "Unknown", ""))
	status.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	status.Judge(none)
	require.Equal(t, Progressing, status.Verdict)
	require.Len(t, status.Findings, 1, "clusters without a KMS key have ValidAWSKMSConfig Unknown")
}

func TestInstancesThatRunAndAreNoNodesHaveTheCommandForTheirConsole(t *testing.T) {
	t.Parallel()
	status, api, cluster := demo()
	pool := object("NodePool", "clusters", "pool")
	pool["spec"] = map[string]any{"clusterName": "demo", "replicas": int64(2)}
	api["NodePool pool"] = pool
	other := object("NodePool", "clusters", "other")
	other["spec"] = map[string]any{"clusterName": "other", "replicas": int64(5)}
	api["NodePool other"] = other
	status.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, HostedClusterParts())
	tag := LifeTag("demo-x1")
	status.ReadAWS(t.Context(), tag, []account.Account{listing{found: []account.Resource{
		one(awstype.Instance, "i-1", tag, func(r *account.Resource) { r.State = "running" }),
		one(awstype.Instance, "i-9", tag, func(r *account.Resource) { r.State = "terminated" }),
		one(awstype.Instance, "i-8", LifeTag("other"), func(r *account.Resource) { r.State = "running" }),
		one(awstype.VPCEndpoint, "vpce-1", tag, func(r *account.Resource) { r.State = "pendingAcceptance" }),
	}}})
	status.Judge(none)
	require.Equal(t, int64(2), status.NodesWanted)
	require.Len(t, status.AWS, 2)
	require.Contains(t, status.Findings[1].Remedy, "get-console-output --latest --output text --region us-east-1 --instance-id i-1")
	require.Contains(t, status.Findings[0].Remedy, "accept-vpc-endpoint-connections")
}

func TestWhatCannotBeReadMakesTheVerdictUnknown(t *testing.T) {
	t.Parallel()
	status := &Status{Stack: "demo", Kind: crd.HostedCluster}
	status.Unread("the management cluster was not read: timeout", "")
	status.Judge(none)
	require.Equal(t, Unknown, status.Verdict)
	require.Negative(t, Failing.Worse(Unknown))
	require.Negative(t, Unknown.Worse(Progressing))
	require.Negative(t, Progressing.Worse(Ready))
}

func TestTheHealthOfTargetsNamesTheFirstThatIsNotHealthy(t *testing.T) {
	t.Parallel()
	text, expected := healthText([]account.Target{{ID: "i-1", Health: "healthy"}, {ID: "i-2", Health: "unhealthy", Why: "Health checks failed"}})
	require.Equal(t, "1 of 2 targets healthy; i-2 is unhealthy (Health checks failed)", text)
	require.True(t, expected)
	_, expected = healthText(nil)
	require.False(t, expected)
}
