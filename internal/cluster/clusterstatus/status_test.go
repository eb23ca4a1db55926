package clusterstatus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
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
		conditions := []map[string]any{condition(name, "False", "AsExpected")}
		if name != "Available" {
			conditions = append(conditions, condition("Available", "True", ""))
		}
		reading, api, cluster := demo(conditions...)
		reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
		reading.Judge(none)
		require.Equal(t, verdict, reading.Verdict, name)
	}
	reading, api, cluster := demo(condition("Progressing", "True", ""), condition("ValidAWSKMSConfig", "Unknown", ""),
		condition("Available", "True", ""))
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

// TestEveryConditionOfHyperShiftIsJudged compares the table with the constants of HyperShift's API.
func TestEveryConditionOfHyperShiftIsJudged(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "conditions.txt"))
	require.NoError(t, err)
	of := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		require.Len(t, fields, 3, line)
		of++
		name := fields[2]
		if strings.Contains(name, "KubeVirt") || strings.Contains(name, "Azure") || strings.Contains(name, "GCP") {
			continue // no cluster on AWS has it
		}
		require.Contains(t, judgements, name, "how is it judged?")
	}
	require.Greater(t, of, 80)
}

func TestEachConditionCountsAsHyperShiftMeansIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, name, status, reason string
		means                      health
	}{
		{crd.HostedCluster, "ValidProxyConfiguration", "False", "ProxyCABundleInvalid", unhealthy},
		{crd.HostedCluster, "ValidProxyConfiguration", "Unknown", "StatusUnknown", healthy},
		{crd.HostedCluster, "ValidIDPConfiguration", "False", "InvalidIdentityProvider", unhealthy},
		{crd.HostedCluster, "EtcdRecoveryActive", "True", "AsExpected", unhealthy},
		{crd.HostedCluster, "EtcdRecoveryActive", "False", "AsExpected", healthy},
		{crd.HostedCluster, "EtcdRecoveryActive", "False", "EtcdRecoveryJobFailed", unhealthy},
		{crd.HostedCluster, "AutoNodeEnabled", "False", "AutoNodeProgressing", unhealthy},
		{crd.HostedCluster, "AutoNodeEnabled", "False", "AutoNodeNotConfigured", healthy},
		{crd.HostedCluster, "IgnitionServerValidReleaseInfo", "False", "MissingReleaseImages", unhealthy},
		{crd.HostedCluster, "EtcdBackupSucceeded", "False", "BackupFailed", unhealthy},
		{crd.HostedCluster, "EtcdBackupSucceeded", "False", "BackupInProgress", healthy},
		{crd.HostedCluster, "HostedClusterRestoredFromBackup", "False", "RecoveryFinished", unhealthy},
		{crd.HostedCluster, "ClusterVersionUpgradeable", "False", "AdminAckRequired", healthy},
		{crd.HostedCluster, "ClusterVersionFailing", "True", "ClusterOperatorDegraded", unhealthy},
		{crd.NodePool, "AutoscalingEnabled", "False", "AsExpected", healthy},
		{crd.NodePool, "AutoscalingEnabled", "False", "ValidationFailed", unhealthy},
		{crd.NodePool, "ClusterNetworkCIDRConflict", "True", "InvalidConfiguration", unhealthy},
		{crd.NodePool, "performance.operator.openshift.io/Degraded", "True", "", unhealthy},
		{crd.HostedCluster, "ValidSomethingNew", "False", "", unhealthy},
		{crd.HostedCluster, "SomethingNewAvailable", "False", "", unhealthy},
		{crd.HostedCluster, "SomethingNew", "False", "NotDone", notable},
		{crd.NodePool, "SomethingNew", "True", "Happened", notable},
		{crd.NodePool, "SomethingNew", "True", "AsExpected", healthy},
		{machine, "Paused", "False", "NotPaused", healthy},
	} {
		require.Equal(t, c.means, judge(c.kind, status.Condition{Type: c.name, Status: c.status, Reason: c.reason}), "%v", c)
	}
}

