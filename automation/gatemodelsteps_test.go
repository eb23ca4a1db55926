package automation_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// flags are what the user gives to a command.
type flags struct {
	consent, gone, named, allow bool
}

// ask asks a gate, as operations do, unless the run's list does not have it.
func (m *modelRun) ask(name string, operation gates.Operation, judge func() error) error {
	g := m.all[name]
	if !slices.Contains(g.Operations, operation) {
		return fmt.Errorf("gate %q is not for operation %s", name, operation)
	}
	return m.list.Refusal(g, judge())
}

// refuse is a judge with a constant answer.
func refuse(refused bool, why string) func() error {
	return func() error {
		if refused {
			return errors.New(why)
		}
		return nil
	}
}

// resolve is binding.Connection.Bind and, with a target, ConfirmTarget.
func (m *modelRun) resolve(operation gates.Operation, target *gate.Target) (*gate.Target, gate.Reading, error) {
	reading := m.read(target != nil)
	subject := gate.Subject{Stack: "prod", Object: "HostedCluster clusters/demo", Key: "kubeconfig"}
	err := m.ask("identity", operation, func() error { return gate.JudgeIdentity(operation, subject, m.state.identity, reading).Refused })
	if m.lost && m.state.identity.OtherCluster(reading) != "" {
		err = nil
	}
	now := &gate.Target{Stack: "prod", ManagementCluster: reading.ManagementCluster, Server: reading.Address, InfraID: cmp.Or(m.state.infraID, infraID), File: fmt.Sprint(m.file)}
	if err == nil && operation != gates.Forget {
		now.Accounts = []gate.TargetAccount{{Account: fmt.Sprint(m.account), Region: "us-east-1"}}
		err = m.ask("identity", operation, refuse(m.account != 0 && m.state.network,
			"the credentials are of another account"))
	}
	if err == nil && target != nil {
		err = m.ask("target", operation, func() error {
			if why := target.Differs(*now); why != "" {
				return target.Changed(operation, why)
			}
			return nil
		})
	}
	return now, reading, err
}

// judge is life.Gates.Check.
func (m *modelRun) judge(f flags, finished bool, reading gate.Reading) error {
	err := m.ask("users", gates.Destroy, refuse(m.pools && m.state.identity.Object != "",
		"another stack has node pools of the cluster"))
	if err == nil {
		err = m.ask("target", gates.Destroy, refuse(m.state.infraID == foreignID,
			"the file has another infra ID than the state"))
	}
	if err != nil {
		return err
	}
	d := gate.Deletion{
		Stack:          "prod",
		Cluster:        "demo",
		InState:        m.state.identity.Object != "",
		Identity:       m.state.identity,
		Reading:        reading,
		ManagementGone: f.gone,
	}
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
	d.Life, d.Evidence = gates.Unknown, "another management cluster answers"
	if d.Identity.Other(reading) == "" {
		facts := gate.FactsOf(d.Identity, reading, finished && !d.InState, f.gone)
		facts.InAWS, facts.Deleted = m.inAWS, m.state.newest
		d.Life, d.Evidence = gate.LifeOf(facts)
	}
	return m.ask("life", gates.Destroy, d.Judge)
}

// settle is the recovery of an operation: it imports the object that a killed update created, and nothing else.
func (m *modelRun) settle() error {
	selected := m.server()
	if !m.state.pending || selected.answer != "" {
		return nil
	}
	if m.killed() {
		return errKilled
	}
	m.state.pending = false
	if selected.object == "" || selected.object != m.own { // only what the killed run created
		return nil
	}
	m.state.identity.Object = selected.object
	m.imported = true
	return nil
}

// killed reports whether the process is killed here.
func (m *modelRun) killed() bool { return m.IntN(12) == 0 }

// changeUnlessStateDoes changes the world. It fails as workspace.Stack.Unchanged does if the state has changed since
// the operation read it.
func (m *modelRun) changeUnlessStateDoes() error {
	before := m.state
	if m.change(); m.state != before {
		return errors.New("another run has changed the state")
	}
	return nil
}

