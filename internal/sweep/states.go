package sweep

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// AddStack sets the infra ID to that of a stack's cluster, and adds the accounts of the AWS providers in its state and its file. The file
// is nil if there is none.
func (c *Scope) AddStack(ctx context.Context, name string, file *config.File) error {
	var settings []map[string]any
	deployment, err := c.Project.State(ctx, name)
	if err != nil {
		return err
	}
	if deployment != nil {
		c.InfraID, _ = deployment.Outputs()["infraID"].(string)
		for _, r := range deployment.Resources {
			if r.Type != "pulumi:providers:aws" {
				continue
			}
			one := r.Inputs
			if awsconfig.Encrypted(one) && !c.Project.Offline() {
				return &failure.Error{
					Reason: failure.Refused, Problem: fmt.Sprintf("the AWS provider %s of stack %s has secrets in its settings", r.URN.Name(), name),
					Remedy: "use --infra-id with --profile and --region instead of -s",
				}
			}
			settings = append(settings, one)
		}
	}
	if file != nil {
		if file.Cluster != nil {
			c.InfraID = file.Cluster.InfraID
		}
		for _, provider := range file.ProviderSettings() {
			settings = append(settings, provider.Values)
		}
	}
	if c.InfraID == "" {
		return &failure.Error{
			Reason: failure.Refused, Problem: fmt.Sprintf("stack %s has neither a file nor a state that names a cluster", name),
			Remedy: "use --infra-id instead of -s",
		}
	}
	return c.AddAccounts(settings)
}

// addStates reads every state of the backend, those of other projects too.
func (c *Scope) addStates(ctx context.Context, f *Facts) error {
	f.InState, f.StacksOf = map[string]string{}, map[string]string{}
	names, err := c.Project.States(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		deployment, err := c.Project.State(ctx, name)
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
