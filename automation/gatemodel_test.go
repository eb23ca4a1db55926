package automation_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// The world of the model: two management clusters, one of which the kubeconfig selects, one hosted cluster, and the
// state of its stack. Sequences of operations run in it as package automation runs them: resolve the target, ask the
// gates, ask the user, confirm, run the engine. The world changes between any two of these steps.

// server is a management cluster.
type server struct {
	uid string
	// address is that of its API server, at which another management cluster may answer later.
	address string
	// object is the UID of the object with the cluster's name, "" if there is none.
	object string
	// answer is how a read ends: "" is an API server, "silent" no answer, anything else another answer. restricted hides
	// namespace kube-system.
	answer     string
	restricted bool
}

// world is what operations cannot choose.
type world struct {
	servers [2]*server
	// selected is the context of the kubeconfig: that of a server or, as secondAddress, another one of the first server.
	selected int
	// answers are the UIDs by address that an earlier wave of a fleet has read.
	answers map[string]string
	// own is the UID of the living cluster that depends on the stack, "" while there is none. running is true if AWS shows
	// signs of it, denied if AWS refuses the search.
	own             string
	running, denied bool
	created         int
	// pools is true if another stack has node pools of the living cluster.
	pools bool
	// theirs is true if others have something in the stack's VPC or zones.
	theirs bool
	// account is the AWS account that the credentials lead to; the stack's resources are in 0. file counts the edits of
	// the stack's file, and edit is what the last one has changed.
	account, file int
	edit          edit
	// clock is AWS's, and launched is when the newest node was launched.
	clock, launched int64
}

// edit is a change of the file that a gate refuses if it applies, with what an update does that carries it out. The
// zero value harms nothing.
type edit struct {
	gate, harm string
	applies    func(*modelRun) bool
}

func edits() []edit {
	deployed := func(m *modelRun) bool { return m.state.network }
	always := func(*modelRun) bool { return true }
	return []edit{
		{},
		{"guard", "the network was replaced", deployed},
		{"inherited", "a cluster lost a value that it took from its management stack", deployed},
		{"policies", "a mandatory policy was violated", always},
		{"quotas", "an update stopped where a quota was exceeded", always},
		{"server", "an update stopped at a field that the API server does not have", always},
		{"objects", "a second control plane was created for the infra ID of another stack's cluster", func(m *modelRun) bool {
			return m.other.network && !m.state.network
		}},
	}
}

// recorded is the stack's state and its journals.
type recorded struct {
	identity gate.Identity
	network  bool
	// infraID is that of the state's cluster.
	infraID string
	// pending is true if an update was killed after it had created the cluster's object: the next operation imports it.
	pending bool
	journal *gate.Identity
	// newest is when the newest instance was launched that AWS had when the engine saw the end of the cluster's object,
	// nil before that.
	newest *time.Time
}

// infraID and foreignID are the infra IDs of the file's cluster and of that of the other project.
const infraID, foreignID = "prod-x1", "other-x1"

// errKilled is the end of an operation whose process is killed.
var errKilled = errors.New("killed")

type modelRun struct {
	*rand.Rand
	world
	state recorded
	// other is the state of a stack with the same name in another project, with a living cluster of its own; the zero
	// value if there is none.
	other recorded
	log   []string
	// list is the gates that the run asks. all are the descriptions of all gates, by their names.
	list  gate.List
	all   map[string]gates.Gate
	edits []edit
	// reviewed is the file of the saved plan. lost is target.Connection.Lost.
	reviewed int
	lost     bool
	// copies are backups of the state since its network exists.
	copies []recorded
	// imported is true if an operation has imported what a killed one created.
	imported bool
	// harmed is what happened to a living cluster without the user's consent.
	harmed string
}

var errSilent, errAnswer = errors.New("connection refused"), errors.New("401")

// secondAddress is the context that selects the first server by another address.
const secondAddress = 2

// server returns the server that the kubeconfig selects now.
func (m *modelRun) server() *server { return m.servers[m.selected%secondAddress] }

// address returns the address in the selected context.
func (m *modelRun) address() string {
	if m.selected == secondAddress {
		return "second-" + m.server().address
	}
	return m.server().address
}

