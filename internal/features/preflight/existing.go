package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// ExistingParts are the existing resources that a stack's file names instead of letting the stack create them, and what
// the cluster needs of them.
type ExistingParts struct {
	Place inventory.Place
	// Parts are the existing resources.
	Parts []config.Existing
	// Roles are the roles of a hosted cluster among the parts, with the actions that they need.
	Roles []iam.ExistingRole
	// Release is the control plane's release after the plan, zero if it is not known: actions that only later releases
	// need are warnings.
	Release semver.Version
	// Cluster is the hosted cluster, the zero value for other stacks.
	Cluster hypershift.Cluster
	// Network are the args of the stack's network, nil for stacks without one.
	Network *network.BaseNetworkArgs
}

// difference is what distinguishes an existing resource from the one that the stack would have created.
type difference struct {
	// is says what the resource has or lacks, and breaks what does not work because of it: "lacks iam:PassRole", "machines
	// cannot be started".
	is, breaks string
	// remedy says what to do.
	remedy string
	// actions are the IAM actions that it lacks.
	actions []string
	// fails is true if the cluster does not work with it.
	fails bool
}

// part is an existing resource in its account, with all others.
type part struct {
	config.Existing
	given *ExistingParts
	in    account.Account
}

// comparison compares the existing resources of a kind with those that the stack would have created.
type comparison struct {
	// judge returns the verdict of the component that uses the resource, which each preview and update shows too.
	judge func(p part, ctx context.Context) ([]difference, error)
	// differences returns what only this comparison finds, because the program cannot look it up. judge and differences
	// are nil for a kind of which the program compares everything.
	differences func(p part, ctx context.Context) ([]difference, error)
	// passes describes a resource without a difference.
	passes string
	// because is why there is nothing to compare, "" if judge is set.
	because string
}

// comparisons returns the comparison of each kind of existing resource.
func comparisons() map[config.ExistingKind]comparison {
	const checked = "the program checks all of it in each preview and update"
	return map[config.ExistingKind]comparison{
		config.ExistingRole: {
			judge:       part.trust,
			differences: part.role,
			passes:      "has the actions and the trust that its operators need",
		},
		config.ExistingOIDCProvider: {
			judge:       part.provider,
			differences: part.clientIDs,
			passes:      "has the client IDs that tokens are issued for",
		},
		config.ExistingInstanceProfile: {
			judge:       part.profile,
			differences: part.profileActions,
			passes:      "has a role that EC2 may assume, with the actions of nodes",
		},
		config.ExistingVPC: {
			judge:       part.vpc,
			differences: part.vpcTraffic,
			passes:      "resolves private names, keeps traffic to S3 off NAT gateways, and its endpoints admit machines",
		},
		config.ExistingPrivateSubnet: {
			judge:       part.subnet,
			differences: part.subnetTraffic,
			passes:      "is as the cluster needs it",
		},
		config.ExistingPublicSubnet: {
			judge:       part.subnet,
			differences: part.subnetTraffic,
			passes:      "is as the cluster needs it",
		},
		config.ExistingPrivateZone: {
			judge:       part.privateZone,
			differences: part.negativeTTL,
			passes:      "is the VPC's private zone of the domain",
		},
		config.ExistingSecurityGroup: {
			judge:       part.groupVPC,
			differences: part.group,
			passes:      "can be added to HyperShift's own group, which has the rules that nodes need",
		},

		config.ExistingPublicZone: {because: "the check of its delegation compares it"},
		config.ExistingDefaultVPC: {because: "its ID is looked up by the program, which checks it"},
		config.ExistingKMSKey:     {because: checked},
		config.ExistingBucket: {
			because: "only the documents of the issuer are written to it: see the check of names",
		},
		config.ExistingPolicy:          {because: checked},
		config.ExistingLoadBalancer:    {because: "HyperShift's operators create it, and the program checks it"},
		config.ExistingElasticIP:       {because: checked},
		config.ExistingEndpointService: {because: checked},
		config.ExistingTransitGateway:  {because: checked},
		config.ExistingFirewallService: {because: checked},
		config.ExistingIPAMPool:        {because: checked},
		config.ExistingPublicIPAMPool:  {because: checked},
		config.ExistingPublicIPv4Pool:  {because: checked},
		config.ExistingKeyPair:         {because: checked},
		config.ExistingImage:           {because: checked},
		config.ExistingClientVPC:       {because: checked},
		config.ExistingClientSubnet:    {because: checked},
		config.ExistingClientGroup:     {because: checked},
	}
}

// RunExisting only compares the existing resources of a plan with what the cluster needs. It reports what differs or
// could not be read.
func RunExisting(ctx context.Context, p Plan, accounts Accounts) *Report {
	report := &Report{}
	report.Add(slices.DeleteFunc(checkExisting(account.ReadOnly(ctx), p, accounts.snapshots(), false),
		func(f finding.Finding) bool {
			return f.Severity == finding.Passed
		})...)
	return report
}

