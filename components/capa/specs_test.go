package capa_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// customized returns a cluster with every customization of its machines and pools.
func customized() *capa.Args {
	a := private()
	a.Network.Zones = []network.Zone{{Name: "us-east-1a"}}
	a.Spec = capa.Specs{
		Cluster:    map[string]any{"availabilityGates": []any{map[string]any{"conditionType": "Backup"}}},
		AWSCluster: map[string]any{"controlPlaneLoadBalancer": map[string]any{"crossZoneLoadBalancing": true}},
	}
	volume := capa.Volume{Device: "/dev/sdb", RootVolume: capa.RootVolume{Size: 20, Type: "gp3"}}
	a.APIAccess.Secondary = true
	a.ControlPlane.HealthCheck = &capa.HealthCheck{}
	a.ControlPlane.Volumes = []capa.Volume{volume}
	a.ControlPlane.Kubeadm = &capa.KubeadmArgs{
		Files: []capa.File{
			{Path: "/etc/kubernetes/audit.yaml", Content: "rules: []\n", Owner: "root:root", Permissions: "0640"},
			{Path: "/etc/registry/auth.json", Secret: &capa.SecretKey{Name: "registry", Key: "auth.json"}},
		},
		PreCommands: []string{"swapoff -a"}, PostCommands: []string{"systemctl enable --now audit"},
		KubeletArgs: map[string]string{"max-pods": "110"}, NTPServers: []string{"169.254.169.123"},
		Users: []capa.User{{
			Name:    "ops",
			SSHKeys: []string{"ssh-ed25519 AAAA ops"},
			Sudo:    "ALL=(ALL) NOPASSWD:ALL",
			Groups:  []string{"adm", "docker"},
		}},
		Disks: []capa.Disk{{Device: "/dev/nvme1n1", Label: "etcd", MountPath: "/var/lib/etcd-data"}},
	}
	a.ControlPlane.Spec = capa.ControlPlaneSpecs{
		ControlPlane: map[string]any{
			"rollout": map[string]any{
				"strategy": map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": int64(0)}},
			},
		},
		Machine: map[string]any{"instanceMetadataOptions": map[string]any{"httpPutResponseHopLimit": int64(1)}},
	}
	a.Workers = []capa.WorkersArgs{{
		Name: "batch", AutoScaling: &capa.AutoScaling{Min: 0, Max: 5}, Spot: &capa.Spot{MaxPrice: "0.05"},
		Tenancy:        "dedicated",
		PlacementGroup: &capa.PlacementGroup{Name: "batch", Partition: 2}, Volumes: []capa.Volume{volume},
		Labels:      map[string]string{"node-role.kubernetes.io/batch": "", "example.com/team": "a"},
		Taints:      []capa.Taint{{Key: "example.com/batch", Value: "yes", Effect: "NoSchedule"}},
		HealthCheck: &capa.HealthCheck{UnhealthyAfter: "2m30s", StartupTimeout: "0s", MaxUnhealthy: "40%"},
		Kubeadm: &capa.KubeadmArgs{
			KubeletArgs: map[string]string{"max-pods": "30"}, PreCommands: []string{"modprobe br_netfilter"},
		},
		Spec: capa.WorkersSpecs{
			Deployment: map[string]any{"template": map[string]any{"spec": map[string]any{"minReadySeconds": int64(30)}}},
			Machine:    map[string]any{"networkInterfaceType": "efa"},
			Kubeadm:    map[string]any{"verbosity": int64(4)},
			HealthCheck: map[string]any{"checks": map[string]any{"unhealthyMachineConditions": []map[string]any{
				{"type": "BootstrapConfigReady", "status": "False", "timeoutSeconds": 600}}}},
		},
	}}
	return a
}

