package plancheck

import (
	"reflect"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// FieldCheck is a field of a HostedCluster or NodePool that HyperShift's operator checks or resolves after the API
// server has accepted it. It says where the field is checked before that.
type FieldCheck struct {
	// Kind is the kind of the object, and Path the path of the field.
	Kind, Path string
	// Operator says what the operator checks.
	Operator string
	// Here is where it is checked before an update, "" for nowhere.
	Here string
	// Left says what only the operator checks, "" for nothing.
	Left string
}

// FieldChecks lists the fields. Source: HyperShift's validateConfigAndClusterCapabilities, validateReleaseImage and
// validateHostedClusterSupport in hypershift-operator/controllers/hostedcluster, and the conditions of
// hypershift-operator/controllers/nodepool.
func FieldChecks() []FieldCheck {
	const (
		digest   = "a release whose tag is no version is supported, and no older than the cluster's"
		release  = "the release image exists and the pull secret opens it"
		file     = "the file"
		preview  = "the preview"
		registry = "preflight: the image's registry"
		offline  = "the offline operator"
		referred = file + ": the contents of `objects`"
	)
	return []FieldCheck{
		{crd.HostedCluster, "spec.release.image", "the version of a digest, as that of a tag", "", digest},
		{crd.HostedCluster, "spec.release.image", "it is found, with a version that the operator supports, and no older minor version",
			file + ": it is a pull spec; " + preview + ": the versions that the operator publishes, and that of the cluster; " +
				registry + "; " + offline, release},
		{crd.HostedCluster, "spec.controlPlaneRelease.image", "as spec.release.image",
			file + ": it is a pull spec; " + registry, release},
		{crd.HostedCluster, "spec.pullSecret", "the Secret exists, and opens the release image",
			file + " and " + offline + ": it exists; " + registry, release},
		{crd.HostedCluster, "spec.platform.aws.region", "a private cluster is in the operator's own region", "",
			"HyperShift's operator runs in the cluster's region"},
		{crd.HostedCluster, "spec.platform.aws.rolesRef", "AWS lets the operators assume the roles",
			offline + "; preflight: existing roles", ""},
		{crd.HostedCluster, "spec.platform.aws.cloudProviderConfig", "the VPC and the subnet exist",
			preview + ": existing networks are compared", ""},
		{crd.HostedCluster, "spec.issuerURL", "the OIDC documents are written, and AWS trusts the provider", offline, ""},
		{crd.HostedCluster, "spec.serviceAccountSigningKey", "the Secret has an RSA key in PEM", file + " and " + offline,
			""},
		{crd.HostedCluster, "spec.services", "each service has a strategy that AWS supports, and host names differ",
			"the stack writes such services", ""},
		{crd.HostedCluster, "spec.networking", "networks are of one family and do not overlap", file, ""},
		{crd.HostedCluster, "spec.dns", "the zones exist", preview + ": the public zone; preflight: its delegation", ""},
		{crd.HostedCluster, "spec.etcd.managed.storage.persistentVolume.storageClassName", "the volumes are bound", "",
			"the management cluster has the storage class of etcd"},
		{crd.HostedCluster, "spec.secretEncryption.kms", "the key can be used by the role", preview + ": the existing key",
			""},
		{crd.HostedCluster, "spec.secretEncryption.aescbc", "the Secrets exist", file + " and " + offline, ""},
		{crd.HostedCluster, "spec.additionalTrustBundle", "the ConfigMap has the key ca-bundle.crt", referred,
			"ConfigMaps and Secrets that are not in objects exist"},
		{crd.HostedCluster, "spec.sshKey", "the Secret exists", file + " and " + offline, ""},
		{crd.HostedCluster, "spec.clusterID", "it is a UUID", "", "clusterID is a UUID"},
		{crd.HostedCluster, "spec.labels", "they are labels", "", "the labels of the control plane's pods are valid"},
		{crd.HostedCluster, "spec.configuration", "certificates, identity providers and proxies are usable", referred,
			"OpenShift accepts the configuration"},
		{crd.HostedCluster, "spec.kubeAPIServerDNSName", "a certificate of spec.configuration has the name", "",
			"a certificate has the name of the API server"},
		{crd.NodePool, "spec.release.image", "the version of a digest, as that of a tag", "", digest},
		{crd.NodePool, "spec.release.image", "it is found, and its version fits the control plane's",
			file + ": it is a pull spec; " + preview + ": the versions of both; " + registry + "; " + offline, release},
		{crd.NodePool, "spec.arch", "the release image has the architecture of the pool", "",
			"the release image has the architecture of each pool"},
		{crd.NodePool, "spec.platform.aws.instanceType", "EC2 offers it in the zone", "preflight: the offers of the zones",
			""},
		{crd.NodePool, "spec.platform.aws.ami", "the image exists", file + ": it is an ID of EC2", "the AMI exists"},
		{crd.NodePool, "spec.platform.aws.subnet", "the subnet exists", preview + ": existing networks are compared", ""},
		{crd.NodePool, "spec.platform.aws.securityGroups", "the groups exist", preview + ": existing groups are compared",
			""},
		{crd.NodePool, "spec.platform.aws.placement", "the reservation or host has room", "", "EC2 has capacity"},
		{crd.NodePool, "spec.replicas", "EC2 has capacity", "preflight: quotas", "EC2 has capacity"},
		{crd.NodePool, "spec.config", "the manifests are MachineConfigs or KubeletConfigs, and ignition renders them",
			referred,
			"ignition renders the pools' config"},
		{crd.NodePool, "spec.tuningConfig", "the manifests are Tuned or PerformanceProfiles", referred, ""},
	}
}

// Unchecked lists what the plan leaves for HyperShift's operator to find out about the objects that it creates or
// changes, each once.
func Unchecked(planned *changes.Plan) []string {
	var left []string
	for _, step := range planned.Changed() {
		if step.New == nil {
			continue
		}
		for _, check := range FieldChecks() {
			path := strings.Split(check.Path, ".")
			now, before := props.Map(step.New), props.Map(step.Old)
			value := now.At(path...)
			if check.Left == "" || now.String("kind") != check.Kind || value == nil || !applies(check, now, before) ||
				slices.Contains(left, check.Left) {
				continue
			}
			if step.Change == changes.Create || !reflect.DeepEqual(value, before.At(path...)) {
				left = append(left, check.Left)
			}
		}
	}
	return left
}

// applies reports whether what is left of a check is a question for an object.
func applies(check FieldCheck, object, before props.Map) bool {
	switch {
	case check.Path == "spec.platform.aws.region":
		return object.String("spec", "platform", "aws", "endpointAccess") != "Public"
	case check.Path == "spec.arch":
		return object.String("spec", "arch") != "amd64"
	case check.Path == "spec.release.image" && check.Here == "": // only without a version in one of the tags
		return withoutVersion(object) || withoutVersion(before)
	}
	return true
}

// withoutVersion reports whether an object has a release image whose tag is no version, such as a digest.
func withoutVersion(object props.Map) bool {
	image := object.String("spec", "release", "image")
	_, known := hostedcluster.ReleaseVersion(image)
	return image != "" && !known
}
