// Package webhookcases has changes of the objects of a cluster of kind capa, which Cluster API's own webhooks judge in
// `make conformance` and this project's rules in `make test`. Both must agree.
package webhookcases

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
)

// Case is a request to a webhook.
type Case struct {
	// Name says what the request changes.
	Name string
	// Object is the object of the request. Old is the object before an update, nil for a creation.
	Object, Old map[string]any
}

// Verdicts is the file with the answers of Cluster API's webhooks, a line per case, relative to the repository.
const Verdicts = "components/capa/testdata/verdicts.txt"

// Objects returns the objects in the golden files of components/capa, by file. root is the path of the repository.
func Objects(t *testing.T, root string) map[string][]map[string]any {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "components/capa/testdata/objects/*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]map[string]any{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		for {
			var object any
			if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
			if o := asJSON(t, object).(map[string]any); o["kind"] != "Namespace" {
				all[filepath.Base(path)] = append(all[filepath.Base(path)], o)
			}
		}
	}
	return all
}

// asJSON returns a value with the types that JSON is decoded into.
func asJSON(t *testing.T, value any) (decoded any) {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, kjson.Unmarshal(text, &decoded))
	return decoded
}

// change changes the first object of a kind in a golden file.
type change struct {
	file, kind string
	// path is the field that is set, and value what to; nil removes it.
	path  string
	value any
	// update is true for a change of an object that exists, false for its creation.
	update bool
}

// Cases returns the cases in a fixed order.
func Cases(t *testing.T, root string) (cases []Case) {
	t.Helper()
	objects := Objects(t, root)
	for _, c := range changes() {
		var before map[string]any
		for _, o := range objects[c.file] {
			if o["kind"] == c.kind && before == nil {
				before = o
			}
		}
		require.NotNil(t, before, "%s has no %s", c.file, c.kind)
		after, fields := runtime.DeepCopyJSON(before), strings.Split(c.path, ".")
		if c.value == nil {
			unstructured.RemoveNestedField(after, fields...)
		} else {
			require.NoError(t, unstructured.SetNestedField(after, asJSON(t, c.value), fields...))
		}
		text, err := json.Marshal(c.value)
		require.NoError(t, err)
		name, old := "create", map[string]any(nil)
		if c.update {
			name, old = "update", before
		}
		cases = append(cases, Case{name + " " + c.kind + " of " + c.file + ": " + c.path + " = " + string(text), after, old})
	}
	return cases
}