// read is the reading of an operation. Before its target is resolved, an answer of an earlier wave of the fleet is
// believed.
func (m *modelRun) read(resolved bool) gate.Reading {
	s := m.server()
	r := gate.Reading{Configured: true, Address: m.address(), ManagementCluster: s.uid, Object: s.object}
	if uid := m.answers[r.Address]; uid != "" && !resolved && s.answer == "" {
		r.ManagementCluster = uid
		return r
	}
	if s.restricted {
		r.ManagementCluster = ""
	}
	switch s.answer {
	case "":
		return r
	case "silent":
		return gate.Reading{Configured: true, Address: r.Address, Err: errSilent, NoAnswer: true}
	}
	return gate.Reading{Configured: true, Address: r.Address, Err: errAnswer}
}

func (m *modelRun) inAWS() gate.InAWS {
	var found gate.InAWS
	if m.state.infraID == foreignID {
		found.Signs, found.Instances = []string{"i-9"}, []string{"i-9"}
	} else if m.own != "" && m.running && m.account == 0 {
		found.Signs, found.Instances, found.Launched = []string{"i-1"}, []string{"i-1"}, time.Unix(m.launched, 0)
	}
	if m.denied {
		return gate.InAWS{Err: errors.New("UnauthorizedOperation")}
	}
	return found
}

// change changes the world, or nothing.
func (m *modelRun) change() {
	s, mine := m.servers[m.IntN(2)], &m.state
	if mine.infraID == foreignID {
		mine = &m.other
	}
	m.clock++
	switch m.IntN(24) {
	case 0, 1: // another context, another $HOME, or another value of KUBECONFIG
		m.selected = m.IntN(3)
	case 2:
		s.answer = [...]string{"", "silent", "page"}[m.IntN(3)]
	case 3:
		s.restricted = !s.restricted
	case 4:
		s.answer = ""
	case 5:
		m.denied = !m.denied
	// its nodes are scaled to zero, and with a public API server nothing in AWS shows it: only its recorded management
	// cluster does
	case 6:
		m.running = m.own == "" || m.own != mine.identity.Object || !m.running
	case 7: // restored elsewhere, with its nodes
		if m.own != "" && m.servers[0].object == m.own && m.servers[1].object == "" {
			m.created++
			m.servers[0].object, m.servers[1].object = "", fmt.Sprintf("restored-%d", m.created)
			m.own, m.running, m.launched = m.servers[1].object, true, m.clock
		}
	case 8: // another cluster with an equal name
		if m.servers[1].object == "" {
			m.servers[1].object = "stranger"
		}
	case 9: // deleted and created again by others, with nodes
		if m.own != "" && m.servers[0].object == m.own {
			m.created++
			m.servers[0].object = fmt.Sprintf("again-%d", m.created)
			m.own, m.running, m.launched = m.servers[0].object, true, m.clock
		}
	case 10: // restored elsewhere from a backup, after its deletion
		if m.own == "" && mine.network && m.servers[1].object == "" {
			m.created++
			m.servers[1].object = fmt.Sprintf("backup-%d", m.created)
			m.own, m.running, m.launched = m.servers[1].object, true, m.clock
		}
	case 11: // other credentials, of the same account or of another one
		m.account = m.IntN(2)
	case 12:
		m.file, m.edit = m.file+1, m.edits[m.IntN(len(m.edits))]
	case 13: // GitOps applies the cluster again that was deleted, where it was; its nodes come later
		if m.own == "" && mine.network && m.servers[0].object == "" {
			m.created++
			m.servers[0].object = fmt.Sprintf("gitops-%d", m.created)
			m.own, m.running = m.servers[0].object, false
		}
	case 14: // the credentials of the stack are back
		m.account = 0
	case 15: // a backup of the state is restored; the folder of the stack stays, or is another one
		if len(m.copies) > 0 && mine == &m.state {
			former := m.copies[m.IntN(len(m.copies))]
			m.state.identity, m.state.pending = former.identity, former.pending
			if m.IntN(2) == 0 {
				m.state.journal, m.state.newest = nil, nil
			}
		}
	case 16:
		m.pools = m.own != "" && !m.pools
	case 17: // an earlier wave of the fleet asks each management cluster
		m.answers = map[string]string{}
		for i, s := range m.servers {
			if s.answer == "" && !s.restricted {
				m.answers[s.address] = s.uid
				if i == 0 {
					m.answers["second-"+s.address] = s.uid
				}
			}
		}
	case 18: // ten minutes later
		m.answers = nil
	case 20:
		m.theirs = !m.theirs
	case 19: // another management cluster is created at the address of one, and the cluster is restored in the other one
		if m.created++; m.own != "" && m.servers[0].object == m.own && m.servers[1].object == "" {
			m.servers[1].object = fmt.Sprintf("restored-%d", m.created)
			m.own, m.running, m.launched = m.servers[1].object, true, m.clock
			m.servers[0].uid, m.servers[0].object = fmt.Sprintf("mc-again-%d", m.created), ""
		}
	default:
		return
	}
	m.log = append(m.log, fmt.Sprintf("the world: %+v %+v selected %d own %q running %t denied %t account %d file %d",
		*m.servers[0], *m.servers[1], m.selected, m.own, m.running, m.denied, m.account, m.file))
}

