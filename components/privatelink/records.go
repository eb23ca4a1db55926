package privatelink

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/lookup"
)

// recordTTL is the TTL of the records in seconds, as HyperShift's operator sets it.
const recordTTL = 300

// records creates the service's records in the local zone.
func (b *builder) records(zoneID pulumi.StringOutput) error {
	for _, name := range b.args.names() {
		fqdn := name + "." + b.args.Cluster.LocalZoneName()
		if _, err := route53.NewRecord(b.ctx, b.recordName(name), &route53.RecordArgs{
			ZoneId:  zoneID,
			Name:    pulumi.String(fqdn),
			Type:    pulumi.String("CNAME"),
			Ttl:     pulumi.Int(recordTTL),
			Records: pulumi.StringArray{b.endpoint.DNSName},
		}, adopt(b.parent(), b.recordID(name))...); err != nil {
			return err
		}
	}
	return nil
}

// recordName returns a record's resource name.
func (b *builder) recordName(name string) string {
	if name == "*.apps" {
		name = "apps"
	}
	return b.child(name)
}

// recordID returns the provider's ID of a record, or "" if there is none.
func (b *builder) recordID(name string) string {
	if !b.args.existing().Names[name] {
		return ""
	}
	return fmt.Sprintf("%s_%s.%s_CNAME", b.args.existing().ZoneID, name, b.args.Cluster.LocalZoneName())
}

// associated returns the IDs of the VPC and the local zone, once the zone's association with the VPC has been checked:
// without it, nodes cannot resolve the endpoint's names.
func (b *builder) associated() (vpcID, zoneID pulumi.StringOutput) {
	domain, private := b.args.Cluster.LocalZoneName(), true
	ids := pulumi.All(b.args.VPCID.ToStringOutput(),
		b.args.LocalZoneID.ToStringOutput()).ApplyT(func(ids []any) ([]string, error) {
		vpcID, zoneID := ids[0].(string), ids[1].(string)
		found, err := route53.LookupZone(b.ctx, &route53.LookupZoneArgs{
			Name:        &domain,
			VpcId:       &vpcID,
			PrivateZone: &private,
		}, b.parent())
		switch {
		case err != nil && !lookup.IsMissing(err):
			return nil, lookup.Failed("the zone "+domain+" of "+vpcID, err)
		case err != nil || found.ZoneId != zoneID:
			return nil, fmt.Errorf("the local zone %s (%s) is not associated with the endpoint's VPC %s, so its nodes cannot resolve the endpoint's names; "+
				"associate them, or use the zone %s of that VPC", zoneID, domain, vpcID, domain)
		}
		return []string{vpcID, zoneID}, nil
	}).(pulumi.StringArrayOutput)
	return ids.Index(pulumi.Int(0)), ids.Index(pulumi.Int(1))
}
