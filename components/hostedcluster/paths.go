package hostedcluster

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/input"
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

// ConfigKey returns the setting from which the value of a field of an object comes, such as "nodePools[0].replicas" for the path
// "spec.replicas" of the first pool. A field without a setting is set by a key of its own path. pool is -1 for the HostedCluster.
func (s *Settings) ConfigKey(pool int, path string) string {
	fields, spec, prefix := clusterFields(), s.Spec, ""
	if pool >= 0 {
		fields, prefix, spec = poolFields(), fmt.Sprintf("nodePools[%d].", pool), nil
		if pool < len(s.NodePools) {
			fields, spec = s.NodePools[pool].fields(), s.NodePools[pool].Spec
		}
	}
	return prefix + inSettings(fault.Faults{{Path: path}}, spec, fields)[0].Path
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
		{"spec.fips", "fips"},
		{"spec.additionalTrustBundle.name", "additionalTrustBundle"},
		{"spec.serviceAccountSigningKey.name", "serviceAccountSigningKey"},
		{"spec.sshKey", "sshKey"},
		{"spec.controllerAvailabilityPolicy", "controllerAvailability"},
		{"spec.infrastructureAvailabilityPolicy", "infrastructureAvailability"},
		{"spec.autoNode", "autoNode"},
		{"spec.networking.serviceNetwork", "serviceCIDRs"},
		{"spec.networking.clusterNetwork", "clusterCIDRs"},
		{"spec.networking.machineNetwork", "spec.networking.machineNetwork"}, // the site's
		{"spec.networking", "clusterCIDRs"},
		{"spec.services", "externalDNSDomain"},
		{"spec.capabilities", "capabilities"},
		{"spec.etcd.managed.storage.persistentVolume.size", "etcdStorageSize"},
		{"spec.etcd.managed.storage.persistentVolume.storageClassName", "etcdStorageClass"},
		{"spec.platform.aws.resourceTags", "resourceTags"},
		{"spec.platform.aws.additionalAllowedPrincipals", "additionalAllowedPrincipals"},
		{"spec.platform.aws.endpointAccess", "endpointAccess"},
		{"spec.dns.baseDomainPrefix", "baseDomainPrefix"},
		{"spec.dns.baseDomain", "baseDomain"},
		{"spec.infraID", "infraID"},
	}
}

// siteFields maps fields of a HostedCluster, and of NodePools without the index of the pool, to fields of Args that are a site's.
func siteFields() [][2]string {
	const aws = "spec.platform.aws."
	return [][2]string{
		{aws + "region", "region"},
		{"spec.secretEncryption.kms.aws.region", "region"},
		{"spec.issuerURL", "site.issuerURL"},
		{"spec.dns.publicZoneID", "site.publicZoneID"},
		{"spec.dns.privateZoneID", "site.privateZoneID"},
		{"spec.networking.machineNetwork", "site.machineCIDRs"},
		{"spec.secretEncryption.kms.aws.activeKey.arn", "site.kmsKeyARN"},
		{"spec.secretEncryption.kms.aws.auth.awsKms", "site.roles[kmsProvider]"},
		{"spec.configuration.proxy.httpsProxy", "site.httpsProxyAddress"},
		{"spec.configuration.proxy", "site.proxyAddress"},
		{aws + "cloudProviderConfig.vpc", "site.vpcID"},
		{aws + "cloudProviderConfig.zone", "site.zones[0].name"},
		{aws + "cloudProviderConfig.subnet.id", "site.zones[0].subnetID"},
		{aws + "sharedVPC.rolesRef", "site.sharedVPC"},
		{aws + "sharedVPC", "site.sharedVPC"},
		{aws + "terminationHandlerQueueURL", "site.interruptionQueueURL"},
		{aws + "instanceProfile", "site.instanceProfile"},
		{aws + "subnet.id", "site.zones"},
		{aws + "subnet", "site.zones"},
		{aws + "securityGroups", "site.securityGroupIDs"},
	}
}

// poolPath matches the path of a field of a NodePool.
var poolPath = regexp.MustCompile(`^nodePools\[\d+\]\.(spec\..*)$`)

