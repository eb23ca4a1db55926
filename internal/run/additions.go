package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Addition is the check, and the rule of waivers, of what others added to the stack's resources.
const Addition = policy.AdditionRule

// Lost is the check of what the state has lost: a part of the stack's resources that its file describes.
const Lost = "lost"

// partOf is a type whose instances are parts of a resource of a stack. The provider has each as a resource of its own,
// so that a refresh of the whole shows none that was added.
type partOf struct {
	// owner is the type of the whole, and inline its inputs with parts, which a refresh compares.
	owner  string
	inline []string
	// token is the part's type, and input its input with the owner's ID.
	token, input string
	// remove is the command that removes a part, with the part's properties in braces.
	remove string
}

// partsOfResources lists the parts that can be added to a stack's resources.
func partsOfResources() []partOf {
	return []partOf{
		{awstype.SecurityGroup, []string{"ingress"}, awstype.SecurityGroupIngressRule, "securityGroupId",
			"aws ec2 revoke-security-group-ingress --group-id {securityGroupId} --security-group-rule-ids {id}"},
		{awstype.SecurityGroup, []string{"egress"}, awstype.SecurityGroupEgressRule, "securityGroupId",
			"aws ec2 revoke-security-group-egress --group-id {securityGroupId} --security-group-rule-ids {id}"},
		{awstype.RouteTable, []string{"routes"}, awstype.Route, "routeTableId",
			"aws ec2 delete-route --route-table-id {routeTableId} {destination}"},
		{awstype.RouteTable, nil, awstype.RouteTableAssociation, "routeTableId",
			"aws ec2 disassociate-route-table --association-id {id}"},
		{awstype.VPC, nil, awstype.SecondaryCIDR, "vpcId", "aws ec2 disassociate-vpc-cidr-block --association-id {id}"},
		{awstype.Role, []string{"inlinePolicies"}, awstype.RolePolicy, "role",
			"aws iam delete-role-policy --role-name {role} --policy-name {name}"},
		{awstype.Role, []string{"managedPolicyArns"}, awstype.RolePolicyAttachment, "role",
			"aws iam detach-role-policy --role-name {role} --policy-arn {policyArn}"},
		{awstype.User, nil, awstype.AccessKey, "user",
			"aws iam delete-access-key --user-name {user} --access-key-id {id}"},
		{awstype.HostedZone, nil, awstype.Record, "zoneId",
			"aws route53 change-resource-record-sets --hosted-zone-id {zoneId} (with DELETE of {name} {type})"},
	}
}

// Additions returns what others added to the stack's resources and its state does not have: rules of security groups,
// routes, policies of roles, records. What AWS and the cluster's operators add is left out, and what a waiver accepts.
// A list that cannot be read is a warning. There are none while an interrupted run is not settled: what it created is
// not in the state either.
func Additions(ctx context.Context, o *Opened) []finding.Finding {
	var found []finding.Finding
	added, unread := o.unaccepted(ctx)
	for _, err := range unread {
		found = append(found, finding.Finding{
			Check: Addition, Severity: finding.Warning, Subject: err.subject, Problem: "not checked: " + lastLine(err.cause),
			Remedy: "allow the caller to list them: `hypershift-aws permissions`",
		})
	}
	lost := o.lost(ctx, added)
	for _, one := range added {
		f := one.part.finding(one.owner, one.Resource)
		if lost[one.ID] {
			f.Check, f.Problem = Lost, "is in the stack's file and in AWS, and its state has lost it: "+
				describeAddition(one.part.token, one.Resource)
			f.Remedy = "take it back into the state: `hypershift-aws adopt -s " + o.Stack.Name + " --preview`"
		}
		if place, err := one.in.Place(ctx); err == nil {
			f.Account, f.Region = place.Account, place.Region
		}
		found = append(found, f)
	}
	return found
}

// lost returns the IDs of additions that the stack's file describes: a plan would create them, because someone has
// taken them out of the state. What cannot be taken back, such as an access key, is not among them. The plan is made
// only if there is an addition, and without a plan none is lost.
func (o *Opened) lost(ctx context.Context, added []addition) map[string]bool {
	if len(added) == 0 || o.Stack.File == nil {
		return nil
	}
	planned, _, err := o.Engine.previewGoals(ctx)
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, one := range added {
		record, _ := awstype.Lookup(one.part.token)
		if record.Adopt.By == awstype.AdoptNever {
			continue
		}
		identifying := identifyingInputs(record.Find)
		ids[one.ID] = slices.ContainsFunc(planned.Steps, func(step *changes.Step) bool {
			if step.Type != one.part.token || step.Change != changes.Create || step.New[one.part.input] != string(one.owner.ID) {
				return false
			}
			match := slices.DeleteFunc(slices.Clone(identifying), func(input string) bool {
				return untyped.Contains(step.New[input], func(v any) bool { return v == any(changes.UnknownValue) })
			})
			return len(account.Select([]inventory.Resource{one.Resource},
				account.Query{Type: one.part.token, Inputs: step.New}, awstype.Adoption{Match: match})) > 0
		})
	}
	return ids
}

