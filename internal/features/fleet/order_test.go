package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// cluster and management are stacks of one folder.
func cluster(name, of string) fleetrun.Member {
	return fleetrun.Member{ID: name, Dir: "/p", Project: "hypershift-aws", Stack: name, Kind: string(config.KindCluster), Account: name, InfraID: name, Management: of}
}

func managementStack(name string) fleetrun.Member {
	return fleetrun.Member{
		ID:      name,
		Dir:     "/p",
		Project: "hypershift-aws",
		Stack:   name,
		Kind:    string(config.KindManagement),
		Account: "m",
	}
}

// order returns the jobs as "wave:name".
func order(jobs []*fleetrun.Job) string {
	var list []string
	for _, job := range jobs {
		list = append(list, fmt.Sprintf("%d:%s", job.Wave, job.ID))
	}
	return strings.Join(list, " ")
}

func TestManagementStacksComeFirstAndOnDestroyLast(t *testing.T) {
	t.Parallel()
	all := []fleetrun.Member{cluster("a", "m"), cluster("b",
		"m"), cluster("c", "hypershift-aws/hypershift-aws/m"), cluster("d", ""), managementStack("m"), managementStack("n")}
	for _, test := range []struct {
		waves   string
		reverse bool
		want    string
	}{
		{"", false, "1:m 1:a 1:b 1:c 1:d 1:n"},
		{"", true, "1:a 1:b 1:c 1:d 1:n 1:m"},
		{"1,2,rest", false, "1:m 1:a 2:b 2:c 3:d 3:n"},
		{"1,2,rest", true, "1:a 2:b 2:c 3:d 3:n 2:m"},
		{"20%,rest", false, "1:m 1:a 2:b 2:c 2:d 2:n"},
	} {
		waves, err := ParseWaves(test.waves)
		require.NoError(t, err)
		jobs, err := Plan(all, all, waves, test.reverse, nil)
		require.NoError(t, err)
		assert.Equal(t, test.want, order(jobs), "%+v", test)
	}
}

func TestAMissingManagementStackACycleAndAnotherKindAreRefused(t *testing.T) {
	t.Parallel()
	none := func(fleetrun.Member) (bool, error) { return false, nil }
	for want, all := range map[string][]fleetrun.Member{
		"stack a names the management stack m, which has neither a file in /p nor a state": {cluster("a", "m")},
		"stack a names the management stack b, which is of kind cluster": {cluster("a",
			"b"), cluster("b", "")},
		"these stacks name each other as management stack: a -> b -> a": {cluster("a",
			"b"), cluster("b", "a")},
		"these stacks name each other as management stack: a -> a": {cluster("a", "a")},
	} {
		_, err := Plan(all[:1], all, []Wave{{}}, false, none)
		assert.ErrorContains(t, err, want)
	}
	_, err := Plan([]fleetrun.Member{cluster("a", "m")}, []fleetrun.Member{cluster("a", "m")}, []Wave{{}}, false, func(fleetrun.Member) (bool, error) { return true, nil })
	assert.NoError(t, err, "it has a state")
	_, err = Plan([]fleetrun.Member{cluster("a", "org/elsewhere/m")}, []fleetrun.Member{cluster("a", "org/elsewhere/m")},
		[]Wave{{}}, false, none)
	assert.NoError(t, err, "it is another project's")
}

func TestTheStacksOfAClustersPartsAreBeforeIt(t *testing.T) {
	t.Parallel()
	dev, roles, net := cluster("dev", ""), cluster("roles", ""), cluster("net", "")
	dev.Parts, roles.Parts = []string{"net", "roles"}, []string{"net"}
	for _, reverse := range []bool{false, true} {
		jobs, err := Plan([]fleetrun.Member{dev, net, roles}, []fleetrun.Member{dev, net, roles}, []Wave{{}}, reverse, nil)
		require.NoError(t, err)
		after := map[string][]string{}
		for _, job := range jobs {
			for _, before := range job.After {
				after[job.ID] = append(after[job.ID], before.ID)
			}
		}
		if reverse {
			require.Equal(t, map[string][]string{"net": {"dev", "roles"}, "roles": {"dev"}}, after)
		} else {
			require.Equal(t, map[string][]string{"dev": {"net", "roles"}, "roles": {"net"}}, after)
		}
	}
}

