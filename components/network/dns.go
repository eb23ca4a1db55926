package network

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/lookup"
)

// HostedZone is a Route 53 hosted zone. Its fields are "" if the endpointAccess does not need the zone.
type HostedZone struct {
	// ID is the zone's bare ID, "Z…", without "/hostedzone/".
	ID pulumi.StringOutput `pulumi:"id"`
	// ARN is "arn:<partition>:route53:::hostedzone/<ID>".
	ARN pulumi.StringOutput `pulumi:"arn"`
	// Name is the zone's domain, without a final dot.
	Name pulumi.StringOutput `pulumi:"name"`
}

// hostedZones creates the private zone and, for a control plane on PrivateLink, the local zone.
func (b *guestBuilder) hostedZones(v *vpcNetwork) error {
	vpc, err := b.zoneVPC(v)
	if err != nil {
		return err
	}
	if b.network.PrivateZone, err = b.privateZone("private-zone", b.privateZoneName(), b.existingPrivateZone(), vpc, v); err != nil {
		return err
	}
	if b.args.EndpointAccess.HasPrivate() {
		b.network.LocalZone, err = b.privateZone("local-zone", b.args.Cluster.LocalZoneName(), b.existingLocalZone(), vpc, v)
	}
	return err
}

func (b *guestBuilder) privateZoneName() string {
	return b.args.Cluster.ZoneName(b.args.BaseDomainPrefix, b.args.BaseDomain)
}

// privateZone creates a private zone of the VPC, or returns the existing one. The cluster's operators create records in the
// zone, so it can be deleted while it has records.
func (b *guestBuilder) privateZone(part, domain string, given *HostedZone, vpc pulumi.StringInput, v *vpcNetwork) (HostedZone, error) {
	if given != nil {
		return *given, nil
	}
	opts := []pulumi.ResourceOption{b.zoneParent()}
	if b.zonesInCluster() {
		opts = append(opts, pulumi.IgnoreChanges([]string{"vpcs"})) // the shared VPC is associated separately
	}
	zone, err := route53.NewZone(b.ctx, b.child(part), &route53.ZoneArgs{
		Name:         pulumi.String(domain),
		Vpcs:         route53.ZoneVpcArray{route53.ZoneVpcArgs{VpcId: vpc}},
		ForceDestroy: pulumi.Bool(true),
		Tags:         pulumi.ToStringMap(b.args.Cluster.ZoneTags()),
	}, opts...)
	if err != nil {
		return HostedZone{}, err
	}
	if err := b.associate(part, zone, v); err != nil {
		return HostedZone{}, err
	}
	// Route 53 creates this record with the zone, so it is overwritten, and does not allow its deletion, so it is deleted with
	// the zone.
	_, err = route53.NewRecord(b.ctx, b.child(part+"-soa"), &route53.RecordArgs{
		ZoneId:         zone.ZoneId,
		Name:           pulumi.String(domain),
		Type:           pulumi.String("SOA"),
		Ttl:            pulumi.Int(soaTTL),
		Records:        pulumi.StringArray{b.soa(zone, domain)},
		AllowOverwrite: pulumi.Bool(true),
	}, b.zoneParent(), pulumi.RetainOnDelete(true))
	if err != nil {
		return HostedZone{}, err
	}
	return HostedZone{ID: zone.ZoneId, ARN: zone.Arn, Name: zone.Name}, nil
}

// soaTTL is how long the SOA record itself may be cached, in seconds, as Route 53 sets it.
const soaTTL = 900

// negativeTTL is how long resolvers may cache that a name does not exist, in seconds. Route 53's own
// value of a day can hide the control plane's names from a resolver for up to 15 minutes after they are created.
const negativeTTL = "60"

