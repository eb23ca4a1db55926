// Package crd has the schemas of those kinds of Cluster API and Cluster API Provider AWS that a cluster consists of.
package crd

import (
	"embed"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// RefusedByWebhooks returns the errors that the webhooks of Cluster API and of its AWS provider find in an object that
// the schemas accept: rules on its values and, with the object that it changes, fields that never change. old is nil
// for a new object. Sources: the webhooks of Cluster API v1.13.4 (core, kubeadm's bootstrap and control plane) and of
// Cluster API Provider AWS v2.13.0, with which `make conformance` compares them.
func RefusedByWebhooks(object, old map[string]any) field.ErrorList {
	kind, _ := object["kind"].(string)
	var errs field.ErrorList
	if check := webhooks[kind]; check != nil {
		errs = check(webhook{object, old})
	}
	if old == nil {
		return errs
	}
	for _, path := range immutable[kind] {
		before, is := at(old, path), at(object, path)
		if before != nil && before != "" && !reflect.DeepEqual(sameNumbers(before), sameNumbers(is)) {
			errs = append(errs, field.Invalid(fieldPath(path), is, "field is immutable"))
		}
	}
	return errs
}

// immutable lists, by kind, the fields that cannot be changed once they are set.
var immutable = map[string][]string{
	"AWSCluster": {
		"spec.region", "spec.network.vpc.id", "spec.controlPlaneEndpoint.host", "spec.controlPlaneEndpoint.port",
		"spec.controlPlaneLoadBalancer.scheme",
	},
	"AWSClusterStaticIdentity": {"spec.secretRef"},
	"AWSMachineTemplate":       {"spec.template.spec"},
	"MachineDeployment":        {"spec.clusterName"},
	"MachineHealthCheck":       {"spec.clusterName"},
}

// webhook is a request to a webhook.
type webhook struct{ object, old map[string]any }

var webhooks = map[string]func(webhook) field.ErrorList{
	"AWSCluster":                   webhook.awsCluster,
	"AWSClusterControllerIdentity": webhook.controllerIdentity,
	"AWSClusterRoleIdentity":       webhook.roleIdentity,
	"AWSMachineTemplate":           webhook.machineTemplate,
	"Cluster":                      webhook.cluster,
	"KubeadmConfigTemplate":        webhook.configTemplate,
	"KubeadmControlPlane":          webhook.controlPlane,
	"MachineDeployment":            webhook.machineDeployment,
	"MachineHealthCheck":           webhook.machineHealthCheck,
}

var (
	labelValue       = regexp.MustCompile(`^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)
	kubeVersion      = regexp.MustCompile(`^v(\d+)\.(\d+)\.(\d+)([-+].*)?$`)
	loadBalancerName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9]{0,31}|[-A-Za-z0-9]{0,30}[A-Za-z0-9])$`)
	tagCharacters    = regexp.MustCompile(`^[a-zA-Z0-9\s_.:=+\-@/]*$`)
)

func (w webhook) cluster() field.ErrorList {
	return append(w.name(), append(w.networks("spec.clusterNetwork.pods.cidrBlocks"),
		w.networks("spec.clusterNetwork.services.cidrBlocks")...)...)
}

// name returns an error for a name that is not a valid label value: machines get it as a label.
func (w webhook) name() field.ErrorList {
	if name, _ := at(w.object, "metadata.name").(string); !labelValue.MatchString(name) {
		return field.ErrorList{field.Invalid(fieldPath("metadata.name"), name, "must be a valid label value")}
	}
	return nil
}

func (w webhook) awsCluster() field.ErrorList {
	var errs field.ErrorList
	const balancer = "spec.controlPlaneLoadBalancer"
	if name, given := at(w.object, balancer+".name").(string); given && !loadBalancerName.MatchString(name) {
		errs = append(errs, field.Invalid(fieldPath(balancer+".name"), name,
			"must be at most 32 letters, digits and hyphens"))
	}
	errs = append(errs, w.secondaryLoadBalancer(balancer)...)
	// A field that was not set is fixed too: CAPA has chosen its value.
	if _, had := at(w.old, balancer).(map[string]any); had {
		for _, key := range []string{"name", "healthCheckProtocol", "targetGroupIPType"} {
			if is := at(w.object, balancer+"."+key); at(w.old, balancer+"."+key) != is {
				errs = append(errs, field.Invalid(fieldPath(balancer+"."+key), is, "field is immutable"))
			}
		}
	}
	before, is := at(w.old, balancer+".loadBalancerType"), at(w.object, balancer+".loadBalancerType")
	if before != nil && before != is && (before == "disabled" || is == "disabled") {
		errs = append(errs, field.Invalid(fieldPath(balancer+".loadBalancerType"), is,
			"field is immutable when created of disabled type"))
	}
	if at(w.old, "spec.identityRef") != nil && at(w.object, "spec.identityRef") == nil {
		errs = append(errs, field.Invalid(fieldPath("spec.identityRef"), nil, "field cannot be set to nil"))
	}
	return append(append(errs, w.tags("spec.additionalTags")...), w.mergedInfrastructure()...)
}

// secondaryLoadBalancer returns the errors of a second load balancer, which has another name and scheme than the first.
func (w webhook) secondaryLoadBalancer(first string) field.ErrorList {
	var errs field.ErrorList
	const path = "spec.secondaryControlPlaneLoadBalancer"
	second, given := at(w.object, path).(map[string]any)
	before, had := at(w.old, path).(map[string]any)
	switch {
	case had && !given:
		return field.ErrorList{field.Invalid(fieldPath(path), nil, "control plane load balancer cannot be removed once set")}
	case !given:
		return nil
	case w.old != nil && !had && second["scheme"] == "internal":
		errs = append(errs, field.Invalid(fieldPath(path+".scheme"), second["scheme"],
			"field is immutable, default value was set to internet-facing"))
	case had:
		for _, key := range []string{"name", "scheme", "healthCheckProtocol", "targetGroupIPType"} {
			if before[key] != second[key] {
				errs = append(errs, field.Invalid(fieldPath(path+"."+key), second[key], "field is immutable"))
			}
		}
	}
	name, _ := second["name"].(string)
	if name == "" || !loadBalancerName.MatchString(name) || name == at(w.object, first+".name") {
		errs = append(errs, field.Invalid(fieldPath(path+".name"), name,
			"must be a name of a load balancer other than that of controlPlaneLoadBalancer"))
	}
	scheme := func(path, otherwise string) any {
		if value := at(w.object, path+".scheme"); value != nil {
			return value
		}
		return otherwise
	}
	if is := scheme(path, "internal"); is == scheme(first, "internet-facing") {
		errs = append(errs, field.Invalid(fieldPath(path+".scheme"), is,
			"control plane load balancers must have different schemes"))
	}
	if kind := second["loadBalancerType"]; kind != nil && kind != "nlb" {
		errs = append(errs, field.Invalid(fieldPath(path+".loadBalancerType"), kind,
			"secondary control plane load balancer must be a Network Load Balancer"))
	}
	return errs
}

func (w webhook) controllerIdentity() field.ErrorList {
	if name := at(w.object, "metadata.name"); name != "default" {
		return field.ErrorList{field.Invalid(fieldPath("metadata.name"), name,
			"AWSClusterControllerIdentity is a singleton and only acceptable name is default")}
	}
	return nil
}

func (w webhook) roleIdentity() field.ErrorList {
	if at(w.object, "spec.sourceIdentityRef") == nil {
		return field.ErrorList{field.Invalid(fieldPath("spec.sourceIdentityRef"), nil, "field cannot be set to nil")}
	}
	return nil
}

func (w webhook) machineTemplate() field.ErrorList {
	var errs field.ErrorList
	const spec = "spec.template.spec"
	for _, refused := range []string{"providerID", "cloudInit.secretPrefix", "cloudInit.secretCount"} {
		if value := at(w.object, spec+"."+refused); value != nil {
			errs = append(errs, field.Forbidden(fieldPath(spec+"."+refused), "cannot be set in templates"))
		}
	}
	volume, _ := at(w.object, spec+".rootVolume").(map[string]any)
	return append(append(errs, volumeErrors(fieldPath(spec+".rootVolume"), volume)...), w.mergedMachine()...)
}

func (w webhook) configTemplate() field.ErrorList { return w.kubeadmConfig("spec.template.spec") }

func (w webhook) controlPlane() field.ErrorList {
	var errs field.ErrorList
	if replicas, given := number(at(w.object, "spec.replicas")); given && (replicas < 1 || int(replicas)%2 == 0) {
		errs = append(errs, field.Forbidden(fieldPath("spec.replicas"),
			"must be an odd number of at least 1 with stacked etcd"))
	}
	errs = append(errs, w.version("spec.version")...)
	before, is := minor(at(w.old, "spec.version")), minor(at(w.object, "spec.version"))
	if before >= 0 && is > before+1 {
		errs = append(errs, field.Forbidden(fieldPath("spec.version"),
			fmt.Sprintf("cannot update Kubernetes version from %v to %v: a minor version is skipped", at(w.old, "spec.version"),
				at(w.object, "spec.version"))))
	}
	return append(errs, w.mergedControlPlane()...)
}

func (w webhook) machineDeployment() field.ErrorList {
	errs := append(w.name(), w.version("spec.template.spec.version")...)
	if outer, inner := at(w.object, "spec.clusterName"), at(w.object, "spec.template.spec.clusterName"); outer != inner {
		errs = append(errs, field.Invalid(fieldPath("spec.template.spec.clusterName"), inner, "must match spec.clusterName"))
	}
	wanted, _ := at(w.object, "spec.selector.matchLabels").(map[string]any)
	labels, _ := at(w.object, "spec.template.metadata.labels").(map[string]any)
	for key, value := range wanted {
		if labels[key] != value {
			errs = append(errs, field.Invalid(fieldPath("spec.template.metadata.labels"), labels, "must match spec.selector"))
			break
		}
	}
	if len(wanted) == 0 {
		errs = append(errs, field.Required(fieldPath("spec.selector"), "selects no machines"))
	}
	const update = "spec.rollout.strategy.rollingUpdate"
	return append(append(errs, w.machineNaming()...),
		w.counts(update+".maxUnavailable", update+".maxSurge", "spec.remediation.maxInFlight")...)
}

var countOrPercentage = regexp.MustCompile(`^[0-9]+%$`)

func (w webhook) machineHealthCheck() field.ErrorList {
	var errs field.ErrorList
	selector, _ := at(w.object, "spec.selector").(map[string]any)
	if len(selector) == 0 {
		errs = append(errs, field.Required(fieldPath("spec.selector"), "selector must not be empty"))
	}
	if labels, _ := selector["matchLabels"].(map[string]any); labels["cluster.x-k8s.io/cluster-name"] != nil &&
		labels["cluster.x-k8s.io/cluster-name"] != at(w.object, "spec.clusterName") {
		errs = append(errs, field.Invalid(fieldPath("spec.selector"), labels,
			"cannot specify a cluster selector other than the one specified by ClusterName"))
	}
	const timeout, limit = "spec.checks.nodeStartupTimeoutSeconds", "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo"
	if seconds, given := number(at(w.object, timeout)); given && seconds != 0 && seconds < 30 {
		errs = append(errs, field.Invalid(fieldPath(timeout), seconds, "must be at least 30s"))
	}
	return append(errs, w.counts(limit)...)
}

func (w webhook) version(path string) field.ErrorList {
	if version, given := at(w.object, path).(string); given && !kubeVersion.MatchString(version) {
		return field.ErrorList{field.Invalid(fieldPath(path), version, "must be a valid semantic version")}
	}
	return nil
}

// minor returns the minor version of a Kubernetes version, or -1 if it has none.
func minor(version any) int {
	text, _ := version.(string)
	match := kubeVersion.FindStringSubmatch(text)
	if match == nil {
		return -1
	}
	n, _ := strconv.Atoi(match[2]) // digits
	return n
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// sameNumbers returns a value in which equal numbers compare as equal, whatever type they were decoded into.
func sameNumbers(object any) any {
	return untyped.Map(object, func(inner any) any {
		if n, is := number(inner); is {
			return n
		}
		return inner
	})
}

// at returns the value at a dotted path, or nil where there is none.
func at(object map[string]any, path string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...)
	return value
}

func fieldPath(path string) *field.Path {
	keys := strings.Split(path, ".")
	return field.NewPath(keys[0], keys[1:]...)
}

// The API versions of the schemas.
const (
	CoreVersion           = "cluster.x-k8s.io/v1beta2"
	BootstrapVersion      = "bootstrap.cluster.x-k8s.io/v1beta2"
	ControlPlaneVersion   = "controlplane.cluster.x-k8s.io/v1beta2"
	InfrastructureVersion = "infrastructure.cluster.x-k8s.io/v1beta2"
)

// The CRDs' versions v1beta2: those of Cluster API at ae7ff047 (2026-08-21), MachineHealthCheck at v1.13.4, and those
// of Cluster API Provider AWS at 2cf09d785 (2026-07-01).
//
//go:embed *.json.gz
var files embed.FS

// Set checks objects as the API server of a management cluster with both providers does, without webhooks.
var Set = crd.NewSet("the Cluster API", files, map[crd.Kind]string{
	{APIVersion: CoreVersion, Kind: "Cluster"}:                                "clusters.json.gz",
	{APIVersion: CoreVersion, Kind: "MachineDeployment"}:                      "machinedeployments.json.gz",
	{APIVersion: CoreVersion, Kind: "MachineHealthCheck"}:                     "machinehealthchecks.json.gz",
	{APIVersion: BootstrapVersion, Kind: "KubeadmConfigTemplate"}:             "kubeadmconfigtemplates.json.gz",
	{APIVersion: ControlPlaneVersion, Kind: "KubeadmControlPlane"}:            "kubeadmcontrolplanes.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSCluster"}:                   "awsclusters.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSMachineTemplate"}:           "awsmachinetemplates.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSClusterControllerIdentity"}: "awsclustercontrolleridentities.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSClusterRoleIdentity"}:       "awsclusterroleidentities.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSClusterStaticIdentity"}:     "awsclusterstaticidentities.json.gz",
})
