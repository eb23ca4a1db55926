package cli

import (
	"bufio"
	"context"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/project"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// invocation is one run of the command line: its surroundings, the flags that all commands share, and
// what the command has opened.
type invocation struct {
	streams Streams
	program pulumi.RunFunc

	dir, stack, backend string
	offline, empty, yes bool
	output              string
	// pricesFile is --prices.
	pricesFile string

	// noInstall is set where a missing engine is not to be installed.
	noInstall bool
	// began is set once the command line has been understood.
	began      bool
	progress   *report.Progress
	json       *jsonLines
	interrupts *engine.Interrupts
	// secrets keeps those of offline stacks, nil until a session is offline.
	secrets *transit.Server
	// took are the operations on resources that have ended, kept by report, which is called from several goroutines.
	tookMutex sync.Mutex
	took      []report.ResourceEvent
	// answers reads what people type, nil until something is asked.
	answers *bufio.Reader
}

// begin checks the flags that all commands share and starts to report.
func (c *invocation) begin() error {
	switch c.output {
	case "text":
	case "json":
		c.json = &jsonLines{out: c.streams.Out}
	default:
		return refuse("-o %s: unknown format; use text or json", c.output)
	}
	if c.offline && c.backend != "" {
		return refuse("--offline keeps its own state and cannot be combined with --backend: omit one of them")
	}
	if c.empty && !c.offline {
		return refuse("--offline-empty needs --offline")
	}
	c.began = true
	c.progress = report.NewProgress(c.streams.Err, c.streams.Width)
	c.interrupts = engine.WatchInterrupts()
	c.interrupts.OnInterrupt(func(count int) { c.report(&report.InterruptEvent{Count: count}) })
	return nil
}

// end gives back what begin took.
func (c *invocation) end() {
	if c.interrupts != nil {
		c.interrupts.Close()
	}
	if c.secrets != nil {
		_ = c.secrets.Close()
	}
	if c.progress != nil {
		c.progress.Close()
	}
}

// say writes lines for people.
func (c *invocation) say(format string, args ...any) {
	if c.progress == nil {
		fmt.Fprintf(c.streams.Err, format+"\n", args...)
		return
	}
	c.progress.Print(fmt.Sprintf(format, args...))
}

// report passes an event on to people and programs.
func (c *invocation) report(event report.Event) {
	c.progress.Report(event)
	if e, ok := event.(*report.ResourceEvent); ok && e.Status == report.StatusDone {
		c.tookMutex.Lock()
		c.took = append(c.took, *e)
		c.tookMutex.Unlock()
	}
	if c.json != nil {
		c.json.Report(event)
	}
}

// project opens the project that -C names.
func (c *invocation) project() (*project.Project, error) { return project.Open(c.dir) }

// session finds the engine for a project.
func (c *invocation) session(ctx context.Context, project *project.Project) (*automation.Session, error) {
	engine, err := engine.Find(ctx, c.engineSearch(project, !c.offline && !c.noInstall))
	if err != nil {
		return nil, err
	}
	if c.offline {
		c.say("offline: the account is in memory and in %s; AWS is not called", project.OfflineDir())
		if c.secrets, err = transit.Serve(); err != nil {
			return nil, err
		}
	}
	return &automation.Session{
		Project: project, Engine: engine, Environ: c.streams.Environ, Backend: c.backend,
		Offline: c.offline, Secrets: c.secrets, EmptyAccount: c.empty,
		Interrupts: c.interrupts, Report: c.report, Program: c.program,
	}, nil
}

func (c *invocation) engineSearch(project *project.Project, install bool) engine.Search {
	return engine.Search{
		Environ: c.streams.Environ, Executable: c.streams.Executable,
		Dirs: []string{project.Dir, c.streams.Dir}, Install: install,
		Tell: func(sentence string) { c.say("%s", sentence) },
	}
}

// open opens the stack that -s names, once its file has been checked. With anyConfig the file's
// faults do not matter: what was made can be seen and destroyed whatever the file says by now.
func (c *invocation) open(ctx context.Context, mode automation.Mode, anyConfig bool) (*automation.Stack, error) {
	project, err := c.project()
	if err != nil {
		return nil, err
	}
	name, err := project.ResolveStack(c.stack)
	if err != nil {
		return nil, err
	}
	file, err := c.file(project, name, anyConfig)
	if err != nil {
		return nil, err
	}
	session, err := c.session(ctx, project)
	if err != nil {
		return nil, err
	}
	return session.Open(ctx, name, file, mode)
}

func (c *invocation) file(project *project.Project, name string, anyConfig bool) (*config.File, error) {
	file, err := project.LoadStack(name)
	if err != nil && anyConfig && fault.In(err) != nil {
		return nil, nil
	}
	return file, err
}
