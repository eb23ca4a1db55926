// Package invocation is one run of the command line: its streams, the flags shared by all commands, prompts, reports,
// the exit code, and the stack that it opens. The packages of commands are built on it.
package invocation

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Invocation is one run of the command line.
type Invocation struct {
	selection
	Streams Streams
	// Yes is the flag of this name.
	Yes bool
	// JSON receives objects with -o json, otherwise nil.
	JSON *JSONLines
	// Interrupts are the signals to this process, after Begin.
	Interrupts *automation.Interrupts

	// unwrapped are the streams as the process has them.
	unwrapped            Streams
	program              func(stacks.Options) pulumi.RunFunc
	output               string
	withoutEngineInstall bool
	// command is the name of the command, after Begin.
	command string
	// began is true after the command line has been parsed.
	began    bool
	progress *report.Progress
	// opened is the project for operations, nil until it is opened.
	opened *automation.Project
	// details returns the plan that a question is about, in full; nil without one.
	details func() string
	// document is true if stdout is one document, or JSON.
	document bool
	// answers reads the user's input, nil until a question is asked.
	answers *bufio.Reader
	// lost is why something could not be written to stdout, nil if all was.
	lost atomic.Pointer[error]
}

// New returns a run of the command line with these streams. program is that of the project, see
// automation.ProjectOptions.
func New(streams Streams, program func(stacks.Options) pulumi.RunFunc) *Invocation {
	c := &Invocation{Streams: streams, unwrapped: streams, program: program}
	c.Streams.Out = escaping{c.onTerminal(streams.Out, streams.OutWidth, &c.document), c.Style(streams.OutWidth),
		func(err error) { c.lost.CompareAndSwap(nil, &err) }}
	c.Streams.Err = escaping{
		messages{c.onTerminal(streams.Err, streams.Width, nil), c.WithFlags}, c.Style(streams.Width), nil,
	}
	return c
}

// AddFlags adds the flags shared by all commands.
func (c *Invocation) AddFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringArrayVarP(&c.Dirs, "dir", "C", nil,
		"the project's `folder` (default: the working directory); repeatable for fleet")
	flags.StringVarP(&c.Stack, "stack", "s", "", "the `stack` (default: PULUMI_STACK, else the only one in the folder)")
	flags.StringVar(&c.backend, "backend", "", "the `URL` of the state (default: PULUMI_BACKEND_URL, else Pulumi.yaml's, else .hypershift-aws/state)")
	flags.BoolVar(&c.Offline, "offline", false,
		"run with an AWS account in memory: no credentials, no network, separate state")
	flags.BoolVar(&c.emptyAccount, "offline-empty", false, "with --offline: create the account without the resources that the config refers to")
	flags.BoolVarP(&c.Yes, "yes", "y", false, "do not ask for confirmation; required by up and destroy without a terminal")
	flags.StringVarP(&c.output, "output", "o", "text", "the `format`: text, or json for newline-delimited JSON on stdout, or yaml for the same as documents")
	flags.BoolVar(&c.debug, "debug", false,
		"write to stderr what is read, asked and decided, and let the engine write its own log; without secrets")
	flags.Bool("no-color", false, "no colors, as with NO_COLOR") // For reads it

	CompleteFlag(root, "stack", c.stackNames)
	CompleteFlag(root, "output", Fixed("text", "json", "yaml"))
}

// ReportsJSON prepares the report of an error in a command line that cannot be parsed, which may contain -o json after
// the error, or -o yaml.
func (c *Invocation) ReportsJSON(args []string) {
	for i, arg := range args {
		for _, format := range []string{"json", "yaml"} {
			if slices.Contains([]string{"-o" + format, "-o=" + format, "--output=" + format}, arg) ||
				i > 0 && arg == format && (args[i-1] == "-o" || args[i-1] == "--output") {
				c.structured(format)
			}
		}
	}
}

// structured has objects written to stdout, as JSON or as YAML.
func (c *Invocation) structured(format string) {
	out := c.Streams.Out
	if format == "yaml" {
		out = yamlDocuments{out}
	}
	c.JSON, c.document = &JSONLines{out: out, flags: c.withFlagsJSON}, true
}

