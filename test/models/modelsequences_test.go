package models

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// sequence is a directed sequence of commands, which a gate refuses. Each command is run after the model has been
// prepared.
type sequence struct {
	name string
	// gate is the gate, of an operation or of a sweep, without which the sequence harms a living cluster, "" if several
	// refuse it.
	gate string
	// otherwise is what keeps living clusters from harm without the gate, "" if nothing does. The command then says
	// something else than with the gate.
	otherwise string
	prepare   func(*model)
	env       []string
	deletes   []string
	args      []string
	// run is what is run instead of a command; without is the gate that it does not ask, "" if it asks all.
	run func(m *model, without string) error
	// codes are the exit codes that the command may have.
	codes []int
	// says is in what the command prints, "" for any text.
	says string
}

func sequences() []sequence {
	sweepOf := func(infraID string, more ...string) []string {
		return append([]string{"sweep", "--infra-id", infraID, "--delete", "--yes", "--min-age", "0s"}, more...)
	}
	// old is consent to the deletion of what a cluster has left that no management cluster has, its IAM resources
	// included.
	old := []string{"--destroy-under-living-cluster", "old-x1", "--global"}
	exchange := func(m *model) { m.exchange() }
	gone := func(m *model) { m.operators("blue", offline.Operators{Unreachable: true}) }
	return []sequence{
		{name: "destroy, the context selects a management cluster with an equal name", prepare: exchange,
			deletes: []string{"prod"}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo"}, codes: []int{2}},
		{name: "fleet destroy, exchanged contexts", prepare: exchange,
			deletes: []string{"prod", "staging", "self"}, args: []string{"fleet", "destroy", "--yes", "--hosted-clusters"},
			codes: []int{1, 2}},
		{name: "refresh, the context selects another management cluster", gate: "identity", prepare: exchange,
			args: []string{"-s", "self", "refresh", "--yes"}, codes: []int{2}},
		{name: "destroy of the network of a cluster that another tool applies",
			args: []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy, the management cluster is said to be gone", gate: "life", prepare: gone,
			deletes: []string{}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo",
				"--management-cluster-gone"}, codes: []int{2}},
		{name: "destroy of the network of a cluster that another tool applies, with --cluster", gate: "life",
			args: []string{"-s", "gitops", "destroy", "--yes", "--cluster", "web"}, codes: []int{2}},
		{name: "destroy of the network of a stopped cluster", gate: "life",
			prepare: func(m *model) { m.stop(modelClusterOf("gitops")) },
			args:    []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy of the network of a cluster without nodes", gate: "life",
			prepare: func(m *model) { m.scaleToZero(modelClusterOf("gitops")) },
			args:    []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy where AWS denies a list", gate: "life", env: []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{lists: "aws:ec2/instance:Instance", code: UnauthorizedOperation}]}`},
			args: []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy of machines, the management cluster is said to be gone", gate: "life", prepare: gone,
			args: []string{"-s", "self", "destroy", "--yes", "--cluster", "mars", "--management-cluster-gone"}, codes: []int{2}},
		{
			name:  "destroy without the cluster's name",
			gate:  "consent",
			args:  []string{"-s", "prod", "destroy", "--yes"},
			codes: []int{2},
		},
		{
			name:  "destroy without the Cluster's name",
			gate:  "consent",
			args:  []string{"-s", "self", "destroy", "--yes"},
			codes: []int{2},
		},
		{
			name:    "sweep of a cluster that is not in a state, exchanged contexts",
			prepare: exchange,
			args:    sweepOf("gitops-x1"),
			codes:   []int{0, 1},
		},
		{name: "sweep of a cluster made by another tool, without its management cluster", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("byhand"))
			for _, stack := range []string{"prod", "gitops", "self", "byhand"} {
				require.NoError(m.t, os.Remove(m.path("Pulumi."+stack+".yaml")))
			}
		}, args: sweepOf("byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a stopped cluster, exchanged contexts, with --running", prepare: func(m *model) {
			m.stop(modelClusterOf("prod"))
			m.onlyBlue()
			m.exchange()
		}, args: append([]string{"-s", "prod"}, sweepOf("prod-x1", "--running")...), codes: []int{0, 1, 2}},
		{name: "sweep of a cluster without nodes, exchanged contexts", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("prod"))
			m.onlyBlue()
			m.exchange()
		}, args: sweepOf("prod-x1"), codes: []int{0, 1, 2}},
		{
			name:  "sweep, the management cluster is said to be gone",
			args:  sweepOf("prod-x1", "--management-cluster-gone"),
			codes: []int{0, 1},
		},
		{name: "sweep of a cluster without nodes, the management cluster is said to be gone",
			prepare: func(m *model) { m.scaleToZero(modelClusterOf("staging")) },
			args:    sweepOf("staging-x1", "--management-cluster-gone"), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes, exchanged contexts, the management cluster is said to be gone",
			prepare: func(m *model) {
				m.scaleToZero(modelClusterOf("staging"))
				m.exchange()
				for _, stack := range []string{"prod", "gitops", "self", "byhand", inheritedStack} {
					require.NoError(m.t, os.Remove(m.path("Pulumi."+stack+".yaml")))
				}
			}, args: append([]string{"-s", "staging"}, sweepOf("staging-x1", "--management-cluster-gone")...), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes that another tool made", gate: "alive",
			prepare: func(m *model) { m.scaleToZero(modelClusterOf("byhand")) }, args: sweepOf("byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes whose management cluster does not answer", gate: "unknown",
			prepare: func(m *model) {
				m.scaleToZero(modelClusterOf("byhand"))
				gone(m)
			}, args: sweepOf("byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a running cluster whose management cluster does not answer, with consent", gate: "running", prepare: gone,
			args: sweepOf("byhand-x1", "--destroy-under-living-cluster", "byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes whose management cluster does not answer, with consent, while a stack has its network", gate: "stack",
			prepare: func(m *model) {
				m.scaleToZero(modelClusterOf("gitops"))
				gone(m)
				m.onlyInState("gitops")
			}, args: sweepOf("gitops-x1", "--destroy-under-living-cluster", "gitops-x1"), codes: []int{0, 1}},
		{name: "sweep of a cluster whose tag on a living cluster's role is \"shared\"", gate: "tag",
			prepare: func(m *model) {
				m.retag(modelRole, "byhand-x1", map[string]any{"kubernetes.io/cluster/old-x1": "shared"})
			},
			args: sweepOf("old-x1", old...), codes: []int{0, 1}},
		{name: "sweep of a cluster that shares a role with a living one", gate: "two-clusters", prepare: func(m *model) {
			m.retag(modelRole, "byhand-x1", map[string]any{
				"kubernetes.io/cluster/old-x1":    "owned",
				"kubernetes.io/cluster/byhand-x1": "owned",
			})
		}, args: sweepOf("old-x1", old...), codes: []int{0, 1}},
		{name: "sweep of a cluster whose tag is on a living cluster's subnet of another account", gate: "account",
			otherwise: "gate in-use holds what other resources use, and AWS refuses to delete the resource of another account", prepare: func(m *model) {
				m.records(func(rec *store.Entry) bool {
					mine := rec.Type == awstype.Subnet && strings.Contains(fmt.Sprint(rec.State), "byhand-x1")
					if mine {
						rec.State["ownerId"] = "210987654321"
					}
					return mine
				})
				m.retag(awstype.Subnet, "byhand-x1", map[string]any{"kubernetes.io/cluster/old-x1": "owned"})
			}, args: sweepOf("old-x1", old...), codes: []int{0, 1}, says: "it belongs to account 210987654321"},
		{name: "sweep of a cluster whose tag is on the default group of a living cluster's VPC", gate: "part",
			otherwise: "AWS refuses to delete the resource by itself",
			prepare: func(m *model) {
				m.records(func(rec *store.Entry) bool {
					mine := rec.Type == awstype.SecurityGroup && rec.State["name"] == "default" &&
						strings.Contains(fmt.Sprint(rec.State), "byhand-x1")
					if mine {
						rec.State["tags"] = map[string]any{"kubernetes.io/cluster/old-x1": "owned"}
						rec.State["tagsAll"] = rec.State["tags"]
					}
					return mine
				})
			}, args: sweepOf("old-x1", old...), codes: []int{0, 1}, says: "a default security group is deleted with its VPC"},
		{name: "sweep of a cluster that owns the NAT gateway of a living one", gate: "in-use",
			prepare: func(m *model) {
				m.retag(awstype.NATGateway, "byhand-x1", map[string]any{"kubernetes.io/cluster/old-x1": "owned"})
			},
			args: sweepOf("old-x1", old...), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes in another region, with consent", gate: "region", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("byhand"))
			gone(m)
		}, args: sweepOf("byhand-x1", "--destroy-under-living-cluster", "byhand-x1", "--region", "us-west-2"),
			codes: []int{0, 1}},
		{name: "sweep of a new cluster without nodes, with consent", gate: "age", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("byhand"))
			gone(m)
		}, args: []string{"sweep", "--infra-id", "byhand-x1", "--delete", "--yes", "--destroy-under-living-cluster",
			"byhand-x1"}, codes: []int{0, 1}},
		{name: "sweep of all but what has a tag, with consent", gate: "keep", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("byhand"))
			gone(m)
			m.retag(awstype.NATGateway, "byhand-x1", map[string]any{
				"kubernetes.io/cluster/byhand-x1": "owned",
				"team":                            "network",
			})
			m.only("byhand", func(key, _ string) bool { return strings.HasPrefix(key, awstype.NATGateway) })
		}, args: sweepOf("byhand-x1", "--destroy-under-living-cluster", "byhand-x1", "--keep", "team=network"),
			codes: []int{0, 1}},
		{name: "sweep of all but what has data, with consent", gate: "data", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("byhand"))
			gone(m)
			m.only("byhand", func(key, _ string) bool {
				return strings.HasPrefix(key, awstype.Volume) || strings.HasPrefix(key, awstype.Bucket)
			})
		}, args: sweepOf("byhand-x1", "--destroy-under-living-cluster", "byhand-x1"), codes: []int{0, 1}},
		{name: "restore of a cluster with an equal name", gate: "restored", prepare: exchange,
			args:  []string{"-s", "prod", "relocate", "--yes", "--cluster", "demo", "--management-cluster-gone"},
			codes: []int{1, 2}},
		{name: "the HostedCluster of another tool, in the file of its network", gate: "objects",
			otherwise: "the API server refuses to create an object that exists", prepare: func(m *model) {
				m.write("gitops", strings.Replace(modelFile(modelClusterOf("gitops"), "blue"), "4.19.0", "4.19.1", 1))
			}, args: []string{"-s", "gitops", "up", "--yes"}, codes: []int{1, 2},
			says: "the management cluster already has objects that stack gitops would create"},
		{name: "a second stack with the infra ID of a living cluster", gate: "quotas",
			otherwise: "AWS refuses what exceeds a quota, and a second role or provider with a name", prepare: func(m *model) {
				m.write("twin", strings.Replace(modelFile(modelClusterOf("byhand"), ""), "name: hand", "name: twin", 1))
			}, args: []string{"-s", "twin", "up", "--yes"}, codes: []int{1, 2},
			says: "AWS would refuse what stack twin creates"},
		{name: "an update of a HostedCluster that is being deleted", gate: "server",
			otherwise: "the API server deletes it, whatever is updated",
			prepare: func(m *model) {
				m.edit("prod", "team: platform", "team: network")
				m.object(modelClusterOf("prod"), func(path string) {
					text, err := os.ReadFile(path)
					require.NoError(m.t, err)
					require.NoError(m.t, os.WriteFile(path, []byte(strings.Replace(string(text), `"uid":`, `"deletionTimestamp": "2026-01-02T03:04:05Z", "uid":`, 1)), 0o600))
				})
				m.operators("blue", offline.Operators{Killed: true})
				delete(m.holds, "prod") // it dies
			}, args: []string{"-s", "prod", "up", "--yes"}, codes: []int{1, 2}, says: "has been in deletion since"},
		{name: "an update that violates a policy", gate: "policies", otherwise: "no policy judges whether a cluster is alive",
			prepare: func(m *model) {
				m.edit(inheritedStack, "    unprotected: true\n", "    unprotected: true\n    tags: {team: platform}\n")
			},
			args: []string{"-s", inheritedStack, "up", "--yes", "--policy", "mandatory"}, codes: []int{1, 2}, says: "violates"},
		{name: "an update that differs from the saved plan", gate: "saved-plan",
			otherwise: "gate guard judges every plan, reviewed or not",
			prepare: func(m *model) {
				m.do(nil, nil, "-s", "gitops", "preview", "--save-plan", "plan.json")
				m.records(func(rec *store.Entry) bool {
					mine := rec.Type == awstype.VPC && strings.Contains(fmt.Sprint(rec.State), "gitops-x1")
					if mine {
						rec.State["enableDnsHostnames"] = false
					}
					return mine
				})
				m.again(modelClusterOf("gitops"), "its VPC has changed")
			}, args: []string{"-s", "gitops", "up", "--yes", "--plan", "plan.json"}, codes: []int{3}, says: "no longer matches"},
		{name: "forget after an update that was killed", gate: "unfinished", otherwise: "it changes nothing but the state",
			prepare: func(m *model) {
				m.edit("gitops", "team: platform", "team: network")
				m.do(nil, []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: 1, kill: cli, signal: KILL}]}`}, "-s", "gitops", "up", "--yes")
			}, args: []string{"-s", "gitops", "forget", "--yes"}, codes: []int{2}, says: "was interrupted"},
		{name: "an update whose file is edited while it asks", gate: "target",
			otherwise: "the other gates are asked again too, and package gate's own model finds harm without it",
			prepare:   func(m *model) { m.edit("gitops", "team: platform", "team: network") }, codes: []int{2},
			says: "the stack's file has changed",
			run: func(m *model, without string) error {
				stack, decide := m.decidingBy(without, "gitops", func() { m.edit("gitops", "team: network", "team: storage") })
				_, err := stack.Up(m.t.Context(), automation.UpOptions{Decide: decide})
				return err
			}},
		{name: "destroy, while another stack adds node pools", gate: "users", codes: []int{2},
			says: "stack prod is used by pools", prepare: func(m *model) {
				m.write("pools", modelPools)
				m.do(nil, nil, "-s", "pools", "up", "--yes")
				m.again(modelClusterOf("prod"), "it has another node pool")
				require.NoError(m.t, os.Rename(m.stateFile("pools"), m.path("pools.json")))
			}, run: func(m *model, without string) error {
				used := func() { require.NoError(m.t, os.Rename(m.path("pools.json"), m.stateFile("pools"))) }
				stack, decide := m.decidingBy(without, "prod", used)
				_, err := stack.Destroy(m.t.Context(), automation.DestroyOptions{Decide: decide, Cluster: "demo"})
				return err
			}},
		{name: "destroy, while a VPC of others uses a zone of the stack", gate: "others",
			otherwise: "what others have is no cluster of this model", prepare: func(m *model) {
				m.associateOthers()
				delete(m.holds, "prod") // it dies
			}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo"}, codes: []int{2},
			says: othersVPC + ", associated with"},
		{name: "release, then destroy", prepare: func(m *model) { m.do(nil, nil, "-s", "prod", "forget", "--yes") },
			deletes: []string{"prod"}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo"},
			codes: []int{0, 1, 2}},
		{
			name:  "a state that was lost, and up",
			args:  []string{"-s", "byhand", "up", "--yes"},
			codes: []int{1, 2},
			says:  "adopt",
		},
		{name: "a state that was lost, and adopt through another management cluster",
			prepare: func(m *model) { m.exchange() },
			args:    []string{"-s", "byhand", "adopt", "--yes"}, codes: []int{2}, says: "in another management cluster"},
		{name: "up of a hosted cluster that a tool runs in another management cluster", prepare: func(m *model) {
			m.write("gitops", modelFile(modelClusterOf("gitops"), "green"))
		}, args: []string{"-s", "gitops", "up", "--yes"}, codes: []int{2}, says: "in another management cluster"},
		{
			name:    "capa with a management cluster that does not answer",
			prepare: gone,
			args:    []string{"-s", "self", "up", "--yes"},
			codes:   []int{1, 2},
		},
		{name: "a new capa stack with a management cluster that does not answer", prepare: func(m *model) {
			gone(m)
			m.write("venus", strings.ReplaceAll(modelFile(modelClusterOf("self"), ""), "mars", "venus"))
		}, args: []string{"-s", "venus", "up", "--yes"}, codes: []int{1, 2}},
		{name: "a new management stack with a management cluster that does not answer", prepare: func(m *model) {
			gone(m)
			m.write("other", strings.NewReplacer("model", "other", "hcp.", "other.").Replace(modelManagement))
		}, args: []string{"-s", "other", "up", "--yes"}, codes: []int{1, 2}},
		{name: "destroy of machines, the management cluster is said to be gone, and AWS denies a list", gate: "life", prepare: gone,
			env:  []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{lists: "aws:ec2/instance:Instance", code: UnauthorizedOperation}]}`},
			args: []string{"-s", "self", "destroy", "--yes", "--cluster", "mars", "--management-cluster-gone"}, codes: []int{2}},
		{name: "destroy that is killed at its first call", env: []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: 1, kill: cli, signal: KILL}]}`},
			args: []string{"-s", "prod", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy, the file has the infra ID of another cluster", prepare: func(m *model) {
			m.operators("green", offline.Operators{Unreachable: true})
			m.edit("prod", "infraID: prod-x1", "infraID: staging-x1")
		}, deletes: []string{"prod"}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo"}, codes: []int{2},
			says: "prod-x1"},
		{name: "another key of etcd", prepare: func(m *model) { m.writeEtcdKey("another key of thirty-two bytes!") },
			args: []string{"-s", "staging", "up", "--yes"}, codes: []int{1, 2},
			says: "hypershift-aws:cluster.hostedCluster.etcdKey"},
		{name: "a KMS key for a cluster that has none", prepare: func(m *model) {
			m.edit("staging", "kmsKeyARN: none", "kmsKeyARN: "+stackfile.KMSKeyARN)
			m.edit("staging", "      etcdKey: etcd.key\n", "")
		},
			args: []string{"-s", "staging", "up", "--yes"}, codes: []int{1, 2}, says: "hypershift-aws:cluster.kmsKeyARN"},
		{name: "no KMS key for a cluster that has one",
			prepare: func(m *model) { m.edit("prod", "    management:", "    kmsKeyARN: none\n    management:") },
			args:    []string{"-s", "prod", "up", "--yes"}, codes: []int{1, 2}, says: "hypershift-aws:cluster.kmsKeyARN"},
		{name: "an older release", prepare: func(m *model) { m.edit("prod", "4.19.0", "4.18.0") },
			args: []string{"-s", "prod", "up", "--yes"}, codes: []int{1, 2},
			says: "hypershift-aws:cluster.hostedCluster.release"},
		{name: "a management stack without the key of a cluster", gate: "inherited",
			prepare: func(m *model) { m.edit(inheritedStack, "    etcdKey: {alias: model}\n", "") },
			args:    []string{"-s", inheritedStack, "up", "--yes", "--allow", "prerequisites-etcd-key"}, codes: []int{1, 2},
			says: "prod"},
		{name: "a management stack with another domain",
			prepare: func(m *model) { m.edit(inheritedStack, "hcp.example.com", "example.com") },
			args:    []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{1, 2}, says: "prod"},
		{name: "a management stack with another bucket of issuers",
			prepare: func(m *model) { m.edit(inheritedStack, "model-oidc", "other-oidc") },
			args:    []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{1, 2}, says: "prod"},
		{name: "destroy of a management stack", gate: "users", otherwise: "gate life refuses it",
			args:  []string{"-s", inheritedStack, "destroy", "--yes"},
			codes: []int{2}, says: "stack mgmt is used by prod"},
		{name: "destroy of a management stack, without the file of the cluster", prepare: func(m *model) {
			require.NoError(m.t, os.Remove(m.path("Pulumi.prod.yaml")))
		}, args: []string{"-s", inheritedStack, "destroy", "--yes"}, codes: []int{2}, says: "prod"},
		{name: "destroy of a management stack that no stack names, with other clusters in its management cluster", gate: "life", prepare: func(m *model) {
			require.NoError(m.t, os.Remove(m.path("Pulumi.prod.yaml")))
			require.NoError(m.t, os.Remove(m.stateFile("prod")))
			delete(m.objects, "prod") // its state is lost on purpose
		}, args: []string{"-s", inheritedStack, "destroy", "--yes"}, codes: []int{2}, says: "HostedCluster"},
		{name: "destroy of a management stack, after the release of the cluster", gate: "life",
			prepare: func(m *model) { m.do(nil, nil, "-s", "prod", "forget", "--yes") },
			args:    []string{"-s", inheritedStack, "destroy", "--yes"}, codes: []int{2}, says: "prod"},
		{name: "other zones for a cluster that another tool applies", gate: "guard",
			prepare: func(m *model) { m.edit("gitops", "[us-east-1a]", "[{name: us-east-1b, slot: 1}]") },
			args:    []string{"-s", "gitops", "up", "--yes"}, codes: []int{1, 2}, says: "--allow"},
		{name: "a management stack without its management cluster", gate: "guard",
			prepare: func(m *model) { m.edit(inheritedStack, "    kubeconfig: {context: blue}\n", "") },
			args:    []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{2},
			says: "namespace install-namespace would be deleted"},
		{name: "another namespace of the operator", gate: "guard",
			prepare: func(m *model) { m.edit(inheritedStack, "AccessKeys", "AccessKeys, namespace: operators") },
			args:    []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{2},
			says: "namespace install-namespace would be replaced"},
		{name: "another identity of the operator", gate: "guard", prepare: func(m *model) {
			m.edit(inheritedStack, "AccessKeys", "InstanceRole, instanceRoleARN: \"arn:aws:iam::123456789012:role/nodes\"")
		}, args: []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{2},
			says: "IAM user prerequisites-operator-ec2 would be deleted"},
		{name: "the only node pool renamed", gate: "guard", prepare: func(m *model) {
			m.edit("prod", "      pullSecret:", "      nodePools: [{name: other, zone: us-east-1a, replicas: 0}]\n      pullSecret:")
		}, args: []string{"-s", "prod", "up", "--yes"}, codes: []int{2},
			says: "node pool hosted-cluster-demo-us-east-1a would be deleted"},
		{name: "fleet destroy of the node pools of a living cluster", gate: "consent", prepare: func(m *model) {
			m.write("pools", modelPools)
			m.do(nil, nil, "-s", "pools", "up", "--yes")
			m.again(modelClusterOf("prod"), "it has another node pool")
		}, args: []string{"fleet", "destroy", "--select", "pools", "--yes"}, codes: []int{2}, says: "fleet destroy --hosted-clusters`"},
		{name: "other zones", prepare: func(m *model) { m.edit("prod", "us-east-1a", "us-east-1b") },
			args: []string{"-s", "prod", "up", "--yes"}, codes: []int{1, 2}, says: "--allow"},
	}
}

