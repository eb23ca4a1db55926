package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/trial"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Counted is how much many stacks would add together to the use of their accounts' quotas.
type Counted struct {
	Demands  []preflight.Demand
	Accounts preflight.Accounts
	// Uncounted are warnings about demands that are not included, and why.
	Uncounted []finding.Finding
	// opened opens Accounts.
	opened workspace.Accounts
}

// Close closes the accounts.
func (d *Counted) Close() {
	if d.opened != nil {
		_ = d.opened.Close()
	}
}

// CountDemands counts the resources that stacks of the project would create. The keys of stacks are their names, the
// values their names in messages. Each stack's program runs in this process with an account in memory, so that a stack
// takes milliseconds and its management stack need not exist. Resources in a stack's state are not counted;
// replacements are checked by the stack's own preflight. parallel limits the number of engines that read states from
// other backends than folders. The result is empty if PULUMI_DEBUG_PROVIDERS attaches an aws provider.
func CountDemands(ctx context.Context, s *workspace.Session, names map[string]string, parallel int) (*Counted, error) {
	c := &demandCounter{
		session:  s,
		names:    names,
		Counted:  Counted{Accounts: preflight.Accounts{}},
		accounts: map[string]*providerAccount{},
	}
	if !s.Environment.KnowsAccounts() {
		return &c.Counted, nil
	}
	var err error
	if c.opened, err = s.Environment.Accounts(nil, func(report.Event) {}); err != nil {
		return nil, err
	}
	if err := c.list(ctx); err != nil {
		c.Close()
		return nil, err
	}
	free := make(chan struct{}, max(parallel, 1))
	var all sync.WaitGroup
	for name, id := range names {
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			if err := c.count(ctx, name, id); err != nil {
				c.uncounted(id, err)
			}
		})
	}
	all.Wait()
	// What one stack creates in its own new VPC is checked by that stack's preflight.
	c.Demands = slices.DeleteFunc(preflight.Sum(c.Demands), func(d preflight.Demand) bool {
		return d.New && len(d.Stacks) == 1
	})
	for _, l := range c.accounts {
		if l.account != nil {
			c.Accounts[l.place] = l.account
		}
	}
	c.warn()
	return &c.Counted, nil
}

// demandCounter counts what stacks would create.
type demandCounter struct {
	Counted
	session *workspace.Session
	// names are those of all stacks in messages, by their names.
	names map[string]string
	// withResources are the stacks whose states have resources, according to the engine; nil if this process reads the
	// states itself.
	withResources map[string]bool

	mu sync.Mutex
	// reasons maps the reasons why stacks are not counted to the stacks' names.
	reasons map[string][]string
	// accounts are the accounts of the providers, by their settings.
	accounts map[string]*providerAccount
}

// providerAccount is the account and region of a provider, found once.
type providerAccount struct {
	once    sync.Once
	place   inventory.Place
	account account.Account
	err     error
}