// AddedResources returns what Additions finds as resources of the state, which have the owners' providers.
func AddedResources(ctx context.Context, o *Opened) []apitype.ResourceV3 {
	var resources []apitype.ResourceV3
	added, _ := o.unaccepted(ctx)
	for _, one := range added {
		resources = append(resources, apitype.ResourceV3{
			URN:    resource.URN("added::" + one.part.token + "::" + one.ID),
			Custom: true, ID: resource.ID(one.ID), Type: tokens.Type(one.part.token), Provider: one.owner.Provider,
			Outputs: one.Properties,
		})
	}
	return resources
}

// unaccepted returns what others added to the stack's resources, without what a waiver accepts and what is meant for
// clusters; and the lists that cannot be read.
func (o *Opened) unaccepted(ctx context.Context) ([]addition, []unreadList) {
	if interrupted, err := o.Recovery.interrupted(ctx); err != nil || interrupted {
		return nil, nil
	}
	var waived []string
	if o.Stack.File != nil {
		for _, w := range o.Stack.File.PolicyWaivers {
			if w.Rule == Addition {
				waived = append(waived, w.Resource)
			}
		}
	}
	added, unread := additions(ctx, o.Stack)
	return slices.DeleteFunc(added, func(one addition) bool {
		return one.ofCluster || slices.Contains(waived, one.ID) || slices.Contains(waived, "")
	}), unread
}

// addition is a part of a resource that others added to it.
type addition struct {
	inventory.Resource
	part  partOf
	owner apitype.ResourceV3
	in    account.Account
	// ofCluster is true for the record of another cluster's ingress in a public zone, which is meant for it.
	ofCluster bool
}

// unreadList is a list of AWS that could not be read.
type unreadList struct {
	subject string
	cause   error
}

// additions returns what others added to the resources in the stack's state, and the lists that cannot be read.
func additions(ctx context.Context, s *workspace.Stack) (found []addition, unread []unreadList) {
	if !s.Session.Environment.KnowsAccounts() || s.State == nil {
		return nil, nil
	}
	resources, accounts := s.State.InCloud(), s.Providers.ByProvider(ctx)
	private := privateZones(resources)
	if s.File != nil && config.As[*config.Cluster](s.File) != nil { // the zone may be an existing one
		c := config.As[*config.Cluster](s.File)
		private = append(private, c.ZoneName(c.BaseDomainPrefix, c.BaseDomain))
	}
	return addedTo(ctx, resources, accounts, private)
}

// addedTo returns what others added to resources of a state, and the lists that cannot be read. All lists are asked for
// at the same time.
func addedTo(
	ctx context.Context,
	resources []apitype.ResourceV3,
	accounts map[string]account.Account,
	private []string,
) (found []addition, unread []unreadList) {
	type asked struct {
		part  partOf
		known knownParts
		owner apitype.ResourceV3
		in    account.Account
	}
	known := map[string]knownParts{}
	for _, part := range partsOfResources() {
		known[part.token] = knownOf(part.token, resources)
	}
	var lists []asked
	for _, r := range resources {
		for _, part := range partsOfResources() {
			if in := accounts[r.Provider]; string(r.Type) == part.owner && !r.External && in != nil &&
				!slices.ContainsFunc(part.inline, func(input string) bool { return r.Inputs[input] != nil }) {
				lists = append(lists, asked{part, known[part.token], r, in})
			}
		}
	}
	type answer struct {
		added []inventory.Resource
		err   error
	}
	answers, _ := account.Gather(lists, func(l asked) ([]answer, error) { // one that fails stops no other one
		added, err := l.part.added(ctx, l.in, l.owner, l.known, private)
		return []answer{{added, err}}, nil
	})
	for i, l := range lists {
		if err := answers[i].err; err != nil {
			unread = append(unread, unreadList{typeLabel(l.part.token) + " of " + l.owner.URN.Name(), err})
		}
		for _, one := range answers[i].added {
			found = append(found, addition{Resource: one, part: l.part, owner: l.owner, in: l.in,
				ofCluster: l.part.token == awstype.Record && l.owner.Inputs["vpcs"] == nil &&
					strings.HasPrefix(recordName(one), ingressOf(""))})
		}
	}
	return found, unread
}

