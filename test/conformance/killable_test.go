package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

// killableVariable has the killable that a process of this test program is, as JSON.
const killableVariable = "HYPERSHIFT_AWS_CONFORMANCE_COMMAND"

// killable is a command of a stack "test" on a real API server, in a process of its own, which can be killed.
type killable struct {
	Dir, EngineDir, Command string
	// Port is that of the kubernetes provider, which the test serves.
	Port int
}

// runKillable runs the command, and returns its exit code.
func runKillable(text string) int {
	err := func() error {
		var k killable
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			return err
		}
		p, err := automation.Open(automation.ProjectOptions{
			Dir: k.Dir, Offline: true, EngineDirs: []string{k.EngineDir},
			Events: func(e automation.Event) {
				if _, plan := e.(*automation.PlannedEvent); plan {
					return
				}
				said, err := json.Marshal(e)
				fmt.Fprintf(os.Stderr, "%s %v\n", said, err)
			},
		})
		if err != nil {
			return err
		}
		automationtest.SetEnvironment(p, func(files *projects.Project) workspace.Environment {
			memory, err := sandbox.InMemory(environment.Options{Project: files, Environ: os.Environ()})
			if err != nil {
				panic(err)
			}
			return realClusters{memory, &net.TCPAddr{Port: k.Port}}
		})
		defer p.Close()
		command, taken, _ := strings.Cut(k.Command, " --take ")
		up := automation.UpOptions{Decide: automation.Approve}
		if taken != "" {
			up.Take = strings.Split(taken, ",")
		}
		switch stack := p.Stack("test"); command {
		case "up":
			_, err = stack.Up(context.Background(), up)
		case "pause":
			_, err = stack.Pause(context.Background(), up)
		case "resume":
			_, err = stack.Resume(context.Background(), up)
		case "unchanged":
			_, err = stack.Preview(context.Background(), automation.PreviewOptions{ExpectNoChanges: true})
		case "drift":
			_, err = stack.Drift(context.Background())
		case "destroy":
			_, err = stack.Destroy(context.Background(), automation.DestroyOptions{Decide: automation.Approve, Cluster: "demo"})
		default:
			err = fmt.Errorf("no command %s", command)
		}
		return err
	}()
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return failure.ReasonOf(err).ExitCode()
}

// killer runs commands, and kills them at changes of the API server's objects.
type killer struct {
	t       *testing.T
	dir     string
	cluster *realCluster
	port    int

	changing sync.Mutex
	mu       sync.Mutex
	changes  int
	// at is the change at which act is called, before or after it. It reports whether the engine lives.
	at    int
	after bool
	act   func() bool
}

// newKiller returns a killer of commands on the stack in a folder.
func newKiller(t *testing.T, dir string, cluster *realCluster) *killer {
	t.Helper()
	k := &killer{t: t, dir: dir, cluster: cluster}
	k.port = serveObjects(t, map[string]*apiserver.Server{cluster.kubeconfig: cluster.Server},
		grpc.UnaryInterceptor(k.intercept)).Port
	return k
}

func (k *killer) intercept(
	ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (any, error) {
	switch r := req.(type) {
	case *pulumirpc.CreateRequest:
		if r.GetPreview() {
			return handle(ctx, req)
		}
	case *pulumirpc.UpdateRequest:
		if r.GetPreview() {
			return handle(ctx, req)
		}
	case *pulumirpc.DeleteRequest:
	default:
		return handle(ctx, req)
	}
	k.changing.Lock() // no other change begins
	defer k.changing.Unlock()
	k.mu.Lock()
	k.changes++
	act, after := func() bool { return true }, k.after
	if k.changes == k.at {
		act = k.act
	}
	k.mu.Unlock()
	if !after && !act() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	answer, err := handle(ctx, req)
	if after && !act() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return answer, err
}

// start starts a command in a folder with the stack's file.
func (k *killer) start(dir, command string) (process *exec.Cmd, said *bytes.Buffer) {
	k.t.Helper()
	text, err := json.Marshal(killable{
		Dir: dir, EngineDir: filepath.Dir(filepath.Dir(enginetest.EnginePath(k.t))), Command: command, Port: k.port,
	})
	require.NoError(k.t, err)
	own, err := os.Executable()
	require.NoError(k.t, err)
	said = &bytes.Buffer{}
	process = exec.Command(own)
	process.Env = append(os.Environ(), killableVariable+"="+string(text))
	process.Stdout, process.Stderr = said, said
	require.NoError(k.t, process.Start())
	return process, said
}

// during runs a command, and does something else while it makes its first change.
func (k *killer) during(command string, do func()) {
	k.t.Helper()
	changing, done := make(chan struct{}), make(chan struct{})
	k.mu.Lock()
	k.changes, k.at, k.after, k.act = 0, 1, false, func() bool { close(changing); <-done; return true }
	k.mu.Unlock()
	process, said := k.start(k.dir, command)
	<-changing
	do()
	close(done)
	require.NoError(k.t, process.Wait(), said)
}

// exit runs a command, and returns its exit code and what it said.
func (k *killer) exit(dir, command string) (code int, text string) {
	k.t.Helper()
	k.mu.Lock()
	k.changes, k.at = 0, 0
	k.mu.Unlock()
	process, said := k.start(dir, command)
	_ = process.Wait() // its exit code says it
	return process.ProcessState.ExitCode(), said.String()
}

// run runs a command that must succeed, once the engine of a killed one has ended.
func (k *killer) run(command string) string {
	k.t.Helper()
	code, said := k.exit(k.dir, command)
	for range 50 {
		if code != failure.Conflict.ExitCode() {
			break
		}
		time.Sleep(100 * time.Millisecond)
		code, said = k.exit(k.dir, command)
	}
	require.Zero(k.t, code, "%s:\n%s", command, said)
	return said
}

// kill runs a command whose victim, "cli", "engine" or "both", is killed at its nth change, before or after it: the
// engine of a killed CLI makes the change. It reports false for a command that made fewer changes, which has succeeded.
func (k *killer) kill(command, victim string, n int, after bool) bool {
	k.t.Helper()
	var process *exec.Cmd
	started, killed := make(chan struct{}), false
	k.mu.Lock()
	k.changes, k.at, k.after = 0, n, after
	k.act = func() bool {
		<-started
		killed = true
		if victim != "cli" {
			_ = syscall.Kill(childOf(k.t, process.Process.Pid), syscall.SIGKILL)
		}
		if victim != "engine" {
			_ = syscall.Kill(process.Process.Pid, syscall.SIGKILL)
		}
		return victim == "cli"
	}
	k.mu.Unlock()
	process, said := k.start(k.dir, command)
	close(started)
	_ = process.Wait() // its exit code says it
	code := process.ProcessState.ExitCode()
	switch {
	case killed:
		require.NotZero(k.t, code, "%s, %s killed at change %d:\n%s", command, victim, n, said)
	case code == failure.Conflict.ExitCode(): // the engine of a killed command still runs
		time.Sleep(100 * time.Millisecond)
		return k.kill(command, victim, n, after)
	default:
		require.Zero(k.t, code, "%s:\n%s", command, said)
	}
	return killed
}

// childOf returns the process that another one has started.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	require.NoError(t, err)
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		for _, child := range strings.Fields(string(text)) {
			name, _ := os.ReadFile("/proc/" + child + "/comm")
			if strings.HasPrefix(string(name), "pulumi") {
				id, err := strconv.Atoi(child)
				require.NoError(t, err)
				return id
			}
		}
	}
	t.Error("no engine runs")
	return pid
}
