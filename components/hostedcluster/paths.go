package hostedcluster

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// inSettings maps the paths of an object's faults to the settings from which the values come. Faults in values from the patch of the spec,
// and in fields without a setting, keep their path in the object.
func inSettings(faults fault.Faults, patch map[string]any, fields [][2]string) fault.Faults {
	var out fault.Faults
	for _, f := range faults {
		own := *f
		if !patched(patch, f.Path) {
			own.Path = translate(f.Path, fields)
		}
		out = append(out, &own)
	}
	return out
}

func translate(path string, fields [][2]string) string {
	for _, field := range fields {
		rest, ok := strings.CutPrefix(path, field[0])
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return field[1] + rest
		}
	}
	return path
}

// patched reports whether the value at a path of the object, or a value around it, came from the patch.
func patched(patch map[string]any, path string) bool {
	rest, ok := strings.CutPrefix(path, "spec.")
	if !ok {
		return false
	}
	var at any = patch
	for _, key := range strings.FieldsFunc(rest, func(r rune) bool { return r == '.' || r == '[' }) {
		inner, isMap := at.(map[string]any)
		if !isMap {
			return at != nil
		}
		if at, ok = inner[key]; !ok {
			return false
		}
	}
	return true
}

// clusterFields maps fields of a HostedCluster to fields of Settings, longer paths before their prefixes.
func clusterFields() [][2]string {
	return [][2]string{
		{"metadata.annotations", "annotations"},
		{"metadata.labels", "labels"},
		{"metadata.namespace", "namespace"},
		{"spec.release.image", "release"},
		{"spec.networking.serviceNetwork", "serviceCIDRs"},
		{"spec.networking.clusterNetwork", "clusterCIDRs"},
		{"spec.networking", "clusterCIDRs"},
		{"spec.services", "externalDNSDomain"},
		{"spec.capabilities", "capabilities"},
		{"spec.etcd.managed.storage.persistentVolume.size", "etcdStorageSize"},
		{"spec.etcd.managed.storage.persistentVolume.storageClassName", "etcdStorageClass"},
		{"spec.platform.aws.resourceTags", "resourceTags"},
		{"spec.platform.aws.additionalAllowedPrincipals", "additionalAllowedPrincipals"},
	}
}

// poolFields maps fields of a NodePool object to fields of NodePool.
func poolFields() [][2]string {
	const aws = "spec.platform.aws."
	return [][2]string{
		{"metadata.name", "name"},
		{"spec.release.image", "release"},
		{"spec.arch", "arch"},
		{"spec.replicas", "replicas"},
		{"spec.autoScaling", "autoScaling"},
		{"spec.nodeLabels", "labels"},
		{"spec.taints", "taints"},
		{"spec.management.upgradeType", "upgradeType"},
		{aws + "instanceType", "instanceType"},
		{aws + "rootVolume.size", "rootVolume.sizeGiB"},
		{aws + "rootVolume.encryptionKey", "rootVolume.kmsKeyARN"},
		{aws + "rootVolume", "rootVolume"},
		{aws + "placement.capacityReservation", "capacityReservation"},
		{aws + "placement.tenancy", "tenancy"},
		{aws + "placement.spot", "spot"},
		{aws + "placement", "spot"},
	}
}