// changes lists the changes: what a user can merge into a spec, or change in a stack's file.
func changes() []change {
	const custom, zones, private = "customized.yaml", "private-zones.yaml", "private.yaml"
	const first, second = "spec.controlPlaneLoadBalancer", "spec.secondaryControlPlaneLoadBalancer"
	machine := "spec.template.spec"
	return []change{
		{custom, "AWSCluster", "spec.region", "eu-west-1", true},
		{custom, "AWSCluster", "spec.network.vpc.id", "vpc-2", true},
		{custom, "AWSCluster", "spec.network.vpc.id", nil, true},
		{custom, "AWSCluster", "spec.identityRef", nil, true},
		{custom, "AWSCluster", "spec.sshKeyName", "ops", true},
		{custom, "AWSCluster", "spec.additionalTags", map[string]any{"a": "b"}, true},
		{custom, "AWSCluster", "spec.additionalTags", map[string]any{"aws:a": "b"}, false},
		{custom, "AWSCluster", "spec.additionalTags", map[string]any{"a": strings.Repeat("b", 257)}, false},
		{custom, "AWSCluster", "spec.additionalTags", map[string]any{"a(b)": "c"}, false},
		{custom, "AWSCluster", first + ".scheme", "internal", true},
		{custom, "AWSCluster", first + ".scheme", "internal", false},
		{custom, "AWSCluster", first + ".name", "other", true},
		{custom, "AWSCluster", first + ".name", "a-name-of-a-load-balancer-of-33-c", false},
		{custom, "AWSCluster", first + ".healthCheckProtocol", "TCP", true},
		{custom, "AWSCluster", first + ".loadBalancerType", "disabled", true},
		{custom, "AWSCluster", first + ".crossZoneLoadBalancing", false, true},
		{custom, "AWSCluster", first + ".ingressRules", []any{map[string]any{
			"description": "a", "protocol": "tcp", "fromPort": 6443, "toPort": 6443, "cidrBlocks": []any{"10.0.0.0/8"},
			"sourceSecurityGroupIds": []any{"sg-1"}}}, false},
		{custom, "AWSCluster", first + ".ingressRules", []any{map[string]any{
			"description": "a", "protocol": "tcp", "fromPort": 6443, "toPort": 6443, "natGatewaysIPsSource": true,
			"cidrBlocks": []any{"10.0.0.0/8"}}}, false},
		{custom, "AWSCluster", first + ".additionalListeners", []any{map[string]any{"port": 8132, "protocol": "TCP"}}, false},
		{custom, "AWSCluster", second, nil, true},
		{custom, "AWSCluster", second + ".name", "other", true},
		{custom, "AWSCluster", second + ".name", nil, false},
		{custom, "AWSCluster", second + ".scheme", "internet-facing", false},
		{custom, "AWSCluster", second + ".loadBalancerType", "alb", false},
		{custom, "AWSCluster", second + ".healthCheckProtocol", "TCP", true},
		{private, "AWSCluster", second, map[string]any{"name": "b", "scheme": "internal", "loadBalancerType": "nlb"}, true},
		{private, "AWSCluster", second, map[string]any{"name": "b", "scheme": "internal", "loadBalancerType": "nlb"}, false},
		{custom, "AWSCluster", "spec.controlPlaneEndpoint", map[string]any{"host": "a", "port": 6443}, true},
		{custom, "AWSCluster", "spec.bastion", map[string]any{"enabled": true, "allowedCIDRBlocks": []any{"none"}}, false},
		{custom, "AWSCluster", "spec.bastion", map[string]any{
			"enabled":             true,
			"disableIngressRules": true,
			"allowedCIDRBlocks":   []any{"10.0.0.0/8"},
		}, false},
		{custom, "AWSCluster", "spec.s3Bucket", map[string]any{"name": "a_bucket"}, false},
		{custom, "AWSCluster", "spec.s3Bucket", map[string]any{"name": "demo-ignition"}, false},
		{custom, "AWSCluster", "spec.network.vpc.ipv6", map[string]any{}, false},
		{custom, "AWSCluster", "spec.network.vpc.ipv6", map[string]any{"cidrBlock": "2001:db8::/56"}, true},
		{custom, "AWSCluster", "spec.network.vpc.ipv6", map[string]any{"cidrBlock": "2001:db8::"}, false},
		{custom, "AWSCluster", "spec.network.subnets", []any{map[string]any{
			"id":            "subnet-1",
			"ipv6CidrBlock": "2001:db8::/200",
		}}, false},
		{custom, "AWSCluster", first + ".targetGroupIPType", "ipv4", false},
		{custom, "AWSCluster", first + ".targetGroupIPType", "ipv4", true},
		{custom, "AWSCluster", first + ".targetGroupIPType", "ipv6", false},
		{custom, "AWSCluster", first + ".additionalListeners", []any{map[string]any{
			"port":              8132,
			"protocol":          "TCP",
			"targetGroupIPType": "ipv6",
		}}, false},
		{custom, "AWSCluster", first + ".ingressRules",
			[]any{map[string]any{"description": "a", "protocol": "tcp", "fromPort": 6443, "toPort": 6443,
				"cidrBlocks": []any{"10.0.0.0/8"}, "ipv6CidrBlocks": []any{"2001:db8::/32"}}}, false},
		{custom, "AWSMachineTemplate", machine + ".assignPrimaryIPv6", "disabled", false},
		{custom, "Cluster", "spec.clusterNetwork.pods.cidrBlocks", []any{"192.168.0.0/16", "fd01::/48"}, false},
		{custom, "Cluster", "spec.clusterNetwork.services.cidrBlocks", []any{"10.96.0.0/12", "fd02::/112"}, false},
		{zones, "AWSClusterRoleIdentity", "spec.sourceIdentityRef", nil, false},
		{zones, "AWSClusterRoleIdentity", "spec.roleARN", "arn:aws:iam::123456789012:role/other", true},
		{custom, "AWSMachineTemplate", machine + ".instanceType", "m5.large", true},
		{custom, "AWSMachineTemplate", machine + ".providerID", "aws:///i-1", false},
		{custom, "AWSMachineTemplate", machine + ".rootVolume", map[string]any{"size": 20, "type": "io1"}, false},
		{custom, "AWSMachineTemplate", machine + ".rootVolume", map[string]any{
			"size": 20,
			"type": "io1",
			"iops": 100,
		}, false},
		{custom, "AWSMachineTemplate", machine + ".rootVolume", map[string]any{
			"size":       20,
			"type":       "gp2",
			"throughput": 125,
		}, false},
		{custom, "AWSMachineTemplate", machine + ".rootVolume", map[string]any{"size": 20, "deviceName": "/dev/sda1"}, false},
		{custom, "AWSMachineTemplate", machine + ".nonRootVolumes", []any{map[string]any{"size": 20}}, false},
		{custom, "AWSMachineTemplate", machine + ".nonRootVolumes", []any{map[string]any{
			"size":       20,
			"deviceName": "/dev/sdb",
			"type":       "io2",
		}}, false},
		{custom, "AWSMachineTemplate", machine + ".nonRootVolumes", []any{map[string]any{
			"size":       20,
			"deviceName": "/dev/sdb",
			"type":       "st1",
			"throughput": 125,
		}}, false},
		{custom, "AWSMachineTemplate", machine + ".cloudInit", map[string]any{"secretPrefix": "a"}, false},
		{custom, "AWSMachineTemplate", machine + ".cloudInit", map[string]any{"secretCount": 1}, false},
		{custom, "AWSMachineTemplate", machine + ".cloudInit", map[string]any{
			"insecureSkipSecretsManager": true,
			"secureSecretsBackend":       "ssm-parameter-store",
		}, false},
		{custom, "AWSMachineTemplate", machine + ".additionalSecurityGroups", []any{map[string]any{
			"id": "sg-1", "filters": []any{map[string]any{"name": "a", "values": []any{"b"}}}}}, false},
		{custom, "AWSMachineTemplate", machine + ".additionalSecurityGroups", []any{map[string]any{"id": "sg-1"}}, false},
		{custom, "AWSMachineTemplate", machine + ".additionalTags", map[string]any{"aws:a": "b"}, false},
		{custom, "AWSMachineTemplate", machine + ".sshKeyName", "a key", false},
		{custom, "AWSMachineTemplate", machine + ".sshKeyName", "ops\n", false},
		{custom, "AWSMachineTemplate", machine + ".hostID", "h-0123456789abcdef0", false},
		{custom, "AWSMachineTemplate", machine + ".hostAffinity", "host", false},
		{custom, "AWSMachineTemplate", machine + ".dynamicHostAllocation", map[string]any{
			"tags": map[string]any{"a": "b"},
		}, false},
		{custom, "AWSMachineTemplate", machine + ".placementGroupPartition", 2, false},
		{custom, "AWSMachineTemplate", machine + ".marketType", "Spot", false},
		{custom, "AWSMachineTemplate", machine + ".capacityReservationId", "cr-0123456789abcdef0", false},
		{custom, "AWSMachineTemplate", machine + ".ignition", map[string]any{"version": "3.4"}, false},
		{custom, "KubeadmControlPlane", "spec.replicas", 2, false},
		{custom, "KubeadmControlPlane", "spec.replicas", 5, true},
		{custom, "KubeadmControlPlane", "spec.version", "1.33.4", false},
		{custom, "KubeadmControlPlane", "spec.version", "v1.34.0", true},
		{custom, "KubeadmControlPlane", "spec.version", "v1.35.0", true},
		{custom, "KubeadmControlPlane", "spec.version", "v1.32.0", true},
		{custom, "KubeadmControlPlane", "spec.rollout", map[string]any{
			"strategy": map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": 2}},
		}, false},
		{private, "KubeadmControlPlane", "spec.replicas", 1, false},
		{custom, "KubeadmControlPlane", "spec.replicas", 1, false},
		{custom, "KubeadmControlPlane", "spec.rollout", map[string]any{
			"before": map[string]any{"certificatesExpiryDays": 5},
		}, false},
		{custom, "KubeadmControlPlane", "spec.remediation", map[string]any{"maxRetry": 3}, false},
		{custom, "KubeadmControlPlane", "spec.machineNaming", map[string]any{"template": "fixed"}, false},
		{custom, "KubeadmControlPlane", "spec.kubeadmConfigSpec.preKubeadmCommands", []any{"true"}, true},
		{custom, "KubeadmControlPlane", "spec.kubeadmConfigSpec.clusterConfiguration.certificatesDir", "/etc/other", true},
		{custom, "KubeadmControlPlane", "spec.kubeadmConfigSpec.format", "ignition", false},
		{custom, "KubeadmControlPlane", "spec.kubeadmConfigSpec.files",
			[]any{map[string]any{"path": "/a", "content": "b"}, map[string]any{"path": "/a", "content": "c"}}, false},
		{custom, "KubeadmControlPlane", "spec.kubeadmConfigSpec.files", []any{map[string]any{
			"path": "/a", "content": "b", "contentFrom": map[string]any{"secret": map[string]any{"name": "a", "key": "b"}}}},
			false},
		{custom, "KubeadmControlPlane", "spec.kubeadmConfigSpec.clusterConfiguration.etcd",
			map[string]any{"external": map[string]any{
				"endpoints": []any{"https://a"}, "caFile": "a", "certFile": "b", "keyFile": "c"}}, false},
		{custom, "KubeadmConfigTemplate", machine + ".users", []any{map[string]any{
			"name": "a", "passwd": "b", "passwdFrom": map[string]any{"secret": map[string]any{"name": "a", "key": "b"}}}},
			false},
		{custom, "KubeadmConfigTemplate", machine + ".ignition", map[string]any{
			"containerLinuxConfig": map[string]any{"strict": true},
		}, false},
		{custom, "Cluster", "spec.clusterNetwork.pods.cidrBlocks", []any{"none"}, false},
		{custom, "Cluster", "spec.clusterNetwork.services.cidrBlocks", []any{"10.96.0.0/12", "fd00::/108"}, false},
		{custom, "Cluster", "spec.clusterNetwork.serviceDomain", "under_score", false},
		{custom, "Cluster", "spec.infrastructureRef.name", "other", true},
		{custom, "Cluster", "spec.paused", true, true},
		{custom, "Cluster", "metadata.name", "1demo", false},
		{custom, "MachineDeployment", "spec.clusterName", "other", true},
		{custom, "MachineDeployment", "spec.template.spec.clusterName", "other", false},
		{custom, "MachineDeployment", "spec.template.spec.version", "1.33.4", false},
		{custom, "MachineDeployment", "spec.selector.matchLabels", map[string]any{"a": "b"}, false},
		{custom, "MachineDeployment", "spec.replicas", 3, true},
		{custom, "MachineDeployment", "spec.rollout",
			map[string]any{
				"strategy": map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxUnavailable": "many"}},
			}, false},
		{custom, "MachineDeployment", "spec.remediation", map[string]any{"maxInFlight": "half"}, false},
		{custom, "MachineDeployment", "spec.machineNaming", map[string]any{"template": "fixed"}, false},
		{custom, "MachineHealthCheck", "spec.clusterName", "other", true},
		{custom, "MachineHealthCheck", "spec.selector", map[string]any{}, false},
		{custom, "MachineHealthCheck", "spec.selector.matchLabels", map[string]any{
			"cluster.x-k8s.io/cluster-name": "other",
		}, false},
		{custom, "MachineHealthCheck", "spec.checks.nodeStartupTimeoutSeconds", 20, false},
		{custom, "MachineHealthCheck", "spec.remediation", map[string]any{
			"triggerIf": map[string]any{"unhealthyLessThanOrEqualTo": "half"},
		}, false},
		{custom, "MachineHealthCheck", "spec.remediation", map[string]any{
			"triggerIf": map[string]any{"unhealthyInRange": "[1-2]"},
		}, true},
	}
}
