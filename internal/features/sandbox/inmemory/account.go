// Package inmemory implements the interfaces of real accounts and management clusters (of packages account and
// clusterstatus) for the offline ones. It also serves them to the engine, and lists the resources that stacks have left
// in them. It is for package operation.
package inmemory

import (
	"context"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// Account is the account in memory that the settings of an AWS provider select.
type Account struct {
	server   *offline.Server
	settings map[string]any
}

var _ account.Account = Account{}

// NewAccount returns the account of a provider with those settings.
func NewAccount(server *offline.Server, settings map[string]any) Account {
	return Account{server, settings}
}

// Place implements account.Account.
func (a Account) Place(context.Context) (inventory.Place, error) {
	aws, region, partition, err := a.server.Place(a.settings)
	return inventory.Place{Account: aws, Region: region, Partition: partition}, err
}

// Snapshot implements account.Account. Lists of this account cost nothing.
func (a Account) Snapshot() account.Account { return a }

// List implements account.Account.
func (a Account) List(_ context.Context, q account.Query) (found []inventory.Resource, err error) {
	switch q.Type {
	case awstype.DefaultSecurityGroup:
		found, err = a.list(awstype.SecurityGroup)
		found = slices.DeleteFunc(found, func(g inventory.Resource) bool { return g.Text("name") != "default" })
		for i := range found {
			found[i].Type = q.Type
		}
	case awstype.MainRouteTableAssociation:
		found, err = a.mainAssociations()
	case awstype.HostedZone:
		found, err = a.hostedZones()
	case awstype.Instance, awstype.NATGateway:
		found, err = a.inSubnets(q)
	case awstype.RouteTable:
		found, err = a.routeTables()
	case awstype.NetworkACL:
		found, err = a.networkACLs()
	case awstype.VPCPeering:
		found, err = a.peerings()
	default:
		found, err = a.list(q.Type)
	}
	zone, under, name := q.Text("zoneId"), q.Text("under"), q.Text("named")
	return q.Narrowed(slices.DeleteFunc(found, func(r inventory.Resource) bool {
		return q.Type == awstype.Record && (zone != "" && r.Text("zoneId") != zone ||
			under != "" && !account.Under(r.Name(), under) || name != "" && r.Name() != name)
	})), err
}

// list lists the resources of a type as the account stores them.
func (a Account) list(token string) ([]inventory.Resource, error) {
	found, err := a.server.List(a.settings, token)
	for i, r := range found {
		found[i] = complete(r)
	}
	return found, err
}

// complete sets what AWS's lists tell of a resource besides its properties.
func complete(r inventory.Resource) inventory.Resource {
	r.Owner, r.VPC = r.Text("ownerId"), r.Text("vpcId")
	switch r.Type {
	case awstype.SecurityGroup:
		if r.Text("name") == "default" {
			r.DeletedWith = "a default security group is deleted with its VPC"
		}
	case awstype.VPC:
		r.VPC = r.ID
	case awstype.Instance:
		r.State = r.Text("instanceState")
	case awstype.NetworkInterface:
		r.State, r.Description = r.Text("status"), r.Text("description")
		r.UsedBy, r.Groups = account.Texts(r, "attachments.instance"), account.Texts(r, "securityGroups")
	case awstype.VPCEndpointService:
		r.Backends = account.Texts(r, "networkLoadBalancerArns")
	case awstype.LoadBalancer:
		r.Hosts = []string{account.Host(r.Text("dnsName"))}
	case awstype.VPCEndpoint:
		r.State = r.Text("state")
		for _, name := range account.Texts(r, "dnsEntries.dnsName") {
			r.Hosts = append(r.Hosts, account.Host(name))
		}
	case awstype.ElasticIP:
		r.Hosts = []string{r.Text("publicIp")}
	case awstype.HostedZone:
		r.Domain = r.Text("name")
	case awstype.Record:
		r.Tags = map[string]string{"Name": r.Text("fqdn")}
		r.Hosts, r.Description = account.PointsAt(r.Text("type"),
			slices.Concat(account.Texts(r, "aliases.name"), account.Texts(r, "records")))
	}
	return r
}

// inSubnets returns the resources of a type with the VPCs of their subnets, which the provider's outputs do not have.
// Subnets that may not be listed matter only to a search by VPC.
func (a Account) inSubnets(q account.Query) ([]inventory.Resource, error) {
	subnets, err := a.list(awstype.Subnet)
	if err != nil && q.Text("vpcId") != "" {
		return nil, err
	}
	found, err := a.list(q.Type)
	for i, r := range found {
		for _, subnet := range subnets {
			if subnet.ID == r.Text("subnetId") {
				found[i].VPC = subnet.Text("vpcId")
				found[i].Properties["vpcId"] = found[i].VPC
			}
		}
	}
	return found, err
}

// hostedZones returns the zones with all their VPCs. VPCs of other accounts are kept beside the zone.
func (a Account) hostedZones() ([]inventory.Resource, error) {
	zones, err := a.list(awstype.HostedZone)
	if err != nil {
		return nil, err
	}
	authorized, err := a.list(awstype.VPCAssociationAuthorization)
	for i, zone := range zones {
		for _, one := range authorized {
			if one.Text("zoneId") == zone.ID {
				vpcs, _ := zone.Properties["vpcs"].([]any)
				zones[i].Properties["vpcs"] = append(vpcs, map[string]any{"vpcId": one.Text("vpcId")})
			}
		}
	}
	return zones, err
}

// mainAssociations returns the main route table associations of the account's VPCs, which AWS creates itself.
func (a Account) mainAssociations() ([]inventory.Resource, error) {
	vpcs, err := a.list(awstype.VPC)
	if err != nil {
		return nil, err
	}
	mains, err := a.list(awstype.MainRouteTableAssociation)
	for _, vpc := range vpcs {
		if !slices.ContainsFunc(mains, func(m inventory.Resource) bool { return m.Text("vpcId") == vpc.ID }) {
			mains = append(mains, inventory.Resource{Type: awstype.MainRouteTableAssociation, ID: "rtbassoc-main-" + vpc.ID,
				Properties: map[string]any{"vpcId": vpc.ID, "routeTableId": vpc.Text("mainRouteTableId")}})
		}
	}
	return mains, err
}

// Find implements account.Account. Like AWS it compares either the tags or the attributes by which the type is listed,
// and nothing else.
func (a Account) Find(ctx context.Context, q account.Query) ([]inventory.Resource, error) {
	record, _ := awstype.Lookup(q.Type)
	switch {
	case q.Type == awstype.HostedZone:
		zones, err := a.List(ctx, q)
		return account.Select(zones, q, awstype.Adoption{Match: record.Find.Attributes}), err
	case record.Find.Tags.Listed():
		return a.find(q.Type, q.Tags(), nil)
	}
	return a.find(q.Type, nil, q.Inputs)
}

// Created implements account.Account.
func (a Account) Created(ctx context.Context, r inventory.Resource) (time.Time, bool, error) {
	if !account.Dated(r.Type) {
		return time.Time{}, true, nil
	}
	found, err := a.List(ctx, account.Query{Type: r.Type, IDs: []string{r.ID}})
	if len(found) == 0 {
		return time.Time{}, false, err
	}
	return found[0].Created, true, err
}

// Tagged implements account.Account.
func (a Account) Tagged(_ context.Context, tags map[string]string) ([]inventory.Resource, error) {
	found, err := a.find("", tags, nil)
	return slices.DeleteFunc(found, func(r inventory.Resource) bool {
		record, _ := awstype.Lookup(r.Type)
		return !record.Find.Tags.Listed()
	}), err
}

func (a Account) find(token string, tags map[string]string, inputs map[string]any) ([]inventory.Resource, error) {
	found, err := a.server.Find(a.settings, token, tags, inputs)
	for i, r := range found {
		found[i].Properties = nil
		if !account.Dated(r.Type) {
			found[i].Created = time.Time{}
		}
	}
	return found, err
}

// Attached implements account.Account.
func (a Account) Attached(_ context.Context, r inventory.Resource) ([]string, error) {
	switch r.Type {
	case awstype.TargetGroup, awstype.ClassicLoadBalancer:
		return account.Texts(r, "targets"), nil
	case awstype.VPCEndpointService:
		endpoints, err := a.list(awstype.VPCEndpoint)
		return account.IDs(slices.DeleteFunc(endpoints, func(e inventory.Resource) bool {
			return e.Text("serviceName") == "" || e.Text("serviceName") != r.Text("serviceName")
		})), err
	}
	return nil, nil
}

// Targets implements account.Account: all targets are healthy.
func (a Account) Targets(_ context.Context, r inventory.Resource) ([]account.Target, error) {
	var targets []account.Target
	if r.Type == awstype.TargetGroup {
		for _, id := range account.Texts(r, "targets") {
			targets = append(targets, account.Target{ID: id, Health: "healthy"})
		}
	}
	return targets, nil
}

// Release implements account.Account.
func (a Account) Release(_ context.Context, r inventory.Resource) error {
	if r.Type != awstype.SecurityGroup {
		return nil
	}
	return a.server.RevokeGroupRules(a.settings, r.ID)
}

// Delete implements account.Account.
func (a Account) Delete(_ context.Context, r inventory.Resource) error {
	return a.server.Remove(a.settings, r.Type, r.ID)
}
