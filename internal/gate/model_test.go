package gate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The world of the model: two management clusters, one of which the kubeconfig selects, one hosted cluster, and the state of its stack. Sequences of
// operations run in it as package automation runs them: resolve the target, ask the gates, ask the user, confirm, run the engine. The world changes
// between any two of these steps.

// server is a management cluster.
type server struct {
	uid string
	// object is the UID of the object with the cluster's name, "" if there is none.
	object string
	// answer is how a read ends: "" is an API server, "silent" no answer, anything else another answer. restricted hides namespace kube-system.
	answer     string
	restricted bool
}

// world is what operations cannot choose.
type world struct {
	servers  [2]*server
	selected int
	// own is the UID of the living cluster that depends on the stack, "" while there is none. running is true if AWS shows signs of it, denied if AWS
	// refuses the search.
	own             string
	running, denied bool
	created         int
	// account is the AWS account that the credentials lead to; the stack's resources are in 0. file counts the edits of the stack's file.
	account, file int
	// clock counts the changes of the world, and launched is when the newest node was launched.
	clock, launched int64
}

// recorded is the stack's state and its journal of deletions.
type recorded struct {
	identity Identity
	network  bool
	journal  *Identity
	// ended is when the engine saw the end of the cluster's object.
	ended time.Time
}

type modelRun struct {
	*rand.Rand
	world
	state recorded
	log   []string
	// without is a rule that is left out, "" for none: identity, target, life, account, or again, which asks the gates only once.
	without string
	// harmed is what happened to a living cluster without the user's consent.
	harmed string
}

var errSilent, errAnswer = errors.New("connection refused"), errors.New("401")

// read is the reading of an operation: the server that the kubeconfig selects now.
func (m *modelRun) read() Reading {
	s := m.servers[m.selected]
	r := Reading{Configured: true, Address: "https://" + s.uid, ManagementCluster: s.uid, Object: s.object}
	if s.restricted {
		r.ManagementCluster = ""
	}
	switch s.answer {
	case "":
		return r
	case "silent":
		return Reading{Configured: true, Address: r.Address, Err: errSilent, NoAnswer: true}
	}
	return Reading{Configured: true, Address: r.Address, Err: errAnswer}
}

func (m *modelRun) inAWS() InAWS {
	var found InAWS
	if m.own != "" && m.running && m.account == 0 {
		found.Signs, found.Instances, found.Launched = []string{"i-1"}, []string{"i-1"}, time.Unix(m.launched, 0)
	}
	if m.denied {
		return InAWS{Err: errors.New("UnauthorizedOperation")}
	}
	return found
}

