package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
)

// ofStack reads the infra ID and the settings of the AWS providers of the stack: those of its state, and of its file.
func (c *SweepScope) ofStack(ctx context.Context) ([]map[string]any, error) {
	var settings []map[string]any
	deployment, err := c.session.stateOf(ctx, c.stack.Name)
	if err != nil {
		return nil, err
	}
	if deployment != nil {
		c.InfraID, _ = deployment.Outputs()["infraID"].(string)
		for _, r := range deployment.Resources {
			if r.Type != "pulumi:providers:aws" {
				continue
			}
			one := r.Inputs
			if awsconfig.Encrypted(one) && !c.session.Offline {
				return nil, &failure.Error{
					Reason: failure.Refused, Problem: fmt.Sprintf("the AWS provider %s of stack %s has secrets in its settings", r.URN.Name(), c.stack.Name),
					Remedy: "give --infra-id with --profile and --region instead of -s",
				}
			}
			settings = append(settings, one)
		}
	}
	if c.file != nil {
		if c.file.Cluster != nil {
			c.InfraID = c.file.Cluster.InfraID
		}
		for _, provider := range c.file.ProviderSettings() {
			settings = append(settings, provider.Values)
		}
	}
	if c.InfraID == "" {
		return nil, &failure.Error{
			Reason: failure.Refused, Problem: fmt.Sprintf("stack %s has neither a file nor a state that names a cluster", c.stack.Name),
			Remedy: "give --infra-id instead of -s",
		}
	}
	return settings, nil
}

// addStates reads every state of the backend, those of other projects too.
func (c *SweepScope) addStates(ctx context.Context, f *sweep.Facts) error {
	f.InState, f.StacksOf = map[string]string{}, map[string]string{}
	names, err := c.session.allStates(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		deployment, err := c.session.stateOf(ctx, name)
		if err != nil {
			f.UnreadStates = append(f.UnreadStates, name)
			continue
		}
		if deployment == nil {
			continue
		}
		resources := deployment.Resources
		for _, pending := range deployment.Pending {
			if pending.Resource != nil {
				resources = append(resources, pending.Resource)
			}
		}
		custom := false
		for _, r := range resources {
			if !r.Custom || strings.HasPrefix(string(r.Type), "pulumi:") {
				continue
			}
			custom = true
			f.InState[string(r.ID)] = name
			for _, output := range []string{"arn", "zoneId", "allocationId", "bucket"} {
				if text, _ := r.Outputs[output].(string); text != "" && output != "zoneId" || output == "zoneId" && string(r.Type) == awstype.HostedZone {
					f.InState[text] = name
				}
			}
		}
		if infraID, _ := deployment.Outputs()["infraID"].(string); infraID != "" && custom {
			f.StacksOf[infraID] = name
		}
	}
	delete(f.InState, "")
	return nil
}

// allStates are the names of all stacks of the backend: of this project plain, of others with the project.
func (s *Session) allStates(ctx context.Context) ([]string, error) {
	stack := s.stack("", nil)
	if exists, err := stack.backend.Exists(); err != nil || !exists {
		return nil, err
	}
	var err error
	if stack.workDir, err = s.listWorkDir(); err != nil {
		return nil, err
	}
	text, err := stack.run(ctx, "stack", "ls", "--all", "--json")
	if err != nil {
		return nil, stack.classify(err)
	}
	var states []stackState
	if err := json.Unmarshal([]byte(text), &states); err != nil {
		return nil, fmt.Errorf("reading the list of stacks: %w", err)
	}
	var names []string
	for _, state := range states {
		parts := strings.Split(state.Name, "/")
		if len(parts) > 1 && parts[len(parts)-2] == s.Project.Name() {
			names = append(names, parts[len(parts)-1])
			continue
		}
		names = append(names, state.Name)
	}
	return names, nil
}

// stateOf reads the state of any stack of the backend, nil where there is none.
func (s *Session) stateOf(ctx context.Context, name string) (*state.Deployment, error) {
	stack := s.stack(name, nil)
	if exists, err := stack.backend.Exists(); err != nil || !exists {
		return nil, err
	}
	var err error
	if stack.workDir, err = s.listWorkDir(); err != nil {
		return nil, err
	}
	var read *state.Deployment
	if !strings.Contains(name, "/") {
		read, err = stack.stateFile().Read()
	}
	if read == nil && err == nil {
		read, err = stack.exportState(ctx)
	}
	if err != nil && noSuchStack(err) {
		return nil, nil
	}
	if err != nil {
		return nil, stack.classify(err)
	}
	return read, nil
}
