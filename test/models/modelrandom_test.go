package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestNoSequenceHarmsALivingCluster runs sequences of commands, each after a change of the world, without the flag that
// allows a deletion under a living cluster. The seed decides the sequence: a shorter one is the beginning of a longer
// one.
func TestNoSequenceHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	for _, seed := range sizes.Seeds(3, 200) {
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			t.Parallel()
			m := newModel(t, dir)
			m.log = append(m.log, "again: "+sizes.Again(t))
			r := rand.New(rand.NewPCG(seed, 23)) //nolint:gosec // not for secrets
			for range sizes.Pick(4, 12) {
				m.changeWorld(r)
				m.command(r)
			}
		})
	}
}

// changeWorld changes a context, a management cluster, a cluster's nodes, a stack's file or its state, or nothing.
func (m *model) changeWorld(r *rand.Rand) {
	m.t.Helper()
	c := modelClusters[r.IntN(len(modelClusters))]
	switch r.IntN(15) {
	case 12, 13, 14:
		m.changeMore(c, r)
	case 0:
		m.exchange()
	case 1:
		m.operators(c.management, offline.Operators{Unreachable: true})
	case 2:
		m.operators(c.management, offline.Operators{Status: 503})
	case 3:
		m.operators(c.management, offline.Operators{})
	case 4:
		m.stopNodes(c)
	case 5:
		if c.kind == "HostedCluster" {
			m.operators(c.management, offline.Operators{})
			m.scaleToZero(c)
		}
	case 6:
		edits := append(fileChanges(stackfile.KMSKeyARN), change{
			"aws:region: us-east-1", "aws:region: us-east-1\n  aws:assumeRole: {roleArn: 'arn:aws:iam::" +
				stackfile.OwnerAccount + ":role/creator'}"})
		edit := edits[r.IntN(len(edits))]
		management := c.management
		if c.tool {
			management = ""
		}
		m.write(c.stack, strings.Replace(modelFile(c, management), edit.before, edit.after, 1))
		m.log = append(m.log, fmt.Sprintf("the file of %s: %q becomes %q", c.stack, edit.before, edit.after))
	case 7:
		edits := managementChanges()
		edit := edits[r.IntN(len(edits))]
		m.write(inheritedStack, strings.Replace(modelManagement, edit.before, edit.after, 1))
		m.log = append(m.log, fmt.Sprintf("the file of %s: %q becomes %q", inheritedStack, edit.before, edit.after))
	case 8:
		key := []string{"an etcd key of thirty-two bytes!", "another key of thirty-two bytes!"}[r.IntN(2)]
		m.writeEtcdKey(key)
		m.log = append(m.log, "etcd.key is "+key)
	case 10:
		m.restoreState(c.stack)
	case 11:
		m.secondContext(c)
	case 9:
		m.recreate(c, fmt.Sprintf("%08x-0000-0000-0000-000000000000", r.Uint32()))
	}
}

// restoreState restores the state that a stack had when the model was created, as from a backup. The stack's folder
// stays as it is.
func (m *model) restoreState(stack string) {
	m.t.Helper()
	text, err := os.ReadFile(strings.Replace(m.stateFile(stack), m.Dir, modelDir(m.t), 1))
	if errors.Is(err, fs.ErrNotExist) {
		return // no stack has the cluster
	}
	require.NoError(m.t, err)
	require.NoError(m.t, os.RemoveAll(m.stateFile(stack)+".gz"))
	require.NoError(m.t, os.WriteFile(m.stateFile(stack), text, 0o600))
	m.log = append(m.log, "the state of "+stack+" is that of a backup")
}

// secondContext makes a stack's file select its management cluster by another context.
func (m *model) secondContext(c modelCluster) {
	m.t.Helper()
	second := c.management + "-admin"
	if err := os.Symlink(c.management, filepath.Join(m.offlineDir(), "clusters", second)); !errors.Is(err, fs.ErrExist) {
		require.NoError(m.t, err)
	}
	management := second
	if c.tool {
		management = ""
	}
	m.write(c.stack, modelFile(c, management))
	m.log = append(m.log, "the file of "+c.stack+" selects context "+second)
}

