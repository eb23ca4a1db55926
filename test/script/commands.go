package script

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are what scripts have beside testscript's own.
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
	names := map[string]syscall.Signal{
		"INT":  syscall.SIGINT,
		"TERM": syscall.SIGTERM,
		"HUP":  syscall.SIGHUP,
		"KILL": syscall.SIGKILL,
	}
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

// servests CODE [ACTION] answers for AWS STS on this machine, and refuses every call of the action with the code, by
// default every call.
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