// knownParts are the parts of one type that a state has.
type knownParts struct {
	// ids has their IDs; none of routes, which have no ID in AWS.
	ids map[string]bool
	// queries find them by what identifies them.
	queries []account.Query
	how     awstype.Adoption
}

// knownOf returns the parts of a type that a state has.
func knownOf(token string, state []apitype.ResourceV3) knownParts {
	record, _ := awstype.Lookup(token)
	known := knownParts{ids: map[string]bool{}, how: awstype.Adoption{Match: identifyingInputs(record.Find)}}
	for _, r := range state {
		if string(r.Type) != token {
			continue
		}
		inputs := map[string]any{}
		maps.Copy(inputs, r.Inputs)
		for _, key := range known.how.Match {
			if value, has := r.Outputs[key]; has {
				inputs[key] = value
			}
		}
		if name, is := r.Outputs["fqdn"].(string); is {
			inputs["name"] = name
		}
		known.queries = append(known.queries, account.Query{Type: token, Inputs: inputs})
		known.ids[string(r.ID)] = token != awstype.Route
	}
	return known
}

// has reports whether the state has a part.
func (k knownParts) has(part inventory.Resource) bool {
	return k.ids[part.ID] || len(k.how.Match) > 0 && slices.ContainsFunc(k.queries, func(q account.Query) bool {
		return len(account.Select([]inventory.Resource{part}, q, k.how)) > 0
	})
}

// added returns the parts of a resource that the state does not have. private are the names of the private zones of the
// stack's cluster.
func (p partOf) added(
	ctx context.Context,
	in account.Account,
	owner apitype.ResourceV3,
	known knownParts,
	private []string,
) ([]inventory.Resource, error) {
	listed, err := in.List(ctx, account.Query{Type: p.token, Inputs: map[string]any{p.input: string(owner.ID)}})
	if err != nil {
		return nil, err
	}
	if p.token == awstype.Record {
		listed = withoutOperatorsRecords(listed, props.Map(owner.Outputs).String("name"), private)
	}
	listed = slices.Clone(listed)
	for i, r := range listed {
		if p.token == awstype.Route { // AWS's routes have no ID
			listed[i].ID = r.Text("routeTableId") + "_" + cmp.Or(r.Text("destinationCidrBlock"),
				r.Text("destinationIpv6CidrBlock"),
				r.Text("destinationPrefixListId"))
		}
	}
	return slices.DeleteFunc(listed, func(r inventory.Resource) bool {
		return r.Text(p.input) != string(owner.ID) || madeByAWS(p.token, r) || known.has(r)
	}), nil
}

// placeholder matches an input in the template of an import ID.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// identifyingInputs returns the inputs by which instances of a type differ.
func identifyingInputs(find awstype.Find) []string {
	inputs := slices.Clone(find.Attributes)
	for _, template := range find.ImportID {
		for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
			if !slices.Contains(inputs, match[1]) {
				inputs = append(inputs, match[1])
			}
		}
	}
	return inputs
}

// madeByAWS reports whether AWS or Kubernetes' cloud controller makes a part by itself: the local and propagated routes
// and those of gateway endpoints, and the rules of load balancers.
func madeByAWS(token string, r inventory.Resource) bool {
	switch token {
	case awstype.Route:
		gateway := r.Text("gatewayId")
		return gateway == "local" || strings.HasPrefix(gateway, "vgw-") || strings.HasPrefix(gateway, "vpce-") &&
			r.Text("destinationPrefixListId") != ""
	case awstype.SecurityGroupIngressRule:
		return strings.HasPrefix(r.Text("description"), "kubernetes.io/rule/")
	}
	return false
}

// privateZones returns the names of the private zones in a state.
func privateZones(state []apitype.ResourceV3) []string {
	var names []string
	for _, r := range state {
		if string(r.Type) == awstype.HostedZone && r.Inputs["vpcs"] != nil {
			names = append(names, strings.TrimSuffix(props.Map(r.Outputs).String("name"), "."))
		}
	}
	return names
}

// ingressOf returns the name that the ingress operator of the cluster with a private zone writes into its zones.
func ingressOf(zone string) string { return "*.apps." + zone }