// roleField matches a field of a HostedCluster with the ARN of a role.
var roleField = regexp.MustCompile(`^spec\.platform\.aws\.rolesRef\.(.*)ARN$`)

// inArgs maps the paths of an object's faults to the values of the site from which the values come.
func (args *Args) inArgs(faults fault.Faults) fault.Faults {
	var out fault.Faults
	for _, f := range faults {
		own := *f
		path := f.Path
		if match := poolPath.FindStringSubmatch(path); match != nil {
			path = match[1]
		}
		if match := roleField.FindStringSubmatch(path); match != nil {
			own.Path = "site.roles[" + match[1] + "]"
		} else if path == "" { // of machine networks that overlap
			own.Path = "site.machineCIDRs"
		} else if to := translate(path, siteFields()); to != path && !patched(args.Settings.Spec, path) {
			own.Path = strings.Replace(to, "].id", "]", 1) // of a security group
		}
		out = append(out, &own)
	}
	return out
}

// withoutOwners returns the faults of a HostedCluster with the indexes of the principals that the settings give: the role of a shared VPC's owner is
// put before them.
func withoutOwners(faults fault.Faults) fault.Faults {
	var out fault.Faults
	for _, f := range faults {
		own := *f
		var index int
		if rest, ok := strings.CutPrefix(f.Path, principals+"["); ok {
			if _, err := fmt.Sscanf(rest, "%d]", &index); err == nil && index > 0 {
				own.Path = fmt.Sprintf("%s[%d]", principals, index-1)
			} else {
				own.Path = "spec.platform.aws.sharedVPC.rolesRef.controlPlaneARN"
			}
		}
		out = append(out, &own)
	}
	return out
}

const principals = "spec.platform.aws.additionalAllowedPrincipals"

// poolFields maps fields of a NodePool object to fields of NodePool.
func poolFields() [][2]string {
	const aws = "spec.platform.aws."
	return [][2]string{
		{"metadata.name", "name"},
		{"metadata.annotations", "annotations"},
		{"spec.release.image", "release"},
		{"spec.arch", "arch"},
		{"spec.replicas", "replicas"},
		{"spec.autoScaling", "autoScaling"},
		{"spec.nodeLabels", "labels"},
		{"spec.taints", "taints"},
		{"spec.management.upgradeType", "upgradeType"},
		{"spec.management.autoRepair", "noAutoRepair"},
		{aws + "instanceType", "instanceType"},
		{aws + "rootVolume.size", "rootVolume.sizeGiB"},
		{aws + "rootVolume.encryptionKey", "rootVolume.kmsKeyARN"},
		{aws + "rootVolume.iops", "rootVolume.iops"},
		{aws + "rootVolume.type", "rootVolume.type"},
		{aws + "rootVolume", "rootVolume"},
		{aws + "placement.capacityReservation", "capacityReservation"},
		{aws + "placement.tenancy", "tenancy"},
		{aws + "placement.spot", "spot"},
		{aws + "placement", "spot"},
		{aws + "ami", "ami"},
		{aws + "imageType", "imageType"},
		{aws + "resourceTags", "resourceTags"},
		{"spec.nodeDrainTimeout", "drainTimeout"},
		{"spec.nodeVolumeDetachTimeout", "volumeDetachTimeout"},
		{"spec.config", "config"},
		{"spec.tuningConfig", "tuningConfig"},
	}
}

// fields returns poolFields with the fields that the pool sets and that are otherwise the site's.
func (p *NodePool) fields() [][2]string {
	const aws = "spec.platform.aws."
	fields := poolFields()
	if input.IsSet(p.SubnetID) {
		fields = append(fields, [2]string{aws + "subnet.id", "subnetID"}, [2]string{aws + "subnet", "subnetID"})
	}
	if p.SecurityGroups != nil {
		fields = append(fields, [2]string{aws + "securityGroups", "securityGroups"})
	}
	if input.IsSet(p.InstanceProfile) {
		fields = append(fields, [2]string{aws + "instanceProfile", "instanceProfile"})
	}
	return fields
}
