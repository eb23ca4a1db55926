package inmemory

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// List implements orphan.Inventory.
func (a Account) List(_ context.Context, q orphan.Query) ([]orphan.Resource, error) {
	switch q.Type {
	case awstype.DefaultSecurityGroup:
		groups, err := a.list(awstype.SecurityGroup)
		var found []orphan.Resource
		for _, g := range groups {
			if g.Text("name") == "default" {
				g.Type = q.Type
				found = append(found, g)
			}
		}
		return found, err
	case awstype.MainRouteTableAssociation:
		return a.mainAssociations()
	case awstype.HostedZone:
		return a.hostedZones()
	case awstype.Instance:
		return a.instances()
	case awstype.RouteTable:
		return a.routeTables()
	}
	return a.list(q.Type)
}

// routeTables returns the tables, and those that VPCs were created with.
func (a Account) routeTables() ([]orphan.Resource, error) {
	vpcs, err := a.list(awstype.VPC)
	if err != nil {
		return nil, err
	}
	tables, err := a.list(awstype.RouteTable)
	for _, vpc := range vpcs {
		if first := vpc.Text("defaultRouteTableId"); first != "" {
			tables = append(tables, orphan.Resource{Found: orphan.Found{Type: awstype.RouteTable, ID: first}, Properties: map[string]any{"vpcId": vpc.ID}})
		}
	}
	return tables, err
}

// instances returns the instances with their VPCs, which the provider's outputs do not have.
func (a Account) instances() ([]orphan.Resource, error) {
	subnets, err := a.list(awstype.Subnet)
	if err != nil {
		return nil, err
	}
	hosts, err := a.list(awstype.Instance)
	for i, host := range hosts {
		for _, subnet := range subnets {
			if subnet.ID == host.Text("subnetId") {
				hosts[i].Properties["vpcId"] = subnet.Text("vpcId")
			}
		}
	}
	return hosts, err
}

func (a Account) list(token string) ([]orphan.Resource, error) {
	all, err := a.server.List(a.settings, token)
	found := make([]orphan.Resource, len(all))
	for i, r := range all {
		found[i] = listed(r)
	}
	return found, err
}

func listed(r offline.Found) orphan.Resource {
	return orphan.Resource{Found: orphan.Found{Type: r.Type, ID: r.ID, ARN: r.ARN, Tags: r.Tags, Created: r.CreatedAt}, Properties: r.Properties}
}

// hostedZones returns the zones with all their VPCs: the account keeps those of other accounts beside the zone.
func (a Account) hostedZones() ([]orphan.Resource, error) {
	zones, err := a.list(awstype.HostedZone)
	if err != nil {
		return nil, err
	}
	authorized, err := a.list("aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization")
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
func (a Account) mainAssociations() ([]orphan.Resource, error) {
	vpcs, err := a.list(awstype.VPC)
	if err != nil {
		return nil, err
	}
	made, err := a.list(awstype.MainRouteTableAssociation)
	if err != nil {
		return nil, err
	}
	for _, vpc := range vpcs {
		main := orphan.Resource{
			Found:      orphan.Found{Type: awstype.MainRouteTableAssociation, ID: "rtbassoc-main-" + vpc.ID},
			Properties: map[string]any{"vpcId": vpc.ID, "routeTableId": vpc.Text("mainRouteTableId")},
		}
		known := false
		for _, m := range made {
			known = known || m.Text("vpcId") == vpc.ID
		}
		if !known {
			made = append(made, main)
		}
	}
	return made, nil
}
