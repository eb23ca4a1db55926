package guarded_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// shortOf returns a type as golden graphs name it: "ec2.Vpc", "core.Secret".
func shortOf(token string) string {
	fields := strings.Split(token, ":")
	group, _, _ := strings.Cut(fields[1], "/")
	return group + "." + fields[len(fields)-1]
}

// A resource of a golden graph: its parent, its type and its name, with its provider, which a component does not have.
var inGraph = regexp.MustCompile(`(?m)^\S+ / (\S+) .*\(provider \S+\)$`)

func TestEveryTypeOfAGoldenGraphHasBeenJudged(t *testing.T) {
	t.Parallel()
	judged := map[string]bool{}
	for _, info := range guarded.All() {
		judged[shortOf(info.Token)] = true
	}
	seen := map[string]bool{}
	for _, graph := range golden.Graphs(t) {
		for _, m := range inGraph.FindAllStringSubmatch(golden.Read(t, golden.Graph(t, graph)), -1) {
			if seen[m[1]] || strings.HasPrefix(m[1], "index.") { // the engine's own
				continue
			}
			seen[m[1]] = true
			require.True(t, judged[m[1]], "%s of %s: say in internal/aws/guarded what living clusters need it for, or why none does", m[1], graph)
		}
	}
	require.Greater(t, len(seen), 60)
}

func TestEveryTypeOfAWSHasBeenJudged(t *testing.T) {
	t.Parallel()
	for _, info := range awstype.All() {
		_, judged := guarded.Lookup(info.Token, "")
		require.True(t, judged, info.Token)
	}
}

func TestEachTypeIsNeededOrNot(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, info := range guarded.All() {
		require.NotEqual(t, info.Needed == "", info.Unneeded == "", info.Token)
		require.Equal(t, info.Guarded(), len(info.Fixed) > 0, "%s: a guarded type has inputs that replace it",
			info.Token)
		require.True(t, info.Guarded() || len(info.Within) == 0, info.Token)
		if info.Name == nil {
			require.False(t, seen[info.Token], info.Token)
			seen[info.Token] = true
		}
	}
}

// The offline account's table has the provider's schema: f marks an input that forces a new resource. A user's name is
// one by an option of the stack's, because the provider would keep the old name as the user's ID.
func TestFixedInputsForceANewResource(t *testing.T) {
	t.Parallel()
	for _, info := range guarded.All() {
		if !strings.HasPrefix(info.Token, "aws:") {
			continue
		}
		var declared, forcesNew []string
		for _, property := range aws.Sections()[info.Token].Properties {
			declared = append(declared, property.Name)
			if property.ForceNew || info.Token == awstype.User && property.Name == "name" {
				forcesNew = append(forcesNew, property.Name)
			}
		}
		require.Subset(t, forcesNew, info.Fixed, info.Token)
		require.Subset(t, declared, info.Within, info.Token)
	}
}

func TestTheNameOfASecretDecides(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"demo-pull-secret": true, "external-dns-credentials": true, "hypershift-operator-aws-credentials": true,
		"demo-etcd-encryption-key": false, "demo-etcd-encryption-key-648aa5c579": false, "demo-ssh-key": false,
		"login-template": false,
	} {
		info, known := guarded.Lookup("kubernetes:core/v1:Secret", name)
		require.True(t, known, name)
		require.Equal(t, want, info.Guarded(), name)
	}
}

func TestAnotherVersionOfAnAPIIsTheSameType(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"kubernetes:hypershift.openshift.io/v1beta1:NodePool",
		"kubernetes:hypershift.openshift.io/v1:NodePool"} {
		info, known := guarded.Lookup(token, "demo-us-east-1a")
		require.True(t, known && info.Guarded(), token)
	}
}

func TestOnlyWhatGoesWithAClusterIsUnprotectedWithIt(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]bool{
		"kubernetes:hypershift.openshift.io/v1beta1:HostedCluster": true, "kubernetes:cluster.x-k8s.io/v1beta1:Cluster": true,
		"kubernetes:core/v1:Secret": true, "kubernetes:apps/v1:Deployment": false, awstype.Bucket: false,
		awstype.KMSKey: false,
	} {
		require.Equal(t, want, guarded.Protects(token, awstype.ForCluster), token)
	}
}
