// Package backup defines the options of a backup of a hosted cluster with OADP. Package automation takes them, and
// applies the object of Velero that HyperShift's commands `create oadp-backup` and `create oadp-schedule` write.
package backup

import "time"

// DefaultTTL is how long a backup is kept. HyperShift's own default is two hours.
const DefaultTTL = 720 * time.Hour

// Options describe a backup, or the backups of a schedule.
type Options struct {
	// Cluster and ClusterNamespace are the name and the namespace of the HostedCluster. Required.
	Cluster, ClusterNamespace string
	// Name is the name of the object, at most 63 characters. Required.
	Name string
	// Namespace is the namespace of OADP. Default "openshift-adp".
	Namespace string
	// StorageLocation is the name of the BackupStorageLocation. Default "default".
	StorageLocation string
	// TTL is how long Velero keeps a backup. Default DefaultTTL.
	TTL time.Duration
	// IncludeNamespaces are namespaces to back up in addition to those of the HostedCluster and its control plane.
	// Default: none.
	IncludeNamespaces []string
	// EtcdSnapshot has HyperShift write a snapshot of etcd (HCPEtcdBackup) instead of copying its volumes. Default false.
	EtcdSnapshot bool
	// Cron is when a schedule makes backups: "0 2 * * *", or "@daily". Required for a schedule.
	Cron string
}