func TestAMergeChangesOnlyTheFieldsThatItNames(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]map[string]any{
		capa.PartCluster: {
			"spec.availabilityGates":              []any{map[string]any{"conditionType": "Backup"}},
			"spec.clusterNetwork.pods.cidrBlocks": []any{capa.DefaultPods},
		},
		capa.PartAWSCluster: {
			"spec.controlPlaneLoadBalancer.crossZoneLoadBalancing": true,
			"spec.controlPlaneLoadBalancer.loadBalancerType":       "nlb",
		},
		capa.PartControlPlane: {"spec.rollout.strategy.rollingUpdate.maxSurge": int64(0), "spec.replicas": int64(3)},
		capa.PartControlPlaneTemplate: {
			"spec.template.spec.instanceMetadataOptions": map[string]any{
				"httpTokens":              "required",
				"httpPutResponseHopLimit": int64(1),
			},
		},
		"batch-us-east-1a": {
			"spec.template.spec.minReadySeconds": int64(30),
			"spec.template.spec.failureDomain":   "us-east-1a",
		},
		"batch-template": {
			"spec.template.spec.networkInterfaceType": "efa",
			"spec.template.spec.publicIP":             false,
		},
		"batch-config": {"spec.template.spec.verbosity": int64(4)},
		"batch-health": {
			"spec.checks.nodeStartupTimeoutSeconds":                 int64(0),
			"spec.remediation.triggerIf.unhealthyLessThanOrEqualTo": "40%",
		},
	} {
		o := object(t, customized(), part)
		for path, value := range want {
			assert.Equal(t, value, at(o.Object, path), "%s: %s", part, path)
		}
	}
	removed := customized()
	removed.ControlPlane.Spec.Machine = map[string]any{"instanceMetadataOptions": nil}
	assert.Nil(t, at(object(t, removed, capa.PartControlPlaneTemplate).Object,
		"spec.template.spec.instanceMetadataOptions"))
}

func TestAPoolOfTheAutoscalerHasItsLimitsAndNoNumberOfNodes(t *testing.T) {
	t.Parallel()
	pool := object(t, customized(), "batch-us-east-1a").Object
	assert.Nil(t, at(pool, "spec.replicas"))
	assert.Equal(t, map[string]any{
		"cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size": "0",
		"cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size": "5",
	}, at(pool, "metadata.annotations"))
	assert.Equal(t, 5, customized().Machines()[1].Count, "quotas and prices count what can run")
}

func TestLabelsThatClusterAPIKeepsDoNotReplaceNodes(t *testing.T) {
	t.Parallel()
	before := name(object(t, customized(), "batch-config"))
	kept, once := customized(), customized()
	kept.Workers[0].Labels["node-role.kubernetes.io/other"] = ""
	once.Workers[0].Labels["example.com/team"] = "b"
	assert.Equal(t, before, name(object(t, kept, "batch-config")))
	assert.NotEqual(t, before, name(object(t, once, "batch-config")))
	labels, _ := at(object(t, kept, "batch-us-east-1a").Object, "spec.template.metadata.labels").(map[string]any)
	assert.Contains(t, labels, "node-role.kubernetes.io/other")
	assert.NotContains(t, labels, "example.com/team")
}

