// Package velero describes backups of hosted clusters as objects of Velero, which OADP installs in a management
// cluster. They are those that HyperShift's commands `create oadp-backup` and `create oadp-schedule` write.
package velero

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// WithDefaults returns the options with the default of each that is not set.
func WithDefaults(o backup.Options) backup.Options {
	if o.Namespace == "" {
		o.Namespace = hypershift.BackupNamespace
	}
	if o.StorageLocation == "" {
		o.StorageLocation = crd.BackupDefaultLocation
	}
	if o.TTL == 0 {
		o.TTL = backup.DefaultTTL
	}
	return o
}

// Validate returns every fault in the options.
func Validate(o backup.Options) error {
	var faults fault.Faults
	complete := WithDefaults(o)
	for _, named := range append([]struct{ path, value string }{{"name", o.Name}, {"namespace", complete.Namespace},
		{"storageLocation", complete.StorageLocation}},
		included(o.IncludeNamespaces)...) {
		if len(validation.IsDNS1123Label(named.value)) > 0 {
			faults.Add(named.path, named.value, "is not a name",
				"use at most 63 of a-z, 0-9, and -, and begin and end with a letter or digit")
		}
	}
	if o.TTL < 0 || o.TTL > 0 && o.TTL < time.Hour {
		faults.Add("ttl", o.TTL.String(), "is too short: the backup would be deleted before it is of use",
			"use at least one hour, such as 720h for 30 days")
	}
	if o.Cron != "" && !strings.HasPrefix(o.Cron, "@") && len(strings.Fields(o.Cron)) != 5 {
		faults.Add("schedule", o.Cron, "is not a time of cron", `use five fields, such as "0 2 * * *", or @daily`)
	}
	return faults.Err()
}

func included(namespaces []string) []struct{ path, value string } {
	var named []struct{ path, value string }
	for i, namespace := range namespaces {
		named = append(named, struct{ path, value string }{fmt.Sprintf("includeNamespaces[%d]", i), namespace})
	}
	return named
}

// Object returns the Backup or, with Cron, the Schedule, in JSON's types.
func Object(o backup.Options) map[string]any {
	o = WithDefaults(o)
	labels := map[string]any{
		"velero.io/storage-location":                       o.StorageLocation,
		"hypershift.openshift.io/hosted-cluster":           o.Cluster,
		"hypershift.openshift.io/hosted-cluster-namespace": o.ClusterNamespace,
	}
	kind, spec := crd.Backup, specOf(o)
	if o.Cron != "" {
		kind, spec = crd.Schedule, map[string]any{"schedule": o.Cron, "template": specOf(o)}
	}
	return map[string]any{
		"apiVersion": crd.VeleroAPIVersion, "kind": kind, "spec": spec,
		"metadata": map[string]any{"name": o.Name, "namespace": o.Namespace, "labels": labels},
	}
}

// specOf returns the spec of a backup. Source: HyperShift, cmd/oadp/common.go (buildBackupSpec), whose "dataMover"
// isn't a field of Velero.
func specOf(o backup.Options) map[string]any {
	namespaces := list(append([]string{o.ClusterNamespace, crd.ControlPlaneNamespace(o.ClusterNamespace, o.Cluster)},
		o.IncludeNamespaces...))
	spec := map[string]any{
		"includedNamespaces":       namespaces,
		"storageLocation":          o.StorageLocation,
		"ttl":                      o.TTL.String(),
		"defaultVolumesToFsBackup": false,
	}
	if o.EtcdSnapshot {
		spec["includedResources"] = list(append([]string{"namespaces"}, resources()...))
		spec["itemOperationTimeout"], spec["snapshotMoveData"], spec["snapshotVolumes"] = "4h0m0s", false, false
		return spec
	}
	spec["includedResources"] = list(append([]string{"persistentvolumeclaims", "persistentvolumes", "deployments",
		"statefulsets"}, resources()...))
	spec["csiSnapshotTimeout"], spec["datamover"], spec["snapshotMoveData"], spec["snapshotVolumes"] = "10m0s", "velero",
		true, true
	return spec
}

// resources returns the resources of every backup of a hosted cluster on AWS.
func resources() []string {
	return []string{
		"serviceaccounts", "roles", "rolebindings", "pods", "configmaps", "priorityclasses", "poddisruptionbudgets",
		"secrets", "services",
		"hostedclusters.hypershift.openshift.io", "nodepools.hypershift.openshift.io",
		"hostedcontrolplanes.hypershift.openshift.io",
		"clusters.cluster.x-k8s.io", "machinedeployments.cluster.x-k8s.io", "machinesets.cluster.x-k8s.io",
		"machines.cluster.x-k8s.io",
		"awsclusters.infrastructure.cluster.x-k8s.io", "awsmachinetemplates.infrastructure.cluster.x-k8s.io",
		"awsmachines.infrastructure.cluster.x-k8s.io",
		"routes.route.openshift.io", "clusterdeployments.hive.openshift.io",
	}
}

func list(texts []string) []any {
	var values []any
	for _, text := range texts {
		values = append(values, text)
	}
	return values
}
