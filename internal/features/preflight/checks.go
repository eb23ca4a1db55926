package preflight

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/users"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Checker makes the checks of preflight on a stack's plans, besides those that every update makes.
type Checker struct {
	*plancheck.Checker
	// Needs lists the resources and lookups for which the stack needs permissions.
	Needs func(context.Context) ([]permissions.Need, error)
	// Registry asks image registries. It is asked in an environment on the internet alone.
	Registry Registry
}

// QuickWithin limits the time of the checks that up always makes.
const QuickWithin = 10 * time.Second

// Preflight checks whether AWS and the management cluster will accept what a plan creates. It changes nothing in
// either.
func (c *Checker) Preflight(ctx context.Context, planned *changes.Plan) (*Report, error) {
	p, accounts, findings, err := c.preflightPlan(ctx, planned)
	if err != nil {
		return nil, err
	}
	if p.Needs, err = c.Needs(ctx); err != nil {
		return nil, fmt.Errorf("finding the permissions that stack %s needs: %w", c.Stack.Name, err)
	}
	if p.Releases, err = c.releases(); err != nil {
		return nil, err
	}
	options := Options{Resolver: c.Stack.Session.Environment.Resolver()}
	if options.Resolver != nil {
		options.Registry = c.Registry
	}
	report := Run(ctx, p, accounts, options)
	report.Add(findings...)
	report.Add(c.clusterFindings(ctx, planned, p.Own, accounts)...)
	return report, nil
}

// QuotasGate describes the gate of CheckQuotas.
func QuotasGate() gates.Gate {
	return gates.Gate{
		Name: "quotas",
		Refuses: "a plan that exceeds a quota of an account, sets tags that AWS does not allow, creates names of another cluster with the same infra " +
			"ID, or gives a cluster a role without the permissions that it cannot do without, unless --skip-preflight is " +
			"set",
		WayOn:      "raise the quota, or `--skip-preflight`",
		Operations: []gates.Operation{gates.Up, gates.Preview},
		Cost:       gates.CostAWS,
	}
}

// CheckQuotas asks PreflightQuick, whose warnings do not refuse a plan.
func (c *Checker) CheckQuotas(
	ctx context.Context,
	planned *changes.Plan,
	operation gates.Operation,
) (gate.Answer, error) {
	report, err := c.PreflightQuick(ctx, planned, operation == gates.Preview)
	if err != nil {
		return gate.Answer{}, err
	}
	answer := gate.Answer{Refused: report.Err(c.Stack.Name)}
	for _, f := range finding.Merge(report.Findings) {
		if f.Severity == finding.Warning {
			answer.Warnings = append(answer.Warnings, "preflight: "+f.String())
		}
	}
	return answer, nil
}

