package fleet

import (
	"bufio"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// Processes runs the operation on each stack in a process of its own: this program again, with -s and -o json.
//
// A process per stack, rather than many sessions in this one, because a stack then ends as it would alone: a signal is passed on to it
// or not, a crash is its own, its memory (20 to 25 MB, the engine and the providers apart) is given back when it ends, and if this
// process is killed, the stacks in progress go on and write their states.
type Processes struct {
	// Executable is this program, and Environ its environment.
	Executable string
	Environ    []string
	// Args are the arguments for a stack, without -C, -s and -o.
	Args func(job *Job) []string
	// ChangesFail is whether the exit code for changes that were found is a failure: of an operation that makes changes.
	ChangesFail bool
	// Dir is the folder for logs and locks.
	Dir string
	// Line is called with each line that a stack's process writes to stdout. It is called from several goroutines.
	Line func(job *Job, line []byte)

	mu      sync.Mutex
	running map[*exec.Cmd]bool
}

// Operate runs the operation on a stack to its end.
func (p *Processes) Operate(job *Job) Outcome {
	name := url.PathEscape(job.ID)
	outcome := Outcome{Status: Failed, Code: 1, Log: filepath.Join(p.Dir, "logs", name+".log")}
	fail := func(err error) Outcome {
		outcome.Problem = err.Error()
		return outcome
	}
	for _, dir := range []string{"logs", "locks"} {
		if err := os.MkdirAll(filepath.Join(p.Dir, dir), 0o755); err != nil {
			return fail(fmt.Errorf("creating the folder of the fleet's %s: %w", dir, err))
		}
	}
	// The process inherits the lock, and the engine from it: the stack is free when both have ended, even if this process was killed.
	lock, err := lockFile(filepath.Join(p.Dir, "locks", name))
	if errors.Is(err, errHeld) {
		outcome.Status, outcome.Code = Locked, exitConflict
		outcome.Problem = "an operation that an earlier fleet run began is still in progress"
		return outcome
	}
	if err != nil {
		return fail(err)
	}
	defer lock.Close() //nolint:errcheck // nothing is written to it
	log, err := os.Create(outcome.Log)
	if err != nil {
		return fail(fmt.Errorf("writing the log of stack %s: %w", job.ID, err))
	}
	defer log.Close() //nolint:errcheck // the process has written it

	args := append([]string{"-C", job.Dir, "-s", job.Stack, "-o", "json"}, p.Args(job)...)
	cmd := exec.Command(p.Executable, args...)
	cmd.Env, cmd.Stderr, cmd.ExtraFiles = p.Environ, log, []*os.File{lock}
	// A terminal's Ctrl-C reaches the stacks only through Signal.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fail(fmt.Errorf("starting the operation on stack %s: %w", job.ID, err))
	}
	if err := p.start(cmd); err != nil {
		return fail(fmt.Errorf("starting the operation on stack %s: %w", job.ID, err))
	}
	var said said
	lines := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			said.hear(line)
			if p.Line != nil {
				p.Line(job, line)
			}
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	p.mu.Lock()
	delete(p.running, cmd)
	p.mu.Unlock()
	outcome.Code = cmd.ProcessState.ExitCode()
	outcome.Status = statusOf(outcome.Code, said.locked)
	if outcome.Status == Changed && p.ChangesFail {
		outcome.Status = Failed
	}
	outcome.Counts, outcome.Problem, outcome.Backend = said.counts, said.problem, said.backend
	if outcome.Status != Succeeded && outcome.Problem == "" {
		outcome.Problem = fmt.Sprintf("the process of stack %s ended: %v", job.ID, err)
	}
	if outcome.Status == Succeeded {
		outcome.Problem = ""
	}
	return outcome
}

func (p *Processes) start(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if p.running == nil {
		p.running = map[*exec.Cmd]bool{}
	}
	p.running[cmd] = true
	return nil
}

// Interrupt sends SIGINT to the processes in progress: the first lets what is in progress in AWS finish, the second gives it up.
func (p *Processes) Interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for cmd := range p.running {
		_ = cmd.Process.Signal(syscall.SIGINT) // one that has ended needs none
	}
}
