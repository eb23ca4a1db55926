package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
)

const (
	zoneToken   = "aws:route53/zone:Zone"
	recordToken = "aws:route53/record:Record"
)

func zoneKinds() []*kind {
	return []*kind{
		{
			token: zoneToken, args: route53.ZoneArgs{}, state: route53.ZoneState{},
			service: "Route 53", noun: "Hosted Zone",
			calls: calls{update: "ChangeTagsForResource"}, global: true,
			named:    "name",
			apart:    [][]string{{"delegationSetId", "vpcs"}},
			defaults: props{"comment": "Managed by Pulumi", "forceDestroy": false},
			fixed:    props{"delegationSetId": ""},
			forms:    map[string]form{"name": asDomain, "vpcs": asSet},
			replaces: []string{"delegationSetId", "name"},
			missing:  answer{"NoSuchHostedZone", "No hosted zone found with ID: %s"},
			inUse: answer{"HostedZoneNotEmpty",
				"The specified hosted zone (%s) contains non-required resource record sets and so cannot be deleted."},
			rules:   []rule{zoneVPCsExist, oneZonePerDomain, keepOneVPC},
			leaving: []rule{zoneIsEmpty},
			make:    makeZone,
			change: func(c *call) error {
				fillVPCRegions(c)
				return nil
			},
		},
		{
			token: recordToken, args: route53.RecordArgs{}, state: route53.RecordState{},
			service: "Route 53", noun: "Record", calls: calls{"ChangeResourceRecordSets",
				"ChangeResourceRecordSets", "ChangeResourceRecordSets"}, global: true,
			oneOf:    [][]string{{"aliases", "records"}},
			apart:    [][]string{{"aliases", "ttl"}},
			computed: []string{"allowOverwrite"},
			enums: map[string][]string{"type": {"A", "AAAA", "CAA", "CNAME", "DS", "HTTPS", "MX", "NAPTR", "NS", "PTR",
				"SOA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT"}},
			forms:    map[string]form{"name": asDomain, "records": asSet},
			replaces: []string{"name", "zoneId"},
			unique:   []string{"name", "zoneId"},
			refs:     []ref{{"zoneId", zoneToken, "", part}},
			missing:  answer{"InvalidChangeBatch", "[%s was not found]"},
			rules:    []rule{recordSaysSomething, recordInZone, recordIsNew, soaIsWhole},
			leaving:  []rule{zoneKeepsItsOwn},
			make:     makeRecord,
			change:   completeRecord,
		},
	}
}

// zoneVPCsExist: a private zone is associated with VPCs that exist, each in its region.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_CreateHostedZone.html
func zoneVPCsExist(c *call) error {
	for _, vpc := range c.in().objects("vpcs") {
		region := cmp.Or(vpc.text("vpcRegion"), c.region)
		if c.record(key{region, vpcToken, vpc.text("vpcId")}) == nil {
			return refuse("InvalidVPCId", "The VPC: %s does not exist in region %s.", vpc.text("vpcId"), region)
		}
	}
	return nil
}

// oneZonePerDomain: a VPC is associated with one private zone a domain.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_AssociateVPCWithHostedZone.html
func oneZonePerDomain(c *call) error {
	for _, other := range c.all(zoneToken) {
		if other.ID == c.rec.ID || asDomain.of(other.State["name"]) != asDomain.of(c.in()["name"]) {
			continue
		}
		for _, vpc := range c.in().objects("vpcs") {
			if slices.ContainsFunc(other.State.objects("vpcs"), func(theirs props) bool {
				return theirs.text("vpcId") == vpc.text("vpcId")
			}) {
				return refuse("ConflictingDomainExists", "The VPC %s in region %s has already been associated with the "+
					"hosted zone %s with the same domain name.", vpc.text("vpcId"), cmp.Or(vpc.text("vpcRegion"), c.region), other.ID)
			}
		}
	}
	return nil
}

