package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

// service runs one operation at a time on each stack of a project.
type service struct {
	http.ServeMux
	dir     string
	project *automation.Project
	mu      sync.Mutex
	started map[string]*progress
	all     sync.WaitGroup
}

// open opens the project, and continues the operations that had not succeeded when the last service ended.
func open(o automation.ProjectOptions) (*service, error) {
	project, err := automation.Open(o)
	if err != nil {
		return nil, err
	}
	s := &service{dir: o.Dir, project: project, started: map[string]*progress{}}
	s.HandleFunc("PUT /clusters/{name}", s.put)
	s.HandleFunc("GET /clusters/{name}", s.get)
	s.HandleFunc("DELETE /clusters/{name}", s.delete)
	s.HandleFunc("GET /clusters/{name}/events", s.events)
	for _, name := range project.Stacks() {
		if operation, err := os.ReadFile(s.intent(name)); err == nil {
			s.start(name, string(operation))
		}
	}
	return s, nil
}

// file returns the path of a stack's file, and intent that of the file with an operation on it that has not succeeded yet.
func (s *service) file(name string) string   { return filepath.Join(s.dir, "Pulumi."+name+".yaml") }
func (s *service) intent(name string) string { return filepath.Join(s.dir, name+".operation") }

const stackFile = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: %[1]s
    infraID: %[1]s-x1
    baseDomain: %[2]s
    network: {zones: [%[3]s]}
    oidc: {bucketName: clusters-oidc, bucketRegion: us-east-1}
`

func (s *service) put(w http.ResponseWriter, r *http.Request) {
	name, domain, zones := r.PathValue("name"), r.FormValue("domain"), r.FormValue("zones")
	for value, valid := range map[string]string{name: `^[a-z][a-z0-9-]{0,20}$`, domain: `^[a-z0-9.-]+$`, zones: `^[a-z0-9,-]+$`} {
		if !regexp.MustCompile(valid).MatchString(value) {
			http.Error(w, fmt.Sprintf("%q does not match %s", value, valid), http.StatusBadRequest)
			return
		}
	}
	s.accept(w, name, "up", func() error {
		return os.WriteFile(s.file(name), fmt.Appendf(nil, stackFile, name, domain, zones), 0o600)
	})
}

func (s *service) delete(w http.ResponseWriter, r *http.Request) {
	s.accept(w, r.PathValue("name"), "destroy", func() error { _, err := os.Stat(s.file(r.PathValue("name"))); return err })
}

// accept starts an operation unless one is in progress.
func (s *service) accept(w http.ResponseWriter, name, operation string, prepare func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.started[name]; p != nil && p.state().Running {
		http.Error(w, "an operation is in progress", http.StatusConflict)
		return
	}
	err := prepare()
	if errors.Is(err, os.ErrNotExist) {
		http.Error(w, "there is no such cluster", http.StatusNotFound)
		return
	}
	if err = errors.Join(err, os.WriteFile(s.intent(name), []byte(operation), 0o600)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.start(name, operation)
	w.WriteHeader(http.StatusAccepted)
}

// start runs an operation; its intent is removed when it has succeeded.
func (s *service) start(name, operation string) {
	p := newProgress(s.project.Stack(name), operation)
	s.started[name] = p
	s.all.Go(func() {
		for event, err := range p.stack.Watch(func(stack *automation.Stack) error { return s.run(stack, operation) }) {
			p.add(event, err)
		}
		p.end()
	})
}

func (s *service) run(stack *automation.Stack, operation string) (err error) {
	ctx := context.Background()
	switch operation {
	case "up":
		_, err = stack.Up(ctx, automation.UpOptions{Decide: automation.Approve})
	case "destroy":
		_, err = stack.Destroy(ctx, automation.DestroyOptions{Decide: automation.Approve, RemoveState: true})
		if err == nil {
			err = os.Remove(s.file(stack.Name))
		}
	}
	if err == nil {
		err = os.Remove(s.intent(stack.Name))
	}
	return err
}

func (s *service) get(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	s.mu.Lock()
	p := s.started[name]
	s.mu.Unlock()
	shown := struct {
		Operation *state         `json:"operation,omitempty"`
		Outputs   map[string]any `json:"outputs,omitempty"`
	}{}
	if p != nil {
		state := p.state()
		shown.Operation = &state
	}
	if _, err := os.Stat(s.file(name)); err != nil {
		http.Error(w, "there is no such cluster", http.StatusNotFound)
		return
	}
	if p == nil || !p.state().Running {
		var err error
		if shown.Outputs, err = s.project.Stack(name).Outputs(r.Context(), false); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(shown)
}

func (s *service) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	p := s.started[r.PathValue("name")]
	s.mu.Unlock()
	if p == nil {
		http.Error(w, "no operation has been started", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for line := range p.lines(r.Context()) {
		fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(line, "\n", "\ndata: "))
		_ = http.NewResponseController(w).Flush()
	}
}

// close interrupts all operations, and waits until what they do in AWS is finished and written to the states.
func (s *service) close() {
	s.mu.Lock()
	for _, p := range s.started {
		p.stack.Interrupt()
	}
	s.mu.Unlock()
	s.all.Wait()
	s.project.Close()
}