func TestAConditionThatThisProgramDoesNotKnowIsShownAndDecidesNothing(t *testing.T) {
	t.Parallel()
	reading, api, cluster := demo(condition("Available", "True", ""), condition("SomethingNew", "False", "NotDone"))
	reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	reading.Judge(none)
	require.Equal(t, status.Ready, reading.Verdict)
	require.False(t, reading.Objects[0].Conditions[1].Expected)
}

func TestAPoolThatMayScaleToZeroIsJudgedByAllButItsNodes(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]map[string]any{
		"min 0":      {"clusterName": "demo", "autoScaling": map[string]any{"min": int64(0), "max": int64(3)}},
		"replicas 0": {"clusterName": "demo", "replicas": int64(0)},
	} {
		reading, api, cluster := demo(condition("Available", "True", ""), condition("ClusterVersionAvailable", "False", "x"),
			condition("DataPlaneConnectionAvailable", "Unknown", "NoWorkerNodesAvailable"))
		pool := object(crd.NodePool, "clusters", "a", condition("AllMachinesReady", "False", "NotFound"),
			condition("ValidMachineConfig", "False", "ValidationFailed"))
		pool["spec"] = spec
		api["NodePool a"] = pool
		reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, HostedClusterParts()[:1])
		reading.Judge(none)
		require.Equal(t, status.Failing, reading.Verdict, name)
		require.Len(t, reading.Findings, 1, name)
		require.Contains(t, reading.Findings[0].Problem, "ValidMachineConfig")
	}
}

func TestAWaitEndsWithWhatTheStatusCallsReady(t *testing.T) {
	t.Parallel()
	for _, broken := range []map[string]any{
		nil, condition("AWSEndpointAvailable", "False", "AWSError"), condition("Progressing", "True", "x"),
		condition("ValidProxyConfiguration", "False", "ProxyCABundleInvalid"), condition("SomethingNew", "False", "NotDone"),
	} {
		conditions := []map[string]any{condition("Available", "True", "")}
		if broken != nil {
			conditions = append(conditions, broken)
		}
		reading, api, cluster := demo(conditions...)
		w := newReadiness(cluster, api, func(report.Event) {})
		waitsFor, err := w.look(t.Context())
		require.NoError(t, err)
		reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
		reading.Judge(none)
		require.Equal(t, reading.Verdict == status.Ready, len(waitsFor) == 0, "%v: %s", broken, waitsFor)
	}
	reading, api, cluster := demo()
	reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
	reading.Judge(none)
	require.Equal(t, status.Progressing, reading.Verdict, "HyperShift has reported nothing yet")
}

func TestAnEndpointThatIsNotSeenHoldsIfHyperShiftSaysSo(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]status.FlowStep{
		"True":  {Verdict: status.Holds},
		"False": {Verdict: status.Beyond, Why: "AWSEndpointAvailable is False (AWSError)"},
	} {
		reading, api, cluster := demo(condition("Available", "True", ""), condition("AWSEndpointAvailable", said, "AWSError"))
		reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, nil)
		reading.Judge(none)
		reading.AddFlow([]status.FlowStep{
			{Paths: []string{"node in a -> control plane over PrivateLink"}, Verdict: status.Beyond, Why: "not in the state"},
			{Paths: []string{"node in a -> internet"}, Verdict: status.Beyond, Why: "not in the state"},
		})
		require.Equal(t, want.Verdict, reading.Flow[0].Verdict)
		require.Equal(t, want.Why, reading.Flow[0].Why)
		require.Equal(t, status.Beyond, reading.Flow[1].Verdict)
	}
}

func TestAClusterThatWasNotCreatedIsNotAbsent(t *testing.T) {
	t.Parallel()
	reading := &Reading{Cluster: status.Cluster{Stack: "demo"}}
	reading.Uncreated(crd.HostedCluster, "its creation failed")
	reading.Judge(none)
	require.Equal(t, status.Failing, reading.Verdict)
	require.Equal(t, "stack demo: its state has no HostedCluster: its creation failed", reading.Why)
}

