package lives

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestANetworkItsRolesAndTheClusterAsThreeStacksHaveTheResourcesOfOne(t *testing.T) {
	t.Parallel()
	for _, access := range sizes.First(1, []string{"PublicAndPrivate", "Public", "Private"}) {
		t.Run(access, func(t *testing.T) {
			t.Parallel()
			var found [][]string
			for _, together := range []bool{true, false} {
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: go\n"),
					0o600))
				files := stackfile.PartsFiles(together, access)
				for name, text := range files {
					require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi."+name+".yaml"), []byte(text), 0o600))
				}
				c := harness.NewCLI(t, dir)
				c.Run("--offline", "fleet", "up", "--yes")
				if sizes.All() || !together {
					c.Run("--offline", "fleet", "preview", "--expect-no-changes")
				}
				found = append(found, harness.Described(t, harness.MadeIn(t, filepath.Join(dir, ".hypershift-aws", "offline"))))
			}
			require.NotEmpty(t, found[0])
			require.Equal(t, found[0], found[1])
		})
	}
}

// partConfig returns the config of a part of the cluster that a config describes.
func partConfig(c stackfile.Cluster, kind config.Kind) string {
	head, rest, _ := strings.Cut(c.String(), "    oidc:")
	head = strings.ReplaceAll(head, "hypershift-aws:kind: cluster", "hypershift-aws:kind: "+string(kind))
	head = strings.ReplaceAll(head, "hypershift-aws:cluster:", "hypershift-aws:"+string(kind)+":")
	if kind == config.KindNetwork {
		return head
	}
	before, _, _ := strings.Cut(head, "    baseDomain:")
	return before + "    tags: {team: platform}\n    networkStack: organization/net/test\n    oidc:" + rest
}

func TestTheGraphsOfAClustersPartsAreThoseOfTheWholeCluster(t *testing.T) {
	t.Parallel()
	for _, access := range sizes.First(1, hypershift.EndpointAccesses()) {
		t.Run(string(access), func(t *testing.T) {
			t.Parallel()
			whole := stackfile.Cluster{Access: access, NAT: network.PerZone, Zones: stackfile.ZoneNames(1)}
			net := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds(), Project: "net"})
			net.Configure(partConfig(whole, config.KindNetwork))
			net.Up()
			common := stackfile.CommonTags()
			want := golden.Read(t, golden.Graph(t, "network/"+whole.Name()))
			require.Equal(t, strings.Replace(want, "hypershift-aws-test /", "net-test /", 1), net.Graph(common, "network"))
			net.RequireStable()

			roles := enginetest.New(t, stacks.Run, enginetest.Options{Project: "roles", Beside: net, Backend: net})
			roles.Configure(partConfig(whole, config.KindIAM))
			roles.Up()
			want = golden.Read(t, golden.Graph(t, "iam/"+string(access)))
			graph := graph.Of(t, append(net.State(), roles.State()...), nil, "oidc", "workers", "roles")
			require.ElementsMatch(t, strings.Split(strings.ReplaceAll(want, "hypershift-aws-test /", "roles-test /"), "\n"),
				strings.Split(graph, "\n"))
			roles.RequireStable()

			roles.Destroy()
			net.Destroy()
			require.Empty(t, net.Resources(), "what destroy left in the account")
		})
	}
}

// sharedPartsFiles returns the stack files of a cluster in the VPC of another account, as one stack, or with the
// network in that account, and the roles and the cluster in the cluster's account.
func sharedPartsFiles(together bool, access, zonesIn string) map[string]string {
	const role, accountRole = `{roleArn: "arn:aws:iam::%s:role/%s"}`, "    accounts: {%s: {assumeRole: %s}}\n"
	owner := fmt.Sprintf(accountRole, "vpcOwner", fmt.Sprintf(role, stackfile.OwnerAccount, "network"))
	files := stackfile.PartsFiles(together, access)
	files["dev"] += owner
	network := "dev"
	if !together {
		network = "net"
		files["roles"] += owner
		files["net"] = strings.Replace(files["net"], "config:\n",
			"config:\n  aws:assumeRole: "+fmt.Sprintf(role, stackfile.OwnerAccount, "network")+"\n", 1) +
			fmt.Sprintf(accountRole, "cluster", fmt.Sprintf(role, stackfile.ClusterAccount, "sharing"))
	}
	files[network] = strings.Replace(files[network], "us-east-1b]}", "us-east-1b], shared: {privateZonesIn: "+zonesIn+"}}",
		1)
	return files
}

func TestPartsInTwoAccountsHaveTheResourcesOfOneStackInASharedVPC(t *testing.T) {
	t.Parallel()
	for _, test := range sizes.First(1, []struct{ access, zonesIn string }{{"Private", "Cluster"}, {"Public", "Owner"},
		{"PublicAndPrivate", "Owner"}}) {
		t.Run(test.access+" "+test.zonesIn, func(t *testing.T) {
			t.Parallel()
			var found []map[string][]string
			var shared []string
			for _, together := range []bool{true, false} {
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: go\n"),
					0o600))
				for name, text := range sharedPartsFiles(together, test.access, test.zonesIn) {
					require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi."+name+".yaml"), []byte(text), 0o600))
				}
				c := harness.NewCLI(t, dir)
				c.Run("--offline", "fleet", "up", "--yes")
				if sizes.All() || !together {
					c.Run("--offline", "fleet", "preview", "--expect-no-changes")
				}
				accounts, err := offline.Accounts(filepath.Join(dir, ".hypershift-aws", "offline"))
				require.NoError(t, err)
				in := map[string][]string{}
				for _, account := range accounts {
					in[account.ID()] = harness.Described(t, slices.DeleteFunc(account.Resources(), func(r offline.Resource) bool {
						return r.Seed
					}))
				}
				found = append(found, in)
				shared = append(shared, regexp.MustCompile(`arn:aws:iam::\d+:role/demo-x1-shared-vpc-\w+|"vpcCreatorAccountID": *"\d+"`).
					FindAllString(c.Run("--offline", "-s", "dev", "-o", "json", "outputs"), -1)...)
				if sizes.All() || !together {
					c.Run("--offline", "fleet", "destroy", "--yes")
					require.Empty(t, harness.MadeIn(t, filepath.Join(dir, ".hypershift-aws", "offline")),
						"what destroy left in the accounts")
				}
			}
			require.NotEmpty(t, found[0][stackfile.OwnerAccount])
			require.NotEmpty(t, found[0][stackfile.ClusterAccount])
			require.Equal(t, found[0], found[1])
			require.NotEmpty(t, shared)
			require.Equal(t, shared[:len(shared)/2], shared[len(shared)/2:], "what HyperShift reads of the shared VPC")
		})
	}
}