// sequence runs twelve operations, before each of which the world may change, and returns whether the stack was
// destroyed and whether it exists.
func (m *modelRun) sequence() (destroyed, exists bool) {
	m.servers = [2]*server{{uid: "mc-0", address: "https://0"}, {uid: "mc-1", address: "https://1"}}
	if m.IntN(3) == 0 {
		m.servers[1].object = "foreign"
		m.other = recorded{
			identity: gate.Identity{ManagementCluster: "mc-1", Object: "foreign"},
			network:  true,
			infraID:  foreignID,
		}
	}
	for range 12 {
		m.change()
		// another backend, or another folder
		if (m.state.infraID == foreignID || m.other.infraID == foreignID) && m.IntN(4) == 0 {
			m.state, m.other = m.other, m.state
			m.log = append(m.log, fmt.Sprintf("the state is that of the cluster %q", m.state.infraID))
		}
		before := m.state
		m.step()
		if m.state.infraID == infraID && m.state.network {
			m.copies = append(m.copies, m.state)
		} else if before.infraID == infraID {
			m.copies = nil // the network of the copies is gone
		}
		destroyed = destroyed || before.network && !m.state.network
		if m.harmed != "" {
			break
		}
	}
	return destroyed, m.state.network
}

// newModelRuns returns how to begin runs in which the gate with a name is left out, "" for none.
func newModelRuns(without string) func(seed uint64) *modelRun {
	all, changes, list := map[string]gates.Gate{}, edits(), gate.List{}
	for _, g := range automation.Gates() {
		all[g.Name] = g
	}
	if without != "" {
		list = gate.Only(slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(name string) bool {
			return name == without
		})...)
	}
	return func(seed uint64) *modelRun {
		//nolint:gosec // not for secrets
		return &modelRun{Rand: rand.New(rand.NewPCG(seed, 45)), list: list, all: all, edits: changes}
	}
}

// TestNoSequenceOfTenThousandHarmsALivingCluster draws sequences of operations, in which the world changes before each
// step.
func TestNoSequenceOfTenThousandHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	newRun := newModelRuns("")
	var ended, existing, imported int
	for seed := range uint64(10_000) {
		m := newRun(seed)
		destroyed, exists := m.sequence()
		require.Empty(t, m.harmed, "seed %d:\n%s", seed, strings.Join(m.log, "\n"))
		if destroyed {
			ended++
		}
		if exists {
			existing++
		}
		if m.imported {
			imported++
		}
	}
	require.Greater(t, ended, 1000, "gates that refuse everything prove nothing")
	require.Greater(t, existing, 1000)
	require.Greater(t, imported, 100)
}

// The rules are the gates: for each, a sequence harms a cluster as soon as nobody asks it.
func TestWithoutAnyGateASequenceHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	for _, left := range automation.Gates() {
		harmed, newRun := "", newModelRuns(left.Name)
		for seed := uint64(0); seed < 10_000 && harmed == ""; seed++ {
			m := newRun(seed)
			m.sequence()
			harmed = m.harmed
		}
		require.NotEmpty(t, harmed, left.Name)
		t.Logf("without gate %s: %s", left.Name, harmed)
	}
}
