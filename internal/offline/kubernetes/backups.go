package kubernetes

import (
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

// veleroNamespace is the namespace in which OADP's documentation installs Velero.
const veleroNamespace = "openshift-adp"

// BackupStorage returns the BackupStorageLocation of the OADP that every offline cluster has, nil for others.
func BackupStorage(namespace, name string) map[string]any {
	if namespace != veleroNamespace || name != crd.BackupDefaultLocation {
		return nil
	}
	return map[string]any{
		"apiVersion": crd.VeleroAPIVersion, "kind": crd.BackupStorageLocation,
		"metadata": map[string]any{"namespace": namespace, "name": name}, "status": map[string]any{"phase": "Available"},
	}
}
