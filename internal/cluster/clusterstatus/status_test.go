package clusterstatus

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
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

func TestOneCauseOfSeveralConditionsIsNamedOnce(t *testing.T) {
	t.Parallel()
	reading, api, cluster := demo(condition("ValidAWSIdentityProvider", "False", ""),
		condition("CloudResourcesDestroyed", "False", ""))
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
		"Available": status.Progressing, "EtcdAvailable": status.Progressing, "ValidReleaseImage": status.Failing,
		"SupportedVersionSkew": status.Failing,
		"AutoscalingEnabled":   status.Ready,
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
