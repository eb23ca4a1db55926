package models

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/terminal"
)

// asked is a command at a terminal that waits for the answer to a question.
type asked struct {
	*exec.Cmd
	terminal *terminal.Terminal
	shown    strings.Builder
}

// askAtTerminal runs a command at a terminal until it asks a question that contains a text.
func (m *model) askAtTerminal(text string, args ...string) *asked {
	m.t.Helper()
	master, slave, err := terminal.Open()
	require.NoError(m.t, err)
	command := exec.Command(harness.Executable(m.t), append([]string{"--offline"}, args...)...)
	command.Dir, command.Env = m.Dir, append(m.Environ(), harness.StateAfterEachStep)
	command.Stdin, command.Stdout, command.Stderr = slave, slave, slave
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(m.t, command.Start())
	require.NoError(m.t, slave.Close())
	a := &asked{Cmd: command, terminal: master}
	timeout := time.AfterFunc(5*time.Minute, func() { _ = command.Process.Kill() })
	m.t.Cleanup(func() { timeout.Stop() })
	for !strings.Contains(a.shown.String(), text) {
		require.NoError(m.t, a.read(), "the command has ended without the question:\n%s", a.shown.String())
	}
	return a
}

// read reads what the command shows next.
func (a *asked) read() error {
	buffer := make([]byte, 4096)
	n, err := a.terminal.Read(buffer)
	a.shown.Write(buffer[:n])
	return err
}

// rest returns all that the command shows until it ends.
func (a *asked) rest() string {
	for a.read() == nil {
	}
	return a.shown.String()
}

// killAtQuestion runs a command at a terminal, and kills it with its engine while it waits for the answer to a question
// that contains a text.
func (m *model) killAtQuestion(text string, args ...string) {
	m.t.Helper()
	a := m.askAtTerminal(text, args...)
	defer a.terminal.Close() //nolint:errcheck // it has been read
	require.NoError(m.t, syscall.Kill(-a.Process.Pid, syscall.SIGKILL))
	require.Error(m.t, a.Wait())
	m.log = append(m.log, strings.Join(args, " ")+" -> killed at its question")
}

func TestAKillWhileACommandWaitsForAnAnswerHarmsNothing(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	for name, c := range sizes.Only(t, map[string]struct {
		prepare  func(*model)
		question string
		args     []string
	}{
		"destroy":             {nil, "Enter its name: ", []string{"-s", "prod", "destroy"}},
		"destroy of machines": {nil, "Enter its name: ", []string{"-s", "self", "destroy"}},
		"up": {func(m *model) {
			m.edit("prod", "team: platform", "team: network")
		}, "[y/N/details]", []string{"-s", "prod", "up"}},
		"up of a cluster that another tool applies": {
			func(m *model) { m.edit("gitops", "team: platform", "team: network") }, "[y/N/details]",
			[]string{"-s", "gitops", "up"},
		},
		"destroy, the name is given": {nil, "[y/N/details]", []string{"-s", "prod", "destroy", "--cluster", "demo"}},
		"fleet destroy":              {nil, "[y/N]", []string{"fleet", "destroy", "--hosted-clusters"}},
	}, "destroy") {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			m := newModel(t, dir)
			if c.prepare != nil {
				c.prepare(m)
			}
			before := harness.MadeIDs(t, m.offlineDir())
			m.killAtQuestion(c.question, c.args...)
			m.look(nil)
			require.Equal(t, before, harness.MadeIDs(t, m.offlineDir()))
			// Nothing is left that a next command would have to settle, or that opens the way for it.
			stderr, code := m.do(nil, nil, "-s", "prod", "destroy", "--yes")
			require.Equal(t, 2, code, stderr)
			require.NotContains(t, stderr, "an earlier run")
		})
	}
}