// TestASubnetThatTheEndpointServiceLacksIsNamed: without it, nodes of the pool have no endpoint in their zone.
func TestASubnetThatTheEndpointServiceLacksIsNamed(t *testing.T) {
	t.Parallel()
	reading, api, cluster := demo(condition("Available", "True", ""))
	service := object(crd.EndpointService, "clusters-demo", "private-router")
	service["spec"] = map[string]any{"subnetIDs": []any{"subnet-a", "subnet-b"}}
	api["AWSEndpointService private-router"] = service
	for name, subnet := range map[string]string{"one": "subnet-a", "two": "subnet-b", "new": "subnet-c"} {
		pool := object(crd.NodePool, "clusters", name)
		pool["spec"] = map[string]any{"clusterName": "demo",
			"platform": map[string]any{"aws": map[string]any{"subnet": map[string]any{"id": subnet}}}}
		api["NodePool "+name] = pool
	}
	reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, HostedClusterParts())
	reading.Judge(none)
	var problems []string
	for _, f := range reading.Findings {
		if strings.HasPrefix(f.Subject, crd.EndpointService) {
			problems = append(problems, f.Subject+": "+f.Problem)
		}
	}
	require.Equal(t, []string{
		"AWSEndpointService clusters-demo/private-router: its spec.subnetIDs lack subnet-c, the subnet of NodePool new",
	}, problems)
}

// TestAStatusFromBeforeTheLastChangeIsNotThatOfTheCluster: right after a change all conditions are still those of the
// former spec, and an operator that is not there never changes them.
func TestAStatusFromBeforeTheLastChangeIsNotThatOfTheCluster(t *testing.T) {
	t.Parallel()
	seen := func(kind, name string, current, observed int64) map[string]any {
		o := object(kind, "clusters", name, condition("Available", "True", ""), condition("EtcdAvailable", "True", ""))
		o["metadata"].(map[string]any)["generation"] = current
		o["spec"] = map[string]any{"clusterName": "demo"}
		if observed > 0 {
			conditions := o["status"].(map[string]any)["conditions"].([]any)
			conditions[0].(map[string]any)["observedGeneration"] = int64(1) // it was reported once
			conditions[1].(map[string]any)["observedGeneration"] = observed
		}
		return o
	}
	for name, c := range map[string]struct {
		cluster, pool int64 // what their statuses are of; the cluster has generation 3, and the pool 2
		waitsFor      []string
	}{
		"all seen":               {3, 2, nil},
		"no generation reported": {0, 0, nil},
		"the cluster's is old": {2, 2, []string{
			"HostedCluster demo has a status from before its last change: its operator has seen generation 2, and 3 is current",
		}},
		"the pool's is old": {3, 1, []string{
			"NodePool a has a status from before its last change: its operator has seen generation 1, and 2 is current",
		}},
	} {
		reading, api, cluster := demo()
		api["HostedCluster demo"] = seen(crd.HostedCluster, "demo", 3, c.cluster)
		api["NodePool a"] = seen(crd.NodePool, "a", 2, c.pool)
		cluster.NodePools = []string{"a"}
		w := newReadiness(cluster, api, func(report.Event) {})
		waitsFor, err := w.look(t.Context())
		require.NoError(t, err, name)
		require.Equal(t, c.waitsFor, waitsFor, name)
		reading.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, HostedClusterParts()[:1])
		reading.Judge(none)
		if len(c.waitsFor) == 0 {
			require.Equal(t, status.Ready, reading.Verdict, name)
			continue
		}
		require.Equal(t, status.Progressing, reading.Verdict, name)
		require.Len(t, reading.Findings, 1, name)
	}
	deleted := seen(crd.HostedCluster, "demo", 3, 2)
	deleted["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	require.Empty(t, behindOf(deleted), "the deletion is a generation of its own")
}