// destroy is automation.Stack.Destroy. fails ends the engine at its first call.
func (m *modelRun) destroy(f flags, fails bool) error {
	m.lost = f.gone && f.consent
	defer func() { m.lost = false }()
	target, reading, err := m.resolve(gates.Destroy, nil)
	if err == nil {
		err = m.settle()
	}
	if err != nil {
		return err
	}
	if err := m.judge(f, false, reading); err != nil {
		return err
	}
	theirs := m.theirs && !f.allow
	if err := m.ask("others", gates.Destroy, refuse(theirs, "others have something in the VPC")); err != nil {
		return err
	}
	if err := m.ask("consent", gates.Destroy, refuse(m.state.identity.Object != "" && !f.named, "not named")); err != nil {
		return err
	}
	confirm := func(finished bool) error {
		if err := m.changeUnlessStateDoes(); err != nil {
			return err
		}
		_, reading, err := m.resolve(gates.Destroy, target)
		if err != nil {
			return err
		}
		return m.judge(f, finished, reading)
	}
	if err := confirm(false); err != nil { // after the decision
		return err
	}
	if m.killed() {
		return errKilled
	}
	m.state.journal = &gate.Identity{
		ManagementCluster: m.state.identity.ManagementCluster,
		Object:            m.state.identity.Object,
	}
	finished := false
	if f.gone {
		m.state.identity = gate.Identity{} // its objects leave the state
	}
	if m.killed() {
		return errKilled
	}
	if m.state.identity.Object != "" {
		if err := confirm(false); err != nil {
			return err
		}
		selected := m.server()
		if selected.answer != "" || fails {
			return errors.New("the engine failed")
		}
		if selected.object != "" && selected.object != m.state.identity.Object {
			m.harmed = "the object of another cluster was deleted"
		}
		switch {
		case m.state.infraID == foreignID:
			m.harmed = "the cluster of another project was deleted"
		case !f.named:
			m.harmed = "a cluster was deleted that nobody named"
		case m.pools && selected.object == m.own:
			m.harmed = "the node pools of another stack were deleted with their cluster"
		}
		if selected.object == m.own {
			m.own, m.pools = "", false
		}
		if m.killed() { // before the engine writes the state
			selected.object = ""
			return errKilled
		}
		if selected.object != "" && !m.denied {
			found := m.inAWS()
			m.state.newest = &found.Launched
		}
		selected.object, m.state.identity.Object, finished = "", "", true
	}
	if err := confirm(finished); err != nil {
		return err
	}
	if fails {
		return errors.New("the engine failed")
	}
	if m.killed() {
		return errKilled
	}
	if m.state.infraID == foreignID {
		m.harmed = "the network of a cluster of another project was deleted"
	}
	if theirs {
		m.harmed = "what others have in the stack's zones was deleted unnamed"
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

// up is automation.Stack.Up, with a saved plan or without.
func (m *modelRun) up(saved bool) error {
	target, _, err := m.resolve(gates.Up, nil)
	if err == nil {
		err = m.settle()
	}
	if err == nil {
		err = m.ask("guard", gates.Up, refuse(m.state.infraID == foreignID, "the plan replaces the roles of another cluster"))
	}
	for _, e := range m.edits[1:] {
		if err == nil {
			err = m.ask(e.gate, gates.Up, refuse(m.edit.gate == e.gate && e.applies(m), e.harm))
		}
	}
	if err == nil && saved {
		err = m.ask("saved-plan", gates.Up, refuse(m.reviewed != m.file, "the plan differs from the saved one"))
	}
	if err != nil {
		return err
	}
	planned := m.file
	if err := m.changeUnlessStateDoes(); err != nil {
		return err
	}
	_, reading, err := m.resolve(gates.Up, target)
	if err != nil {
		return err
	}
	switch {
	case m.edit.gate != "" && m.edit.applies(m):
		m.harmed = m.edit.harm
	case m.state.infraID == foreignID:
		m.harmed = "the roles of another project's cluster were replaced"
	case m.file != planned, saved && m.file != m.reviewed:
		m.harmed = "an update was carried out that nobody has seen"
	}
	selected := m.server()
	if selected.object != "" && selected.object != m.state.identity.Object {
		return errors.New("it exists already")
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
		m.own = selected.object
		if !strings.HasSuffix(target.Server, selected.address) {
			m.harmed = "the cluster was created in another management cluster than the one that was asked"
		}
		if selected != m.servers[0] { // the model moves clusters between 0 and 1
			m.servers[0], m.servers[1] = m.servers[1], m.servers[0]
			m.selected, m.answers = 0, nil
		}
		m.state.infraID, m.state.network, m.state.newest = infraID, true, nil
		if m.killed() { // the state has its Secrets already, whose UIDs identify the management cluster
			m.state.pending, m.state.identity.ManagementCluster = true, selected.uid
			return errKilled
		}
		m.state.identity.Object = selected.object
	}
	if selected.object != m.state.identity.Object {
		m.harmed = "the object of another cluster was updated"
	}
	if m.state.identity.ManagementCluster == "" {
		m.state.identity.ManagementCluster = reading.ManagementCluster
	}
	m.state.network, m.state.journal, m.state.newest = true, nil, nil
	return nil
}

// refresh is automation.Stack.Refresh: an object that the selected cluster does not have leaves the state.
func (m *modelRun) refresh() error {
	target, _, err := m.resolve(gates.Refresh, nil)
	if err != nil {
		return err
	}
	m.change()
	if _, _, err := m.resolve(gates.Refresh, target); err != nil {
		return err
	}
	if m.account != 0 && m.state.network && m.own != "" {
		m.harmed = "the state forgot what a living cluster needs, which is in another account"
	}
	if m.server().object == m.state.identity.Object {
		return nil
	}
	if m.own != "" && m.own == m.state.identity.Object || m.state.infraID == foreignID {
		m.harmed = "the state forgot a living cluster"
	}
	m.state.identity.Object = ""
	return nil
}

func (m *modelRun) release() error {
	target, _, err := m.resolve(gates.Forget, nil)
	if err == nil {
		err = m.ask("unfinished", gates.Forget, refuse(m.state.pending, "the last run was interrupted"))
	}
	if err == nil {
		if err = m.changeUnlessStateDoes(); err == nil {
			_, _, err = m.resolve(gates.Forget, target)
		}
	}
	if err != nil {
		return err
	}
	if m.state.pending {
		m.harmed = "what an interrupted run has created is in no state"
	}
	foreign := m.state.infraID == foreignID
	m.state = recorded{} // another stack or tool has the cluster and its network from now on
	if !foreign {
		m.own, m.pools, m.servers[0].object = "", false, ""
	}
	return nil
}

// relocate is automation.Stack.Relocate: the stack continues with the object that the selected management cluster has.
func (m *modelRun) relocate() error {
	if m.state.identity.Object == "" || m.state.infraID == foreignID {
		return errors.New("it has no HostedCluster of the file")
	}
	var selected *server
	for again := range 2 { // before the decision, and after it
		if again > 0 {
			m.change()
		}
		if selected = m.server(); selected.answer != "" || selected.object == "" {
			return errors.New("it was not restored")
		}
		if err := m.ask("restored", gates.Relocate, refuse(selected.object != m.own, "it is another cluster")); err != nil {
			return err
		}
	}
	if selected.object != m.own {
		m.harmed = "the stack continues with another cluster"
	}
	m.state.identity = gate.Identity{ManagementCluster: selected.uid, Object: selected.object}
	return nil
}

// step runs one operation, and reports the operation and its end.
func (m *modelRun) step() {
	name, err := "", error(nil)
	switch m.IntN(9) {
	case 0, 1:
		saved := m.IntN(4) == 0
		name, err = fmt.Sprintf("up, saved plan %t", saved), m.up(saved)
		if m.IntN(2) == 0 {
			m.reviewed = m.file // preview --save-plan
		}
	case 2:
		name, err = "refresh", m.refresh()
	case 3:
		if m.IntN(3) == 0 {
			name, err = "release", m.release()
		}
	case 4:
		if m.IntN(3) == 0 {
			name, err = "relocate", m.relocate()
		}
	default:
		f := flags{consent: m.IntN(12) == 0, gone: m.IntN(3) == 0, named: m.IntN(4) > 0, allow: m.IntN(3) == 0}
		fails := m.IntN(4) == 0
		name, err = fmt.Sprintf("destroy %+v fails %t", f, fails), m.destroy(f, fails)
	}
	m.log = append(m.log, fmt.Sprintf("%s: %v; state %+v", name, err, m.state.identity))
}