// recordName returns the name of a record without escapes and the final dot.
func recordName(r inventory.Resource) string {
	return strings.TrimSuffix(strings.ReplaceAll(r.Tags["Name"], `\052`, "*"), ".")
}

// withoutOperatorsRecords leaves out the records that Route 53 makes with a zone, those of the operators of the cluster
// with the private zones, and those of external-dns.
func withoutOperatorsRecords(records []inventory.Resource, zone string, private []string) []inventory.Resource {
	zone = strings.TrimSuffix(zone, ".")
	registered := map[string]bool{}
	for _, r := range records {
		registered[r.Tags["Name"]] = registered[r.Tags["Name"]] || r.Description != ""
	}
	return slices.DeleteFunc(slices.Clone(records), func(r inventory.Resource) bool {
		name := recordName(r)
		label := strings.TrimSuffix(strings.TrimSuffix(name, zone), ".")
		switch {
		case name == zone && (r.Text("type") == "SOA" || r.Text("type") == "NS"), r.Description != "",
			registered[r.Tags["Name"]]:
			return true
		case slices.ContainsFunc(private, func(zone string) bool { return name == ingressOf(zone) }):
			return true
		case label == "api" || label == "api-int" || label == "*.apps" || strings.HasSuffix(label, ".apps"):
			return true
		}
		// external-dns writes the names of services in a management stack's zone, whose cluster may be any.
		for _, service := range hostedcluster.ExternalNames("", "") {
			if prefix := strings.TrimSuffix(service, "."); strings.HasPrefix(label, prefix) ||
				strings.HasPrefix(label, "a-"+prefix) {
				return true
			}
		}
		return false
	})
}

// finding returns the finding for an added part.
func (p partOf) finding(owner apitype.ResourceV3, r inventory.Resource) finding.Finding {
	remove := placeholder.ReplaceAllStringFunc(p.remove, func(name string) string {
		switch name {
		case "{id}":
			return r.ID
		case "{destination}":
			return destinationFlag(r)
		}
		return r.Text(strings.Trim(name, "{}"))
	})
	return finding.Finding{
		Check: Addition, Severity: finding.Error,
		Subject: fmt.Sprintf("%s of %s (%s)", typeLabel(p.token), owner.URN.Name(), owner.ID),
		Problem: "was added outside the stack: " + describeAddition(p.token, r),
		Remedy: fmt.Sprintf("ask who added it; to accept it: %s: [{rule: %s, resource: %s, reason: …}]; to take it back: %s",
			config.WaiversKey, Addition, r.ID, remove),
	}
}

// destinationFlag returns the flag of the AWS CLI with a route's destination.
func destinationFlag(r inventory.Resource) string {
	for _, one := range []struct{ flag, property string }{
		{"--destination-cidr-block", "destinationCidrBlock"},
		{"--destination-ipv6-cidr-block", "destinationIpv6CidrBlock"},
	} {
		if value := r.Text(one.property); value != "" {
			return one.flag + " " + value
		}
	}
	return "--destination-prefix-list-id " + r.Text("destinationPrefixListId")
}

// describeAddition returns what a part is.
func describeAddition(token string, r inventory.Resource) string {
	first := func(names ...string) string {
		for _, name := range names {
			if text := r.Text(name); text != "" {
				return text
			}
		}
		return "?"
	}
	switch token {
	case awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule:
		traffic := r.Text("ipProtocol")
		if traffic == "-1" {
			traffic = "all traffic"
		}
		from, to := fmt.Sprint(r.Properties["fromPort"]), fmt.Sprint(r.Properties["toPort"])
		switch {
		case traffic == "all traffic":
		case from == to:
			traffic += "/" + from
		default:
			traffic += "/" + from + "-" + to
		}
		direction := " from "
		if token == awstype.SecurityGroupEgressRule {
			direction = " to "
		}
		return traffic + direction + first("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId") + ", " + r.ID
	case awstype.Route:
		return first("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId") + " to " +
			first("gatewayId", "natGatewayId", "transitGatewayId", "vpcPeeringConnectionId", "networkInterfaceId",
				"vpcEndpointId",
				"egressOnlyGatewayId", "localGatewayId", "carrierGatewayId", "coreNetworkArn")
	case awstype.Record:
		return first("name") + " " + first("type")
	case awstype.AccessKey:
		return r.ID
	}
	return first("name", "policyArn", "cidrBlock", "subnetId", "gatewayId")
}

func typeLabel(token string) string {
	record, _ := awstype.Lookup(token)
	return record.Label
}

// lastLine returns the last line of an error.
func lastLine(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return lines[len(lines)-1]
}