// modelPools is the file of a stack with a further node pool of prod's cluster.
const modelPools = `config:
  aws:region: us-east-1
  hypershift-aws:kind: nodePools
  hypershift-aws:nodePools:
    name: demo
    kubeconfig: {context: blue}
    nodePools: [{name: demo-more, replicas: 1}]
`

// edit replaces a text in a stack's file.
func (m *model) edit(stack, before, after string) {
	m.t.Helper()
	path := m.path("Pulumi." + stack + ".yaml")
	text, err := os.ReadFile(path)
	require.NoError(m.t, err)
	require.Contains(m.t, string(text), before)
	m.write(stack, strings.Replace(string(text), before, after, 1))
	m.log = append(m.log, fmt.Sprintf("the file of %s: %q becomes %q", stack, before, after))
}

// othersVPC is a VPC of others.
const othersVPC = "vpc-0bbbbbbbbbbbbbbb1"

// associateOthers associates it with the private zone of stack prod.
func (m *model) associateOthers() {
	m.t.Helper()
	m.records(func(rec *store.Entry) bool {
		vpcs, _ := rec.State["vpcs"].([]any)
		mine := rec.Type == awstype.HostedZone && len(vpcs) > 0 &&
			strings.Contains(fmt.Sprint(rec.State), "prod.example.com")
		if mine {
			rec.State["vpcs"] = append(vpcs, map[string]any{"vpcId": othersVPC, "vpcRegion": "us-east-1"})
		}
		return mine
	})
}

