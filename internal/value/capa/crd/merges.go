package crd

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// This file has the rules of the webhooks on fields that have no key in capa.Args, and that a user merges into a spec.

// list returns the maps in the list at a path.
func (w webhook) list(path string) []map[string]any {
	values, _ := at(w.object, path).([]any)
	var found []map[string]any
	for _, value := range values {
		m, _ := value.(map[string]any)
		found = append(found, m)
	}
	return found
}

func (w webhook) isSet(path string) bool {
	value := at(w.object, path)
	return value != nil && value != "" && value != false
}

// networks returns the errors of a list of CIDRs.
func (w webhook) networks(path string) (errs field.ErrorList) {
	list, _ := at(w.object, path).([]any)
	for i, value := range list {
		text, _ := value.(string)
		if _, err := netip.ParsePrefix(text); err != nil {
			errs = append(errs, field.Invalid(fieldPath(path).Index(i), value, "must be a valid CIDR block"))
		}
	}
	return errs
}

// tags returns the errors of tags.
func (w webhook) tags(path string) (errs field.ErrorList) {
	tags, _ := at(w.object, path).(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		text, _ := tags[key].(string)
		if key == "" || len(key) > 128 || len(text) > 256 || strings.HasPrefix(strings.ToLower(key), "aws:") || !tagCharacters.MatchString(key+text) {
			errs = append(errs, field.Invalid(fieldPath(path).Key(key), tags[key], "is not a tag that AWS accepts"))
		}
	}
	return errs
}

// addressFamilies returns the errors of a new AWSCluster's CIDRs, and of target groups for IPv6 in a VPC without it.
func (w webhook) addressFamilies() (errs field.ErrorList) {
	if w.old != nil {
		return nil
	}
	parse := func(path *field.Path, value any) {
		text, _ := value.(string)
		if _, _, err := net.ParseCIDR(text); text != "" && err != nil {
			errs = append(errs, field.Invalid(path, text, "is not a CIDR"))
		}
	}
	const vpc, subnets = "spec.network.vpc", "spec.network.subnets"
	for _, path := range []string{vpc + ".cidrBlock", vpc + ".ipv6.cidrBlock"} {
		parse(fieldPath(path), at(w.object, path))
	}
	for i, subnet := range w.list(subnets) {
		for _, key := range []string{"cidrBlock", "ipv6CidrBlock"} {
			parse(fieldPath(subnets).Index(i).Child(key), subnet[key])
		}
	}
	ipv6 := at(w.object, vpc+".ipv6") != nil
	for _, path := range []string{"spec.controlPlaneLoadBalancer", "spec.secondaryControlPlaneLoadBalancer"} {
		balancer, _ := at(w.object, path).(map[string]any)
		judge := func(path *field.Path, family any) {
			switch {
			case family != nil && balancer["loadBalancerType"] == "classic":
				errs = append(errs, field.Invalid(path, family, "a classic load balancer has no target groups"))
			case family == "ipv6" && !ipv6:
				errs = append(errs, field.Invalid(path, family, "requires "+vpc+".ipv6"))
			}
		}
		judge(fieldPath(path+".targetGroupIPType"), balancer["targetGroupIPType"])
		for i, listener := range w.list(path + ".additionalListeners") {
			judge(fieldPath(path+".additionalListeners").Index(i).Child("targetGroupIPType"), listener["targetGroupIPType"])
		}
	}
	return errs
}

