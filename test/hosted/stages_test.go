package hosted

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// The program alone, as `pulumi up` and the Pulumi Kubernetes Operator run it: each further update continues the
// stages.
func TestRepeatedUpdatesReplaceTheKeyOfEtcdAndRollOutARelease(t *testing.T) {
	t.Parallel()
	var stack *enginetest.Stack
	live := func(ctx context.Context, _ config.Kubeconfig, namespace, name string) (*hostedcluster.Live, error) {
		clusters := stack.Clusters()
		if len(clusters) == 0 {
			return &hostedcluster.Live{}, nil
		}
		return clusterstatus.ReadLive(ctx, inmemory.Cluster{Cluster: clusters[0]}, namespace, name)
	}
	stack = enginetest.New(t, stacks.Options{Live: live}.Run, enginetest.Options{
		Seeds: append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedKMSKey, Name: otherKey}),
	})
	first := strings.ReplaceAll(stackfile.WithHostedCluster(t, "      unprotected: true\n").String(), "4.19.0", "4.22.0")
	stack.Configure(first)
	stack.Up()
	stack.RequireStable()

	stack.Configure(strings.NewReplacer("4.22.0", "4.22.7", stackfile.KMSKeyARN, otherKey).Replace(first))
	updates := 0
	for ; len(stack.Preview()) > 0; updates++ {
		require.Less(t, updates, 6, "the stages do not end")
		stack.Up()
		for _, object := range stack.Objects() {
			require.NotContains(t, fmt.Sprint(object.Properties["status"]), "EtcdNotReadable", "after update %d", updates)
		}
	}
	require.Equal(t, 3, updates, "both keys, without the former key, and the role's policy")
	for _, r := range stack.State() {
		switch {
		case string(r.Type) == kubernetes.HostedClusterToken:
			require.Equal(t, map[string]any{"activeKey": map[string]any{"arn": otherKey}}, encryptionOf(r.Inputs))
		case string(r.Type) == kubernetes.NodePoolToken:
			require.Contains(t, r.Inputs["spec"].(map[string]any)["release"].(map[string]any)["image"], "4.22.7")
		case strings.HasSuffix(r.URN.Name(), "kms-provider") && r.Inputs["policy"] != nil:
			require.Contains(t, r.Inputs["policy"], otherKey)
			require.NotContains(t, r.Inputs["policy"], stackfile.KMSKeyARN)
		}
	}
	stack.Destroy()
}

// encryptionOf returns the keys in the inputs of a HostedCluster.
func encryptionOf(inputs map[string]any) map[string]any {
	encryption := inputs["spec"].(map[string]any)["secretEncryption"].(map[string]any)
	kms := encryption["kms"].(map[string]any)["aws"].(map[string]any)
	keys := map[string]any{}
	for _, key := range []string{"activeKey", "backupKey"} {
		if value, has := kms[key]; has {
			keys[key] = value
		}
	}
	return keys
}
