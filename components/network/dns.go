package network

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// HostedZone is a Route 53 zone. All of it is "" for a zone that the mode does without.
type HostedZone struct {
	// ID is the zone's bare ID, "Z…", without "/hostedzone/".
	ID pulumi.StringOutput
	// ARN is "arn:<partition>:route53:::hostedzone/<ID>".
	ARN pulumi.StringOutput
	// Name is the zone's domain, without a final dot.
	Name pulumi.StringOutput
}

func noZone() HostedZone {
	none := pulumi.String("").ToStringOutput()
	return HostedZone{ID: none, ARN: none, Name: none}
}

func (z HostedZone) outputs() pulumi.Map {
	return pulumi.Map{"id": z.ID, "arn": z.ARN, "name": z.Name}
}

// hostedZones makes the private zone and, where the control plane is reached over PrivateLink, the local
// zone; and finds the base domain's public zone where the control plane has public names.
func (b *builder) hostedZones(vpc *ec2.Vpc) error {
	cluster, access := b.args.Cluster, b.args.EndpointAccess
	var err error
	privateName := cluster.ZoneName(b.args.BaseDomainPrefix, b.args.BaseDomain)
	if b.network.PrivateZone, err = b.privateZone("private-zone", privateName, vpc); err != nil {
		return err
	}
	b.network.LocalZone, b.network.PublicZone = noZone(), noZone()
	if access.HasPrivate() {
		if b.network.LocalZone, err = b.privateZone("local-zone", cluster.LocalZoneName(), vpc); err != nil {
			return err
		}
	}
	if access.HasPublic() {
		b.network.PublicZone, err = b.publicZone()
	}
	return err
}

// privateZone makes a zone that the VPC alone sees. The cluster's operators put records into it that
// this program never sees, so it can be deleted with records in it.
func (b *builder) privateZone(part, domain string, vpc *ec2.Vpc) (HostedZone, error) {
	zone, err := route53.NewZone(b.ctx, b.child(part), &route53.ZoneArgs{
		Name:         pulumi.String(domain),
		Vpcs:         route53.ZoneVpcArray{route53.ZoneVpcArgs{VpcId: vpc.ID()}},
		ForceDestroy: pulumi.Bool(true),
		Tags:         pulumi.ToStringMap(b.args.Cluster.ZoneTags()),
	}, b.parent())
	if err != nil {
		return HostedZone{}, err
	}
	// Route 53 makes this record with the zone, so it is overwritten, and refuses to delete it, so it is
	// left to go with the zone.
	_, err = route53.NewRecord(b.ctx, b.child(part+"-soa"), &route53.RecordArgs{
		ZoneId:         zone.ZoneId,
		Name:           pulumi.String(domain),
		Type:           pulumi.String("SOA"),
		Ttl:            pulumi.Int(soaTTL),
		Records:        pulumi.StringArray{b.soa(zone, domain)},
		AllowOverwrite: pulumi.Bool(true),
	}, b.parent(), pulumi.RetainOnDelete(true))
	if err != nil {
		return HostedZone{}, err
	}
	return HostedZone{ID: zone.ZoneId, ARN: zone.Arn, Name: zone.Name}, nil
}

// soaTTL is how long the SOA record itself may be cached, in seconds, as Route 53 sets it.
const soaTTL = 900

// negativeTTL is how long resolvers may remember that a name does not exist, in seconds. Route 53's own
// value of a day lets a resolver miss the control plane's names for up to 15 minutes after they appear.
const negativeTTL = "60"

// soa is the SOA record that the zone came with, with negativeTTL. It is read off the zone, since the
// name server in it is not the one that the provider calls the zone's primary.
func (b *builder) soa(zone *route53.Zone, domain string) pulumi.StringOutput {
	found := route53.GetRecordsOutput(b.ctx, route53.GetRecordsOutputArgs{
		ZoneId:    zone.ZoneId,
		NameRegex: pulumi.String("^" + regexp.QuoteMeta(domain) + `\.?$`),
	}, b.parent())
	return found.ResourceRecordSets().ApplyT(func(sets []route53.GetRecordsResourceRecordSet) (string, error) {
		for _, set := range sets {
			if set.Type == "SOA" && len(set.ResourceRecords) == 1 {
				return withNegativeTTL(set.ResourceRecords[0].Value)
			}
		}
		return "", fmt.Errorf("zone %s has no SOA record", domain)
	}).(pulumi.StringOutput)
}

// withNegativeTTL replaces the seventh field of an SOA record, its minimum TTL. Source: RFC 2308.
func withNegativeTTL(soa string) (string, error) {
	fields := strings.Fields(soa)
	if len(fields) != 7 {
		return "", fmt.Errorf("SOA record %q has %d fields, not 7", soa, len(fields))
	}
	fields[6] = negativeTTL
	return strings.Join(fields, " "), nil
}

func (b *builder) publicZone() (HostedZone, error) {
	private := false
	zone, err := route53.LookupZone(b.ctx, &route53.LookupZoneArgs{
		Name:        &b.args.BaseDomain,
		PrivateZone: &private,
	}, b.parent())
	if err != nil {
		return HostedZone{}, fmt.Errorf("looking up the public zone of baseDomain %q: %w; "+
			"create the zone in this account, correct baseDomain, or take endpointAccess Private", b.args.BaseDomain, err)
	}
	return HostedZone{
		ID:   pulumi.String(zone.ZoneId).ToStringOutput(),
		ARN:  pulumi.String(zone.Arn).ToStringOutput(),
		Name: pulumi.String(zone.Name).ToStringOutput(),
	}, nil
}