// Begin checks the flags shared by all commands and starts reporting. It is called before a command runs.
func (c *Invocation) Begin(command string) error {
	c.command = command
	if verb, _, _ := strings.Cut(command, " "); !slices.Contains([]string{"fleet", "new", "sweep"}, verb) {
		c.Stack = cmp.Or(c.Stack, c.Streams.Environ.Get("PULUMI_STACK"))
	}
	c.JSON, c.document = nil, false
	switch c.output {
	case "text":
	case "json", "yaml":
		c.structured(c.output)
	default:
		if filepath.Ext(c.output) != "" {
			return Refuse("-o %s: is a format, not a file; use -f %s if the command has it", c.output, c.output)
		}
		return Refuse("-o %s: unknown format; use text, json, or yaml", c.output)
	}
	if c.Offline && c.backend != "" {
		return Refuse("--offline keeps its own state and cannot be combined with --backend: omit one of them")
	}
	if c.emptyAccount && !c.Offline {
		return Refuse("--offline-empty needs --offline")
	}
	c.began = true
	out := messages{c.onTerminal(c.unwrapped.Err, c.Streams.Width, nil), c.WithFlags}
	c.progress = report.NewProgress(out, c.Streams.Width, c.Style(c.Streams.Width), report.NewLog(c.Streams.Environ.Get))
	c.Interrupts = automation.WatchInterrupts()
	c.Interrupts.OnInterrupt(func(count int) { c.Report(&event.Interrupt{Count: count}) })
	return nil
}

// Context returns the context of a command, with the log of --debug.
func (c *Invocation) Context(ctx context.Context) context.Context {
	if !c.debug {
		return ctx
	}
	began := time.Now()
	return automation.WithLog(ctx, slog.New(slog.NewTextHandler(saying{c}, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch {
			case a.Key == slog.LevelKey, a.Value.Any() == nil:
				return slog.Attr{}
			case a.Key == slog.TimeKey:
				return slog.Duration("at", time.Since(began).Round(time.Millisecond))
			case a.Value.Kind() == slog.KindDuration:
				return slog.Duration(a.Key, a.Value.Duration().Round(time.Millisecond))
			}
			return a
		},
	})))
}

// saying writes each line of a log beside the progress.
type saying struct{ *Invocation }

func (s saying) Write(line []byte) (int, error) {
	s.SayText("debug: " + strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// End reports the error of the command, nil if it succeeded, releases what Begin acquired, and returns the exit code.
func (c *Invocation) End(err error) int {
	if err != nil && !c.began {
		err = usageError{err}
	}
	switch {
	case err != nil:
		c.reportError(err)
	case c.JSON != nil:
		c.JSON.end(c.command, c.Stack, c.Offline)
	}
	if lost := c.lost.Load(); lost != nil && err == nil {
		err = &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("the output could not be written: %s; what the command changed stays changed", *lost),
			Remedy:  "write it to a file or pipe that takes it",
		}
		c.reportError(err)
	}
	if c.Interrupts != nil {
		c.Interrupts.Close()
	}
	if c.opened != nil {
		c.opened.Close()
	}
	if c.progress != nil {
		c.progress.Close()
	}
	return ExitCode(err)
}

// Say writes a sentence for users to stderr, whose arguments are values of others; see report.Sentence.
func (c *Invocation) Say(format string, args ...any) { c.SayText(report.Sentence(format, args...)) }

// SayText writes a composed text for users to stderr.
func (c *Invocation) SayText(text string) {
	if c.progress == nil {
		fmt.Fprintln(c.Streams.Err, text)
		return
	}
	c.progress.Print(text)
}

// Unwrapped returns the streams as the process has them, for a command that uses the terminal itself.
func (c *Invocation) Unwrapped() Streams { return c.unwrapped }

// Style returns the colours of a stream with this width, which is nil if it is not a terminal.
func (c *Invocation) Style(width func() int) report.Style {
	return report.NewStyle(width != nil, c.Streams.Environ.Get)
}

// OfferDetails lets the next questions be answered with "details", which shows the text. nil ends it.
func (c *Invocation) OfferDetails(text func() string) { c.details = text }

// ShowRaw also shows the raw text of messages that this program explains.
func (c *Invocation) ShowRaw() { c.progress.ShowRaw() }

// Report forwards an event to users and programs.
func (c *Invocation) Report(event report.Event) {
	c.progress.Report(event)
	c.JSON.Report(event)
}

// ShowBlock redraws the lines of a block below the output on a terminal, every second; nil ends it.
func (c *Invocation) ShowBlock(block func() []string) { c.progress.Show(block) }

// Automation returns the stack of -s for one operation, whose other events are passed to present, nil to drop them.
func (c *Invocation) Automation(present func(automation.Event)) (*automation.Stack, error) {
	project, err := c.AutomationProject()
	if err != nil {
		return nil, err
	}
	stack := project.Stack(c.Stack)
	stack.Events = present
	return stack, nil
}

// OnStack returns the function of a command that runs one operation on the stack of -s.
func (c *Invocation) OnStack(
	operate func(context.Context, *automation.Stack) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		stack, err := c.Automation(nil)
		if err != nil {
			return err
		}
		return operate(cmd.Context(), stack)
	}
}