// The pools of a cluster need its HostedCluster, and are deleted before it; those of a HostedCluster elsewhere wait for
// nothing.
func TestTheNodePoolsOfAClusterAreAfterItAndOnDestroyBefore(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	pools := func(namespace, context string) string {
		return "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: nodePools\n" +
			"  hypershift-aws:nodePools:\n    name: demo\n    namespace: " + namespace + "\n    kubeconfig: {context: " +
			context + "}\n" +
			"    nodePools: [{name: extra, subnetID: subnet-0123456789abcdef0}]\n"
	}
	write("Pulumi.yaml", "name: hypershift-aws\nruntime: go\n")
	write("Pulumi.a-pools.yaml", pools("clusters", "management"))
	write("Pulumi.b-elsewhere.yaml", pools("clusters", "other"))
	write("Pulumi.c-namesake.yaml", pools("tenants", "management"))
	write("Pulumi.d-cluster.yaml", `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    oidc: {bucketName: demo-oidc}
    network: {zones: [us-east-1a]}
    hostedCluster:
      release: quay.io/openshift-release-dev/ocp-release:4.18.10-multi
      pullSecret: ./pull-secret.json
      kubeconfig: {context: management}
`)
	all, faults, err := Load([]Folder{{Dir: folder}})
	require.NoError(t, err)
	require.Empty(t, faults)
	for reverse, want := range map[bool]string{
		false: "1:d-cluster 1:a-pools 1:b-elsewhere 1:c-namesake", true: "1:a-pools 1:b-elsewhere 1:c-namesake 1:d-cluster",
	} {
		jobs, err := Plan(all, all, []Wave{{}}, reverse, nil)
		require.NoError(t, err)
		require.Equal(t, want, order(jobs))
		waiting := map[string]int{}
		for _, job := range jobs {
			require.True(t, job.Kubernetes, job.ID)
			waiting[job.ID] = len(job.After)
		}
		if reverse {
			require.Equal(t, map[string]int{"a-pools": 0, "b-elsewhere": 0, "c-namesake": 0, "d-cluster": 1}, waiting)
		} else {
			require.Equal(t, map[string]int{"a-pools": 1, "b-elsewhere": 0, "c-namesake": 0, "d-cluster": 0}, waiting)
		}
	}
}

func TestInvalidWavesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "a", "rest,1", "1,,2", "-1", "101%", "1.5"} {
		_, err := ParseWaves(text)
		assert.Error(t, err, text)
	}
	all := []fleetrun.Member{cluster("a", ""), cluster("b", "")}
	_, err := Plan(all, all, []Wave{{Count: 1}}, false, nil)
	assert.ErrorContains(t, err, "--waves leaves out 1 of 2 stacks")
}

func TestStacksAreSelectedByNameKindAccountAndTag(t *testing.T) {
	t.Parallel()
	a, m := cluster("prod-a", "m"), managementStack("m")
	a.Tags, a.Region = map[string]string{"env": "prod/eu"}, "us-east-1"
	for expression, want := range map[string]string{
		"":                                "a m",
		"prod-*":                          "a",
		"kind=management":                 "m",
		"kind!=management":                "a",
		"tag:env=prod*":                   "a",
		"tag:env!=dev":                    "a",
		"tag:env!=prod*":                  "", // the tags of m are not known
		"tag:team=*":                      "",
		"tag:team!=x":                     "",
		"tag:team=":                       "a", // known to have none
		"management!=other":               "a",
		"account!=123456789012":           "", // the accounts that the credentials are of are not known
		"account=prod-a,region=us-east-1": "a",
		"account=prod-a,kind=management":  "",
		"management=m":                    "a",
		"name=m;kind=cluster":             "a m", // two expressions
	} {
		var expressions []string
		if expression != "" {
			expressions = strings.Split(expression, ";")
		}
		s, err := ParseSelector(expressions)
		require.NoError(t, err)
		got := ""
		if s.Matches(a) {
			got = "a"
		}
		if s.Matches(m) {
			got += " m"
		}
		assert.Equal(t, want, strings.TrimSpace(got), expression)
	}
	for _, wrong := range []string{"colour=red", "tag:=x", "", "a,,b", "name=[", "[a"} {
		_, err := ParseSelector([]string{wrong})
		assert.Error(t, err, wrong)
	}
}

func TestTwoClustersWithOneInfraIDAreRefused(t *testing.T) {
	t.Parallel()
	a, b := cluster("a", ""), cluster("b", "")
	b.InfraID, b.Account = a.InfraID, a.Account
	assert.ErrorContains(t, Conflicts([]fleetrun.Member{a}, []fleetrun.Member{a, b}),
		"stacks a and b both have infra ID a in account a")
	assert.NoError(t, Conflicts(nil, []fleetrun.Member{a, b}), "none of them is selected")
	b.Account = "b"
	assert.NoError(t, Conflicts([]fleetrun.Member{a}, []fleetrun.Member{a, b}))
	a.Issuer, b.Issuer = "bucket x", "bucket x"
	assert.ErrorContains(t, Conflicts([]fleetrun.Member{a}, []fleetrun.Member{a, b}), "keep OIDC documents in bucket x")
}

func TestOverlappingVPCsOfAnAccountAreNamed(t *testing.T) {
	t.Parallel()
	var all []fleetrun.Member
	for name, cidr := range map[string]string{
		"a": "10.0.0.0/16",
		"b": "10.0.128.0/20",
		"c": "10.1.0.0/16",
		"d": "10.0.0.0/16",
	} {
		m := cluster(name, "")
		m.VPCAccount, m.CIDRs = "1", []string{cidr}
		if name == "d" {
			m.VPCAccount = "2"
		}
		all = append(all, m)
	}
	found := Overlaps(all, all)
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "the VPCs of 2 stacks in account 1 overlap, such as 10.0.0.0/16 of a and 10.0.128.0/20 of b")
	assert.Empty(t, Overlaps([]fleetrun.Member{cluster("c", "")}, all), "c overlaps with none")
}