// change changes the world, or nothing.
func (m *modelRun) change() {
	s := m.servers[m.IntN(2)]
	m.clock++
	switch m.IntN(19) {
	case 0, 1: // another context, another $HOME, or another value of KUBECONFIG
		m.selected = 1 - m.selected
	case 2:
		s.answer = [...]string{"", "silent", "page"}[m.IntN(3)]
	case 3:
		s.restricted = !s.restricted
	case 4:
		s.answer = ""
	case 5:
		m.denied = !m.denied
	case 6: // its nodes are scaled to zero, and with a public API server nothing in AWS shows it: only its recorded management cluster does
		m.running = m.own == "" || m.own != m.state.identity.Object || !m.running
	case 7: // restored elsewhere, with its nodes
		if m.own != "" && m.servers[0].object == m.own {
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
		if m.own == "" && m.state.network && m.servers[1].object == "" {
			m.created++
			m.servers[1].object = fmt.Sprintf("backup-%d", m.created)
			m.own, m.running, m.launched = m.servers[1].object, true, m.clock
		}
	case 11: // other credentials, of the same account or of another one
		m.account = m.IntN(2)
	case 12:
		m.file++
	case 13: // GitOps applies the cluster again that was deleted, where it was; its nodes come later
		if m.own == "" && m.state.network && m.servers[0].object == "" {
			m.created++
			m.servers[0].object = fmt.Sprintf("gitops-%d", m.created)
			m.own, m.running = m.servers[0].object, false
		}
	case 14: // the credentials of the stack are back
		m.account = 0
	default:
		return
	}
	m.log = append(m.log, fmt.Sprintf("the world: %+v %+v selected %d own %q running %t denied %t account %d file %d",
		*m.servers[0], *m.servers[1], m.selected, m.own, m.running, m.denied, m.account, m.file))
}

// flags are what the user gives to a command.
type flags struct {
	consent, gone, named bool
}

// resolve is target.Connection.Resolve and, with a target, ConfirmTarget.
func (m *modelRun) resolve(operation Operation, target *Target) (*Target, Reading, error) {
	reading := m.read()
	subject := Subject{Stack: "prod", Object: "HostedCluster clusters/demo", Key: "kubeconfig"}
	if target != nil && m.without == "again" {
		return target, reading, nil
	}
	if verdict := JudgeIdentity(operation, subject, m.state.identity, reading); verdict.Refused != nil && m.without != "identity" {
		return nil, reading, verdict.Refused
	}
	// Providers.Resolve compares the account with that of the stack's resources.
	if m.account != 0 && m.state.network && operation != Forget && m.without != "account" {
		return nil, reading, errors.New("the credentials are of another account")
	}
	now := &Target{Stack: "prod", ManagementCluster: reading.ManagementCluster, Server: reading.Address, InfraID: "prod-x1", File: fmt.Sprint(m.file)}
	if operation != Forget {
		now.Accounts = []TargetAccount{{Account: fmt.Sprint(m.account), Region: "us-east-1"}}
	}
	if target != nil && m.without != "target" {
		if why := target.Differs(*now); why != "" {
			return nil, reading, target.Changed(operation, why)
		}
	}
	return now, reading, nil
}

// judge is life.Gates.Check.
func (m *modelRun) judge(f flags, finished bool, reading Reading) error {
	d := Deletion{Stack: "prod", Cluster: "demo", InState: m.state.identity.Object != "", Identity: m.state.identity, Reading: reading, ManagementGone: f.gone}
	if f.consent {
		d.Consent = "demo"
	}
	journal := m.state.journal
	if !d.InState && journal != nil {
		d.Identity.Object = journal.Object
		if d.Identity.ManagementCluster == "" {
			d.Identity.ManagementCluster = journal.ManagementCluster
		}
	}
	if d.Identity.Other(reading) == "" {
		d.Life, d.Evidence = LifeOf(Facts{
			Identity: d.Identity, Reading: reading, InAWS: m.inAWS,
			Ended:    m.state.ended,
			Finished: finished && !d.InState, ManagementGone: f.gone,
		})
	}
	err := d.Judge()
	if m.without == "life" {
		err = nil
	}
	if err == nil && d.InState && !f.named {
		return errors.New("not named")
	}
	return err
}

// destroy is automation.Stack.Destroy. fails ends the engine at its first call.
func (m *modelRun) destroy(f flags, fails bool) error {
	target, reading, err := m.resolve(Destroy, nil)
	if err != nil {
		return err
	}
	if err := m.judge(f, false, reading); err != nil {
		return err
	}
	confirm := func(finished bool) error {
		m.change()
		_, reading, err := m.resolve(Destroy, target)
		if err != nil || m.without == "again" {
			return err
		}
		return m.judge(f, finished, reading)
	}
	if err := confirm(false); err != nil { // after the decision
		return err
	}
	m.state.journal = &Identity{ManagementCluster: m.state.identity.ManagementCluster, Object: m.state.identity.Object}
	finished := false
	if f.gone {
		m.state.identity = Identity{} // its objects leave the state
	}
	if m.state.identity.Object != "" {
		if err := confirm(false); err != nil {
			return err
		}
		selected := m.servers[m.selected]
		if selected.answer != "" || fails {
			return errors.New("the engine failed")
		}
		if selected.object != "" && selected.object != m.state.identity.Object {
			m.harmed = "the object of another cluster was deleted"
		}
		if selected.object == m.own {
			m.own = ""
		}
		if selected.object != "" {
			m.state.ended = time.Unix(m.clock, 0)
		}
		selected.object, m.state.identity.Object, finished = "", "", true
	}
	if err := confirm(finished); err != nil {
		return err
	}
	if fails {
		return errors.New("the engine failed")
	}
	if m.own != "" && m.state.network && m.account != 0 {
		m.harmed = "the state forgot what a living cluster needs, which is in another account"
	}
	// With the assertion, the user decides about a cluster of which neither its management cluster nor AWS shows anything.
	asserted := f.gone && !m.running
	if m.own != "" && m.state.network && !f.consent && !asserted {
		m.harmed = "the network of a living cluster was deleted"
	}
	m.state = recorded{}
	return nil
}

// up is automation.Stack.Up.
func (m *modelRun) up() error {
	target, _, err := m.resolve(Up, nil)
	if err != nil {
		return err
	}
	planned := m.file
	m.change()
	_, reading, err := m.resolve(Up, target)
	if err != nil {
		return err
	}
	selected := m.servers[m.selected]
	if selected.object != "" && selected.object != m.state.identity.Object {
		return errors.New("it exists already")
	}
	if m.file != planned {
		m.harmed = "an update was carried out that nobody has seen"
	}
	if m.account != 0 {
		if m.state.network {
			m.harmed = "the network of a living cluster was created again in another account"
		}
		return errors.New("it has no quota")
	}
	if m.state.identity.Object == "" {
		if m.own != "" {
			return errors.New("its resources exist already")
		}
		m.created++
		selected.object = fmt.Sprintf("own-%d", m.created)
		m.own, m.state.identity.Object = selected.object, selected.object
		if target.Server != "https://"+selected.uid {
			m.harmed = "the cluster was created in another management cluster than the one that was asked"
		}
		if selected != m.servers[0] { // the model moves clusters between 0 and 1
			m.servers[0], m.servers[1] = m.servers[1], m.servers[0]
			m.selected = 0
		}
	}
	if selected.object != m.state.identity.Object {
		m.harmed = "the object of another cluster was updated"
	}
	if m.state.identity.ManagementCluster == "" {
		m.state.identity.ManagementCluster = reading.ManagementCluster
	}
	m.state.network, m.state.journal, m.state.ended = true, nil, time.Time{}
	return nil
}

// refresh is automation.Stack.Refresh: an object that the selected cluster does not have leaves the state.
func (m *modelRun) refresh() error {
	target, _, err := m.resolve(Refresh, nil)
	if err != nil {
		return err
	}
	m.change()
	if _, _, err := m.resolve(Refresh, target); err != nil {
		return err
	}
	if m.account != 0 && m.state.network && m.own != "" {
		m.harmed = "the state forgot what a living cluster needs, which is in another account"
	}
	if m.servers[m.selected].object == m.state.identity.Object {
		return nil
	}
	if m.own != "" && m.own == m.state.identity.Object {
		m.harmed = "the state forgot a living cluster"
	}
	m.state.identity.Object = ""
	return nil
}

func (m *modelRun) release() error {
	target, _, err := m.resolve(Forget, nil)
	if err == nil {
		m.change()
		_, _, err = m.resolve(Forget, target)
	}
	if err == nil {
		m.state = recorded{} // another stack or tool has the cluster and its network from now on
		m.own, m.servers[0].object = "", ""
	}
	return err
}

// step runs one operation, and reports the operation and its end.
func (m *modelRun) step() {
	name, err := "", error(nil)
	switch m.IntN(8) {
	case 0, 1:
		name, err = "up", m.up()
	case 2:
		name, err = "refresh", m.refresh()
	case 3:
		if m.IntN(3) == 0 {
			name, err = "release", m.release()
		}
	default:
		f, fails := flags{consent: m.IntN(12) == 0, gone: m.IntN(3) == 0, named: m.IntN(4) > 0}, m.IntN(4) == 0
		name, err = fmt.Sprintf("destroy %+v fails %t", f, fails), m.destroy(f, fails)
	}
	m.log = append(m.log, fmt.Sprintf("%s: %v; state %+v", name, err, m.state.identity))
}

// sequence runs twelve operations, before each of which the world may change, and returns whether the stack was destroyed and whether it exists.
func (m *modelRun) sequence() (destroyed, exists bool) {
	m.servers = [2]*server{{uid: "mc-0"}, {uid: "mc-1"}}
	for range 12 {
		m.change()
		before := m.state.network
		m.step()
		destroyed = destroyed || before && !m.state.network
		if m.harmed != "" {
			break
		}
	}
	return destroyed, m.state.network
}

func newModelRun(seed uint64, without string) *modelRun {
	return &modelRun{Rand: rand.New(rand.NewPCG(seed, 45)), without: without} //nolint:gosec // not for secrets
}

// TestNoSequenceOfTenThousandHarmsALivingCluster draws sequences of operations, in which the world changes before each step.
func TestNoSequenceOfTenThousandHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	var ended, existing int
	for seed := range uint64(10_000) {
		m := newModelRun(seed, "")
		destroyed, exists := m.sequence()
		require.Empty(t, m.harmed, "seed %d:\n%s", seed, strings.Join(m.log, "\n"))
		if destroyed {
			ended++
		}
		if exists {
			existing++
		}
	}
	require.Greater(t, ended, 1000, "gates that refuse everything prove nothing")
	require.Greater(t, existing, 1000)
}

func TestWithoutAnyRuleASequenceHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"identity", "target", "life", "account", "again"} {
		harmed := ""
		for seed := uint64(0); seed < 10_000 && harmed == ""; seed++ {
			m := newModelRun(seed, rule)
			m.sequence()
			harmed = m.harmed
		}
		require.NotEmpty(t, harmed, rule)
	}
}
