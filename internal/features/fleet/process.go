package fleet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Processes runs the operation on each stack in a separate process: this program, with -s and -o json.
//
// There is a process per stack, instead of many sessions in one process, so that stacks are independent: each can be
// signalled separately, a crash affects only one, its memory (20 to 25 MB without the engine and the providers) is
// released when it ends, and if this process is killed, the stacks in progress continue and write their states.
type Processes struct {
	// Operation is the operation's name.
	Operation string
	// Executable is this program, and Environ its environment.
	Executable string
	Environ    []string
	// Args are the arguments for a stack, without -C, -s and -o.
	Args func(job *fleetrun.Job) []string
	// ChangesFail is true if the exit code for found changes is a failure, as for an operation that changes resources.
	ChangesFail bool
	// Dir is the folder for logs and locks.
	Dir string
	// Line is called with each line that a stack's process writes to stdout. It is called from several goroutines.
	Line func(job *fleetrun.Job, line []byte)

	mu      sync.Mutex
	running map[*exec.Cmd]bool
}

// Operate runs the operation on a stack.
func (p *Processes) Operate(job *fleetrun.Job) fleetrun.Outcome {
	name := url.PathEscape(job.ID)
	outcome := fleetrun.Outcome{Status: fleetrun.Failed, Code: 1, Log: filepath.Join(p.Dir, "logs", name+".log")}
	fail := func(err error) fleetrun.Outcome {
		outcome.Problem = err.Error()
		return outcome
	}
	for _, dir := range []string{"logs", "locks"} {
		if err := atomicfile.MakeDir(filepath.Join(p.Dir, dir)); err != nil {
			return fail(fmt.Errorf("creating the folder of the fleet's %s: %w", dir, err))
		}
	}
	// The process inherits the lock, and the engine from it: the stack is unlocked when both have ended, even if this
	// process is killed.
	lock, err := atomicfile.Lock(filepath.Join(p.Dir, "locks", name))
	if errors.Is(err, atomicfile.ErrLocked) {
		outcome.Status, outcome.Code = fleetrun.Locked, failure.Conflict.ExitCode()
		outcome.Problem = "an operation that an earlier fleet run began is still in progress"
		return outcome
	}
	if err != nil {
		return fail(err)
	}
	defer lock.Close() //nolint:errcheck // nothing is written to it
	log, err := os.OpenFile(outcome.Log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fail(fmt.Errorf("writing the log of stack %s: %w", job.ID, err))
	}
	defer log.Close() //nolint:errcheck // the process has written it

	args := append([]string{"-C", job.Dir, "-s", job.Stack, "-o", "json"}, p.Args(job)...)
	cmd := exec.Command(p.Executable, args...)
	cmd.Env, cmd.Stderr = p.Environ, log
	proc.Inherit(cmd, lock)
	proc.NewGroup(cmd) // a terminal's Ctrl-C reaches the stacks only through Interrupt
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fail(fmt.Errorf("starting the operation on stack %s: %w", job.ID, err))
	}
	if err := p.start(cmd); err != nil {
		return fail(fmt.Errorf("starting the operation on stack %s: %w", job.ID, err))
	}
	said := said{operation: p.Operation}
	lines := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			said.read(line)
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
	if said.absent && leavesAbsent(gates.Operation(p.Operation)) {
		outcome.Status, outcome.Code = fleetrun.Succeeded, 0
	}
	if outcome.Status == fleetrun.Changed && p.ChangesFail {
		outcome.Status = fleetrun.Failed
	}
	outcome.Counts, outcome.Problem, outcome.Backend, outcome.Open = said.counts, said.summed(), said.backend, said.open
	if outcome.Status != fleetrun.Succeeded && outcome.Problem == "" {
		outcome.Problem = fmt.Sprintf("the process of stack %s ended: %v", job.ID, err)
	}
	if outcome.Status == fleetrun.Succeeded && (!said.absent || p.Operation != string(gates.Destroy)) {
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

// Interrupt sends SIGINT to the processes in progress: the first lets operations in progress finish, the second
// abandons them.
func (p *Processes) Interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for cmd := range p.running {
		_ = proc.Interrupt(cmd) // it fails for a process that has ended
	}
}

// gigabyte is the assumed memory of a stack in progress: an engine and providers for AWS and Kubernetes.
const gigabyte = 1 << 30

// DefaultParallel returns how many stacks this machine can have in progress: one per processor, and one per gigabyte of
// memory that is available, at least one.
func DefaultParallel() int {
	n := runtime.GOMAXPROCS(0)
	if memory := availableMemory(); memory > 0 {
		n = min(n, int(memory/gigabyte))
	}
	return max(1, n)
}

// availableMemory returns the available memory in bytes, or 0 if the system does not report it (it is not Linux). It
// respects a container's limit.
func availableMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	available := memAvailable(text)
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
				available = min(available, limit)
			}
		}
	}
	return available
}

// memAvailable reads the line "MemAvailable: 123 kB" of /proc/meminfo.
func memAvailable(text []byte) int64 {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var kilobytes int64
		if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}
