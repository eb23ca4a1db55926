package privatelink

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// Coverage is the zones in which a service is available.
type Coverage struct {
	// Of names the service in messages: "endpoint service com.amazonaws.vpce.…".
	Of string
	// ZoneIDs are the zones' IDs, such as "use1-az4".
	ZoneIDs []string
}

// CoverageOfService returns the coverage of an endpoint service, looked up in the account of the table, which must be
// allowed to use the service. It returns a fault for a service that is not visible to the account.
func CoverageOfService(
	ctx *pulumi.Context,
	serviceName string,
	table network.ZoneTable,
	opts ...pulumi.InvokeOption,
) (Coverage, error) {
	service, err := ec2.LookupVpcEndpointService(ctx, &ec2.LookupVpcEndpointServiceArgs{ServiceName: &serviceName},
		opts...)
	switch {
	case err != nil && awsprovider.IsMissing(err):
		return Coverage{}, &fault.Fault{Value: serviceName,
			Problem: "is not an endpoint service that account " + table.Account + " can see",
			Remedy:  "check the name, and that the account is among its allowed principals"}
	case err != nil:
		return Coverage{}, awsprovider.Failed("endpoint service "+serviceName+" from account "+table.Account, err)
	}
	covered := Coverage{Of: "endpoint service " + serviceName}
	for _, name := range service.AvailabilityZones {
		covered.ZoneIDs = append(covered.ZoneIDs, table.ID(name))
	}
	return covered, nil
}

// CoverageOfVPC returns the coverage of the services of a management cluster in the VPC: their load balancers use its
// subnets.
func CoverageOfVPC(ctx *pulumi.Context, vpcID string, opts ...pulumi.InvokeOption) (Coverage, error) {
	subnets, err := ec2.GetSubnets(ctx, &ec2.GetSubnetsArgs{
		Filters: []ec2.GetSubnetsFilter{{Name: "vpc-id", Values: []string{vpcID}}},
	}, opts...)
	if err != nil {
		return Coverage{}, awsprovider.Failed("the subnets of the management VPC "+vpcID, err)
	}
	ids, err := zonesOfSubnets(ctx, subnets.Ids, opts...)
	return Coverage{Of: "management VPC " + vpcID, ZoneIDs: ids}, err
}

// CoverageOf returns the coverage of a service on load balancers.
func CoverageOf(balancers []Balancer) Coverage {
	var ids []string
	for _, balancer := range balancers {
		ids = append(ids, balancer.ZoneIDs...)
	}
	slices.Sort(ids)
	return Coverage{Of: "service behind the load balancers", ZoneIDs: slices.Compact(ids)}
}

// CheckZones checks that the service covers the guest's zones, given by name. It returns a *ZoneMismatch with a fault
// for each zone that is not covered.
func CheckZones(guest, management network.ZoneTable, zones []network.Zone, covered Coverage) error {
	mismatch := &ZoneMismatch{Guest: guest, Management: management, Covered: covered}
	for i, zone := range zones {
		id := guest.ID(zone.Name)
		if slices.Contains(covered.ZoneIDs, id) {
			continue
		}
		mismatch.Faults.Add(fmt.Sprintf("[%d]", i), zone.Name,
			fmt.Sprintf("is %s in account %s, which the %s does not cover, so no endpoint can be created there", cmp.Or(id, "no zone"), guest.Account, covered.Of),
			"use "+cmp.Or(mismatch.alternatives(), "the control plane a subnet in one of the guest's zones"))
	}
	if len(mismatch.Faults) == 0 {
		return nil
	}
	return mismatch
}

// ZoneMismatch lists the guest's zones that its control plane's service does not cover.
type ZoneMismatch struct {
	// Faults has one fault per zone, by its index in the list.
	Faults fault.Faults
	// Guest and Management are the tables of the two accounts.
	Guest, Management network.ZoneTable
	// Covered is the coverage of the service.
	Covered Coverage
}

var _ error = (*ZoneMismatch)(nil)

// Unwrap returns the faults, for errors.As.
func (m *ZoneMismatch) Unwrap() error { return m.Faults }

// Error returns one line per fault.
func (m *ZoneMismatch) Error() string { return m.Faults.Error() }

// alternatives lists the covered zones, by the guest's names and by ID.
func (m *ZoneMismatch) alternatives() string {
	var names []string
	for _, row := range m.Guest.Rows {
		if slices.Contains(m.Covered.ZoneIDs, row.ID) {
			names = append(names, fmt.Sprintf("%s (%s)", row.Name, row.ID))
		}
	}
	switch n := len(names); n {
	case 0, 1:
		return strings.Join(names, "")
	default:
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
}

// Table lists both accounts' names of every zone, side by side.
func (m *ZoneMismatch) Table() string {
	ids := slices.Clone(m.Covered.ZoneIDs)
	for _, table := range []network.ZoneTable{m.Guest, m.Management} {
		for _, row := range table.Rows {
			ids = append(ids, row.ID)
		}
	}
	slices.Sort(ids)
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %-22s %-26s %s\n", "zone ID", "guest "+m.Guest.Account, "management "+m.Management.Account,
		"covered")
	for _, id := range slices.Compact(ids) {
		yes := "no"
		if slices.Contains(m.Covered.ZoneIDs, id) {
			yes = "yes"
		}
		fmt.Fprintf(&b, "%-12s %-22s %-26s %s\n", id, cmp.Or(m.Guest.Name(id), "-"), cmp.Or(m.Management.Name(id), "-"), yes)
	}
	return b.String()
}
