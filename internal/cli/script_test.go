package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "pulumi" {
		fmt.Fprintln(os.Stderr, runCounted())
		os.Exit(1)
	}
	testscript.Main(m, map[string]func(){
		"hypershift-aws": func() { os.Exit(recordSuggestions(system(), os.Args[1:], runAll)) },
		// hypershift-aws-program runs the program that program.yaml describes in the world that is served.
		"hypershift-aws-program": func() {
			port, err := os.ReadFile(filepath.Join(os.Getenv("WORLD"), "port"))
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			streams := invocation.System()
			streams.Environ = streams.Environ.With("PULUMI_DEBUG_PROVIDERS", "aws:"+string(port))
			_ = os.WriteFile(filepath.Join(os.Getenv("WORK"), "pid"), fmt.Append(nil, os.Getpid()), 0o644)
			streams.Err = markStopping{streams.Err, filepath.Join(os.Getenv("WORK"), "said-stopping")}
			program := listedProgram(filepath.Join(os.Getenv("WORK"), "program.yaml"))
			code := recordSuggestions(streams, os.Args[1:], func(s invocation.Streams, args []string) int {
				return run(s, features.All(), func(stacks.Options) pulumi.RunFunc { return program }, args)
			})
			_ = os.WriteFile(filepath.Join(os.Getenv("WORK"), "status"), fmt.Append(nil, code), 0o644)
			os.Exit(code)
		},
		// hypershift-aws-toy is hypershift-aws with another kind of stack.
		"hypershift-aws-toy": func() {
			stacks.Register(toyKind())
			os.Exit(recordSuggestions(invocation.System(), os.Args[1:], runAll))
		},
		// hypershift-aws-no-passphrase is hypershift-aws without a passphrase.
		"hypershift-aws-no-passphrase": func() {
			streams := invocation.System()
			streams.Environ = streams.Environ.Without(func(name string) bool { return name == "PULUMI_CONFIG_PASSPHRASE" })
			os.Exit(recordSuggestions(streams, os.Args[1:], runAll))
		},
		"world": func() {
			fmt.Fprintln(os.Stderr, serveWorld(os.Getenv("WORLD")))
			os.Exit(1)
		},
	})
}

// runAll runs a command line with all features.
func runAll(streams invocation.Streams, args []string) int { return Run(streams, features.All(), args) }

// system is the system's streams. The engine writes the state after each step, as it does for users, if the rehearsal kills a process.
func system() invocation.Streams {
	streams := invocation.System()
	if strings.Contains(os.Getenv("HYPERSHIFT_AWS_OFFLINE_FAULTS"), "kill: ") {
		streams.Environ = streams.Environ.With("PULUMI_SKIP_CHECKPOINTS", "false")
	}
	return streams
}

// markStopping makes a file when the program says that it stops, for sessions to wait for.
type markStopping struct {
	io.Writer
	path string
}

func (m markStopping) Write(text []byte) (int, error) {
	n, err := m.Writer.Write(text)
	if strings.HasPrefix(string(text), "stopping") {
		_ = os.WriteFile(m.path, nil, 0o644)
	}
	return n, err
}

// TestSessions runs the sessions that need no engine.
func TestSessions(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Setup: checkSuggestions(t, withoutEngine), Cmds: commands()})
}

// TestEngineSessions runs the sessions that drive the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	path := findEngine(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/engine", Cmds: commands(), Condition: condition,
		Setup: checkSuggestions(t, func(env *testscript.Env) error {
			// Behind the commands of these tests: beside the engine there may be a hypershift-aws of another day.
			env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(path))
			examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			// Less work for short-lived processes: see docs/appendix/bench.md. The second is false where a rehearsal kills a process; sessions that send
			// signals set it to false.
			env.Setenv("GOGC", "400")
			env.Setenv("PULUMI_SKIP_CHECKPOINTS", "true")
			env.Setenv("PULUMI_PARALLEL", "16") // estimates depend on it, by default on the processors
			home := filepath.Join(env.WorkDir, ".pulumi")
			env.Setenv("PULUMI_HOME", home)
			env.Setenv("PULUMI_CONFIG_PASSPHRASE", "correct horse")
			env.Setenv("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true")
			world := filepath.Join(env.WorkDir, "world")
			env.Setenv("WORLD", world)
			return errors.Join(engine.HomeWithoutLogs(home), os.MkdirAll(world, 0o755))
		}),
	})
}

