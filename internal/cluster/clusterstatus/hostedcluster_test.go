package clusterstatus

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"
)

func TestOnlyWhatGoesWithAClusterIsUnprotectedForItsDeletion(t *testing.T) {
	t.Parallel()
	state := []apitype.ResourceV3{}
	for name, token := range map[string]string{
		"cluster": typeHostedCluster, "key": "kubernetes:core/v1:Secret",
		"capa":   "kubernetes:cluster.x-k8s.io/v1beta1:Cluster",
		"bucket": "aws:s3/bucketV2:BucketV2", "pool": typeNodePool,
	} {
		state = append(state, apitype.ResourceV3{URN: resource.URN(name), Type: tokens.Type(token), Protect: true})
	}
	state = append(state,
		apitype.ResourceV3{URN: "pull-secret", Type: "kubernetes:core/v1:Secret"},
		apitype.ResourceV3{URN: "replaced", Type: "kubernetes:core/v1:Secret", Protect: true, Delete: true})
	require.ElementsMatch(t, []string{"cluster", "key", "capa"}, Protected(state))
}