// uncounted records why a stack is not counted.
func (c *demandCounter) uncounted(id string, err error) {
	message := strings.Join(strings.Fields(err.Error()), " ") // in one line
	message = strings.Replace(message, "1 error occurred: * ", "", 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reasons == nil {
		c.reasons = map[string][]string{}
	}
	c.reasons[message] = append(c.reasons[message], id)
}

// warn adds one warning for all stacks that are not counted for the same reason.
func (c *demandCounter) warn() {
	for message, ids := range c.reasons {
		slices.Sort(ids)
		c.Uncounted = append(c.Uncounted, finding.Finding{
			Check: preflight.Quotas, Severity: finding.Warning, Subject: "stacks " + preflight.FirstOf(ids),
			Problem: "the resources that they would create are not counted: " + message,
		})
	}
	slices.SortFunc(c.Uncounted, func(a, b finding.Finding) int { return strings.Compare(a.Subject, b.Subject) })
}

// list runs the engine to list the stacks with resources, unless the backend is a folder.
func (c *demandCounter) list(ctx context.Context) error {
	if c.session.Stack("", nil).Backend.Folder() != "" {
		return nil
	}
	states, err := c.session.States(ctx)
	if err != nil {
		return err
	}
	c.withResources = map[string]bool{}
	for _, s := range states {
		c.withResources[s.Name] = s.Resources > 0
	}
	return nil
}

// count adds the resources that a stack would create.
func (c *demandCounter) count(ctx context.Context, name, id string) error {
	file, err := c.session.Project.LoadStack(name)
	if err != nil {
		return err
	}
	stack := c.session.Stack(name, file)
	has, err := c.resources(ctx, stack)
	if err != nil {
		return err
	}
	uses, err := c.networkOf(ctx, file)
	if err != nil {
		return err
	}
	wanted, err := c.registered(ctx, stack, has, uses)
	if err != nil {
		return err
	}
	settings := file.NamedProviderSettings()
	p := preflight.Plan{Stack: id, VPCID: preflight.VPCOf(file)}
	for _, r := range wanted {
		values, known := settings[r.Provider]
		if !known {
			continue // a provider that is not in the file
		}
		l := c.accountOf(ctx, values)
		if l.err != nil {
			c.uncounted(id, l.err)
			return nil
		}
		if r.Provider == "" {
			p.Own = l.place
		}
		p.Resources = append(p.Resources, preflight.Resource{
			URN: r.URN, Type: r.Type, ID: r.ID, Place: l.place, Created: r.ID == "", Inputs: r.Inputs, From: r.From,
		})
	}
	if p.Own.Account != "" {
		p.Nodes = preflight.NodesIn(file, p, &changes.Plan{Before: has})
	}
	demands := preflight.Demands(p)
	for i := range demands {
		if demands[i].Of == newNetworksVPC {
			demands[i].Of, demands[i].New = c.names[uses.stack]+"/network-vpc", true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Demands = append(c.Demands, demands...)
	return nil
}

// resources returns the resources of the stack's state.
func (c *demandCounter) resources(ctx context.Context, stack *workspace.Stack) ([]apitype.ResourceV3, error) {
	if c.withResources != nil && !c.withResources[stack.Name] {
		return nil, nil
	}
	if exists, err := stack.Backend.Exists(); err != nil || !exists {
		return nil, err
	}
	read, err := stack.StateFile().Read()
	if errors.Is(err, state.ErrNoStack) {
		return nil, nil
	}
	if read == nil && err == nil {
		if stack.WorkDir, err = c.session.ListWorkDir(); err == nil {
			read, err = stack.ExportState(ctx)
		}
		if err != nil && workspace.IsMissing(err) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return read.InCloud(), nil
}

// placeholderIssuer is the issuer of a management stack that has no state yet.
const placeholderIssuer = "https://issuer.example.com"

// registered returns the AWS resources that the stack's program registers. The program runs with an account that has
// the resources to which its config refers.
func (c *demandCounter) registered(
	ctx context.Context,
	stack *workspace.Stack,
	has []apitype.ResourceV3,
	uses usedNetwork,
) ([]trial.Resource, error) {
	dir, err := os.MkdirTemp("", "hypershift-aws-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for a trial preview of the stack: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	account, err := inmemory.Serve(inmemory.Options{
		Dir: dir, Interrupts: c.session.Interrupts, Report: func(report.Event) {},
		Existing: stack.File.Existing(&config.ManagementOutputs{IssuerBaseURL: placeholderIssuer}),
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = account.Close() }()
	values, err := c.session.Project.EngineConfig(stack.Name)
	if err != nil {
		return nil, err
	}
	management, err := placeholderOutputs(stack.File, account)
	if err != nil {
		return nil, err
	}
	reference := func(name string) map[string]any {
		if uses.stack != "" && path.Base(uses.stack) == path.Base(name) {
			return uses.outputs
		}
		return management
	}
	known := map[string]string{}
	for _, r := range has {
		known[string(r.URN)] = string(r.ID)
	}
	program := c.session.ProgramOf(stacks.Options{
		Dir:     c.session.Project.StackDir(),
		Secrets: c.session.Project.SuppliedSecrets(stack.Name),
	})
	port, _, _ := strings.Cut(strings.TrimPrefix(account.Providers(), "aws:"), ",")
	return trial.Run(ctx, trial.Options{
		Project: c.session.Project.Name(), Stack: stack.Name, Program: program, Config: values,
		Settings: stack.File.NamedProviderSettings()[""], Address: "127.0.0.1:" + port, Reference: reference, Known: known,
	})
}

// usedNetwork is the network of another stack that a cluster uses.
type usedNetwork struct {
	// stack is the name of the stack, "" if the cluster has its own network.
	stack string
	// outputs are those of its last update or, before the first, placeholders.
	outputs map[string]any
}

// The IDs of the network of a stack that is not deployed.
const (
	newNetworksVPC    = "vpc-00000000000000000"
	newNetworksZone   = "Z00000000000000000000"
	newNetworksSubnet = "subnet-0000000000000%04x"
)

// networkOf returns the network of another stack that a stack uses, and makes the file use it.
func (c *demandCounter) networkOf(ctx context.Context, file *config.File) (usedNetwork, error) {
	var used usedNetwork
	cluster, roles := config.As[*config.Cluster](file), config.As[*config.IAM](file)
	switch {
	case cluster != nil:
		used.stack = cluster.NetworkStack
	case roles != nil:
		used.stack = roles.NetworkStack
	}
	if used.stack == "" {
		return used, nil
	}
	var err error
	if used.outputs, err = c.session.OutputsOf(ctx, used.stack); err != nil {
		return used, err
	}
	if used.outputs["kind"] == nil {
		if used.outputs, err = c.plannedNetwork(ctx, used.stack); err != nil {
			return used, err
		}
	}
	read := func(stack string) (map[string]any, bool) { return used.outputs, stack == used.stack }
	return used, file.Placed(stacks.UseParts(file, read))
}

// plannedNetwork returns the outputs that a network's stack could have after its first update, nil if the project has
// no file of it, or if it shares the VPC with another account.
func (c *demandCounter) plannedNetwork(ctx context.Context, stack string) (map[string]any, error) {
	file, err := c.session.Project.LoadStack(stack)
	n := config.As[*config.Network](file)
	if err != nil || n == nil || n.Network.Shared != nil {
		return nil, nil //nolint:nilerr // the program reports what is wrong with the stack
	}
	at := c.accountOf(ctx, file.NamedProviderSettings()[""])
	if at.err != nil {
		return nil, at.err
	}
	vpc, zones := newNetworksVPC, []any{}
	private, public := map[string]any{}, map[string]any{}
	if e := n.Network.Existing; e != nil {
		vpc = input.Text(e.VPCID)
		for _, subnets := range e.Subnets {
			zones = append(zones, subnets.Zone)
			private[subnets.Zone], public[subnets.Zone] = input.Text(subnets.Private), input.Text(subnets.Public)
		}
	} else {
		named := n.Network.Zones
		if len(named) == 0 {
			named = []network.Zone{{Name: at.place.Region + "a"}}
		}
		for i, zone := range named {
			zones = append(zones, zone.Name)
			if !n.Network.PublicOnly {
				private[zone.Name] = fmt.Sprintf(newNetworksSubnet, 2*i)
			}
			if n.EndpointAccess.HasPublic() {
				public[zone.Name] = fmt.Sprintf(newNetworksSubnet, 2*i+1)
			}
		}
	}
	further := []any{}
	for _, infraID := range n.Clusters {
		further = append(further, infraID)
	}
	local := ""
	if n.EndpointAccess.HasPrivate() {
		local = newNetworksZone + "2"
	}
	return map[string]any{
		"kind": string(config.KindNetwork), "name": n.Name, "infraID": n.InfraID, "baseDomain": n.BaseDomain,
		"baseDomainPrefix": n.BaseDomainPrefix, "endpointAccess": string(n.EndpointAccess), "clusters": further,
		"accountID": at.place.Account, "region": at.place.Region, "publicOnly": n.Network.PublicOnly, "vpcID": vpc,
		"privateZoneID": newNetworksZone + "1", "localZoneID": local, "zones": zones,
		"privateSubnetIDs": private, "publicSubnetIDs": public,
	}, nil
}

// placeholderOutputs returns outputs that a management stack could have, or nil for a stack that names none. Nothing
// that depends on them counts against a quota.
func placeholderOutputs(file *config.File, account *offline.Server) (map[string]any, error) {
	if config.ManagementStack(file) == "" {
		return nil, nil
	}
	settings := file.NamedProviderSettings()
	provider, given := settings[config.ManagementAccountProvider]
	if !given {
		provider = settings[""]
	}
	id, region, _, err := account.Place(provider)
	if err != nil {
		return nil, fmt.Errorf("finding the account of the management stack: %w", err)
	}
	return map[string]any{
		"kind":          string(config.KindManagement),
		"accountID":     id,
		"region":        region,
		"issuerBaseURL": placeholderIssuer,
	}, nil
}

// accountOf returns the account of a provider, looked up once for all stacks with the same settings.
func (c *demandCounter) accountOf(ctx context.Context, settings map[string]any) *providerAccount {
	key, err := json.Marshal(withoutNames(settings))
	if err != nil {
		return &providerAccount{err: fmt.Errorf("reading the settings of the AWS provider: %w", err)}
	}
	c.mu.Lock()
	l := c.accounts[string(key)]
	if l == nil {
		l = &providerAccount{}
		c.accounts[string(key)] = l
	}
	c.mu.Unlock()
	l.once.Do(func() {
		opened, err := c.opened.Open(settings, func() (map[string]any, error) {
			if awsconfig.Encrypted(settings) {
				return nil, errors.New("the settings of its AWS provider have secrets")
			}
			return settings, nil
		})
		if err != nil {
			l.err = err
			return
		}
		ctx, cancel := context.WithTimeout(ctx, preflight.QuickWithin)
		defer cancel()
		who, one := preflight.Identify(ctx, opened)
		if one.Severity != finding.Passed {
			l.err = errors.New(one.Problem)
			return
		}
		l.account, l.place = opened, who.Place
	})
	return l
}

// withoutNames drops the settings of a provider that do not select an account: names and tags.
func withoutNames(settings map[string]any) map[string]any {
	rest := maps.Clone(settings)
	delete(rest, "defaultTags")
	if role, ok := rest["assumeRole"].(map[string]any); ok {
		role = maps.Clone(role)
		delete(role, "sessionName")
		rest["assumeRole"] = role
	}
	return rest
}
