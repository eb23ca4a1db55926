// Command screens writes the pictures of docs/appendix/screens: what the CLI shows on a terminal, offline, 80 and 100 columns wide, on a light and a dark
// background. Its arguments are the CLI, the folder of the examples and the folder to write to.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// rows is the height of the terminal: no page is longer.
const rows = 70

// session is a command whose screen is drawn.
type session struct {
	// name is that of the file, and example the folder that the command runs in.
	name, example string
	// before are commands that are run first, without a picture.
	before [][]string
	args   []string
	env    []string
	// whileShown is an expression: the screen is drawn as soon as it matches it, "" to draw it at the end.
	whileShown string
}

func sessions() []session {
	identified := []string{"sed", "s|    name: demo|    name: demo\\n    infraID: demo-x1|"}
	slowly := "HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.05}"
	return []session{
		{name: "preview", example: "public", args: []string{"preview"}},
		{name: "progress", example: "public", args: []string{"up", "--yes"}, env: []string{slowly}, whileShown: `(?s)created VPC .*1[0-9] of 43 done.*\n  … creating`},
		{
			name: "refused", example: "public", before: [][]string{{"up", "--yes"}, {"sed", "s|us-east-1a, us-east-1b|us-east-1a|"}},
			args: []string{"preview"},
		},
		{
			name: "drift", example: "public", before: [][]string{identified, {"up", "--yes"}}, args: []string{"drift"},
			env: []string{"HYPERSHIFT_AWS_OFFLINE_FAULTS={deleted: [demo-x1-igw]}"},
		},
		{name: "destroy", example: "public", before: [][]string{{"up", "--yes"}}, args: []string{"destroy"}, whileShown: `Delete these resources\?`},
		{name: "sweep", example: "public", before: [][]string{identified, {"up", "--yes"}}, args: []string{"sweep", "--all"}},
		{name: "fleet", example: "fleet", args: []string{"fleet", "up", "--yes"}},
	}
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: screens CLI EXAMPLES OUT")
		os.Exit(2)
	}
	for _, s := range sessions() {
		for _, columns := range []int{80, 100} {
			if err := s.write(os.Args[1], os.Args[2], os.Args[3], columns); err != nil {
				fmt.Fprintf(os.Stderr, "screens: %s with %d columns: %v\n", s.name, columns, err)
				os.Exit(1)
			}
		}
	}
}

// write runs the session's commands in a copy of its example, and writes its screen for each background.
func (s session) write(cli, examples, out string, columns int) error {
	cli, err := filepath.Abs(cli)
	if err != nil {
		return err
	}
	dir := filepath.Join(os.TempDir(), "demo") // the screen shows it
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(examples, s.example))); err != nil {
		return err
	}
	for _, args := range s.before {
		if args[0] == "sed" {
			args = append([]string{"-i"}, append(args[1:], "Pulumi.demo.yaml")...)
			if output, err := command(dir, "sed", args).CombinedOutput(); err != nil {
				return fmt.Errorf("sed: %w: %s", err, output)
			}
			continue
		}
		if output, err := command(dir, cli, append([]string{"--offline"}, args...)).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, output)
		}
	}
	screen, err := s.screen(cli, dir, columns)
	if err != nil {
		return err
	}
	for _, c := range []colors{light(), dark()} {
		path := filepath.Join(out, fmt.Sprintf("%s-%d-%s.svg", s.name, columns, c.name))
		if err := os.WriteFile(path, []byte(c.draw(screen)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func command(dir, name string, args []string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=", "NO_COLOR=")
	for i, variable := range cmd.Env {
		if strings.HasPrefix(variable, "NO_COLOR=") || strings.HasPrefix(variable, "CI=") {
			cmd.Env[i] = "UNSET_" + variable
		}
	}
	return cmd
}

// screen runs the command on a terminal, and returns its lines.
func (s session) screen(cli, dir string, columns int) (lines [][]vt10x.Glyph, err error) {
	cmd := command(dir, cli, append([]string{"--offline"}, s.args...))
	cmd.Env = append(cmd.Env, s.env...)
	terminal := vt10x.New(vt10x.WithSize(columns, rows))
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: uint16(columns)})
	if err != nil {
		return nil, err
	}
	defer func() { _ = master.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := master.Read(buffer)
		if n > 0 {
			_, _ = terminal.Write(buffer[:n])
		}
		shown := lines == nil && s.whileShown != "" && regexp.MustCompile(s.whileShown).MatchString(terminal.String())
		if shown {
			lines = linesOf(terminal, columns)
			_, _ = master.WriteString("n\n") // the answer to a question
		}
		if err != nil { // the command has closed its end of the terminal
			break
		}
	}
	_ = cmd.Wait() // a refusal has an exit code too
	switch {
	case s.whileShown == "":
		return linesOf(terminal, columns), nil
	case lines == nil:
		return nil, fmt.Errorf("never showed %q; at the end: %s", s.whileShown, terminal.String())
	}
	return lines, nil
}

// linesOf returns the lines of a terminal up to the last one with text. A command line is the first.
func linesOf(terminal vt10x.Terminal, columns int) (lines [][]vt10x.Glyph) {
	last := 0
	for y := range rows {
		line := make([]vt10x.Glyph, columns)
		for x := range columns {
			line[x] = terminal.Cell(x, y)
			if line[x].Char == 0 {
				line[x].Char = ' '
			}
			if line[x].Char != ' ' {
				last = y
			}
		}
		lines = append(lines, line)
	}
	return lines[:last+1]
}
