package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// Survey is the account's resources of a cluster.
type Survey struct {
	documents.Search
	account, owner account.Account
	// shared is true if the VPC is another account's.
	shared bool
	// VPC is the cluster's VPC; Subnets, Tables, NATs and Endpoints are its parts.
	VPC                              inventory.Resource
	Subnets, Tables, NATs, Endpoints []inventory.Resource
	// associations are the associations of route tables with subnets, and main is the association of the VPC's main table.
	associations []inventory.Resource
	main         inventory.Resource
	secondary    []inventory.Resource
	options      inventory.Resource
	defaultGroup inventory.Resource
	// hosts are the VPC's instances.
	hosts []inventory.Resource
	// flowLog is the flow log that the stack adopts. Its ID is "" if there is none.
	flowLog inventory.Resource
	// left are the resources that are not adopted, with the reason, by their IDs.
	left     map[string]takeover.Item
	zones    []inventory.Resource
	issuer   string
	provider bool
	// roles trust the issuer, by name.
	roles map[string]inventory.Resource
	// Incomplete are the lists that could not be read.
	Incomplete []string
}

// Look reads the account's resources of a cluster. owner is the account that owns a shared VPC, otherwise nil. A list
// that must not be read is noted in Incomplete, unless nothing can be derived without it.
func Look(ctx context.Context, aws, owner account.Account, search documents.Search) (*Survey, error) {
	s := &Survey{
		Search:  search,
		account: aws,
		owner:   owner,
		roles:   map[string]inventory.Resource{},
		left:    map[string]takeover.Item{},
	}
	if s.shared = owner != nil; !s.shared {
		s.owner = aws
	}
	first := []read{
		{s.owner, awstype.VPC, s.ofCluster()}, {s.account, awstype.OIDCProvider, nil}, {s.account, awstype.Role, nil},
	}
	if s.Infra == nil || s.Infra.BaseDomain == "" {
		first = append(first, read{s.account, awstype.HostedZone, nil})
	}
	ahead(ctx, first)
	if err := s.findVPC(ctx); err != nil {
		return nil, err
	}
	inVPC := map[string]any{"vpcId": s.VPC.ID}
	options := map[string]any{"id": s.VPC.Text("dhcpOptionsId")}
	network := []read{{s.owner, awstype.DHCPOptions, options}}
	for _, token := range []string{awstype.Subnet, awstype.RouteTable, awstype.NATGateway, awstype.VPCEndpoint,
		awstype.SecondaryCIDR, awstype.MainRouteTableAssociation, awstype.DefaultSecurityGroup, awstype.Instance,
		awstype.FlowLog} {
		network = append(network, read{s.owner, token, inVPC})
	}
	for _, aws := range s.accounts() {
		network = append(network, read{aws, awstype.HostedZone, s.withVPC()})
	}
	ahead(ctx, network)
	s.Subnets = s.list(ctx, s.owner, awstype.Subnet, inVPC)
	s.Tables = s.list(ctx, s.owner, awstype.RouteTable, inVPC)
	s.NATs = s.inNetwork(s.list(ctx, s.owner, awstype.NATGateway, inVPC))
	s.Endpoints = s.list(ctx, s.owner, awstype.VPCEndpoint, inVPC)
	s.secondary = s.list(ctx, s.owner, awstype.SecondaryCIDR, inVPC)
	s.Subnets, s.Tables, s.Endpoints, s.secondary = s.inVPC(s.Subnets), s.inVPC(s.Tables), s.inVPC(s.Endpoints),
		s.inVPC(s.secondary)
	for _, m := range s.inVPC(s.list(ctx, s.owner, awstype.MainRouteTableAssociation, inVPC)) {
		s.main = m
	}
	for _, g := range s.inVPC(s.list(ctx, s.owner, awstype.DefaultSecurityGroup, inVPC)) {
		s.defaultGroup = g
	}
	s.hosts = s.inVPC(s.list(ctx, s.owner, awstype.Instance, inVPC))
	for _, o := range s.list(ctx, s.owner, awstype.DHCPOptions, options) {
		if o.ID == s.VPC.Text("dhcpOptionsId") {
			s.options = o
		}
	}
	s.findZones(ctx)
	s.findIssuer(ctx)
	s.findRoles(ctx)
	ahead(ctx, s.parts())
	for _, table := range s.Tables {
		for _, a := range s.list(ctx, s.owner, awstype.RouteTableAssociation, ofTable(table)) {
			if a.Text("routeTableId") == table.ID {
				s.associations = append(s.associations, a)
			}
		}
	}
	s.completeRoles(ctx)
	if err := s.crossCheck(); err != nil {
		return nil, err
	}
	return s, nil
}

