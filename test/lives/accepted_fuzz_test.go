package lives

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// someCluster is a cluster in a fuzzer's terms: its names, its location and its shape.
type someCluster struct {
	name, infraID, domain, prefix, cidr, tag, value string
	shape                                           uint16
}

// FuzzAcceptedConfigsCanBeDeployed: for any names and locations of a cluster, its config is refused, or AWS accepts all
// resources of the stack.
func FuzzAcceptedConfigsCanBeDeployed(f *testing.F) {
	for _, c := range []someCluster{
		ordinaryCluster(0), ordinaryCluster(0xb2), ordinaryCluster(0x1ff),
		{"a-name-of-sixty-three-characters-which-is-all-that-a-label-has1", "", "example.com", "", "192.168.0.0/20", "k", "v",
			0x47},
		{"demo", "an-infrastructure-id-of-32-chars", "a.very.deep.domain.of.example.com", "x", "172.16.0.0/16", "k", "v",
			0xb2},
		{"Demo", "demo_x1", "example..com", "-", "10.0.0.0/8", "aws:x", "\n", 1},
	} {
		f.Add(c.name, c.infraID, c.domain, c.prefix, c.cidr, c.tag, c.value, c.shape)
	}
	f.Fuzz(func(t *testing.T, name, infraID, domain, prefix, cidr, tag, value string, shape uint16) {
		someCluster{name, infraID, domain, prefix, cidr, tag, value, shape}.requireRefusedOrUp(t)
	})
}

func TestOrdinaryConfigsAreAcceptedAndDeployed(t *testing.T) {
	t.Parallel()
	tried, accepted := 0, 0
	step := sizes.Pick[uint16](21, 7) // each option in turn, with one in seven of the others
	for shape := uint16(0); shape < shapes; shape += step {
		tried++
		if ordinaryCluster(shape).requireRefusedOrUp(t) {
			accepted++
		}
	}
	require.Greater(t, accepted, tried/2, "the others are combinations of options that cannot work")
}

func ordinaryCluster(shape uint16) someCluster {
	return someCluster{"demo", "demo-x1", "example.com", "", "10.0.0.0/16", "team", "platform", shape}
}

// requireRefusedOrUp brings the cluster up, and reports whether its config was accepted.
func (c someCluster) requireRefusedOrUp(t *testing.T) bool {
	t.Helper()
	cluster := shapedCluster(c.shape)
	cluster["name"], cluster["infraID"], cluster["baseDomain"], cluster["baseDomainPrefix"] = c.name, c.infraID, c.domain,
		c.prefix
	cluster["network"].(map[string]any)["vpcCIDR"] = c.cidr
	if c.tag != "" {
		cluster["tags"] = map[string]string{c.tag: c.value}
	}
	section, err := json.Marshal(cluster)
	require.NoError(t, err)
	dir := t.TempDir()
	text := "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: cluster\n  hypershift-aws:cluster: " + string(section) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName("test")), []byte(text), 0o600))
	file, err := stacks.LoadFile(dir, "test")
	if err != nil {
		require.NotEmpty(t, err.Error())
		return false
	}
	seeds := append(stackfile.SeedsIn(file), offline.Seed{Kind: offline.SeedPublicZone, Name: c.domain})
	require.NoError(t, graph.Run(t, stacks.Run, offline.Options{Dir: filepath.Join(dir, "offline"), Seeds: seeds},
		map[string]string{
			"aws:region":             "us-east-1",
			"hypershift-aws:kind":    "cluster",
			"hypershift-aws:cluster": string(section),
		}), "%s", text)
	return true
}

// shapes is the number of shapes.
const shapes = 4 * 3 * 3 * 3 * 3

// shapedCluster returns a cluster of one of the shapes.
func shapedCluster(shape uint16) map[string]any {
	pick := func(n int) int {
		picked := int(shape) % n
		shape /= uint16(n) //nolint:gosec // a handful
		return picked
	}
	accesses, strategies := hypershift.EndpointAccesses(), network.NATStrategies()
	guest := map[string]any{
		"zones": stackfile.ZoneNames(1 + pick(4)), "nat": strategies[pick(len(strategies))],
		"interfaceEndpoints": [][]string{{}, {"sts"}, network.NodeServices()}[pick(3)],
	}
	return map[string]any{
		"endpointAccess": accesses[pick(len(accesses))], "network": guest,
		"iam":  []map[string]any{{}, {"karpenter": true}, {"spotServiceLinkedRole": true}}[pick(3)],
		"oidc": map[string]any{"bucketName": "demo-oidc", "bucketRegion": "us-east-1"},
	}
}
