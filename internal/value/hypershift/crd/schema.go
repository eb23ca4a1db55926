package crd

import (
	"embed"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
)

// APIVersion is the version of HyperShift's API.
const APIVersion = "hypershift.openshift.io/v1beta1"

// The kinds with schemas.
const (
	HostedCluster = "HostedCluster"
	NodePool      = "NodePool"
)

// The kinds that HyperShift's operators create, in the namespace ControlPlaneNamespace.
const (
	HostedControlPlane = "HostedControlPlane"
	EndpointService    = "AWSEndpointService"
)

// ControlPlaneNamespace returns the namespace of a HostedCluster's control plane. Source: HyperShift's
// HostedControlPlaneNamespace.
func ControlPlaneNamespace(namespace, name string) string {
	return namespace + "-" + strings.ReplaceAll(name, ".", "-")
}

// Date is the date of the CRDs. A management cluster may have a newer version of HyperShift.
const Date = "2026-08-22"

// The CRDs of the feature set "Default" from HyperShift's repository at 3ee9615567, of Date.
//
//go:embed hostedclusters.json nodepools.json
var files embed.FS

// Set are the schemas. They are compiled at first use. Fields below spec that they do not have are not refused: those
// of a newer version, or of another feature set.
var Set = crd.NewSet("HyperShift's API", files, map[crd.Kind]string{
	{APIVersion: APIVersion, Kind: HostedCluster}: "hostedclusters.json",
	{APIVersion: APIVersion, Kind: NodePool}:      "nodepools.json",
}).Dated()

// Validate checks a new object against its schema. The error is fault.Faults with all faults, each with the field's
// path in the object and the CRD's own message.
func Validate(object map[string]any) error { return Set.Validate(object) }

// ValidateUpdate checks an object against its schema and against its old state: immutable fields, and fields that
// cannot be unset. Defaults may be missing in both. The error is as in Validate.
func ValidateUpdate(object, old map[string]any) error { return Set.ValidateUpdate(object, old) }

// ingressGroups is the path of the security groups of the default ingress's network load balancer. OpenShift's ingress
// operator has the field (openshift/api#2914, cluster-ingress-operator#1500), and HyperShift of Date, whose version of
// openshift/api lacks it, drops it. It writes the IngressController once, so that the hosted cluster's administrators
// can add the groups there. Source: HyperShift, hostedclusterconfigoperator/controllers/resources/ingress/reconcile.go.
const ingressGroups = "spec.operatorConfiguration.ingressOperator.endpointPublishingStrategy.loadBalancer." +
	"providerParameters.aws.networkLoadBalancer.securityGroups"

// Warnings returns a warning for each field of an object that HyperShift's API did not have at Date. The API of the
// management cluster decides on it.
func Warnings(object map[string]any) []string {
	metadata, _ := object["metadata"].(map[string]any)
	var list []string
	for _, path := range Set.Newer(object) {
		what := "is not in HyperShift's API of " + Date +
			", by which values are checked: check its spelling; the API of the management cluster decides"
		if path == ingressGroups {
			what = "has no effect with HyperShift of " + Date + ", which drops it: the load balancer gets a group of " +
				"Kubernetes' cloud controller; limit who connects with loadBalancer.allowedSourceRanges, or set the groups on " +
				"the IngressController default in the hosted cluster, if its release has the field"
		}
		list = append(list, fmt.Sprintf("%s of %s %v %s", path, object["kind"], metadata["name"], what))
	}
	return list
}

// VeleroAPIVersion is the version of Velero's API.
const VeleroAPIVersion = "velero.io/v1"

// The kinds of Velero. BackupStorageLocation, which OADP creates, has no schema here.
const (
	Backup                = "Backup"
	Schedule              = "Schedule"
	BackupStorageLocation = "BackupStorageLocation"
)

// BackupDefaultLocation is the name of OADP's storage location unless users decide otherwise.
const BackupDefaultLocation = "default"

// The CRDs of Velero at d30d389b (2026-05-20), without descriptions.
//
//go:embed backups.json schedules.json
var veleroFiles embed.FS

// Velero are the schemas of Velero's kinds. They are compiled at first use.
var Velero = crd.NewSet("Velero's API", veleroFiles, map[crd.Kind]string{
	{APIVersion: VeleroAPIVersion, Kind: Backup}:   "backups.json",
	{APIVersion: VeleroAPIVersion, Kind: Schedule}: "schedules.json",
})