func withoutEngine(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir)
	return nil
}

// condition is true for "all" if tests run at their full size: a script ends with `[!all] stop` where its variations begin.
func condition(name string) (bool, error) {
	if name != "all" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return sizes.All(), nil
}

// findEngine finds the engine as the command line does; these tests are nothing without it.
func findEngine(t *testing.T) string {
	t.Helper()
	system := invocation.System()
	found, err := engine.Find(t.Context(), engine.Search{Environ: system.Environ, Dirs: []string{system.Dir}})
	if err != nil {
		t.Fatalf("run `make engine` first: %v", err)
	}
	return found.Path
}

func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"countengines": countEngines,
		"demo":         demo,
		"documented":   documented,
		"exits":        exits,
		"follow":       follow,
		"kubectl":      kubectl,
		"mode":         mode,
		"status":       status,
		"terminal":     terminal,
		"await":        await,
		"signal":       signalProcess,
		"sed":          sed,
		"servests":     serveSTS,
	}
}

// exits CODE PROGRAM ARGS... runs a program that must exit with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = fmt.Sprint(exit.ExitCode())
	case err != nil:
		ts.Fatalf("running %s: %v", args[1], err)
	}
	if code != args[0] {
		ts.Fatalf("%s exits with %s, not %s", strings.Join(args[1:], " "), code, args[0])
	}
}

// mode MODE FILES... fails unless each file has the mode, in octal.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mode MODE FILES...")
	}
	for _, file := range args[1:] {
		info, err := os.Stat(ts.MkAbs(file))
		ts.Check(err)
		if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s has mode %s, not %s", file, got, args[0])
		}
	}
}

// status CODE succeeds if the last hypershift-aws-program, also one in the background, exited with the code.
func status(ts *testscript.TestScript, neg bool, args []string) {
	got := ts.ReadFile(ts.MkAbs("status"))
	if neg || len(args) != 1 || got != args[0] {
		ts.Fatalf("hypershift-aws-program exited with %s, not %s", got, strings.Join(args, " "))
	}
}

// await FILE waits until the file exists; await -gone FILE until it does not.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: await [-gone] FILE")
	}
	want, path := true, args[len(args)-1]
	if args[0] == "-gone" {
		want = false
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		matches, err := filepath.Glob(ts.MkAbs(path))
		ts.Check(err)
		if (len(matches) > 0) == want {
			return
		}
	}
	ts.Fatalf("%s has not come about", strings.Join(args, " "))
}

// signal NAME FILE sends a signal to the process whose ID is in the file, or, with -group, to its group.
func signalProcess(ts *testscript.TestScript, neg bool, args []string) {
	names := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
	var id int
	if neg || len(args) != 2 {
		ts.Fatalf("usage: signal NAME FILE")
	}
	_, err := fmt.Sscan(ts.ReadFile(args[1]), &id)
	ts.Check(err)
	ts.Check(syscall.Kill(id, names[args[0]]))
}

// sed FILE OLD NEW replaces a text that must be in the file.
func sed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sed FILE OLD NEW")
	}
	before := ts.ReadFile(args[0])
	if !strings.Contains(before, args[1]) {
		ts.Fatalf("%s does not say %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(before, args[1], args[2])), 0o644))
}

// servests CODE [ACTION] answers for AWS STS on this machine, and refuses every call of the action with the code, by default every call.
func serveSTS(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: servests CODE [ACTION]")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(args) == 2 && r.FormValue("Action") != args[1] {
			fmt.Fprint(w, "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/x</Arn>"+
				"<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>")
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "<ErrorResponse><Error><Code>%s</Code><Message>refused</Message></Error></ErrorResponse>", args[0])
	}))
	ts.Defer(server.Close)
	ts.Setenv("AWS_ENDPOINT_URL_STS", server.URL)
}