// soa returns the zone's SOA record with negativeTTL. The rest is read from the zone, because its name server is not the provider's
// primaryNameServer.
func (b *guestBuilder) soa(zone *route53.Zone, domain string) pulumi.StringOutput {
	pattern := "^" + regexp.QuoteMeta(domain) + `\.?$`
	return zone.ZoneId.ApplyT(func(zoneID string) (string, error) {
		found, err := route53.GetRecords(b.ctx, &route53.GetRecordsArgs{ZoneId: zoneID, NameRegex: &pattern}, b.zoneParent())
		if err != nil {
			return "", lookup.Failed("the records of zone "+domain, err)
		}
		for _, set := range found.ResourceRecordSets {
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

// findPublicZone looks up the base domain's public zone, unless endpointAccess is Private.
func (b *guestBuilder) findPublicZone() error {
	if !b.args.EndpointAccess.HasPublic() {
		return nil
	}
	domain, private := b.args.BaseDomain, false
	zone, err := route53.LookupZone(b.ctx, &route53.LookupZoneArgs{Name: &domain, PrivateZone: &private}, b.inCluster())
	if err != nil {
		return lookup.PublicZone(domain, err, "create the zone in this account, correct baseDomain, or use endpointAccess Private")
	}
	if zone.ZoneId == "" {
		return lookup.Unanswered("aws:route53/getZone:getZone", "zoneId")
	}
	b.network.PublicZone = HostedZone{ID: text(zone.ZoneId), ARN: text(zone.Arn), Name: text(zone.Name)}
	return nil
}

// clusterExists reports whether the cluster already has a private zone for the VPC: one that the stack has created, whatever tags the user chose
// then, or a given one with records. Its nodes and load balancers may then use the addresses that must be free for a new cluster.
func (b *guestBuilder) clusterExists(c *vpcCheck, _ existingSubnet) bool {
	if id := input.Text(c.args.Existing.PrivateZoneID); id != "" {
		found, err := route53.GetRecords(b.ctx, &route53.GetRecordsArgs{ZoneId: id}, b.zoneParent())
		return err == nil && slices.ContainsFunc(found.ResourceRecordSets, func(set route53.GetRecordsResourceRecordSet) bool {
			return set.Type != "SOA" && set.Type != "NS" // those that Route 53 creates with the zone
		})
	}
	name, private, vpcID := b.privateZoneName(), true, input.Text(c.args.Existing.VPCID)
	_, err := route53.LookupZone(b.ctx, &route53.LookupZoneArgs{
		Name: &name, PrivateZone: &private, VpcId: &vpcID, Tags: b.args.Cluster.OwnerTag(),
	}, b.zoneParent())
	return err == nil
}

// findZones checks the existing private zones.
func (b *guestBuilder) findZones(c *vpcCheck) error {
	var faults fault.Faults
	var err error
	existing := c.args.Existing
	c.vpc.privateZone, err = c.findZone(input.Text(existing.PrivateZoneID), b.privateZoneName(), b.zoneParent())
	faults.Join("existing.privateZoneID", err)
	c.vpc.localZone, err = c.findZone(input.Text(existing.LocalZoneID), b.args.Cluster.LocalZoneName(), b.zoneParent())
	faults.Join("existing.localZoneID", err)
	if c.vpc.privateZone == nil || c.vpc.localZone == nil && b.args.EndpointAccess.HasPrivate() {
		faults.Join("existing.vpcID", c.checkOwner())
	}
	return faults.Err()
}

// checkOwner refuses a VPC of another account if private zones are created: Route 53 creates a private zone with a VPC of the same account only.
func (c *vpcCheck) checkOwner() error {
	if c.vpc.OwnerId == "" {
		return nil
	}
	account, err := c.account()
	if err != nil || account == c.vpc.OwnerId {
		return err
	}
	return &fault.Fault{Value: c.vpc.Id, Problem: fmt.Sprintf("belongs to account %s, and account %s cannot create private zones with it", c.vpc.OwnerId, account),
		Remedy: "ask its owner to create them and to associate them with the VPC, and set privateZoneID and localZoneID"}
}

// findZone checks that a zone of an account is the VPC's private zone for the domain; it returns nil if id is "".
func (c *vpcCheck) findZone(id, domain string, in pulumi.InvokeOption) (*route53.LookupZoneResult, error) {
	if id == "" {
		return nil, nil
	}
	zone, err := route53.LookupZone(c.ctx, &route53.LookupZoneArgs{ZoneId: &id}, in)
	if err != nil {
		return nil, lookupFault(id, err, "use a hosted zone of this account, or leave it out to create one")
	}
	private, vpcID := true, input.Text(c.args.Existing.VPCID)
	seen, err := route53.LookupZone(c.ctx, &route53.LookupZoneArgs{Name: &domain, PrivateZone: &private, VpcId: &vpcID}, in)
	facts := ZoneFacts{ID: id, Name: zone.Name, Private: zone.PrivateZone != nil && *zone.PrivateZone, Associated: err == nil && seen.ZoneId == zone.ZoneId}
	if err := facts.Check(domain, vpcID); err != nil {
		return nil, err
	}
	return zone, nil
}

// existingPrivateZone returns the existing zone <prefix>.<baseDomain>, nil if it is to be created.
func (b *guestBuilder) existingPrivateZone() *HostedZone {
	if b.args.Existing == nil || !input.IsSet(b.args.Existing.PrivateZoneID) {
		return nil
	}
	return b.foundZone(func(vpc *foundVPC) *route53.LookupZoneResult { return vpc.privateZone })
}

// existingLocalZone returns the existing zone <name>.hypershift.local, nil if it is to be created.
func (b *guestBuilder) existingLocalZone() *HostedZone {
	if b.args.Existing == nil || !input.IsSet(b.args.Existing.LocalZoneID) {
		return nil
	}
	return b.foundZone(func(vpc *foundVPC) *route53.LookupZoneResult { return vpc.localZone })
}

func (b *guestBuilder) foundZone(found func(*foundVPC) *route53.LookupZoneResult) *HostedZone {
	text := func(field func(*route53.LookupZoneResult) string) pulumi.StringOutput {
		return b.existing.text(func(vpc *foundVPC) string { return field(found(vpc)) })
	}
	return &HostedZone{
		ID:   text(func(z *route53.LookupZoneResult) string { return z.ZoneId }),
		ARN:  text(func(z *route53.LookupZoneResult) string { return z.Arn }),
		Name: text(func(z *route53.LookupZoneResult) string { return z.Name }),
	}
}
