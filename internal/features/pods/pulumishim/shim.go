// Package pulumishim is the program under the engine's own name, in front of the engine: a caller of `pulumi` in a
// project with `runtime: hypershift-aws` gets what the CLI does around an update, a refresh and a destroy. Each begins
// with the recovery of an interrupted run, whose journal is kept beside the state, and asks the gates; the engine then
// runs with the arguments, the input and the output of the caller. A preview asks the gates of an update, and recovers
// nothing. It is for pods, whose files end with them: the agent of the Pulumi Kubernetes Operator runs the `pulumi`
// that is on PATH.
package pulumishim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	pulumiworkspace "github.com/pulumi/pulumi/sdk/v3/go/common/workspace"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/bucket"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/lease"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Wanted reports whether this program was started under the engine's name.
func Wanted(program string) bool { return filepath.Base(program) == engine.Executable }

// System is what the shim uses of its process.
type System struct {
	In       io.Reader
	Out, Err io.Writer
	Environ  engine.Environ
	// Executable is the path of this program: the engine is another one.
	Executable string
	// Timing is how runs show that they are alive.
	Timing lease.Timing
	// Environment opens where stacks are deployed, AWS, and Open the project for operations there. Tests have others.
	Environment func(environment.Options) (workspace.Environment, error)
	Open        func(automation.ProjectOptions, workspace.Environment) (*automation.Project, error)
}

// Process returns this process. It hides the logs of the AWS SDK.
func Process() System {
	s := System{In: os.Stdin, Out: os.Stdout, Err: awsconfig.HideLogs(), Environ: os.Environ(), Timing: lease.Times()}
	var err error
	if s.Executable, err = os.Executable(); err != nil { // without /proc
		s.Executable, _ = exec.LookPath(os.Args[0])
	}
	s.Environment = func(o environment.Options) (workspace.Environment, error) { return environment.AWS(o), nil }
	s.Open = func(o automation.ProjectOptions, _ workspace.Environment) (*automation.Project, error) {
		return automation.Open(o)
	}
	return s
}

// Run runs the engine's command line, and returns the exit code. A command that changes nothing with the program of
// this module replaces this process by the engine.
func Run(s System, args []string) int {
	path := ""
	if s.Executable != "" { // otherwise this program would find itself
		path = engine.Search{Environ: s.Environ, Executable: s.Executable}.First()
	}
	if path == "" {
		fmt.Fprintf(s.Err, "error: no engine is beside %s: put it as libexec/pulumi beside the folder of this program, or behind it on PATH\n", s.Executable)
		return failure.Failed.ExitCode()
	}
	c := parse(args)
	f, err := s.shim(path, c)
	if err != nil {
		fmt.Fprintf(s.Err, "error: %s\n", report.Style{}.Lines(err.Error()))
		return invocation.ExitCode(err)
	}
	code := 0
	if f != nil {
		code = f.operate(context.Background())
	}
	if f == nil || code == 0 && c.changes() == changeSelect {
		err := syscall.Exec(path, append([]string{path}, args...), s.Environ)
		fmt.Fprintf(s.Err, "error: running %s: %s\n", path, err)
		return failure.Failed.ExitCode()
	}
	return code
}

// shim returns the shim of a command, nil for one that the engine runs alone.
func (s System) shim(path string, c command) (*shim, error) {
	if c.changes() == "" {
		return nil, nil
	}
	in, err := project.Open(cmp.Or(c.dir, "."))
	if err != nil || !in.RunsThisProgram() {
		return nil, nil //nolint:nilerr // the engine reports what is wrong with the project
	}
	f := &shim{System: s, engine: path, command: c, project: in, stack: c.stack}
	if f.stack == "" || c.changes() == changePreview {
		if f.stack = s.selected(path, c); f.stack == "" {
			return nil, nil // the engine prompts for one, or reports that none is selected, or that it does not exist
		}
	}
	f.stack = f.stack[strings.LastIndex(f.stack, "/")+1:]
	f.backend = in.BackendOr(s.Environ, func() string {
		stored, err := pulumiworkspace.GetStoredCredentials()
		if err != nil {
			return ""
		}
		return stored.Current
	})
	if f.backend == "" {
		return nil, nil // the engine prompts for a login
	}
	f.environment, err = s.Environment(environment.Options{Project: in, Environ: s.Environ, Backend: f.backend})
	if err != nil {
		return nil, err
	}
	// An engine that was killed while it wrote to a folder may have left an incomplete state, which no command can select.
	if own := f.environment.Backend(); c.changes() == changeSelect && !recovery.Damaged(state.NewFile(own.Folder(),
		in.Name(), f.stack)) {
		return nil, f.environment.Close()
	}
	f.kept, err = lease.Open(context.Background(), f.environment.Backend(), in.Name(), f.stack)
	if errors.Is(err, bucket.ErrNoBucket) {
		f.tell(fmt.Sprintf("no recovery, and no gates but the program's own: %s", err))
		return nil, nil
	}
	return f, err
}

// selected returns the stack that the command names or the engine has selected, "" if there is none.
func (s System) selected(path string, c command) string {
	args := []string{"stack", "--show-name", "--non-interactive"}
	if c.stack != "" {
		args = append(args, "--stack", c.stack)
	}
	show := exec.Command(path, args...)
	show.Dir, show.Env = c.dir, s.Environ
	out, err := show.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// tell prints a sentence beside the engine's output.
func (s System) tell(sentence string) {
	fmt.Fprintf(s.Err, "hypershift-aws: %s\n", report.Style{}.Lines(sentence))
}

// Take in the environment are the IDs, separated by commas, that a person has decided for where an interrupted creation
// has several candidates, as `repair --take`. IDs that are no candidates are ignored: the environment stays when the
// creation is settled.
const Take = "HYPERSHIFT_AWS_TAKE"

// deciding runs an operation, and once more after a recovery that takes what the environment has decided for.
func (f *shim) deciding(ctx context.Context, stack *automation.Stack, operation func() error) error {
	err := operation()
	var ambiguous *automation.AmbiguousError
	if !errors.As(err, &ambiguous) {
		return err
	}
	decided := strings.Split(f.Environ.Get(Take), ",")
	var ids []string
	for _, lookup := range ambiguous.Lookups {
		ids = append(ids, slices.DeleteFunc(slices.Clone(lookup.IDs), func(id string) bool {
			return !slices.Contains(decided, id)
		})...)
	}
	if len(ids) > 0 {
		if _, err = stack.Repair(ctx, automation.RepairOptions{Take: ids}); err == nil {
			return operation()
		}
	}
	var known *failure.Error
	if errors.As(err, &known) && errors.As(err, &ambiguous) {
		known.Remedy += "; for a run in a pod, set " + Take + "=ID in its environment, with commas between several"
	}
	return err
}