// read is a list that is needed.
type read struct {
	account account.Account
	token   string
	inputs  map[string]any
}

// ahead reads lists at the same time into the snapshots of their accounts, from which they are taken afterwards. What
// cannot be read is noted then.
func ahead(ctx context.Context, reads []read) {
	_, _ = account.Gather(reads, func(r read) ([]inventory.Resource, error) {
		_, _ = r.account.List(ctx, account.Query{Type: r.token, Inputs: r.inputs})
		return nil, nil
	})
}

// parts are the lists of what route tables, NAT gateways and roles have.
func (s *Survey) parts() []read {
	var reads []read
	for _, table := range s.Tables {
		reads = append(reads, read{s.owner, awstype.RouteTableAssociation, ofTable(table)})
	}
	for _, nat := range s.NATs {
		if address := nat.Text("allocationId"); address != "" {
			reads = append(reads, read{s.owner, awstype.ElasticIP, map[string]any{"id": address}})
		}
	}
	for _, name := range s.sortedNames() {
		reads = append(reads, read{s.account, awstype.Role, map[string]any{"name": name}})
		kind, shared := kindOf(name)
		if kind != "" || shared {
			reads = append(reads, read{s.account, awstype.RolePolicyAttachment, map[string]any{"role": name}})
		}
		if kind == iam.RoleIngress || kind == iam.RoleKMSProvider || shared {
			reads = append(reads, read{s.account, awstype.RolePolicy, map[string]any{"role": name}})
		}
	}
	return reads
}

func ofTable(table inventory.Resource) map[string]any {
	return map[string]any{"routeTableId": table.ID}
}

// ofCluster are the inputs of what the cluster owns.
func (s *Survey) ofCluster() map[string]any {
	return map[string]any{"tags": anyMap(account.OwnedBy(s.InfraID))}
}

// withVPC are the inputs of a zone of the VPC.
func (s *Survey) withVPC() map[string]any {
	return map[string]any{"vpcs": []any{map[string]any{"vpcId": s.VPC.ID}}}
}

// list lists a type, and notes an access that is denied.
func (s *Survey) list(
	ctx context.Context,
	aws account.Account,
	token string,
	inputs map[string]any,
) []inventory.Resource {
	found, err := aws.List(ctx, account.Query{Type: token, Inputs: inputs})
	if err != nil && !errors.Is(err, account.ErrNotListed) {
		record, _ := awstype.Lookup(token)
		s.note(fmt.Sprintf("%s: %v", record.Label, err))
	}
	return found
}

func (s *Survey) note(text string) {
	if !slices.Contains(s.Incomplete, text) {
		s.Incomplete = append(s.Incomplete, text)
	}
}

func (s *Survey) inVPC(found []inventory.Resource) []inventory.Resource {
	return slices.DeleteFunc(found, func(r inventory.Resource) bool { return r.Text("vpcId") != s.VPC.ID })
}

// inNetwork keeps NAT gateways in the VPC's subnets.
func (s *Survey) inNetwork(found []inventory.Resource) []inventory.Resource {
	return slices.DeleteFunc(found, func(r inventory.Resource) bool {
		return !slices.ContainsFunc(s.Subnets, func(subnet inventory.Resource) bool {
			return subnet.ID == r.Text("subnetId")
		})
	})
}

// zonesVPCName ends the name of the empty VPC with which private zones are created in a cluster's account.
const zonesVPCName = "-zones"

