package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// SweepScope is where a sweep looks. Close it.
type SweepScope struct {
	// InfraID is that of the stack's cluster, "" without a stack.
	InfraID string
	// Accounts are the accounts and regions that the stack's file and state lead to, or those of the environment.
	Accounts []orphan.Sweepable
	// Journals is the folder of the journals.
	Journals string

	session *Session
	// stack and file are nil without a stack.
	stack *Stack
	file  *config.File
	// kubeconfigs are given on the command line.
	kubeconfigs []config.Kubeconfig
}

// SweepOptions say where to look.
type SweepOptions struct {
	// Stack is a stack's name and File its file, which may be nil; "" for the environment's account.
	Stack string
	File  *config.File
	// Region and Profile are for the environment's account, "" for what the environment says.
	Region, Profile string
	// Kubeconfigs lead to management clusters beside those of the stacks' files.
	Kubeconfigs []config.Kubeconfig
}

// OpenSweep finds the accounts of a sweep.
func (s *Session) OpenSweep(ctx context.Context, o SweepOptions) (*SweepScope, error) {
	scope := &SweepScope{session: s, file: o.File, kubeconfigs: o.Kubeconfigs, Journals: filepath.Join(s.Project.OwnDir(), "sweep")}
	if s.Offline {
		scope.Journals = filepath.Join(s.Project.OfflineDir(), "sweep")
	}
	settings := []map[string]any{{}}
	if o.Region != "" {
		settings[0]["region"] = o.Region
	}
	if o.Profile != "" {
		settings[0]["profile"] = o.Profile
	}
	scope.stack = s.stack(o.Stack, o.File)
	if o.Stack != "" {
		var err error
		if settings, err = scope.ofStack(ctx); err != nil {
			return nil, err
		}
	}
	if s.Offline {
		if err := scope.stack.attachOffline(); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for _, one := range settings {
		key, err := json.Marshal(one)
		if err != nil {
			return nil, fmt.Errorf("reading the settings of an AWS provider: %w", err)
		}
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		if s.Offline {
			if one["region"] == nil {
				one["region"] = "us-east-1"
			}
			scope.Accounts = append(scope.Accounts, offlineSweepable{offlineAccount{scope.stack.account, one}})
			continue
		}
		scope.Accounts = append(scope.Accounts, orphan.NewSweepable(one))
	}
	return scope, nil
}

// Close ends what the sweep needed.
func (c *SweepScope) Close() { c.stack.Close() }

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

// Facts searches an account, and adds what the backend and the management clusters say.
func (c *SweepScope) Facts(ctx context.Context, account orphan.Sweepable) (sweep.Facts, error) {
	f, err := sweep.Search(ctx, account, c.Journals, time.Now())
	if err != nil {
		return f, err
	}
	if err := c.addStates(ctx, &f); err != nil {
		return f, err
	}
	f.Management = c.managementClusters(ctx)
	return f, nil
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

// managementClusters asks those that the flags and the stacks' files lead to.
func (c *SweepScope) managementClusters(ctx context.Context) []sweep.ManagementCluster {
	wanted := slices.Clone(c.kubeconfigs)
	for _, name := range c.session.Project.Stacks() {
		file, err := c.session.Project.LoadStack(name)
		if err != nil || file == nil {
			continue
		}
		if file.Cluster != nil && file.Cluster.HostedCluster != nil && file.Cluster.HostedCluster.Kubeconfig != nil {
			wanted = append(wanted, *file.Cluster.HostedCluster.Kubeconfig)
		}
		if file.Management != nil && file.Management.Kubeconfig != nil {
			wanted = append(wanted, *file.Management.Kubeconfig)
		}
	}
	var clusters []sweep.ManagementCluster
	seen := map[config.Kubeconfig]bool{}
	for _, one := range wanted {
		if seen[one] {
			continue
		}
		seen[one] = true
		m := sweep.ManagementCluster{Name: managementName(one)}
		m.Alive, m.Err = c.infrastructures(ctx, one)
		clusters = append(clusters, m)
	}
	return clusters
}

func managementName(k config.Kubeconfig) string {
	switch {
	case k.Context != "":
		return k.Context
	case k.File != "":
		return "of " + k.File
	}
	return "of the current context"
}

// managementPatience is how long a management cluster has to answer.
const managementPatience = 20 * time.Second

func (c *SweepScope) infrastructures(ctx context.Context, k config.Kubeconfig) (map[string]string, error) {
	if !c.session.Offline {
		api, err := kubeapi.Open(k.File, k.Context)
		if err != nil {
			return nil, err
		}
		defer func() { _ = api.Close() }()
		ctx, cancel := context.WithTimeout(ctx, managementPatience)
		defer cancel()
		return api.Infrastructures(ctx)
	}
	cluster, err := offline.OpenCluster(c.session.Project.OfflineDir(), k.File, k.Context)
	if err != nil {
		return nil, err
	}
	defer func() { _ = cluster.Close() }()
	found := map[string]string{}
	for _, object := range cluster.Objects() {
		spec, _ := object.Properties["spec"].(map[string]any)
		if infraID, _ := spec["infraID"].(string); object.Kind == "HostedCluster" && infraID != "" {
			found[infraID] = "HostedCluster " + object.ID
		}
	}
	return found, nil
}

// Busy says who is working on the scope's stack, "" where nobody is known to.
func (c *SweepScope) Busy() string {
	if c.stack.Name == "" {
		return ""
	}
	locks, err := c.stack.Locks()
	if err != nil || len(locks) == 0 {
		return ""
	}
	return fmt.Sprint(locks[0])
}

// offlineSweepable is an offline account as a sweep sees it.
type offlineSweepable struct{ offlineAccount }

var _ orphan.Sweepable = offlineSweepable{}

// Leftovers implements orphan.Sweepable.
func (a offlineSweepable) Leftovers(context.Context) ([]orphan.Leftover, []orphan.Missing) {
	found, err := a.server.Find(a.config, "", nil, nil)
	if err != nil {
		return nil, []orphan.Missing{{Err: err}}
	}
	main := map[string]bool{}
	for _, r := range found {
		if table, _ := r.Properties["routeTableId"].(string); r.Type == awstype.MainRouteTableAssociation {
			main[table] = true
		}
	}
	var all []orphan.Leftover
	for _, r := range found {
		if _, swept := awstype.SweepOf(r.Type); !swept || r.Type == awstype.Record {
			continue
		}
		l := leftoverOf(r)
		if l.Type == awstype.RouteTable && main[l.ID] {
			l.Kept = "a main route table goes with its VPC"
		}
		if len(l.Clusters()) > 0 || l.Type == awstype.Instance {
			all = append(all, l)
		}
	}
	return all, nil
}

// leftoverOf is a resource of an offline account.
func leftoverOf(r offline.Found) orphan.Leftover {
	text := func(name string) string { s, _ := r.Properties[name].(string); return s }
	texts := func(name string) []string {
		list, _ := r.Properties[name].([]any)
		var all []string
		for _, one := range list {
			if s, _ := one.(string); s != "" {
				all = append(all, s)
			}
		}
		return all
	}
	l := orphan.Leftover{
		Found: orphan.Found{Type: r.Type, ID: r.ID, ARN: r.ARN, Tags: r.Tags, Created: r.Born},
		Owner: text("ownerId"), VPC: text("vpcId"), Priced: r.Properties,
	}
	switch r.Type {
	case awstype.SecurityGroup:
		if text("name") == "default" {
			l.Kept = "a default security group goes with its VPC"
		}
	case awstype.VPC:
		l.VPC = r.ID
	case awstype.Instance:
		l.State = text("instanceState")
	case awstype.VPCEndpointService:
		l.Backends = texts("networkLoadBalancerArns")
	case awstype.LoadBalancer:
		l.Host = text("dnsName")
	case awstype.HostedZone:
		l.Host = text("name")
	}
	return l
}

// Records implements orphan.Sweepable.
func (a offlineSweepable) Records(_ context.Context, name string) ([]orphan.Leftover, error) {
	records, err := a.server.Find(a.config, awstype.Record, nil, nil)
	if err != nil {
		return nil, err
	}
	zones, err := a.server.Find(a.config, awstype.HostedZone, nil, nil)
	if err != nil {
		return nil, err
	}
	var found []orphan.Leftover
	for _, r := range records {
		fqdn, _ := r.Properties["fqdn"].(string)
		public := slices.ContainsFunc(zones, func(z offline.Found) bool {
			vpcs, _ := z.Properties["vpcs"].([]any)
			return z.ID == r.Properties["zoneId"] && len(vpcs) == 0
		})
		targets, _ := r.Properties["records"].([]any)
		if fqdn != name || !public || len(targets) != 1 {
			continue
		}
		target, _ := targets[0].(string)
		found = append(found, orphan.Leftover{
			Found: orphan.Found{Type: r.Type, ID: r.ID, Tags: map[string]string{"Name": name}, Created: r.Born}, Host: orphan.Host(target),
		})
	}
	return found, nil
}

// Describe implements orphan.Sweepable.
func (a offlineSweepable) Describe(ctx context.Context, l orphan.Leftover) (*orphan.Leftover, error) {
	if l.Type == awstype.Record {
		records, err := a.Records(ctx, l.Name())
		for _, r := range records {
			if r.ID == l.ID {
				return &r, err
			}
		}
		return nil, err
	}
	found, err := a.server.Find(a.config, l.Type, nil, nil)
	for _, r := range found {
		if r.ID == l.ID {
			now := leftoverOf(r)
			return &now, err
		}
	}
	return nil, err
}

// Release implements orphan.Sweepable.
func (a offlineSweepable) Release(_ context.Context, l orphan.Leftover) error {
	if l.Type != awstype.SecurityGroup {
		return nil
	}
	return a.server.RevokeGroupRules(a.config, l.ID)
}

// Delete implements orphan.Sweepable.
func (a offlineSweepable) Delete(_ context.Context, l orphan.Leftover) error {
	return a.server.Remove(a.config, l.Type, l.ID)
}