// checkExisting compares the existing resources of a plan with those that the stack would have created: what differs,
// and what it breaks. A resource that has more than needed isn't a finding. With quick, it leaves out what the program
// itself compares. It also leaves out what passes or cannot be read, except roles.
func checkExisting(ctx context.Context, p Plan, accounts Accounts, quick bool) []finding.Finding {
	if p.Given == nil || accounts[p.Given.Place] == nil {
		return nil
	}
	var tasks []func() []finding.Finding
	for _, existing := range p.Given.Parts {
		how := comparisons()[existing.Kind]
		if how.judge == nil || existing.Kind == config.ExistingPrivateZone && existing.Owner != "" { // not readable here
			continue
		}
		tasks = append(tasks, func() []finding.Finding {
			one := part{existing, p.Given, accounts[p.Given.Place]}
			found := how.findings(ctx, one, quick)
			if quick && existing.Kind != config.ExistingRole {
				found = slices.DeleteFunc(found, func(f finding.Finding) bool {
					return f.Severity == finding.Passed || strings.HasPrefix(f.Problem, notChecked)
				})
			}
			return found
		})
	}
	return sideBySide(tasks)
}

// findings returns the findings about an existing resource.
func (c comparison) findings(ctx context.Context, p part, quick bool) []finding.Finding {
	f := finding.Finding{
		Check:   Existing,
		Account: p.given.Place.Account,
		Region:  p.given.Place.Region,
		Subject: p.subject(),
	}
	if p.Kind == config.ExistingRole {
		f.Check, f.Region = Roles, ""
	}
	differences, err := c.differences(p, ctx)
	if err == nil && !quick {
		var judged []difference
		judged, err = c.judge(p, ctx)
		differences = append(judged, differences...)
	}
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	var findings []finding.Finding
	for _, d := range differences {
		one := f
		one.Severity, one.Problem, one.Remedy, one.Actions = finding.Warning, d.is, d.remedy, d.actions
		if d.breaks != "" {
			one.Problem += ": " + d.breaks
		}
		if d.fails {
			one.Severity = finding.Error
		}
		findings = append(findings, one)
	}
	if len(findings) == 0 {
		f.Severity, f.Problem = finding.Passed, c.passes
		findings = append(findings, f)
	}
	return findings
}

// subject returns the resource in messages: "VPC vpc-1", "role given (storage)".
func (p part) subject() string {
	name := p.Name
	if p.Kind == config.ExistingRole {
		name = roleName(p.Name)
		var roles []string
		for _, role := range p.usedFor() {
			roles = append(roles, string(role.Name))
		}
		if len(roles) > 0 {
			name += " (" + strings.Join(roles, ", ") + ")"
		}
	}
	return fmt.Sprintf("%s %s", p.Kind, name)
}

// absent returns the difference of a resource that AWS does not have any more.
func absent() []difference {
	return []difference{{
		is:     "does not exist, or cannot be read in this account and region",
		remedy: "name one that exists",
		fails:  true,
	}}
}

// judged returns the faults that a component finds with a resource.
func judged(err error) ([]difference, error) {
	faults := fault.In(err)
	if faults == nil {
		return nil, err
	}
	var list []difference
	for _, f := range faults {
		list = append(list, difference{is: f.Problem, remedy: f.Remedy, fails: true})
	}
	return list, nil
}

// read returns the resource of an ID, nil if AWS does not have it.
func (p part) read(ctx context.Context, token, id string) (*inventory.Resource, error) {
	found, err := p.in.List(ctx, account.Query{Type: token, IDs: []string{id}})
	if account.Gone(err) {
		return nil, nil
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// vpcID returns the ID of the VPC that a part belongs to, "" if it is the region's default VPC, whose ID the program
// looks up.
func (p part) vpcID() string {
	if slices.ContainsFunc(p.given.Parts, func(e config.Existing) bool {
		return e.Kind == config.ExistingDefaultVPC && e.Name == p.VPC
	}) {
		return ""
	}
	return p.VPC
}

// ComparesExisting reports whether a stack's file, nil if it cannot be read, names existing resources that are
// compared.
func ComparesExisting(file *config.File) bool {
	return file != nil && slices.ContainsFunc(file.Existing(nil), func(e config.Existing) bool {
		return comparisons()[e.Kind].judge != nil
	})
}

// ExistingOf returns the existing resources that a stack's file names, nil without any that are compared. They are in
// the place of the stack's own provider.
func ExistingOf(file *config.File, own inventory.Place) (*ExistingParts, error) {
	if !ComparesExisting(file) {
		return nil, nil
	}
	given := &ExistingParts{Place: own, Parts: file.Existing(nil)}
	section := config.As[config.ExistingSection](file)
	if section == nil {
		return given, nil
	}
	needs, err := section.ExistingNeeds()
	given.Cluster, given.Network, given.Roles = needs.Cluster, needs.Network, needs.Roles
	given.Release, _ = hostedcluster.ReleaseVersion(needs.Release)
	return given, err
}