// keepOneVPC: a private zone stays one, a public one too.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_DisassociateVPCFromHostedZone.html
func keepOneVPC(c *call) error {
	if c.was == nil {
		return nil
	}
	before, after := len(c.was.State.objects("vpcs")), len(c.in().objects("vpcs"))
	switch {
	case before > 0 && after == 0:
		return refuse("LastVPCAssociation", "The VPC you are trying to disassociate from the hosted zone is the last "+
			"VPC that is associated with the hosted zone.")
	case before == 0 && after > 0:
		return refuse("PublicZoneVPCAssociation", "The hosted zone %s is a public hosted zone; it cannot be associated "+
			"with a VPC.", c.rec.ID)
	}
	return nil
}

// zoneIsEmpty: a zone goes when it holds nothing but what it came with. With forceDestroy the provider sees to that
// itself.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_DeleteHostedZone.html
func zoneIsEmpty(c *call) error {
	if c.in().yes("forceDestroy") {
		return nil
	}
	for _, rec := range c.all(recordToken) {
		if rec.State.text("zoneId") == c.rec.ID && !zonesOwn(rec.State, c.in().text("name")) {
			return c.kind.inUse.about(c.rec.ID)
		}
	}
	return nil
}

// makeZone makes the SOA and NS records that every zone begins with, too.
func makeZone(c *call) error {
	s := c.rec.State
	id := cmp.Or(c.given, newCode("Z", 21))
	c.rec.ID = id
	s["name"] = strings.TrimSuffix(s.text("name"), ".")
	s["zoneId"] = id
	s["arn"] = fmt.Sprintf("arn:%s:route53:::hostedzone/%s", c.partition, id)
	fillVPCRegions(c)

	var servers []string
	private := len(s.objects("vpcs")) > 0
	if private {
		// Private zones have the same four in every account.
		servers = []string{"ns-1536.awsdns-00.co.uk.", "ns-0.awsdns-00.com.", "ns-1024.awsdns-00.org.", "ns-512.awsdns-00.net."}
	} else {
		for i, top := range []string{"com", "net", "org", "co.uk"} {
			servers = append(servers, fmt.Sprintf("ns-%d.awsdns-%02d.%s", 512*i+randomBelow(512), randomBelow(64), top))
		}
	}
	dotted := make([]string, len(servers))
	for i, server := range servers {
		dotted[i] = strings.TrimSuffix(server, ".") + "."
	}
	sorted := slices.Sorted(slices.Values(servers))
	s["nameServers"] = list(sorted...)
	s["primaryNameServer"] = servers[0]
	if private {
		// The provider reads a private zone's servers off its NS record, with their dots, and takes the first after
		// sorting them: not the one that the SOA record names.
		s["primaryNameServer"] = sorted[0]
	}
	c.addRecord("SOA", 900, dotted[0]+" awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400")
	c.addRecord("NS", 172800, dotted...)
	return nil
}

// addRecord keeps a record that comes with the zone.
func (c *call) addRecord(recordType string, ttl float64, values ...string) {
	name := c.in().text("name")
	c.add(recordToken, recordID(c.rec.ID, name, recordType, ""), props{"zoneId": c.rec.ID, "name": name, "fqdn": name,
		"type": recordType, "ttl": ttl, "records": list(values...)})
}

func fillVPCRegions(c *call) {
	for _, vpc := range c.rec.State.objects("vpcs") {
		vpc["vpcRegion"] = cmp.Or(vpc.text("vpcRegion"), c.region)
	}
}

func recordID(zone, name, recordType, set string) string {
	id := zone + "_" + strings.ToLower(name) + "_" + recordType
	if set != "" {
		id += "_" + set
	}
	return id
}

// zonesOwn says whether a record is the SOA or NS record that a zone comes with.
func zonesOwn(record props, zone string) bool {
	return (record.text("type") == "SOA" || record.text("type") == "NS") && record["fqdn"] == asDomain.of(zone)
}

