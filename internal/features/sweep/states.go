package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// AddStack adds the accounts of the AWS providers in a stack's state and its file, which is nil if there is none. It
// refuses a stack without a hosted cluster: one for which the scope has no infra ID.
func (c *Scope) AddStack(ctx context.Context, name string, file *config.File) error {
	c.stack = path.Base(name)
	deployment, err := c.Project.State(ctx, name)
	if err != nil {
		return err
	}
	if c.InfraID == "" {
		return noCluster(name, file, deployment)
	}
	return c.AddAccounts(ctx, providersOf(name, file, deployment))
}

// providersOf returns the AWS providers in a stack's state and its file; each may be nil.
func providersOf(name string, file *config.File, deployment *state.Deployment) (providers []Provider) {
	if deployment != nil {
		for _, r := range deployment.Resources {
			if r.Type != "pulumi:providers:aws" {
				continue
			}
			providers = append(providers, Provider{
				Reference: r.Reference(),
				Name:      r.URN.Name() + " in the state of stack " + name,
				Settings:  r.Inputs,
			})
		}
	}
	if file != nil {
		for _, provider := range file.ProviderSettings() {
			providers = append(providers, Provider{
				Name:     strings.TrimSuffix(provider.Prefix, ".") + " in the file of stack " + name,
				Settings: provider.Values,
			})
		}
	}
	return providers
}

// noCluster returns the refusal of a stack that names no hosted cluster.
func noCluster(name string, file *config.File, deployment *state.Deployment) error {
	var of config.Kind
	switch {
	case file != nil:
		of = file.Kind
	case deployment != nil:
		of = config.Kind(deployment.Outputs().String("kind"))
	}
	if kind.RefuseWithoutHostedCluster(name, of) == nil {
		return &failure.Error{
			Reason: failure.Refused, Problem: fmt.Sprintf("stack %s has neither a file nor a state that names a cluster", name),
			Remedy: "use --infra-id instead of -s",
		}
	}
	return &failure.Error{
		Reason: failure.Refused, Problem: fmt.Sprintf("stack %s is of kind %s, and a sweep is for what a hosted cluster left",
			name, of),
		Remedy: kind.InsteadOf(of) + ", or --infra-id of the hosted cluster instead of -s",
	}
}

// addStates reads every state of the backend, including states of other projects.
func (c *Scope) addStates(ctx context.Context, f *Facts) error {
	f.InState, f.StacksOf, f.Applied, f.Recorded = map[string]string{}, map[string]string{}, map[string]string{},
		map[string]map[string]string{}
	f.States, f.Unlocated, c.inStates = map[string]string{}, map[string]string{}, map[string]config.Kubeconfig{}
	var unencoded error
	err := c.Project.EachState(ctx, func(one state.OfStack) {
		name, deployment := one.Stack, one.Deployment
		if one.Err != nil {
			f.Unread = append(f.Unread, fmt.Sprintf("the state of stack %s: %v", name, one.Err))
			return
		}
		resources := deployment.Resources
		for _, pending := range deployment.Pending {
			if pending.Resource != nil {
				resources = append(resources, pending.Resource)
			}
		}
		if k := binding.ProviderKubeconfig(deployment); k != nil && !strings.Contains(name, "/") {
			c.inStates[name] = *k
		}
		custom, applied, recorded := false, false, clusterstatus.RecordedCluster(deployment)
		for _, r := range resources {
			applied = applied || r.Type == "pulumi:providers:kubernetes"
			if !r.Custom || strings.HasPrefix(string(r.Type), "pulumi:") {
				continue
			}
			custom = true
			f.InState[string(r.ID)] = name
			for _, output := range []string{"arn", "zoneId", "allocationId", "bucket"} {
				if text, _ := r.Outputs[output].(string); text != "" && output != "zoneId" ||
					output == "zoneId" && string(r.Type) == awstype.HostedZone {
					f.InState[text] = name
				}
			}
		}
		if _, hasFile := f.Files[name]; !hasFile && custom {
			text, err := json.Marshal(resources)
			unencoded = errors.Join(unencoded, err)
			f.States[name] = string(text)
			if applied && !strings.Contains(name, "/") {
				f.Unlocated[name] = recorded
			}
		}
		outputs := deployment.Outputs()
		infraID := outputs.String("infraID")
		if of := kind.ByName(config.Kind(outputs.String("kind"))).Cluster; of != nil {
			infraID = outputs.String(of.Output)
		}
		if infraID != "" && custom {
			f.StacksOf[infraID] = name
		}
		if infraID != "" && applied {
			f.Applied[infraID] = name
		}
		if infraID != "" && recorded != "" {
			if f.Recorded[infraID] == nil {
				f.Recorded[infraID] = map[string]string{}
			}
			f.Recorded[infraID][name] = recorded
		}
	})
	slices.Sort(f.Unread)
	delete(f.InState, "")
	return errors.Join(err, unencoded)
}

// addUnlocated adds the management clusters of stacks whose files are not known, and that no kubeconfig selects: they
// cannot be read.
func (f *Facts) addUnlocated() {
	for _, stack := range slices.Sorted(maps.Keys(f.Unlocated)) {
		if uid := f.Unlocated[stack]; uid == "" || !f.reached(uid) {
			f.Management = append(f.Management, ManagementCluster{
				Name: "stack " + stack, Other: true,
				Err: errors.New("the stack has no file here that names its kubeconfig; use --kubeconfig"),
			})
		}
	}
}
