package heldfields

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Fields of a cluster and of its pool that others hold.
var (
	replicas = clusterstatus.FieldConflict{
		Kind: crd.NodePool, Name: "pool", Path: []string{"spec", "replicas"}, Key: "pools.replicas", Manager: "kubectl",
		Live: 3, File: 2,
	}
	release = clusterstatus.FieldConflict{
		Kind: crd.HostedCluster, Name: "demo", Path: []string{"spec", "release", "image"}, Key: "release", Manager: "kubectl",
		Live: "b", File: "a",
	}
	key = clusterstatus.FieldConflict{
		Kind: crd.HostedCluster, Name: "demo", Path: []string{"spec", "secretEncryption", "type"}, Key: "etcdKey",
		Manager: "kubectl", Live: "kms",
	}
	same = clusterstatus.FieldConflict{
		Kind: crd.HostedCluster, Name: "demo", Path: []string{"spec", "autoscaling"}, Key: "autoscaling", Manager: "kubectl",
		Same: true,
	}
)

// inFolder is an environment with files in a folder.
type inFolder struct {
	workspace.Environment
	folder string
}

func (f inFolder) Folder() string { return f.folder }

func held(fields ...clusterstatus.FieldConflict) *Conflicts {
	return &Conflicts{fields: fields, Stack: &workspace.Stack{
		Name: "dev", Session: &workspace.Session{Environment: inFolder{folder: "nowhere"}, Report: func(report.Event) {}},
	}}
}

func TestAFieldWithTheSameValueIsNothingToDecide(t *testing.T) {
	t.Parallel()
	h := held(replicas, same)
	assert.Equal(t, []clusterstatus.FieldConflict{replicas}, h.List())
	require.NoError(t, held(same).CheckDecided(nil))
	assert.Contains(t, h.Paths()["HostedCluster/demo"], "spec.autoscaling", "an update leaves it nevertheless")
}

func TestOnlyAFieldThatOthersHoldIsTakenBackAndNeverOneThatEncryptsEtcd(t *testing.T) {
	t.Parallel()
	h := held(replicas, release, key, same)
	h.Stack.Session.Environment = inFolder{folder: t.TempDir()}
	require.NoError(t, h.Stack.AddUse(workspace.Use{Flag: "--take", Value: "taken", Resources: []string{"taken"}}))
	for name, c := range map[string]struct {
		keys    []string
		refused bool
		remedy  string
	}{
		"none":        {},
		"held fields": {keys: []string{"pools.replicas", "release"}},
		"not held": {
			keys:    []string{"release", "zones"},
			refused: true,
			remedy:  "pools.replicas, release, etcdKey",
		},
		"taken by this run":      {keys: []string{"taken", "release"}},
		"the same value":         {keys: []string{"autoscaling"}, refused: true, remedy: "pools.replicas"},
		"the encryption of etcd": {keys: []string{"etcdKey"}, refused: true, remedy: "in the stack's file"},
	} {
		err := h.CheckOverwrite(t.Context(), c.keys)
		assert.Equal(t, c.refused, failure.ReasonOf(err) == failure.Refused, "%s: %v", name, err)
		if c.refused {
			var refusal *failure.Error
			require.ErrorAs(t, err, &refusal, name)
			assert.Contains(t, refusal.Remedy, c.remedy, name)
		}
	}
	var refusal *failure.Error
	require.ErrorAs(t, held().CheckOverwrite(t.Context(), []string{"release"}), &refusal)
	assert.Equal(t, "omit --take", refusal.Remedy, "nothing is held")
}

func TestAnAdoptionEndsOnlyIfEachHeldFieldIsDecided(t *testing.T) {
	t.Parallel()
	h := held(replicas, release)
	require.NoError(t, h.CheckDecided([]string{"release", "pools.replicas"}))
	err := h.CheckDecided([]string{"release"})
	require.ErrorContains(t, err, replicas.String())
	assert.NotContains(t, err.Error(), release.String())
}

// Replicas and autoScaling exclude each other, so an update leaves both where the file has neither of the values.
func TestAPoolThatOthersScaleKeepsBothWaysOfScaling(t *testing.T) {
	t.Parallel()
	scaled := replicas
	scaled.File, scaled.Path = nil, []string{"spec", "autoScaling"}
	assert.Equal(t, map[string][]string{"NodePool/pool": {"spec.autoScaling", "spec.replicas"}}, held(scaled).Paths())
	assert.Equal(t, map[string][]string{"NodePool/pool": {"spec.replicas"}}, held(replicas).Paths())
}