func TestACustomizationThatTheClusterCannotHaveIsRefusedAtItsKey(t *testing.T) {
	t.Parallel()
	for path, change := range map[string]func(*capa.Args){
		"spec.awsCluster.network.vpc.id": func(a *capa.Args) {
			merge(&a.Spec.AWSCluster, "network", map[string]any{"vpc": map[string]any{"id": "vpc-1"}})
		},
		"spec.cluster.infrastructureRef": func(a *capa.Args) {
			merge(&a.Spec.Cluster, "infrastructureRef", nil)
		},
		"spec.cluster.clusterNetwork.pods": func(a *capa.Args) {
			merge(&a.Spec.Cluster, "clusterNetwork", map[string]any{"pods": nil})
		},
		"spec.cluster.colour": func(a *capa.Args) { merge(&a.Spec.Cluster, "colour", "red") },
		"controlPlane.spec.controlPlane.version": func(a *capa.Args) {
			merge(&a.ControlPlane.Spec.ControlPlane, "version", "v1.34.0")
		},
		"controlPlane.spec.machine.instanceType": func(a *capa.Args) {
			merge(&a.ControlPlane.Spec.Machine, "instanceType", "m5.large")
		},
		"controlPlane.spec.machine.tenancy": func(a *capa.Args) {
			merge(&a.ControlPlane.Spec.Machine, "tenancy", "mine")
		},
		"controlPlane.spec.machine.providerID": func(a *capa.Args) {
			merge(&a.ControlPlane.Spec.Machine, "providerID", "aws:///i-1")
		},
		"workers[0].spec.deployment.replicas": func(a *capa.Args) {
			merge(&a.Workers[0].Spec.Deployment, "replicas", int64(3))
		},
		"workers[0].spec.kubeadm.verbosity": func(a *capa.Args) {
			merge(&a.Workers[0].Spec.Kubeadm, "verbosity", "much")
		},
		"workers[0].spec.machine.networkInterfaceType": func(a *capa.Args) {
			merge(&a.Workers[0].Spec.Machine, "networkInterfaceType", "wire")
		},
		"controlPlane.kubeadm.files[0].content": func(a *capa.Args) {
			a.ControlPlane.Kubeadm.Files[0].Content = ""
		},
		"controlPlane.kubeadm.files[1].secret": func(a *capa.Args) {
			a.ControlPlane.Kubeadm.Files[1].Content = "both"
		},
		"controlPlane.kubeadm.files[1].path": func(a *capa.Args) { a.ControlPlane.Kubeadm.Files[1].Path = a.ControlPlane.Kubeadm.Files[0].Path },
		"controlPlane.kubeadm.files[0].path": func(a *capa.Args) {
			a.ControlPlane.Kubeadm.Files[0].Path = "etc/audit"
		},
		"controlPlane.kubeadm.files[0].permissions": func(a *capa.Args) {
			a.ControlPlane.Kubeadm.Files[0].Permissions = "rw-r-----"
		},
		"controlPlane.kubeadm.kubeletArgs.cloud-provider": func(a *capa.Args) {
			a.ControlPlane.Kubeadm.KubeletArgs["cloud-provider"] = "aws"
		},
		"controlPlane.kubeadm.users[0].name": func(a *capa.Args) { a.ControlPlane.Kubeadm.Users[0].Name = "" },
		"controlPlane.kubeadm.disks[0].filesystem": func(a *capa.Args) {
			a.ControlPlane.Kubeadm.Disks[0].Filesystem = "ntfs"
		},
		"controlPlane.kubeadm.disks[0].label": func(a *capa.Args) { a.ControlPlane.Kubeadm.Disks[0].Label = "" },
		"controlPlane.volumes[0].device": func(a *capa.Args) {
			a.ControlPlane.Volumes[0].Device = "/dev/sda1"
		},
		"workers[0].volumes[0].size": func(a *capa.Args) { a.Workers[0].Volumes[0].Size = 1 },
		"workers[0].autoScaling":     func(a *capa.Args) { a.Workers[0].AutoScaling.Max = 0 },
		"workers[0].labels.topology.kubernetes.io/zone": func(a *capa.Args) {
			a.Workers[0].Labels["topology.kubernetes.io/zone"] = "a"
		},
		"workers[0].labels.cluster.x-k8s.io/cluster-name": func(a *capa.Args) {
			a.Workers[0].Labels["cluster.x-k8s.io/cluster-name"] = "other"
		},
		"workers[0].labels.example.com/team": func(a *capa.Args) {
			a.Workers[0].Labels["example.com/team"] = "a b"
		},
		"workers[0].taints[0].effect": func(a *capa.Args) { a.Workers[0].Taints[0].Effect = "Never" },
		"workers[0].taints[0].key":    func(a *capa.Args) { a.Workers[0].Taints[0].Key = "" },
		"workers[0].spot.maxPrice":    func(a *capa.Args) { a.Workers[0].Spot.MaxPrice = "$1" },
		"workers[0].healthCheck.startupTimeout": func(a *capa.Args) {
			a.Workers[0].HealthCheck.StartupTimeout = "20s"
		},
		"workers[0].healthCheck.unhealthyAfter": func(a *capa.Args) {
			a.Workers[0].HealthCheck.UnhealthyAfter = "5"
		},
		"workers[0].healthCheck.maxUnhealthy": func(a *capa.Args) {
			a.Workers[0].HealthCheck.MaxUnhealthy = "[1-2]"
		},
		"workers[0].spec.healthCheck": func(a *capa.Args) { a.Workers[0].HealthCheck = nil },
		"workers[0].spec.healthCheck.selector": func(a *capa.Args) {
			merge(&a.Workers[0].Spec.HealthCheck, "selector", map[string]any{})
		},
		"workers[0].spec.healthCheck.checks.unhealthyMachineConditions[0].status": func(a *capa.Args) {
			merge(&a.Workers[0].Spec.HealthCheck, "checks", map[string]any{
				"unhealthyMachineConditions": []any{map[string]any{"type": "A", "status": "No", "timeoutSeconds": 1}},
			})
		},
		"spec.awsCluster.secondaryControlPlaneLoadBalancer.scheme": func(a *capa.Args) {
			merge(&a.Spec.AWSCluster, "secondaryControlPlaneLoadBalancer", map[string]any{"scheme": "internet-facing"})
		},
		"controlPlane.healthCheck.startupTimeout": func(a *capa.Args) { a.ControlPlane.HealthCheck.StartupTimeout = "soon" },
		"workers[0].tenancy":                      func(a *capa.Args) { a.Workers[0].Tenancy = "host" },
		"workers[0].placementGroup.name":          func(a *capa.Args) { a.Workers[0].PlacementGroup.Name = "" },
		"workers[0].placementGroup.partition":     func(a *capa.Args) { a.Workers[0].PlacementGroup.Partition = 8 },
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			args := customized()
			change(args)
			_, err := args.Objects(site(args))
			var paths []string
			for _, f := range fault.In(err) {
				paths = append(paths, f.Path)
			}
			assert.Equal(t, []string{path}, paths, "%v", err)
		})
	}
}

