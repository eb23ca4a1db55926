package clusterstatus

import (
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// judgement is how the status of a condition of a healthy cluster is known.
type judgement struct {
	// is are the statuses of a healthy cluster; none for a condition that says nothing about health.
	is []string
	// unless are the reasons with which False is healthy, too.
	unless []string
}

var (
	isTrue   = judgement{is: []string{conditionTrue}}
	notTrue  = judgement{is: []string{conditionFalse, "Unknown", ""}}
	notFalse = judgement{is: []string{conditionTrue, "Unknown", ""}}
	anything = judgement{}
)

// orOff is the judgement of an option that is on, or off for one of the reasons.
func orOff(reasons ...string) judgement {
	return judgement{is: []string{conditionTrue}, unless: reasons}
}

// judgements are the conditions of HyperShift's and Cluster API's objects, by type.
// Source: HyperShift's support/conditions/conditions.go, the constants of api/hypershift/v1beta1, and the controllers
// that set those that not every cluster has.
var judgements = func() map[string]judgement {
	table := map[string]judgement{
		// False is healthy, with any reason but that of a failed recovery.
		"EtcdRecoveryActive": {is: []string{"Unknown", ""}, unless: []string{asExpected}},
		"AutoscalingEnabled": orOff(asExpected, ""),
		"AutorepairEnabled":  orOff(asExpected, ""),
		"AutoNodeEnabled":    orOff("AutoNodeNotConfigured", asExpected),
		// A backup that runs is reported with False.
		"EtcdBackupSucceeded":   orOff("BackupInProgress"),
		"PublicEndpointExposed": orOff("TopologyPrivate"),
	}
	for of, types := range map[*judgement][]string{
		&isTrue: {
			"Available", "InfrastructureReady", "KubeAPIServerAvailable", "IgnitionEndpointAvailable", "EtcdAvailable",
			"UnmanagedEtcdAvailable", "ValidReleaseInfo", "ValidConfiguration", "SupportedHostedCluster",
			"ClusterVersionSucceeding", "ClusterVersionAvailable", "ReconciliationActive", "ReconciliationSucceeded",
			"ConfigOperatorReconciliationSucceeded", "ValidHostedControlPlaneConfiguration", "ValidReleaseImage",
			"PlatformCredentialsFound", "DataPlaneConnectionAvailable", "ControlPlaneConnectionAvailable",
			"ValidOIDCConfiguration", "ValidAWSIdentityProvider", "AWSDefaultSecurityGroupCreated", "AWSEndpointAvailable",
			"AWSEndpointServiceAvailable", "Ready", "ValidGeneratedPayload", "ValidMachineConfig", "AllMachinesReady",
			"AllNodesHealthy", "ReachedIgnitionEndpoint", "UpdateManagementEnabled", "ValidArchPlatform",
			"SupportedVersionSkew", "AWSSecurityGroupAvailable", "ValidPlatformImage", "BootstrapReady", "NodeHealthy",
			"ControlPlaneInitialized", "ControlPlaneReady",
		},
		&notTrue: {
			"Degraded", "Progressing", "ClusterVersionProgressing", "ClusterVersionFailing", "UpdatingVersion",
			"UpdatingConfig", "UpdatingPlatformMachineTemplate", "AWSResourceTagConflict", "ClusterNetworkCIDRConflict",
			"performance.operator.openshift.io/Progressing", "performance.operator.openshift.io/Degraded",
		},
		// Unknown or absent in clusters without them.
		&notFalse: {
			"ValidAWSKMSConfig", "ExternalDNSReachable", "ValidPlatformConfig", "EtcdDataEncryptionUpToDate",
			"ClusterVersionReleaseAccepted", "ValidTuningConfig", "CloudResourcesDestroyed",
			"AWSDefaultSecurityGroupDeleted", "ValidProxyConfiguration", "ValidIDPConfiguration",
			"IgnitionServerValidReleaseInfo", "HostedClusterRestoredFromBackup", "EtcdSnapshotRestored",
			"ValidMachineTemplate", "performance.operator.openshift.io/Available",
		},
		&anything: {
			"ClusterVersionUpgradeable", "ClusterVersionRetrievedUpdates", "HostedClusterDestroyed", "CVOScaledDown",
			"ClusterSizeComputed", "ClusterSizeTransitionPending", "ClusterSizeTransitionRequired",
			"performance.operator.openshift.io/Upgradeable",
		},
	} {
		for _, one := range types {
			table[one] = *of
		}
	}
	return table
}()

// asExpected is HyperShift's reason of a condition that is as it should be.
const asExpected = "AsExpected"

// health is what a condition says about a cluster.
type health int

const (
	healthy health = iota
	// notable is a condition that this program does not know, with a reason that is not as expected. It is shown, and
	// decides nothing.
	notable
	unhealthy
)

// judge returns what a condition of an object of a kind says. One that this program does not know is unhealthy if it
// says that something is not valid or not available.
func judge(kind string, c status.Condition) health {
	of, known := judgements[c.Type]
	switch {
	case known && (of.is == nil || slices.Contains(of.is, c.Status) ||
		c.Status == conditionFalse && slices.Contains(of.unless, c.Reason)):
		return healthy
	case known:
		return unhealthy
	case c.Status == conditionFalse && (strings.HasPrefix(c.Type, "Valid") || strings.HasSuffix(c.Type, "Available")):
		return unhealthy
	case c.Status == conditionTrue && (strings.HasSuffix(c.Type, "Degraded") || strings.HasSuffix(c.Type, "Conflict")):
		return unhealthy
	case (kind == crd.HostedCluster || kind == crd.NodePool) && c.Reason != "" && c.Reason != asExpected:
		return notable
	}
	return healthy
}

// needsNodes reports whether a condition waits for nodes that a NodePool without nodes, or a cluster of such pools,
// does not have.
// Source: HyperShift's ValidateHostedClusterConditions in test/e2e/util, and the conditions of NodePools.
func needsNodes(kind, condition string) bool {
	switch kind {
	case crd.NodePool:
		return slices.Contains([]string{"Ready", "AllMachinesReady", "AllNodesHealthy", "ReachedIgnitionEndpoint"}, condition)
	case crd.HostedCluster:
		return slices.Contains([]string{"ClusterVersionAvailable", "ClusterVersionSucceeding", "ClusterVersionProgressing",
			"DataPlaneConnectionAvailable", "ControlPlaneConnectionAvailable"}, condition)
	}
	return false
}

// temporary reports whether a condition is not met while a cluster is created or changed, so that it may end by itself.
// HyperShift reports an answer of AWS, such as that the OIDC provider does not exist, with the status Unknown.
func temporary(c status.Condition) bool {
	if c.Type == "ValidAWSIdentityProvider" && c.Reason == "AWSError" {
		return false
	}
	if strings.Contains(c.Type, "Valid") || c.Type == "SupportedHostedCluster" || c.Type == "SupportedVersionSkew" {
		return c.Status == "Unknown" || c.Status == ""
	}
	return !slices.Contains([]string{"ReEncryptionFailed", "EtcdRecoveryJobFailed", "BackupFailed", "ValidationFailed"},
		c.Reason)
}
