package hypershift_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// What a tag marks as another owner's is not taken over.
func TestATagNamesAnOwnerAsAWSAndKubernetesReadIt(t *testing.T) {
	t.Parallel()
	for tag, names := range map[[2]string]bool{
		{hypershift.StackTag, "dev"}:                  true,
		{hypershift.StackTag, ""}:                     false,
		{hypershift.InfraIDTag, "demo-x1"}:            true,
		{"kubernetes.io/cluster/demo-x1", "owned"}:    true,
		{"kubernetes.io/cluster/demo-x1", "Owned"}:    true,
		{"kubernetes.io/cluster/demo-x1", "true"}:     true,
		{"kubernetes.io/cluster/demo-x1", "shared"}:   false,
		{"Kubernetes.io/cluster/demo-x1", "owned"}:    false,
		{"team", "owned"}:                             false,
		{"kubernetes.io/role/internal-elb", "1"}:      false,
		{"karpenter.sh/discovery", "another-cluster"}: false,
	} {
		require.Equal(t, names, hypershift.NamesOwner(tag[0], tag[1]), tag)
	}
}