func merge(spec *map[string]any, key string, value any) {
	changed := maps.Clone(*spec)
	if changed == nil {
		changed = map[string]any{}
	}
	changed[key] = value
	*spec = changed
}

// home is where a field of an object's spec comes from.
const (
	bySpec      = ""
	composed    = "the stack"
	byCAPA      = "CAPA sets it"
	notPrepared = "refused: not prepared for it"
)

// homesOf are the homes of the fields of one object's spec. file has its CRD, and spec is the key that is merged into
// the object at path.
type homesOf struct {
	kind, file, spec string
	path             []string
	fields           map[string]string
}

// homes lists each field of the specs of the cluster's objects: the key that sets it, or bySpec.
func homes() []homesOf {
	kubeadm := map[string]string{
		"files": "`kubeadm.files`", "preKubeadmCommands": "`kubeadm.preCommands`",
		"postKubeadmCommands": "`kubeadm.postCommands`", "users": "`kubeadm.users`",
		"ntp": "`kubeadm.ntpServers`", "diskSetup": "`kubeadm.disks`", "mounts": "`kubeadm.disks`",
		"joinConfiguration": "`kubeadm.kubeletArgs`, `labels`, `taints`",
	}
	machine := map[string]string{
		"instanceType": "`instanceType`", "ami": "`image`", "sshKeyName": "`sshKeyName`", "iamInstanceProfile": "`iam`",
		"rootVolume":     "`rootVolume`",
		"nonRootVolumes": "`volumes`", "publicIP": "`topology`", "instanceMetadataOptions": composed,
		"tenancy":           "`workers[].tenancy`",
		"spotMarketOptions": "`workers[].spot`", "placementGroupName": "`workers[].placementGroup.name`",
		"placementGroupPartition": "`workers[].placementGroup.partition`",
		"providerID":              byCAPA,
	}
	return []homesOf{
		{"Cluster", "clusters", "spec.cluster", []string{"spec"}, map[string]string{
			"clusterNetwork": "`pods`, `services`", "controlPlaneRef": composed, "infrastructureRef": composed, "topology": notPrepared,
		}},
		{"AWSCluster", "awsclusters", "spec.awsCluster", []string{"spec"}, map[string]string{
			"region": "`aws:region`", "partition": "`aws:region`", "sshKeyName": "`sshKeyName`", "identityRef": "`identity`",
			"additionalTags": "`tags`",
			"network":        "`network`, `securityGroups`, `cni`", "controlPlaneLoadBalancer": "`apiAccess`",
			"secondaryControlPlaneLoadBalancer": "`apiAccess.secondary`",
			"controlPlaneEndpoint":              byCAPA,
		}},
		{"KubeadmControlPlane", "kubeadmcontrolplanes", "controlPlane.spec.controlPlane", []string{"spec"}, map[string]string{
			"replicas": "`controlPlane.replicas`", "version": "`kubernetesVersion`", "machineTemplate": composed,
			"kubeadmConfigSpec": "`controlPlane.kubeadm`, `certSANs`",
		}},
		{"AWSMachineTemplate", "awsmachinetemplates", "controlPlane.spec.machine, workers[].spec.machine",
			[]string{"spec", "template", "spec"}, machine},
		{"KubeadmConfigTemplate", "kubeadmconfigtemplates", "workers[].spec.kubeadm", []string{"spec", "template", "spec"},
			kubeadm},
		{"MachineDeployment", "machinedeployments", "workers[].spec.deployment", []string{"spec"}, map[string]string{
			"clusterName": composed, "selector": composed, "template": "`kubernetesVersion`, `workers[].zones`, `labels`",
			"replicas": "`workers[].replicas`, `workers[].autoScaling`",
		}},
		{"MachineHealthCheck", "machinehealthchecks", "controlPlane.spec.healthCheck, workers[].spec.healthCheck",
			[]string{"spec"}, map[string]string{
				"clusterName": composed, "selector": composed,
				"checks": "`healthCheck.unhealthyAfter`, `healthCheck.startupTimeout`", "remediation": "`healthCheck.maxUnhealthy`",
			}},
	}
}