// recreate gives a living cluster's object another UID, as if others had deleted it and created it again under its
// name.
func (m *model) recreate(c modelCluster, uid string) {
	m.t.Helper()
	if m.holds[c.stack] == nil || m.dies(c) {
		return
	}
	m.object(c, func(path string) {
		text, err := os.ReadFile(path)
		require.NoError(m.t, err)
		var object struct {
			State struct{ Metadata struct{ UID string } }
		}
		require.NoError(m.t, json.Unmarshal(text, &object))
		require.NotEmpty(m.t, object.State.Metadata.UID)
		require.NoError(m.t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), object.State.Metadata.UID, uid)),
			0o600))
	})
	m.again(c, "the cluster of "+c.stack+" was created again")
}

// command runs one command, with calls that fail or processes that are killed in some.
func (m *model) command(r *rand.Rand) {
	m.t.Helper()
	c := modelClusters[r.IntN(len(modelClusters))]
	var env []string
	switch r.IntN(8) {
	case 0:
		env = []string{fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: %d, kill: cli, signal: KILL}]}",
			1+r.IntN(20))}
	case 1:
		env = []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{lists: "aws:ec2/instance:Instance", code: UnauthorizedOperation}]}`}
	}
	of := func(args ...string) []string { return append([]string{"-s", c.stack}, args...) }
	if r.IntN(6) == 0 {
		commands := [][]string{{"up", "--yes"}, {"preview"}, {"refresh", "--yes"}, {"forget", "--yes"}, {"destroy", "--yes"},
			{"adopt", "--yes"}}
		m.do(nil, env, append([]string{"-s", inheritedStack}, commands[r.IntN(len(commands))]...)...)
		return
	}
	switch r.IntN(14) {
	case 12, 13:
		m.decide(c, r)
	case 0:
		m.do(nil, env, of("up", "--yes")...)
	case 1:
		m.do(nil, env, of("preview")...)
	case 2:
		m.do(nil, env, of("refresh", "--yes")...)
	case 3:
		m.do(nil, env, of("drift")...)
	case 4:
		m.do(nil, env, of("adopt", "--yes")...)
	case 5:
		m.do(nil, env, of("forget", "--yes")...)
	case 6:
		m.do(nil, env, of("destroy", "--yes")...)
	case 7:
		m.do([]string{c.stack}, env, of("destroy", "--yes", "--cluster", c.name)...)
	case 8:
		m.do([]string{c.stack}, env, of("destroy", "--yes", "--cluster", c.name, "--management-cluster-gone")...)
	case 9:
		m.do(nil, env, of("sweep")...)
	case 10:
		more := [][]string{nil, {"--running", "-s", c.stack}, {"--management-cluster-gone"}, {"--data"}}[r.IntN(4)]
		m.do(nil, env, append([]string{"sweep", "--infra-id", c.infraID, "--delete", "--yes", "--min-age", "0s"}, more...)...)
	case 11:
		if r.IntN(3) > 0 {
			m.do(nil, env, "fleet", "refresh", "--yes")
			return
		}
		m.do([]string{"prod", "staging", "gitops", "self", "byhand"}, env, "fleet", "destroy", "--yes", "--hosted-clusters")
	}
}

// decide runs an operation of a Go program that waits for a decision, in which the world changes.
func (m *model) decide(c modelCluster, r *rand.Rand) {
	m.t.Helper()
	stack, decide := m.deciding(c.stack, func() {
		m.changeWorld(r)
		if r.IntN(2) == 0 {
			m.exchange()
		}
	})
	_, object := m.inState(c.stack)
	mayDie := map[string]bool{}
	var err error
	name := ""
	switch r.IntN(4) {
	case 0:
		name = "forget"
		_, err = stack.Forget(m.t.Context(), automation.ForgetOptions{Decide: decide})
		clear(m.objects)
	case 1:
		name = "up"
		_, err = stack.Up(m.t.Context(), automation.UpOptions{Decide: decide})
	default:
		name, m.named[c.stack] = "destroy", true
		_, err = stack.Destroy(m.t.Context(), automation.DestroyOptions{
			Decide:                decide,
			Cluster:               c.name,
			ManagementClusterGone: r.IntN(3) == 0,
		})
		mayDie[c.stack] = object != "" && !m.exchanged()
	}
	m.log = append(m.log, fmt.Sprintf("%s of %s by a program that waits for a decision -> %v", name, c.stack, err))
	m.look(mayDie)
}