// findVPC finds the VPC that carries the cluster's tag.
func (s *Survey) findVPC(ctx context.Context) error {
	tag := account.OwnedBy(s.InfraID)
	all, err := s.owner.List(ctx, account.Query{Type: awstype.VPC, Inputs: s.ofCluster()})
	if err != nil {
		return fmt.Errorf("looking up the VPC of cluster %s: %w", s.InfraID, err)
	}
	owned := slices.DeleteFunc(all, func(r inventory.Resource) bool {
		for key, value := range tag {
			if r.Tags[key] != value {
				return true
			}
		}
		return r.Tags["Name"] == s.InfraID+zonesVPCName
	})
	switch {
	case len(owned) == 1:
		s.VPC = owned[0]
		return nil
	case len(owned) > 1:
		var ids []string
		for _, v := range owned {
			ids = append(ids, fmt.Sprintf("%s (%s, Name %q)", v.ID, v.Text("cidrBlock"), v.Tags["Name"]))
		}
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("%d VPCs carry the tag %s=owned: %s", len(owned), ownerKey(s.InfraID), strings.Join(ids, ", ")),
			Remedy:  "an infra ID belongs to one cluster: remove the tag from resources of other clusters",
		}
	}
	problem := fmt.Sprintf("no VPC in %s carries the tag %s=owned", s.Region, ownerKey(s.InfraID))
	remedy := "check --infra-id, --region and the account; a VPC in another account is found with --vpc-owner-profile or --vpc-owner-role"
	if s.Infra != nil && s.Infra.VPCID != "" {
		problem += ", and " + s.Infra.VPCID + " of the infra document does not either: it is a VPC that the cluster uses and does not own"
		remedy = "use it as it is: `hypershift-aws new -s STACK --infra-json F --iam-json F`"
	}
	return &failure.Error{Reason: failure.Refused, Problem: problem, Remedy: remedy}
}

func ownerKey(infraID string) string {
	for key := range account.OwnedBy(infraID) {
		return key
	}
	return ""
}

func anyMap(tags map[string]string) map[string]any {
	object := map[string]any{}
	for key, value := range tags {
		object[key] = value
	}
	return object
}

// findZones finds the private zones of the VPC, in both accounts of a shared one.
func (s *Survey) findZones(ctx context.Context) {
	for _, aws := range s.accounts() {
		for _, zone := range s.list(ctx, aws, awstype.HostedZone, s.withVPC()) {
			if slices.Contains(account.Texts(zone, "vpcs.vpcId"), s.VPC.ID) {
				s.zones = append(s.zones, zone)
			}
		}
	}
	slices.SortFunc(s.zones, func(a, b inventory.Resource) int { return cmp.Compare(a.Text("name"), b.Text("name")) })
}

func (s *Survey) accounts() []account.Account {
	if !s.shared {
		return []account.Account{s.account}
	}
	return []account.Account{s.account, s.owner}
}

// localZone returns the private zone of the names on PrivateLink, and privateZone the other private zone.
func (s *Survey) localZone() (inventory.Resource, bool) {
	for _, zone := range s.zones {
		if strings.HasSuffix(zone.Text("name"), localZoneSuffix) {
			return zone, true
		}
	}
	return inventory.Resource{}, false
}

const localZoneSuffix = ".hypershift.local"

func (s *Survey) privateZone() (inventory.Resource, bool) {
	for _, zone := range s.zones {
		if !strings.HasSuffix(zone.Text("name"), localZoneSuffix) {
			return zone, true
		}
	}
	return inventory.Resource{}, false
}

// findIssuer finds the OIDC provider whose issuer ends in the infra ID.
func (s *Survey) findIssuer(ctx context.Context) {
	if s.IAM != nil {
		s.issuer = strings.TrimPrefix(s.IAM.IssuerURL, "https://")
	}
	for _, p := range s.list(ctx, s.account, awstype.OIDCProvider, nil) {
		issuer := strings.TrimPrefix(p.Text("url"), "https://")
		if s.issuer == issuer || s.issuer == "" && strings.HasSuffix(issuer, "/"+s.InfraID) {
			s.issuer, s.provider = issuer, true
		}
	}
}