// modelRole is the type of the resources that have a cluster's tag and are used by nothing that has it.
const modelRole = awstype.Role

// retag replaces the tags of the clusters on the resources of a type that belong to a cluster.
func (m *model) retag(token, infraID string, tags map[string]any) {
	m.t.Helper()
	m.records(func(rec *store.Entry) bool {
		if rec.Type != token || !strings.Contains(fmt.Sprint(rec.State), infraID) {
			return false
		}
		for _, field := range []string{"tags", "tagsAll"} {
			all, _ := rec.State[field].(map[string]any)
			maps.DeleteFunc(all, func(key string, _ any) bool { return strings.HasPrefix(key, hypershift.ClusterTagPrefix) })
			maps.Copy(all, tags)
		}
		return true
	})
	m.again(modelClusterOf("byhand"), fmt.Sprintf("%s of %s has the tags %v", token, infraID, tags))
}

// onlyInState leaves a living cluster what its stack's state has: consent to a sweep covers the rest.
func (m *model) onlyInState(stack string) {
	m.t.Helper()
	ids, _ := m.inState(stack)
	m.only(stack, func(key, _ string) bool { return ids[key] })
}

// only leaves a living cluster the resources with a key and a text for which kept returns true: consent to a sweep
// covers the rest.
func (m *model) only(stack string, kept func(key, text string) bool) {
	m.t.Helper()
	maps.DeleteFunc(m.holds[stack], func(key string, value any) bool { return !kept(key, fmt.Sprint(value)) })
	require.NotEmpty(m.t, m.holds[stack])
	m.log = append(m.log, fmt.Sprintf("%s: %s", stack, strings.Join(slices.Sorted(maps.Keys(m.holds[stack])), ", ")))
}

// onlyBlue removes the files of the stacks whose management cluster is green.
func (m *model) onlyBlue() {
	m.t.Helper()
	require.NoError(m.t, os.Remove(m.path("Pulumi.staging.yaml")))
}
