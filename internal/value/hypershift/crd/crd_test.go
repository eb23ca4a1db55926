package crd_test

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// object reads one of testdata's objects again.
func object(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var o map[string]any
	require.NoError(t, json.Unmarshal(text, &o))
	return o
}

// set sets the value at a dotted path; nil removes it.
func set(t *testing.T, o map[string]any, path string, v any) map[string]any {
	t.Helper()
	keys := strings.Split(path, ".")
	at := o
	for _, key := range keys[:len(keys)-1] {
		next, ok := at[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[key] = next
		}
		at = next
	}
	if v == nil {
		delete(at, keys[len(keys)-1])
	} else {
		at[keys[len(keys)-1]] = v
	}
	return o
}

func TestAFaultOfATypeNamesTheValue(t *testing.T) {
	t.Parallel()
	o := set(t, object(t, "hostedcluster.json"), "spec.fips", "yes")
	require.ErrorContains(t, crd.Validate(o), `spec.fips: "yes" is refused by HyperShift's API: must be of type boolean`)
	require.NotContains(t, crd.Validate(o).Error(), "string")
}

func TestServiceNamesThatHyperShiftAcceptsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"hostedcluster.json", "nodepool.json"} {
		o := object(t, file)
		assert.NoError(t, crd.Validate(o), file)
		assert.NoError(t, crd.ValidateUpdate(o, object(t, file)), file)
		assert.Equal(t, object(t, file), o, "validating changes nothing")
	}
}

func TestInvalidObjectsAreRefusedWithHyperShiftsMessageAndThePath(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, path string
		value      any
		wantPath   string
		want       string
	}{
		"an unknown field outside spec": {"hostedcluster.json", "specs", "x", "specs", "field not declared in schema"},
		"a wrong type":                  {"hostedcluster.json", "spec.fips", "yes", "spec.fips", "must be of type boolean"},
		"a missing field":               {"hostedcluster.json", "spec.release", nil, "spec.release", "required value"},
		"an enum": {"hostedcluster.json", "spec.controllerAvailabilityPolicy", "Sometimes",
			"spec.controllerAvailabilityPolicy", "unsupported value"},
		"a rule in CEL": {"hostedcluster.json", "spec.infraID", "-acme", "spec.infraID",
			"infraID must consist of lowercase alphanumeric"},
		"CIDRs that overlap": {"hostedcluster.json", "spec.networking.serviceNetwork",
			[]any{map[string]any{"cidr": "10.0.0.0/16"}}, "spec.networking",
			"must be unique and non-overlapping"},
		"a name": {"hostedcluster.json", "metadata.name", "Acme", "metadata.name", "RFC 1123"},
		"replicas and range": {"nodepool.json", "spec.autoScaling", map[string]any{
			"min": int64(1),
			"max": int64(2),
		}, "spec", "Both replicas or autoScaling should not be set"},
		"an unknown kind": {"nodepool.json", "kind", "Pod", "kind", "no schema for kind"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults := fault.In(crd.Validate(set(t, object(t, c.file), c.path, c.value)))
			require.NotEmpty(t, faults)
			assert.Equal(t, c.wantPath, faults[0].Path)
			assert.Contains(t, faults[0].Problem, c.want)
		})
	}
}

func TestAChangeOfAnImmutableFieldIsRefused(t *testing.T) {
	t.Parallel()
	for path, value := range map[string]any{
		"spec.infraID":                      "other",
		"spec.issuerURL":                    "https://elsewhere.example.com",
		"spec.services":                     []any{},
		"spec.networking.machineNetwork":    []any{map[string]any{"cidr": "10.1.0.0/16"}},
		"spec.networking.clusterNetwork":    []any{map[string]any{"cidr": "10.140.0.0/14"}},
		"spec.networking.serviceNetwork":    []any{map[string]any{"cidr": "172.30.0.0/16"}},
		"spec.dns.baseDomain":               "example.org",
		"spec.dns.privateZoneID":            "Z9",
		"spec.controllerAvailabilityPolicy": "SingleReplica",
		"spec.fips":                         true,
		"spec.platform.type":                "None",
		"spec.capabilities":                 map[string]any{"disabled": []any{"ImageRegistry"}},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			old := object(t, "hostedcluster.json")
			if path == "spec.capabilities" {
				set(t, old, path, map[string]any{"disabled": []any{"openshift-samples"}})
			}
			changed := set(t, object(t, "hostedcluster.json"), path, value)
			assert.Error(t, crd.ValidateUpdate(changed, old))
		})
	}
}