// AutomationProject opens the project for the operations of package automation, once.
func (c *Invocation) AutomationProject() (*automation.Project, error) {
	if len(c.Dirs) > 1 {
		return nil, c.manyFolders()
	}
	if c.opened == nil {
		options := c.ProjectOptions()
		options.Dir = c.Folder()
		opened, err := automation.Open(options)
		if err != nil {
			return nil, err
		}
		c.opened = opened
	}
	return c.opened, nil
}

// ProjectOptions returns those that the flags select, without a folder.
func (c *Invocation) ProjectOptions() automation.ProjectOptions {
	o := c.Streams.Project
	o.Backend, o.Offline, o.EmptyAccount, o.Environ = c.backend, c.Offline, c.emptyAccount, c.Streams.Environ
	o.Executable, o.NoInstall = c.Streams.Executable, c.withoutEngineInstall
	o.PricesFile, o.UnreadStacks = c.PricesFile, c.unreadStacks
	o.Events, o.Log = c.Present, func(sentence string) { c.Say("%s", sentence) }
	o.Interrupts, o.Program = c.Interrupts, c.program
	return o
}

// Present shows the events that look the same in all operations.
func (c *Invocation) Present(event automation.Event) {
	switch e := event.(type) {
	case report.Event:
		c.Report(e)
	case *automation.MessageEvent:
		c.SayText(e.Text)
	case *automation.BeganEvent:
		c.progress.UseTracker(e.Remaining)
	}
}

// Streams is the environment of a run of the command line.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Asks is true if there is a terminal for prompts.
	Asks bool
	// Width is the width of the terminal Err, in columns; nil if Err is not a terminal.
	Width func() int
	// OutWidth is the width of the terminal Out.
	OutWidth func() int
	// Environ is the environment.
	Environ engine.Environ
	// Executable is the running program's path, "" if unknown.
	Executable string
	// Dir is the working directory at the start.
	Dir string
	// Project has options that no flag selects. Only tests set it.
	Project automation.ProjectOptions
}

// System returns the process's own environment. It hides the logs of the AWS SDK.
func System() Streams {
	stderr := awsconfig.HideLogs()
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: stderr, Environ: os.Environ()}
	s.Width, s.OutWidth = columns(stderr), columns(os.Stdout)
	s.Asks = s.Width != nil && term.IsTerminal(int(os.Stdin.Fd()))
	s.Executable, _ = os.Executable()
	s.Dir, _ = os.Getwd()
	return s
}

// columns returns the width of a terminal, nil for another file.
func columns(file *os.File) func() int {
	fd := int(file.Fd())
	if !term.IsTerminal(fd) {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(fd)
		if err != nil || width == 0 {
			return 80
		}
		return width
	}
}