// mergedInfrastructure returns the errors of an AWSCluster's address families, ingress rules, bastion and bucket.
func (w webhook) mergedInfrastructure() (errs field.ErrorList) {
	errs = w.addressFamilies()
	for _, balancer := range []string{"spec.controlPlaneLoadBalancer", "spec.secondaryControlPlaneLoadBalancer"} {
		for i, rule := range w.list(balancer + ".ingressRules") {
			networks := rule["cidrBlocks"] != nil || rule["ipv6CidrBlocks"] != nil
			groups := rule["sourceSecurityGroupIds"] != nil || rule["sourceSecurityGroupRoles"] != nil
			if rule["natGatewaysIPsSource"] == true && (networks || groups) || networks && groups {
				errs = append(errs, field.Invalid(fieldPath(balancer+".ingressRules").Index(i), field.OmitValueType{},
					"has sources of more than one kind: networks, security groups, or natGatewaysIPsSource"))
			}
		}
	}
	const bastion, bucket = "spec.bastion.allowedCIDRBlocks", "spec.s3Bucket"
	if allowed, _ := at(w.object, bastion).([]any); w.isSet("spec.bastion.disableIngressRules") && len(allowed) > 0 {
		errs = append(errs, field.Forbidden(fieldPath(bastion), "cannot be set if spec.bastion.disableIngressRules is true"))
	}
	errs = append(errs, w.networks(bastion)...)
	if !w.isSet(bucket) {
		return errs
	}
	required := []string{"name"}
	if !w.isSet(bucket + ".presignedURLDuration") {
		required = append(required, "controlPlaneIAMInstanceProfile", "nodesIAMInstanceProfiles")
	}
	for _, key := range required {
		if !w.isSet(bucket + "." + key) {
			errs = append(errs, field.Required(fieldPath(bucket+"."+key), "can't be empty"))
		}
	}
	return errs
}

var keyPairName = regexp.MustCompile(`^[[:graph:]]+([[:print:]]*[[:graph:]]+)*$`)

// mergedMachine returns the errors of an AWSMachineTemplate's volumes, groups, tags, user data and host.
func (w webhook) mergedMachine() (errs field.ErrorList) {
	const spec = "spec.template.spec."
	for i, volume := range w.list(spec + "nonRootVolumes") {
		path := fieldPath(spec + "nonRootVolumes").Index(i)
		errs = append(errs, volumeErrors(path, volume)...)
		if volume["deviceName"] == nil || volume["deviceName"] == "" {
			errs = append(errs, field.Required(path.Child("deviceName"), "non root volume should have device name"))
		}
	}
	for i, group := range w.list(spec + "additionalSecurityGroups") {
		if group["id"] != nil && group["filters"] != nil {
			errs = append(errs, field.Forbidden(fieldPath(spec+"additionalSecurityGroups").Index(i),
				"only one of ID or Filters may be specified"))
		}
	}
	errs = append(errs, w.tags(spec+"additionalTags")...)
	if w.isSet(spec+"cloudInit.insecureSkipSecretsManager") && w.isSet(spec+"cloudInit.secureSecretsBackend") {
		errs = append(errs, field.Forbidden(fieldPath(spec+"cloudInit.secureSecretsBackend"),
			"cannot be set if cloudInit.insecureSkipSecretsManager is true"))
	}
	if w.isSet(spec+"ignition") && (w.isSet(spec+"cloudInit.insecureSkipSecretsManager") ||
		w.isSet(spec+"cloudInit.secureSecretsBackend")) {
		errs = append(errs, field.Forbidden(fieldPath(spec+"cloudInit"), "cannot be set if ignition is set"))
	}
	if name, _ := at(w.object, spec+"sshKeyName").(string); name != "" && !keyPairName.MatchString(name) {
		errs = append(errs, field.Invalid(fieldPath(spec+"sshKeyName"), name,
			"must be ASCII and must not start or end in whitespace"))
	}
	return append(errs, w.host()...)
}

// host returns the errors of the dedicated host of an AWSMachineTemplate.
func (w webhook) host() (errs field.ErrorList) {
	const spec = "spec.template.spec."
	id, dynamic := w.isSet(spec+"hostID"), w.isSet(spec+"dynamicHostAllocation")
	pinned, dedicated := at(w.object, spec+"hostAffinity") == "host", at(w.object, spec+"tenancy") == "host"
	forbid := func(key, why string) { errs = append(errs, field.Forbidden(fieldPath(spec+key), why)) }
	if id && dynamic {
		forbid("hostID", "hostID and dynamicHostAllocation are mutually exclusive")
	}
	for key, set := range map[string]bool{"hostID": id, "hostAffinity": pinned, "dynamicHostAllocation": dynamic} {
		if set && !dedicated {
			forbid(key, "can only be set when tenancy is 'host'")
		}
	}
	if pinned && !id && !dynamic {
		errs = append(errs, field.Required(fieldPath(spec+"hostID"),
			"hostID or dynamicHostAllocation must be set when hostAffinity is 'host'"))
	}
	if dynamic && !pinned {
		forbid("dynamicHostAllocation", "can only be set when hostAffinity is 'host'")
	}
	return errs
}

