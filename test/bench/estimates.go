package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// examples are the examples' stacks in the order of their deployment.
var examples = []struct {
	name   string
	stacks []string
}{
	{"capa-private", []string{"demo"}}, {"capa-public", []string{"demo"}},
	{"complete", []string{"management", "demo"}}, {"govcloud", []string{"demo"}}, {"no-egress", []string{"demo"}},
	{"private", []string{"demo"}},
	{"privatelink", []string{"private", "public-and-private"}}, {"public", []string{"demo"}},
	{"public-and-private", []string{"demo"}},
	{"shared-vpc", []string{"demo"}},
}

// againstTheEstimates measures an up of each example with AWS's latencies, and compares it with the estimate of its
// preview. The examples run at the same time: they wait more than they work.
func (b *bench) againstTheEstimates() error {
	type measured struct {
		stack           string
		predicted, took time.Duration
	}
	var wait sync.WaitGroup
	results, errs := make([][]measured, len(examples)), make([]error, len(examples))
	for i, example := range examples {
		wait.Go(func() {
			p := &project{b, filepath.Join(b.dir, "examples", example.name)}
			if errs[i] = os.CopyFS(p.dir, os.DirFS(filepath.Join(b.root, "examples", example.name))); errs[i] != nil {
				return
			}
			for _, stack := range example.stacks {
				predicted, took, err := p.estimated(stack)
				if err != nil {
					errs[i] = err
					return
				}
				results[i] = append(results[i], measured{example.name + ", stack " + stack, predicted, took})
			}
		})
	}
	wait.Wait()
	for _, list := range results {
		for _, m := range list {
			off := max(ratio(m.took, m.predicted), ratio(m.predicted, m.took))
			b.add("up of "+m.stack+": took / estimated, or the reverse", seconds(m.took), seconds(m.predicted), off, 1.10)
		}
	}
	return errors.Join(errs...)
}

// estimated returns the time of an up as estimated by a preview, and the measured time.
func (p *project) estimated(stack string) (predicted, took time.Duration, err error) {
	program := filepath.Join(p.b.root, "bin", "hypershift-aws")
	output, _, err := p.output("", program, "--offline", "-s", stack, "-o", "json", "preview")
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(output) {
		var event struct {
			Type    string  `json:"type"`
			Seconds float64 `json:"seconds"`
		}
		if json.Unmarshal([]byte(line), &event) == nil && event.Type == "time" {
			predicted = time.Duration(event.Seconds * p.b.scale * float64(time.Second))
		}
	}
	if predicted == 0 {
		return 0, 0, fmt.Errorf("the preview of stack %s in %s contains no time", stack, p.dir)
	}
	up, err := p.command(fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: %g}", p.b.scale), program, "--offline", "-s",
		stack, "up", "--yes")
	return predicted, up.wall, err
}
