package script

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	term "github.com/hypershift-aws/hypershift-aws/test/terminal"
)

// terminal CODE COLUMNS [TEXT INPUT]... -- PROGRAM ARGS... runs a program in a terminal that many columns wide. Each
// time that a text has appeared, its input is typed: "^C", "columns N" for another width, or a line; "kill" kills the
// program. The program must exit with the code, -1 if it was killed; terminal.txt is what it has written.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	cut := -1
	for i, arg := range args {
		if arg == "--" && cut < 0 {
			cut = i
		}
	}
	if neg || cut < 2 || cut%2 != 0 || len(args) < cut+2 {
		ts.Fatalf("usage: terminal CODE COLUMNS [TEXT INPUT]... -- PROGRAM ARGS...")
	}
	master, slave, err := term.Open()
	ts.Check(err)
	defer master.Close() //nolint:errcheck // it has been read
	setColumns := func(text string) {
		columns, err := strconv.ParseUint(text, 10, 16)
		ts.Check(err)
		ts.Check(unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: uint16(columns)}))
	}
	setColumns(args[1])
	cmd := exec.Command(programOf(ts, args[cut+1]), args[cut+2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), nil
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "WORK", "PULUMI_HOME", "PULUMI_CONFIG_PASSPHRASE",
		"PULUMI_PARALLEL",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "HYPERSHIFT_AWS_OFFLINE_FAULTS", "NO_COLOR", "TERM", "PULL_SECRET"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	ts.Check(slave.Close())
	timeout := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timeout.Stop()

	var written strings.Builder
	steps, from, buffer := args[2:cut], 0, make([]byte, 4096)
	for {
		n, err := master.Read(buffer)
		written.Write(buffer[:n])
		for len(steps) > 0 {
			at := strings.Index(written.String()[from:], steps[0])
			if at < 0 {
				break
			}
			from += at + len(steps[0])
			switch columns, resize := strings.CutPrefix(steps[1], "columns "); {
			case resize:
				setColumns(columns)
			case steps[1] == "kill":
				ts.Check(cmd.Process.Kill())
			case steps[1] == "^C":
				_, err := master.WriteString("\x03")
				ts.Check(err)
			default:
				_, err := master.WriteString(steps[1] + "\n")
				ts.Check(err)
			}
			steps = steps[2:]
		}
		if err != nil {
			break // the program has closed the terminal
		}
	}
	code := 0
	if err := cmd.Wait(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running %s: %v", args[cut+1], err)
		}
		code = exit.ExitCode()
	}
	ts.Check(os.WriteFile(ts.MkAbs("terminal.txt"), []byte(written.String()), 0o644))
	// A path is never broken, and that of the script is as long as the machine's folder for temporary files.
	screen := strings.ReplaceAll(colours.ReplaceAllString(written.String(), ""), ts.Getenv("WORK"), ".")
	ts.Check(os.WriteFile(ts.MkAbs("screen.txt"), []byte(screen), 0o644))
	if strings.Contains(written.String(), "\x1b[6n") {
		ts.Fatalf("the program asks the terminal where its cursor is, and waits for an answer:\n%q", written.String())
	}
	if fmt.Sprint(code) != args[0] || len(steps) > 0 {
		ts.Fatalf("exit code %d, not shown: %q, in\n%s", code, steps, written.String())
	}
}

// colours matches the codes of colours, and carriage returns.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m|\r")

// programOf returns the path of a program in the PATH of a script.
func programOf(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	ts.Fatalf("%s is not in the PATH of the script", name)
	return ""
}
