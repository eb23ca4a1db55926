// Package pause lets the node pools of a stack have no nodes for a while, such as at night, and lets them have their
// nodes again. A key of the stack's file says so: every way to run the stack agrees, and the counts stay in the file.
package pause

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Options configure Run.
type Options struct {
	// Resume gives the pools their nodes again, instead of taking them.
	Resume bool
	// Up configures the update.
	Up run.UpOptions
}

// Run updates the stack with the key in its file, which is written when the update begins to change something: see
// automation.Stack.Pause. An update that is refused, not confirmed or killed before leaves the file as it is.
func Run(ctx context.Context, s *run.Stack, o Options) (*run.UpResult, error) {
	file, err := s.Load("")
	if err != nil {
		return nil, err
	}
	key, since, err := keyIn(s, file)
	if err != nil {
		return nil, err
	}
	to := ""
	if !o.Resume {
		if to = since; to == "" {
			to = time.Now().UTC().Format(time.RFC3339)
		}
	}
	began := &changing{stack: s, pauses: to != "", overwrites: o.Up.Overwrite}
	if to != since {
		if began.before, err = propose(s, file.Path, key, to); err != nil {
			return nil, err
		}
		defer s.Project.Propose(s.Name, nil)
	}
	o.Up.Deployed = true
	o.Up.Features = append(o.Up.Features, began)
	result, err := s.Up(ctx, o.Up)
	if to == since || !began.began {
		return result, err
	}
	done := "nodesPausedSince is no longer in " + filepath.Base(file.Path)
	if to != "" {
		done = "nodesPausedSince is in " + filepath.Base(file.Path)
	}
	s.Events(&api.Message{Text: done + ": commit the file, because an update with another one undoes this"})
	return result, err
}

// keyIn returns the key of a stack's file, and its value.
func keyIn(s *run.Stack, file *config.File) (key, since string, err error) {
	if section := config.As[config.PausableSection](file); section != nil {
		key, since = section.PausedNodes()
	}
	switch {
	case key == "" && config.As[*config.Cluster](file) == nil:
		return "", "", kind.RefuseWithoutHostedCluster(s.Name, file.Kind)
	case key == "":
		return "", "", gate.Refuse("stack %s applies no node pools: set cluster.hostedCluster.kubeconfig", s.Name)
	case s.Project.Supplied(s.Name) != nil:
		return "", "", gate.Refuse("stack %s has no file to edit: its config is given by a program, which sets nodesPausedSince itself", s.Name)
	}
	return key, since, nil
}

// propose lets the update read the stack's file with a value of the key, or without the key for "". It returns the
// file's text. The file is written when the update begins to change something: until then, whatever ends this process
// leaves the file as it is.
func propose(s *run.Stack, path, key, value string) ([]byte, error) {
	text, err := atomicfile.ReadInput(path)
	if err != nil {
		return nil, fmt.Errorf("reading the stack's file: %w", err)
	}
	edited, err := edit(text, key, value)
	if err != nil {
		by, verb := "write "+key+": "+strconv.Quote(value), "into"
		if value == "" {
			by, verb = "take "+key, "out of"
		}
		return nil, &failure.Error{
			Reason: failure.Refused, Problem: fmt.Sprintf("%s was not changed: %s", path, err),
			Remedy: fmt.Sprintf("%s %s the file by hand, and run `hypershift-aws up`", by, verb), Cause: err,
		}
	}
	s.Project.Propose(s.Name, edited)
	return text, nil
}

// changing writes the file when an update begins to change something, and refuses a pause that would leave nodes.
type changing struct {
	run.NoFeature

	stack         *run.Stack
	before        []byte // the file's text, nil if it already says what is wanted
	pauses, began bool
	overwrites    []string
}

var _ run.Feature = (*changing)(nil)

// Planned implements run.Feature: other clients of the management cluster may hold the number of nodes, which the
// update then leaves as it is.
func (c *changing) Planned(_ context.Context, r *run.Operation, _ *run.Planned) error {
	if !c.pauses {
		return nil
	}
	taken := "," + strings.Join(c.overwrites, ",") + ","
	var held, keys []string
	for _, f := range r.Conflicts.List() {
		size := len(f.Path) > 1 && f.Path[0] == "spec" && (f.Path[1] == "replicas" || f.Path[1] == "autoScaling")
		if f.Kind == crd.NodePool && size && !strings.Contains(taken, ","+f.Key+",") {
			held, keys = append(held, fmt.Sprintf("%s: %v, set by %s", f.Key, f.Live,
				f.Manager)), append(keys, "--take '"+f.Key+"'")
		}
	}
	if len(held) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: report.Sentence("the nodes of stack %s cannot be paused: how many there are was changed outside the stack, and would be "+
			"lost; nothing was changed:\n  %s", r.Stack.Name, strings.Join(held, "\n  ")),
		Remedy: "write the number that resume starts into the stack's file, and run the command again with " + strings.Join(keys, " "),
	}
}

// Changing implements run.Feature.
func (c *changing) Changing(context.Context, *run.Operation) error {
	if c.before != nil && !c.began {
		if err := c.stack.Project.WriteProposed(c.stack.Name, c.before); err != nil {
			return err
		}
	}
	c.began = true
	return nil
}
