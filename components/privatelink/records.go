package privatelink

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// recordTTL is the TTL of the records in seconds, as HyperShift's operator sets it.
const recordTTL = 300

// namesBehind returns the records in the local zone that point to an endpoint of the service.
// Source: recordsForService in control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go.
func namesBehind(service Service, apiServerLoadBalancer bool) []string {
	names := service.Names()
	if apiServerLoadBalancer && service.OrDefault() == PrivateRouter {
		return slices.DeleteFunc(names, func(name string) bool { return name == apiName })
	}
	return names
}

// records creates the service's records in the local zone.
func (b *builder) records(zoneID pulumi.StringOutput) error {
	for _, name := range b.args.names() {
		if _, err := newName(b.ctx, b.recordName(name), name+"."+b.args.Cluster.LocalZoneName(), zoneID, b.endpoint.DNSName,
			adopt(b.parent(), b.recordID(name))...); err != nil {
			return err
		}
	}
	return nil
}

// newName creates a record that points to an endpoint.
func newName(
	ctx *pulumi.Context,
	resource, fqdn string,
	zoneID, dnsName pulumi.StringOutput,
	opts ...pulumi.ResourceOption,
) (*route53.Record, error) {
	return route53.NewRecord(ctx, resource, &route53.RecordArgs{
		ZoneId:  zoneID,
		Name:    pulumi.String(fqdn),
		Type:    pulumi.String("CNAME"),
		Ttl:     pulumi.Int(recordTTL),
		Records: pulumi.StringArray{dnsName},
	}, opts...)
}

// recordName returns a record's resource name.
func (b *builder) recordName(name string) string { return b.child(recordPart(name)) }

// recordPart returns the part of a record's resource name after the component's.
func recordPart(name string) string {
	if name == "*.apps" {
		return "apps"
	}
	return name
}

// recordID returns the provider's ID of a record, or "" if there is none.
func (b *builder) recordID(name string) string {
	if !b.args.existing().Names[name] {
		return ""
	}
	return fmt.Sprintf("%s_%s.%s_CNAME", b.args.existing().ZoneID, name, b.args.Cluster.LocalZoneName())
}

// associated returns the IDs of the VPC and the local zone, once their association has been checked.
func (b *builder) associated() (vpcID, zoneID pulumi.StringOutput) {
	return associatedWith(b.ctx, b.args.Cluster.LocalZoneName(), b.args.VPCID, b.args.LocalZoneID, b.parent())
}

// associatedWith returns the IDs of a VPC and the private zone of a domain, once the zone's association with the VPC
// has been checked: without it, the endpoint's names do not resolve there.
func associatedWith(
	ctx *pulumi.Context,
	domain string,
	vpc, zone pulumi.StringInput,
	in pulumi.InvokeOption,
) (vpcID, zoneID pulumi.StringOutput) {
	private := true
	ids := pulumi.All(vpc.ToStringOutput(), zone.ToStringOutput()).ApplyT(func(ids []any) ([]string, error) {
		vpcID, zoneID := ids[0].(string), ids[1].(string)
		found, err := route53.LookupZone(ctx, &route53.LookupZoneArgs{
			Name:        &domain,
			VpcId:       &vpcID,
			PrivateZone: &private,
		}, in)
		switch {
		case err != nil && !awsprovider.IsMissing(err):
			return nil, awsprovider.Failed("the zone "+domain+" of "+vpcID, err)
		case err != nil || found.ZoneId != zoneID:
			return nil, fmt.Errorf("the local zone %s (%s) is not associated with the endpoint's VPC %s, so its nodes cannot resolve the endpoint's names; "+
				"associate them, or use the zone %s of that VPC", zoneID, domain, vpcID, domain)
		}
		return []string{vpcID, zoneID}, nil
	}).(pulumi.StringArrayOutput)
	return ids.Index(pulumi.Int(0)), ids.Index(pulumi.Int(1))
}
