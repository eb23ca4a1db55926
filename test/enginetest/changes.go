package enginetest

import (
	"context"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Step is one thing that the engine did, or would do, to a resource.
type Step struct {
	Op apitype.OpType
	// Type and Name are the resource's.
	Type, Name string
	// began and ended are when, by the engine's events; 0 for what has not ended well.
	began, ended int
}

// Changes are the steps of an operation that changed something, in the order in which they began.
type Changes []Step

// Of returns the names, with their types, of the resources with one of the operations.
func (c Changes) Of(ops ...apitype.OpType) []string {
	var found []string
	for _, step := range c {
		if slices.Contains(ops, step.Op) {
			found = append(found, step.Type+" "+step.Name)
		}
	}
	return found
}

// Replaced returns what was, or would be, replaced.
func (c Changes) Replaced() []string {
	return c.Of(apitype.OpReplace, apitype.OpCreateReplacement, apitype.OpDeleteReplaced)
}

// collect runs an operation and gathers its steps from the engine's events. A step is reported when it begins; only a
// refresh reports the kind of difference, if any, at its end.
func collect(run func(ctx context.Context, stream chan<- events.EngineEvent) error) (Changes, error) {
	stream := make(chan events.EngineEvent)
	gathered := make(chan Changes)
	go func() {
		var changes Changes
		refreshing := map[string]bool{}
		running := map[string]int{}
		now := 0
		for event := range stream {
			now++
			switch {
			case event.ResourcePreEvent != nil:
				meta := event.ResourcePreEvent.Metadata
				if meta.Op == apitype.OpRefresh {
					refreshing[meta.URN] = true
				} else if meta.Op != apitype.OpSame && meta.Op != apitype.OpRead {
					running[meta.URN+" "+string(meta.Op)] = len(changes)
					changes = append(changes, step(meta))
					changes[len(changes)-1].began = now
				}
			case event.ResOutputsEvent != nil:
				meta := event.ResOutputsEvent.Metadata
				if i, is := running[meta.URN+" "+string(meta.Op)]; is {
					changes[i].ended = now
				}
				if refreshing[meta.URN] && meta.Op != apitype.OpSame && meta.Op != apitype.OpRefresh {
					changes = append(changes, step(meta))
				}
				delete(refreshing, meta.URN)
			}
		}
		gathered <- changes
	}()
	err := run(context.Background(), stream)
	return <-gathered, err
}

func step(meta apitype.StepEventMetadata) Step {
	return Step{Op: meta.Op, Type: meta.Type, Name: meta.URN[strings.LastIndex(meta.URN, "::")+2:]}
}