func TestEveryFieldOfAnObjectsSpecHasAKeyOrIsMerged(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString("| object | field | key |\n|---|---|---|\n")
	for _, h := range homes() {
		fields := fieldsIn(t, h.file, h.path)
		for _, field := range slices.Sorted(maps.Keys(h.fields)) {
			assert.Contains(t, fields, field, "the %s has no such field", h.kind)
		}
		for _, field := range fields {
			key := h.fields[field]
			if key == bySpec {
				key = "`" + strings.ReplaceAll(h.spec, ", ", "`, `") + "`"
			}
			fmt.Fprintf(&page, "| %s | `%s` | %s |\n", h.kind, field, key)
		}
	}
	golden.RequireSection(t, "../../docs/appendix/cluster-api.md",
		"<!-- fields: written by the tests of components/capa -->\n", "<!-- end of fields -->\n", page.String())
}

// fieldsIn returns the names of the fields that a CRD has at a path, in alphabetical order.
func fieldsIn(t *testing.T, file string, path []string) []string {
	t.Helper()
	packed, err := os.Open(filepath.Join("..", "..", "internal", "value", "capa", "crd", file+".json.gz"))
	require.NoError(t, err)
	defer func() { _ = packed.Close() }()
	text, err := gzip.NewReader(packed)
	require.NoError(t, err)
	var crd v1.CustomResourceDefinition
	require.NoError(t, json.NewDecoder(text).Decode(&crd))
	schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, key := range path {
		inner := schema.Properties[key]
		schema = &inner
	}
	require.NotEmpty(t, schema.Properties)
	return slices.Sorted(maps.Keys(schema.Properties))
}

func TestAHealthCheckSelectsTheMachinesOfItsPoolInEveryZone(t *testing.T) {
	t.Parallel()
	args := customized()
	args.Network.Zones = []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}}
	args.ControlPlane.HealthCheck.MaxUnhealthy = "1"
	pool := object(t, args, "batch-health").Object
	assert.Equal(t, map[string]any{
		"matchLabels": map[string]any{"cluster.x-k8s.io/cluster-name": "demo"},
		"matchExpressions": []any{map[string]any{"key": "cluster.x-k8s.io/deployment-name", "operator": "In",
			"values": []any{"demo-batch-us-east-1a", "demo-batch-us-east-1b"}}},
	}, at(pool, "spec.selector"))
	for _, deployment := range []string{"batch-us-east-1a", "batch-us-east-1b"} {
		labels, _ := at(object(t, args, deployment).Object, "spec.template.metadata.labels").(map[string]any)
		assert.Equal(t, "demo-"+deployment, labels["cluster.x-k8s.io/deployment-name"])
	}
	control := object(t, args, capa.PartControlPlane+"-health").Object
	assert.Equal(t, map[string]any{
		"cluster.x-k8s.io/cluster-name":  "demo",
		"cluster.x-k8s.io/control-plane": "",
	}, at(control, "spec.selector.matchLabels"))
	assert.Equal(t, int64(1), at(control, "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo"))
	assert.Equal(t, int64(600), at(control, "spec.checks.nodeStartupTimeoutSeconds"))
	for i, status := range []string{"False", "Unknown"} {
		conditions, _ := at(control, "spec.checks.unhealthyNodeConditions").([]any)
		assert.Equal(t, map[string]any{"type": "Ready", "status": status, "timeoutSeconds": int64(300)}, conditions[i])
	}
}

func TestTheSecondLoadBalancerHasTheOtherScheme(t *testing.T) {
	t.Parallel()
	for _, scheme := range capa.Schemes() {
		args := private()
		args.APIAccess = capa.APIAccess{Scheme: scheme, Secondary: true}
		aws := object(t, args, capa.PartAWSCluster).Object
		first, second := at(aws, "spec.controlPlaneLoadBalancer").(map[string]any), at(aws,
			"spec.secondaryControlPlaneLoadBalancer").(map[string]any)
		assert.Equal(t, string(scheme), first["scheme"])
		assert.ElementsMatch(t, []any{"internal", "internet-facing"}, []any{first["scheme"], second["scheme"]})
		assert.Equal(t, []any{"demo-apiserver", "demo-secondary", "nlb"},
			[]any{first["name"], second["name"], second["loadBalancerType"]})
	}
}
