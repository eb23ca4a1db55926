package network

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
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

// privateZones are the private hosted zones of a cluster.
type privateZones struct {
	*guest
	existing *existingVPC
}

// create creates the private zone and, for a control plane on PrivateLink, the local zone.
func (z *privateZones) create(v *vpcNetwork) error {
	vpc, err := z.zoneVPC(v)
	if err != nil {
		return err
	}
	if z.network.PrivateZone, err = z.zone("private-zone", z.privateZoneName(), z.existingPrivateZone(), vpc,
		v); err != nil {
		return err
	}
	if z.args.EndpointAccess.HasPrivate() {
		z.network.LocalZone, err = z.zone("local-zone", z.args.Cluster.LocalZoneName(), z.existingLocalZone(), vpc, v)
	}
	return err
}

func (z *privateZones) privateZoneName() string {
	return z.args.Cluster.ZoneName(z.args.BaseDomainPrefix, z.args.BaseDomain)
}

// zone creates a private zone of the VPC, or returns the existing one. The cluster's operators create records in the
// zone, so it can be deleted while it has records.
func (z *privateZones) zone(
	part, domain string,
	given *HostedZone,
	vpc pulumi.StringInput,
	v *vpcNetwork,
) (HostedZone, error) {
	if given != nil {
		return *given, nil
	}
	opts := []pulumi.ResourceOption{z.zoneParent()}
	if z.zonesInCluster() {
		opts = append(opts, pulumi.IgnoreChanges([]string{"vpcs"})) // the shared VPC is associated separately
	}
	zone, err := route53.NewZone(z.ctx, z.child(part), &route53.ZoneArgs{
		Name:         pulumi.String(domain),
		Vpcs:         route53.ZoneVpcArray{route53.ZoneVpcArgs{VpcId: vpc}},
		ForceDestroy: pulumi.Bool(true),
		Tags:         pulumi.ToStringMap(z.args.Cluster.ZoneTags()),
	}, opts...)
	if err != nil {
		return HostedZone{}, err
	}
	if err := z.associate(part, zone, v); err != nil {
		return HostedZone{}, err
	}
	// Route 53 creates this record with the zone, so it is overwritten, and does not allow its deletion, so it is deleted
	// with the zone.
	_, err = route53.NewRecord(z.ctx, z.child(part+"-soa"), &route53.RecordArgs{
		ZoneId:         zone.ZoneId,
		Name:           pulumi.String(domain),
		Type:           pulumi.String("SOA"),
		Ttl:            pulumi.Int(soaTTL),
		Records:        pulumi.StringArray{z.soa(zone, domain)},
		AllowOverwrite: pulumi.Bool(true),
	}, z.zoneParent(), pulumi.RetainOnDelete(true))
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

// soa returns the zone's SOA record with negativeTTL. The rest is read from the zone, because its name server is not
// the provider's primaryNameServer.
func (z *privateZones) soa(zone *route53.Zone, domain string) pulumi.StringOutput {
	pattern := "^" + regexp.QuoteMeta(domain) + `\.?$`
	return zone.ZoneId.ApplyT(func(zoneID string) (string, error) {
		found, err := route53.GetRecords(z.ctx, &route53.GetRecordsArgs{ZoneId: zoneID, NameRegex: &pattern}, z.zoneParent())
		if err != nil {
			return "", awsprovider.Failed("the records of zone "+domain, err)
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

// clusterExists reports whether the cluster already has a private zone for the VPC: one that the stack has created,
// whatever tags the user chose then, or a given one with records. Its nodes and load balancers may then use the
// addresses that must be free for a new cluster.
func (z *privateZones) clusterExists(c *vpcCheck, _ existingSubnet) bool {
	if id := input.Text(c.args.Existing.PrivateZoneID); id != "" {
		found, err := route53.GetRecords(z.ctx, &route53.GetRecordsArgs{ZoneId: id}, z.zoneParent())
		return err == nil && slices.ContainsFunc(found.ResourceRecordSets,
			func(set route53.GetRecordsResourceRecordSet) bool {
				return set.Type != "SOA" && set.Type != "NS" // those that Route 53 creates with the zone
			})
	}
	name, private, vpcID := z.privateZoneName(), true, input.Text(c.args.Existing.VPCID)
	_, err := route53.LookupZone(z.ctx, &route53.LookupZoneArgs{
		Name: &name, PrivateZone: &private, VpcId: &vpcID, Tags: z.args.Cluster.OwnerTag(),
	}, z.zoneParent())
	return err == nil
}

// check checks the existing private zones.
func (z *privateZones) check(c *vpcCheck) error {
	var faults fault.Faults
	var err error
	existing := c.args.Existing
	c.vpc.privateZone, err = c.findZone(input.Text(existing.PrivateZoneID), z.privateZoneName(), z.zoneParent())
	faults.Join("existing.privateZoneID", err)
	c.vpc.localZone, err = c.findZone(input.Text(existing.LocalZoneID), z.args.Cluster.LocalZoneName(), z.zoneParent())
	faults.Join("existing.localZoneID", err)
	if c.vpc.privateZone == nil || c.vpc.localZone == nil && z.args.EndpointAccess.HasPrivate() {
		faults.Join("existing.vpcID", c.checkOwner("cannot create private zones with it",
			"ask its owner to create them and to associate them with the VPC, and set existing.privateZoneID and existing.localZoneID"))
	}
	if z.args.EndpointAccess.HasPrivate() && existing.SharedVPC == nil && z.args.Shared == nil {
		faults.Join("existing.vpcID", c.checkOwner("cannot create the PrivateLink endpoint in it",
			"ask its owner for the two roles that HyperShift's operators assume, and set existing.sharedVPC"))
	}
	return faults.Err()
}

// checkOwner refuses a VPC of another account, whose participants create neither private zones with it nor endpoints in
// it.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-share-limitations.html
func (c *vpcCheck) checkOwner(cannot, remedy string) error {
	if c.vpc.OwnerId == "" {
		return nil
	}
	account, err := c.account()
	if err != nil || account == c.vpc.OwnerId {
		return err
	}
	return &fault.Fault{Value: c.vpc.Id, Problem: fmt.Sprintf("belongs to account %s, and account %s %s", c.vpc.OwnerId,
		account, cannot),
		Remedy: remedy}
}

// findZone checks that a zone of an account is the VPC's private zone for the domain; it returns nil if id is "".
func (c *vpcCheck) findZone(id, domain string, in pulumi.InvokeOption) (*route53.LookupZoneResult, error) {
	if id == "" {
		return nil, nil
	}
	zone, err := route53.LookupZone(c.ctx, &route53.LookupZoneArgs{ZoneId: &id}, in)
	if err != nil && awsprovider.IsRefused(err) && c.args.Existing.SharedVPC != nil {
		c.warn(fmt.Sprintf("hosted zone %s cannot be read, because it belongs to another account: whether it is the private "+
			"zone %s of the VPC is not checked", id, domain))
		arn := "arn:" + hypershift.Partition(c.region) + ":route53:::hostedzone/" + id
		return &route53.LookupZoneResult{ZoneId: id, Arn: arn, Name: domain}, nil
	}
	if err != nil {
		return nil, lookupFault(id, err, "use a hosted zone of this account, or leave it out to create one")
	}
	private, vpcID := true, input.Text(c.args.Existing.VPCID)
	seen, err := route53.LookupZone(c.ctx, &route53.LookupZoneArgs{
		Name:        &domain,
		PrivateZone: &private,
		VpcId:       &vpcID,
	}, in)
	facts := ZoneFacts{
		ID:         id,
		Name:       zone.Name,
		Private:    zone.PrivateZone != nil && *zone.PrivateZone,
		Associated: err == nil && seen.ZoneId == zone.ZoneId,
	}
	if err := facts.Check(domain, vpcID); err != nil {
		return nil, err
	}
	return zone, nil
}

// existingPrivateZone returns the existing zone <prefix>.<baseDomain>, nil if it is to be created.
func (z *privateZones) existingPrivateZone() *HostedZone {
	if z.args.Existing == nil || !input.IsSet(z.args.Existing.PrivateZoneID) {
		return nil
	}
	return z.found(func(vpc *foundVPC) *route53.LookupZoneResult { return vpc.privateZone })
}

// existingLocalZone returns the existing zone <name>.hypershift.local, nil if it is to be created.
func (z *privateZones) existingLocalZone() *HostedZone {
	if z.args.Existing == nil || !input.IsSet(z.args.Existing.LocalZoneID) {
		return nil
	}
	return z.found(func(vpc *foundVPC) *route53.LookupZoneResult { return vpc.localZone })
}

func (z *privateZones) found(found func(*foundVPC) *route53.LookupZoneResult) *HostedZone {
	text := func(field func(*route53.LookupZoneResult) string) pulumi.StringOutput {
		return z.existing.text(func(vpc *foundVPC) string { return field(found(vpc)) })
	}
	return &HostedZone{
		ID:   text(func(z *route53.LookupZoneResult) string { return z.ZoneId }),
		ARN:  text(func(z *route53.LookupZoneResult) string { return z.Arn }),
		Name: text(func(z *route53.LookupZoneResult) string { return z.Name }),
	}
}