// findRoles finds the roles that trust the issuer and, if its provider does not exist, the issuer that the roles trust.
func (s *Survey) findRoles(ctx context.Context) {
	all := s.list(ctx, s.account, awstype.Role, nil)
	if s.issuer == "" {
		for _, role := range all {
			if strings.HasPrefix(role.Text("name"), s.InfraID+"-") {
				s.issuer = cmp.Or(s.issuer, trustedIssuer(role.Text("assumeRolePolicy")))
			}
		}
	}
	for _, role := range all {
		trusts := s.issuer != "" && strings.Contains(role.Text("assumeRolePolicy"), s.issuer+":sub")
		if trusts || strings.HasPrefix(role.Text("name"), s.InfraID+"-worker") {
			s.roles[role.Text("name")] = role
		}
	}
}

// completeRoles reads the roles one by one: IAM's list has no permissions boundaries.
func (s *Survey) completeRoles(ctx context.Context) {
	for _, name := range s.sortedNames() {
		for _, role := range s.list(ctx, s.account, awstype.Role, map[string]any{"name": name}) {
			if role.Text("name") == name {
				s.roles[name] = role
			}
		}
	}
}

// trustedIssuer returns the issuer in a trust policy, or "" without one.
func trustedIssuer(document string) string {
	_, rest, found := strings.Cut(document, ":oidc-provider/")
	if !found {
		return ""
	}
	return rest[:strings.IndexAny(rest+`"`, `"`)]
}

// Bound returns the IDs of resources determined by the layout of the network, by type and tag Name.
func (s *Survey) Bound(found *Cluster) map[takeover.Key]string {
	bound := map[takeover.Key]string{}
	for _, subnet := range s.Subnets {
		place, known := found.zoneOf[subnet.ID]
		if !known {
			continue
		}
		name := s.InfraID + "-private-" + place.zone
		if place.public {
			name = s.InfraID + "-public"
			if !found.EndpointAccess.HasPublic() {
				name = s.InfraID + "-egress"
			}
		}
		for _, a := range s.associations {
			if a.Text("subnetId") == subnet.ID && !place.second {
				bound[takeover.Key{Type: awstype.RouteTable, Name: name}] = a.Text("routeTableId")
			}
		}
		for _, nat := range s.NATs {
			if nat.Text("subnetId") == subnet.ID && nat.Text("allocationId") != "" {
				bound[takeover.Key{Type: awstype.ElasticIP, Name: s.InfraID + "-eip-" + place.zone}] = nat.Text("allocationId")
			}
		}
	}
	if s.flowLog.ID != "" {
		bound[takeover.Key{Type: awstype.FlowLog, Name: s.InfraID + flowLogsSuffix}] = s.flowLog.ID
	}
	if s.owns(s.options) {
		bound[takeover.Key{Type: awstype.DHCPOptions, Name: ""}] = s.options.ID
	}
	return bound
}

// leave notes why a resource is not adopted.
func (s *Survey) leave(r inventory.Resource, why string) {
	if r.ID != "" {
		s.left[r.ID] = takeover.Item{Action: takeover.Leave, Type: r.Type, ID: r.ID, Name: r.Tags["Name"], Why: why}
	}
}

// Left returns the resources of the cluster's network that the config does not describe, with the reason, by their IDs.
func (s *Survey) Left() map[string]takeover.Item { return s.left }

// owns reports whether a resource carries the cluster's tag.
func (s *Survey) owns(r inventory.Resource) bool { return r.Tags[ownerKey(s.InfraID)] == "owned" }

// sortedNames returns the names of the roles in alphabetical order.
func (s *Survey) sortedNames() []string { return slices.Sorted(maps.Keys(s.roles)) }

// DefaultGroupHasRules reports whether the VPC's default security group has rules.
func (s *Survey) DefaultGroupHasRules() bool { return hasRules(s.defaultGroup) }