// volumeErrors returns the errors of a volume's type with its IOPS and throughput.
func volumeErrors(path *field.Path, volume map[string]any) (errs field.ErrorList) {
	kind, _ := volume["type"].(string)
	if (kind == "io1" || kind == "io2") && volume["iops"] == nil {
		errs = append(errs, field.Required(path.Child("iops"), "iops required if type is 'io1' or 'io2'"))
	}
	if volume["throughput"] != nil && kind != "gp3" {
		errs = append(errs, field.Required(path.Child("throughput"), "throughput is valid only for type 'gp3'"))
	}
	return errs
}

// kubeadmConfig returns the errors of a kubeadm configuration's files, users and format.
func (w webhook) kubeadmConfig(spec string) (errs field.ErrorList) {
	seen := map[any]bool{}
	for i, file := range w.list(spec + ".files") {
		path := fieldPath(spec + ".files").Index(i)
		if content, _ := file["content"].(string); content != "" && file["contentFrom"] != nil {
			errs = append(errs, field.Invalid(path, field.OmitValueType{},
				"only one of content or contentFrom may be specified for a single file"))
		}
		if seen[file["path"]] {
			errs = append(errs, field.Invalid(path.Child("path"), file["path"], "path property must be unique among all files"))
		}
		seen[file["path"]] = true
	}
	for i, user := range w.list(spec + ".users") {
		if password, _ := user["passwd"].(string); password != "" && user["passwdFrom"] != nil {
			errs = append(errs, field.Invalid(fieldPath(spec+".users").Index(i), field.OmitValueType{},
				"only one of passwd or passwdFrom may be specified for a single user"))
		}
	}
	if w.isSet(spec+".ignition") && at(w.object, spec+".format") != "ignition" {
		errs = append(errs, field.Invalid(fieldPath(spec+".format"), at(w.object, spec+".format"),
			`must be set to "ignition" if ignition is set`))
	}
	return errs
}

// changeable are the fields of clusterConfiguration that a KubeadmControlPlane may change.
var changeable = []string{"etcd", "dns", "imageRepository", "featureGates", "apiServer", "controllerManager",
	"scheduler",
	"certificateValidityPeriodDays", "encryptionAlgorithm"}

// mergedControlPlane returns the errors of a KubeadmControlPlane's configuration, rollout and machines' names.
func (w webhook) mergedControlPlane() field.ErrorList {
	const config, surge = "spec.kubeadmConfigSpec", "spec.rollout.strategy.rollingUpdate.maxSurge"
	errs := append(w.kubeadmConfig(config), w.machineNaming()...)
	if value, given := number(at(w.object, surge)); given {
		replicas, _ := number(at(w.object, "spec.replicas"))
		switch {
		case value == 0 && replicas < 3:
			errs = append(errs, field.Required(fieldPath(surge), "must be at least 1 with fewer than 3 replicas"))
		case value != 0 && value != 1:
			errs = append(errs, field.Required(fieldPath(surge), "value must be 1 or 0"))
		}
	}
	if w.old == nil {
		return errs
	}
	before, _ := at(w.old, config+".clusterConfiguration").(map[string]any)
	is, _ := at(w.object, config+".clusterConfiguration").(map[string]any)
	all := maps.Clone(before)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, is)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(changeable, key) && !reflect.DeepEqual(sameNumbers(before[key]), sameNumbers(is[key])) {
			errs = append(errs, field.Forbidden(fieldPath(config+".clusterConfiguration."+key), "cannot be modified"))
		}
	}
	return errs
}

// machineNaming returns an error for a template that gives all machines the same name.
func (w webhook) machineNaming() field.ErrorList {
	const path = "spec.machineNaming.template"
	if template, _ := at(w.object, path).(string); template != "" && !strings.Contains(template, "{{ .random }}") {
		return field.ErrorList{field.Invalid(fieldPath(path), template, "invalid template, {{ .random }} is missing")}
	}
	return nil
}

// counts returns an error for each string at the paths that is not a percentage.
func (w webhook) counts(paths ...string) (errs field.ErrorList) {
	for _, path := range paths {
		if text, is := at(w.object, path).(string); is && !countOrPercentage.MatchString(text) {
			errs = append(errs, field.Invalid(fieldPath(path), text,
				fmt.Sprintf("must be either an int or a percentage such as %q", "40%")))
		}
	}
	return errs
}
