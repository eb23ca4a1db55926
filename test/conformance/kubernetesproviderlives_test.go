package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// hypershiftDefinitions returns the files of the definitions that HyperShift's operator and OADP install.
func hypershiftDefinitions() []string {
	var files []string
	for _, plural := range []string{"hostedclusters", "nodepools", "backups", "schedules"} {
		files = append(files, repo.Path("internal", "value", "hypershift", "crd", plural+".json"))
	}
	return files
}

// objectLives returns lives with objects of every kind of stack that has some, and what other clients, finalizers and
// unreachable API servers do to them.
func objectLives(t *testing.T) []objectLife {
	t.Helper()
	definitions := hypershiftDefinitions()
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	require.NoError(t, os.WriteFile(trusted, []byte(stackfile.NewCA(t)), 0o600))
	whole := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1), More: stackfile.HostedCluster(t, `      unprotected: true
      generateSSHKey: true
      additionalTrustBundle: trusted
      objects:
        - {name: trusted, files: {ca-bundle.crt: `+trusted+`}}
        - {name: more, kind: Secret, env: {key: PATH}}
      nodePools:
        - {zone: us-east-1a, replicas: 2}
        - {name: demo-more, zone: us-east-1a, autoScaling: {min: 1, max: 3}, labels: {tier: web}}
`)}.String()
	whole = strings.Replace(whole, stackfile.KMSKeyARN, "none", 1)
	lean := stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
		More:   stackfile.HostedCluster(t, "      unprotected: true\n"),
	}.String()
	installed := func(render string) string {
		return stackfile.Installer(stackfile.RecordedRender(t, render), "")
	}
	capa := func(example, more string) string {
		config := strings.Replace(stackfile.Example(t, example), "kubeconfig: {}", "kubeconfig: {context: management}", 1)
		return strings.Replace(config, "    kubeconfig:", more+"    kubeconfig:", 1)
	}
	capaDefinitions := []string{}
	for _, plural := range []string{"awsclustercontrolleridentities", "awsclusterroleidentities", "awsclusters",
		"awsclusterstaticidentities",
		"awsmachinetemplates", "clusters", "kubeadmconfigtemplates", "kubeadmcontrolplanes", "machinedeployments",
		"machinehealthchecks"} {
		capaDefinitions = append(capaDefinitions, repo.Path("internal", "value", "capa", "crd", plural+".json.gz"))
	}
	replicas := func(n float64) func(props.Map) {
		return func(object props.Map) { object.Object("spec")["replicas"] = n }
	}
	labelled := func(object props.Map) {
		object.Object("metadata")["labels"] = map[string]any{"by": "hand"}
	}
	finalizers := func(names ...any) func(props.Map) {
		return func(object props.Map) { object.Object("metadata")["finalizers"] = names }
	}
	const clusters, pool = "clusters", "demo-us-east-1a"
	pools := stackfile.NodePools(`    objects:
      - {name: kubelet, text: {config: "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: pods}\nspec: {kubeletConfig: {maxPods: 250}}\n"}}
    nodePools:
      - {name: gpu, zone: us-east-1a, instanceType: g4dn.xlarge, replicas: 1, config: [kubelet], taints: [{key: gpu, effect: NoSchedule}], labels: {pool: gpu},
         drainTimeout: 30m, resourceTags: {cost: gpu}}
      - {name: spare, zone: us-east-1a, autoScaling: {min: 1, max: 3}}
`)
	withoutSpare, _, _ := strings.Cut(pools, "      - {name: spare")
	return []objectLife{
		{
			name: "hosted cluster", seeds: stackfile.Seeds(), installs: definitions,
			steps: []objectStep{
				{name: "created", config: whole},
				{name: "upgraded", config: strings.ReplaceAll(whole, "4.19.0", "4.19.1")},
				{
					name:   "scaled",
					config: strings.ReplaceAll(strings.Replace(whole, "replicas: 2", "replicas: 3", 1), "4.19.0", "4.19.1"),
				},
				{
					name:   "another text",
					config: strings.ReplaceAll(strings.Replace(whole, "env: {key: PATH}", "env: {key: HOME}", 1), "4.19.0", "4.19.1"),
				},
				{name: "without a pool", config: strings.ReplaceAll(strings.ReplaceAll(whole,
					"        - {name: demo-more, zone: us-east-1a, autoScaling: {min: 1, max: 3}, labels: {tier: web}}\n", ""), "4.19.0", "4.19.1")},
			},
		},
		{
			name: "edits", seeds: stackfile.Seeds(), installs: definitions,
			steps: []objectStep{
				{name: "created", config: lean},
				{
					name: "a label of the namespace",
					edit: &objectEdit{kind: "Namespace", name: clusters, manager: "kubectl-edit", change: labelled},
				},
				{
					name: "a label of a pool",
					edit: &objectEdit{kind: "NodePool", namespace: clusters, name: pool, manager: "kubectl-edit", change: labelled},
				},
				{
					name: "a label of the pull secret",
					edit: &objectEdit{
						kind:      "Secret",
						namespace: clusters,
						name:      "demo-pull-secret",
						manager:   "kubectl-edit",
						change:    labelled,
					},
				},
				{
					name: "a pool scaled",
					edit: &objectEdit{kind: "NodePool", namespace: clusters, name: pool, manager: "kubectl-edit", change: replicas(5)},
				},
				{
					name: "a pool scaled as the program has it",
					edit: &objectEdit{kind: "NodePool", namespace: clusters, name: pool, manager: "kubectl-edit", change: replicas(2)},
				},
				{name: "a field of the cluster", edit: &objectEdit{kind: "HostedCluster", namespace: clusters, name: "demo",
					manager: "kubectl-edit",
					change:  func(object props.Map) { object.Object("spec")["pausedUntil"] = "true" }}},
				{
					name: "kept by a finalizer",
					edit: &objectEdit{
						kind:      "NodePool",
						namespace: clusters,
						name:      pool,
						manager:   "kubectl-edit",
						change:    finalizers("example.com/kept"),
					},
				},
				{
					name: "released",
					edit: &objectEdit{
						kind:         "NodePool",
						namespace:    clusters,
						name:         pool,
						manager:      "kubectl-edit",
						change:       finalizers(),
						whileDeleted: true,
					},
				},
			},
		},
		{
			name: "unreachable", seeds: stackfile.Seeds(), installs: definitions,
			steps: []objectStep{
				{name: "created", config: lean},
				{name: "nothing listens", failing: refusesConnections},
				{name: "a page answers", failing: "page"},
				{name: "another certificate", failing: "certificate"},
				{
					name:    "nothing listens at a change",
					config:  strings.ReplaceAll(lean, "4.19.0", "4.19.1"),
					failing: refusesConnections,
				},
				{name: "a page answers a change", config: strings.ReplaceAll(lean, "4.19.0", "4.19.1"), failing: "page"},
				{name: "it is there again", config: strings.ReplaceAll(lean, "4.19.0", "4.19.1")},
			},
		},
		{
			name: "node pools", seeds: stackfile.Seeds(), installs: definitions, owner: lean,
			steps: []objectStep{
				{name: "created", config: pools},
				{
					name: "changed",
					config: strings.NewReplacer("replicas: 1", "replicas: 2", "cost: gpu", "cost: shop", "maxPods: 250",
						"maxPods: 500").Replace(pools),
				},
				{name: "without a pool", config: withoutSpare},
				{
					name: "a pool scaled",
					edit: &objectEdit{
						kind:      "NodePool",
						namespace: clusters,
						name:      "gpu",
						manager:   "kubectl-edit",
						change:    replicas(5),
					},
				},
			},
		},
		{
			name: "operator's credentials", seeds: stackfile.ManagementSeeds(),
			steps: []objectStep{
				{
					name: "created",
					config: stackfile.Management(strings.Replace(stackfile.Managements()["kubernetes"],
						"file: /etc/management/kubeconfig, ", "", 1)),
				},
				{name: "other credentials", edit: &objectEdit{kind: "Secret", namespace: "hypershift",
					name: "external-dns-credentials", manager: "kubectl-edit",
					change: func(object props.Map) { object.Object("data")["credentials"] = "b3RoZXI=" }}},
				{name: "a key more", edit: &objectEdit{kind: "Secret", namespace: "hypershift", name: "external-dns-credentials",
					manager: "kubectl-edit",
					change:  func(object props.Map) { object.Object("data")["more"] = "b3RoZXI=" }}},
				{name: "in another namespace", config: stackfile.Management(strings.NewReplacer("file: /etc/management/kubeconfig, ", "",
					"identity: AccessKeys", "identity: AccessKeys, namespace: operator").
					Replace(stackfile.Managements()["kubernetes"]))},
			},
		},
		{
			name: "operator installed", seeds: stackfile.ManagementSeeds(),
			steps: []objectStep{{
				name:   "installed",
				config: installed("first"),
			}, {name: "upgraded", config: installed("second")}},
		},
		{
			name: "Cluster API", installs: capaDefinitions,
			steps: []objectStep{
				{name: "created", config: capa("capa-private", strings.TrimPrefix(stackfile.Customization, "\n"))},
				{
					name: "more control planes",
					config: strings.ReplaceAll(capa("capa-private", strings.TrimPrefix(stackfile.Customization, "\n")), "replicas: 3",
						"replicas: 5"),
				},
			},
		},
		{
			name: "Cluster API, public", installs: capaDefinitions, seeds: []offline.Seed{},
			steps: []objectStep{
				{name: "created", config: capa("capa-public", "")},
				{name: "more machines", config: capa("capa-public", "    workers: [{name: md, replicas: 2}]\n")},
			},
		},
	}
}