// PreflightQuick checks, within seconds, the quotas that a plan is likely to exceed, and existing resources; commands
// call it before they change something. It does nothing if the plan creates nothing in AWS and there is nothing to
// compare, or if PULUMI_DEBUG_PROVIDERS attaches an aws provider. Existing resources are compared if the plan changes
// something; with shows always.
func (c *Checker) PreflightQuick(ctx context.Context, planned *changes.Plan, shows bool) (*Report, error) {
	creates := slices.ContainsFunc(plan.Listed(planned), func(step *changes.Step) bool {
		return strings.HasPrefix(step.Type, "aws:") && step.Change != changes.Delete
	})
	compares := ComparesExisting(c.Stack.File) && (shows || len(plan.Listed(planned)) > 0)
	if !creates && !compares || !c.Stack.Session.Environment.KnowsAccounts() {
		return &Report{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, QuickWithin)
	defer cancel()
	p, accounts, findings, err := c.preflightPlan(ctx, planned)
	if err != nil {
		return nil, err
	}
	report := Run(ctx, p, accounts, Options{
		Quick:    true,
		Within:   QuickWithin,
		Resolver: c.Stack.Session.Environment.Resolver(),
	})
	report.Add(findings...)
	return report, nil
}

// DriftOfExisting compares the existing resources that the stack's file names with what the cluster needs, which a
// refresh does not read: what differs. It returns nothing without such resources, or if the AWS provider is not the
// stack's own.
func (c *Checker) DriftOfExisting(ctx context.Context) (*Report, error) {
	if !ComparesExisting(c.Stack.File) || !c.Stack.Session.Environment.KnowsAccounts() {
		return &Report{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, QuickWithin)
	defer cancel()
	own, err := c.Stack.Providers.Configured(ctx, "")
	if err != nil {
		return nil, err
	}
	who, one := Identify(ctx, own)
	if one.Severity != finding.Passed {
		return &Report{Findings: []finding.Finding{one}}, nil
	}
	place := who.Place
	given, err := ExistingOf(c.Stack.File, place)
	if err != nil {
		return nil, err
	}
	return RunExisting(ctx, Plan{Stack: c.Stack.Name, Own: place, Given: given}, Accounts{place: own}), nil
}

// preflightPlan returns a plan in the form that preflight expects, and the accounts of its providers. The findings are
// about their credentials: resources of a provider whose credentials are refused are left out.
func (c *Checker) preflightPlan(ctx context.Context, planned *changes.Plan) (Plan, Accounts, []finding.Finding, error) {
	p := Plan{Stack: c.Stack.Name, VPCID: VPCOf(c.Stack.File),
		New: !slices.ContainsFunc(planned.Before, func(r apitype.ResourceV3) bool {
			return strings.HasPrefix(string(r.Type), "aws:") && !r.External
		})}
	accounts := Accounts{}
	providers := plancheck.ProviderInputs(planned)
	places := map[string]inventory.Place{}
	var findings []finding.Finding
	created := createdBy(planned)
	for _, r := range planned.After {
		if !strings.HasPrefix(string(r.Type), "aws:") || r.External {
			continue
		}
		urn := plancheck.ProviderURN(r.Provider)
		place, known := places[urn]
		if !known {
			var one finding.Finding
			place, one = c.preflightPlace(ctx, urn, providers[urn], accounts)
			places[urn] = place
			findings = append(findings, one)
			if identity.IsOwnProvider(urn) {
				p.Own = place
			}
		}
		if place.Account == "" {
			continue
		}
		p.Resources = append(p.Resources, Resource{
			URN: string(r.URN), Type: string(r.Type), ID: string(r.ID), Place: place, Created: created[string(r.URN)],
			Inputs: r.Inputs, From: sources(r),
		})
	}
	findings = slices.CompactFunc(findings, func(a, b finding.Finding) bool { return a.String() == b.String() })
	if p.Own.Account == "" && c.joinsCluster() { // a stack without resources in AWS, whose nodes are
		place, one := c.preflightPlace(ctx, identity.OwnProvider, c.Stack.File.NamedProviderSettings()[""], accounts)
		p.Own, findings = place, append(findings, one)
	}
	if p.Own.Account != "" {
		p.Nodes = NodesIn(c.Stack.File, p, planned)
		p.Hosted = c.hosted(p, planned, places)
		if p.Hosted != nil {
			findings = append(findings, c.placeManagement(ctx, p.Hosted, places, accounts)...)
		}
		c.addPublicDomain(&p, planned)
		p.DNS = c.resolution(p)
		given, err := ExistingOf(c.Stack.File, p.Own)
		if err != nil {
			return p, accounts, findings, err
		}
		p.Given = given
		p.Resolved = c.resolved(p)
	}
	return p, accounts, findings, nil
}

// joinsCluster reports whether the stack's file describes what belongs to the cluster of another owner.
func (c *Checker) joinsCluster() bool {
	return c.Stack.File != nil && config.IdentityOf(c.Stack.File.Section).Relation == config.JoinsCluster
}

// preflightPlace returns the account and region of a provider. The account is added to the accounts.
func (c *Checker) preflightPlace(
	ctx context.Context,
	urn string,
	settings map[string]any,
	accounts Accounts,
) (inventory.Place, finding.Finding) {
	account, err := c.Stack.Providers.Planned(ctx, urn, settings)
	if err != nil {
		return inventory.Place{}, finding.Finding{
			Check: Credentials, Severity: finding.Warning, Subject: "AWS provider " + urn[strings.LastIndex(urn, ":")+1:],
			Problem: "not checked: " + err.Error(), Remedy: "check its resources by hand",
		}
	}
	who, one := Identify(ctx, account)
	place := who.Place
	if _, known := accounts[place]; !known && who.Account != "" {
		accounts[place] = account
	}
	return place, one
}

// createdBy returns the URNs of what a plan creates in addition to all existing resources.
func createdBy(planned *changes.Plan) map[string]bool {
	created := map[string]bool{}
	for _, step := range plan.Listed(planned) {
		if step.Change == changes.Create || step.Change == changes.Replace && !step.DeletedFirst {
			created[step.URN] = true
		}
	}
	return created
}

// sources returns the URNs of the resources that a resource's inputs come from, by input.
func sources(r apitype.ResourceV3) map[string][]string {
	from := map[string][]string{}
	for input, urns := range r.PropertyDependencies {
		for _, urn := range urns {
			from[string(input)] = append(from[string(input)], string(urn))
		}
	}
	return from
}

// NodesIn returns the machines that operators start for the stack's cluster. Those of a NodePool that the stack applies
// exist if its state has the pool, and not as one whose nodes are paused; others if it has anything.
func NodesIn(file *config.File, p Plan, planned *changes.Plan) []Nodes {
	section := config.As[config.NodesSection](file)
	if section == nil {
		return nil
	}
	var list []Nodes
	for _, n := range section.Nodes(p.Own.Region, p.ZonesIn(p.Own)) {
		list = append(list, Nodes{
			Nodes: n, Place: p.Own,
			Exist: !n.NodePool && len(planned.Before) > 0 || hasNodePool(planned.Before, n.Name),
		})
	}
	return list
}

// releases returns the release images that the stack's file names.
func (c *Checker) releases() (config.Releases, error) {
	section := config.As[config.ReleaseSection](c.Stack.File)
	if section == nil {
		return config.Releases{}, nil
	}
	found, err := section.Releases()
	if err != nil {
		return found, fmt.Errorf("reading the secrets of stack %s: %w", c.Stack.Name, err)
	}
	return found, nil
}

// hosted returns the hosted cluster whose operators create resources later, nil for other stacks and for a cluster that
// exists.
func (c *Checker) hosted(p Plan, planned *changes.Plan, places map[string]inventory.Place) *HostedCluster {
	cluster := config.As[*config.Cluster](c.Stack.File)
	if cluster == nil {
		return nil
	}
	exists := len(planned.Before) > 0
	if cluster.HostedCluster != nil && cluster.HostedCluster.Kubeconfig != nil {
		exists = slices.ContainsFunc(planned.Before, func(r apitype.ResourceV3) bool {
			return strings.HasSuffix(string(r.Type), ":HostedCluster")
		})
	}
	if exists {
		return nil
	}
	h := &HostedCluster{
		Public: cluster.EndpointAccess.HasPublic(), Private: cluster.EndpointAccess.HasPrivate(),
		APIServerLoadBalancer: cluster.APIServerLoadBalancer(),
		StackEndpoint:         cluster.PrivateLinkOwner() == config.OwnerStack,
		Cluster:               p.Own, VPC: p.Own, Management: p.Own,
	}
	for urn, place := range places {
		if urn[strings.LastIndex(urn, ":")+1:] == config.VPCOwnerAccountProvider {
			h.VPC = place
		}
	}
	return h
}

// VPCOf returns the ID of the VPC that the cluster of a file uses if it exists, or if another stack has it.
func VPCOf(file *config.File) string {
	cluster := config.As[*config.Cluster](file)
	if cluster == nil || cluster.Network.Existing == nil {
		return ""
	}
	return input.Text(cluster.Network.Existing.VPCID)
}

// placeManagement sets the account and region in which HyperShift creates what is in the management account: those of
// the management stack, otherwise those of accounts.management, otherwise the stack's own. It adds the account to the
// accounts, or returns the finding that its quotas are not compared.
func (c *Checker) placeManagement(
	ctx context.Context,
	h *HostedCluster,
	places map[string]inventory.Place,
	accounts Accounts,
) []finding.Finding {
	settings := c.Stack.File.NamedProviderSettings()
	urn, given := identity.OwnProvider, settings[config.ManagementAccountProvider]
	if given == nil {
		given = settings[""]
	} else {
		urn = config.ManagementAccountProvider
		for known, place := range places {
			if known[strings.LastIndex(known, ":")+1:] == urn {
				h.Management = place
			}
		}
	}
	account, region := "", ""
	if m, err := users.CheckManagement(ctx, c.Stack.Session, c.Stack.File); err == nil && m != nil {
		account, region = m.AccountID, m.Region
	}
	if region != "" {
		given = maps.Clone(given)
		given["region"] = region
	}
	wanted := inventory.Place{
		Partition: h.Management.Partition,
		Account:   cmp.Or(account, h.Management.Account),
		Region:    cmp.Or(region, h.Management.Region),
	}
	if _, known := accounts[wanted]; known && (urn == identity.OwnProvider || account != "") {
		h.Management = wanted
		return nil
	}
	place, one := c.preflightPlace(ctx, urn, given, accounts)
	switch {
	case one.Severity != finding.Passed:
		h.Management = inventory.Place{}
		return []finding.Finding{one}
	case account != "" && place.Account != account:
		h.Management = inventory.Place{}
		return []finding.Finding{{
			Check: Quotas, Severity: finding.Warning, Account: account, Region: region,
			Subject: "load balancers of the control plane",
			Problem: "not checked: they are created in the management stack's account, " + account +
				", and these credentials are of account " + place.Account,
			Remedy: "set accounts.management to that account",
		}}
	}
	h.Management = place
	return nil
}

func hasNodePool(resources []apitype.ResourceV3, name string) bool {
	return slices.ContainsFunc(resources, func(r apitype.ResourceV3) bool {
		object := unstructured.Unstructured{Object: r.Inputs}
		return strings.HasSuffix(string(r.Type), ":NodePool") && object.GetName() == name &&
			clusterstatus.PausedSince(r.Inputs) == ""
	})
}

// resolution returns what the DNS servers of an existing VPC have to resolve: AWS's services that machines call, and
// the private zones that exist.
func (c *Checker) resolution(p Plan) DNS {
	section := config.As[config.ResolverSection](c.Stack.File)
	if section == nil {
		return DNS{}
	}
	servers, services := section.ExistingDNS()
	if len(servers) == 0 {
		return DNS{}
	}
	dns := DNS{Servers: servers}
	for _, service := range services {
		if service == "ecr.dkr" {
			continue // its names begin with an account
		}
		host := strings.Replace(service, "ecr.api", "api.ecr", 1)
		dns.Hosts = append(dns.Hosts, host+"."+p.Own.Region+"."+hypershift.DNSSuffix(hypershift.Partition(p.Own.Region)))
	}
	for _, r := range p.Resources {
		if r.Type == awstype.HostedZone && !r.Created && r.Inputs["vpcs"] != nil {
			dns.Zones = append(dns.Zones, r.Inputs.String("name"))
		}
	}
	return dns
}

// resolved returns what the nodes of the stack's hosted cluster resolve, nil for a stack without one.
func (c *Checker) resolved(p Plan) *Resolved {
	cluster := config.As[*config.Cluster](c.Stack.File)
	if cluster == nil {
		return nil
	}
	own, local := cluster.ZoneName(cluster.BaseDomainPrefix, cluster.BaseDomain), cluster.LocalZoneName()
	r := &Resolved{VPC: p.VPCID, Place: p.Own, Others: true, Zones: []string{own}, Names: []string{"*.apps." + own},
		OwnServers: len(p.DNS.Servers) > 0}
	services := []string{"api", "ignition", "konnectivity", "oauth"}
	if cluster.EndpointAccess.HasPrivate() {
		services = []string{"api", "oauth"} // nodes use the names of the local zone
		r.Zones, r.Vital = append(r.Zones, local), []string{"api." + local, "*.apps." + local}
	}
	published := c.published(cluster)
	for _, service := range services {
		name := published[service]
		if name == "" {
			continue
		}
		r.Public = append(r.Public, name)
		if service != "oauth" && !cluster.EndpointAccess.HasPrivate() {
			r.Vital = append(r.Vital, name)
		}
	}
	r.Names = unique(slices.Concat(r.Names, r.Vital, r.Public))
	r.place(p)
	return r
}

// published returns the public names of a cluster's services, as hostedcluster.PublishedNames does.
func (c *Checker) published(cluster *config.Cluster) map[string]string {
	var spec map[string]any
	if h := cluster.HostedCluster; h != nil {
		spec = h.Spec
	}
	offered := ""
	if m := c.Stack.Management; m != nil {
		offered = m.ZoneDomain
	}
	return hostedcluster.PublishedNames(cluster.Name, cluster.ControlPlaneDomain(offered), spec)
}

// place sets whose VPC the nodes are in: that of the plan, of its existing resources, or of another stack, with which
// the plan associates its zones.
func (r *Resolved) place(p Plan) {
	if p.Given != nil {
		for _, part := range p.Given.Parts {
			if part.Kind == config.ExistingVPC {
				r.Place.Account = cmp.Or(part.Owner, r.Place.Account)
			}
		}
	}
	for _, resource := range p.Resources {
		switch resource.Type {
		case awstype.VPC:
			r.VPC, r.Place, r.Others = "", resource.Place, false
			if !resource.Created {
				r.VPC = resource.ID
			}
			return
		case awstype.HostedZone:
			for _, vpc := range resource.Inputs.Objects("vpcs") {
				if id := vpc.String("vpcId"); r.VPC == "" && id != plugin.UnknownStringValue {
					r.VPC = id
				}
			}
		}
	}
}

// addPublicDomain determines the domain whose public delegation the stack needs.
func (c *Checker) addPublicDomain(p *Plan, planned *changes.Plan) {
	section := config.As[config.DomainSection](c.Stack.File)
	if section == nil {
		return
	}
	newZone := slices.ContainsFunc(plan.Listed(planned), func(step *changes.Step) bool {
		return step.Type == awstype.HostedZone && step.Change == changes.Create && step.New["vpcs"] == nil
	})
	p.PublicDomain, p.PublicZoneNew = section.PublicDomain(newZone)
}

// clusterFindings returns the findings about the management cluster that the plan's objects are applied to. own is the
// place of the stack's own provider.
func (c *Checker) clusterFindings(
	ctx context.Context,
	planned *changes.Plan,
	own inventory.Place,
	accounts Accounts,
) []finding.Finding {
	kubeconfig := binding.AppliedBy(c.Stack.File)
	if kubeconfig == nil {
		return nil
	}
	of := kind.ByName(c.Stack.File.Kind)
	p := ClusterPlan{
		Operators: of.Operators(), Resources: planned.After,
		CheckNames: func(ctx context.Context) error { return c.CheckNewObjects(ctx, planned) },
		CheckIdentity: func(ctx context.Context) error {
			_, _, err := c.Connection.CheckIdentity(ctx, gates.Up)
			return err
		},
	}
	if of.ChecksFields() {
		p.CheckFields = func(ctx context.Context) error { return c.CheckFields(ctx, planned) }
	}
	if of.HostsControlPlanes {
		p.Account, p.Place = accounts[own], own
	}
	if c.Connection.Silent != nil {
		return []finding.Finding{ClusterNotOpened(c.Connection.Silent)}
	}
	findings, err := binding.Ask(ctx, c.Connection, *kubeconfig,
		func(ctx context.Context, api workspace.Cluster) ([]finding.Finding, error) {
			return CheckCluster(ctx, api, p), nil
		})
	if err != nil {
		return []finding.Finding{ClusterNotOpened(err)}
	}
	return findings
}