func TestDefaultsAreTheCRDs(t *testing.T) {
	t.Parallel()
	o := object(t, "hostedcluster.json")
	set(t, o, "spec.networking.networkType", nil)
	before := maps.Clone(o["spec"].(map[string]any))
	require.NotContains(t, before["networking"], "networkType")
	require.NoError(t, crd.Set.Default(o))
	assert.Equal(t, "OVNKubernetes", o["spec"].(map[string]any)["networking"].(map[string]any)["networkType"])
}

func TestAFieldOfANewerVersionIsNamedWithTheDateAndNotRefused(t *testing.T) {
	t.Parallel()
	o := set(t, object(t, "nodepool.json"), "spec.osImageStream", map[string]any{"name": "rhel-10"})
	require.NoError(t, crd.Validate(o))
	require.NoError(t, crd.ValidateUpdate(o, object(t, "nodepool.json")))
	warnings := crd.Warnings(o)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "spec.osImageStream of NodePool ")
	require.Contains(t, warnings[0], crd.Date)
	require.Empty(t, crd.Warnings(object(t, "nodepool.json")))
	nested := set(t, object(t, "nodepool.json"), "spec.platform.aws.placement", map[string]any{"tenency": "host"})
	require.NoError(t, crd.Validate(nested))
	require.Contains(t, crd.Warnings(nested)[0], "spec.platform.aws.placement.tenency")
	wrong := set(t, object(t, "nodepool.json"), "spec.platform.aws.placement", map[string]any{"tenancy": "maybe"})
	require.ErrorContains(t, crd.Validate(wrong), "unsupported value", "a wrong value of a field that is known")
}

func TestAValueThatANewerRuleRefusesMayStay(t *testing.T) {
	t.Parallel()
	old := set(t, object(t, "hostedcluster.json"), "spec.dns.baseDomainPrefix", "Not.A.Label-")
	require.Error(t, crd.Validate(old))
	changed := set(t, set(t, object(t, "hostedcluster.json"), "spec.dns.baseDomainPrefix", "Not.A.Label-"),
		"spec.controllerAvailabilityPolicy", "SingleReplica")
	for _, f := range fault.In(crd.ValidateUpdate(changed, old)) {
		require.NotEqual(t, "spec.dns.baseDomainPrefix", f.Path, f.Problem)
	}
	require.ErrorContains(t, crd.ValidateUpdate(set(t, object(t, "hostedcluster.json"), "spec.dns.baseDomainPrefix",
		"Other.-"), old), "spec.dns.baseDomainPrefix", "another wrong value")
}

func TestGroupsOfTheIngressBalancerThatHyperShiftDropsAreWarnedOf(t *testing.T) {
	t.Parallel()
	o := object(t, "hostedcluster.json")
	aws := map[string]any{"type": "NLB", "networkLoadBalancer": map[string]any{"securityGroups": []any{"sg-1"}}}
	strategy := map[string]any{"type": "LoadBalancerService", "loadBalancer": map[string]any{"scope": "External",
		"providerParameters": map[string]any{"type": "AWS", "aws": aws}}}
	const path = "spec.operatorConfiguration.ingressOperator.endpointPublishingStrategy"
	o = set(t, o, path, strategy)
	require.NoError(t, crd.Validate(o))
	require.Len(t, crd.Warnings(o), 1)
	require.Contains(t, crd.Warnings(o)[0], "networkLoadBalancer.securityGroups of HostedCluster")
	require.Contains(t, crd.Warnings(o)[0], "has no effect with HyperShift of 2026-08-22")
	delete(aws, "networkLoadBalancer")
	o = set(t, o, path, strategy)
	require.Empty(t, crd.Warnings(o))
}
