package crd

import (
	"embed"

	"github.com/hypershift-aws/hypershift-aws/components/crd"
)

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