// qualified is a record's name within its zone.
func (c *call) qualified() string {
	name, _ := asDomain.of(c.in().text("name")).(string)
	zone, _ := asDomain.of(c.find(zoneToken, c.in().text("zoneId")).State.text("name")).(string)
	switch {
	case name == "":
		return zone
	case name == zone || strings.HasSuffix(name, "."+zone):
		return name
	default:
		return name + "." + zone
	}
}

// recordSaysSomething: a record set has values and a TTL, or an alias.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html
func recordSaysSomething(c *call) error {
	if len(c.in().objects("aliases")) > 0 {
		return nil
	}
	if len(c.in().texts("records")) == 0 || !c.in().has("ttl") {
		return refuse("InvalidInput", "Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], "+
			"or TrafficPolicyInstanceId], but found none in Change with [Action=CREATE, Name=%s., Type=%s, SetIdentifier=null]",
			c.qualified(), c.in().text("type"))
	}
	return nil
}

// recordInZone: a CNAME does not stand at the top of a zone.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html
func recordInZone(c *call) error {
	zone := asDomain.of(c.find(zoneToken, c.in().text("zoneId")).State.text("name"))
	if c.in().text("type") == "CNAME" && c.qualified() == zone {
		return refuse("InvalidChangeBatch", "[RRSet of type CNAME with DNS name %s. is not permitted at apex in zone %s.]",
			c.qualified(), zone)
	}
	return nil
}

// recordIsNew: a zone has one record set a name, type and set identifier, unless told to overwrite it.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html
func recordIsNew(c *call) error {
	if c.in().yes("allowOverwrite") {
		return nil
	}
	if other := c.sameRecord(); other != nil && other.ID != c.rec.ID {
		return refuse("InvalidChangeBatch", "[Tried to create resource record set [name='%s.', type='%s'] but it already exists]",
			c.qualified(), c.in().text("type"))
	}
	return nil
}

// sameRecord is the record set that stands where the one at hand is to be, nil if there is none.
func (c *call) sameRecord() *record {
	for _, other := range c.all(recordToken) {
		if other.State.text("zoneId") == c.in().text("zoneId") && other.State["fqdn"] == c.qualified() &&
			other.State.text("type") == c.in().text("type") &&
			other.State.text("setIdentifier") == c.in().text("setIdentifier") {
			return other
		}
	}
	return nil
}

// soaIsWhole: an SOA record has seven fields.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html
func soaIsWhole(c *call) error {
	if c.in().text("type") != "SOA" {
		return nil
	}
	values := c.in().texts("records")
	if len(values) != 1 || len(strings.Fields(values[0])) != 7 {
		return refuse("InvalidChangeBatch", "[Invalid Resource Record: "+
			"FATAL problem: SOARecordDoesNotHaveSevenParts encountered with '%s']",
			strings.Join(values, " "))
	}
	return nil
}

// zoneKeepsItsOwn: a zone's SOA and NS records go with the zone alone.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/SOA-NSrecords.html
func zoneKeepsItsOwn(c *call) error {
	zone := c.find(zoneToken, c.in().text("zoneId"))
	if zone == nil || !zonesOwn(c.in(), zone.State.text("name")) {
		return nil
	}
	if c.in().text("type") == "SOA" {
		return refuse("InvalidChangeBatch", "[A HostedZone must contain exactly one SOA record.]")
	}
	return refuse("InvalidChangeBatch", "[A HostedZone must contain at least one NS record for the zone itself.]")
}

func makeRecord(c *call) error {
	if other := c.sameRecord(); other != nil {
		c.drop(other)
	}
	c.rec.ID = recordID(c.in().text("zoneId"), c.in().text("name"), c.in().text("type"), c.in().text("setIdentifier"))
	return completeRecord(c)
}

func completeRecord(c *call) error {
	c.rec.State["name"] = asDomain.of(c.in().text("name"))
	c.rec.State["fqdn"] = c.qualified()
	return nil
}
